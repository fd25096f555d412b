//! Which JSON numbers are integers: the texts agree on `3`, reject `1.5`, and disagree on `3.0`.

use std::ops::RangeInclusive;

use serde_json::Value;

/// The range of `minLength` and `maxLength`.
pub(crate) const UINT32: RangeInclusive<i128> = 0..=u32::MAX as i128;
/// The range of `minItems` and `maxItems`.
pub(crate) const UINT64: RangeInclusive<i128> = 0..=u64::MAX as i128;
/// The range of integers in forms and answers, and of numeric request ids.
pub(crate) const INT64: RangeInclusive<i128> = i64::MIN as i128..=i64::MAX as i128;

/// What a value is where an integer of some range is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Integer {
    /// An integer of the range, written as one.
    Plain(i128),
    /// An integer in value, but written with a fraction or exponent (JSON Schema takes it, typed readers
    /// don't), or beyond what the `format` of the published types holds.
    Odd(i128),
    /// No integer, or negative where that is forbidden.
    No,
}

/// Reads an integer that should lie in `range`.
pub(crate) fn integer(value: &Value, range: &RangeInclusive<i128>) -> Integer {
    let Value::Number(number) = value else {
        return Integer::No;
    };
    let plain = number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from));
    let (integer, plain) = match (plain, number.as_f64()) {
        (Some(integer), _) => (integer, true),
        (None, Some(float)) if float.fract() == 0.0 => (whole(float), false),
        _ => return Integer::No,
    };
    if integer < 0 && *range.start() == 0 {
        Integer::No
    } else if plain && range.contains(&integer) {
        Integer::Plain(integer)
    } else {
        Integer::Odd(integer)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "there is no fraction, and saturation beyond 128 bits leaves every range that is asked for"
)]
fn whole(float: f64) -> i128 {
    float as i128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_told_by_how_they_are_written_and_by_their_range() {
        use Integer::{No, Odd, Plain};
        let table = [
            ("0", Plain(0), Plain(0)),
            ("-0", Odd(0), Odd(0)),
            ("3", Plain(3), Plain(3)),
            ("3.0", Odd(3), Odd(3)),
            ("1e2", Odd(100), Odd(100)),
            ("1.5", No, No),
            ("1e-1", No, No),
            ("-1", No, Plain(-1)),
            ("-1.0", No, Odd(-1)),
            ("4294967295", Plain(4_294_967_295), Plain(4_294_967_295)),
            ("4294967296", Odd(4_294_967_296), Plain(4_294_967_296)),
            (
                "9223372036854775807",
                Odd(i128::from(i64::MAX)),
                Plain(i128::from(i64::MAX)),
            ),
            ("9223372036854775808", Odd(1 << 63), Odd(1 << 63)),
            ("18446744073709551616", Odd(1 << 64), Odd(1 << 64)),
            ("1e300", Odd(i128::MAX), Odd(i128::MAX)),
            ("\"3\"", No, No),
            ("true", No, No),
            ("null", No, No),
            ("[3]", No, No),
        ];
        for (text, as_length, as_int64) in table {
            let value: Value = serde_json::from_str(text).unwrap(); // the table holds JSON
            assert_eq!(integer(&value, &UINT32), as_length, "{text}");
            assert_eq!(integer(&value, &INT64), as_int64, "{text}");
        }
    }
}
