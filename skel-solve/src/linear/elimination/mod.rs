//! Grassmann, Taksar and Heyman's elimination, sparse: a direct method without subtraction.
//!
//! Eliminating a state replaces the ways through it by direct rates: with `P(k, j)` the probability to go from `k` on
//! to `j` among the states that are left, `q(i, j) += q(i, k) P(k, j)`. Only sums, products and quotients of positive
//! numbers occur, so no digits cancel: in `f64` every probability is right but for the last few digits, however
//! stiff the chain (C. A. O'Cinneide, Numer. Math. 65 (1993)). In rationals it is exact: for the [bias](crate::steady::bias) of
//! rewards, and the reference for tests of [`exact`](crate::linear::modular), which is faster. Going back, `pi(k) = sum of
//! pi(i) q(i, k) / exit(k)` over the states that were left.
//!
//! The order is one of minimum [degree](crate::linear::elimination::ordering), and states go in [fronts](crate::linear::elimination::fronts): full matrices, in which
//! the inner loop runs over neighbouring numbers, four products for each. A front adds up the rates of the chain that are its
//! own and what the fronts before it left, eliminates its states, and leaves the rates among its border to its parent. For
//! the way back only the rates into eliminated states are kept; for a bias the rates onward too.
//!
//! The cost is known in advance: `n` times a constant for a chain in one dimension, and `n^3 / 3` multiplications for a full
//! matrix, some 0.3 ns each. In rationals the digits grow too. Memory: a number for each entry of the pattern, and the fronts
//! that wait for their parents. W. K. Grassmann, M. I. Taksar, D. P. Heyman, Operations Research 33 (1985).

pub(crate) mod band;
pub(crate) mod extended_float;
pub(crate) mod fronts;
pub(crate) mod number;
pub(crate) mod ordering;
pub(crate) mod profile;
mod wavefront;
pub(crate) mod worth;

use std::ops::Range;

use num_traits::Zero;

use crate::chain::{Generator, Matrix};
use crate::error::{Error, Reached, Stopped};
use crate::limits::{Limit, Progress, Watch};
use crate::linear::elimination::fronts::Fronts;
use crate::linear::elimination::number::Scalar;
use crate::linear::elimination::ordering::{Price, Refusal};
use crate::linear::elimination::wavefront::Wave;

/// A row of at least so many entries is worth a look at the clock; in exact numbers, any is.
const WORTH_A_LOOK: usize = 64;

/// Small fronts between two looks at the clock.
const BETWEEN_FRONTS: usize = 64;

/// Why there is no solution.
pub(crate) enum Unsolved {
    Stopped(Error),
    /// It would cost more than it may.
    Price,
}

/// What an elimination keeps for the way back.
#[derive(Clone, Copy, PartialEq)]
enum Keep {
    /// The rates into eliminated places: for the probabilities.
    Back,
    /// The rates onward from them too: for a bias.
    Both,
}

/// The steady state of an irreducible chain, within so many bytes and multiplications.
pub(crate) fn solve<N: Scalar>(
    generator: &Generator<N>,
    bytes: u64,
    work: u64,
    watch: &mut Watch<'_>,
) -> Result<Vec<N>, Unsolved> {
    let (fronts, incoming) = fronts(generator, Keep::Back, [bytes, work], watch)?;
    Elimination::new(&fronts, generator, incoming, Keep::Back, watch)?.substitute(watch)
}

/// The mean of rewards in the steady state of an irreducible chain, and their [bias](crate::steady::bias), zero in some state; within
/// so many bytes and multiplications.
pub(crate) fn bias<N: Scalar>(
    generator: &Generator<N>,
    rewards: &[N],
    bytes: u64,
    work: u64,
    watch: &mut Watch<'_>,
) -> Result<(N, Vec<N>), Unsolved> {
    let (fronts, incoming) = fronts(generator, Keep::Both, [bytes, work], watch)?;
    Elimination::new(&fronts, generator, incoming, Keep::Both, watch)?.bias(rewards, watch)
}

