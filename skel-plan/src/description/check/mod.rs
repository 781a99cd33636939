//! From what was said to a description, or to everything that is wrong with it.

mod mappings;
mod program;
mod words;

use std::collections::BTreeMap;

use num_traits::One;
use skel_core::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};
use skel_core::model::BuildErrors;
use skel_core::number::{Ratio, display_ratio};
use skel_core::rate::{Rate, RateProblem};

use super::Description;
use super::written::{Form, Said, Written};
use crate::platform::{Links, MOST_PROCESSORS, Platform, Processor};
use crate::quantity::{Availability, Bandwidth, Power};
use words::{Noun, PROCESSOR, listed};

/// The types that a description may have.
const PIPELINE: &str = "pipeline";
const SKELETON: &str = "skeleton";

/// What a quantity must be.
const FINITE: &str = "it must be above 0 and finite";

/// Checks everything; the description is there if nothing was found.
pub(super) fn check(written: &Written, found: &mut Vec<Diagnostic<TextSpan>>) -> Option<Description> {
    let mut checker = Checker { written, found };
    let is_skeleton = checker.is_skeleton();
    let processors = checker.count(written.processors.as_ref(), PROCESSORS);
    let program = if is_skeleton { checker.skeleton() } else { checker.pipeline() };
    checker.processors(processors);
    checker.links(processors);
    let (processors, program) = processors.zip(program)?;
    let mappings = checker.mappings(processors, &program);
    if !found.is_empty() {
        return None;
    }
    let platform =
        placed(platform(written, processors), written.processors.as_ref().map(|said| said.at), found)?;
    let place = match &written.skeleton {
        Some(said) => Some(said.key),
        None => written.stages.as_ref().map(|said| said.at),
    };
    let application = placed(program.application(written), place, found)?;
    Some(Description { platform, application, mappings })
}

/// A list of a known length.
#[derive(Clone, Copy)]
struct Counted {
    key: &'static str,
    noun: Noun,
    most: usize,
}

const PROCESSORS: Counted = Counted { key: "nbproc", noun: PROCESSOR, most: MOST_PROCESSORS };

struct Checker<'w, 'f> {
    written: &'w Written,
    found: &'f mut Vec<Diagnostic<TextSpan>>,
}

impl Checker<'_, '_> {
    fn report(&mut self, code: Code, at: TextSpan, message: String, help: impl Into<String>) {
        self.found.push(Diagnostic::new(code, at, message).help(help));
    }

