//! From what was said to a description, or to everything that is wrong with it.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::One;
use skel_core::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};
use skel_core::model::BuildErrors;
use skel_core::number::{Ratio, display_ratio};
use skel_core::rate::{Rate, RateProblem};

use super::Description;
use super::written::{Form, Said, Written, WrittenMapping};
use crate::application::{Application, MOST_STAGES, Stage};
use crate::mapping::Mapping;
use crate::platform::{Links, MOST_PROCESSORS, Platform, Processor, ProcessorId};
use crate::quantity::{Availability, Bandwidth, Data, Power, Work};

/// The type that a description may have.
const PIPELINE: &str = "pipeline";

/// What a quantity must be.
const FINITE: &str = "it must be above 0 and finite";

/// Checks everything; the description is there if nothing was found.
pub(super) fn check(written: &Written, found: &mut Vec<Diagnostic<TextSpan>>) -> Option<Description> {
    let mut checker = Checker { written, found };
    checker.kind();
    let processors = checker.count(written.processors.as_ref(), PROCESSORS);
    let stages = checker.count(written.stages.as_ref(), STAGES);
    checker.processors(processors);
    checker.links(processors);
    checker.stages(stages);
    let (processors, stages) = processors.zip(stages)?;
    let mappings = checker.mappings(processors, stages);
    if !found.is_empty() {
        return None;
    }
    let platform = placed(platform(written, processors), written.processors.as_ref(), found)?;
    let application = placed(application(written, stages), written.stages.as_ref(), found)?;
    Some(Description { platform, application, mappings })
}

/// A list of a known length.
#[derive(Clone, Copy)]
struct Counted {
    key: &'static str,
    one: &'static str,
    many: &'static str,
    most: usize,
}

const PROCESSORS: Counted =
    Counted { key: "nbproc", one: "processor", many: "processors", most: MOST_PROCESSORS };
const STAGES: Counted = Counted { key: "nbstage", one: "stage", many: "stages", most: MOST_STAGES };

impl Counted {
    /// `there is 1 stage`
    fn there_are(self, count: u64) -> String {
        match count {
            1 => format!("there is 1 {}", self.one),
            _ => format!("there are {count} {}", self.many),
        }
    }
}

struct Checker<'w, 'f> {
    written: &'w Written,
    found: &'f mut Vec<Diagnostic<TextSpan>>,
}

impl Checker<'_, '_> {
    fn report(&mut self, code: Code, at: TextSpan, message: String, help: impl Into<String>) {
        self.found.push(Diagnostic::new(code, at, message).help(help));
    }

