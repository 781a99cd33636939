//! The triangular factors that an elimination leaves, for solutions with any right side.
//!
//! With `D` for the exit rates and `N` for the rates between states, `D - N = (I - B E^-1) (E - O)`: of each
//! state when it is eliminated, `E` has the rate at which it is left, `B` the rates into it from later states,
//! and `O` those from it to later ones. All of them are sums of products of positive numbers. The last state
//! to be eliminated is one that only takes up what leaves the others, so that its row and column of `D - N`
//! are not solved for.
//!
//! The rates are kept as `f32`, since the factors serve as a preconditioner. `E` is summed from the rates as
//! they are kept. So a rate into the last state keeps its seven digits, however slow it is beside the others.
//! All rates are multiplied by a power of two that brings the largest near one. Cost of a solution: a pass
//! over `O` and one over `B`. Memory: 8 bytes for each entry of the pattern.

use super::fronts::Fronts;
use super::fronts::reduction::{self, Reduced, Task};
use super::{Keep, Unsolved, fronts};
use crate::chain::Generator;
use crate::limits::Watch;
use crate::vector::worst;

/// The factors of a chain whose last state takes up what leaves the others.
pub(crate) struct Factors {
    fronts: Fronts,
    /// Where the rates of each front begin in both lists, and where those of the last one end.
    starts: Vec<usize>,
    /// Front by front and row by row the rates into the places of the front.
    back: Vec<f32>,
    /// Front by front and row by row the rates from the places of the front onward.
    onward: Vec<f32>,
    /// Per place the rate at which it is left.
    exits: Vec<f64>,
    /// The power of two by which rates were multiplied.
    scale: f64,
}

impl Factors {
    /// Eliminates the states of a chain, the last one at the end, within so many bytes and multiplications.
    pub(crate) fn of(
        generator: &Generator<f64>,
        [bytes, work]: [u64; 2],
        watch: &mut Watch<'_>,
    ) -> Result<Factors, Unsolved> {
        let last = generator.states() as u32 - 1;
        let prepared = fronts(generator, Some(last), Keep::Both, [bytes, work], watch)?;
        let task = Task::new(&prepared.fronts, (generator, &prepared.incoming), Keep::Both);
        let Reduced { back, onward, exits, .. } = reduction::reduce(&task, prepared.room, watch)?;
        drop(task);
        let fronts = prepared.fronts;
        let scale = f64::exp2(-worst(&exits).log2().floor());
        let narrow =
            |rates: Vec<f64>| rates.into_iter().map(|rate| (scale * rate) as f32).collect::<Vec<_>>();
        let [back, onward] = [back, onward].map(narrow);
        let entries = (0..fronts.count()).scan(0, |end, front| {
            *end += fronts.entries_of(front..front + 1);
            Some(*end)
        });
        let starts = std::iter::once(0).chain(entries).collect();
        let exits = self::exits(&fronts, &onward);
        Ok(Factors { fronts, starts, back, onward, exits, scale })
    }

    /// The states by their places, but for the last one. Solutions go by places.
    pub(crate) fn states(&self) -> &[u32] {
        &self.fronts.states[..self.fronts.states.len() - 1]
    }

    /// The bytes that they take.
    pub(crate) fn memory(&self) -> u64 {
        let of_rates = size_of_val(&*self.back) + size_of_val(&*self.onward);
        (of_rates + size_of_val(&*self.exits) + size_of_val(&*self.starts)) as u64 + self.fronts.memory()
    }

    /// Multiplies a right side like the rates, and adds a value of the last state, which is of no use.
    fn begin(&self, x: &mut Vec<f64>) {
        x.iter_mut().for_each(|value| *value *= self.scale);
        x.push(0.0);
    }