    /// Whether it describes a skeleton. Where no type says so, it does if it has one, or sizes of moves and no stages.
    fn is_skeleton(&mut self) -> bool {
        let written = self.written;
        let has_sizes = written.common_size.is_some() || !written.pair_sizes.is_empty();
        let has_skeleton = written.skeleton.is_some() || (has_sizes && written.stages.is_none());
        match &written.kind {
            Some(kind) if [PIPELINE, SKELETON].contains(&kind.value.as_str()) => {
                return kind.value == SKELETON;
            }
            Some(kind) => {
                let help = match did_you_mean(&kind.value, [PIPELINE, SKELETON]) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the types are `{PIPELINE}` and, with farms and deals, `{SKELETON}`"),
                };
                let message = format!("there is no type `{}` of descriptions", kind.value);
                self.report(Code::UnknownType, kind.at, message, help);
            }
            None if written.form == Form::Des => {
                let kind = if has_skeleton { SKELETON } else { PIPELINE };
                self.missing("`type`", written.end, format!("write `type = {kind};`"));
            }
            None => {}
        }
        has_skeleton
    }

    fn missing(&mut self, what: &str, at: TextSpan, help: String) {
        if !self.written.is_partial {
            self.report(Code::MissingEntry, at, format!("the description has no {what}"), help);
        }
    }

    /// A count that is within its bounds.
    fn count(&mut self, said: Option<&Said<u64>>, of: Counted) -> Option<u64> {
        let written = self.written;
        let Some(said) = said else {
            match written.form {
                Form::Des => {
                    let help = format!("write how many {} there are: `{} = 3;`, say", of.noun.many, of.key);
                    self.missing(&format!("`{}`", of.key), written.end, help);
                }
                Form::Toml => {
                    let help = format!("write `[[{}]]` for each", of.noun.one);
                    self.missing(of.noun.one, written.end, help);
                }
            }
            return None;
        };
        if said.value == 0 || said.value > of.most as u64 {
            let message = of.noun.there_are(said.value);
            self.report(Code::OutOfRange, said.at, message, format!("there may be from 1 to {}", of.most));
            return None;
        }
        Some(said.value)
    }

    fn processors(&mut self, count: Option<u64>) {
        let written = self.written;
        let at = written.processors.as_ref().map_or(written.end, |said| said.at);
        let name = |number: u64| self.written.form.power(number);
        self.list(&written.powers, count, count, PROCESSOR, at, &name);
        for (number, said) in &written.availabilities {
            let subject = format!("the availability of processor {number}");
            if let Some(part) = self.positive(said, &subject)
                && part > Ratio::one()
            {
                let message = format!("{subject} is {}", display_ratio(&part));
                self.report(Code::OutOfRange, said.at, message, "it is a part of the power, so at most 1");
            }
        }
    }

    /// The entries of a list: none missing, none too many, all positive.
    fn list(
        &mut self,
        list: &BTreeMap<u64, Said<Rate>>,
        entries: Option<u64>,
        count: Option<u64>,
        of: Noun,
        at: TextSpan,
        name: &dyn Fn(u64) -> String,
    ) {
        for (number, said) in list {
            self.positive(said, &name(*number));
            if let (Some(entries), Some(count)) = (entries, count)
                && !(1..=entries).contains(number)
            {
                let message = format!("there is no {} {number} for {}", of.one, name(*number));
                self.report(Code::OutOfRange, said.key, message, of.there_are(count));
            }
        }
        let missing: Vec<String> =
            (1..=entries.unwrap_or(0)).filter(|number| !list.contains_key(number)).map(name).collect();
        if !missing.is_empty() && !self.written.is_partial {
            let (names, verb) = (listed(&missing), if missing.len() == 1 { "is" } else { "are" });
            let has_output = entries > count && missing.last() == entries.map(name).as_ref();
            let output = if has_output { ", and the last value is that of the output" } else { "" };
            let help = format!("{}: give each its value{output}", of.there_are(count.unwrap_or(0)));
            self.report(Code::MissingEntry, at, format!("{names} {verb} missing"), help);
        }
    }

    fn links(&mut self, count: Option<u64>) {
        let written = self.written;
        for (&(from, to), said) in &written.links {
            let name = written.form.link(from, to);
            self.positive(said, &name);
            let Some(count) = count else { continue };
            if let Some(wrong) = [from, to].into_iter().find(|number| !(1..=count).contains(number)) {
                let message = format!("there is no processor {wrong} for {name}");
                self.report(Code::OutOfRange, said.key, message, PROCESSOR.there_are(count));
            }
        }
        let shared = [
            (&written.other_links, "the bandwidth of all links"),
            (&written.within, "the bandwidth within a processor"),
        ];
        for (said, name) in shared {
            said.iter().for_each(|said| {
                self.positive(said, name);
            });
        }
    }

    /// The value, if it is positive and finite.
    fn positive(&mut self, said: &Said<Rate>, subject: &str) -> Option<Ratio> {
        let (problem, help) = match said.value.to_positive() {
            Ok(value) => return Some(value),
            Err(RateProblem::NotPositive(value)) => (format!("is {}", display_ratio(&value)), FINITE),
            Err(RateProblem::TooManyDigits) => (RateProblem::TooManyDigits.to_string(), "write fewer digits"),
            Err(other) => (other.to_string(), FINITE),
        };
        self.report(Code::QuantityNotPositive, said.at, format!("{subject} {problem}"), help);
        None
    }
}

/// What is left to be wrong when each value is right: a product beyond the range of a float, a model that is too large.
fn placed<T>(
    outcome: Result<T, BuildErrors>,
    at: Option<TextSpan>,
    found: &mut Vec<Diagnostic<TextSpan>>,
) -> Option<T> {
    let at = at.unwrap_or(TextSpan::NOWHERE);
    let finding = |errors: BuildErrors| {
        errors
            .0
            .into_iter()
            .map(|error| Diagnostic::new(error.code, at, error.message).help(error.help))
            .collect()
    };
    outcome.map_err(|errors| -> Vec<_> { finding(errors) }).map_err(|all| found.extend(all)).ok()
}

fn platform(written: &Written, count: u64) -> Result<Platform, BuildErrors> {
    let processors = (1..=count).map(|number| {
        let mut processor = Processor::new(Power::per_second(written.powers[&number].value.clone()));
        if let Some(part) = written.availabilities.get(&number) {
            processor = processor.available(Availability::part(part.value.clone()));
        }
        match written.names.get(&number) {
            Some(name) => processor.named(name),
            None => processor,
        }
    });
    let bandwidth = |said: &Said<Rate>| Bandwidth::bytes_per_second(said.value.clone());
    let mut links =
        written.other_links.as_ref().map_or(Links::none(), |said| Links::everywhere(bandwidth(said)));
    if let Some(said) = &written.within {
        links = links.within(bandwidth(said));
    }
    for (&(from, to), said) in &written.links {
        links = links.one_way(from as u32, to as u32, bandwidth(said));
    }
    Platform::new(processors, &links)
}