    fn kind(&mut self) {
        let written = self.written;
        match &written.kind {
            Some(kind) if kind.value != PIPELINE => {
                let help = match did_you_mean(&kind.value, [PIPELINE]) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("`{PIPELINE}` is the one type"),
                };
                self.report(
                    Code::UnknownType,
                    kind.at,
                    format!("there is no type `{}` of descriptions", kind.value),
                    help,
                );
            }
            None if written.form == Form::Des => {
                self.missing("`type`", written.end, format!("write `type = {PIPELINE};`"));
            }
            _ => {}
        }
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
                    let help = format!("write how many {} there are: `{} = 3;`, say", of.many, of.key);
                    self.missing(&format!("`{}`", of.key), written.end, help);
                }
                Form::Toml => {
                    let help = format!("write `[[{}]]` for each", of.one);
                    self.missing(of.one, written.end, help);
                }
            }
            return None;
        };
        if said.value == 0 || said.value > of.most as u64 {
            let message = of.there_are(said.value);
            self.report(Code::OutOfRange, said.at, message, format!("there may be from 1 to {}", of.most));
            return None;
        }
        Some(said.value)
    }

    fn processors(&mut self, count: Option<u64>) {
        let written = self.written;
        let at = written.processors.as_ref().map_or(written.end, |said| said.at);
        let name = |number: u64| self.written.form.power(number);
        self.list(&written.powers, count, count, PROCESSORS, at, &name);
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

    fn stages(&mut self, count: Option<u64>) {
        let written = self.written;
        let at = written.stages.as_ref().map_or(written.end, |said| said.at);
        self.list(&written.works, count, count, STAGES, at, &|number| written.form.work(number));
        let entries = count.map(|count| count + 1);
        let said = written.stages.as_ref().map_or(0, |said| said.value);
        self.list(&written.sizes, entries, count, STAGES, at, &|number| written.form.size(number, said));
    }

    /// The entries of a list: none missing, none too many, all positive.
    fn list(
        &mut self,
        list: &BTreeMap<u64, Said<Rate>>,
        entries: Option<u64>,
        count: Option<u64>,
        of: Counted,
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
                self.report(Code::OutOfRange, said.key, message, PROCESSORS.there_are(count));
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

    /// The mappings that fit.
    fn mappings(&mut self, processors: u64, stages: u64) -> Vec<Mapping> {
        let mut without_link = BTreeSet::new();
        let written = self.written;
        let fitting = written.mappings.iter().filter_map(|mapping| {
            let places = self.places(mapping, processors, stages)?;
            self.links_of(mapping, &places, &mut without_link);
            let ids: Vec<ProcessorId> =
                places.iter().map(|&number| ProcessorId::from(number as u32)).collect();
            let mapping = Mapping::new(ids[1..ids.len() - 1].iter().copied());
            Some(mapping.with_input(ids[0]).with_output(ids[ids.len() - 1]))
        });
        fitting.collect()
    }

    /// The processors of the input, the stages and the output.
    fn places(&mut self, mapping: &WrittenMapping, processors: u64, stages: u64) -> Option<Vec<u64>> {
        let before = self.found.len();
        let given = mapping.stages.len() as u64;
        if given != stages {
            let message = match given {
                1 => "the mapping places 1 stage".to_owned(),
                _ => format!("the mapping places {given} stages"),
            };
            let message = format!("{message}, but {}", STAGES.there_are(stages));
            self.report(
                Code::MappingLength,
                mapping.at,
                message,
                "name the processor of every stage, in their order",
            );
        }
        let said = mapping.input.iter().chain(&mapping.stages).chain(&mapping.output);
        for place in said.filter(|said| !(1..=processors).contains(&said.value)) {
            let message = format!("there is no processor {}", place.value);
            let help = match processors {
                1 => "the one processor has the number 1".into(),
                _ => format!("processors are numbered from 1 to {processors}"),
            };
            self.report(Code::OutOfRange, place.at, message, help);
        }
        if self.found.len() > before {
            return None;
        }
        let (first, last) = (mapping.stages.first()?.value, mapping.stages.last()?.value);
        let input = mapping.input.as_ref().map_or(first, |said| said.value);
        let output = mapping.output.as_ref().map_or(last, |said| said.value);
        let stages = mapping.stages.iter().map(|said| said.value);
        Some(std::iter::once(input).chain(stages).chain([output]).collect())
    }

    /// Every pair of processors that items go between has a link. Each that has none is reported once.
    fn links_of(&mut self, mapping: &WrittenMapping, places: &[u64], known: &mut BTreeSet<(u64, u64)>) {
        let written = self.written;
        if written.is_partial {
            return;
        }
        for (number, pair) in places.windows(2).enumerate() {
            let (from, to) = (pair[0], pair[1]);
            let is_shared = written.other_links.is_some() || (from == to && written.within.is_some());
            if is_shared || written.links.contains_key(&(from, to)) || !known.insert((from, to)) {
                continue;
            }
            let receiver = mapping.stages.get(number).or(mapping.output.as_ref());
            let at = receiver.map_or(mapping.at, |said| said.at);
            let name = written.form.link(from, to);
            let message =
                format!("items move from processor {from} to processor {to}, but {name} is missing");
            let help = match written.form {
                Form::Des => {
                    format!("write `nl{from}-{to} = 10;`, say: each direction has a link of its own")
                }
                Form::Toml => format!("give `\"{from}-{to}\" = 10` in `[links]`, say, or `all`"),
            };
            self.report(Code::MissingLink, at, message, help);
        }
    }
}

impl Form {
    fn power(self, number: u64) -> String {
        match self {
            Form::Des => format!("`cp{number}`"),
            Form::Toml => format!("the power of processor {number}"),
        }
    }

    fn work(self, number: u64) -> String {
        match self {
            Form::Des => format!("`w{number}`"),
            Form::Toml => format!("the work of stage {number}"),
        }
    }

    /// What stage a size is of, or the output behind as many stages as are said.
    fn size(self, number: u64, stages: u64) -> String {
        match self {
            Form::Des => format!("`ds{number}`"),
            Form::Toml if number > stages => "the size of the output".into(),
            Form::Toml => format!("the data of stage {number}"),
        }
    }

    fn link(self, from: u64, to: u64) -> String {
        match self {
            Form::Des => format!("`nl{from}-{to}`"),
            Form::Toml => format!("the link \"{from}-{to}\""),
        }
    }
}

/// The first few names, in words.
fn listed(names: &[String]) -> String {
    const MOST: usize = 4;
    match names {
        [one] => one.clone(),
        [before @ .., last] if names.len() <= MOST => format!("{} and {last}", before.join(", ")),
        _ => format!("{} and {} more", names[..MOST - 1].join(", "), names.len() + 1 - MOST),
    }
}

/// What is left to be wrong when each value is right: a product beyond the range of a float.
fn placed<T>(
    outcome: Result<T, BuildErrors>,
    of: Option<&Said<u64>>,
    found: &mut Vec<Diagnostic<TextSpan>>,
) -> Option<T> {
    let at = of.map_or(TextSpan::NOWHERE, |said| said.at);
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

fn application(written: &Written, count: u64) -> Result<Application, BuildErrors> {
    let size = |number: u64| Data::bytes(written.sizes[&number].value.clone());
    let stages = (1..=count).map(|number| {
        let stage = Stage::new(Work::units(written.works[&number].value.clone())).receiving(size(number));
        match written.stage_names.get(&number) {
            Some(name) => stage.named(name),
            None => stage,
        }
    });
    Application::pipeline(stages, size(count + 1))
}
