//! The machines: processors with a power, and the links between them.
//!
//! A link has a direction. A processor has a link to itself, too: handing an item to the next stage on the same
//! processor takes time, if little. Pairs without a link are not connected, and no mapping may send items between
//! them.

use std::collections::BTreeMap;
use std::fmt;

use num_traits::One;
use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_core::number::{Ratio, display_ratio};

use crate::quantity::{Availability, Bandwidth, Power};

/// The most processors of a platform. Their links are a table.
pub const MOST_PROCESSORS: usize = 256;

/// The number of a processor, from 1 as in the paper's tuples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessorId(u32);

impl ProcessorId {
    /// The processor at an index, from 0.
    pub(crate) fn at(index: usize) -> Self {
        ProcessorId(index as u32 + 1)
    }

    /// Its number, from 1.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }

    /// Its index, from 0. The number 0 stands for no processor, so it is beyond all indices.
    pub(crate) fn index(self) -> usize {
        (self.0 as usize).wrapping_sub(1)
    }
}

impl From<u32> for ProcessorId {
    /// The processor of a number, from 1. Whether there is one is checked against a platform.
    fn from(number: u32) -> Self {
        ProcessorId(number)
    }
}

impl fmt::Display for ProcessorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// One processor.
///
/// # Examples
/// ```
/// use skel_plan::{Availability, Links, Platform, Power, Processor};
/// let half_of_ten = Processor::new(Power::per_second(10)).available(Availability::part(0.5)).named("node-1");
/// let platform = Platform::new([half_of_ten], &Links::none())?;
/// assert_eq!(platform.power(1.into()).to_string(), "5");
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Processor {
    power: Power,
    availability: Option<Availability>,
    name: Option<String>,
}

impl Processor {
    /// A processor of this power, all of it ours.
    #[must_use]
    pub fn new(power: Power) -> Self {
        Processor { power, availability: None, name: None }
    }

    /// The same with a part of its power.
    #[must_use]
    pub fn available(self, part: Availability) -> Self {
        Processor { availability: Some(part), ..self }
    }

    /// The same with a name, by which it is shown.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Processor { name: Some(name.into()), ..self }
    }

    /// The power that is ours.
    fn effective(&self, id: ProcessorId) -> Result<Ratio, BuildError> {
        let power = self.power.positive(format_args!("of processor {id}"))?;
        let Some(part) = &self.availability else { return Ok(power) };
        let part = part.positive(format_args!("of processor {id}"))?;
        if part > Ratio::one() {
            return Err(BuildError {
                code: Code::OutOfRange,
                message: format!("the availability of processor {id} is {}", display_ratio(&part)),
                help: "it is a part of the power, so at most 1".into(),
            });
        }
        let ours = Power::per_second(power * part);
        ours.positive(format_args!("that is ours of processor {id}"))
    }
}

/// The links of a platform, by pairs of processors.
///
/// # Examples
/// ```
/// use skel_plan::{Bandwidth, Links};
/// let bandwidth = Bandwidth::bytes_per_second;
/// // Alike, but for a fast way within a processor and a slow one between 1 and 2, both ways.
/// let links = Links::everywhere(bandwidth(1000)).within(bandwidth(10_000)).between(1, 2, bandwidth(100));
/// assert_ne!(links, Links::none());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Links {
    others: Option<Bandwidth>,
    within: Option<Bandwidth>,
    pairs: BTreeMap<(ProcessorId, ProcessorId), Bandwidth>,
}

impl Links {
    /// No links at all.
    #[must_use]
    pub fn none() -> Self {
        Links::default()
    }

    /// A link for every pair, and for each processor to itself.
    #[must_use]
    pub fn everywhere(bandwidth: Bandwidth) -> Self {
        Links { others: Some(bandwidth), ..Links::default() }
    }

    /// Row `i`, column `j` is the link from processor `i` to processor `j`.
    #[must_use]
    pub fn matrix(rows: impl IntoIterator<Item = impl IntoIterator<Item = Bandwidth>>) -> Self {
        let mut links = Links::default();
        for (from, row) in rows.into_iter().enumerate() {
            for (to, bandwidth) in row.into_iter().enumerate() {
                links.pairs.insert((ProcessorId::at(from), ProcessorId::at(to)), bandwidth);
            }
        }
        links
    }

    /// The same with this link from each processor to itself, unless it has one of its own.
    #[must_use]
    pub fn within(self, bandwidth: Bandwidth) -> Self {
        Links { within: Some(bandwidth), ..self }
    }

    /// The same with this link from one processor to another, in one direction.
    #[must_use]
    pub fn one_way(
        mut self,
        from: impl Into<ProcessorId>,
        to: impl Into<ProcessorId>,
        bandwidth: Bandwidth,
    ) -> Self {
        self.pairs.insert((from.into(), to.into()), bandwidth);
        self
    }

