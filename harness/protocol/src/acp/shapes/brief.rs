//! Values as a person can read them in one line.

use std::io;

use serde_json::Value;

/// So many bytes of a value are shown.
const SHOWN: usize = 80;

/// Short JSON text of a value; `absent` where there is none.
pub(crate) fn brief(value: Option<&Value>) -> String {
    let Some(value) = value else {
        return "absent".to_owned();
    };
    let mut head = Head(Vec::new());
    // An error here only means that the head is full.
    let whole = serde_json::to_writer(&mut head, value).is_ok() && head.0.len() <= SHOWN;
    let text = String::from_utf8_lossy(&head.0);
    if whole {
        text.into_owned()
    } else {
        shorten(&text)
    }
}

/// The text, cut at a character where it is too long to be read.
pub(crate) fn shorten(text: &str) -> String {
    if text.len() <= SHOWN {
        return text.to_owned();
    }
    let cut = (0..=SHOWN)
        .rev()
        .find(|index| text.is_char_boundary(*index))
        .unwrap_or_default();
    format!("{}…", &text[..cut])
}

/// Keeps the first bytes written and refuses the rest, so that a huge value is not rendered only to be cut.
struct Head(Vec<u8>);

impl io::Write for Head {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() > SHOWN {
            return Err(io::ErrorKind::WriteZero.into());
        }
        // One byte more than is shown tells that something was cut; a few more keep a last character whole.
        let room = SHOWN + 4 - self.0.len().min(SHOWN);
        self.0.extend_from_slice(&bytes[..bytes.len().min(room)]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
