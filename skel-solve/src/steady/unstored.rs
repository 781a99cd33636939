//! The rates of a chain that are not stored but made again from the model: its [terms](crate::space::Terms).
//!
//! States are in blocks. What flows into a block comes from whole blocks, times a rate or a small matrix, and from the
//! block itself. So a product reads vectors from one end to the other and nothing else; memory is the vectors of a method and
//! the exit rates. Where some combinations are no states, a block is spread out to all its places first, which has zeros there.

use std::ops::{ControlFlow, Range};

use super::equations::Inflows;
use crate::space::{Enabled, Low, Ranked, Row, Sparse, Term, Terms, Weights};

/// From so many states on a product is worth several threads.
const MANY_STATES: usize = 1 << 17;

/// The rates of a space that is kept as bits.
pub(crate) struct Unstored<'s> {
    ranked: &'s Ranked,
    terms: Terms,
    /// The number of the first state of each block, and of all states.
    starts: Vec<usize>,
    exits: Vec<f64>,
    rates: u64,
    threads: usize,
}

/// A block while it is worked on, and memory that is used again for the next one.
#[derive(Default)]
struct Block<'t> {
    digits: Vec<u32>,
    /// The terms that lead into it, each with the block of its sources.
    from: Vec<(usize, &'t Term)>,
    /// What flows in, so far.
    inflow: Vec<f64>,
    /// Its values, its mean stays and the values of another block, spread out.
    own: Vec<f64>,
    stays: Vec<f64>,
    other: Vec<f64>,
}

