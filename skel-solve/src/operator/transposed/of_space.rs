//! The list of the rates of a space.
//!
//! Where a space lists its transitions state by state, two passes over them make the list. The first, a
//! [`Survey`], counts the rates into each state and finds its [level](super::levels), so that the second puts
//! each rate where it belongs in the order of the levels. Where the model has to be evaluated for each
//! transition, rows are kept from one pass to the other.
//!
//! Time: for a Kanban system of 58,400 states a third of what it takes to make a list of rows and to bring
//! that into the order of the levels. Memory beside the list and the transitions: 52 bytes a state.

use super::codes::{CODES, Codes, RateCode};
use super::levels::{Pairs, bytes_by_level, least_level, order_by_level, strips};
use super::triangles::{Triangle, TriangularParts};
use super::{Rates, Rows, TransposedRates};
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{BETWEEN_LOOKS, Stopped, Watch};
use crate::space::{Departures, StateSpace};

/// The bytes of a state in the list and in what it is made from: counts, exit rate, what the survey shows,
/// its place in an order and in the other direction, and where its rows end while they are filled.
const PER_STATE: u64 = (2 * 4 + 8 + size_of::<Seen>() + 2 * 4 + 2 * 8) as u64;

impl TransposedRates {
    /// Collects the rates of a space, within a memory budget.
    #[cfg(any(test, feature = "over-time"))]
    pub(crate) fn of_space(
        space: &StateSpace,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<TransposedRates, Error> {
        if let Some(survey) = Survey::of(space, budget, watch)? {
            return Ok(survey.list(None, budget, watch)?);
        }
        TransposedRates::by_rows(space, budget, watch)
    }

    /// The same where there is no [`Survey`].
    pub(crate) fn by_rows(
        space: &StateSpace,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<TransposedRates, Error> {
        let rows: Rows<'_> = &|watch, visit| space.for_each_departure(|| Ok(watch.prepare()?), visit);
        TransposedRates::new(space.states(), rows, budget, watch)
    }
}

/// What a pass over the transitions of a space shows.
pub(crate) struct Survey<'s> {
    departures: Departures<'s>,
    of_states: Vec<Seen>,
    exits: Vec<f64>,
    codes: Codes,
    /// Which numbers of rates there are.
    is_used: Vec<bool>,
    /// Which states several transitions leave for the same target; empty where there are none.
    is_repeated: Vec<bool>,
    /// Whether each state but the first can be left for an earlier one.
    leads_back: bool,
}

/// What is known of a state.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// The last state from which a transition to it was seen, plus one.
    last: u32,
    level: u32,
    /// How many rates lead to it from earlier states, and from later ones.
    into: [u32; 2],
}