/// The fronts of an elimination that stays within so many bytes and multiplications, and the rates by their targets.
fn fronts<N: Scalar>(
    generator: &Generator<N>,
    keep: Keep,
    [bytes, work]: [u64; 2],
    watch: &mut Watch<'_>,
) -> Result<(Fronts, Matrix<N>), Unsolved> {
    let most = Price { entries: bytes / size_of::<N>() as u64, work };
    let incoming = generator.matrix().transposed();
    let of = generator.states() as u64;
    let wave = Wave::new(generator.matrix(), &incoming, watch)
        .map_err(|limit| Unsolved::Stopped(stopped(limit, 0, of)))?;
    let fronts = match wave.is_longer_than_wide() && wave.price.is_within(most) {
        true if wave.is_narrow() => wave.fronts(),
        // What is nearly as wide as long, as a grid of two dimensions, may cost less.
        true => match least_degrees(generator, Price { work: wave.price.work, ..most }, watch) {
            Err(Unsolved::Price) => wave.fronts(),
            fronts => fronts?,
        },
        false => least_degrees(generator, most, watch)?,
    };
    let onward = if keep == Keep::Both { fronts.entries() as u64 } else { 0 };
    match fronts.most_numbers() + onward <= most.entries {
        true => Ok((fronts, incoming)),
        false => Err(Unsolved::Price),
    }
}

fn least_degrees<N: Scalar>(
    generator: &Generator<N>,
    most: Price,
    watch: &mut Watch<'_>,
) -> Result<Fronts, Unsolved> {
    let fronts = ordering::order(generator.matrix(), most, watch).map_err(|refusal| match refusal {
        Refusal::Limit(limit) => Unsolved::Stopped(stopped(limit, 0, generator.states() as u64)),
        Refusal::Price => Unsolved::Price,
    })?;
    Ok(fronts.merged())
}

/// What an elimination of an irreducible chain costs at most, where that is known without an ordering: unless the chain is far wider
/// than long. Linear in the rates.
pub(crate) fn price(generator: &Generator<f64>, watch: &mut Watch<'_>) -> Result<Option<Price>, Stopped> {
    let wave = Wave::new(generator.matrix(), &generator.matrix().transposed(), watch)
        .map_err(|limit| Stopped { limit, reached: Reached::Preparing })?;
    Ok((!wave.is_given_up).then_some(wave.price))
}

/// The bytes that an elimination takes beside its fronts: the graph and the lists of the ordering, then the rates by targets.
pub(crate) fn memory<N>(states: usize, entries: usize) -> u64 {
    const PER_STATE: usize = 160;
    (states * (PER_STATE + 2 * size_of::<N>()) + entries * 16) as u64
}

/// The reduced rates.
struct Elimination<'f, N> {
    fronts: &'f Fronts,
    generator: &'f Generator<N>,
    /// The rates by their targets.
    incoming: Matrix<N>,
    parents: Vec<Option<usize>>,
    /// Per front those that it takes over.
    left: Vec<Vec<Left<N>>>,
    /// Front by front and row by row the rates into the places of the front, when these are eliminated.
    back: Vec<N>,
    /// Front by front and row by row the rates from the places of the front onward, when these are eliminated; where kept.
    onward: Vec<N>,
    keep: Keep,
    exits: Vec<N>,
    /// Where the front's places have their rows and columns in it.
    rows: Vec<u32>,
    /// The front; memory that is used again.
    front: Vec<N>,
    /// Of some rows, where one goes next.
    next: Vec<N>,
}

/// What a front leaves: rates among its border.
struct Left<N> {
    front: usize,
    rates: Vec<N>,
}

/// Products that are added to a sum at once.
const AT_ONCE: usize = 4;

/// Rows that are eliminated before those behind them follow: so many stay in the cache.
const TOGETHER: usize = 32;

