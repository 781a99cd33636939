//! Makes the list of a chain in two passes over its transitions: the first counts the entries, and keeps the
//! rows if memory allows, and the second fills the list.

use super::codes::{CODES, Codes, MOST_CODES, RateCode};
use super::triangles::{Triangle, TriangularParts};
use super::{PER_STATE, Rates, Rows, TransposedRates};
use crate::error::Error;
use crate::limits::Watch;
use crate::limits::memory::MemoryBudget;
use crate::space::add_to_same;

impl TransposedRates {
    /// Collects the rates of a chain, within a memory budget.
    pub(crate) fn new(
        states: usize,
        rows: Rows<'_>,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<TransposedRates, Error> {
        budget.check(CODES + states as u64 * PER_STATE)?;
        let may_keep =
            budget.check(CODES + states as u64 * PER_STATE + StoredRows::most_bytes(states)).is_ok();
        let mut kept = may_keep.then(StoredRows::default);
        let FirstPass { counts, exits, mut codes } = FirstPass::new(states, rows, &mut kept, watch)?;
        let entries: u64 = counts.iter().flatten().map(|&count| u64::from(count)).sum();
        let needed = CODES + states as u64 * PER_STATE + entries * (4 + codes.bytes());
        budget.check(needed)?;
        let kept =
            kept.filter(|kept| codes.count <= MOST_CODES && budget.check(needed + kept.bytes()).is_ok());
        let rows = (kept, rows);
        let bytes = CODES + states as u64 * (8 + 2 * 4) + entries * (4 + codes.bytes());
        let rates = match codes.bytes() {
            1 => Rates::Byte(TriangularParts::fill(counts, rows, &mut codes, watch)?),
            2 => Rates::Short(TriangularParts::fill(counts, rows, &mut codes, watch)?),
            _ => Rates::Float(TriangularParts::fill(counts, rows, &mut codes, watch)?),
        };
        Ok(TransposedRates::of_rates(exits, codes.numbered(), (rates, bytes), watch))
    }
}

impl<V: RateCode> TriangularParts<V> {
    /// The entries of some rows, which are stored or listed once more.
    fn fill(
        counts: [Vec<u32>; 2],
        (kept, rows): (Option<StoredRows>, Rows<'_>),
        codes: &mut Codes,
        watch: &mut Watch<'_>,
    ) -> Result<TriangularParts<V>, Error> {
        let states = counts[0].len();
        let [(mut earlier, mut earlier_at), (mut later, mut later_at)] = counts.map(Triangle::empty);
        let mut put = |state: usize, target: u32, value: V| {
            let target = target as usize;
            let (triangle, at) = match state < target {
                true => (&mut earlier, &mut earlier_at[target]),
                false => (&mut later, &mut later_at[target]),
            };
            (triangle.columns[*at], triangle.values[*at]) = (state as u32, value);
            *at += 1;
        };
        if let Some(kept) = kept {
            kept.for_each(|state, target, number| put(state, target, V::of_number(number, codes)));
            watch.prepare()?;
        } else {
            let mut merged = Merged::new(states);
            rows(watch, &mut |state, row| {
                merged
                    .row(state, row)
                    .iter()
                    .for_each(|&(target, rate)| put(state, target, V::of(rate, codes)));
            })?;
        }
        Ok(TriangularParts { earlier, later })
    }
}

/// The results of the first pass.
pub(super) struct FirstPass {
    /// For each state the numbers of rates from earlier states and from later ones.
    pub(super) counts: [Vec<u32>; 2],
    pub(super) exits: Vec<f64>,
    pub(super) codes: Codes,
}

/// Rows in which each target comes once.
pub(super) struct Merged {
    /// Of each state the number of the last one, plus one, from which a rate led to it.
    last: Vec<u32>,
    row: Vec<(u32, f64)>,
}

impl Merged {
    pub(super) fn new(states: usize) -> Merged {
        Merged { last: vec![0; states], row: Vec::new() }
    }

    /// The rates out of a state; sorted by target, if some of them had to be added.
    pub(super) fn row<'r>(&'r mut self, state: usize, row: &'r [(u32, f64)]) -> &'r [(u32, f64)] {
        let own = state as u32 + 1;
        let mut is_new = true;
        for &(target, _) in row {
            is_new &= std::mem::replace(&mut self.last[target as usize], own) != own;
        }
        if is_new {
            return row;
        }
        self.row.clear();
        self.row.extend_from_slice(row);
        add_to_same(&mut self.row);
        &self.row
    }
}

/// The largest number of rates in stored rows: 192 MiB.
const MOST_KEPT: usize = 1 << 25;

/// Rows, one after the other, with the numbers of their rates.
#[derive(Default)]
pub(super) struct StoredRows {
    lengths: Vec<u32>,
    targets: Vec<u32>,
    numbers: Vec<u16>,
}

impl StoredRows {
    /// The bytes of the largest lists, and of the lists that they have just been copied from.
    pub(super) fn most_bytes(states: usize) -> u64 {
        2 * (states * size_of::<u32>() + MOST_KEPT * (size_of::<u32>() + size_of::<u16>())) as u64
    }

    pub(super) fn bytes(&self) -> u64 {
        let of_rows = self.lengths.capacity() * size_of::<u32>();
        let of_rates =
            self.targets.capacity() * size_of::<u32>() + self.numbers.capacity() * size_of::<u16>();
        (of_rows + of_rates) as u64
    }

    /// Calls `visit` with each rate: the state, the target, and the number of the rate.
    pub(super) fn for_each(&self, mut visit: impl FnMut(usize, u32, u16)) {
        let mut rates = self.targets.iter().zip(&self.numbers);
        for (state, &length) in self.lengths.iter().enumerate() {
            for (&target, &number) in rates.by_ref().take(length as usize) {
                visit(state, target, number);
            }
        }
    }
}

impl FirstPass {
    /// Counts the entries, and stores the rows while they are few.
    pub(super) fn new(
        states: usize,
        rows: Rows<'_>,
        kept: &mut Option<StoredRows>,
        watch: &mut Watch<'_>,
    ) -> Result<FirstPass, Error> {
        let [mut earlier, mut later] = [vec![0; states], vec![0; states]];
        let mut exits = Vec::with_capacity(states);
        let mut codes = Codes::new();
        let mut merged = Merged::new(states);
        rows(watch, &mut |state, row| {
            let row = merged.row(state, row);
            let is_kept = kept.as_ref().is_some_and(|kept| kept.targets.len() + row.len() <= MOST_KEPT);
            if !is_kept || codes.count > MOST_CODES {
                *kept = None;
            }
            for &(target, _) in row {
                let counts = if state < target as usize { &mut earlier } else { &mut later };
                counts[target as usize] += 1;
            }
            exits.push(row.iter().map(|(_, rate)| rate).sum());
            let numbers = row.iter().map(|&(_, rate)| codes.number(rate) as u16);
            match kept {
                Some(kept) => {
                    kept.targets.extend(row.iter().map(|(target, _)| target));
                    kept.numbers.extend(numbers);
                    kept.lengths.push(row.len() as u32);
                }
                None => numbers.for_each(drop),
            }
        })?;
        Ok(FirstPass { counts: [earlier, later], exits, codes })
    }
}
