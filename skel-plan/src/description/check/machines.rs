//! The check of the machines: processors, their availabilities and links.

use num_traits::One;
use skel_core::diagnostic::Code;
use skel_core::model::BuildErrors;
use skel_core::number::{Ratio, display_ratio};
use skel_core::rate::Rate;

use super::checker::{Checker, Counted};
use super::words::PROCESSOR;
use crate::description::written::{Located, Written};
use crate::platform::{Links, MOST_PROCESSORS, Platform, Processor};
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

/// The machines. Everything that is written of them has been checked.
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
    let bandwidth = |located: &Located<Rate>| Bandwidth::bytes_per_second(located.value.clone());
    let mut links =
        written.other_links.as_ref().map_or(Links::none(), |located| Links::everywhere(bandwidth(located)));
    if let Some(located) = &written.within {
        links = links.within(bandwidth(located));
    }
    for (&(from, to), located) in &written.links {
        links = links.one_way(from as u32, to as u32, bandwidth(located));
    }
    Platform::new(processors, &links)
}
