//! The states of a list by level.
//!
//! A state is one *level* above the highest of the earlier states to which rates lead from it or from which
//! they lead to it. In the order of the levels, each state has the same neighbours before it and behind it as
//! in the order before, so sweeps and incomplete factors are those of the same chain, step by step. But the
//! states of one level do not need one another. Threads share them (level scheduling: Y. Saad, Iterative
//! Methods for Sparse Linear Systems, 11.6), and also a processor that works alone need not wait for one
//! state before it begins with the next.
//!
//! Of the states that are near one another in a level, those with as many rates into them come one after the
//! other, so that the processor foresees where rows end. With both, an iteration for polling with 15 stations
//! takes 0.8 of the time, and so does one for a Kanban system, and for a pipeline of 9 stages with 19,683
//! states. For closed networks, whose states are found level by level, the time is the same.
//!
//! The states may also be passed over in another order than they have, such as that of the flow of
//! probability. Its levels are found without a list in that order, so that the list is brought into the order
//! of the levels at once.
//!
//! Where levels are too small for threads to share each, states are sorted by [strips](mod@strips) first, and
//! by level within each.
//!
//! Time: three passes over the rates, as long as ten iterations, and three more for strips. Memory while it
//! is made: the entries again, and 16 bytes a state.

mod strips;

use crate::limits::memory::MemoryBudget;
use crate::limits::{BETWEEN_LOOKS, Stopped, Watch};

use super::codes::RateCode;
use super::triangles::{Lists, Lookup, Triangle, TriangularParts, ends, sort_row};
use super::{Rates, TransposedRates, WithinLevels};
use crate::sorted_list::by_keys;
use crate::team::{share, together};
pub(super) use strips::{Pairs, STRIPS, start_of_strip, strips};

/// From how many states on threads share the work.
pub(super) const LEAST_SHARED: usize = 50_000;

/// From how many states on they are put in order for a processor that works alone, and how many of them a
/// level must have on average. In large lists with small levels, as of lattices of two dimensions, that gains
/// little in the order of the states, which is better for an elimination. A lattice of three dimensions has
/// 286 states a level if it has 41 places a side.
const ORDERED_STATES: usize = 5000;
const ORDERED_LEVEL: usize = 40;
const ORDERED_LEVEL_OF_MANY: usize = 200;

/// From this many states on, a vector (2 MiB) does not fit the cache of a core, so values that are read one
/// after the other should lie close together. The states of smaller chains stay in the order in which they
/// are passed over: of 80 such chains that were tried by number, some took a tenth less time and some a tenth
/// more.
const BEYOND_CACHE: usize = 1 << 18;

/// Where many states have levels with fewer states on average, they are sorted by strips. With levels of
/// 1,700 states, a leaky bucket takes one thread 0.9 and two threads 0.8 of the time that it takes by level;
/// for polling with 15 stations, where they have 5,100, to find the strips would take 0.17 s of 1.1 s.
const SMALL_LEVEL: usize = 4000;

/// How many neighbouring states of a level are sorted by their rates.
const NEAR: usize = 1024;

/// The bytes of a state in the order.
const PER_STATE: u64 = 4;

/// The bytes of a state while the list is brought into the order: its level or its place, and where its rows
/// end.
const WHILE_MADE: u64 = 4 + 8;

