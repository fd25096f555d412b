//! Reads text files that operators name.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
};

/// The text of a file of at most so many bytes. What is no file, is longer, or is not UTF-8 is an error.
pub(crate) fn text(path: &Path, longest: u64) -> io::Result<String> {
    // A pipe would be waited for when it is opened.
    let about = fs::metadata(path)?;
    if !about.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut text = String::new();
    if about.len() <= longest {
        // It may grow meanwhile.
        File::open(path)?
            .take(longest + 1)
            .read_to_string(&mut text)?;
    }
    if about.len().max(text.len() as u64) > longest {
        return Err(io::Error::other(format!(
            "it has more than {longest} bytes"
        )));
    }
    Ok(text)
}
