//! `skel response` as a user runs it: known figures of a skeleton and of a model, every form of output, and
//! what is said of every bad input.

mod support;

use std::process::Output;

use serde_json::{Value, json};
use support::{json as parsed, run_in};

const FARM: &str = "pipe(task(1), farm(2, 1), task(1));";

const PIPELINE: &str = include_str!("../../models/pipeline.pepa");

const WAY: [&str; 6] = ["--in", "move1", "--carry", "move2:1-2,move3:2-3", "--out", "move4"];

fn skel(flags: &[&str], input: &str) -> Output {
    run_in(".", &[&["response", "-", "--color", "never"], flags].concat(), input)
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn printed(flags: &[&str], input: &str) -> String {
    let output = skel(flags, input);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn answered(flags: &[&str], input: &str) -> Value {
    let output = skel(&[flags, &["--json"]].concat(), input);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    parsed(&output)
}

#[test]
fn a_skeleton_and_its_figures() {
    let flags = ["--communication", "1", "--exact", "--at", "1,3,10"];
    insta::assert_snapshot!("of_a_skeleton", printed(&flags, FARM));
    let answer = answered(&flags, FARM);
    assert_eq!(answer["mean"]["exact"], json!("8059942/1338363"));
    assert_eq!(answer["throughput"]["exact"], json!("2676726/6029579"));
    assert_eq!(answer["items_inside"]["exact"], json!("16119884/6029579"));
    assert_eq!((&answer["states"], &answer["states_with_item"]), (&json!(24), &json!(60)));
    let close = |value: &Value, known: f64| (value.as_f64().unwrap() - known).abs() < 1e-9;
    assert!(close(&answer["variance"]["value"], 6.787_504_173_240_45));
    assert!(close(&answer["quantiles"][2]["value"], 14.041_798_098_304));
    assert!(close(&answer["cdf"][1]["value"], 0.089_428_606_277_375_73));
    assert!(close(&answer["cdf"][1]["density"], 0.103_055_109_105_305_88));
    assert!(answer["error"].as_f64().unwrap() < 1e-6);
    assert_eq!(answer["moments"].as_array().unwrap().len(), 2);
}

#[test]
fn a_model_and_its_figures() {
    let flags = [&WAY[..], &["--exact"]].concat();
    insta::assert_snapshot!("of_a_model", printed(&flags, PIPELINE));
    let answer = answered(&flags, PIPELINE);
    assert_eq!(answer["mean"]["exact"], json!("2358961/3043330"));
    assert_eq!(answer["states_with_item"], json!(54));
    // Positions may be said, and have any numbers.
    let other = ["--in", "move1:7", "--carry", "move2:7-3,move3:3-5", "--out", "move4:5", "--exact"];
    assert_eq!(answered(&other, PIPELINE)["mean"], answer["mean"]);
}

#[test]
fn other_forms_of_output() {
    let csv = printed(&["--communication", "1", "--at", "0:2:1", "--csv"], FARM);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "kind,at,value,error");
    let kinds: Vec<&str> = lines[1..].iter().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(kinds[..3], ["mean", "variance", "moment"]);
    assert_eq!(kinds.iter().filter(|kind| **kind == "cdf").count(), 3);
    let folder = tempfile::tempdir().unwrap();
    let figure = folder.path().join("response.svg");
    printed(&["--communication", "1", "--svg", figure.to_str().unwrap()], FARM);
    let svg = std::fs::read_to_string(figure).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("part of the items that are done"), "{svg}");
}

#[test]
fn what_is_wrong_is_explained() {
    let mut shown = String::new();
    let two = "B = (in, 1).B1; B1 = (in, 1).B2 + (out, 1).B; B2 = (out, 1).B1; B";
    for (flags, input, expected) in [
        (&[][..], FARM, 1),
        (&["--communication", "1", "--at", "-1"], FARM, 2),
        (&["--communication", "1", "--at", "2,1"], FARM, 2),
        (&["--communication", "1", "--at", "0:10:0"], FARM, 2),
        (&["--communication", "1", "--quantile", "1"], FARM, 2),
        (&["--communication", "1", "--quantile", "nan"], FARM, 2),
        (&["--communication", "1", "--moments", "0"], FARM, 2),
        (&["--communication", "1", "--tolerance", "1e-25"], FARM, 3),
        (&["--communication", "1", "--at", "1000", "--max-steps", "10"], FARM, 3),
        (&["--communication", "1", "--max-states", "10"], FARM, 3),
        (&["--communication", "1", "--in", "move1", "--out", "move2"], FARM, 2),
        (&["--communication", "1"], "pipe(task(1), task(uniform(1, 2)));", 1),
        (&["--communication", "1"], "pipe(task(1), task(0));", 1),
        (&["--communication", "1"], "pipe();", 1),
        (&[], PIPELINE, 2),
        (&["--in", "move1", "--carry", "move2:1-2", "--out", "move4", "--communication", "1"], PIPELINE, 2),
        (&["--in", "move1:x", "--out", "move4"], PIPELINE, 2),
        (&["--in", "move1", "--carry", "move2", "--out", "move4"], PIPELINE, 2),
        (&["--in", "move1", "--carry", "move2:1-2,move3:1-3", "--out", "move4"], PIPELINE, 2),
        (&["--in", "mov1", "--carry", "move2:1-2,move33:2-3", "--out", "move4"], PIPELINE, 1),
        (&["--in", "move1", "--carry", "move2:1-2,move2:1-3,move3:2-3", "--out", "move4"], PIPELINE, 1),
        (&["--in", "move1:1", "--carry", "move2:1-2,move3:4-3", "--out", "move4:3"], PIPELINE, 1),
        (&["--in", "move1", "--carry", "move3:1-2", "--out", "move4"], PIPELINE, 1),
        (&["--in", "in", "--out", "out"], two, 1),
        (&["--in", "in", "--out", "go"], "P = (in, 1).Q; Q = (go, 1).R; R = (go, 1).R; P", 1),
    ] {
        let output = skel(flags, input);
        assert_eq!(output.status.code(), Some(expected), "{flags:?}: {}", said(&output));
        shown += &format!("$ skel response - {}\n{}\n", flags.join(" "), said(&output));
    }
    insta::assert_snapshot!("wrong_questions", shown);
}
