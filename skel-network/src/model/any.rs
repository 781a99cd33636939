//! A model of any kind.

use std::fmt;

use super::{CommunicationModel, Hockney, Kind, LoGpc, LogGp, LogP, OutsideTable, PLogP};
use crate::quantity::{Bytes, Time};

/// A model of any kind, for files and for selection among models.
///
/// # Examples
/// ```
/// use skel_network::{Bytes, CommunicationModel, Hockney, Kind, Model, Time};
/// let model = Model::from(Hockney::new(Time::microseconds(48.0), 125.0)?);
/// assert_eq!(model.kind(), Kind::Hockney);
/// assert_eq!(model.time(Bytes::new(1000))?, Time::microseconds(56.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// Start-up time and bandwidth.
    Hockney(Hockney),
    /// Latency, overhead, gap.
    LogP(LogP),
    /// LogP with a gap for each byte.
    LogGp(LogGp),
    /// LogGP with a measured contention factor.
    LoGpc(LoGpc),
    /// LogP with tables by size of message.
    PLogP(PLogP),
}

impl Model {
    /// Which model it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Model::Hockney(_) => Kind::Hockney,
            Model::LogP(_) => Kind::LogP,
            Model::LogGp(_) => Kind::LogGp,
            Model::LoGpc(_) => Kind::LoGpc,
            Model::PLogP(_) => Kind::PLogP,
        }
    }

    fn inner(&self) -> &dyn CommunicationModel {
        match self {
            Model::Hockney(model) => model,
            Model::LogP(model) => model,
            Model::LogGp(model) => model,
            Model::LoGpc(model) => model,
            Model::PLogP(model) => model,
        }
    }
}

macro_rules! from {
    ($($model:ident)*) => {$(
        impl From<$model> for Model {
            fn from(model: $model) -> Model {
                Model::$model(model)
            }
        }
    )*};
}

from!(Hockney LogP LogGp LoGpc PLogP);

impl CommunicationModel for Model {
    fn name(&self) -> &'static str {
        self.inner().name()
    }

    fn time(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.inner().time(size)
    }

    fn gap(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.inner().gap(size)
    }

    fn sender_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.inner().sender_busy(size)
    }

    fn receiver_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.inner().receiver_busy(size)
    }

    fn latency(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.inner().latency(size)
    }

    fn train(&self, size: Bytes, messages: u32) -> Result<Time, OutsideTable> {
        self.inner().train(size, messages)
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Model::Hockney(model) => model.fmt(f),
            Model::LogP(model) => model.fmt(f),
            Model::LogGp(model) => model.fmt(f),
            Model::LoGpc(model) => model.fmt(f),
            Model::PLogP(model) => model.fmt(f),
        }
    }
}