impl<'f, N: Scalar> Elimination<'f, N> {
    fn new(
        fronts: &'f Fronts,
        generator: &'f Generator<N>,
        incoming: Matrix<N>,
        keep: Keep,
        watch: &mut Watch<'_>,
    ) -> Result<Self, Unsolved> {
        let count = fronts.states.len();
        let onward = if keep == Keep::Both { fronts.entries() } else { 0 };
        let mut elimination = Elimination {
            fronts,
            generator,
            incoming,
            parents: fronts.parents(),
            left: std::iter::repeat_with(Vec::new).take(fronts.count()).collect(),
            back: Vec::with_capacity(fronts.entries()),
            onward: Vec::with_capacity(onward),
            keep,
            exits: Vec::with_capacity(count),
            rows: vec![0; count],
            front: Vec::new(),
            next: Vec::new(),
        };
        for front in 0..fronts.count() {
            elimination.eliminate(front, watch)?;
        }
        Ok(elimination)
    }

    fn eliminate(&mut self, front: usize, watch: &mut Watch<'_>) -> Result<(), Unsolved> {
        let (places, border) = (self.fronts.places(front), self.fronts.border(front));
        let size = places.len() + border.len();
        for (row, place) in places.clone().chain(border.iter().map(|&place| place as usize)).enumerate() {
            self.rows[place] = row as u32;
        }
        if front.is_multiple_of(BETWEEN_FRONTS) || N::IS_EXACT {
            look(watch, self.exits.len() as u64, self.rows.len() as u64)?;
        }
        self.front.clear();
        self.front.resize(size * size, N::zero());
        self.read_rates(&places, size);
        for left in std::mem::take(&mut self.left[front]) {
            self.take_over(&left, size);
        }
        for first in (0..places.len()).step_by(TOGETHER) {
            self.reduce(first..places.len().min(first + TOGETHER), size, watch)?;
        }
        self.keep(front, places.len(), size);
        Ok(())
    }

    /// The rates of the chain that are the front's own: out of and into its places.
    fn read_rates(&mut self, places: &Range<usize>, size: usize) {
        let fronts = self.fronts;
        for place in places.clone() {
            let (state, at) = (fronts.states[place] as usize, place - places.start);
            for (target, rate) in self.generator.rates_from(state) {
                let target = fronts.places[target] as usize;
                if target >= places.start {
                    self.front[at * size + self.rows[target] as usize] = rate.clone();
                }
            }
            for (source, rate) in self.incoming.row(state) {
                let source = fronts.places[source] as usize;
                if source >= places.end {
                    self.front[self.rows[source] as usize * size + at] = rate.clone();
                }
            }
        }
    }

    /// Adds what an earlier front left.
    fn take_over(&mut self, left: &Left<N>, size: usize) {
        let border = self.fronts.border(left.front);
        let mut runs = Vec::new();
        let mut start = 0;
        for at in 1..=border.len() {
            let row = |at: usize| self.rows[border[at] as usize] as usize;
            if at == border.len() || row(at) != row(at - 1) + 1 {
                runs.push((start..at, row(start)));
                start = at;
            }
        }
        for (&place, rates) in border.iter().zip(left.rates.chunks_exact(border.len())) {
            let row = &mut self.front[self.rows[place as usize] as usize * size..][..size];
            for (run, first) in &runs {
                for (sum, rate) in row[*first..].iter_mut().zip(&rates[run.clone()]) {
                    *sum = sum.clone() + rate.clone();
                }
            }
        }
    }

    /// Eliminates some rows from all behind them.
    fn reduce(&mut self, rows: Range<usize>, size: usize, watch: &mut Watch<'_>) -> Result<(), Unsolved> {
        self.next.clear();
        self.next.resize(rows.len() * size, N::zero());
        for at in rows.clone() {
            let row = &mut self.front[at * size..][..size];
            pass_on_of_one(row, rows.start..at, &self.next);
            // What came back to the state itself is no way out.
            let out = &row[at + 1..];
            let exit = out.iter().fold(N::zero(), |sum, rate| sum + rate.clone());
            let next = &mut self.next[(at - rows.start) * size..][at + 1..size];
            for (probability, rate) in next.iter_mut().zip(out) {
                *probability = rate.clone() / exit.clone();
            }
            self.exits.push(exit);
        }
        for pair in self.front[rows.end * size..].chunks_mut(2 * size) {
            if size >= WORTH_A_LOOK || N::IS_EXACT {
                look(watch, self.exits.len() as u64, self.rows.len() as u64)?;
            }
            match pair.len() > size {
                true => pass_on(pair, &rows, &self.next),
                false => pass_on_of_one(pair, rows.clone(), &self.next),
            }
        }
        Ok(())
    }

