//! `skel passage` as a user runs it: tables, JSON and comma-separated values of reference models, figures,
//! and what is said of every bad command line and of questions without an answer.

mod support;

use std::process::Output;

use serde_json::Value;
use support::{json, run_in};

fn passage(arguments: &[&str]) -> Output {
    run_in("../models", &[&["passage", "--color", "never"], arguments].concat(), "")
}

fn of_text(text: &str, arguments: &[&str]) -> Output {
    run_in("../models", &[&["passage", "--color", "never", "-"], arguments].concat(), text)
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

const FULL: [&str; 5] = ["mm1k.pepa", "--from", "initial", "--to", "\"full\""];

fn full(more: &[&str]) -> Output {
    passage(&[&FULL[..], more].concat())
}

#[test]
fn a_table_names_what_was_counted() {
    let output = full(&["--at", "1,5,10", "--quantile", "0.5,99%", "--moments", "3", "--exact"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let expected = "\
mm1k.pepa: 6 states, 10 transitions
from initial to \"full\": the passage begins in the initial state at time zero
5 states before the end; it is reached with probability 1; no figure is off by more than 8.4e-10

figure          value  exact
------------------------------------------
mean      7.855967078  1909/243
variance  50.27588952  2968741/59049
moment 2  111.9921082  6613022/59049
moment 3  2377.942545  11373625478/4782969

probability         time
------------------------
        0.5  5.702275548
       0.99  33.37649235

 t    probability        density
--------------------------------
 1  0.04476732635  0.09943406601
 5   0.4478170868  0.07805294778
10   0.7276513679  0.03849916684
";
    assert_eq!(printed(&output), expected);
}

#[test]
fn json_has_every_figure_with_its_error() {
    let output = full(&["--at", "1", "--quantile", "1/2", "--exact", "--json"]);
    let object = json(&output);
    let number = |value: &Value| value.as_f64().unwrap();
    assert_eq!(object["mean"]["exact"], "1909/243");
    assert_eq!(object["variance"]["exact"], "2968741/59049");
    assert!((number(&object["mean"]["value"]) - 7.855_967_078_189_3).abs() < 1e-14);
    assert_eq!(object["moments"].as_array().unwrap().len(), 2);
    let point = &object["cdf"][0];
    assert!((number(&point["value"]) - 0.044_767_326_349_373_93).abs() <= number(&point["error"]));
    assert!((number(&point["density"]) - 0.099_434_066_013_017_27).abs() <= number(&point["density_error"]));
    let quantile = &object["quantiles"][0];
    assert_eq!(quantile["probability"], 0.5);
    assert!((number(&quantile["value"]) - 5.702_275_548_290_2).abs() <= number(&quantile["error"]) + 1e-12);
    assert!(number(&object["error"]) <= 1e-9);
    assert_eq!((&object["way"], &object["states"]), (&"initial".into(), &6.into()));
    assert!(object["definition"].as_str().unwrap().contains("initial state"));
    assert_eq!((object["throughput"].is_null(), &object["warnings"]), (true, &serde_json::json!([])));
}

#[test]
fn each_way_to_count_has_its_own_answer_and_name() {
    let of = |arguments: &[&str]| {
        let object = json(&passage(&[&["pipeline.pepa", "--exact", "--json"], arguments].concat()));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&object["way"]), text(&object["mean"]["exact"]), object["throughput"]["exact"].clone())
    };
    let actions = ["--from-action", "move1", "--to-action", "move4"];
    let (way, mean, throughput) = of(&actions);
    assert_eq!((way.as_str(), mean.as_str()), ("probe", "83408783/290017850"));
    assert_eq!(throughput, "29001785/16179488");
    let (way, mean, _) = of(&[&actions[..], &["--every"]].concat());
    assert_eq!((way.as_str(), mean.as_str()), ("every", "5807/22460"));
    let output = passage(&["erlang_loss.pepa", "--from", "Busy < 3", "--to", "Busy = 3", "--csv"]);
    assert!(printed(&output).starts_with("kind,at,value,error\nmean,,"), "{}", said(&output));
    let output = passage(&["mm1k.pepa", "--from", "!\"empty\"", "--to", "\"empty\"", "--exact"]);
    assert!(printed(&output).contains("each entry into the states from outside"));
    assert!(printed(&output).contains("781/1024"));
    let all = passage(&["mm1k.pepa", "--from", "!\"empty\"", "--to", "\"empty\"", "--all-visits"]);
    assert!(printed(&all).contains("moves among them included"), "{}", said(&all));
}

#[test]
fn one_copy_is_followed_while_the_others_are_lumped() {
    let ways = [
        ["{(Wait || ** || **) <request, serve> **}", "{(Client || ** || **) <request, serve> **}"],
        ["Client@1:Wait", "Client@1:Client"],
        ["Client@3:Wait", "Client@3:Client"],
    ];
    let of = |[from, to]: [&str; 2], more: &[&str]| {
        let arguments = ["client_server.pepa", "--from", from, "--to", to, "--exact", "--json"];
        json(&passage(&[&arguments[..], more].concat()))
    };
    for way in ways {
        let object = of(way, &[]);
        assert_eq!(object["mean"]["exact"], "229701/226268");
        assert_eq!((&object["states"], &object["unlumped"]["states"]), (&19.into(), &28.into()));
        let unlumped = of(way, &["--unlumped"]);
        assert_eq!((&unlumped["mean"], &unlumped["variance"]), (&object["mean"], &object["variance"]));
        assert!(unlumped["unlumped"].is_null());
    }
}

#[test]
fn a_passage_that_may_not_end_has_moments_of_those_that_do() {
    let text = "P = (try, 1).Q + (fail, 3).R; Q = (done, 2).S; R = (stay, 1).R; S = (stay, 1).S; P";
    let arguments = ["--from", "initial", "--to", "\"S\"", "--quantile", "0.2,0.3", "--exact"];
    let output = of_text(text, &arguments);
    let table = printed(&output);
    assert!(table.contains("with probability 0.25, so the mean time is infinite"), "{table}");
    assert!(table.contains("0.3        never"), "{table}");
    let object = json(&of_text(text, &[&arguments[..], &["--json"]].concat()));
    assert!(object["mean"].is_null() && object["quantiles"][1]["value"].is_null());
    assert_eq!(
        (&object["ends"]["exact"], &object["given_it_ends"]["mean"]["exact"]),
        (&"1/4".into(), &"3/4".into())
    );
}

#[test]
fn curves_are_drawn_with_or_without_moments() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("passage.svg");
    for more in [&["--at", "log:1e-2:1e2:40"][..], &[]] {
        let output = full(&[&["--svg", path.to_str().unwrap()], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let svg = std::fs::read_to_string(&path).unwrap();
        assert!(svg.contains("probability to have ended") && svg.contains("density"));
    }
}

/// What is said of a command line, and how it ends.
fn refused(arguments: &[&str], exit: i32, parts: &[&str]) {
    let output = passage(arguments);
    assert_eq!(output.status.code(), Some(exit), "{arguments:?}: {}", said(&output));
    for part in parts {
        assert!(said(&output).contains(part), "{arguments:?}: {}", said(&output));
    }
}

#[test]
fn bad_command_lines_say_what_to_write() {
    let with = |more: &[&'static str]| [&FULL[..], more].concat();
    refused(&with(&["--at", "-1"]), 2, &["the moment -1 is before the beginning"]);
    refused(&with(&["--at", "5,1"]), 2, &["ascending order"]);
    refused(&with(&["--at", "0:10:0"]), 2, &["step"]);
    refused(&with(&["--at", "nan"]), 2, &["0:10:0.5"]);
    for wrong in ["0", "1", "-0.5", "1.5", "half", ""] {
        let wrong = [&FULL[..], &["--quantile", wrong]].concat();
        refused(&wrong, 2, &["above 0 and below 1"]);
    }
    refused(&with(&["--tolerance", "0"]), 2, &["1e-9"]);
    refused(&with(&["--moments", "0"]), 2, &["1..=20"]);
    refused(&["mm1k.pepa", "--to", "\"full\""], 2, &["--from"]);
    refused(&["mm1k.pepa", "--from", "initial"], 2, &["--to"]);
    refused(&with(&["--every"]), 2, &["--every"]);
}

#[test]
fn names_that_the_model_lacks_are_all_told_at_once() {
    refused(
        &["mm1k.pepa", "--from", "\"ful\" & Quene1 = 1", "--to-action", "serv,arive"],
        1,
        &["--from:1:1", "did you mean `full`?", "Quene1", "no action `serv`", "did you mean `arrive`?"],
    );
    refused(&["mm1k.pepa", "--from", "initial", "--to", "\"full"], 1, &["--to:1:1"]);
}

#[test]
fn questions_without_an_answer_say_why() {
    let once = "P = (begin, 1).Q; Q = (go, 1).R; R = (back, 3).Q; P";
    let race = "P = (left, 1).L + (right, 3).R; L = (stay, 1).L; R = (stay, 1).R; P";
    for (text, arguments, part) in [
        (once, &["--from-action", "begin", "--to-action", "go"][..], "not done in the long run"),
        (once, &["--from-action", "go", "--to-action", "begin"], "no passage ever ends"),
        (once, &["--from", "P = 1 & Q = 1", "--to-action", "go"], "in none of the 3 states"),
        (once, &["--from", "\"P\"", "--to-action", "go"], "left for ever"),
        (once, &["--from", "P = 0", "--to-action", "go"], "none is entered from outside"),
        (race, &["--from-action", "stay", "--to-action", "stay"], "--from initial"),
        (race, &["--from", "initial", "--to", "P = 1 & L = 1"], "its probability is 0"),
    ] {
        let output = of_text(text, arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(said(&output).contains(part), "{arguments:?}: {}", said(&output));
    }
    let output = passage(&["mm1k.pepa", "--from", "\"full\"", "--to", "!\"empty\"", "--json"]);
    let object = json(&output);
    assert_eq!((output.status.code(), &object["mean"]["value"]), (Some(0), &0.0.into()));
    assert_eq!(object["warnings"][0]["code"], "passage_over_at_once");
}

#[test]
fn what_cannot_be_kept_is_no_answer() {
    refused(
        &[&FULL[..], &["--at", "1", "--tolerance", "1e-17"]].concat(),
        3,
        &["unattainable_error", "--tolerance"],
    );
    refused(&[&FULL[..], &["--at", "1", "--max-states", "3"]].concat(), 3, &["3 states"]);
    refused(&[&FULL[..], &["--at", "10", "--max-steps", "5"]].concat(), 3, &["steps"]);
}
