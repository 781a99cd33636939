//! Faults of every kind in random nested skeletons: every item is delivered, reported or counted once, in
//! order, and no thread is left.

mod trial;

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use trial::run::{COUNTS_THREADS, Trial, random_team_trial, random_trial, run};

/// Trials that count the threads of the process cannot run beside others.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs the trials of these seeds, one after the other: another test would be another thread. `TRIAL` in the
/// environment names one seed, to run it alone.
fn trials(seeds: std::ops::Range<u64>, of: fn(u64) -> Trial) {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    COUNTS_THREADS.store(true, Ordering::SeqCst);
    let one = std::env::var("TRIAL").ok().map(|seed| seed.parse().expect("TRIAL is a number"));
    let seeds = one.map_or(seeds, |seed| seed..seed + 1);
    let mut failures = 0;
    for seed in seeds {
        let trial = of(seed);
        if let Err(problem) = run(&trial) {
            failures += 1;
            eprintln!("seed {seed}: {problem}\n{trial:?}\n");
        }
    }
    assert_eq!(failures, 0);
}

#[test]
fn injected_faults() {
    trials(0..400, random_trial);
    trials(0..400, random_team_trial);
}

#[test]
#[ignore = "takes minutes: 10,000 trials, and as many with teams"]
fn thousands_of_injected_faults() {
    trials(0..10_000, random_trial);
    trials(0..10_000, random_team_trial);
}
