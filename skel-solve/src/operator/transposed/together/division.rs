//! Where the states of a list are divided, and what lies before each place. None of it depends on the number
//! of threads, but for the shares.

use crate::limits::{BETWEEN_LOOKS, Stopped, Watch};
use crate::operator::transposed::levels::{STRIPS, start_of_strip};
use crate::operator::transposed::triangles::{Cut, Lists};
use crate::team::CHUNK;

/// Levels are divided into so many chunks, so that as many threads have equal shares; small levels into
/// fewer, so that chunks have at least so many states.
const IN_LEVEL: usize = 16;
const LEAST_CHUNK: usize = 256;

/// Chunks of strips have about so many states; but a strip has no more and no fewer of them than these.
const OF_CHUNK: usize = 512;
const MOST_IN_STRIP: usize = 32;
const LEAST_IN_STRIP: usize = 8;

/// What a state costs beside its entries, in entries.
pub(super) const OF_STATE: usize = 3;

/// Where levels end: each is as long as there is no rate between two of its states.
pub(super) fn level_ends(
    [(counts, mut columns), (others, mut sources)]: Lists<'_>,
    watch: &mut Watch<'_>,
) -> Result<Vec<usize>, Stopped> {
    let (mut ends, mut start) = (Vec::new(), 0);
    // The first state from which a rate leads to one of the level.
    let mut first_later = u32::MAX;
    for (state, (&count, &other)) in counts.iter().zip(others).enumerate() {
        if state.is_multiple_of(BETWEEN_LOOKS) {
            watch.prepare()?;
        }
        let row = columns.split_off(..count as usize).unwrap_or_default();
        let later = sources.split_off(..other as usize).unwrap_or_default();
        if state as u32 == first_later || row.iter().any(|&column| column as usize >= start) {
            ends.push(state);
            (start, first_later) = (state, u32::MAX);
        }
        first_later = later.iter().copied().fold(first_later, u32::min);
    }
    ends.push(counts.len());
    Ok(ends)
}

/// Where chunks end, and where levels end in chunks.
pub(super) fn chunks_of_levels(ends: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let (mut chunks, mut levels) = (Vec::new(), Vec::with_capacity(ends.len()));
    let mut start = 0;
    for &end in ends {
        let states = end - start;
        let parts = states.div_ceil(LEAST_CHUNK).min(IN_LEVEL).max(states.div_ceil(CHUNK));
        let parts = parts.next_power_of_two().min(states);
        chunks.extend((1..=parts).map(|part| start + states * part / parts));
        levels.push(chunks.len());
        start = end;
    }
    (chunks, levels)
}

/// Where chunks end, for so many states. Each strip has as many chunks.
pub(super) fn chunks_of_strips(states: usize) -> Vec<usize> {
    let in_strip = (states / STRIPS / OF_CHUNK).clamp(LEAST_IN_STRIP, MOST_IN_STRIP);
    let of_strip = |strip: usize| {
        let [start, end] = [strip, strip + 1].map(|strip| start_of_strip(strip, states));
        (1..=in_strip).map(move |chunk| start + (end - start) * chunk / in_strip)
    };
    (0..STRIPS).flat_map(of_strip).collect()
}

/// What is known of the beginnings of chunks, and of the end of the last one.
pub(super) fn cuts(lists: Lists<'_>, ends: &[usize]) -> Vec<Cut> {
    let mut at = Cut::FIRST;
    let ends = ends.iter().map(|&end| {
        at = at.moved_to(end, lists);
        at
    });
    std::iter::once(Cut::FIRST).chain(ends).collect()
}

/// The first chunk of each thread, and the number of all, so that threads have about as many entries each.
pub(super) fn shares(cuts: &[Cut], threads: usize) -> Vec<usize> {
    let work = |cut: &Cut| cut.earlier + cut.later + OF_STATE * cut.state;
    let all = cuts.last().map_or(0, work);
    let first = |thread: usize| cuts.partition_point(|cut| work(cut) * threads < all * thread);
    (0..threads).map(first).chain([cuts.len() - 1]).collect()
}
