//! The check of the machines: processors, their availabilities and links.

use num_traits::One;
use skel_core::diagnostic::Code;
use skel_core::model::BuildErrors;
use skel_core::number::{Ratio, display_ratio};
use skel_core::rate::Rate;

use super::checker::{Checker, Counted};
use super::words::PROCESSOR;
use crate::description::written::{Said, Written};
use crate::platform::{Links, MOST_PROCESSORS, Platform, Processor};
use crate::quantity::{Availability, Bandwidth, Power};

pub(super) const PROCESSORS: Counted = Counted { key: "nbproc", noun: PROCESSOR, most: MOST_PROCESSORS };

impl Checker<'_, '_> {
    pub(super) fn processors(&mut self, count: Option<u64>) {
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

    pub(super) fn links(&mut self, count: Option<u64>) {
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
}

/// The machines, when everything that was said of them is right.
pub(super) fn platform(written: &Written, count: u64) -> Result<Platform, BuildErrors> {
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