impl TransposedRates {
    /// The same rates with the states in the order of their levels; in their order where there are few states
    /// or small levels, or where that would take too much memory.
    pub(crate) fn by_level(
        self,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<TransposedRates, Stopped> {
        let states = self.exits.len();
        let most = bytes_by_level(self.bytes, states);
        match least_level(states) {
            Some(least_level) if budget.beside(self.bytes).left() / 4 >= most => {
                self.by_levels_of(least_level, watch)
            }
            _ => Ok(self),
        }
    }

    /// The same where levels have so many states on average.
    pub(crate) fn by_levels_of(
        self,
        least_level: usize,
        watch: &mut Watch<'_>,
    ) -> Result<TransposedRates, Stopped> {
        let levels = self.levels(watch)?;
        let find_strips = || strips(levels.len(), &AsListed(self.lists()), watch);
        let lengths = self.lists().map(|(counts, _)| counts);
        let Some(order) = order_by_level(&levels, lengths, least_level, find_strips)? else {
            return Ok(self);
        };
        // The levels are not needed any more, and their list becomes that of the places.
        let mut places = levels;
        order.iter().enumerate().for_each(|(place, &state)| places[state as usize] = place as u32);
        watch.prepare()?;
        let task = Task { order: &order, places: &places, threads: watch.threads() };
        let rates = match self.rates {
            Rates::Byte(parts) => Rates::Byte(task.parts(parts, watch)?),
            Rates::Short(parts) => Rates::Short(task.parts(parts, watch)?),
            Rates::Float(parts) => Rates::Float(task.parts(parts, watch)?),
        };
        let exits = order.iter().map(|&state| self.exits[state as usize]).collect();
        let bytes = self.bytes + order.len() as u64 * PER_STATE;
        Ok(TransposedRates { rates, exits, bytes, order: Some(order), ..self })
    }

    /// The states in the order of their levels, where they are passed over in an order in which each has a
    /// place; `None` if there are few, or if levels are small.
    pub(crate) fn levels_in(
        &self,
        states: &[u32],
        places: &[u32],
        watch: &mut Watch<'_>,
    ) -> Result<Option<Vec<u32>>, Stopped> {
        let within = match states.len() {
            ..ORDERED_STATES => return Ok(None),
            ORDERED_STATES..BEYOND_CACHE => WithinLevels::AsPassed,
            BEYOND_CACHE.. => WithinLevels::ByNumber,
        };
        self.large_levels_in((states, places), within, ORDERED_LEVEL, watch)
    }

    /// The same where levels have so many states on average.
    pub(crate) fn large_levels_in(
        &self,
        (states, places): (&[u32], &[u32]),
        within: WithinLevels,
        least_level: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Vec<u32>>, Stopped> {
        let Passed { levels, lengths } = self.passed(states, places, watch)?;
        let mut find_strips = || strips(states.len(), &InPlaces(self.lists(), places), watch);
        match within {
            WithinLevels::AsPassed => {
                let lengths = lengths.each_ref().map(Vec::as_slice);
                let order = order_by_level(&levels, lengths, least_level, find_strips)?;
                Ok(order.map(|order| order.into_iter().map(|place| states[place as usize]).collect()))
            }
            WithinLevels::ByNumber => {
                let (levels, lengths) =
                    (by_number(&levels, places), lengths.map(|of| by_number(&of, places)));
                let find_strips = move || find_strips().map(|strips| by_number(&strips, places));
                order_by_level(&levels, lengths.each_ref().map(Vec::as_slice), least_level, find_strips)
            }
        }
    }

    /// Passes over the states in an order.
    fn passed(&self, states: &[u32], places: &[u32], watch: &mut Watch<'_>) -> Result<Passed, Stopped> {
        let lists = self.lists().map(|(counts, columns)| Lookup::new(counts, columns));
        let mut passed = Passed::of_none(states.len());
        let threads = watch.threads();
        let mut gathered: Vec<Gathered> = (0..threads).map(|_| Gathered::default()).collect();
        let mut place = 0;
        for states in states.chunks(threads * GATHERED) {
            watch.prepare()?;
            // Threads gather what one of them looks at then.
            together(
                gathered.iter_mut().zip(states.chunks(GATHERED)).collect(),
                |(own, states): (&mut Gathered, _), _| {
                    own.gather(&lists, states, places);
                },
            );
            for row in gathered.iter().take(states.len().div_ceil(GATHERED)).flat_map(Gathered::rows) {
                passed.pass(place, row);
                place += 1;
            }
        }
        Ok(passed)
    }

    /// The level of each state.
    pub(super) fn levels(&self, watch: &mut Watch<'_>) -> Result<Vec<u32>, Stopped> {
        let [(counts, mut columns), (others, mut sources)] = self.lists();
        let mut levels = vec![0_u32; counts.len()];
        for (state, (&count, &other)) in counts.iter().zip(others).enumerate() {
            if state.is_multiple_of(BETWEEN_LOOKS) {
                watch.prepare()?;
            }
            let (row, rest) = columns.split_at(count as usize);
            let (later, rest_of_later) = sources.split_at(other as usize);
            (columns, sources) = (rest, rest_of_later);
            let above = |level: u32, &column: &u32| level.max(levels[column as usize] + 1);
            let level = row.iter().fold(levels[state], above);
            levels[state] = level;
            for &column in later {
                let of_later = &mut levels[column as usize];
                *of_later = (*of_later).max(level + 1);
            }
        }
        Ok(levels)
    }
}

/// What is known of the places, by the numbers of their states.
fn by_number<T: Copy>(of_places: &[T], places: &[u32]) -> Vec<T> {
    places.iter().map(|&place| of_places[place as usize]).collect()
}

/// The pairs of states in the order of a list.
struct AsListed<'l>(Lists<'l>);

impl Pairs for AsListed<'_> {
    fn for_each(&self, mut visit: impl FnMut(usize, usize)) {
        let [earlier, later] = self.0;
        for_each_source(earlier, &mut visit);
        for_each_source(later, |source, state| visit(state, source));
    }
}

