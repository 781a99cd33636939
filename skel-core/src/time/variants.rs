//! The same time longer, or with another variation.

use crate::number::Ratio;
use crate::time::phase_type::PhaseType;
use crate::time::service::{Distribution, ServiceTime};

impl ServiceTime {
    /// The time of the same shape, so many times as long.
    ///
    /// # Panics
    /// If the factor is not positive.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, skeleton::text::parse};
    /// let tree = parse("task(erlang(4, 12ms));").into_tree()?;
    /// let longer = tree.time(tree.root()).unwrap().longer_by(&ratio(11, 10));
    /// assert_eq!((longer.mean(), longer.scv()), (&ratio(132, 10_000), ratio(1, 4)));
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn longer_by(&self, factor: &Ratio) -> ServiceTime {
        assert!(factor > &Ratio::from_integer(0.into()), "a time is positive");
        let mut said = self.distribution().clone();
        match &mut said {
            Distribution::Exponential(rate) => *rate = &*rate / factor,
            Distribution::Hyperexponential { rates, .. } => {
                rates.iter_mut().for_each(|rate| *rate = &*rate / factor);
            }
            Distribution::Phases(phases) => *phases = slower(phases, factor),
            Distribution::Measured(measurement) => measurement.mean = &measurement.mean * factor,
            Distribution::Uniform { from, to } => (*from, *to) = (&*from * factor, &*to * factor),
            Distribution::Erlang { mean, .. }
            | Distribution::Fitted { mean, .. }
            | Distribution::Lognormal { mean, .. }
            | Distribution::Weibull { mean, .. }
            | Distribution::Deterministic(mean) => *mean = &*mean * factor,
        }
        ServiceTime::from_checked(said)
    }

    /// An exponential time of the same mean.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn as_exponential(&self) -> ServiceTime {
        ServiceTime::from_checked(Distribution::Exponential(self.rate()))
    }

    /// An Erlang time of the same mean.
    ///
    /// # Panics
    /// If there is no phase.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn as_erlang(&self, phases: u32) -> ServiceTime {
        assert!(phases > 0, "an Erlang time has a phase");
        ServiceTime::from_checked(Distribution::Erlang { phases, mean: self.mean().clone() })
    }
}

/// The same phases, each so many times as long.
#[cfg_attr(debug_assertions, inline)]
fn slower(phases: &PhaseType, factor: &Ratio) -> PhaseType {
    let row = |from| (0..phases.phases()).map(|to| phases.generator(from, to) / factor).collect();
    let rows: Vec<Vec<Ratio>> = (0..phases.phases()).map(row).collect();
    PhaseType::general(phases.initial(), &rows).expect("slower phases are phases")
}
