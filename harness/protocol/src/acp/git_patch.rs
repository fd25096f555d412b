//! The text of a patch in Git's `--patch` format: which files its sections name, and what stands around them. Only as
//! much of it is read as the protocol says something about; what a hunk changes is not looked into.

use std::collections::BTreeSet;

/// What stands in the text of a patch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GitPatch {
    /// How many `diff --git` sections it has.
    pub sections: u32,
    /// The first line that belongs to a mail or a commit, not to a patch.
    pub envelope: Option<String>,
    /// The files that it names, unquoted, each once, in the order named. `/dev/null`, which stands for no file, is left out.
    pub paths: Vec<String>,
}

/// Where in a patch a line stands.
enum Place {
    /// Before the first section.
    Before,
    /// In a section, before its first hunk. Only there files are named.
    Head,
    /// In a section, in or behind a hunk that has so many lines of either side to come.
    Hunk { old: u64, new: u64 },
    /// In the data of a binary file, which no line of a text can be told from.
    Binary,
}

/// What a line of a section names a file behind.
const NAMES: [&str; 6] = [
    "--- ",
    "+++ ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
];

impl GitPatch {
    /// Reads a patch; any text can be read.
    pub fn read(text: &str) -> Self {
        let mut patch = Self::default();
        let mut place = Place::Before;
        for line in text.split('\n') {
            place = patch.line(line, place);
        }
        let mut seen = BTreeSet::new();
        patch.paths.retain(|path| seen.insert(path.clone()));
        patch
    }

    fn line(&mut self, line: &str, place: Place) -> Place {
        if let Place::Hunk { old, new } = place
            && (old > 0 || new > 0)
            && let Some(place) = within(line, old, new)
        {
            return place;
        }
        let line = line.trim_end_matches('\r');
        if let Some(files) = line.strip_prefix("diff --git ") {
            self.sections += 1;
            self.two_files(files);
            return Place::Head;
        }
        if self.envelope.is_none() && is_envelope(line, matches!(place, Place::Before)) {
            self.envelope = Some(line.to_owned());
        }
        match place {
            Place::Before | Place::Binary => place,
            Place::Hunk { .. } => hunk(line).unwrap_or(Place::Hunk { old: 0, new: 0 }),
            Place::Head => {
                if let Some(name) = NAMES.iter().find_map(|words| line.strip_prefix(words)) {
                    self.file(name);
                }
                match line {
                    "GIT binary patch" => Place::Binary,
                    line => hunk(line).unwrap_or(Place::Head),
                }
            }
        }
    }

    /// The files of a `diff --git` line. Where a space may belong to a name, only what is certain is read.
    fn two_files(&mut self, files: &str) {
        let quoted = files.starts_with('"').then(|| quoted_end(files)).flatten();
        let (first, second) = match quoted {
            Some(end) => files.split_at(end),
            None => match files.split_once(' ') {
                Some((first, second)) if !second.contains(' ') => (first, second),
                _ => {
                    let half = files.len() / 2;
                    match (files.get(..half), files.get(half + 1..)) {
                        (Some(first), Some(second)) if first == second => (first, second),
                        // Wherever the first name ends, this is how it begins.
                        _ => (files.split(' ').next().unwrap_or_default(), ""),
                    }
                }
            },
        };
        let absolute = first.starts_with(['/', '\\']) || first.as_bytes().get(1) == Some(&b':');
        if !(second.is_empty() && absolute) {
            self.file(first);
            self.file(second.trim_start());
        }
    }

    fn file(&mut self, name: &str) {
        let path = if name.starts_with('"') {
            unquoted(name)
        } else {
            // Git ends a name that has spaces with a tab.
            name.split('\t').next().unwrap_or_default().to_owned()
        };
        if !path.is_empty() && path != "/dev/null" {
            self.paths.push(path);
        }
    }
}

/// What a line of a hunk leaves of it; none if it cannot be one.
fn within(line: &str, old: u64, new: u64) -> Option<Place> {
    let (old, new) = match line.as_bytes().first() {
        Some(b'-') => (old.saturating_sub(1), new),
        Some(b'+') => (old, new.saturating_sub(1)),
        // Some editors strip the space of an empty line.
        None | Some(b' ' | b'\r') => (old.saturating_sub(1), new.saturating_sub(1)),
        Some(b'\\') => (old, new),
        Some(_) => return None,
    };
    Some(Place::Hunk { old, new })
}

/// `@@ -1,2 +3 @@`: how many lines of either side follow.
fn hunk(line: &str) -> Option<Place> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    };
    Some(Place::Hunk {
        old: count(old)?,
        new: count(new)?,
    })
}

