//! Faults of every kind in random nested skeletons: every item is delivered, reported or counted once, in order, and no thread is left.

mod trial;

use trial::run::{random_trial, run};

/// Runs the trials of these seeds. `TRIAL` in the environment names one seed, to run it alone.
fn trials(seeds: std::ops::Range<u64>) {
    let one = std::env::var("TRIAL").ok().map(|seed| seed.parse().expect("TRIAL is a number"));
    let seeds = one.map_or(seeds, |seed| seed..seed + 1);
    let mut failures = 0;
    for seed in seeds {
        let trial = random_trial(seed);
        if let Err(problem) = run(&trial) {
            failures += 1;
            eprintln!("seed {seed}: {problem}\n{trial:?}\n");
        }
    }
    assert_eq!(failures, 0);
}

#[test]
fn injected_faults() {
    trials(0..150);
}

#[test]
#[ignore = "takes minutes: 3,000 trials"]
fn thousands_of_injected_faults() {
    trials(0..3_000);
}
