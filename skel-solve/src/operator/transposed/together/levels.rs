//! The levels of the states of a list.

use crate::limits::{BETWEEN_LOOKS, Stopped, Watch};
use crate::operator::transposed::Context;
use crate::team::Member;

/// The states by level. The columns of rates are then places in it, and the rates from earlier states are stored in its order.
pub(in crate::operator::transposed) struct Levels {
    /// The states of one level after the other, each in ascending order.
    pub(super) order: Vec<u32>,
    /// For each state its place in the order.
    pub(super) places: Vec<u32>,
    /// Where levels end in the order.
    pub(super) ends: Vec<usize>,
    /// For each place its first entry from an earlier state, and the number of all entries.
    pub(super) starts: Vec<usize>,
    /// For each place the exit rate of its state.
    pub(super) exits: Vec<f64>,
}

impl Levels {
    pub(super) fn find(
        counts: &[u32],
        columns: &[u32],
        exits: &[f64],
        watch: &mut Watch<'_>,
    ) -> Result<Levels, Stopped> {
        let mut level_of: Vec<u32> = Vec::with_capacity(counts.len());
        let mut ends: Vec<usize> = Vec::new();
        let mut rest = columns;
        for &count in counts {
            if level_of.len().is_multiple_of(BETWEEN_LOOKS) {
                watch.prepare()?;
            }
            let (row, others) = rest.split_at(count as usize);
            rest = others;
            let level = row.iter().map(|&column| level_of[column as usize] + 1).max().unwrap_or(0);
            level_of.push(level);
            ends.resize(ends.len().max(level as usize + 1), 0);
            ends[level as usize] += 1;
        }
        let mut before = 0;
        for end in &mut ends {
            before += std::mem::replace(end, before);
        }
        // The list of levels becomes that of the places.
        let mut places = level_of;
        let mut order = vec![0; counts.len()];
        for (state, place) in places.iter_mut().enumerate() {
            let next = &mut ends[*place as usize];
            *place = *next as u32;
            order[*next] = state as u32;
            *next += 1;
        }
        watch.prepare()?;
        let mut start = 0;
        let mut starts = Vec::with_capacity(counts.len() + 1);
        starts.push(0);
        starts.extend(order.iter().map(|&state| {
            start += counts[state as usize] as usize;
            start
        }));
        let exits = order.iter().map(|&state| exits[state as usize]).collect();
        Ok(Levels { order, places, ends, starts, exits })
    }

    /// The places of a thread in each level, one level after the other. There is a barrier between two levels.
    pub(super) fn for_each(
        &self,
        member: Member<'_>,
        context: &Context<'_>,
        mut of_place: impl FnMut(usize),
    ) {
        let mut start = 0;
        for &end in &self.ends {
            // Whoever stops still comes to all barriers.
            if !context.stop.is_due() {
                let own = member.share(end - start);
                (start + own.start..start + own.end).for_each(&mut of_place);
            }
            start = end;
            member.meet();
        }
    }
}