/// A line that a mail or a commit has around a patch. Behind the first section only that one counts which Git writes
/// between two mails.
fn is_envelope(line: &str, before: bool) -> bool {
    let is_commit = |text: &str| {
        let digits = text.bytes().take_while(u8::is_ascii_hexdigit).count();
        digits >= 7 && text[digits..].trim_start().is_empty()
    };
    let mail = line.strip_prefix("From ").is_some_and(|rest| {
        let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        digits >= 40 && rest[digits..].starts_with(' ')
    });
    let header = ["From: ", "Subject: ", "Author: "]
        .iter()
        .any(|header| line.starts_with(header));
    mail || before && (header || line.strip_prefix("commit ").is_some_and(is_commit))
}

/// Behind which byte the quoted text at the beginning ends.
fn quoted_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// A name without the quotes and escapes that Git gives it.
fn unquoted(name: &str) -> String {
    let mut bytes = name.bytes().skip(1).peekable();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => break,
            b'\\' => match bytes.next() {
                Some(digit @ b'0'..=b'7') => {
                    let mut value = u32::from(digit - b'0');
                    for _ in 0..2 {
                        if let Some(digit) = bytes.next_if(|byte| matches!(byte, b'0'..=b'7')) {
                            value = value * 8 + u32::from(digit - b'0');
                        }
                    }
                    out.push(u8::try_from(value).unwrap_or(b'?'));
                }
                Some(letter) => out.push(match letter {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    other => other,
                }),
                None => {}
            },
            byte => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        GitPatch::read(text).paths
    }

    #[test]
    fn a_change_an_addition_and_a_move_name_their_files() {
        let text = "diff --git /w/a.txt /w/a.txt\nindex 1..2 100644\n--- /w/a.txt\n+++ /w/a.txt\n@@ -1,2 +1,3 @@\n one\n--- two\n+++ three\n+four\n\
            diff --git /w/b c /w/b c\nnew file mode 100644\n--- /dev/null\n+++ /w/b c\t\n@@ -0,0 +1 @@\n+x\n\
            diff --git /w/d /w/e\nsimilarity index 100%\nrename from /w/d\nrename to /w/e\n";
        let patch = GitPatch::read(text);
        assert_eq!(patch.sections, 3);
        assert_eq!(patch.envelope, None);
        assert_eq!(patch.paths, ["/w/a.txt", "/w/b c", "/w/d", "/w/e"]);
    }

    #[test]
    fn names_are_unquoted_as_git_quotes_them() {
        for (name, path) in [
            (r#""/w/\303\244 \"x\".txt""#, "/w/ä \"x\".txt"),
            (r#""C:\\w\\a\tb""#, "C:\\w\\a\tb"),
            (r"C:\w\a", "C:\\w\\a"),
        ] {
            assert_eq!(
                paths(&format!("diff --git {name} {name}\n")),
                [path],
                "{name}"
            );
        }
    }

    #[test]
    fn prefixes_are_seen_and_names_with_spaces_are_not_torn() {
        assert_eq!(paths("diff --git a/x y/z b/x y/z\n"), ["a/x"]);
        assert_eq!(paths("diff --git /a b /c d e\n"), [""; 0]);
        assert_eq!(paths("diff --git /a /b\n"), ["/a", "/b"]);
    }

    #[test]
    fn mails_and_commits_are_told_from_what_a_hunk_holds() {
        let sha = "0123456789012345678901234567890123456789";
        for (text, envelope) in [
            (
                format!("From {sha} Mon Sep 17 00:00:00 2001\nSubject: x\ndiff --git /a /a\n"),
                true,
            ),
            (
                format!("commit {sha}\nAuthor: x\n\ndiff --git /a /a\n"),
                true,
            ),
            (
                "diff --git /a /a\n--- /a\n+++ /a\n@@ -1 +1 @@\n-From: x\n+Subject: y\n".to_owned(),
                false,
            ),
            (
                format!("diff --git /a /a\n--- /a\n+++ /a\n@@ -1 +1 @@\n-x\n+y\nFrom {sha} Mon\n"),
                true,
            ),
            ("commit to it\ndiff --git /a /a\n".to_owned(), false),
        ] {
            assert_eq!(GitPatch::read(&text).envelope.is_some(), envelope, "{text}");
        }
    }

    #[test]
    fn a_hunk_that_is_longer_than_it_says_names_no_file() {
        let text = "diff --git /a /a\n--- /a\n+++ /a\n@@ -1 +1 @@\n-x\n+y\n--- b\n+++ c\n";
        assert_eq!(paths(text), ["/a"]);
    }

    #[test]
    fn any_text_can_be_read() {
        for text in [
            "",
            "\"",
            "diff --git ",
            "diff --git \"",
            "@@ -1 +1 @@",
            "diff --git \"\\",
            "diff --git ä ö",
        ] {
            GitPatch::read(text);
        }
        assert_eq!(GitPatch::read("--- /a\n+++ /a\n").sections, 0);
    }
}
