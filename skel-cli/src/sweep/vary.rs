//! `--vary NAME=VALUES`: what varies, and which values it takes.

use skel::model::BuildError;
use skel::sweep::Values;

use crate::errors::Problem;
use crate::quantity::values::{LOGARITHMIC, parse_values, unreadable};

/// One `--vary`, read.
pub(super) struct Vary {
    /// As it was written.
    written: String,
    /// The name in front of the `=`, without quotes.
    pub(super) name: String,
    pub(super) values: Values,
    /// Whether the values are those of a logarithmic range.
    pub(super) is_logarithmic: bool,
}

/// Reads one `--vary`.
pub(super) fn read(written: &str) -> Result<Vary, Box<Problem>> {
    let wrong = |error: &BuildError| Box::new(problem(written, error));
    let Some((name, values)) = written.rsplit_once('=') else {
        return Err(wrong(&unreadable(
            "the values are missing",
            "write NAME=VALUES, as in mu=1:10:1 or mu=1,2,4",
        )));
    };
    let name = name.trim().trim_matches('"').to_owned();
    if name.is_empty() {
        return Err(wrong(&unreadable(
            "the name is missing before `=`",
            "write NAME=VALUES, as in mu=1:10:1",
        )));
    }
    let is_logarithmic = values.trim().starts_with(LOGARITHMIC);
    match parse_values(values) {
        Ok(values) => Ok(Vary { written: written.to_owned(), name, values, is_logarithmic }),
        Err(error) => Err(wrong(&error)),
    }
}

impl Vary {
    /// The same under another name.
    pub(super) fn renamed(self, name: String) -> Vary {
        Vary { name, ..self }
    }

    /// What is wrong with it.
    pub(super) fn problem(&self, error: &BuildError) -> Problem {
        problem(&self.written, error)
    }
}

fn problem(written: &str, error: &BuildError) -> Problem {
    let message = format!("`--vary {written}`: {}", error.message);
    Problem::error(error.code.word(), message).help(error.help.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_before_the_last_equals_sign() {
        let read = read("\"a=b\" = 1:2").ok().unwrap();
        assert_eq!((read.name.as_str(), read.is_logarithmic), ("a=b", false));
    }
}
