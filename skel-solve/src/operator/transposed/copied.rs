//! The list of the rates of an operator that computes them again for each product.

use std::ops::{ControlFlow, Range};

use super::codes::{CODES, Codes, MOST_CODES, RateCode};
use super::triangles::{Triangle, TriangularParts};
use super::{Rates, TransposedRates};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::operator::RateOperator;
use crate::operator::kronecker::KroneckerRates;
use crate::team::{share, together};

/// The bytes of an entry while lists are filled, when there may still be as many rates as have numbers of 16
/// bits.
const PER_ENTRY: u64 = 4 + 2;

/// The bytes of a state: counts and the exit rate.
const PER_STATE: u64 = 2 * 4 + 8;

impl TransposedRates {
    /// The same rates as those of an operator, as a list, in one pass over them. `None` if they do not fit
    /// the budget, or if too many of them are distinct to be numbered.
    pub(crate) fn copied(
        chain: &KroneckerRates<'_>,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<TransposedRates>, Stopped> {
        let (states, rates) = (chain.states(), chain.rates());
        let bytes = |copies: u64| CODES + states as u64 * PER_STATE + copies * rates * PER_ENTRY;
        if budget.check(bytes(1)).is_err() {
            return Ok(None);
        }
        // What several threads have made is there twice while it is put together.
        let threads = if budget.check(bytes(2)).is_ok() { watch.threads().min(chain.blocks()) } else { 1 };
        let room = rates as usize / threads;
        let mut parts: Vec<Part> = (0..threads).map(|_| Part::with_room_for(room)).collect();
        let numbered = parts.iter_mut().enumerate().collect();
        together(numbered, |(thread, part): (usize, &mut Part), _| {
            part.fill(chain, share(chain.blocks(), thread, threads));
        });
        watch.prepare()?;
        let Some((codes, numbers)) = joined_codes(&parts) else { return Ok(None) };
        let entries = parts.iter().flat_map(|part| &part.triangles);
        let entries = entries.map(|triangle| triangle.columns.len() as u64).sum::<u64>();
        let bytes = CODES + states as u64 * PER_STATE + entries * (4 + codes.bytes());
        let rates = match codes.bytes() {
            1 => Rates::Byte(joined(parts, &numbers, |code| code as u8)),
            _ => Rates::Short(joined(parts, &numbers, |code| code)),
        };
        let exits = chain.exits().to_vec();
        Ok(Some(TransposedRates::of_rates(exits, codes.numbered(), (rates, bytes), watch)))
    }
}

/// The rates into some of the states.
struct Part {
    codes: Codes,
    triangles: [Triangle<u16>; 2],
}

impl Part {
    fn with_room_for(rates: usize) -> Part {
        // A page of memory is taken when it is first written to, so that both lists together take what is
        // counted.
        let triangles = [0; 2].map(|_| Triangle {
            counts: Vec::new(),
            columns: Vec::with_capacity(rates),
            values: Vec::with_capacity(rates),
        });
        Part { codes: Codes::new(), triangles }
    }

    /// Takes the rates into the states of some blocks.
    fn fill(&mut self, chain: &KroneckerRates<'_>, blocks: Range<usize>) {
        let Part { codes, triangles: [earlier, later] } = self;
        let _ = chain.for_each_row(blocks, |state, row| {
            let (before, after) = row.split_at(row.partition_point(|&(from, _)| (from as usize) < state));
            for (triangle, entries) in [(&mut *earlier, before), (&mut *later, after)] {
                triangle.counts.push(entries.len() as u32);
                for &(from, rate) in entries {
                    triangle.columns.push(from);
                    triangle.values.push(codes.number(rate) as u16);
                }
            }
            if codes.count > MOST_CODES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }
}

/// The numbers of the rates of all parts, and for each part the number of each of its own; `None` if too many
/// are distinct.
fn joined_codes(parts: &[Part]) -> Option<(Codes, Vec<Vec<u16>>)> {
    let mut codes = Codes::new();
    let mut numbers = Vec::with_capacity(parts.len());
    for part in parts {
        let known = part.codes.table.get(..part.codes.count)?;
        numbers.push(known.iter().map(|&rate| codes.number(rate) as u16).collect());
    }
    (codes.count <= MOST_CODES).then_some((codes, numbers))
}

/// The rates into all states, whose parts come one after the other, in no more memory than they need. Each
/// thread puts its own part there.
fn joined<V: RateCode + Send>(
    parts: Vec<Part>,
    numbers: &[Vec<u16>],
    value: impl Fn(u16) -> V + Sync,
) -> TriangularParts<V> {
    let mut of_parts: Vec<[Triangle<u16>; 2]> = parts.into_iter().map(|part| part.triangles).collect();
    if of_parts.len() == 1
        && let Some(only) = of_parts.pop()
    {
        // Its rates have the same numbers among all.
        let [earlier, later] = only.map(|triangle| triangle.with_values(&value));
        return TriangularParts { earlier, later };
    }
    let mut joined = [0, 1].map(|side| {
        let entries = of_parts.iter().map(|part| part[side].columns.len()).sum();
        let counts = of_parts.iter().flat_map(|part| &part[side].counts);
        Triangle {
            counts: counts.copied().collect(),
            columns: vec![0; entries],
            values: vec![V::default(); entries],
        }
    });
    let mut rest = joined.each_mut().map(|triangle| (&mut triangle.columns[..], &mut triangle.values[..]));
    let tasks = of_parts.iter().zip(numbers).map(|(part, numbers)| {
        let own = [0, 1].map(|side| {
            let count = part[side].columns.len();
            let (columns, values) = &mut rest[side];
            (columns.split_off_mut(..count), values.split_off_mut(..count))
        });
        (part, numbers, own)
    });
    together(tasks.collect(), |(part, numbers, own), _| {
        for (triangle, (columns, values)) in part.iter().zip(own) {
            columns.unwrap_or_default().copy_from_slice(&triangle.columns);
            let known = values.unwrap_or_default().iter_mut().zip(&triangle.values);
            known.for_each(|(place, &code)| *place = value(numbers[usize::from(code)]));
        }
    });
    let [earlier, later] = joined;
    TriangularParts { earlier, later }
}

impl Triangle<u16> {
    /// The same entries with another form of their values, in no more memory than they need.
    fn with_values<V>(self, value: impl Fn(u16) -> V) -> Triangle<V> {
        let Triangle { counts, mut columns, values } = self;
        columns.shrink_to_fit();
        Triangle { counts, columns, values: values.into_iter().map(value).collect() }
    }
}
