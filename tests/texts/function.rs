//! What holds of any text, read as a function of one size or of a size and a number of processes: a function
//! or an error with its place; what is read can be written and read again.

use skel_fit::{Function, FunctionError};

/// Holds for a text.
pub(crate) fn is_lawful(text: &str) {
    judge(text.parse::<Function>(), text, str::parse);
    judge(Function::read(text, ["n", "p"]), text, |written| Function::read(written, ["n", "p"]));
}

fn judge<const VARIABLES: usize>(
    read: Result<Function<VARIABLES>, FunctionError>,
    text: &str,
    again: impl Fn(&str) -> Result<Function<VARIABLES>, FunctionError>,
) {
    match read {
        Ok(function) => {
            let written = function.to_string();
            let again = again(&written).unwrap_or_else(|error| panic!("{error}\n{written}\n{text:?}"));
            assert!(again.terms().eq(function.terms()), "{written}\n{text:?}");
            // No size makes it panic, though a value may be infinite.
            let _ = [1e-300, 0.5, 1.0, 1e6, 1e300].map(|size| function.at_point([size; VARIABLES]));
        }
        Err(error) => {
            assert!(error.at <= text.chars().count(), "{error} of {text:?}");
            assert!(!error.message.is_empty() && !error.help.is_empty(), "{error} of {text:?}");
        }
    }
}
