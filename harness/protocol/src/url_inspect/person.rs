//! What tells of a person: addresses, numbers, names.

use super::shapes::{digits, is_placeholder};

/// A telephone number: 7 to 15 digits, perhaps grouped, perhaps after a plus sign.
pub(super) fn is_phone(value: &str) -> bool {
    // In a query, a plus sign that was not encoded is a space.
    let number = value.trim_start().trim_start_matches('+');
    digits(number, &[' ', '-', '.', '/', '(', ')'])
        .is_some_and(|digits| (7..=15).contains(&digits.len()))
}

/// A date, or the digits of an identity number.
pub(super) fn is_date_or_number(value: &str) -> bool {
    digits(value, &['-', '/', '.', ' ']).is_some_and(|digits| (6..=12).contains(&digits.len()))
}

/// A name as people have one.
pub(super) fn is_person(value: &str) -> bool {
    let name = |character: char| character.is_alphabetic() || " -.'’".contains(character);
    (2..=100).contains(&value.len()) && value.chars().all(name) && !is_placeholder(value)
}

/// The first e-mail address of a person in a text.
pub(super) fn email(text: &str) -> Option<&str> {
    text.match_indices('@')
        .find_map(|(at, _)| email_at(text, at))
}

/// The longest local part and the longest domain that mail knows.
const LOCAL_PART: usize = 64;
const DOMAIN: usize = 255;

fn email_at(text: &str, at: usize) -> Option<&str> {
    let is_local = |byte: u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte);
    let is_domain = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
    let (before, after) = (&text.as_bytes()[..at], &text.as_bytes()[at + 1..]);
    let local = before
        .iter()
        .rev()
        .take(LOCAL_PART + 1)
        .take_while(|byte| is_local(**byte))
        .count();
    let length = after
        .iter()
        .take(DOMAIN + 1)
        .take_while(|byte| is_domain(**byte))
        .count();
    if !(1..=LOCAL_PART).contains(&local) || length > DOMAIN {
        return None;
    }
    let domain = text[at + 1..at + 1 + length].trim_end_matches(['.', '-']);
    let user = &text[at - local..at];
    let around = (&text[..at - local], &text[at + 1 + domain.len()..]);
    let found = is_mail_domain(domain)
        && user.bytes().any(|byte| byte.is_ascii_alphanumeric())
        && !is_role(user)
        && !is_service(domain)
        && !is_address_of_something_else(around.0, around.1);
    found.then(|| &text[at - local..at + 1 + domain.len()])
}

fn is_mail_domain(domain: &str) -> bool {
    /// What file names end in; some of these are top-level domains, but names of packages are commoner.
    const FILES: [&str; 14] = [
        "js", "mjs", "cjs", "ts", "css", "map", "json", "html", "md", "png", "svg", "wasm", "tgz",
        "zip",
    ];
    let Some((rest, top)) = domain.rsplit_once('.') else {
        return false;
    };
    top.len() >= 2
        && top.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !FILES.contains(&top.to_ascii_lowercase().as_str())
        && rest.split('.').all(|label| !label.is_empty())
}

/// An address of an office, not of a person.
fn is_role(user: &str) -> bool {
    const ROLES: [&str; 16] = [
        "git",
        "hg",
        "svn",
        "noreply",
        "no-reply",
        "support",
        "info",
        "admin",
        "help",
        "sales",
        "contact",
        "hello",
        "security",
        "team",
        "billing",
        "postmaster",
    ];
    ROLES.iter().any(|role| user.eq_ignore_ascii_case(role))
}

/// An account of a program.
fn is_service(domain: &str) -> bool {
    domain.to_ascii_lowercase().ends_with("gserviceaccount.com")
}

/// User and host of a URL, of a remote shell or of a social network: what stands before and after tells.
fn is_address_of_something_else(before: &str, after: &str) -> bool {
    let path = after.strip_prefix(':').is_some_and(|path| {
        path.starts_with(|first: char| first.is_alphabetic() || "~/".contains(first))
    });
    let mail = before
        .len()
        .checked_sub("mailto:".len())
        .and_then(|start| before.get(start..))
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("mailto:"));
    path || before.ends_with(['/', '@', ':']) && !mail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_people_are_told_from_other_uses_of_the_sign() {
        for (text, found) in [
            ("ada@example.org", "ada@example.org"),
            ("to:<ada.l+x@mail.example.org>.", "ada.l+x@mail.example.org"),
            ("mailto:ada@example.org?subject=x", "ada@example.org"),
            ("a@b, ada@example.org", "ada@example.org"),
            ("ada@example.org.", "ada@example.org"),
        ] {
            assert_eq!(email(text), Some(found), "{text}");
        }
        for text in [
            "",
            "@",
            "@example.org",
            "ada@localhost",
            "vue@3.2.1",
            "react@next.min.js",
            "@scope/pkg@1.0.0",
            "git@github.com:owner/repo.git",
            "ada@build.example.org:src/main.rs",
            "https://ada@example.org/",
            "https://ada:pass@example.org/",
            "@ada@social.example",
            "support@example.org",
            "robot@project.iam.gserviceaccount.com",
            "ada@.org",
            "..@example.org",
        ] {
            assert_eq!(email(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_and_names_are_told_from_other_values() {
        assert!(is_phone("+49 (170) 123-4567"));
        assert!(is_phone(" 491701234567"));
        assert!(!is_phone("true"));
        assert!(!is_phone("123456"));
        assert!(is_date_or_number("1815-12-10"));
        assert!(!is_date_or_number("10"));
        assert!(is_person("Ada K. O'Neill-Lovelace"));
        assert!(!is_person("{first_name}"));
        assert!(!is_person("true"));
        assert!(!is_person("2"));
    }
}
