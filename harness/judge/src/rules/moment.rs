//! Points in time as texts: RFC 3339 read exactly, ISO 8601 told from what is none.

/// A point in time, as seconds since some day and a fraction of one, which compare.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Instant {
    seconds: i64,
    fraction: String,
}

impl Instant {
    /// Reads `2026-08-22T10:00:00.5+02:00` as RFC 3339 has it: `t`, `z` and a space are allowed, a leap second too.
    pub(super) fn read(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if !text.is_ascii() || bytes.len() < 20 {
            return None;
        }
        let separators = [(4, "-"), (7, "-"), (10, "Tt "), (13, ":"), (16, ":")];
        if !separators
            .iter()
            .all(|(at, allowed)| allowed.as_bytes().contains(&bytes[*at]))
        {
            return None;
        }
        let number = |from: usize, to: usize, most: i64| {
            let digits = text.get(from..to)?;
            let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
            let value: i64 = digits.parse().ok()?;
            (all_digits && value <= most).then_some(value)
        };
        let (year, month, day) = (number(0, 4, 9999)?, number(5, 7, 12)?, number(8, 10, 31)?);
        let (hour, minute, second) = (
            number(11, 13, 23)?,
            number(14, 16, 59)?,
            number(17, 19, 60)?,
        );
        if month == 0 || day == 0 || day > days_of(year, month) {
            return None;
        }
        let rest = &text[19..];
        let (fraction, zone) = match rest.strip_prefix('.') {
            None => ("", rest),
            Some(rest) => {
                let end = rest.find(|c: char| !c.is_ascii_digit())?;
                if end == 0 {
                    return None;
                }
                rest.split_at(end)
            }
        };
        let offset = match zone.as_bytes() {
            [b'Z' | b'z'] => 0,
            [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
                let at = text.len() - 5;
                let minutes = number(at, at + 2, 23)? * 60 + number(at + 3, at + 5, 59)?;
                if *sign == b'+' { minutes } else { -minutes }
            }
            _ => return None,
        };
        let seconds =
            ((days_before(year, month) + day) * 24 + hour) * 3600 + (minute - offset) * 60 + second;
        // Digits compare like the number if nothing stands behind them that counts for nothing.
        let fraction = fraction.trim_end_matches('0').to_owned();
        Some(Self { seconds, fraction })
    }
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days before a month, counted from the year 0.
fn days_before(year: i64, month: i64) -> i64 {
    let past = year - 1;
    let leap_days = past.div_euclid(4) - past.div_euclid(100) + past.div_euclid(400);
    let of_year: i64 = (1..month).map(|month| days_of(year, month)).sum();
    year * 365 + leap_days + of_year
}

/// Some reader of ISO 8601 may take it: a calendar, week or ordinal date of any precision, with or without a time.
/// Counts of seconds since an epoch, and dates as people write them, none does.
pub(super) fn any_iso(text: &str) -> bool {
    let unsigned = text.trim_start_matches(['+', '-', '\u{2212}']);
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &unsigned[digits..];
    if rest.is_empty() {
        // A year, an ordinal date, a date.
        return matches!(digits, 4 | 7 | 8);
    }
    digits >= 4 && rest.starts_with(['-', 'W', 'T', 't', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_rfc_3339_has_them() {
        for text in [
            "2026-08-22T10:00:00Z",
            "2026-08-22t10:00:00z",
            "2026-08-22 10:00:00.123456789+05:30",
            "2024-02-29T23:59:60-00:00",
        ] {
            assert!(Instant::read(text).is_some(), "{text}");
        }
        for text in [
            "",
            "2026-08-22",
            "2026-08-22T10:00:00",
            "2026-08-22T10:00:00+0530",
            "2026-08-22T10:00:00.Z",
            "2026-02-29T10:00:00Z",
            "2026-13-01T10:00:00Z",
            "2026-08-22T24:00:00Z",
            "+026-08-22T10:00:00Z",
            "1724320800000",
            "2026-08-22T10:00:00Zé",
            "2026-08-22T10:00:00.12",
        ] {
            assert!(Instant::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn times_compare_across_zones() {
        let at = |text| Instant::read(text).unwrap();
        assert_eq!(
            at("2026-08-22T10:00:00Z"),
            at("2026-08-22T12:00:00.000+02:00")
        );
        assert!(at("2026-08-22T10:00:00.2Z") > at("2026-08-22T10:00:00.19Z"));
        assert!(at("2026-03-01T00:00:00Z") > at("2026-02-28T23:59:59Z"));
        assert!(at("2027-01-01T00:00:00Z") > at("2026-12-31T23:59:59Z"));
        assert_eq!(at("2024-03-01T00:30:00+01:00"), at("2024-02-29T23:30:00Z"));
    }

    #[test]
    fn what_no_reader_of_iso_8601_takes() {
        for text in [
            "2026-08-22",
            "20260822T100000",
            "2026-W34-6",
            "2026-234",
            "2026",
            "2026-08-22T10:00:00",
        ] {
            assert!(any_iso(text), "{text}");
        }
        for text in [
            "1724320800",
            "1724320800000",
            "yesterday",
            "Sat, 22 Aug 2026",
            "",
            "22.08.2026",
        ] {
            assert!(!any_iso(text), "{text}");
        }
    }
}
