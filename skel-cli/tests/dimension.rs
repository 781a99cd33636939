//! `skel skeleton --target` as a user runs it: the known case, targets as they are typed, and what is said of
//! every bad input.

mod support;

use std::process::Output;

use serde_json::{Value, json};
use support::{json as parsed, run_in};

const FOUR: &str =
    "communication(1e4); pipe(task(\"a\", 4ms), task(\"b\", 12ms), farm(1, \"c\", 60ms), task(\"d\", 3ms));";

fn skel(flags: &[&str], input: &str) -> Output {
    run_in(".", &[&["skeleton", "-", "--color", "never"], flags].concat(), input)
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn answered(flags: &[&str], input: &str) -> Value {
    let output = skel(&[flags, &["--json"]].concat(), input);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    parsed(&output)
}

#[test]
fn two_hundred_items_a_second() {
    let flags = ["--target", "200/s", "--communication", "none"];
    let output = skel(&flags, FOUR);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    insta::assert_snapshot!("four_stages", String::from_utf8(output.stdout).unwrap());
    let answer = answered(&flags, FOUR);
    assert_eq!((&answer["verdict"], &answer["proof"]), (&json!("cheapest"), &json!("bounds")));
    assert_eq!((&answer["best"]["cost"], &answer["best"]["replicas"]), (&json!(21), &json!([2, 4, 14, 1])));
    assert_eq!(
        answer["places"][2],
        json!({"name": "c", "path": "stage 2", "kind": "farm", "now": 1, "replicas": 14})
    );
    assert_eq!(answer["variation"][0]["needs"]["cost"], 17);
    assert_eq!(answer["variation"][1]["needs"], json!({"least_cost": 17, "most_cost": 21}));
    assert_eq!(answer["ten_percent_longer"][2]["needs"]["replicas"], json!([2, 4, 15, 1]));
}

#[test]
fn targets_have_units() {
    let text = "pipe(task(\"a\", 20), task(\"b\", 30));";
    let with = |target: &str| answered(&["--target", target, "--communication", "none"], text);
    let a_second = with("30/s");
    for (target, unit) in [("1800/min", "second"), ("30", "unit of time"), ("0.03/ms", "second")] {
        let answer = with(target);
        assert_eq!((&answer["best"], &answer["unit_of_time"]), (&a_second["best"], &json!(unit)), "{target}");
    }
    let quick = with("90ms");
    assert_eq!((&quick["asked"], &quick["target"]), (&json!("response_time"), &json!(0.09)));
    assert!(quick["best"]["response_time"].as_f64().unwrap() <= 0.09);
}

#[test]
fn a_target_may_be_for_a_part_of_the_items() {
    let text = "pipe(task(\"a\", 20), task(\"b\", 5), task(\"c\", 30));";
    let flags = ["--target", "99% in 1.2s", "--communication", "none"];
    let answer = answered(&flags, text);
    assert_eq!((&answer["asked"], &answer["target"]), (&json!("response_time_of_part"), &json!(1.2)));
    assert_eq!((&answer["part"], &answer["proof"]), (&json!(0.99), &json!("exhaustion")));
    assert!(answer["best"]["response_time_of_part"].as_f64().unwrap() <= 1.2);
    assert!(answer["best"]["response_time"].as_f64().unwrap() < 0.6);
    assert!(answer["next_cheaper"]["response_time_of_part"].as_f64().unwrap() > 1.2);
    let output = skel(&flags, text);
    insta::assert_snapshot!("part_of_the_items", String::from_utf8(output.stdout).unwrap());
}

#[test]
fn costs_and_places_have_names() {
    let text = "pipe(task(\"a\", 20), task(\"b\", 30), task(\"c\", 40));";
    let flags = [
        "--target",
        "18",
        "--communication",
        "none",
        "--cost",
        "b=4",
        "--replicate",
        "b",
        "--replicate",
        "a",
    ];
    let answer = answered(&flags, text);
    let names: Vec<_> =
        answer["places"].as_array().unwrap().iter().map(|place| place["name"].clone()).collect();
    assert_eq!(names, ["a", "b"]);
    let replicas: Vec<u64> =
        answer["best"]["replicas"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).collect();
    assert_eq!(answer["best"]["cost"], replicas[0] + 4 * replicas[1] + 1);
}

#[test]
fn what_is_wrong_is_explained() {
    let mut shown = String::new();
    for (flags, expected) in [
        (&["--target", "0/s"][..], 2),
        (&["--target", "-3"], 2),
        (&["--target", "200 items"], 2),
        (&["--target", "nan"], 2),
        (&["--target", "200/s", "--cost", "b=0"], 2),
        (&["--target", "200/s", "--cost", "b=-1"], 2),
        (&["--target", "200/s", "--cost", "bb=2", "--replicate", "cc"], 2),
        (&["--target", "200/s", "--cost", "b=2", "--cost", "b=3"], 2),
        (&["--target", "200/s", "--at-most", "0"], 2),
        (&["--at-most", "3"], 2),
        (&["--target", "200/s", "--solve"], 2),
        (&["--target", "200/s", "--communication", "0-1=3"], 2),
        (&["--target", "200/s", "--at-most", "15"], 1),
        (&["--target", "200/s", "--at-most", "20", "--communication", "none"], 1),
        (&["--target", "400/s", "--replicate", "c"], 1),
        (&["--target", "70ms"], 1),
        (&["--target", "100% in 1s"], 2),
        (&["--target", "99% in 200/s"], 2),
        (&["--target", "99% in 100ms"], 1),
        (&["--target", "200/s", "--max-time", "0.000001"], 3),
    ] {
        let output = skel(flags, FOUR);
        assert_eq!(output.status.code(), Some(expected), "{flags:?}: {}", said(&output));
        shown += &format!("$ skel skeleton - {}\n{}\n", flags.join(" "), said(&output));
    }
    let silent = skel(&["--target", "2"], "pipe(task(1), task(1));");
    assert_eq!(silent.status.code(), Some(1));
    shown += &format!("$ skel skeleton - --target 2\n{}", said(&silent));
    insta::assert_snapshot!("wrong_targets", shown);
}

#[test]
fn an_unreachable_target_has_its_bound_in_json() {
    let output = skel(&["--target", "200/s", "--at-most", "15", "--json"], FOUR);
    assert_eq!(output.status.code(), Some(1));
    let answer = parsed(&output);
    assert_eq!((&answer["verdict"], &answer["stage"]), (&json!("unreachable"), &json!("c")));
    assert!((answer["bound"].as_f64().unwrap() - 500.0 / 3.0).abs() < 1e-9);
    assert_eq!(answer["errors"][0]["code"], "unreachable_target");
}
