//! The order in which probability flows: a state comes after those from which it is likely to be entered.
//!
//! Where transitions that a state takes with a probability of at least `t` form no cycle, states can be
//! sorted so that all of these lead onward. Where they do, the strong components are sorted instead, and each
//! is sorted within by the transitions of a larger `t`. So only the least likely transitions lead back, and
//! Gauss-Seidel sees what flows onward in one sweep: a cluster of workstations that fail seldom takes a tenth
//! of the iterations.
//!
//! Strong components: R. E. Tarjan, SIAM J. Comput. 1 (1972). Orders for Gauss-Seidel by the size of entries:
//! W. J. Stewart, Introduction to the Numerical Solution of Markov Chains (1994), 3.3. Time: a few passes
//! over the rates. Memory: 5 bytes a rate, twice while what several threads have found is put together, and
//! 40 a state.

use std::ops::ControlFlow;

use super::Order;
use crate::limits::{BETWEEN_LOOKS, Stopped, Watch};
use crate::operator::RateOperator;
use crate::sorted_list::by_keys;
use crate::team::on_each_of;
use crate::vector::worst;

/// At each level, the transitions with a probability of at least two to this power are looked at. A level
/// below the first saves no iterations, on a cluster of workstations or where failures depend on one another,
/// and takes time. Without the second, the cluster needs six times as many. The second has to be below the
/// probability that a customer comes to one of many queues while another is served, which is `2^-5` where
/// there are 17: with `-5`, a system of 17 takes 1.6 times as long.
const EXPONENTS: [i64; LEVELS as usize] = [-8, -6, -2];

/// The number of levels.
const LEVELS: u8 = 3;

/// Probability goes back and forth where the second level has fewer components than the first of these shares
/// of the states, and the last level fewer than the second. The order says little then: in a call centre and in
/// models drawn at random, sweeps in it stalled as in any other.
const PARTS: f64 = 1.0 / 24.0;
const PARTS_AT_LAST: f64 = 0.97;

/// A transition that a state takes less often than this is unlikely.
const UNLIKELY: f64 = 0.02;

/// The bytes that are taken while states are sorted.
pub(crate) fn memory(states: u64, rates: u64) -> u64 {
    10 * rates + 40 * states
}

/// How a chain flows.
#[derive(Clone, Copy)]
pub(crate) struct Direction {
    /// How many of the transitions are unlikely, as a share: from about a fourth on, probability flows in a
    /// direction.
    pub(crate) unlikely: f64,
    /// The probability that a state is left for an earlier one, in the mean over all states. It is small if
    /// the order of the states is that of the flow.
    pub(crate) back: f64,
}

impl Direction {
    /// Of a chain, by so many threads; `None` if no transition is unlikely. Time: a pass over the rates, and
    /// none where they are alike.
    pub(crate) fn of(chain: &dyn RateOperator, threads: usize) -> Option<Direction> {
        let exits = chain.exits();
        if chain.least_rate() >= UNLIKELY * worst(exits) {
            return None;
        }
        let of_parts = on_each_of(threads, |part| {
            let mut seen = Unlikely::default();
            chain.for_each_rates_in((part, threads), &mut |to, sources, rates| {
                for (&from, rate) in sources.iter().zip(rates) {
                    seen.add(from as usize, to, rate / exits[from as usize]);
                }
                ControlFlow::Continue(())
            });
            seen
        });
        let seen = of_parts.into_iter().fold(Unlikely::default(), Unlikely::and);
        Some(seen.direction(chain.rates(), exits.len()))
    }

    /// The same of a chain whose rates are listed by a function, as for [`RateOperator::for_each_rate`].
    pub(crate) fn of_rates(
        exits: &[f64],
        (rates, least_rate): (u64, f64),
        for_each_rate: impl FnOnce(&mut dyn FnMut(usize, usize, f64)),
    ) -> Option<Direction> {
        if least_rate >= UNLIKELY * worst(exits) {
            return None;
        }
        let mut seen = Unlikely::default();
        for_each_rate(&mut |from, to, rate| seen.add(from, to, rate / exits[from]));
        Some(seen.direction(rates, exits.len()))
    }
}

/// The unlikely transitions among some, and the probabilities of those to earlier states.
#[derive(Clone, Copy, Default)]
struct Unlikely {
    count: u64,
    back: u64,
}

impl Unlikely {
    fn add(&mut self, from: usize, to: usize, probability: f64) {
        self.count += u64::from(probability < UNLIKELY);
        if to < from {
            self.back += (probability * PRECISE + 0.5) as u64;
        }
    }

