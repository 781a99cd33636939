//! Models that a file gives in place of measurements.

use crate::model::{Hockney, LoGpc, LogGp, LogP, Model, PLogP};
use crate::quantity::Time;

/// A model that is given for all links, or for those between two machines or groups of machines.
///
/// # Examples
/// ```
/// use skel_network::file::GivenModel;
/// use skel_network::{Hockney, Time};
/// let model = Hockney::new(Time::microseconds(50.0), 125.0)?;
/// let given = GivenModel::everywhere(model).between("orsay", "sophia");
/// assert_eq!(given.ends(), Some(("orsay", "sophia")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GivenModel {
    ends: Option<(String, String)>,
    model: Model,
    follows_links: bool,
}

impl GivenModel {
    /// A model of all links.
    pub fn everywhere(model: impl Into<Model>) -> GivenModel {
        GivenModel { ends: None, model: model.into(), follows_links: false }
    }

    /// The same model for the links between two machines or groups. With the same group twice it is for the
    /// links inside of that.
    #[must_use]
    pub fn between(self, one: impl Into<String>, other: impl Into<String>) -> GivenModel {
        GivenModel { ends: Some((one.into(), other.into())), ..self }
    }

    /// The same model with the latency of each link in place of its own: `L`, or `alpha` of Hockney's model.
    #[must_use]
    pub fn with_latency_of_links(self) -> GivenModel {
        GivenModel { follows_links: true, ..self }
    }

    /// The machines or groups between which it holds, or `None` if it holds everywhere.
    #[must_use]
    pub fn ends(&self) -> Option<(&str, &str)> {
        self.ends.as_ref().map(|(one, other)| (one.as_str(), other.as_str()))
    }

    /// The model as it is given.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Whether its latency is that of each link.
    #[must_use]
    pub fn follows_links(&self) -> bool {
        self.follows_links
    }

    /// The model of a link of this latency. A model that follows the links has none where the latency is not
    /// known.
    #[must_use]
    pub fn of_link(&self, latency: Option<Time>) -> Option<Model> {
        if !self.follows_links {
            return Some(self.model.clone());
        }
        with_latency(&self.model, latency?)
    }
}

/// The model with another latency, if that is one.
fn with_latency(model: &Model, latency: Time) -> Option<Model> {
    let loggp = |base: &LogGp| LogGp::new(latency, base.o(), base.g(), base.gap_per_byte());
    Some(match model {
        Model::Hockney(model) => Hockney::new(latency, model.beta()).ok()?.into(),
        Model::LogP(model) => LogP::new(latency, model.o(), model.g(), model.w()).ok()?.into(),
        Model::LogGp(model) => loggp(model).ok()?.into(),
        Model::LoGpc(model) => LoGpc::new(loggp(model.base()).ok()?, model.gamma()).ok()?.into(),
        Model::PLogP(model) => {
            let mut again = PLogP::new(latency, model.g().clone()).ok()?;
            if let Some(table) = model.o_s() {
                again = again.with_sender_overhead(table.clone());
            }
            if let Some(table) = model.o_r() {
                again = again.with_receiver_overhead(table.clone());
            }
            again.into()
        }
    })
}
