//! Signing in before the first session, where the operator has named a way.

use elenchus_protocol::Version;
use serde_json::Value;

use super::Stage;
use crate::json;

/// The methods by which a script logs in and out itself: then nobody else does.
pub(super) const LOGINS: [&str; 4] = ["authenticate", "logout", "auth/login", "auth/logout"];

impl Stage<'_> {
    /// Notes that a request of ours is about logging in or out.
    pub(super) fn note_login(&mut self, conn: usize, method: &str) {
        self.book.conns[conn].signed_in |= LOGINS.contains(&method);
    }

    /// Signs in, if a way is named and nobody has on this connection. The error is a reason for people.
    pub(crate) fn sign_in(&mut self, conn: usize) -> Result<(), String> {
        let Some(wanted) = self.settings.auth_method.clone() else {
            return Ok(());
        };
        if self.book.conns[conn].signed_in {
            return Ok(());
        }
        let offered = self.offered_logins(conn);
        if !offered.contains(&wanted) {
            let offered = match offered.as_slice() {
                [] => "it offers none".to_owned(),
                offered => format!("it offers {}", offered.join(", ")),
            };
            return Err(format!(
                "the target offers no way to sign in that is called {wanted}; {offered}"
            ));
        }
        let method = match self.book.conns[conn].version {
            Version::AcpV1 => "authenticate",
            Version::AcpV2 => "auth/login",
        };
        let params = format!(r#"{{"methodId":{}}}"#, json::quote(&wanted));
        let place = self.request(conn, method, Some(&params), None);
        self.await_answer(conn, place)?;
        self.result(conn, place).map(|_| ())
    }

    /// `initialize` was answered with a result.
    pub(crate) fn initialized(&self, conn: usize) -> bool {
        self.introduction(conn).is_some()
    }

    /// The last result of `initialize`.
    fn introduction(&self, conn: usize) -> Option<&str> {
        let places = 0..self.conn(conn).ours.len();
        places
            .rev()
            .filter(|&place| self.conn(conn).ours[place].method == "initialize")
            .find_map(|place| self.result(conn, place).ok())
    }

    /// The ids of the ways to sign in that the target offers on a connection.
    fn offered_logins(&self, conn: usize) -> Vec<String> {
        self.introduction(conn)
            .and_then(|result| serde_json::from_str(result).ok())
            .map(|result| logins(&result, self.conn(conn).version))
            .unwrap_or_default()
    }
}

/// The ids of the ways to sign in that a result of `initialize` offers.
pub(crate) fn logins(result: &Value, version: Version) -> Vec<String> {
    let id = match version {
        Version::AcpV1 => "id",
        Version::AcpV2 => "methodId",
    };
    let methods = result.get("authMethods").and_then(Value::as_array);
    methods
        .into_iter()
        .flatten()
        .filter_map(|method| method.get(id)?.as_str().map(str::to_owned))
        .collect()
}