    /// `x := x (D - N)^-1`, by places.
    pub(crate) fn solve(&self, x: &mut Vec<f64>, work: &mut Vec<f64>) {
        self.begin(x);
        for front in 0..self.fronts.count() {
            let (places, border) = (self.fronts.places(front), self.fronts.border(front));
            let mut onward = &self.onward[self.starts[front]..self.starts[front + 1]];
            work.clear();
            work.resize(border.len(), 0.0);
            for place in places.clone() {
                x[place] /= self.exits[place];
                let value = x[place];
                let (inside, rest) = onward.split_at(places.end - place - 1);
                let (outside, rest) = rest.split_at(border.len());
                add_multiples(&mut x[place + 1..places.end], value, inside);
                add_multiples(work, value, outside);
                onward = rest;
            }
            border.iter().zip(&*work).for_each(|(&place, sum)| x[place as usize] += sum);
        }
        for front in (0..self.fronts.count()).rev() {
            let (places, border) = (self.fronts.places(front), self.fronts.border(front));
            let back = &self.back[self.starts[front]..self.starts[front + 1]];
            let (inside, outside) = back.split_at(back.len() - places.len() * border.len());
            work.clear();
            work.resize(places.len(), 0.0);
            for (&place, rates) in border.iter().zip(outside.chunks_exact(places.len())) {
                add_multiples(work, x[place as usize], rates);
            }
            let mut end = inside.len();
            for (at, place) in places.enumerate().rev() {
                x[place] += work[at] / self.exits[place];
                add_multiples(&mut work[..at], x[place], &inside[end - at..end]);
                end -= at;
            }
        }
        x.pop();
    }

    /// `x := (D - N)^-1 x`, by places.
    pub(crate) fn solve_dual(&self, x: &mut Vec<f64>, work: &mut Vec<f64>) {
        self.begin(x);
        for front in 0..self.fronts.count() {
            let (places, border) = (self.fronts.places(front), self.fronts.border(front));
            let back = &self.back[self.starts[front]..self.starts[front + 1]];
            let (mut inside, outside) = back.split_at(back.len() - places.len() * border.len());
            work.clear();
            for (at, place) in places.clone().enumerate() {
                let (rates, rest) = inside.split_at(at);
                x[place] += product(work, rates);
                work.push(x[place] / self.exits[place]);
                inside = rest;
            }
            for (&place, rates) in border.iter().zip(outside.chunks_exact(places.len())) {
                x[place as usize] += product(work, rates);
            }
        }
        for front in (0..self.fronts.count()).rev() {
            let (places, border) = (self.fronts.places(front), self.fronts.border(front));
            let onward = &self.onward[self.starts[front]..self.starts[front + 1]];
            work.clear();
            work.extend(border.iter().map(|&place| x[place as usize]));
            let mut end = onward.len();
            for place in places.clone().rev() {
                let later = &x[place + 1..places.end];
                let (inside, outside) = onward[end - later.len() - work.len()..end].split_at(later.len());
                end -= later.len() + work.len();
                x[place] = (x[place] + product(later, inside) + product(work, outside)) / self.exits[place];
            }
        }
        x.pop();
    }
}

/// Per place the rate at which it is left: the sum of its rates onward. The last one is not left, and nothing
/// comes from it.
fn exits(fronts: &Fronts, mut onward: &[f32]) -> Vec<f64> {
    let mut exits = Vec::with_capacity(fronts.states.len());
    for front in 0..fronts.count() {
        let (places, border) = (fronts.places(front), fronts.border(front).len());
        for later in (border..border + places.len()).rev() {
            let (rates, rest) = onward.split_at(later);
            exits.push(if later == 0 { 1.0 } else { rates.iter().map(|&rate| f64::from(rate)).sum() });
            onward = rest;
        }
    }
    exits
}

fn add_multiples(sums: &mut [f64], factor: f64, rates: &[f32]) {
    sums.iter_mut().zip(rates).for_each(|(sum, rate)| *sum += factor * f64::from(*rate));
}

/// The sum of the products of values and rates, four at a time.
fn product(values: &[f64], rates: &[f32]) -> f64 {
    let ((values, values_left), (rates, rates_left)) = (values.as_chunks::<4>(), rates.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (values, rates) in values.iter().zip(rates) {
        for ((sum, value), rate) in sums.iter_mut().zip(values).zip(rates) {
            *sum += value * f64::from(*rate);
        }
    }
    let left = values_left.iter().zip(rates_left).map(|(value, rate)| value * f64::from(*rate)).sum::<f64>();
    sums.iter().sum::<f64>() + left
}
