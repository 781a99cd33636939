//! The machines: processors with a power, and the links between them.
//!
//! A link has a direction. A processor has a link to itself as well, because it takes some time, if only a
//! little, to hand an item to the next stage on the same processor. Where there is no link between two
//! processors, no mapping may send items from one to the other.

mod link;
mod links;
mod network;
mod processor;

use std::collections::HashSet;

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_core::number::Ratio;

use crate::quantity::Power;

pub use link::Link;
pub(crate) use link::{Carrier, NoTime};
pub use links::Links;
pub(crate) use network::machines_of;
pub use processor::{Processor, ProcessorId};

/// The most processors of a platform. The table of their links has the square of this size.
pub const MOST_PROCESSORS: usize = 256;

/// Processors and their links, checked.
///
/// # Examples
/// ```
/// use skel_core::number::ratio;
/// use skel_plan::{Bandwidth, Links, Platform, Power, Processor};
/// let processors = [10, 10, 1].map(|power| Processor::new(Power::per_second(power)));
/// let platform = Platform::new(processors, &Links::everywhere(Bandwidth::bytes_per_second(1000)))?;
/// assert_eq!(platform.bandwidth(1.into(), 3.into()), Some(&ratio(1000, 1)));
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Platform {
    names: Vec<Option<String>>,
    powers: Vec<Ratio>,
    /// Row by row.
    links: Vec<Option<Carrier>>,
}

impl Platform {
    /// Checks processors and links.
    ///
    /// # Errors
    /// Every quantity that is not positive, every availability above 1, every link from or to a processor
    /// that does not exist; or no processor at all, or more than [`MOST_PROCESSORS`].
    pub fn new(
        processors: impl IntoIterator<Item = Processor>,
        links: &Links,
    ) -> Result<Platform, BuildErrors> {
        let processors: Vec<Processor> = processors.into_iter().take(MOST_PROCESSORS + 1).collect();
        let count = processors.len();
        if count == 0 || count > MOST_PROCESSORS {
            return Err(BuildErrors(vec![BuildError {
                code: Code::OutOfRange,
                message: if count == 0 { "there is no processor" } else { "there are too many processors" }
                    .into(),
                help: format!("a platform has from 1 to {MOST_PROCESSORS}"),
            }]));
        }
        let mut errors = Vec::new();
        let mut powers = Vec::with_capacity(count);
        for (index, processor) in processors.iter().enumerate() {
            match processor.effective(ProcessorId::from_index(index)) {
                Ok(power) => powers.push(power),
                Err(error) => errors.push(error),
            }
        }
        errors.extend(links.pairs.keys().filter_map(|&(from, to)| no_such_end(from, to, count)));
        let links = carriers(links, count, &mut errors);
        if !errors.is_empty() {
            return Err(BuildErrors(errors));
        }
        let names = processors.into_iter().map(|processor| processor.name).collect();
        Ok(Platform { names, powers, links })
    }

    /// The processors, in their order.
    pub fn processors(&self) -> impl ExactSizeIterator<Item = ProcessorId> + use<> {
        (0..self.powers.len()).map(ProcessorId::from_index)
    }

    /// Whether there is a processor of this number.
    #[must_use]
    pub fn contains(&self, id: ProcessorId) -> bool {
        id.index() < self.powers.len()
    }

    /// The name of a processor: the one given to it, or its number.
    ///
    /// # Panics
    /// If there is no such processor.
    #[must_use]
    pub fn name(&self, id: ProcessorId) -> String {
        self.names[id.index()].clone().unwrap_or_else(|| id.to_string())
    }

    /// The power of a processor that the program can use, in units of work per second.
    ///
    /// # Panics
    /// If there is no such processor.
    #[must_use]
    pub fn power(&self, id: ProcessorId) -> &Ratio {
        &self.powers[id.index()]
    }

    /// The bandwidth of a link in bytes per second, if there is a link and it is described by its bandwidth
    /// alone.
    ///
    /// # Panics
    /// If there is no such processor.
    #[must_use]
    pub fn bandwidth(&self, from: ProcessorId, to: ProcessorId) -> Option<&Ratio> {
        self.link(from, to)?.bandwidth()
    }

    /// Whether there is a link.
    ///
    /// # Panics
    /// If there is no such processor.
    #[must_use]
    pub fn has_link(&self, from: ProcessorId, to: ProcessorId) -> bool {
        self.link(from, to).is_some()
    }

    /// The name that was given to a processor.
    pub(crate) fn given_name(&self, id: ProcessorId) -> Option<&str> {
        self.names[id.index()].as_deref()
    }

    /// Whether the times of some link are those of a communication model.
    pub(crate) fn has_models(&self) -> bool {
        self.links.iter().flatten().any(|link| link.bandwidth().is_none())
    }

