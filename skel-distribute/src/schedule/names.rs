//! The usual names of schedules, with their parameters in brackets.

use std::fmt;
use std::str::FromStr;

use skel_core::diagnostic::did_you_mean;

use super::definition::{LibraryVariant, Schedule};

/// A text that names no schedule: what is wrong with it, and what to write instead.
///
/// # Examples
/// ```
/// use skel_distribute::{Schedule, schedule::UnknownSchedule};
/// let unknown: UnknownSchedule = "FCA2".parse::<Schedule>().unwrap_err();
/// assert_eq!(unknown.to_string(), "there is no schedule `FCA2`; help: did you mean `FAC2`?");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSchedule {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl fmt::Display for UnknownSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; help: {}", self.message, self.help)
    }
}

impl std::error::Error for UnknownSchedule {}

/// Every name, and what stands in the brackets behind it.
const NAMES: [(&str, &str); 14] = [
    ("VRP", ""),
    ("SS", ""),
    ("CSS", "(20)"),
    ("GSS", ""),
    ("TSS", ""),
    ("FAC2", ""),
    ("WF2", ""),
    ("AWF-B", ""),
    ("AWF-C", ""),
    ("VRP-SS", "(10)"),
    ("LLVM-GSS", ""),
    ("LLVM-TSS", ""),
    ("mFAC2", ""),
    ("FAC2-formula", ""),
];

/// The most schedules that one range of parameters may stand for.
const MOST_OF_RANGE: u64 = 1000;

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, parameter) = match *self {
            Schedule::Vrp => ("VRP", None),
            Schedule::SelfScheduling => ("SS", None),
            Schedule::Chunked { items } => ("CSS", Some(items)),
            Schedule::Guided { least } => ("GSS", (least != 1).then_some(least)),
            Schedule::Trapezoid { ends: Some((first, last)) } => return write!(f, "TSS({first}, {last})"),
            Schedule::Trapezoid { ends: None } => ("TSS", None),
            Schedule::Factoring => ("FAC2", None),
            Schedule::WeightedFactoring => ("WF2", None),
            Schedule::AdaptiveBatch => ("AWF-B", None),
            Schedule::AdaptiveChunk => ("AWF-C", None),
            Schedule::VrpSelfScheduling { phases } => ("VRP-SS", Some(phases)),
            Schedule::OfLibrary(LibraryVariant::LlvmGuided { least }) => {
                ("LLVM-GSS", (least != 1).then_some(least))
            }
            Schedule::OfLibrary(LibraryVariant::LlvmTrapezoid) => ("LLVM-TSS", None),
            Schedule::OfLibrary(LibraryVariant::HalvedFactoring) => ("mFAC2", None),
            Schedule::OfLibrary(LibraryVariant::FactoringByFormula) => ("FAC2-formula", None),
        };
        match parameter {
            None => f.write_str(name),
            Some(number) => write!(f, "{name}({number})"),
        }
    }
}

impl FromStr for Schedule {
    type Err = UnknownSchedule;

    /// The schedule of a name as [`Schedule`] prints it, in capital or small letters. The parameters are
    /// read, not [checked](Schedule::check).
    fn from_str(text: &str) -> Result<Schedule, UnknownSchedule> {
        match Schedule::parse_list(text)?.as_slice() {
            [one] => Ok(*one),
            _ => {
                Err(unknown(format!("`{text}` is a range of schedules"), "write one number in the brackets"))
            }
        }
    }
}

impl Schedule {
    /// The schedules of a name whose parameter may be a range, ends included.
    ///
    /// # Errors
    /// If there is no schedule of this name, it takes no such parameter, or the range is empty or has more
    /// than 1000 numbers.
    ///
    /// # Examples
    /// ```
    /// use skel_distribute::Schedule;
    /// let schedules = Schedule::parse_list("VRP-SS(2..4)")?;
    /// let names: Vec<String> = schedules.iter().map(ToString::to_string).collect();
    /// assert_eq!(names, ["VRP-SS(2)", "VRP-SS(3)", "VRP-SS(4)"]);
    /// assert_eq!(Schedule::parse_list("SS")?, [Schedule::SelfScheduling]);
    /// # Ok::<(), skel_distribute::schedule::UnknownSchedule>(())
    /// ```
    pub fn parse_list(text: &str) -> Result<Vec<Schedule>, UnknownSchedule> {
        let (name, parameters) = split(text)?;
        let schedule = |parameters: &[u64]| schedule(&name, parameters);
        match parameters {
            Parameters::Numbers(numbers) => Ok(vec![schedule(&numbers)?]),
            Parameters::Range(first, last) => (first..=last).map(|number| schedule(&[number])).collect(),
        }
    }