impl<'s> Survey<'s> {
    /// Of a space; `None` where its transitions are not listed or do not fit the budget.
    pub(crate) fn of(
        space: &'s StateSpace,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Survey<'s>>, Stopped> {
        let states = space.states();
        let bytes = CODES + states as u64 * PER_STATE;
        if budget.check(bytes).is_err() {
            return Ok(None);
        }
        let Some(departures) = space.departures(budget.beside(bytes), watch)? else { return Ok(None) };
        let mut survey = Survey {
            of_states: vec![Seen::default(); states],
            exits: Vec::with_capacity(states),
            codes: Codes::new(),
            is_used: vec![false; departures.rates().len()],
            is_repeated: Vec::new(),
            leads_back: true,
            departures,
        };
        for state in 0..states {
            if state.is_multiple_of(BETWEEN_LOOKS) {
                watch.prepare()?;
            }
            if survey.see(state) {
                survey.see_repeated(state);
            }
        }
        let Survey { departures, codes, is_used, .. } = &mut survey;
        for (&rate, _) in departures.rates().iter().zip(is_used).filter(|(_, is_used)| **is_used) {
            codes.number(rate);
        }
        // Where this does not fit, a list of rows may.
        let fits = survey.check(budget).is_ok();
        Ok(fits.then_some(survey))
    }

    /// Refuses a list that does not fit the budget beside what it is made from.
    fn check(&self, budget: MemoryBudget) -> Result<(), Stopped> {
        let while_made = self.exits.len() as u64 * PER_STATE;
        budget.beside(self.departures.memory()).check(self.bytes() + while_made)
    }

    /// Looks at the transitions of a state, the first of those that have not been looked at; whether several
    /// lead to the same target.
    fn see(&mut self, state: usize) -> bool {
        let Survey { departures, of_states, is_used, .. } = self;
        let ((targets, numbers), rates) = (departures.of_state(state), departures.rates());
        let own = state as u32 + 1;
        let (mut exit, mut level, mut lowest) = (0.0, of_states[state].level, state as u32);
        let mut is_repeated = false;
        for (&target, &number) in targets.iter().zip(numbers) {
            if target as usize == state {
                continue;
            }
            let seen = &mut of_states[target as usize];
            is_repeated |= std::mem::replace(&mut seen.last, own) == own;
            let is_from_later = (target as usize) < state;
            seen.into[usize::from(is_from_later)] += 1;
            level = level.max(if is_from_later { seen.level + 1 } else { 0 });
            lowest = lowest.min(target);
            exit += rates[usize::from(number)];
            is_used[usize::from(number)] = true;
        }
        of_states[state].level = level;
        for &target in targets.iter().filter(|&&target| target as usize > state) {
            let seen = &mut of_states[target as usize];
            seen.level = seen.level.max(level + 1);
        }
        self.leads_back &= state == 0 || (lowest as usize) < state;
        self.exits.push(exit);
        is_repeated
    }

    /// Corrects what was seen of a state that several transitions leave for the same target, so that they
    /// count as one.
    fn see_repeated(&mut self, state: usize) {
        let mut row = Vec::new();
        self.departures.merged(state, &mut row);
        for &target in self.departures.of_state(state).0 {
            let into = &mut self.of_states[target as usize].into;
            into[usize::from((target as usize) < state)] -= u32::from(target as usize != state);
        }
        for &(target, rate) in &row {
            self.of_states[target as usize].into[usize::from((target as usize) < state)] += 1;
            self.codes.number(rate);
        }
        self.exits[state] = row.iter().map(|(_, rate)| rate).sum();
        if self.is_repeated.is_empty() {
            self.is_repeated.resize(self.departures.states(), false);
        }
        self.is_repeated[state] = true;
    }

    /// The exit rate of each state.
    pub(crate) fn exits(&self) -> &[f64] {
        &self.exits
    }

    /// The number of pairs of different states with a rate between them.
    pub(crate) fn rates(&self) -> u64 {
        self.of_states.iter().map(|seen| u64::from(seen.into[0]) + u64::from(seen.into[1])).sum()
    }

    /// A lower bound on the rates between two different states.
    pub(crate) fn least_rate(&self) -> f64 {
        let used = self.departures.rates().iter().zip(&self.is_used).filter(|(_, is_used)| **is_used);
        used.fold(f64::INFINITY, |least, (rate, _)| least.min(*rate))
    }

    /// Calls `visit(i, j, q(i, j))` for the rates between two states, for each `i` in ascending order.
    pub(crate) fn for_each_rate(&self, visit: &mut dyn FnMut(usize, usize, f64)) {
        let (rates, mut merged) = (self.departures.rates(), Vec::new());
        for state in 0..self.departures.states() {
            if self.is_repeated(state) {
                self.departures.merged(state, &mut merged);
                merged.iter().for_each(|&(target, rate)| visit(state, target as usize, rate));
                continue;
            }
            let (targets, numbers) = self.departures.of_state(state);
            for (&target, &number) in
                targets.iter().zip(numbers).filter(|(target, _)| **target as usize != state)
            {
                visit(state, target as usize, rates[usize::from(number)]);
            }
        }
    }

    /// Whether several transitions lead from a state to the same target.
    fn is_repeated(&self, state: usize) -> bool {
        self.is_repeated.get(state).is_some_and(|is_repeated| *is_repeated)
    }

    /// Whether a run comes from every state to the first, as is seen in a pass over the transitions: if not,
    /// it may come there all the same.
    pub(crate) fn all_lead_to_earlier_states(&self) -> bool {
        if self.leads_back {
            return true;
        }
        // The first state that is known to be reached from each.
        let mut first: Vec<u32> = (0..self.departures.states() as u32).collect();
        for state in (0..first.len()).rev() {
            let reached = self.departures.of_state(state).0.iter().map(|&target| first[target as usize]);
            first[state] = reached.fold(first[state], u32::min);
        }
        first.iter().enumerate().skip(1).all(|(state, &first)| (first as usize) < state)
    }

    /// The states in the order of their levels, if there are many, levels are large and there is room for it.
    pub(crate) fn order(
        &self,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Vec<u32>>, Stopped> {
        let states = self.departures.states();
        let Some(least_level) = least_level(states) else { return Ok(None) };
        if budget.beside(self.bytes()).left() / 4 < bytes_by_level(self.bytes(), states) {
            return Ok(None);
        }
        let levels: Vec<u32> = self.of_states.iter().map(|seen| seen.level).collect();
        let lengths =
            [0, 1].map(|side| self.of_states.iter().map(|seen| seen.into[side]).collect::<Vec<_>>());
        let lengths = lengths.each_ref().map(|lengths| &lengths[..]);
        order_by_level(&levels, lengths, least_level, || strips(states, &AsLeft(&self.departures), watch))
    }

    /// The bytes of the list.
    fn bytes(&self) -> u64 {
        CODES + self.exits.len() as u64 * (8 + 2 * 4) + self.rates() * (4 + self.codes.bytes())
    }

    /// The list, with the states in another order if one is given.
    pub(crate) fn list(
        self,
        order: Option<Vec<u32>>,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<TransposedRates, Stopped> {
        let (states, mut bytes) = (self.departures.states(), self.bytes());
        self.check(budget)?;
        let by_place = order.clone().unwrap_or_else(|| (0..states as u32).collect());
        let exits = by_place.iter().map(|&state| self.exits[state as usize]).collect();
        let rates = match self.codes.bytes() {
            1 => Rates::Byte(self.filled(&by_place, watch)?),
            2 => Rates::Short(self.filled(&by_place, watch)?),
            _ => Rates::Float(self.filled(&by_place, watch)?),
        };
        bytes += order.as_ref().map_or(0, |order| size_of_val(&order[..]) as u64);
        let (table, stop) = (self.codes.numbered(), watch.stop());
        Ok(TransposedRates { exits, table, rates, bytes, order, schedule: None, stop })
    }

    /// The rates into the states, in the order in which these are given.
    fn filled<V: RateCode>(
        &self,
        order: &[u32],
        watch: &mut Watch<'_>,
    ) -> Result<TriangularParts<V>, Stopped> {
        let mut places = vec![0_u32; order.len()];
        order.iter().enumerate().for_each(|(place, &state)| places[state as usize] = place as u32);
        let counts =
            |side: usize| order.iter().map(|&state| self.of_states[state as usize].into[side]).collect();
        let [(mut earlier, before), (mut later, after)] = [0, 1].map(|side| Triangle::empty(counts(side)));
        let mut next: Vec<[usize; 2]> =
            before.into_iter().zip(after).map(|(before, after)| [before, after]).collect();
        let mut columns = [&mut earlier.columns[..], &mut later.columns[..]];
        let mut values = [&mut earlier.values[..], &mut later.values[..]];
        let mut put = |from: usize, target: u32, value: V| {
            let to = places[target as usize] as usize;
            let side = usize::from(from > to);
            let at = &mut next[to][side];
            (columns[side][*at], values[side][*at]) = (from as u32, value);
            *at += 1;
        };
        let of_numbers = self.values_of_numbers::<V>();
        let mut merged = Vec::new();
        for (place, &state) in order.iter().enumerate() {
            if place.is_multiple_of(BETWEEN_LOOKS) {
                watch.prepare()?;
            }
            let state = state as usize;
            if self.is_repeated(state) {
                self.departures.merged(state, &mut merged);
                merged.iter().for_each(|&(target, rate)| put(place, target, V::known(rate, &self.codes)));
                continue;
            }
            let (targets, numbers) = self.departures.of_state(state);
            for (&target, &number) in targets.iter().zip(numbers) {
                if target as usize != state {
                    put(place, target, of_numbers[usize::from(number)]);
                }
            }
        }
        Ok(TriangularParts { earlier, later })
    }

    /// The form in which each number's rate is stored.
    fn values_of_numbers<V: RateCode>(&self) -> Vec<V> {
        let known = self.departures.rates().iter().zip(&self.is_used);
        let value = |(&rate, &is_used): (&f64, &bool)| {
            if is_used { V::known(rate, &self.codes) } else { V::default() }
        };
        known.map(value).collect()
    }
}

/// The pairs of states between which transitions lead.
struct AsLeft<'d>(&'d Departures<'d>);

impl Pairs for AsLeft<'_> {
    fn for_each(&self, mut visit: impl FnMut(usize, usize)) {
        let AsLeft(departures) = self;
        for state in 0..departures.states() {
            for target in departures.of_state(state).0.iter().map(|&target| target as usize) {
                if target != state {
                    visit(state.min(target), state.max(target));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