impl<'s> Unstored<'s> {
    /// The rates of a space, for products by so many threads.
    pub(crate) fn of((ranked, terms): (&'s Ranked, Terms), threads: usize) -> Unstored<'s> {
        let mut start = 0;
        let mut starts = Vec::with_capacity(terms.blocks + 1);
        for block in 0..terms.blocks {
            starts.push(start);
            start += match ranked.is_full() {
                true => terms.low,
                false => ranked.places((block * terms.low) as u64, terms.low).count(),
            };
        }
        starts.push(start);
        let mut unstored = Unstored { ranked, terms, starts, exits: Vec::new(), rates: 0, threads };
        unstored.find_exits();
        unstored
    }

    /// The bytes that it takes for a space.
    pub(crate) fn memory(ranked: &Ranked) -> u64 {
        let states = ranked.states() as u64;
        let while_made = if ranked.is_full() { 0 } else { ranked.product().combinations() };
        8 * (states + while_made)
    }

    /// Exit rates, and the number of rates.
    fn find_exits(&mut self) {
        let low = self.terms.low;
        let mut exits = vec![0.0; low * self.terms.blocks];
        let mut rates = 0;
        let mut block = Block::default();
        for number in 0..self.terms.blocks {
            self.terms.entering(number, &mut block.digits, &mut block.from);
            let all = block.from.iter().map(|&(from, term)| (from, &term.low));
            let within = Low::Sparse(self.terms.within.clone());
            for (from, term) in all.chain(std::iter::once((number, &within))) {
                let exits = &mut exits[from * low..(from + 1) * low];
                rates += match term {
                    Low::Same(rate) => {
                        exits.iter_mut().for_each(|exit| *exit += rate);
                        low
                    }
                    Low::Sparse(matrix) => {
                        matrix
                            .range(0, matrix.entries() as u32)
                            .for_each(|(source, rate)| exits[source] += rate);
                        matrix.entries()
                    }
                } as u64;
            }
        }
        self.rates = rates;
        if !self.ranked.is_full() {
            let places = self.ranked.places(0, exits.len()).map(|place| exits[place]);
            exits = places.collect();
        }
        self.exits = exits;
    }

    /// The states of a block.
    fn states_of(&self, block: usize) -> Range<usize> {
        self.starts[block]..self.starts[block + 1]
    }

    /// The values of a block's states at their places, and another value elsewhere.
    fn spread(&self, block: usize, values: &[f64], elsewhere: f64, spread: &mut Vec<f64>) {
        let low = self.terms.low;
        spread.clear();
        if values.len() == low {
            spread.extend_from_slice(values);
            return;
        }
        spread.resize(low, elsewhere);
        for (place, &value) in self.ranked.places((block * low) as u64, low).zip(values) {
            spread[place] = value;
        }
    }

    /// The values at the places of a block's states.
    fn gather(&self, block: usize, spread: &[f64], values: &mut [f64]) {
        if values.len() == spread.len() {
            values.copy_from_slice(spread);
            return;
        }
        for (place, value) in self.ranked.places((block * spread.len()) as u64, spread.len()).zip(values) {
            *value = spread[place];
        }
    }

    /// Begins with a block: what flows in from those other blocks whose values are given.
    fn begin<'t, 'v>(
        &'t self,
        number: usize,
        others: impl Fn(Range<usize>) -> Option<&'v [f64]>,
        block: &mut Block<'t>,
    ) {
        self.terms.entering(number, &mut block.digits, &mut block.from);
        block.inflow.clear();
        block.inflow.resize(self.terms.low, 0.0);
        for &(from, term) in block.from.iter().filter(|&&(from, _)| from != number) {
            let Some(values) = others(self.states_of(from)) else { continue };
            if values.len() == self.terms.low {
                add(&term.low, values, &mut block.inflow);
            } else {
                self.spread(from, values, 0.0, &mut block.other);
                add(&term.low, &block.other, &mut block.inflow);
            }
        }
    }

    /// Works on the values of a block's states, spread out where that is needed.
    fn work_on(
        &self,
        number: usize,
        values: &mut [f64],
        buffer: &mut Vec<f64>,
        work: impl FnOnce(&mut [f64]),
    ) {
        if values.len() == self.terms.low {
            return work(values);
        }
        self.spread(number, values, 0.0, buffer);
        work(buffer);
        self.gather(number, buffer, values);
    }

    /// The mean stays in the states of a block, spread out; what is no state has nothing to stay, however long.
    fn read_stays(&self, number: usize, stays: &mut Vec<f64>) {
        self.spread(number, &self.exits[self.states_of(number)], 1.0, stays);
        stays.iter_mut().for_each(|stay| *stay = 1.0 / *stay);
    }

    /// The matrices of what happens within a block.
    fn within<'t>(&'t self, number: usize, block: &Block<'t>) -> Vec<&'t Sparse> {
        let conditional = block.from.iter().filter(|&&(from, _)| from == number);
        let matrices = conditional.filter_map(|(_, term)| match &term.low {
            Low::Sparse(matrix) => Some(matrix),
            Low::Same(_) => None,
        });
        std::iter::once(&self.terms.within).chain(matrices).collect()
    }

    /// What flows into the states of some blocks.
    fn inflow_of(&self, blocks: Range<usize>, x: &[f64], inflow: &mut [f64]) {
        let first = self.starts[blocks.start];
        let mut block = Block::default();
        for number in blocks {
            let states = self.states_of(number);
            self.begin(number, |range| Some(&x[range]), &mut block);
            self.spread(number, &x[states.clone()], 0.0, &mut block.own);
            let matrices = self.within(number, &block);
            let Block { inflow: sums, own, .. } = &mut block;
            for_each_place(&matrices, own, |row| (row.start, row.end), |place, sum, _| sums[place] += sum);
            self.gather(number, sums, &mut inflow[states.start - first..states.end - first]);
        }
    }

    /// Whether a run comes back to the first state from every other, by searching backwards: forth and back over the
    /// blocks until nothing more is found, which takes few turns where runs are nearly in the order of the states. 1 byte a
    /// combination.
    pub(crate) fn all_lead_to_the_first(&self) -> bool {
        let low = self.terms.low;
        let mut leads_there = vec![false; low * self.terms.blocks];
        leads_there[0] = true;
        let mut block = Block::default();
        let mut has_changed = true;
        let mut is_descending = false;
        while has_changed {
            has_changed = false;
            is_descending = !is_descending;
            for at in 0..self.terms.blocks {
                let number = if is_descending { self.terms.blocks - 1 - at } else { at };
                self.terms.entering(number, &mut block.digits, &mut block.from);
                has_changed |=
                    spread_within(&self.within(number, &block), &mut leads_there[number * low..][..low]);
                for &(from, term) in block.from.iter().filter(|&&(from, _)| from != number) {
                    let [own, other] = leads_there
                        .get_disjoint_mut([number * low..(number + 1) * low, from * low..(from + 1) * low])
                        .unwrap_or_else(|_| unreachable!("blocks do not overlap"));
                    has_changed |= spread_to(&term.low, own, other);
                }
            }
        }
        self.ranked.places(0, leads_there.len()).all(|place| leads_there[place])
    }

    /// The rates into each place of a block, by ascending sources, each once.
    fn rates_into(&self, number: usize, block: &Block<'_>, into: &mut [Vec<(u64, f64)>]) {
        into.iter_mut().for_each(Vec::clear);
        let low = self.terms.low;
        let mut add_matrix = |from: usize, matrix: &Sparse| {
            for row in &matrix.rows {
                let entries = matrix.range(row.start, row.end);
                into[row.target as usize]
                    .extend(entries.map(|(source, rate)| ((from * low + source) as u64, rate)));
            }
        };
        add_matrix(number, &self.terms.within);
        for &(from, term) in &block.from {
            if let Low::Sparse(matrix) = &term.low {
                add_matrix(from, matrix);
            }
        }
        for &(from, term) in &block.from {
            if let Low::Same(rate) = term.low {
                let places = into.iter_mut().enumerate();
                places.for_each(|(place, rates)| rates.push(((from * low + place) as u64, rate)));
            }
        }
        for rates in into {
            rates.sort_by_key(|&(from, _)| from);
            rates.dedup_by(|later, first| {
                let is_same = later.0 == first.0;
                if is_same {
                    first.1 += later.1;
                }
                is_same
            });
        }
    }
}

/// Per action its throughput, given the probability of each state: block by block, where what every block enables waits
/// until all are added up.
pub(super) fn throughputs(
    (ranked, terms): (&Ranked, &Terms),
    probabilities: &[f64],
    actions: usize,
) -> Vec<f64> {
    let mut throughputs = vec![0.0; actions];
    let mut of_all = vec![0.0; terms.low];
    let (mut own, mut digits) = (vec![0.0; terms.low], Vec::new());
    let mut add = |enabled: &Enabled, values: &[f64]| {
        throughputs[enabled.action.index()] += match &enabled.low {
            Weights::Same(rate) => rate * values.iter().sum::<f64>(),
            Weights::At(places) => places.iter().map(|&(place, rate)| rate * values[place as usize]).sum(),
        }
    };
    let mut rest = probabilities;
    for block in 0..terms.blocks {
        let places = ranked.places((block * terms.low) as u64, terms.low);
        if ranked.is_full() {
            own.copy_from_slice(&rest[..terms.low]);
            rest = &rest[terms.low..];
        } else {
            own.fill(0.0);
            let count = places.zip(rest).map(|(place, &value)| own[place] = value).count();
            rest = &rest[count..];
        }
        of_all.iter_mut().zip(&own).for_each(|(sum, value)| *sum += value);
        terms.enabled_in(block, &mut digits, |enabled| add(enabled, &own));
    }
    terms.enabled.iter().filter(|enabled| enabled.is_everywhere()).for_each(|enabled| add(enabled, &of_all));
    throughputs
}

/// Marks the sources of what is marked, in one block, until there are no more; whether there were any.
fn spread_within(matrices: &[&Sparse], marks: &mut [bool]) -> bool {
    let mut has_ever_changed = false;
    loop {
        let mut has_changed = false;
        for matrix in matrices {
            for row in matrix.rows.iter().rev() {
                if !marks[row.target as usize] {
                    continue;
                }
                for (source, _) in matrix.range(row.start, row.end) {
                    has_changed |= !std::mem::replace(&mut marks[source], true);
                }
            }
        }
        has_ever_changed |= has_changed;
        if !has_changed {
            return has_ever_changed;
        }
    }
}

/// Marks the sources, in another block, of what is marked; whether there were new ones.
fn spread_to(low: &Low, targets: &[bool], sources: &mut [bool]) -> bool {
    let mut has_changed = false;
    let mut mark = |source: &mut bool, is_marked: bool| {
        has_changed |= is_marked & !*source;
        *source |= is_marked;
    };
    match low {
        Low::Same(_) => sources.iter_mut().zip(targets).for_each(|(source, &target)| mark(source, target)),
        Low::Sparse(matrix) => {
            for row in &matrix.rows {
                for (source, _) in matrix.range(row.start, row.end) {
                    mark(&mut sources[source], targets[row.target as usize]);
                }
            }
        }
    }
    has_changed
}

/// Adds what flows in from a block by a term.
fn add(low: &Low, values: &[f64], inflow: &mut [f64]) {
    match low {
        Low::Same(rate) => inflow.iter_mut().zip(values).for_each(|(inflow, value)| *inflow += rate * value),
        Low::Sparse(matrix) => {
            for row in &matrix.rows {
                inflow[row.target as usize] += matrix.sum(row.start, row.end, values);
            }
        }
    }
}

/// Goes through the places of a block in their order: what flows into each by some entries of each matrix's row, given to
/// `set` with the values of the block.
#[inline]
fn for_each_place(
    matrices: &[&Sparse],
    own: &mut [f64],
    entries: impl Fn(&Row) -> (u32, u32),
    mut set: impl FnMut(usize, f64, &mut [f64]),
) {
    let mut rows: Vec<&[Row]> = matrices.iter().map(|matrix| &matrix.rows[..]).collect();
    for place in 0..own.len() {
        let mut sum = 0.0;
        for (matrix, rows) in matrices.iter().zip(&mut rows) {
            if let Some((row, rest)) = rows.split_first()
                && row.target as usize == place
            {
                let (from, to) = entries(row);
                sum += matrix.sum(from, to, own);
                *rows = rest;
            }
        }
        set(place, sum, own);
    }
}

impl Inflows for Unstored<'_> {
    fn exits(&self) -> &[f64] {
        &self.exits
    }

    fn rates(&self) -> u64 {
        self.rates
    }

    fn inflow(&self, x: &[f64], inflow: &mut [f64]) {
        let blocks = self.terms.blocks;
        let threads = if x.len() < MANY_STATES { 1 } else { self.threads.min(blocks) };
        std::thread::scope(|scope| {
            let mut rest = inflow;
            for thread in 0..threads {
                let part = blocks * thread / threads..blocks * (thread + 1) / threads;
                let (own, others) = rest.split_at_mut(self.starts[part.end] - self.starts[part.start]);
                rest = others;
                match thread + 1 < threads {
                    true => drop(scope.spawn(move || self.inflow_of(part, x, own))),
                    false => self.inflow_of(part, x, own),
                }
            }
        });
    }

    fn substitute(&self, x: &mut [f64]) {
        let mut block = Block::default();
        for number in 0..self.terms.blocks {
            let states = self.states_of(number);
            let (before, rest) = x.split_at_mut(states.start);
            let own = &mut rest[..states.len()];
            let earlier = |range: Range<usize>| (range.end <= states.start).then(|| &before[range]);
            self.begin(number, earlier, &mut block);
            self.read_stays(number, &mut block.stays);
            let matrices = self.within(number, &block);
            let Block { inflow, own: buffer, stays, .. } = &mut block;
            self.work_on(number, own, buffer, |values| {
                for_each_place(
                    &matrices,
                    values,
                    |row| (row.start, row.middle),
                    |place, sum, values| {
                        values[place] = (values[place] + inflow[place] + sum) * stays[place];
                    },
                );
            });
        }
    }

    fn later_inflow(&self, x: &mut [f64]) {
        let mut block = Block::default();
        for number in 0..self.terms.blocks {
            let states = self.states_of(number);
            let (before, after) = x.split_at_mut(states.end);
            let own = &mut before[states.start..];
            let later = |range: Range<usize>| {
                (range.start >= states.end).then(|| &after[range.start - states.end..range.end - states.end])
            };
            self.begin(number, later, &mut block);
            let matrices = self.within(number, &block);
            let Block { inflow, own: buffer, .. } = &mut block;
            self.work_on(number, own, buffer, |values| {
                for_each_place(
                    &matrices,
                    values,
                    |row| (row.middle, row.end),
                    |place, sum, values| values[place] = inflow[place] + sum,
                );
            });
        }
    }

    fn sweep(&self, pi: &mut [f64], weight: f64) {
        let mut block = Block::default();
        for number in 0..self.terms.blocks {
            let states = self.states_of(number);
            self.begin(number, |range| Some(&pi[range]), &mut block);
            self.read_stays(number, &mut block.stays);
            let matrices = self.within(number, &block);
            let Block { inflow, own: buffer, stays, .. } = &mut block;
            self.work_on(number, &mut pi[states], buffer, |values| {
                for_each_place(
                    &matrices,
                    values,
                    |row| (row.start, row.end),
                    |place, sum, values| {
                        let balanced = (inflow[place] + sum) * stays[place];
                        values[place] += weight * (balanced - values[place]);
                    },
                );
            });
        }
    }

    fn for_each_rate(&self, visit: &mut dyn FnMut(usize, usize, f64) -> ControlFlow<()>) {
        let mut block = Block::default();
        let mut into = vec![Vec::new(); self.terms.low];
        for number in 0..self.terms.blocks {
            self.terms.entering(number, &mut block.digits, &mut block.from);
            self.rates_into(number, &block, &mut into);
            let places = self.ranked.places((number * self.terms.low) as u64, self.terms.low);
            for (place, state) in places.zip(self.states_of(number)) {
                for &(from, rate) in &into[place] {
                    // Not every combination from which one gets to a state is a state.
                    let Some(from) = self.ranked.number_of(from) else { continue };
                    if visit(from as usize, state, rate).is_break() {
                        return;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Generator;
    use crate::limits::Limits;
    use crate::space::{Explore, Options, StateSpace, Storage};

    const MODELS: [&str; 5] = [
        "P = (a, 1).Q; Q = (b, 2).R; R = (c, 3).P; P || P || P",
        // Stages that hand over, all combinations of which are states.
        "S = (in, 3).(work, 2).(hand, 1).S; T = (hand, infty).(use, 4).(pass, 5).T; U = (pass, infty).(out, 6).U;          S <hand> T <pass> U",
        // Apparent rates that depend on both sides, self-loops, and one action in two ways.
        "P = (a, 1).Q + (a, 2).P; Q = (a, 3).R + (b, 1).Q; R = (b, 4).P; V = (a, 2).W + (b, 1).V; W = (a, 1).V + (b, 5).W;          P <a, b> V",
        // A token goes round: most combinations are no states.
        "A = (go, 1).B; B = (back, infty).A; C = (go, infty).D; D = (back, 2).C; E = (idle, 1).F; F = (go, infty).E;          (A <go, back> C) <go> E",
        "P = (a, 1).P1; P1 = (b, infty).P; Q = (b, 2).Q1 + (d, 1).Q; Q1 = (c, 1).Q; P <b> (Q <b> P) || Q",
    ];

    fn space(text: &str) -> StateSpace {
        let model = skel_core::text::parse(text).into_model().expect("a model");
        let options = Options { storage: Storage::Ranked, ..Options::default() };
        model.explore_with(&Limits::default(), &options).expect("a space")
    }

    /// The off-diagonal rates `q(i, j)`, by the generator matrix.
    fn rates(space: &StateSpace) -> Vec<Vec<f64>> {
        let generator = Generator::<f64>::of(space);
        let mut rates = vec![vec![0.0; space.states()]; space.states()];
        for (from, row) in rates.iter_mut().enumerate() {
            generator.rates_from(from).for_each(|(to, &rate)| row[to] = rate);
        }
        rates
    }

    fn assert_near(found: &[f64], expected: &[f64], what: &str) {
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() <= 1e-12 * expected.abs().max(1.0),
                "{what}: {found} {expected}"
            );
        }
    }

    fn sum(states: usize, rate: impl Fn(usize) -> f64) -> f64 {
        (0..states).map(rate).sum()
    }

    #[test]
    fn products_and_sweeps_are_those_of_the_matrix() {
        for text in MODELS {
            let space = space(text);
            let (q, states) = (rates(&space), space.states());
            let exits: Vec<f64> = q.iter().map(|row| row.iter().sum()).collect();
            let x: Vec<f64> = (0..states).map(|state| 1.0 + (state * 7 % 5) as f64).collect();
            for most in [1, 2, 4, 9, 8192] {
                let what = format!("blocks of {most}: {text}");
                let unstored = Unstored::of(space.terms_in_blocks(most).expect("terms"), 2);
                assert_near(unstored.exits(), &exits, &what);
                let mut found = vec![0.0; states];
                unstored.inflow(&x, &mut found);
                let inflow: Vec<f64> =
                    (0..states).map(|to| sum(states, |from| x[from] * q[from][to])).collect();
                assert_near(&found, &inflow, &what);
                let mut found = x.clone();
                unstored.later_inflow(&mut found);
                let later =
                    |to: usize| sum(states, |from| if from > to { x[from] * q[from][to] } else { 0.0 });
                assert_near(&found, &(0..states).map(later).collect::<Vec<_>>(), &what);
                let (mut found, mut expected) = (x.clone(), x.clone());
                unstored.substitute(&mut found);
                for to in 0..states {
                    expected[to] = (x[to] + sum(to, |from| expected[from] * q[from][to])) / exits[to];
                }
                assert_near(&found, &expected, &what);
                let (mut found, mut expected) = (x.clone(), x.clone());
                unstored.sweep(&mut found, 0.75);
                for to in 0..states {
                    let balanced = sum(states, |from| expected[from] * q[from][to]) / exits[to];
                    expected[to] += 0.75 * (balanced - expected[to]);
                }
                assert_near(&found, &expected, &what);
            }
        }
    }

    #[test]
    fn rates_come_in_order_and_each_once() {
        for text in MODELS {
            let space = space(text);
            let q = rates(&space);
            let expected: Vec<(usize, usize, f64)> = (0..space.states())
                .flat_map(|to| (0..space.states()).map(move |from| (from, to)))
                .filter(|&(from, to)| q[from][to] > 0.0)
                .map(|(from, to)| (from, to, q[from][to]))
                .collect();
            for most in [1, 4, 8192] {
                let unstored = Unstored::of(space.terms_in_blocks(most).expect("terms"), 1);
                let mut found = Vec::new();
                unstored.for_each_rate(&mut |from, to, rate| {
                    found.push((from, to, rate));
                    ControlFlow::Continue(())
                });
                assert_eq!(found, expected, "blocks of {most}: {text}");
            }
        }
    }

    #[test]
    fn throughputs_and_ways_back_are_those_of_the_transitions() {
        for text in MODELS {
            let space = space(text);
            let pi: Vec<f64> = (0..space.states()).map(|state| 1.0 / (2 + state) as f64).collect();
            let actions = space.model().actions().len();
            let mut expected = vec![0.0; actions];
            for (state, probability) in pi.iter().enumerate() {
                let transitions = space.transitions_from(state);
                transitions.for_each(|(action, rate, _)| expected[action.index()] += probability * rate);
            }
            let is_irreducible = crate::classify::classify(&space).is_irreducible();
            for most in [1, 4, 8192] {
                let (ranked, terms) = space.terms_in_blocks(most).expect("terms");
                assert_near(&throughputs((ranked, &terms), &pi, actions), &expected, text);
                assert_eq!(
                    Unstored::of((ranked, terms), 1).all_lead_to_the_first(),
                    is_irreducible,
                    "{text}"
                );
            }
        }
    }
}