    /// The name without parameters.
    ///
    /// # Examples
    /// ```
    /// use skel_distribute::Schedule;
    /// assert_eq!(Schedule::VrpSelfScheduling { phases: 10 }.family(), "VRP-SS");
    /// ```
    #[must_use]
    pub fn family(&self) -> &'static str {
        let name = self.to_string();
        let name = name.split('(').next().unwrap_or_default();
        NAMES.iter().find(|known| known.0 == name).map_or("", |known| known.0)
    }
}

enum Parameters {
    Numbers(Vec<u64>),
    Range(u64, u64),
}

/// The name and what is in the brackets behind it.
fn split(text: &str) -> Result<(String, Parameters), UnknownSchedule> {
    let text = text.trim();
    let Some((name, rest)) = text.split_once('(') else {
        return Ok((text.to_owned(), Parameters::Numbers(Vec::new())));
    };
    let Some(inside) = rest.trim_end().strip_suffix(')') else {
        return Err(unknown(format!("the bracket of `{text}` is not closed"), "write `)` behind the number"));
    };
    let number = |digits: &str| {
        let digits = digits.trim();
        digits.parse().map_err(|_| {
            let message = format!("`{digits}` is no number of `{text}`");
            unknown(message, "write a whole number from 1, or a range as `2..40`")
        })
    };
    let parameters = match inside.split_once("..") {
        Some((first, last)) => range(text, number(first)?, number(last)?)?,
        None => Parameters::Numbers(inside.split(',').map(number).collect::<Result<_, _>>()?),
    };
    Ok((name.trim().to_owned(), parameters))
}

fn range(text: &str, first: u64, last: u64) -> Result<Parameters, UnknownSchedule> {
    if first > last {
        return Err(unknown(format!("the range of `{text}` is empty"), "write the smaller number first"));
    }
    if last - first >= MOST_OF_RANGE {
        let message = format!("the range of `{text}` has more than {MOST_OF_RANGE} numbers");
        return Err(unknown(message, "write a shorter range, or several single numbers"));
    }
    Ok(Parameters::Range(first, last))
}

fn schedule(name: &str, parameters: &[u64]) -> Result<Schedule, UnknownSchedule> {
    let known = NAMES.iter().find(|known| known.0.eq_ignore_ascii_case(name)).map(|known| known.0);
    let schedule = match (known, parameters) {
        (Some("VRP"), []) => Schedule::Vrp,
        (Some("SS"), []) => Schedule::SelfScheduling,
        (Some("CSS"), &[items]) => Schedule::Chunked { items },
        (Some("GSS"), []) => Schedule::Guided { least: 1 },
        (Some("GSS"), &[least]) => Schedule::Guided { least },
        (Some("TSS"), []) => Schedule::Trapezoid { ends: None },
        (Some("TSS"), &[first, last]) => Schedule::Trapezoid { ends: Some((first, last)) },
        (Some("FAC2"), []) => Schedule::Factoring,
        (Some("WF2"), []) => Schedule::WeightedFactoring,
        (Some("AWF-B"), []) => Schedule::AdaptiveBatch,
        (Some("AWF-C"), []) => Schedule::AdaptiveChunk,
        (Some("VRP-SS"), &[phases]) => Schedule::VrpSelfScheduling { phases },
        (Some("LLVM-GSS"), []) => Schedule::OfLibrary(LibraryVariant::LlvmGuided { least: 1 }),
        (Some("LLVM-GSS"), &[least]) => Schedule::OfLibrary(LibraryVariant::LlvmGuided { least }),
        (Some("LLVM-TSS"), []) => Schedule::OfLibrary(LibraryVariant::LlvmTrapezoid),
        (Some("mFAC2"), []) => Schedule::OfLibrary(LibraryVariant::HalvedFactoring),
        (Some("FAC2-formula"), []) => Schedule::OfLibrary(LibraryVariant::FactoringByFormula),
        (Some(known), given) => return Err(wrong_parameters(known, given)),
        (None, _) => return Err(no_such_schedule(name)),
    };
    Ok(schedule)
}

