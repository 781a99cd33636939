//! A processor: its number, its power, and the part of that power that the program gets.

use std::fmt;

use num_traits::One;
use skel_core::diagnostic::Code;
use skel_core::model::BuildError;
use skel_core::number::{Ratio, display_ratio};

use crate::quantity::{Availability, Power};

/// The number of a processor, from 1 as in the paper's tuples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessorId(u32);

impl ProcessorId {
    /// The processor at an index, from 0.
    pub(crate) fn from_index(index: usize) -> Self {
        ProcessorId(index as u32 + 1)
    }

    /// Its number, from 1.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }

    /// Its index, from 0. The number 0 belongs to no processor, and its index is larger than all others.
    pub(crate) fn index(self) -> usize {
        (self.0 as usize).wrapping_sub(1)
    }
}

impl From<u32> for ProcessorId {
    /// The processor of a number, from 1. Whether it exists is checked where a platform is known.
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
    pub(super) name: Option<String>,
}

impl Processor {
    /// A processor of this power, all of which the program can use.
    #[must_use]
    pub fn new(power: Power) -> Self {
        Processor { power, availability: None, name: None }
    }

    /// The same, but the program can use only a part of its power.
    #[must_use]
    pub fn available(self, part: Availability) -> Self {
        Processor { availability: Some(part), ..self }
    }

    /// The same with a name, by which it is shown.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Processor { name: Some(name.into()), ..self }
    }

    /// The power that the program can use.
    pub(super) fn effective(&self, id: ProcessorId) -> Result<Ratio, BuildError> {
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
        ours.positive(format_args!("available on processor {id}"))
    }
}
