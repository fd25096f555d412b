//! Characters that no URL needs and that make one look like another.

use super::{Findings, LONG, Place, UrlFault, show};
use crate::Weight;

/// Reports the first character of each kind, and a text that is too long.
pub(super) fn report(text: &str, findings: &mut Findings) {
    let space = text
        .char_indices()
        .find(|(_, character)| character.is_whitespace());
    let hidden = text.char_indices().find(|(_, character)| {
        !character.is_whitespace() && (character.is_control() || is_invisible(*character))
    });
    for (found, kind, sentence) in [
        (
            space,
            UrlFault::WhiteSpace,
            "white space has to be encoded; browsers drop some of it and encode the rest",
        ),
        (
            hidden,
            UrlFault::Invisible,
            "nobody sees it, so what is shown is not what is opened",
        ),
    ] {
        if let Some((at, character)) = found {
            let excerpt = show::code_point(character, at);
            findings.add(kind, Weight::Warning, Place::Whole, excerpt, sentence);
        }
    }
    if text.len() > LONG {
        findings.add(
            UrlFault::Long,
            Weight::Unclear,
            Place::Whole,
            format!("{} bytes long", text.len()),
            "many servers and programs take no URL of this length",
        );
    }
}

/// Zero width, filling, joining, or turning the direction of writing.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}