fn wrong_parameters(name: &str, given: &[u64]) -> UnknownSchedule {
    let help = match name {
        "CSS" => "write how many items a chunk has, as `CSS(20)`",
        "GSS" | "LLVM-GSS" => "write the smallest chunk alone, as `GSS(5)`, or leave the brackets out",
        "TSS" => "write the first and the last chunk, as `TSS(83, 2)`, or leave the brackets out",
        "VRP-SS" => "write the number of phases, as `VRP-SS(10)`",
        _ => "leave the brackets out",
    };
    let count = match given.len() {
        0 => "no number".to_owned(),
        1 => "a number".to_owned(),
        more => format!("{more} numbers"),
    };
    unknown(format!("`{name}` cannot be with {count}"), help)
}

fn no_such_schedule(name: &str) -> UnknownSchedule {
    let message = format!("there is no schedule `{name}`");
    match did_you_mean(name, NAMES.iter().map(|known| known.0)) {
        Some(near) => {
            let brackets = NAMES.iter().find(|known| known.0 == near).map_or("", |known| known.1);
            unknown(message, format!("did you mean `{near}{brackets}`?"))
        }
        None => {
            let names: Vec<String> =
                NAMES.iter().map(|(name, brackets)| format!("`{name}{brackets}`")).collect();
            unknown(message, format!("schedules are {}", names.join(", ")))
        }
    }
}

fn unknown(message: String, help: impl Into<String>) -> UnknownSchedule {
    UnknownSchedule { message, help: help.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_as_they_print() {
        let with_parameters = ["CSS(20)", "GSS(5)", "TSS(83, 2)", "VRP-SS(10)", "LLVM-GSS(3)"];
        let plain = NAMES.iter().filter(|known| known.1.is_empty()).map(|known| known.0);
        for name in with_parameters.into_iter().chain(plain) {
            for written in [name.to_owned(), format!(" {} ", name.to_lowercase())] {
                let schedule: Schedule = written.parse().unwrap();
                assert_eq!(schedule.to_string(), name);
                assert_eq!(schedule.family(), name.split('(').next().unwrap());
            }
        }
    }

    #[test]
    fn what_is_no_schedule_says_what_to_write() {
        for (text, message, help) in [
            ("FCA2", "there is no schedule `FCA2`", "did you mean `FAC2`?"),
            ("VRPSS(3)", "there is no schedule `VRPSS`", "did you mean `VRP-SS(10)`?"),
            ("CSS", "`CSS` cannot be with no number", "write how many items a chunk has, as `CSS(20)`"),
            ("SS(3)", "`SS` cannot be with a number", "leave the brackets out"),
            (
                "TSS(3)",
                "`TSS` cannot be with a number",
                "write the first and the last chunk, as `TSS(83, 2)`, or leave the brackets out",
            ),
            ("CSS(3", "the bracket of `CSS(3` is not closed", "write `)` behind the number"),
            (
                "CSS(-3)",
                "`-3` is no number of `CSS(-3)`",
                "write a whole number from 1, or a range as `2..40`",
            ),
            ("CSS(9..2)", "the range of `CSS(9..2)` is empty", "write the smaller number first"),
            ("FAC2(2..3)", "`FAC2` cannot be with a number", "leave the brackets out"),
            (
                "CSS(1..5000)",
                "the range of `CSS(1..5000)` has more than 1000 numbers",
                "write a shorter range, or several single numbers",
            ),
        ] {
            let found = Schedule::parse_list(text).unwrap_err();
            assert_eq!((found.message.as_str(), found.help.as_str()), (message, help));
        }
        let far = Schedule::parse_list("fastest").unwrap_err();
        assert!(far.help.starts_with("schedules are `VRP`, `SS`, `CSS(20)`"), "{far}");
        assert!("VRP-SS(2..4)".parse::<Schedule>().unwrap_err().message.contains("is a range"));
    }
}