/// The pairs of the states of a list in another order, in which each has a place.
struct InPlaces<'l>(Lists<'l>, &'l [u32]);

impl Pairs for InPlaces<'_> {
    fn for_each(&self, mut visit: impl FnMut(usize, usize)) {
        let InPlaces(lists, places) = self;
        for &list in lists {
            for_each_source(list, |source, state| {
                let (from, to) = (places[source] as usize, places[state] as usize);
                visit(from.min(to), from.max(to));
            });
        }
    }
}

/// Calls `visit(i, j)` for each rate from `i` to `j` in one of the triangles.
fn for_each_source((counts, mut sources): (&[u32], &[u32]), mut visit: impl FnMut(usize, usize)) {
    for (state, &count) in counts.iter().enumerate() {
        let row = sources.split_off(..count as usize).unwrap_or_default();
        row.iter().for_each(|&source| visit(source as usize, state));
    }
}

/// What a pass over the states finds of each, by its place: its level, and how many rates lead to it from
/// earlier and from later states.
struct Passed {
    levels: Vec<u32>,
    lengths: [Vec<u32>; 2],
}

impl Passed {
    fn of_none(states: usize) -> Passed {
        Passed { levels: vec![0; states], lengths: [0; 2].map(|_| vec![0; states]) }
    }

    /// Takes a state into account after all those before it. Its row has the places from which rates lead to
    /// it.
    fn pass(&mut self, place: usize, row: &[u32]) {
        let Passed { levels, lengths } = self;
        let (mut level, mut before) = (levels[place], 0);
        for &from in row {
            let is_before = (from as usize) < place;
            before += u32::from(is_before);
            level = level.max(if is_before { levels[from as usize] + 1 } else { 0 });
        }
        levels[place] = level;
        for &from in row {
            let of_later = &mut levels[from as usize];
            *of_later = (*of_later).max(if from as usize > place { level + 1 } else { 0 });
        }
        (lengths[0][place], lengths[1][place]) = (before, row.len() as u32 - before);
    }
}

/// States whose rates a thread gathers at once: they stay in its cache.
const GATHERED: usize = 1 << 13;

/// The places from which rates lead to some states.
#[derive(Default)]
struct Gathered {
    places: Vec<u32>,
    ends: Vec<usize>,
}

impl Gathered {
    fn gather(&mut self, lists: &[Lookup<'_>; 2], states: &[u32], places: &[u32]) {
        self.places.clear();
        self.ends.clear();
        for &state in states {
            lists.iter().for_each(|list| self.places.extend_from_slice(list.sources(state as usize)));
            self.ends.push(self.places.len());
        }
        self.places.iter_mut().for_each(|from| *from = places[*from as usize]);
    }

    fn rows(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.places[std::mem::replace(&mut start, end)..end])
    }
}

/// How many of so many states a level must have on average for them to be put in order; `None` if they are
/// few.
pub(super) fn least_level(states: usize) -> Option<usize> {
    match states {
        ..ORDERED_STATES => None,
        ORDERED_STATES..LEAST_SHARED => Some(ORDERED_LEVEL),
        LEAST_SHARED.. => Some(ORDERED_LEVEL_OF_MANY),
    }
}

/// The bytes while a list of so many bytes and states is brought into the order, in which its entries are
/// there twice. That is to be a small part of what is left, so that it does not take away the memory of a
/// method.
pub(super) fn bytes_by_level(list: u64, states: usize) -> u64 {
    list + states as u64 * (PER_STATE + WHILE_MADE)
}