    /// Keeps the rates for the way back, and leaves those among the border to the parent.
    fn keep(&mut self, front: usize, places: usize, size: usize) {
        let mut rates = Vec::with_capacity((size - places) * (size - places));
        for (at, row) in self.front.chunks_exact(size).enumerate() {
            self.back.extend_from_slice(&row[..at.min(places)]);
            if at < places && self.keep == Keep::Both {
                self.onward.extend_from_slice(&row[at + 1..]);
            }
            if at >= places {
                rates.extend_from_slice(&row[places..]);
            }
        }
        if let Some(parent) = self.parents[front] {
            self.left[parent].push(Left { front, rates });
        }
    }

    /// The probabilities, in the order of the states.
    fn substitute(&self, watch: &mut Watch<'_>) -> Result<Vec<N>, Unsolved> {
        let count = self.exits.len();
        let mut pi = vec![N::Unscaled::zero(); count];
        pi[count - 1] = N::one().unscaled();
        let mut end = self.back.len();
        for front in (0..self.fronts.count()).rev() {
            let (places, border) = (self.fronts.places(front), self.fronts.border(front));
            if front.is_multiple_of(BETWEEN_FRONTS) || border.len() >= WORTH_A_LOOK || N::IS_EXACT {
                look(watch, count as u64, count as u64)?;
            }
            let rows = places.clone().chain(border.iter().map(|&place| place as usize));
            for (row, place) in rows.enumerate().collect::<Vec<_>>().into_iter().rev() {
                if row < places.len() && place + 1 < count {
                    pi[place] = pi[place].clone() / self.exits[place].unscaled();
                }
                let value = pi[place].clone();
                let start = end - row.min(places.len());
                for (sum, rate) in pi[places.start..].iter_mut().zip(&self.back[start..end]) {
                    if !rate.is_zero() {
                        *sum = sum.clone() + value.clone() * rate.unscaled();
                    }
                }
                end = start;
            }
        }
        let sum = pi.iter().fold(N::Unscaled::zero(), |sum, value| sum + value.clone());
        let mut probabilities = vec![N::zero(); count];
        for (value, &state) in pi.into_iter().zip(&self.fronts.states) {
            probabilities[state as usize] = N::scaled(value / sum.clone());
        }
        Ok(probabilities)
    }

    /// The mean of rewards, and their bias, in the order of the states.
    ///
    /// Eliminating a state hands on what a visit to it brings, its reward and the time it takes, to the states from which it
    /// is visited: sums of products again. The last state then has those of a whole round, and their ratio is the mean.
    fn bias(&self, rewards: &[N], watch: &mut Watch<'_>) -> Result<(N, Vec<N>), Unsolved> {
        let (gains, times) = self.rounds(rewards, watch)?;
        let last = gains.len() - 1;
        let mean = gains[last].clone() / times[last].clone();
        let mut bias = vec![N::zero(); gains.len()];
        let mut end = self.onward.len();
        for front in (0..self.fronts.count()).rev() {
            let (places, border) = (self.fronts.places(front), self.fronts.border(front));
            if front.is_multiple_of(BETWEEN_FRONTS) || border.len() >= WORTH_A_LOOK || N::IS_EXACT {
                look(watch, gains.len() as u64, gains.len() as u64)?;
            }
            for place in places.clone().rev() {
                let later = (place + 1..places.end).chain(border.iter().map(|&place| place as usize));
                let start = end - (places.end - place - 1) - border.len();
                if place < last {
                    let mut sum = gains[place].clone() - mean.clone() * times[place].clone();
                    for (rate, to) in
                        self.onward[start..end].iter().zip(later).filter(|(rate, _)| !rate.is_zero())
                    {
                        sum = sum + rate.clone() * bias[to].clone();
                    }
                    bias[place] = sum / self.exits[place].clone();
                }
                end = start;
            }
        }
        Ok((mean, self.fronts.places.iter().map(|&place| bias[place as usize].clone()).collect()))
    }

