//! What a finding says of its place, held to the value that it is about.

use serde_json::Value;

/// The pointer leads to what the finding shows; where nothing stands, to a place in something that is there.
pub fn holds(root: &Value, pointer: &str, got: &str) {
    if pointer.contains('…') {
        // A name too long to be shown leads nowhere.
        return;
    }
    match root.pointer(pointer) {
        // Where null means that nothing stands there.
        Some(Value::Null) if got == "absent" => {}
        Some(found) => {
            let text = found.to_string();
            let shown = got.strip_suffix('…').unwrap_or(got);
            // A cut may have taken away a part of a character.
            assert!(text.starts_with(shown), "{pointer}: {got} of {text}");
        }
        None => {
            assert_eq!(got, "absent", "{pointer} of {root}");
            let (parent, _) = pointer.rsplit_once('/').expect("the root is always there");
            assert!(root.pointer(parent).is_some(), "{pointer} of {root}");
        }
    }
}