    /// The same with this link between two processors, in both directions.
    #[must_use]
    pub fn between(
        self,
        one: impl Into<ProcessorId>,
        other: impl Into<ProcessorId>,
        bandwidth: Bandwidth,
    ) -> Self {
        let (one, other) = (one.into(), other.into());
        self.one_way(one, other, bandwidth.clone()).one_way(other, one, bandwidth)
    }

    fn get(&self, from: ProcessorId, to: ProcessorId) -> Option<&Bandwidth> {
        let within = self.within.as_ref().filter(|_| from == to);
        self.pairs.get(&(from, to)).or(within).or(self.others.as_ref())
    }
}

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
    bandwidths: Vec<Option<Ratio>>,
}

impl Platform {
    /// Checks processors and links.
    ///
    /// # Errors
    /// Every quantity that is not positive, an availability above 1, a link of a processor that there is not, no
    /// processor at all or more than [`MOST_PROCESSORS`].
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
            match processor.effective(ProcessorId::at(index)) {
                Ok(power) => powers.push(power),
                Err(error) => errors.push(error),
            }
        }
        errors.extend(links.pairs.keys().filter_map(|&(from, to)| no_such_end(from, to, count)));
        let bandwidths = bandwidths(links, count, &mut errors);
        if !errors.is_empty() {
            return Err(BuildErrors(errors));
        }
        let names = processors.into_iter().map(|processor| processor.name).collect();
        Ok(Platform { names, powers, bandwidths })
    }

    /// The processors, in their order.
    pub fn processors(&self) -> impl ExactSizeIterator<Item = ProcessorId> + use<> {
        (0..self.powers.len()).map(ProcessorId::at)
    }

    /// Whether there is a processor of this number.
    #[must_use]
    pub fn has(&self, id: ProcessorId) -> bool {
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

    /// The power of a processor that is ours, in units of work per second.
    ///
    /// # Panics
    /// If there is no such processor.
    #[must_use]
    pub fn power(&self, id: ProcessorId) -> &Ratio {
        &self.powers[id.index()]
    }

    /// The bandwidth of a link in bytes per second, if there is one.
    ///
    /// # Panics
    /// If there is no such processor.
    #[must_use]
    pub fn bandwidth(&self, from: ProcessorId, to: ProcessorId) -> Option<&Ratio> {
        self.bandwidths[self.entry(from, to)].as_ref()
    }

    /// The same with another power of a processor: a monitor's reading.
    ///
    /// # Errors
    /// If there is no such processor, or the power is not positive.
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

    /// The same with another bandwidth of a link, in one direction.
    ///
    /// # Errors
    /// If there is no such processor, or the bandwidth is not positive.
    pub fn with_link(
        &self,
        from: ProcessorId,
        to: ProcessorId,
        bandwidth: &Bandwidth,
    ) -> Result<Platform, BuildErrors> {
        let mut changed = self.clone();
        check_numbers(self, [from, to])?;
        let bandwidth = bandwidth.positive(format_args!("of the link from {from} to {to}"));
        changed.bandwidths[self.entry(from, to)] = Some(bandwidth.map_err(|error| BuildErrors(vec![error]))?);
        Ok(changed)
    }

    fn entry(&self, from: ProcessorId, to: ProcessorId) -> usize {
        from.index() * self.powers.len() + to.index()
    }
}

fn check_numbers<const N: usize>(platform: &Platform, ids: [ProcessorId; N]) -> Result<(), BuildErrors> {
    let wrong = ids.into_iter().find(|&id| !platform.has(id));
    wrong.map_or(Ok(()), |id| Err(BuildErrors(vec![no_such_processor(id, platform.powers.len())])))
}

/// The error for the number of no processor.
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

/// The table of links. A value that is shared by many is reported once.
fn bandwidths(links: &Links, count: usize, errors: &mut Vec<BuildError>) -> Vec<Option<Ratio>> {
    let mut shared = [&links.within, &links.others].map(|bandwidth| (bandwidth.as_ref(), false));
    let mut all = Vec::with_capacity(count * count);
    for (from, to) in (0..count * count).map(|at| (ProcessorId::at(at / count), ProcessorId::at(at % count)))
    {
        let bandwidth = links.get(from, to);
        let value = bandwidth.map(|known| known.positive(format_args!("of the link from {from} to {to}")));
        let is_reported = shared.iter_mut().find(|(of_many, _)| {
            of_many.zip(bandwidth).is_some_and(|(of_many, this)| std::ptr::eq(of_many, this))
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
