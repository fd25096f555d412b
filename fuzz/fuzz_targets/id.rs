//! Two texts as ids: the exact text is kept, and they mean the same exactly if a reader with room for all digits says so.
//!
//! The two stand on two lines; the same bytes also decide two spellings of one number.

#![no_main]

use arbitrary::{Result, Unstructured};
use elenchus_wire::{Class, Id, IdKey, Message, Parsed, mend_surrogates, message};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let (one, other) = text.split_once('\n').unwrap_or((text, text));
        compare(one, other);
        carried(one);
    }
    if let Ok((one, other)) = spellings(&mut Unstructured::new(bytes)) {
        assert_eq!(key(&one), key(&other), "{one} {other}");
        carried(&one);
    }
});

fn key(text: &str) -> IdKey {
    Id(text.into()).key()
}

fn compare(one: &str, other: &str) {
    assert_eq!(Id(one.into()).text(), one);
    let meant = (meaning(one), meaning(other));
    if let (Some(one_means), Some(other_means)) = &meant {
        assert_eq!(
            key(one) == key(other),
            one_means == other_means,
            "{one} {other}"
        );
    }
}

/// What another reader makes of an id. Numbers are written out in full.
#[derive(Debug, PartialEq)]
enum Meaning {
    Null,
    Text(String),
    Number(bool, String, String),
    NoId(String),
}

/// `None` for what the other reader cannot hold.
fn meaning(text: &str) -> Option<Meaning> {
    if text.trim() != text {
        return Some(Meaning::NoId(text.to_owned()));
    }
    let no_id = || Meaning::NoId(text.to_owned());
    if let Some(number) = text
        .strip_prefix('-')
        .or(Some(text))
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        // Range and syntax are the other reader's; digits and point are counted here.
        let valid = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        return if valid {
            written_out(text.starts_with('-'), number)
        } else {
            Some(no_id())
        };
    }
    Some(match serde_json::from_str(text) {
        Ok(Value::Null) => Meaning::Null,
        Ok(Value::String(content)) => Meaning::Text(content),
        Err(_) if mend_surrogates(text) != text => return None,
        _ => no_id(),
    })
}

/// The digits before and behind the point, without zeros that say nothing.
fn written_out(negative: bool, number: &str) -> Option<Meaning> {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let exponent: i32 = exponent
        .parse()
        .ok()
        .filter(|exponent: &i32| exponent.abs() < 5_000)?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let zeros = "0".repeat(5_000);
    let digits = format!("{zeros}{whole}{fraction}{zeros}");
    let point = usize::try_from(5_000 + i32::try_from(whole.len()).ok()? + exponent).ok()?;
    let (whole, fraction) = digits.split_at_checked(point)?;
    let whole = whole.trim_start_matches('0').to_owned();
    let fraction = fraction.trim_end_matches('0').to_owned();
    let zero = whole.is_empty() && fraction.is_empty();
    Some(Meaning::Number(negative && !zero, whole, fraction))
}

/// A message keeps the text of an id, and tells one from none.
fn carried(id: &str) {
    if id.contains(['\n', '\r']) || serde_json::from_str::<Value>(&mend_surrogates(id)).is_err() {
        return;
    }
    let line = message::write_request(id, "m", None);
    let Parsed::Message(found) = Message::parse(&line) else {
        panic!("{line} is a message");
    };
    assert_eq!((found.class, found.id), (Class::Request, Some(id.trim())));
    let without = message::write_notification("m", None);
    let Parsed::Message(found) = Message::parse(&without) else {
        panic!("{without} is a message");
    };
    assert_eq!((found.class, found.id), (Class::Notification, None));
}

/// Two spellings of one number: the point is moved, and zeros are added.
fn spellings(u: &mut Unstructured<'_>) -> Result<(String, String)> {
    let count = u.int_in_range(1..=20)?;
    let digits: Result<String> = (0..count)
        .map(|_| Ok(char::from(b'0' + u.int_in_range(0..=9)?)))
        .collect();
    let digits = digits?;
    let sign = if u.arbitrary()? { "-" } else { "" };
    let power = u.int_in_range(-60..=60)?;
    let mut spell = || {
        let point = u.choose_index(digits.len())? + 1;
        let (whole, fraction) = digits.split_at(point);
        let whole = whole.trim_start_matches('0');
        let whole = if whole.is_empty() { "0" } else { whole };
        let zeros = "0".repeat(u.int_in_range(0..=3)?);
        let fraction = format!("{fraction}{zeros}");
        let dot = if fraction.is_empty() { "" } else { "." };
        let moved = power + i32::try_from(digits.len() - point).expect("few digits");
        let e = *u.choose(&["e", "E"])?;
        let exponent = match (moved, u.arbitrary()?) {
            (0, true) => String::new(),
            (0.., true) => format!("{e}+{moved}"),
            _ => format!("{e}{moved}"),
        };
        Ok(format!("{sign}{whole}{dot}{fraction}{exponent}"))
    };
    Ok((spell()?, spell()?))
}
