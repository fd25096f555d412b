//! Waiting for what the target sends by itself.

use std::time::Duration;

use elenchus_protocol::acp::methods;
use elenchus_wire::{Side, Wait};

use super::{Ended, Stage};

impl Stage<'_> {
    /// Takes a message of the target that nobody has taken yet; waits for it. The error is a reason for people.
    pub(crate) fn take_message(
        &mut self,
        conn: usize,
        method: &str,
        name: Option<&str>,
        time: Duration,
    ) -> Result<usize, String> {
        let start = self.now();
        // A turn of ours that ends without the request will not bring it any more; a notification may still follow.
        let request =
            methods::method(self.book.version, method).is_none_or(|method| method.request);
        let hopeful = self.book.us == Side::Client && request && self.conn(conn).busy();
        let ended = self.wait(time, |book| {
            let conn = &book.conns[conn];
            conn.gone()
                || (hopeful && !conn.busy())
                || conn
                    .theirs
                    .iter()
                    .any(|theirs| theirs.waits_for_expect(method))
        });
        let mut theirs = self.conn(conn).theirs.iter();
        let Some(place) = theirs.position(|theirs| theirs.waits_for_expect(method)) else {
            return Err(match ended {
                Ended::Over => self.why_over(),
                Ended::Time => {
                    let waited = self.now().saturating_sub(start);
                    let method = method.to_owned();
                    self.deadline(
                        conn,
                        Wait::Request {
                            method: method.clone(),
                        },
                        waited,
                    );
                    format!("no {method} came in {} s", time.as_secs_f32())
                }
                Ended::Met if self.conn(conn).gone() => {
                    format!("{} before {method} came", self.how_gone(conn))
                }
                Ended::Met => format!("the target was done and had sent no {method}"),
            });
        };
        let theirs = &mut self.book.conns[conn].theirs[place];
        theirs.taken = true;
        theirs.name = name.map(str::to_owned);
        Ok(place)
    }
}
