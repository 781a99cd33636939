//! What flows into each state too much, in about twice the digits of `f64`.

use std::ops::Range;

use super::codes::RateCode;
use super::triangles::TriangularParts;
use super::{BETWEEN_STOPS, Context, Pass, TransposedRates};
use crate::team::together;

/// A number in two parts, of which the second is what rounding took from the first.
#[derive(Clone, Copy, Default)]
struct Pair {
    high: f64,
    low: f64,
}

impl Pair {
    /// Adds a number. What that rounds away is kept.
    #[inline]
    fn add(&mut self, value: f64) {
        let sum = self.high + value;
        let taken = sum - self.high;
        self.low += (self.high - (sum - taken)) + (value - taken);
        self.high = sum;
    }

    /// Adds a product, of which one factor is in two parts.
    #[inline]
    fn add_product(&mut self, rate: f64, (high, low): (f64, f64)) {
        let product = rate * high;
        self.low += rate.mul_add(high, -product) + rate * low;
        self.add(product);
    }

    fn value(self) -> f64 {
        self.high + self.low
    }
}

impl TransposedRates {
    /// By how much the sum of the rates out of each state is larger than its exit rate, which is that sum
    /// rounded.
    pub(crate) fn exit_remainders(&self) -> Vec<f64> {
        let mut outflows = vec![Pair::default(); self.exits.len()];
        self.do_with(Outflows(&mut outflows));
        let known = outflows.iter().zip(&self.exits);
        known.map(|(outflow, exit)| (outflow.high - exit) + outflow.low).collect()
    }

    /// What flows into each state too much, for probabilities in two parts and the remainders of the exit
    /// rates.
    pub(crate) fn net_exactly(&self, pi: [&[f64]; 2], remainders: &[f64], net: &mut [f64]) {
        self.do_with(Net { pi, remainders, net });
    }
}

struct Outflows<'x>(&'x mut [Pair]);

impl Pass for Outflows<'_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        for triangle in [&rates.earlier, &rates.later] {
            for (&from, rate) in triangle.columns.iter().zip(&triangle.values) {
                self.0[from as usize].add(rate.rate(context.table));
            }
        }
    }
}

struct Net<'x> {
    pi: [&'x [f64]; 2],
    remainders: &'x [f64],
    net: &'x mut [f64],
}

impl Pass for Net<'_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        let Net { pi, remainders, net } = self;
        let task = Task { pi, remainders, context };
        match context.together() {
            Some(schedule) => together(schedule.parts(net), |(chunks, net), _| {
                let rows = rates.earlier_rows(schedule, chunks.clone());
                let rows = rows.zip(rates.later_rows(schedule, chunks.clone()));
                task.net_of(rows, (schedule.states_of(chunks), net));
            }),
            None => task.net_of(rates.earlier.rows().zip(rates.later.rows()), (0..net.len(), net)),
        }
    }
}

/// What net flows are computed from.
struct Task<'t> {
    pi: [&'t [f64]; 2],
    remainders: &'t [f64],
    context: &'t Context<'t>,
}

impl Task<'_> {
    /// The net flows of some states, whose rows these are.
    fn net_of<'r, V: RateCode + 'r>(
        &self,
        mut rows: impl Iterator<Item = ((&'r [u32], &'r [V]), (&'r [u32], &'r [V]))>,
        (states, net): (Range<usize>, &mut [f64]),
    ) {
        let Task { pi: [high, low], remainders, context } = self;
        let value = |state: usize| (high[state], low[state]);
        for (first, net) in states.step_by(BETWEEN_STOPS).zip(net.chunks_mut(BETWEEN_STOPS)) {
            if context.stop.is_due() {
                return;
            }
            for ((state, net), (earlier, later)) in (first..).zip(net).zip(&mut rows) {
                let mut sum = Pair::default();
                for (columns, values) in [earlier, later] {
                    for (&from, rate) in columns.iter().zip(values) {
                        sum.add_product(rate.rate(context.table), value(from as usize));
                    }
                }
                sum.add_product(-context.exits[state], value(state));
                sum.add_product(-remainders[state], value(state));
                *net = sum.value();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use num_traits::{Signed, ToPrimitive, Zero};
    use skel_core::number::Ratio;

    use crate::limits::{Limits, Watch};
    use crate::operator::transposed::TransposedRates;
    use crate::random_chain::{Draw, stiff, tandem};

    fn exact(value: f64) -> Ratio {
        Ratio::from_float(value).unwrap()
    }

    /// What flows into each state too much, and all that flows there, in fractions.
    fn in_fractions(rows: &[Vec<(u32, f64)>], pi: &[Ratio]) -> Vec<[Ratio; 2]> {
        let mut nets = vec![[Ratio::zero(), Ratio::zero()]; pi.len()];
        for (from, row) in rows.iter().enumerate() {
            for &(to, rate) in row {
                let flow = exact(rate) * &pi[from];
                let [net, all] = &mut nets[to as usize];
                (*net, *all) = (&*net + &flow, &*all + &flow);
                let [net, all] = &mut nets[from];
                (*net, *all) = (&*net - &flow, &*all + &flow);
            }
        }
        nets
    }

    /// Where a chain is balanced to 16 digits, what is left of it is right to digits that `f64` alone cannot
    /// tell.
    #[test]
    fn nets_are_those_in_fractions_to_twice_the_digits() {
        let limits = Limits::default();
        for seed in 0..100 {
            let mut draw = Draw(seed);
            let rows = if seed % 2 == 0 { stiff(&mut draw) } else { tandem(&mut draw) };
            let chain = TransposedRates::of_lists(&rows, &mut Watch::start(&limits));
            let mut high: Vec<f64> = (0..rows.len()).map(|_| draw.rate(2.0)).collect();
            for _ in 0..50 {
                chain.sweep_backwards(&mut high);
            }
            let low: Vec<f64> = high.iter().map(|value| value * 1e-16 * (draw.share() - 0.5)).collect();
            let pi: Vec<Ratio> =
                high.iter().zip(&low).map(|(high, low)| exact(*high) + exact(*low)).collect();
            let mut net = vec![7.0; rows.len()];
            chain.net_exactly([&high, &low], &chain.exit_remainders(), &mut net);
            for (found, [expected, all]) in net.iter().zip(in_fractions(&rows, &pi)) {
                let off = (exact(*found) - &expected).abs();
                let allowed = expected.abs() * exact(2.0_f64.powi(-52)) + all * exact(1e-29);
                assert!(off <= allowed, "{seed}: {found:e}, not {:e}", expected.to_f64().unwrap());
            }
        }
    }
}
