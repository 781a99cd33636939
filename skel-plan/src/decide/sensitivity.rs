//! What to buy first: how much faster the program becomes if a processor has a little more power, or a link a
//! little more bandwidth.
//!
//! The rate of a task is the power of its processor times a number that does not depend on the power. If its
//! time is not exponential, so are the rates of its phases, which are multiples of it. The rate of a move is
//! the bandwidth of its link, divided by the size of the data. A link whose times are those of a
//! communication model has no bandwidth; in its place stands its speed, which is 1 as the model has it, and
//! all rates on it are multiples of that. The derivatives of the throughput `X` by all rates take one more
//! solution. From these follows the derivative by a power, a bandwidth or a speed `c`:
//!
//! ```text
//! dX/dc = sum over the rates r on it of  dX/dr r / c
//! ```
//!
//! The *elasticity* is `dX/dc c / X`. If `c` grows by one percent, `X` grows by that many percent.
//! Elasticities have no unit, so those of powers and of bandwidths can be compared. They add up to one,
//! because `X` doubles when all rates double (Euler's theorem on homogeneous functions).
//!
//! A link with a model takes `L + g(m)` for an item, and more bandwidth makes only `g(m)` shorter. So its
//! elasticity has two parts: that of the latency is the sum above with the factor `L / (L + g(m))` in each
//! term, and the rest is that of the bandwidth.

use std::collections::BTreeMap;

use num_traits::{One, Zero};
use skel_core::number::{Number, Ratio};
use skel_solve::Error;

use super::resource::Resource;
use crate::evaluate::{Planner, Slopes};
use crate::program::{Mapping, Rates};

/// How the throughput depends on one processor or one link.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sensitivity<N> {
    /// The processor or the link.
    pub resource: Resource,
    /// Its power, in units of work per second, or its bandwidth, in bytes per second; or the speed of a link
    /// with a communication model, in units of the speed that it has, so 1.
    pub value: Ratio,
    /// The derivative of the throughput by that value: items per second for each further unit.
    pub derivative: N,
    /// The elasticity: by how many percent the throughput grows if the value grows by one percent.
    pub elasticity: N,
    /// The part of the elasticity that is due to latency: by how many percent the throughput grows if the
    /// latency of the link, and nothing else, becomes one percent shorter. Processors, and links that are
    /// described by a bandwidth, have none.
    pub of_latency: N,
}

impl Planner {
    /// How the throughput depends on each processor and each link that a mapping uses. What brings most is
    /// first.
    ///
    /// # Errors
    /// As [`Planner::evaluate`]. It is also an error if no method finds the derivatives with certainty.
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

    /// As [`Self::sensitivities`], in exact fractions. It is meant for models of up to some hundred states.
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

    /// Adds the derivatives by rates up to derivatives by the resources that the rates depend on.
    fn sum_by_resource<N: Number>(
        &self,
        mapping: &Mapping,
        rates: &Rates,
        slopes: Slopes<N>,
    ) -> Vec<Sensitivity<N>> {
        let hosts = mapping.processors().iter().map(|&host| (Resource::Processor(host), Ratio::zero()));
        let moves = self.application().moves.iter().map(|one| {
            let (from, to) = (mapping.processor_at(one.from), mapping.processor_at(one.to));
            // There are rates, so the link is there and has a time for the item.
            let link = self.platform().link(from, to);
            let part = link.and_then(|link| link.part_of_latency(&one.size).ok());
            (Resource::Link(from, to), part.unwrap_or_else(Ratio::zero))
        });
        let rates = rates.tasks.iter().chain(&rates.moves);
        // Per resource the sum of dX/dr r, and its part that is due to latency.
        let mut sums: BTreeMap<Resource, [N; 2]> = BTreeMap::new();
        for (((resource, part), rate), slope) in hosts.chain(moves).zip(rates).zip(slopes.by_rate) {
            let term = slope * N::from_ratio(rate);
            let [sum, of_latency] = sums.entry(resource).or_insert_with(|| [N::zero(), N::zero()]);
            *sum = sum.clone() + term.clone();
            *of_latency = of_latency.clone() + term * N::from_ratio(&part);
        }
        let mut all: Vec<Sensitivity<N>> = Vec::with_capacity(sums.len());
        for (resource, [sum, of_latency]) in sums {
            let value = self.value_of(resource);
            let derivative = sum.clone() / N::from_ratio(&value);
            let [elasticity, of_latency] = [sum, of_latency].map(|one| one / slopes.throughput.clone());
            all.push(Sensitivity { resource, value, derivative, elasticity, of_latency });
        }
        let size = |one: &Sensitivity<N>| one.elasticity.to_float();
        all.sort_by(|left, right| size(right).total_cmp(&size(left)));
        all
    }

    fn value_of(&self, resource: Resource) -> Ratio {
        match resource {
            Resource::Processor(id) => self.platform().power(id).clone(),
            Resource::Link(from, to) => {
                self.platform().bandwidth(from, to).cloned().unwrap_or_else(Ratio::one)
            }
        }
    }
}
