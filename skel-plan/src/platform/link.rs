//! A link: how long an item of some size takes from one processor to another.
//!
//! A link with a *bandwidth* takes a time in proportion to the size. A link with a *communication model*
//! takes the time that the model gives for one message, `L + g(m)`: its latency `L` is there however small
//! the item is. A link of a *network* may have several models, of which one is chosen for each size. A time
//! from a model is a float, and stands for the shortest decimal of its microseconds that reads as it. So
//! rates are exact for all links.

use std::fmt;
use std::sync::Arc;

use num_traits::{One, ToPrimitive, Zero};
use skel_core::diagnostic::Code;
use skel_core::model::BuildError;
use skel_core::number::{Ratio, display_ratio};
use skel_core::rate::Rate;
use skel_network::select::{Links, NoModel};
use skel_network::{Bytes, CommunicationModel, OutsideTable, Time};

use crate::quantity::Bandwidth;

/// How items go from one processor to another, before anything is checked.
///
/// # Examples
/// A [`Bandwidth`] is a link, and so is a model of what a message costs. Sizes are whole numbers of bytes
/// then, and times are seconds.
/// ```
/// use std::sync::Arc;
/// use skel_network::{Hockney, Time};
/// use skel_plan::{Bandwidth, Link};
/// let fast = Link::from(Bandwidth::bytes_per_second(1e9));
/// let far = Link::modelled(Arc::new(Hockney::new(Time::microseconds(6577.49), 12.5)?));
/// assert_ne!(fast, far);
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Link(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Bandwidth(Bandwidth),
    Model(SharedModel),
}

impl Link {
    /// A link whose times are those of a communication model.
    #[must_use]
    pub fn modelled(model: Arc<dyn CommunicationModel>) -> Link {
        Link(Kind::Model(SharedModel::Any(model)))
    }

    /// A link of a network.
    pub(super) fn of_network(links: Arc<Links>) -> Link {
        Link(Kind::Model(SharedModel::OfNetwork(links)))
    }

    /// What a platform keeps of the link. `of` says which link it is.
    pub(super) fn checked(&self, of: fmt::Arguments<'_>) -> Result<Carrier, BuildError> {
        Ok(match &self.0 {
            Kind::Bandwidth(bandwidth) => Carrier::Bandwidth(bandwidth.positive(of)?),
            Kind::Model(model) => Carrier::Model(model.clone()),
        })
    }
}

impl From<Bandwidth> for Link {
    fn from(bandwidth: Bandwidth) -> Link {
        Link(Kind::Bandwidth(bandwidth))
    }
}

impl From<&Bandwidth> for Link {
    fn from(bandwidth: &Bandwidth) -> Link {
        bandwidth.clone().into()
    }
}

/// A model that several links share.
#[derive(Clone, Debug)]
pub(crate) enum SharedModel {
    /// Any model. Two of them are equal if they are one and the same.
    Any(Arc<dyn CommunicationModel>),
    /// What a network knows of some links, with a choice between models for each size.
    OfNetwork(Arc<Links>),
}

impl PartialEq for SharedModel {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (SharedModel::OfNetwork(one), SharedModel::OfNetwork(other)) => {
                Arc::ptr_eq(one, other) || one == other
            }
            _ => self.identity() == other.identity(),
        }
    }
}

/// A link of a platform.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Carrier {
    /// Bytes per second.
    Bandwidth(Ratio),
    /// A model, which gives a time for each size.
    Model(SharedModel),
}

/// Why a link has no time for the items of a move.
#[derive(Clone, Debug)]
pub(crate) enum NoTime {
    /// The model has whole bytes alone.
    NotWhole,
    /// The size is outside of a table of the model.
    Outside(OutsideTable),
    /// The model gives a time that is not above zero, or not finite.
    NotPositive(Time),
    /// There is no model of the link.
    NoModel,
}

impl Carrier {
    /// The bandwidth of a link that is described by it.
    pub(crate) fn bandwidth(&self) -> Option<&Ratio> {
        match self {
            Carrier::Bandwidth(bandwidth) => Some(bandwidth),
            Carrier::Model(_) => None,
        }
    }

