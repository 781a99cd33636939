//! What to buy first: what a little more of each processor's power and each link's bandwidth would bring.
//!
//! The rate of a task is its processor's power times a number that does not depend on it, that of a move its link's bandwidth
//! over the size of the data. So with the derivatives of the throughput `X` by all rates, which are exact and take one more
//! solution, that by a power `c` or a bandwidth is
//!
//! ```text
//! dX/dc = sum over the rates r on it of  dX/dr r / c
//! ```
//!
//! The *elasticity* is `dX/dc c / X`: by how many hundredths `X` rises for one hundredth more of `c`. Elasticities compare powers
//! with bandwidths, and add up to one, since `X` doubles when all rates do (Euler).

use std::collections::BTreeMap;

use num_traits::Zero;
use skel_core::number::{Number, Ratio};
use skel_solve::Error;

use super::resource::Resource;
use crate::evaluate::{Planner, Slopes};
use crate::program::{Mapping, Rates};

/// What a little more of one resource would bring.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sensitivity<N> {
    /// The processor or the link.
    pub resource: Resource,
    /// Its power, in units of work per second, or its bandwidth, in bytes per second.
    pub value: Ratio,
    /// Items per second for each unit more.
    pub derivative: N,
    /// Hundredths of the throughput for each hundredth more.
    pub elasticity: N,
}

impl Planner {
    /// What a little more of each resource that a mapping uses would bring, what brings most first. Others bring nothing.
    ///
    /// # Errors
    /// As [`Planner::evaluate`], or no method found the derivatives for certain.
    ///
    /// # Examples
    /// ```
    /// use skel_plan::*;
    /// let processors = [10, 10].map(|power| Processor::new(Power::per_second(power)));
    /// let bandwidth = Bandwidth::bytes_per_second;
    /// let platform = Platform::new(processors, &Links::everywhere(bandwidth(1)).within(bandwidth(10_000)))?;
    /// let stages = [1, 1].map(|work| Stage::new(Work::units(work)));
    /// let planner = Planner::new(Application::pipeline(stages, Data::bytes(1))?, platform);
    /// let first = &planner.sensitivities(&Mapping::new([1, 2]))?[0];
    /// assert_eq!(first.resource, Resource::Link(1.into(), 2.into()));
    /// assert!(first.elasticity > 0.8);
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn sensitivities(&self, mapping: &Mapping) -> Result<Vec<Sensitivity<f64>>, Error> {
        let rates = self.rates(mapping)?;
        let slopes = self.space().slopes(&rates, self.limits(), self.options())?;
        Ok(self.sum_by_resource(mapping, &rates, slopes))
    }

    /// As [`Self::sensitivities`], as exact fractions: for up to some hundred states.
    ///
    /// # Errors
    /// As [`Self::sensitivities`].
    ///
    /// # Examples
    /// ```
    /// # use skel_plan::*;
    /// use skel_core::number::ratio;
    /// let processors = [Processor::new(Power::per_second(10))];
    /// let platform = Platform::new(processors, &Links::everywhere(Bandwidth::bytes_per_second(1)))?;
    /// let application = Application::pipeline([Stage::new(Work::units(1))], Data::bytes(1))?;
    /// // The throughput is 1 / (2 / bandwidth + 1 / power).
    /// let all = Planner::new(application, platform).sensitivities_exact(&Mapping::new([1]))?;
    /// assert_eq!((&all[0].elasticity, &all[1].elasticity), (&ratio(20, 21), &ratio(1, 21)));
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn sensitivities_exact(&self, mapping: &Mapping) -> Result<Vec<Sensitivity<Ratio>>, Error> {
        let rates = self.rates(mapping)?;
        let slopes = self.space().slopes_exact(&rates, self.limits())?;
        Ok(self.sum_by_resource(mapping, &rates, slopes))
    }

    /// Gathers the derivatives by rates under the resources that the rates belong to.
    fn sum_by_resource<N: Number>(
        &self,
        mapping: &Mapping,
        rates: &Rates,
        slopes: Slopes<N>,
    ) -> Vec<Sensitivity<N>> {
        let hosts = mapping.processors().iter().map(|&host| Resource::Processor(host));
        let links = self.application().moves();
        let links =
            links.map(|(from, to)| Resource::Link(mapping.processor_at(from), mapping.processor_at(to)));
        let rates = rates.tasks.iter().chain(&rates.moves);
        // Per resource the sum of dX/dr r.
        let mut sums: BTreeMap<Resource, N> = BTreeMap::new();
        for ((resource, rate), slope) in hosts.chain(links).zip(rates).zip(slopes.by_rate) {
            let sum = sums.entry(resource).or_insert_with(N::zero);
            *sum = sum.clone() + slope * N::from_ratio(rate);
        }
        let mut all: Vec<Sensitivity<N>> = Vec::with_capacity(sums.len());
        for (resource, sum) in sums {
            let value = self.value_of(resource);
            let derivative = sum.clone() / N::from_ratio(&value);
            let elasticity = sum / slopes.throughput.clone();
            all.push(Sensitivity { resource, value, derivative, elasticity });
        }
        let size = |one: &Sensitivity<N>| one.elasticity.to_float();
        all.sort_by(|left, right| size(right).total_cmp(&size(left)));
        all
    }

    fn value_of(&self, resource: Resource) -> Ratio {
        match resource {
            Resource::Processor(id) => self.platform().power(id).clone(),
            Resource::Link(from, to) => {
                self.platform().bandwidth(from, to).cloned().unwrap_or_else(Ratio::zero)
            }
        }
    }
}
