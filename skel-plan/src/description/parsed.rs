//! The readers of both forms: from a text to a description, or to all that is wrong with the text.

use std::path::Path;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::text::{Reading, Rejected};

use super::contents::Description;
use super::written::{Origin, Written};
use super::{check, des, toml};

/// The result of reading a text. [`missing_mappings`] says whether it asks for something.
pub type Parsed = Reading<Description>;

/// Reads and checks a `.des` text. Never panics; the cost is about linear in the text.
///
/// # Examples
/// ```
/// use skel_plan::description::parse;
/// let parsed = parse("type = pipeline; nbproc = 1; cp1 = 0; nl1-1 = 10; nbstage = 1; w1 = 1; ds1 = 1; ds2 = fast;");
/// let messages: Vec<&str> = parsed.diagnostics.iter().map(|found| found.message.as_str()).collect();
/// assert_eq!(messages, ["`cp1` is 0", "`fast` is not a number"]);
/// ```
#[must_use]
pub fn parse(text: &str) -> Parsed {
    let (written, diagnostics) = des::read(Origin { text, folder: None });
    checked(&written, diagnostics, text)
}

/// As [`parse`], for a text that is in this folder: the files that it names, as in
/// `w1 = measured("times.csv");`, are read.
///
/// # Examples
/// ```
/// use skel_plan::description::{parse, parse_in};
/// # let folder = std::env::temp_dir().join(format!("skel_plan_parse_in_{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// std::fs::write(folder.join("times.csv"), "decode (ms)\n8\n12\n10\n")?;
/// let text = "type = pipeline; nbproc = 1; cp1 = 1; nl1-1 = 1; nbstage = 1; ds1 = 1; ds2 = 1; w1 = measured(\"times.csv\");";
/// assert!(parse_in(text, &folder).contents.is_some());
/// assert!(parse(text).contents.is_none(), "nothing says in which folder the file is");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub fn parse_in(text: &str, folder: &Path) -> Parsed {
    let (written, diagnostics) = des::read(Origin { text, folder: Some(folder) });
    checked(&written, diagnostics, text)
}

/// Reads and checks a description in TOML. Never panics; the cost is about linear in the text.
///
/// # Examples
/// ```
/// use skel_plan::description::parse_toml;
/// let text = "
///     output = 1
///     processor = [{ power = 10 }, { power = 10, availability = 0.5 }]
///     links = { all = 10, within = 10000 }
///     stage = [{ work = 1, data = 1 }, { work = 1, data = 1 }]
///     mapping = [{ stages = [1, 2] }]";
/// let parsed = parse_toml(text);
/// assert_eq!(parsed.contents.unwrap().mappings()[0].to_string(), "[1, (1,2), 2]");
/// ```
#[must_use]
pub fn parse_toml(text: &str) -> Parsed {
    let (written, diagnostics) = toml::read(Origin { text, folder: None });
    checked(&written, diagnostics, text)
}

/// As [`parse_toml`], for a text that is in this folder; see [`parse_in`].
#[must_use]
pub fn parse_toml_in(text: &str, folder: &Path) -> Parsed {
    let (written, diagnostics) = toml::read(Origin { text, folder: Some(folder) });
    checked(&written, diagnostics, text)
}

fn checked(written: &Written, mut diagnostics: Vec<Diagnostic<TextSpan>>, text: &str) -> Parsed {
    let description = check::check(written, &mut diagnostics);
    Reading::new(description, diagnostics, text)
}

/// A finding if the description has no mappings. Without a search such a description asks for nothing.
///
/// # Examples
/// ```
/// use skel_plan::description::{missing_mappings, parse};
/// let text = "type = pipeline; nbproc = 1; cp1 = 1; nl1-1 = 1; nbstage = 1; w1 = 1; ds1 = 1; ds2 = 1;";
/// let finding = missing_mappings(&parse(text)).unwrap();
/// assert_eq!(finding.message, "there is no mapping to evaluate");
/// ```
#[must_use]
pub fn missing_mappings(parsed: &Parsed) -> Option<Diagnostic<TextSpan>> {
    let description = parsed.contents.as_ref()?;
    let end = parsed.text().trim_end().len();
    let at = TextSpan { start: end, end };
    let finding = Diagnostic::new(Code::NothingAsked, at, "there is no mapping to evaluate");
    let mapping = if description.application.is_pipeline() { "[1, (1,1,2), 2]" } else { "(1,1,2)" };
    let help = format!("name mappings, as `mappings = {mapping};`, or search for one");
    description.mappings.is_empty().then(|| finding.help(help))
}

impl Description {
    /// The description of a `.des` text.
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    pub fn from_text(text: &str) -> Result<Description, Rejected> {
        parse(text).into_contents()
    }

    /// The description of a text in TOML.
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    pub fn from_toml(text: &str) -> Result<Description, Rejected> {
        parse_toml(text).into_contents()
    }
}
