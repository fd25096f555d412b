//! `--partition`: which part of a larger campaign a process is.

use std::env;

/// A part of a larger campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Share {
    /// From 0; none where the environment says it.
    index: Option<u32>,
    /// At least 1.
    of: u32,
}

impl Share {
    /// The variable by which Kubernetes tells the pods of an Indexed Job their numbers.
    const VARIABLE: &'static str = "JOB_COMPLETION_INDEX";

    /// Which one it is of how many; the error says why that is not known.
    pub(crate) fn resolved(self) -> Result<(u32, u32), String> {
        match self.index {
            Some(index) => Ok((index, self.of)),
            None => self.told(env::var(Self::VARIABLE).ok().as_deref()),
        }
    }

    fn told(self, said: Option<&str>) -> Result<(u32, u32), String> {
        let (of, name) = (self.of, Self::VARIABLE);
        let Some(said) = said else {
            return Err(format!("the variable {name} is not set"));
        };
        match said.parse() {
            Ok(index) if index < of => Ok((index, of)),
            Ok(index) => Err(format!(
                "{name} is {index}, and the last of {of} partitions is {}",
                of - 1
            )),
            Err(_) => Err(format!("{name} is no number: {said}")),
        }
    }
}

pub(super) fn share(text: &str) -> Result<Share, String> {
    const USAGE: &str = "write K/N, as 0/4 to 3/4, or auto/4";
    let (index, of) = text.split_once('/').ok_or(USAGE)?;
    let of: u32 = of.parse().map_err(|_| USAGE)?;
    if of == 0 {
        return Err("there is at least one partition".to_owned());
    }
    if index == "auto" {
        return Ok(Share { index: None, of });
    }
    let index: u32 = index.parse().map_err(|_| USAGE)?;
    if index >= of {
        return Err(format!(
            "partitions are counted from 0: the last of {of} is {}/{of}",
            of - 1
        ));
    }
    Ok(Share {
        index: Some(index),
        of,
    })
}

#[cfg(test)]
mod tests {
    use super::{Share, share};

    #[test]
    fn partitions_are_counted_from_0() {
        for (text, read) in [
            ("0/1", Some((Some(0), 1))),
            ("3/4", Some((Some(3), 4))),
            ("auto/4", Some((None, 4))),
            ("4/4", None),
            ("0/0", None),
            ("auto/0", None),
            ("1", None),
            ("-1/4", None),
            ("1/4/2", None),
        ] {
            let share = share(text).ok().map(|share| (share.index, share.of));
            assert_eq!(share, read, "{text}");
        }
    }

    #[test]
    fn a_pod_learns_its_number_from_the_variable() {
        let auto = Share { index: None, of: 4 };
        assert_eq!(auto.told(Some("3")), Ok((3, 4)));
        for (said, why) in [
            (None, "not set"),
            (Some("4"), "the last of 4 partitions is 3"),
            (Some(""), "no number"),
            (Some("one"), "no number: one"),
        ] {
            let error = auto.told(said).expect_err("it says nothing");
            assert!(error.contains(why), "{error}");
        }
    }
}