    fn and(self, other: Unlikely) -> Unlikely {
        Unlikely { count: self.count + other.count, back: self.back + other.back }
    }

    fn direction(&self, rates: u64, states: usize) -> Direction {
        let unlikely = self.count as f64 / rates as f64;
        Direction { unlikely, back: self.back as f64 / PRECISE / states as f64 }
    }
}

/// Probabilities are added up as integers, in units of the inverse of this, so that their sum does not depend
/// on how they are divided among threads.
const PRECISE: f64 = (1_u64 << 32) as f64;

/// Sorts the states of an irreducible chain by its flow; `None` where it flows in no direction. So many
/// threads look at the transitions.
pub(crate) fn by_flow(
    chain: &dyn RateOperator,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<Option<Order>, Stopped> {
    let all = chain.states() as f64;
    let mut are_joined = false;
    let mut entering = Entering::of(chain, threads, watch)?;
    let mut states: Vec<u32> = (0..chain.states() as u32).collect();
    let mut parts = vec![0; chain.states()];
    for level in 1..=LEVELS {
        // Where no transition has been seen for the last time, nothing has changed; and all transitions
        // together join all states.
        if entering.counts[usize::from(level) - 1] == 0 {
            continue;
        }
        if level > 1 {
            entering.keep(&parts, level);
        }
        let (of_states, count) = Search::new(&entering).components(&states, watch)?;
        match level {
            LEVELS if are_joined && count as f64 <= PARTS_AT_LAST * all => return Ok(None),
            2 => are_joined = (count as f64) < PARTS * all,
            _ => {}
        }
        states = by_keys(&of_states, count);
        parts = of_states;
        if count == states.len() {
            break;
        }
    }
    Ok(Some(Order::of_states(states)))
}

/// The transitions into each state that are seen at any level, with the last such level of each.
struct Entering {
    /// Where those into each state end, after a zero.
    offsets: Vec<usize>,
    sources: Vec<u32>,
    levels: Vec<u8>,
    /// How many transitions there are of each level, and how many that are never seen.
    counts: [usize; LEVELS as usize + 1],
}

impl Entering {
    fn of(chain: &dyn RateOperator, threads: usize, watch: &mut Watch<'_>) -> Result<Entering, Stopped> {
        let exits = chain.exits();
        let parts = on_each_of(threads, |part| {
            let mut entering = Entering::with_room_for(chain);
            // Rates come by ascending targets.
            chain.for_each_rates_in((part, threads), &mut |to, sources, rates| {
                entering.add(to, (sources, rates), exits);
                ControlFlow::Continue(())
            });
            entering.levels.iter().for_each(|&level| entering.counts[usize::from(level)] += 1);
            entering
        });
        watch.prepare()?;
        let joined = parts.into_iter().reduce(Entering::with);
        Ok(joined.unwrap_or_else(|| unreachable!("there is at least one part")))
    }

    /// None so far. Pages of memory are taken when they are first written to.
    fn with_room_for(chain: &dyn RateOperator) -> Entering {
        let rates = chain.rates() as usize;
        let mut offsets = Vec::with_capacity(chain.states() + 1);
        offsets.push(0);
        Entering {
            offsets,
            sources: Vec::with_capacity(rates),
            levels: Vec::with_capacity(rates),
            counts: [0; LEVELS as usize + 1],
        }
    }

    /// Adds some of the transitions into a state, after those into earlier ones.
    fn add(&mut self, to: usize, (sources, rates): (&[u32], &[f64]), exits: &[f64]) {
        let Entering { offsets, sources: all, levels, counts } = self;
        let first = all.len();
        offsets.resize(to + 2, first);
        all.extend_from_slice(sources);
        levels.extend(sources.iter().zip(rates).map(|(&from, &rate)| level(rate, exits[from as usize])));
        // There is no branch, since a processor could not foresee which ones are never seen.
        let mut kept = first;
        for at in first..all.len() {
            (all[kept], levels[kept]) = (all[at], levels[at]);
            kept += usize::from(levels[at] > 0);
        }
        counts[0] += all.len() - kept;
        all.truncate(kept);
        levels.truncate(kept);
        offsets[to + 1] = kept;
    }

    /// The same with the transitions into later states.
    fn with(mut self, later: Entering) -> Entering {
        let Entering { offsets, mut sources, mut levels, counts } = later;
        let (known, of_later) = (self.sources.len(), offsets.into_iter().skip(self.offsets.len()));
        self.offsets.extend(of_later.map(|offset| known + offset));
        self.sources.append(&mut sources);
        self.levels.append(&mut levels);
        self.counts.iter_mut().zip(counts).for_each(|(count, of_later)| *count += of_later);
        self
    }

    /// Keeps the transitions within parts that are seen at a level.
    fn keep(&mut self, parts: &[u32], level: u8) {
        let (mut start, mut kept) = (0, 0);
        for (part, end) in parts.iter().zip(&mut self.offsets[1..]) {
            for at in start..*end {
                let source = self.sources[at];
                if self.levels[at] >= level && parts[source as usize] == *part {
                    (self.sources[kept], self.levels[kept]) = (source, self.levels[at]);
                    kept += 1;
                }
            }
            start = std::mem::replace(end, kept);
        }
        self.sources.truncate(kept);
        self.levels.truncate(kept);
    }
}

/// The last level at which a transition with this rate, from a state with this exit rate, is seen, or none.
fn level(rate: f64, exit: f64) -> u8 {
    // The exponent of the quotient, rounded down, without a division: exponents are the highest bits.
    let exponent =
        (rate.to_bits().cast_signed() - exit.to_bits().cast_signed()) >> (f64::MANTISSA_DIGITS - 1);
    EXPONENTS.iter().map(|least| u8::from(exponent >= *least)).sum()
}

/// Stands for the number of a state that is not reached yet.
const NEW: u32 = 0;

/// The search for strong components along transitions, from targets to sources. A component is complete when
/// all from which it is entered are. It keeps one number for each state (D. J. Pearce, Inf. Process. Lett.
/// 116 (2016)).
struct Search<'e> {
    entering: &'e Entering,
    /// Of a state whose component is not complete, the least number that is known to be reached, at least
    /// one. Of any other, the number of its component, counted down from the number of states, so that it is
    /// not less than the number of any state on the way.
    least: Vec<u32>,
    /// How many states of components that are not complete have a number.
    reached: u32,
    /// States that reach one with a lower number. Their component is not complete.
    open: Vec<u32>,
    /// The states on the way.
    way: Vec<Visit>,
    /// How many components are complete.
    count: u32,
}