    /// How many items of a size go over the link in a second, one after the other.
    pub(crate) fn rate(&self, size: &Ratio) -> Result<Ratio, NoTime> {
        match self {
            Carrier::Bandwidth(bandwidth) => Ok(bandwidth / size),
            Carrier::Model(model) => model.time(size).map(|microseconds| million() / microseconds),
        }
    }

    /// The part of the time of an item that is latency, which no bandwidth makes shorter. Links with a
    /// bandwidth alone have none.
    pub(crate) fn part_of_latency(&self, size: &Ratio) -> Result<Ratio, NoTime> {
        match self {
            Carrier::Bandwidth(_) => Ok(Ratio::zero()),
            Carrier::Model(model) => model.part_of_latency(size),
        }
    }
}

fn million() -> Ratio {
    Ratio::from_integer(1_000_000.into())
}

impl SharedModel {
    /// A value that is the same for two models if they are one and the same.
    pub(crate) fn identity(&self) -> *const () {
        match self {
            SharedModel::Any(model) => Arc::as_ptr(model).cast(),
            SharedModel::OfNetwork(links) => Arc::as_ptr(links).cast(),
        }
    }

    /// The exact time of an item, in microseconds.
    fn time(&self, size: &Ratio) -> Result<Ratio, NoTime> {
        let size = bytes(size)?;
        exact(self.of_size(size)?.time(size).map_err(NoTime::Outside)?)
    }

    fn part_of_latency(&self, size: &Ratio) -> Result<Ratio, NoTime> {
        let whole = self.time(size)?;
        let size = bytes(size)?;
        let latency = self.of_size(size)?.latency(size).map_err(NoTime::Outside)?;
        if latency <= Time::ZERO {
            return Ok(Ratio::zero());
        }
        Ok((exact(latency)? / whole).min(Ratio::one()))
    }

    /// The model for items of a size.
    fn of_size(&self, size: Bytes) -> Result<&dyn CommunicationModel, NoTime> {
        match self {
            SharedModel::Any(model) => Ok(&**model),
            SharedModel::OfNetwork(links) => match links.model(size) {
                Ok(chosen) => Ok(&chosen.candidate.model),
                Err(NoModel::Outside(outside)) => Err(NoTime::Outside(outside)),
                Err(NoModel::NothingKnown(_)) => Err(NoTime::NoModel),
            },
        }
    }
}

/// A time in microseconds, if it is above zero and finite.
fn exact(time: Time) -> Result<Ratio, NoTime> {
    Rate::from(time.as_microseconds()).to_positive().map_err(|_| NoTime::NotPositive(time))
}

fn bytes(size: &Ratio) -> Result<Bytes, NoTime> {
    let whole = size.is_integer().then(|| size.to_integer().to_u64()).flatten();
    whole.map(Bytes::new).ok_or(NoTime::NotWhole)
}

impl NoTime {
    /// The error for a move of items of this size. `of` says between which processors.
    pub(crate) fn error(&self, size: &Ratio, of: fmt::Arguments<'_>) -> BuildError {
        let size = display_ratio(size);
        let (message, help) = match self {
            NoTime::NotWhole => (
                format!("an item of {size} bytes has no time on {of}"),
                "the times of a network are those of whole numbers of bytes: round the size".to_owned(),
            ),
            NoTime::Outside(table) => (
                format!(
                    "the network says nothing of items of {size} bytes on {of}: it covers {} to {} bytes",
                    table.least.get(),
                    table.most.get()
                ),
                "measure messages of that size as well: nothing is extrapolated".to_owned(),
            ),
            NoTime::NoModel => (
                format!("the network has no model of {of}"),
                "give it a model, or measure messages there".to_owned(),
            ),
            NoTime::NotPositive(time) => (
                format!("an item of {size} bytes would take {time} on {of}"),
                "the time of a message is above 0: look at the model of this link".to_owned(),
            ),
        };
        BuildError { code: Code::OutOfRange, message, help }
    }
}
