//! Strips of states, which threads pass over one behind the other.
//!
//! Where levels have few states, to wait for one another at the end of each takes threads longer than the
//! work. But a chain has more than one order in which each state comes after the same neighbours. One of them
//! goes as far as it can before it takes up what was left behind: from the states that wait for nothing any
//! more, the last one found comes next. On a lattice it goes through one row after the other. It is divided
//! into *strips* with as many states each, and the states of a strip are sorted by level, which leaves each
//! state behind the same neighbours once more. What a strip needs of those before it, it mostly needs bit by
//! bit. So one thread can be somewhere in a strip while the next thread follows it in the next one: a
//! pipeline. Threads take the strips in turn.
//!
//! The strips do not depend on the number of threads, since the order of the states decides in which order
//! numbers are added up.
//!
//! The order is that of A. B. Kahn, Commun. ACM 5 (1962), with a stack. Time: three passes over the rates,
//! from one state to others far away; for 187,000 states with 1,080,000 rates 10 to 20 ms, as long as three
//! to six iterations by one thread. Memory while it is made: 4 bytes a rate, and 17 a state.

use crate::limits::{BETWEEN_LOOKS, Stopped, Watch};

/// How many strips there are. With more of them, 16 threads would have more to do, and a strip's levels would
/// have fewer states.
pub(in crate::operator::transposed) const STRIPS: usize = 16;

/// Where a strip starts if there are so many states. With the states numbered the other way round, as those
/// of the transposed equations, strips end at the same places.
pub(in crate::operator::transposed) fn start_of_strip(strip: usize, states: usize) -> usize {
    match 2 * strip <= STRIPS {
        true => states * strip / STRIPS,
        false => states - start_of_strip(STRIPS - strip, states),
    }
}

/// Pairs of states that have to keep their order, since rates lead from one to the other. Some may come
/// twice.
pub(in crate::operator::transposed) trait Pairs {
    /// Calls `visit(i, j)` for each pair, by the places of the states: `i` comes before `j`.
    fn for_each(&self, visit: impl FnMut(usize, usize));
}

/// The strip of each of so many states, by its place.
pub(in crate::operator::transposed) fn strips(
    states: usize,
    pairs: &impl Pairs,
    watch: &mut Watch<'_>,
) -> Result<Vec<u8>, Stopped> {
    let mut successors = Successors::of(states, pairs);
    watch.prepare()?;
    // A stack, from which the smallest of these places comes first.
    let mut free: Vec<u32> = (0..states as u32).rev().filter(|&place| successors.is_free(place)).collect();
    let mut strips = vec![0; states];
    let mut passed = 0;
    for strip in 0..STRIPS {
        let end = start_of_strip(strip + 1, states);
        while passed < end {
            if passed.is_multiple_of(BETWEEN_LOOKS) {
                watch.prepare()?;
            }
            // A state that comes first among those that are left waits for nothing.
            let Some(place) = free.pop() else { break };
            strips[place as usize] = strip as u8;
            passed += 1;
            successors.pass(place, &mut free);
        }
    }
    Ok(strips)
}

/// The states that have to come after each.
struct Successors {
    list: Vec<u32>,
    /// Where the list of each state ends.
    ends: Vec<usize>,
    /// For how many pairs each state waits.
    waiting: Vec<u32>,
}

impl Successors {
    fn of(states: usize, pairs: &impl Pairs) -> Successors {
        let (mut ends, mut waiting) = (vec![0; states], vec![0; states]);
        pairs.for_each(|before, after| {
            ends[before] += 1;
            waiting[after] += 1;
        });
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        let mut list = vec![0; start];
        pairs.for_each(|before, after| {
            let at = &mut ends[before];
            list[*at] = after as u32;
            *at += 1;
        });
        Successors { list, ends, waiting }
    }

    /// Whether a state waits for no other.
    fn is_free(&self, place: u32) -> bool {
        self.waiting[place as usize] == 0
    }

    /// Passes a state; those that waited for it alone become free.
    fn pass(&mut self, place: u32, free: &mut Vec<u32>) {
        let place = place as usize;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        for &successor in &self.list[start..self.ends[place]] {
            let waiting = &mut self.waiting[successor as usize];
            *waiting -= 1;
            if *waiting == 0 {
                free.push(successor);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Pairs, STRIPS, strips};
    use crate::limits::{Limits, Watch};
    use crate::vector::random;

    struct Listed(Vec<(usize, usize)>);

    impl Pairs for Listed {
        fn for_each(&self, mut visit: impl FnMut(usize, usize)) {
            self.0.iter().for_each(|&(before, after)| visit(before, after));
        }
    }

    fn strips_of(states: usize, pairs: &Listed) -> Vec<u8> {
        strips(states, pairs, &mut Watch::start(&Limits::default())).unwrap()
    }

    #[test]
    fn no_state_is_in_a_strip_before_that_of_one_that_it_follows() {
        for states in [1, 7, 100, 1000] {
            let number = |at: usize| ((random(at) - 0.5) * states as f64) as usize;
            let pairs = (0..3 * states).map(|at| (number(2 * at), number(2 * at + 1)));
            // Some come twice.
            let pairs = pairs.filter(|(one, other)| one < other).flat_map(|pair| [pair, pair]);
            let pairs = Listed(pairs.collect());
            let strips = strips_of(states, &pairs);
            assert!(pairs.0.iter().all(|&(before, after)| strips[before] <= strips[after]));
            for strip in 0..STRIPS {
                let count = strips.iter().filter(|&&own| usize::from(own) == strip).count();
                assert!(count.abs_diff(states / STRIPS) <= 1, "{count} of {states} in strip {strip}");
            }
        }
    }

    #[test]
    fn the_strips_of_a_lattice_are_some_of_its_rows() {
        let (rows, columns) = (64, 50);
        for is_by_wave in [false, true] {
            // The states are numbered row by row, or wave by wave.
            let mut places: Vec<(usize, usize)> =
                (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).collect();
            if is_by_wave {
                places.sort_by_key(|&(row, column)| (row + column, row));
            }
            let place = |state| places.iter().position(|&other| other == state).unwrap();
            let next = |&(row, column): &(usize, usize)| [(row + 1, column), (row, column + 1)];
            let is_there = |&(row, column): &(usize, usize)| row < rows && column < columns;
            let pairs = places
                .iter()
                .enumerate()
                .flat_map(|(at, state)| next(state).into_iter().filter(is_there).map(move |next| (at, next)));
            let pairs = Listed(pairs.map(|(at, next)| (at, place(next))).collect());
            let strips = strips_of(places.len(), &pairs);
            let in_strip = |strip: u8| places.iter().zip(&strips).filter(move |(_, own)| **own == strip);
            for strip in 0..STRIPS as u8 {
                let of_lines = |line: fn(&(usize, usize)) -> usize| {
                    let mut lines: Vec<usize> = in_strip(strip).map(|(state, _)| line(state)).collect();
                    lines.sort_unstable();
                    lines.dedup();
                    lines.len()
                };
                let fewest = of_lines(|state| state.0).min(of_lines(|state| state.1));
                assert!(fewest <= rows / STRIPS + 1, "strip {strip} has states of {fewest} rows");
            }
        }
    }
}