    /// Per place what a visit brings with all that is visited before a later place, and the time it takes.
    fn rounds(&self, rewards: &[N], watch: &mut Watch<'_>) -> Result<(Vec<N>, Vec<N>), Unsolved> {
        let of_place = |&state: &u32| rewards[state as usize].clone();
        let mut gains: Vec<N> = self.fronts.states.iter().map(of_place).collect();
        let mut times = vec![N::one(); gains.len()];
        let mut back = self.back.iter();
        for front in 0..self.fronts.count() {
            let (places, border) = (self.fronts.places(front), self.fronts.border(front));
            if front.is_multiple_of(BETWEEN_FRONTS) || border.len() >= WORTH_A_LOOK || N::IS_EXACT {
                look(watch, gains.len() as u64, gains.len() as u64)?;
            }
            let rows = places.clone().chain(border.iter().map(|&place| place as usize));
            for (row, place) in rows.enumerate() {
                for (through, rate) in places.clone().take(row).zip(&mut back) {
                    if !rate.is_zero() {
                        let visits = rate.clone() / self.exits[through].clone();
                        gains[place] = gains[place].clone() + visits.clone() * gains[through].clone();
                        times[place] = times[place].clone() + visits * times[through].clone();
                    }
                }
            }
        }
        Ok((gains, times))
    }
}

/// Spreads the rates of a row into some eliminated places over where one goes from there; `onward` begins with the first.
fn pass_on_of_one<N: Scalar>(row: &mut [N], through: Range<usize>, onward: &[N]) {
    let size = row.len();
    for (through, onward) in through.zip(onward.chunks_exact(size)) {
        spread(row, through, through + 1..size, onward);
    }
}

/// Spreads the rate into an eliminated place over some of those where one goes from there.
fn spread<N: Scalar>(row: &mut [N], through: usize, over: Range<usize>, onward: &[N]) {
    let (rates, later) = row.split_at_mut(over.start);
    if !rates[through].is_zero() {
        let sums = later.iter_mut().zip(&onward[over]);
        sums.for_each(|(sum, probability)| N::add_product(sum, &rates[through], probability));
    }
}

/// The same for two rows.
fn pass_on<N: Scalar>(pair: &mut [N], through: &Range<usize>, onward: &[N]) {
    let size = pair.len() / 2;
    let (upper, lower) = pair.split_at_mut(size);
    for start in through.clone().step_by(AT_ONCE) {
        let end = through.end.min(start + AT_ONCE);
        let of = |place: usize| &onward[(place - through.start) * size..][..size];
        for row in [&mut *upper, &mut *lower] {
            (start..end).for_each(|place| spread(row, place, place + 1..end, of(place)));
        }
        if end < start + AT_ONCE {
            for row in [&mut *upper, &mut *lower] {
                (start..end).for_each(|place| spread(row, place, end..size, of(place)));
            }
            continue;
        }
        let ([upper, above], [lower, below]) = (split(upper, end), split(lower, end));
        let rates = [&upper[start..], &lower[start..]];
        if !rates.iter().all(|rates| rates.iter().all(N::is_zero)) {
            N::add_rows([above, below], rates, [0, 1, 2, 3].map(|at| &of(start + at)[end..]));
        }
    }
}

fn split<N>(row: &mut [N], at: usize) -> [&mut [N]; 2] {
    row.split_at_mut(at).into()
}

fn look(watch: &mut Watch<'_>, done: u64, of: u64) -> Result<(), Unsolved> {
    watch
        .check(|| Progress::Eliminating { done, of })
        .map_err(|limit| Unsolved::Stopped(stopped(limit, done, of)))
}

fn stopped(limit: Limit, done: u64, of: u64) -> Error {
    Error::Stopped(Stopped { limit, reached: Reached::Eliminating { done, of } })
}