    /// Why some link has no time for items of a size, if one has none: the first such link.
    pub(crate) fn without_time(&self, size: &Ratio) -> Option<BuildError> {
        let mut known = HashSet::new();
        let pairs = self.processors().flat_map(|from| self.processors().map(move |to| (from, to)));
        pairs.into_iter().find_map(|(from, to)| {
            let Some(link @ Carrier::Model(model)) = self.link(from, to) else { return None };
            if !known.insert(model.identity()) {
                return None;
            }
            let link_text = format_args!("the link from processor {from} to processor {to}");
            link.rate(size).err().map(|none| none.error(size, link_text))
        })
    }

    /// The link, if there is one.
    pub(crate) fn link(&self, from: ProcessorId, to: ProcessorId) -> Option<&Carrier> {
        self.links[self.entry(from, to)].as_ref()
    }

    /// The same with another power of a processor, as a monitor has measured it.
    ///
    /// # Errors
    /// The processor does not exist, or the power is not positive.
    ///
    /// # Examples
    /// ```
    /// # use skel_plan::{Bandwidth, Links, Platform, Power, Processor};
    /// # let platform = Platform::new([Processor::new(Power::per_second(10))], &Links::none())?;
    /// let busy = platform.with_power(1.into(), &Power::per_second(2))?;
    /// assert_eq!(busy.power(1.into()).to_string(), "2");
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    pub fn with_power(&self, id: ProcessorId, power: &Power) -> Result<Platform, BuildErrors> {
        let mut changed = self.clone();
        check_numbers(self, [id])?;
        let power = power.positive(format_args!("of processor {id}"));
        changed.powers[id.index()] = power.map_err(|error| BuildErrors(vec![error]))?;
        Ok(changed)
    }

    /// The same with another link, in one direction.
    ///
    /// # Errors
    /// A processor does not exist, or the bandwidth is not positive.
    pub fn with_link(
        &self,
        from: ProcessorId,
        to: ProcessorId,
        link: impl Into<Link>,
    ) -> Result<Platform, BuildErrors> {
        let mut changed = self.clone();
        check_numbers(self, [from, to])?;
        let link = link.into().checked(format_args!("of the link from {from} to {to}"));
        changed.links[self.entry(from, to)] = Some(link.map_err(|error| BuildErrors(vec![error]))?);
        Ok(changed)
    }

    fn entry(&self, from: ProcessorId, to: ProcessorId) -> usize {
        from.index() * self.powers.len() + to.index()
    }
}

fn check_numbers<const N: usize>(platform: &Platform, ids: [ProcessorId; N]) -> Result<(), BuildErrors> {
    let wrong = ids.into_iter().find(|&id| !platform.contains(id));
    wrong.map_or(Ok(()), |id| Err(BuildErrors(vec![no_such_processor(id, platform.powers.len())])))
}

/// The error for a number that no processor has.
pub(crate) fn no_such_processor(id: ProcessorId, count: usize) -> BuildError {
    BuildError {
        code: Code::OutOfRange,
        message: format!("there is no processor {id}"),
        help: match count {
            1 => "the one processor has the number 1".into(),
            _ => format!("processors are numbered from 1 to {count}"),
        },
    }
}

fn no_such_end(from: ProcessorId, to: ProcessorId, count: usize) -> Option<BuildError> {
    let wrong = [from, to].into_iter().find(|id| id.index() >= count)?;
    let mut error = no_such_processor(wrong, count);
    error.message = format!("the link from {from} to {to}: {}", error.message);
    Some(error)
}

/// The table of links, row by row. A wrong value that many links share is reported once.
fn carriers(links: &Links, count: usize, errors: &mut Vec<BuildError>) -> Vec<Option<Carrier>> {
    let mut shared = [&links.within, &links.others].map(|link| (link.as_ref(), false));
    let mut all = Vec::with_capacity(count * count);
    for (from, to) in (0..count * count)
        .map(|at| (ProcessorId::from_index(at / count), ProcessorId::from_index(at % count)))
    {
        let link = links.get(from, to);
        let value = link.map(|known| known.checked(format_args!("of the link from {from} to {to}")));
        let is_reported = shared.iter_mut().find(|(of_many, _)| {
            of_many.zip(link).is_some_and(|(of_many, this)| std::ptr::eq(of_many, this))
        });
        match (value, is_reported) {
            (None, _) => all.push(None),
            (Some(Ok(value)), _) => all.push(Some(value)),
            (Some(Err(_)), Some((_, true))) => {}
            (Some(Err(error)), first) => {
                errors.push(error);
                first.into_iter().for_each(|(_, is_reported)| *is_reported = true);
            }
        }
    }
    all
}
