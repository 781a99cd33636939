//! A loop over indices in parallel: by chunks of a schedule, and by rayon.

use std::hint::black_box;

use rayon::prelude::*;
use skel::distribute::Schedule;
use skel::run::distribute;

use crate::work;

/// So many indices on so many workers, each index with so many rounds of work: by a schedule of
/// `skel::run::distribute`, by rayon's `par_iter` (`rayon`), or one after the other (`sequential`). The
/// checksum is the same for all.
pub fn run(peer: &str, workers: u64, rounds: u64, items: u64) -> Option<u64> {
    let work = |index: u64| if rounds == 0 { black_box(index) } else { work::task(index, rounds) };
    let sum = |range: std::ops::Range<u64>| range.map(work).fold(0, u64::wrapping_add);
    match peer {
        "sequential" => Some(sum(0..items)),
        "rayon" => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(workers as usize).build().ok()?;
            Some(pool.install(|| (0..items).into_par_iter().map(work).reduce(|| 0, u64::wrapping_add)))
        }
        schedule => {
            let schedule: Schedule = schedule.parse().ok()?;
            let ended = distribute(0..items).by(schedule).over(workers as usize).run(sum).ok()?;
            Some(ended.into_values().fold(0, u64::wrapping_add))
        }
    }
}

/// So many loops over so many indices on so many workers, of which each chunk does nothing: what remains is
/// what chunks and threads cost. The answer is how many chunks there were.
pub fn chunks(schedule: &str, workers: u64, loops: u64, items: u64) -> Option<u64> {
    let schedule: Schedule = schedule.parse().ok()?;
    let nothing = || distribute(0..items).by(schedule).over(workers as usize).run(|range| black_box(range.start));
    (0..loops).try_fold(0, |chunks, _| Some(chunks + nothing().ok()?.report().chunks()))
}