/// The states by level; those that are near one another in a level by the lengths of their rows in both
/// triangles. `None` if levels have fewer states on average. Where there are many states and levels are too
/// small for threads to share each, the states of one [strip](mod@strips) come after those of the other.
pub(super) fn order_by_level(
    levels: &[u32],
    [lengths, others]: [&[u32]; 2],
    least_level: usize,
    find_strips: impl FnOnce() -> Result<Vec<u8>, Stopped>,
) -> Result<Option<Vec<u32>>, Stopped> {
    let (states, count) = (levels.len(), levels.iter().max().map_or(0, |&highest| highest as usize + 1));
    let in_level = states / count.max(1);
    if in_level < least_level {
        return Ok(None);
    }
    let mut order = by_keys(levels, count);
    let mut strips = Vec::new();
    if states >= LEAST_SHARED && in_level < SMALL_LEVEL {
        strips = find_strips()?;
        let of_places: Vec<u32> = order.iter().map(|&state| u32::from(strips[state as usize])).collect();
        let by_strip = by_keys(&of_places, STRIPS);
        order = by_strip.into_iter().map(|place| order[place as usize]).collect();
    }
    let key = |state: u32| (strips.get(state as usize), levels[state as usize]);
    let mut sorted = Vec::with_capacity(NEAR);
    for level in order.chunk_by_mut(|&one, &other| key(one) == key(other)) {
        for states in level.chunks_mut(NEAR) {
            sort_by_lengths(states, others, &mut sorted);
            sort_by_lengths(states, lengths, &mut sorted);
        }
    }
    Ok(Some(order))
}

/// Sorts neighbouring states by the lengths of their rows; those with equally long rows stay in their order.
fn sort_by_lengths(states: &mut [u32], lengths: &[u32], sorted: &mut Vec<u32>) {
    // Rows of this length and longer ones count as equally long.
    const LONG: usize = 63;
    let length = |state: u32| (lengths[state as usize] as usize).min(LONG);
    let mut next = [0_usize; LONG + 2];
    states.iter().for_each(|&state| next[length(state) + 1] += 1);
    for length in 0..LONG {
        next[length + 1] += next[length];
    }
    sorted.clear();
    sorted.resize(states.len(), 0);
    for &state in &*states {
        let place = &mut next[length(state)];
        sorted[*place] = state;
        *place += 1;
    }
    states.copy_from_slice(sorted);
}

/// Another order of the states, in which connected states are one behind the other as they were.
struct Task<'t> {
    order: &'t [u32],
    places: &'t [u32],
    threads: usize,
}

impl Task<'_> {
    fn parts<V: RateCode + Send>(
        &self,
        parts: TriangularParts<V>,
        watch: &mut Watch<'_>,
    ) -> Result<TriangularParts<V>, Stopped> {
        let TriangularParts { earlier, later } = parts;
        let earlier = self.triangle(&earlier);
        watch.prepare()?;
        let later = self.triangle(&later);
        watch.prepare()?;
        Ok(TriangularParts { earlier, later })
    }

    /// A triangle in the order. Each thread makes the rows of some of the states.
    fn triangle<V: RateCode + Send>(&self, before: &Triangle<V>) -> Triangle<V> {
        let ends = ends(&before.counts);
        let counts: Vec<u32> = self.order.iter().map(|&state| before.counts[state as usize]).collect();
        let mut triangle = Triangle {
            counts,
            columns: vec![0; before.columns.len()],
            values: vec![V::default(); before.values.len()],
        };
        let (mut columns, mut values) = (&mut triangle.columns[..], &mut triangle.values[..]);
        let mut parts = Vec::with_capacity(self.threads);
        for thread in 0..self.threads {
            let places = share(self.order.len(), thread, self.threads);
            let count = triangle.counts[places.clone()].iter().map(|&count| count as usize).sum();
            let (own, rest) = columns.split_at_mut(count);
            let (own_values, rest_of_values) = values.split_at_mut(count);
            (columns, values) = (rest, rest_of_values);
            parts.push((places, own, own_values));
        }
        together(parts, |(places, columns, values), _| {
            let mut start = 0;
            for &state in &self.order[places] {
                let end = ends[state as usize];
                let row = end - before.counts[state as usize] as usize..end;
                let range = start..start + row.len();
                start = range.end;
                let (columns, values) = (&mut columns[range.clone()], &mut values[range]);
                let known = before.columns[row.clone()].iter().zip(&before.values[row]);
                for ((column, value), (before, rate)) in columns.iter_mut().zip(&mut *values).zip(known) {
                    (*column, *value) = (self.places[*before as usize], *rate);
                }
                sort_row(columns, values);
            }
        });
        triangle
    }
}
