//! Messages as a peer writes them: exact texts in, one line without its line feed out.
//!
//! Ids, params, results and data are JSON texts and stand in the line byte for byte, so a peer can
//! send an id of `1e3`, a duplicate key or a number that no value type holds.

use crate::json;

const START: &str = r#"{"jsonrpc":"2.0""#;

/// A request. `method` is the method's name; `params` is left out when there are none.
pub fn write_request(id: &str, method: &str, params: Option<&str>) -> String {
    let mut out = start(id.len() + method.len() + params.map_or(0, str::len));
    member(&mut out, "id", id);
    call(out, method, params)
}

/// A notification. `method` is the method's name; `params` is left out when there are none.
pub fn write_notification(method: &str, params: Option<&str>) -> String {
    let out = start(method.len() + params.map_or(0, str::len));
    call(out, method, params)
}

/// A response that says that it went well.
pub fn write_result(id: &str, result: &str) -> String {
    let mut out = start(id.len() + result.len());
    member(&mut out, "id", id);
    member(&mut out, "result", result);
    out.push('}');
    out
}

/// A response that says that it did not. `message` is plain text; `data` is a JSON text.
pub fn write_error(id: &str, code: i64, message: &str, data: Option<&str>) -> String {
    let mut out = start(id.len() + message.len() + data.map_or(0, str::len));
    member(&mut out, "id", id);
    member(&mut out, "error", "{\"code\":");
    out.push_str(&code.to_string());
    out.push_str(",\"message\":");
    json::push_string(&mut out, message);
    if let Some(data) = data {
        member(&mut out, "data", data);
    }
    out.push_str("}}");
    out
}

fn start(payload: usize) -> String {
    // What the names, quotes and commas of the longest form take.
    const ENVELOPE: usize = 80;
    let mut out = String::with_capacity(payload + ENVELOPE);
    out.push_str(START);
    out
}

fn call(mut out: String, method: &str, params: Option<&str>) -> String {
    out.push_str(",\"method\":");
    json::push_string(&mut out, method);
    if let Some(params) = params {
        member(&mut out, "params", params);
    }
    out.push('}');
    out
}

fn member(out: &mut String, name: &str, text: &str) {
    out.push_str(",\"");
    out.push_str(name);
    out.push_str("\":");
    out.push_str(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_exact() {
        assert_eq!(
            write_request("1e3", "a\"b", Some("{\"x\": 1.0}")),
            r#"{"jsonrpc":"2.0","id":1e3,"method":"a\"b","params":{"x": 1.0}}"#
        );
        assert_eq!(
            write_request("\"0\"", "m", None),
            r#"{"jsonrpc":"2.0","id":"0","method":"m"}"#
        );
        assert_eq!(
            write_notification("n", Some("[1]")),
            r#"{"jsonrpc":"2.0","method":"n","params":[1]}"#
        );
        assert_eq!(
            write_result("null", "{}"),
            r#"{"jsonrpc":"2.0","id":null,"result":{}}"#
        );
        assert_eq!(
            write_error("0", -32601, "no\nsuch", Some("null")),
            r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no\nsuch","data":null}}"#
        );
        assert_eq!(
            write_error("0", 1, "", None),
            r#"{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":""}}"#
        );
    }
}