/// A state on the way.
struct Visit {
    state: u32,
    /// Its number in the order of the search.
    number: u32,
    /// The next of its transitions.
    at: usize,
}

impl Search<'_> {
    fn new(entering: &Entering) -> Search<'_> {
        let states = entering.offsets.len() - 1;
        Search { entering, least: vec![NEW; states], reached: 0, open: Vec::new(), way: Vec::new(), count: 0 }
    }

    /// The component of each state, and how many there are. Parts are taken in their order.
    fn components(mut self, states: &[u32], watch: &mut Watch<'_>) -> Result<(Vec<u32>, usize), Stopped> {
        for (place, &state) in states.iter().enumerate() {
            if place.is_multiple_of(BETWEEN_LOOKS) {
                watch.prepare()?;
            }
            if self.least[state as usize] == NEW {
                self.enter(state);
                while let Some(visit) = self.way.pop() {
                    self.go_on(&visit);
                }
            }
        }
        let states = self.least.len() as u32;
        self.least.iter_mut().for_each(|number| *number = states - *number);
        Ok((self.least, self.count as usize))
    }

    fn enter(&mut self, state: u32) {
        self.reached += 1;
        self.least[state as usize] = self.reached;
        self.way.push(Visit { state, number: self.reached, at: self.entering.offsets[state as usize] });
    }

    /// Follows the transitions of a state from one of them on, up to the first that leads to a new state.
    fn go_on(&mut self, visit: &Visit) {
        let Entering { offsets, sources, .. } = self.entering;
        let state = visit.state as usize;
        let mut least = self.least[state];
        let range = visit.at..offsets[state + 1];
        for (at, &source) in range.clone().zip(&sources[range]) {
            let of_source = self.least[source as usize];
            if of_source == NEW {
                // The transition is looked at again when its source is done.
                self.least[state] = least;
                self.way.push(Visit { at, ..*visit });
                return self.enter(source);
            }
            least = least.min(of_source);
        }
        self.least[state] = least;
        if least == visit.number { self.close(visit) } else { self.open.push(visit.state) }
    }

    /// Completes the component of a state that reaches none with a lower number.
    fn close(&mut self, first: &Visit) {
        let component = self.least.len() as u32 - self.count;
        self.least[first.state as usize] = component;
        self.reached -= 1;
        while let Some(&state) = self.open.last()
            && self.least[state as usize] >= first.number
        {
            self.open.pop();
            self.least[state as usize] = component;
            self.reached -= 1;
        }
        self.count += 1;
    }
}
