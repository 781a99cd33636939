//! The check of the machines: processors, their availabilities and links.

use num_traits::One;
use skel_core::diagnostic::{Code, Diagnostic};
use skel_core::model::BuildErrors;
use skel_core::number::{Ratio, display_ratio};
use skel_core::rate::Rate;

use super::checker::{Checker, Counted};
use super::words::{Noun, PROCESSOR};
use crate::description::written::{Form, Located, Written};
use crate::platform::{Links, MOST_PROCESSORS, Platform, Processor, machines_of};
use crate::quantity::{Availability, Bandwidth, Power};

pub(super) const PROCESSORS: Counted = Counted { key: "nbproc", noun: PROCESSOR, most: MOST_PROCESSORS };

impl Checker<'_, '_> {
    pub(super) fn processors(&mut self, count: Option<u64>) {
        let written = self.written;
        let at = written.processors.as_ref().map_or(written.end, |located| located.at);
        let name = |number: u64| self.written.form.power(number);
        self.list(&written.powers, count, count, PROCESSOR, at, &name);
        for (number, located) in &written.availabilities {
            let subject = format!("the availability of processor {number}");
            if let Some(part) = self.positive(located, &subject)
                && part > Ratio::one()
            {
                let message = format!("{subject} is {}", display_ratio(&part));
                self.report(Code::OutOfRange, located.at, message, "it is a part of the power, so at most 1");
            }
        }
    }

    pub(super) fn links(&mut self, count: Option<u64>) {
        let written = self.written;
        for (&(from, to), located) in &written.links {
            let name = written.form.link(from, to);
            self.positive(located, &name);
            let Some(count) = count else { continue };
            if let Some(wrong) = [from, to].into_iter().find(|number| !(1..=count).contains(number)) {
                let message = format!("there is no processor {wrong} for {name}");
                self.report(Code::OutOfRange, located.key, message, PROCESSOR.there_are(count));
            }
        }
        self.between_in_network();
        let shared = [
            (&written.other_links, "the bandwidth of all links"),
            (&written.within, "the bandwidth within a processor"),
        ];
        for (located, name) in shared {
            located.iter().for_each(|located| {
                self.positive(located, name);
            });
        }
    }
}

impl Checker<'_, '_> {
    /// Reports links between processors that are written beside a network, which gives them: the first of
    /// each kind.
    fn between_in_network(&mut self) {
        let written = self.written;
        let Some(network) = &written.network else { return };
        let mut pairs = written.links.iter().filter(|((from, to), _)| from != to);
        let first = pairs.next().map(|(&(from, to), located)| (written.form.link(from, to), located.key));
        let more = pairs.count();
        let all = written.other_links.as_ref().map(|located| ("`all`".to_owned(), located.key));
        for (name, at) in [all, first].into_iter().flatten() {
            let others = match (more, name.as_str()) {
                (0, _) | (_, "`all`") => String::new(),
                (more, _) => format!(" and {more} more"),
            };
            let message = format!("{name}{others}: the links between processors are those of the network");
            let finding = Diagnostic::new(Code::DuplicateDefinition, at, message)
                .related(network.key, "the network is named here")
                .help("leave this out, or the network");
            self.found.push(finding);
        }
    }

    /// Checks on which machines of the network the processors are.
    pub(super) fn machines(&mut self, count: Option<u64>) {
        let written = self.written;
        let Some(located) = &written.network else { return self.machines_without_network() };
        let Some(count) = count else { return };
        for (number, name) in written.names.iter().filter(|(number, _)| !(1..=count).contains(*number)) {
            let message = format!("there is no processor {number} for `machine{number}`");
            self.report(Code::OutOfRange, name.key, message, PROCESSOR.there_are(count));
        }
        let Some(network) = &located.value.network else { return };
        let names: Vec<Option<&str>> =
            (1..=count).map(|number| written.names.get(&number).map(|name| name.value.as_str())).collect();
        for (index, error) in machines_of(network, &names).err().unwrap_or_default() {
            let name = written.names.get(&(index as u64 + 1)).map(|name| name.at);
            let at = name.or(written.processors.as_ref().map(|located| located.at)).unwrap_or(written.end);
            self.report(error.code, at, error.message, error.help);
        }
    }

    /// In a `.des` text only a network gives names of machines a meaning.
    fn machines_without_network(&mut self) {
        let written = self.written;
        let first = written.names.iter().next().filter(|_| written.form == Form::Des);
        if let Some((number, name)) = first {
            let message = format!("`machine{number}` has no meaning without a network");
            self.report(
                Code::UnknownEntry,
                name.key,
                message,
                "write `network = \"grid.toml\";`, say, or leave it out",
            );
        }
    }

    /// Checks the links of a platform of a network: each processor has one to itself, and all of them carry
    /// every item.
    pub(super) fn links_of_network(&mut self, platform: &Platform) {
        let written = self.written;
        let Some(network) = &written.network else { return };
        let mut alone = platform.processors().filter(|&id| !platform.has_link(id, id));
        if let Some(first) = alone.next() {
            let others = match alone.count() {
                0 => String::new(),
                more => {
                    format!(", nor within {}", Noun { one: "other", many: "others" }.counted(more as u64))
                }
            };
            let message = format!("nothing says how long an item takes within processor {first}{others}");
            let help = match written.form {
                Form::Des => format!("write `nl{first}-{first} = 1e9;`, say, the bytes per second, or measure between threads of the machine"),
                Form::Toml => "write `within = 1e9` in `[links]`, say, the bytes per second, or measure between threads of the machines".into(),
            };
            self.report(Code::MissingLink, network.at, message, help);
        }
        let sizes = written.sizes.values().chain(&written.common_size).chain(written.pair_sizes.values());
        for located in sizes {
            if let Some(error) = located.value.exact().and_then(|size| platform.without_time(size)) {
                self.report(error.code, located.at, error.message, error.help);
            }
        }
    }
}

/// The machines. Everything that is written of them has been checked.
pub(super) fn platform(written: &Written, count: u64) -> Result<Platform, BuildErrors> {
    let processors = (1..=count).map(|number| {
        let mut processor = Processor::new(Power::per_second(written.powers[&number].value.clone()));
        if let Some(part) = written.availabilities.get(&number) {
            processor = processor.available(Availability::part(part.value.clone()));
        }
        match written.names.get(&number) {
            Some(name) => processor.named(&name.value),
            None => processor,
        }
    });
    let bandwidth = |located: &Located<Rate>| Bandwidth::bytes_per_second(located.value.clone());
    let mut links =
        written.other_links.as_ref().map_or(Links::none(), |located| Links::everywhere(bandwidth(located)));
    if let Some(located) = &written.within {
        links = links.within(bandwidth(located));
    }
    for (&(from, to), located) in &written.links {
        links = links.one_way(from as u32, to as u32, bandwidth(located));
    }
    match written.network.as_ref().and_then(|located| located.value.network.as_ref()) {
        Some(network) => Platform::from_network(processors, network, &links),
        None => Platform::new(processors, &links),
    }
}
