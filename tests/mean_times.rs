//! Mean times in the place of rates, from Rust and in texts.

use std::time::Duration;

use skel::prelude::*;
use skel::skeleton::text;

#[test]
fn a_mean_time_is_the_inverse_of_a_rate() {
    for (time, rate) in [
        (12.ms(), ratio(250, 3)),
        (2.s(), ratio(1, 2)),
        (800.us(), ratio(1250, 1)),
        (Duration::from_nanos(3), ratio(1_000_000_000, 3)),
        (Duration::MAX, ratio(1_000_000_000, 1) / Ratio::from_integer(Duration::MAX.as_nanos().into())),
    ] {
        assert_eq!(every(time).exact(), Some(&rate), "{time:?}");
    }
    let by_times =
        pipe!(task("parse", every(500.ms())), farm(2, "store", every(1.s()))).communicating(every(200.ms()));
    let by_rates = pipe!(task("parse", 2), farm(2, "store", 1)).communicating(5);
    let [times, rates] = [by_times, by_rates].map(|program| program.performance_exact().expect("an answer"));
    assert_eq!(times.throughput(), rates.throughput());
}

#[test]
fn a_time_of_zero_is_no_mean_time() {
    let told = |error: skel::model::BuildErrors| format!("{}; {}", error.0[0].message, error.0[0].help);
    let task = task!("parse", every(0.ms())).tree().expect_err("no rate");
    assert_eq!(
        told(task),
        "the rate of the task `parse` is infinite, as the mean time is 0; \
         a rate is a finite number of events per unit of time, above 0"
    );
    let moves = pipe!(task(1), task(1)).communicating(every(Duration::ZERO)).lower().expect_err("no rate");
    assert_eq!(
        told(moves),
        "stage 1: the rate of the move from task 0 to task 1 is infinite, as the mean time is 0; \
         for moves that take no time give `Communication::negligible()`"
    );
}

#[test]
fn texts_have_times_with_units() {
    let tree = |text: &str| text::parse(text).into_tree().expect("a tree").to_string();
    assert_eq!(
        tree("pipe(task(\"parse\", 12ms), farm(2, 0.5s), task(8e2us), task(2 s));"),
        tree("pipe(task(\"parse\", 250/3), farm(2, 2), task(1250), task(1/2));")
    );
    let parsed =
        text::parse("communication(1ms); communication(0, 1, 2ms); pipe(task(1), task(1), task(1));");
    let shown = parsed.lower(None).expect("a system").to_string();
    assert!(shown.contains("(move_0_1, 500.0).Network + (move_1_2, 1000.0).Network"), "{shown}");
}

#[test]
fn what_is_no_time_is_told() {
    for (text, message) in [
        ("task(12min);", "`min` is not a unit of time"),
        ("task(12Ms);", "`Ms` is not a unit of time"),
        ("task(0ms);", "the mean time is 0"),
        ("task(-3ms);", "the mean time is negative"),
        ("task(1/3ms);", "the rate cannot be read: `3ms` is not a number"),
        ("task(3ms/2);", "a mean time is not divided"),
    ] {
        assert_eq!(text::parse(text).diagnostics[0].message, message, "{text}");
    }
}
