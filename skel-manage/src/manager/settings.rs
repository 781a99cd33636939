//! How a manager decides.

use std::time::Duration;

use crate::model::Consult;

/// How a manager decides. The default is meant for programs of the computer that they run on.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use skel_manage::{Consult, Settings};
///
/// let settings = Settings::default().most_workers(32).ends_at(Duration::from_secs(3600));
/// assert_eq!((settings.consult, settings.services), (Consult::Chain, 400));
/// assert!(settings.dry_run().is_dry_run);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// By which prediction it decides.
    pub consult: Consult,
    /// How many services of each task a window has: 400, whose mean is within 5 % of the truth in two of
    /// three cases if times are exponential.
    pub services: u64,
    /// How many suffice if the service time is beyond the limit by more than [`Self::evident`] standard
    /// errors: 30.
    pub least_services: u64,
    /// By how many standard errors a service time is beyond the limit for sure: 3.5.
    pub evident: f64,
    /// By how many standard errors the times of workers are taken to be longer than they were measured, where
    /// more workers are planned: 3. A window of few services makes the plan careful, and one of many makes it
    /// exact.
    pub careful: f64,
    /// The part of the contract that a smaller number of workers has to leave to spare: 0.03.
    pub spare: f64,
    /// For how many windows it takes back no action, unless the service time is beyond the limit for sure: 1.
    /// More of the same is not taken back.
    pub cool_down: u32,
    /// The most workers in all.
    pub most_workers: u32,
    /// Whether it decides and does nothing.
    pub is_dry_run: bool,
    /// When the run ends, since its start, if that is known.
    pub ends_at: Option<Duration>,
    /// How many items the run has in all, if that is known.
    pub items: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            consult: Consult::Chain,
            services: 400,
            least_services: 30,
            evident: 3.5,
            careful: 3.0,
            spare: 0.03,
            cool_down: 1,
            most_workers: 256,
            is_dry_run: false,
            ends_at: None,
            items: None,
        }
    }
}

impl Settings {
    /// The same by another prediction.
    #[must_use]
    pub fn consult(self, consult: Consult) -> Self {
        Settings { consult, ..self }
    }

    /// The same with windows of another number of services; at least 2.
    #[must_use]
    pub fn services(self, services: u64) -> Self {
        let services = services.max(2);
        Settings { services, least_services: self.least_services.min(services), ..self }
    }

    /// The same with another number of windows in which no action is taken back.
    #[must_use]
    pub fn cool_down(self, windows: u32) -> Self {
        Settings { cool_down: windows, ..self }
    }

    /// The same with another limit of workers; at least 1.
    #[must_use]
    pub fn most_workers(self, most: u32) -> Self {
        Settings { most_workers: most.max(1), ..self }
    }

    /// The same, but nothing is done.
    #[must_use]
    pub fn dry_run(self) -> Self {
        Settings { is_dry_run: true, ..self }
    }

    /// The same for a run that ends then, since its start. No action is taken that costs more than the time
    /// that is left.
    #[must_use]
    pub fn ends_at(self, end: Duration) -> Self {
        Settings { ends_at: Some(end), ..self }
    }

    /// The same for a run of so many items in all.
    #[must_use]
    pub fn items(self, items: u64) -> Self {
        Settings { items: Some(items), ..self }
    }
}
