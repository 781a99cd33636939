//! Times that are not exponential: from Rust, from macros and in texts.

use skel::prelude::*;
use skel::skeleton::text::{self, parse_in};
use skel::skeleton::{pipe, task};

/// The throughput to the 13 digits of the reference.
fn is_near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-12, "{found}, {expected}");
}

/// Mean, scv, and the throughput of `pipe(exp(1), this, exp(1))` with communication at 1, from a second
/// program that builds the chain by itself.
#[test]
fn fits_by_two_moments_in_the_middle_of_three() {
    for (time, scv, throughput) in [
        (1.0, 4.0, 0.2853118858064),
        (2.0, 9.0, 0.2269576312254),
        (1.0, 1.5, 0.2893005572432),
        (2.0, 0.4, 0.2372703619863),
        (1.0, 0.7, 0.2928787771343),
        (1.0, 0.25, 0.2968692463771),
    ] {
        let program = pipe!(task(1.0), task(fitted(mean(time), scv)), task(1.0)).communicating(1.0);
        is_near(*program.performance().expect("an answer").throughput(), throughput);
    }
}

/// A macro call, constructors and a text that say the same are the same.
#[test]
fn three_doors_agree() {
    let by_macro = pipe!(
        task("a", exponential(2)),
        farm(2, "b", erlang(4, 12.ms())),
        deal(3, hyperexponential([0.25, 0.75], [1.0, 10.0])),
        task("c", phases([1, 0], [[-2.0, 0.5], [1.0, -3.0]])),
        task("d", fitted(mean(0.5), 0.3)),
        task("e", deterministic(mean(2))),
        task("f", uniform(8.ms(), 16.ms())),
        task("g", lognormal(2.s(), 0.5)),
        farm(2, weibull(800.us(), 0.7)),
    );
    let by_text = "pipe(9); task(\"a\", exponential(2)); farm(2, \"b\", erlang(4, 12ms)); \
        deal(3, hyperexponential([0.25, 3/4], [1, 10])); task(\"c\", phases([1, 0], [[-2, 0.5], [1, -3]])); \
        task(\"d\", fitted(0.5, 0.3)); task(\"e\", deterministic(2)); task(\"f\", uniform(8ms, 16 ms)); \
        task(\"g\", lognormal(2s, 0.5)); farm(2, weibull(800us, 0.7));";
    let tree = by_macro.tree().expect("a tree");
    assert_eq!(text::parse(by_text).into_tree().expect("a tree"), tree);
    // What it prints is read as the same.
    assert_eq!(text::parse(&tree.to_string()).into_tree().expect("a tree"), tree);
    let fitted = tree.fitted();
    assert_eq!(text::parse(&fitted.to_string()).into_tree().expect("a tree"), fitted);
}

pipe! {
    skeleton Spelled(k: u32, long: f64) {
        task("first", erlang(k, mean(long))),
        farm(k, fitted(mean(long), 0.5)),
        task("last", measured("tests/ui/skeleton/measured/columns.csv").column("parse")),
    }
}

#[test]
fn an_item_has_times_with_parameters() {
    let spelled = Spelled::new(3, 2.5);
    let expected = "pipe(3);\ntask(\"first\", erlang(3, 2.5));\nfarm(3, fitted(2.5, 0.5));\n\
        task(\"last\", measured(\"tests/ui/skeleton/measured/columns.csv\", \"parse\"));\n";
    assert_eq!(spelled.tree().expect("a tree").to_string(), expected);
    let wrong = Spelled::new(0, -1.0).tree().expect_err("no phases, and a negative mean");
    let messages: Vec<&str> = wrong.0.iter().map(|error| error.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "stage 0: the Erlang time of the task `first` has 0 phases",
            "stage 0: the mean time of the task `first` is -1, which is negative",
            "stage 1: the farm has 0 replicas",
            "stage 1, worker: the mean time of the task is -1, which is negative",
        ]
    );
}

#[test]
fn measured_times_are_read_where_they_are_said() {
    let file = "tests/ui/skeleton/measured/faults.csv";
    let error = task(measured(file).column("time")).tree().expect_err("wrong lines");
    assert_eq!(error.0[0].message, "tests/ui/skeleton/measured/faults.csv:3:3: the time -3 is negative");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/skeleton");
    let said = "task(measured(\"measured/columns.csv\", 3));";
    let by_text = parse_in(said, &[], &folder).into_tree().expect("a tree");
    let time = by_text.time(by_text.root()).expect("a task");
    assert_eq!((time.mean(), time.scv()), (&ratio(4, 1000), ratio(1, 8)));
    assert_eq!(
        time.in_words(),
        "measured: 2 times of mean 0.004, scv 0.125; fitted by Erlang 8 at rate 2000"
    );
    assert_eq!(by_text.to_string(), format!("{said}\n"));
}

/// A chain has no other times than those of phases, and takes fits if it is asked to.
#[test]
fn times_that_no_chain_has_are_fitted_on_request() {
    let program = pipe((task(uniform(mean(0), mean(2))), task(1.0))).communicating(1.0);
    let error = program.performance().expect_err("no phases").to_string();
    assert!(error.contains("`uniform(0.0, 2.0)`, which a Markov chain cannot have"), "{error}");
    let fitted = program.fitted().performance().expect("an answer");
    let erlang = pipe((task(erlang(3, mean(1))), task(1.0))).communicating(1.0);
    is_near(*fitted.throughput(), *erlang.performance().expect("an answer").throughput());
    let constant = pipe((task(deterministic(mean(1))), task(1.0))).communicating(1.0).fitted();
    assert!(constant.performance().is_err(), "it varies less than any fit");
}

/// Two stages pass items at `1 / (E max(S0, S1) + 1/c)`, whatever their times. For Erlang times of 2 phases
/// at rate 2 the larger has the mean `E S0 + E S1 - E min`, where `E min` is the sum of `P(min > t)`: (1 +
/// 2t)^2 e^(-4t), which is 5/8.
#[test]
fn two_stages_in_closed_form() {
    let program = pipe!(task(erlang(2, mean(1))), task(erlang(2, mean(1)))).communicating(4);
    let performance = program.performance_exact().expect("an answer");
    assert_eq!(*performance.throughput(), ratio(1, 1) / (ratio(11, 8) + ratio(1, 4)));
}
