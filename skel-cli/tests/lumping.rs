//! Lumping by default: what `skel solve` prints is the same without it, whatever a model is like.

mod support;

use std::process::Output;

use serde_json::Value;
use support::{json, run_in};

/// Clients that share servers, in numbers that make lumping worth while.
const CLIENTS: &str = "Client = (think, 1).Wait; Wait = (request, infty).Busy; Busy = (serve, infty).Client;
    Server = (request, 5).Work; Work = (serve, 3).Reset; Reset = (reset, 20).Server;
    Client[4] <request, serve> Server[2]";

/// Of two copies one wins for ever, and which one is left to chance.
const RACE: &str =
    "Wait = (take, 1).Win; Win = (win, 2).Win; Lock = (take, infty).Taken; Taken = (rest, 1).Taken;
    (Wait || Wait) <take> Lock";

/// Copies that leave the state in which they start.
const START: &str = "S = (begin, 1).P; P = (go, 1).Q; Q = (back, 3).P; S[5]";

/// Copies that all come to an end.
const END: &str = "P = (go, 1).Q; Q = (stop, 3).Done; Done = (never, infty).Done; Gate = (other, 1).Gate;
    Gate <never> P[3]";

fn skel(arguments: &[&str], text: &str) -> Output {
    run_in("../models", arguments, text)
}

/// The exact answers with and without lumping, to the same further arguments.
fn both(text: &str, more: &[&str]) -> [Value; 2] {
    let all = [&["solve", "-", "--exact", "--json"], more].concat();
    [json(&skel(&all, text)), json(&skel(&[&all[..], &["--unlumped"]].concat(), text))]
}

fn assert_same(text: &str, more: &[&str]) -> [Value; 2] {
    let [lumped, unlumped] = both(text, more);
    for key in [
        "throughput",
        "results",
        "utilisation",
        "ends",
        "deadlocks",
        "recurrent_classes",
        "warnings",
        "errors",
    ] {
        assert_eq!(lumped[key], unlumped[key], "{key} of {text}");
    }
    let stands_for = |key: &str| lumped["unlumped"].get(key).unwrap_or(&lumped[key]).clone();
    for key in ["states", "transitions", "transient_states"] {
        assert_eq!(stands_for(key), unlumped[key], "{key} of {text}");
    }
    assert!(unlumped["unlumped"].is_null());
    [lumped, unlumped]
}

#[test]
fn every_model_has_the_same_answers_without_lumping() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../models");
    let mut lumped_models = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "pepa") {
            let text = std::fs::read_to_string(&path).unwrap();
            let [lumped, _] = assert_same(&text, &[]);
            lumped_models += usize::from(lumped["unlumped"].is_object());
        }
    }
    assert!(lumped_models >= 3, "{lumped_models}");
}

#[test]
fn copies_are_counted_and_both_counts_are_said() {
    let [lumped, unlumped] = assert_same(CLIENTS, &[]);
    assert!(lumped["states"].as_u64().unwrap() * 5 < unlumped["states"].as_u64().unwrap());
    let shown = String::from_utf8(skel(&["solve", "-"], CLIENTS).stdout).unwrap();
    let counts = |key: &str| format!("{} {key} standing for {}", lumped[key], unlumped[key]);
    assert!(shown.contains(&format!("{}, {},", counts("states"), counts("transitions"))), "{shown}");
    let shown = String::from_utf8(skel(&["solve", "-", "--unlumped"], CLIENTS).stdout).unwrap();
    assert!(!shown.contains("standing for"), "{shown}");
}

#[test]
fn transient_states_are_counted_behind_lumped_ones() {
    let [lumped, _] = assert_same(START, &[]);
    assert_eq!(
        (&lumped["transient_states"], &lumped["unlumped"]["transient_states"]),
        (&15.into(), &211.into())
    );
    let shown = String::from_utf8(skel(&["solve", "-"], START).stdout).unwrap();
    assert!(shown.contains("15 transient states standing for 211"), "{shown}");
    assert_same(END, &[]);
    assert_same(END, &["--long-run"]);
}

#[test]
fn what_a_result_line_tells_apart_is_left_alone() {
    let text = "P = (go, 1).Q; Q = (back, 3).P; P[3]; first = {Q || ** || **};";
    let [asked, _] = assert_same(text, &[]);
    assert_eq!((&asked["states"], &asked["results"]["first"]["exact"]), (&6.into(), &"1/4".into()));
    assert_eq!(asked["unlumped"]["states"], 8);
    let text = "P = (go, 1).Q; Q = (back, 3).P; P[3]; all = {Q || Q || Q};";
    let [asked, _] = assert_same(text, &[]);
    assert_eq!((&asked["states"], &asked["results"]["all"]["exact"]), (&8.into(), &"1/64".into()));
    assert!(asked["unlumped"].is_null());
    let text = "P = (go, 1).Q; Q = (back, 3).P; D = (up, 1).U; U = (down, 1).D; P[3] || D; up = {** || ** || ** || U};";
    let [asked, _] = assert_same(text, &[]);
    assert_eq!((&asked["states"], &asked["results"]["up"]["exact"]), (&8.into(), &"1/2".into()));
    assert_eq!(asked["unlumped"]["states"], 16);
}

#[test]
fn classes_that_differ_in_an_exchange_are_told_apart() {
    let [refused, _] = assert_same(RACE, &[]);
    assert_eq!((&refused["states"], &refused["recurrent_classes"]), (&3.into(), &2.into()));
    assert!(refused["errors"][0]["message"].as_str().unwrap().contains("2 recurrent classes"));
    let [answered, _] = assert_same(RACE, &["--long-run"]);
    assert_eq!(answered["ends"].as_array().unwrap().len(), 2);
    let [kept, unlumped] = both(RACE, &["--keep", "win"]);
    assert_eq!((&kept["throughput"], &kept["recurrent_classes"]), (&unlumped["throughput"], &2.into()));
}

#[test]
fn several_classes_are_told_where_telling_them_apart_takes_too_much() {
    let text = "P = (left, 1).L + (right, 1).R; L = (a, 1).L; R = (b, 1).R; P[12] || P";
    let output = skel(&["solve", "-", "--json", "--max-states", "1000"], text);
    assert_eq!(output.status.code(), Some(1));
    let answer = json(&output);
    assert_eq!(
        (&answer["recurrent_classes"], &answer["unlumped"]["states"]),
        (&14.into(), &1_594_323.into())
    );
    let message = answer["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains("count as one here"), "{message}");
}

#[test]
fn an_ill_defined_state_has_the_way_that_it_has_without_lumping() {
    let text =
        "P = (a, 1).Q; Q = (b, 2).R; R = (a, infty).P; W = (a, infty).W; V = (a, 1).V; P[3] <a> (W <a> V)";
    let [lumped, unlumped] = both(text, &[]);
    assert_eq!(lumped["errors"], unlumped["errors"]);
    let message = lumped["errors"][0]["message"].as_str().unwrap();
    assert!(message.ends_with("after `a, b`, in the state `R || P || P || W || V`"), "{message}");
}

#[test]
fn what_ends_the_work_early_is_not_classified() {
    let text = "P = (a, 1).Q; Q = (b, 1).P; P[11]";
    let output = skel(&["solve", "-", "--unlumped", "--exact", "--json", "--max-memory", "500kB"], text);
    assert_eq!(output.status.code(), Some(3));
    let answer = json(&output);
    assert_ne!(answer["reached"]["while"], "exploring");
    assert_eq!((&answer["states"], &answer["recurrent_classes"]), (&2048.into(), &Value::Null));
}

/// Stars of forty tips side by side: more than 2^16 states.
fn stars() -> String {
    const TIPS: usize = 40;
    let star = |name: char| {
        let out: Vec<String> = (1..=TIPS).map(|tip| format!("(go{name}, 1).{name}{tip}")).collect();
        let back: String =
            (1..=TIPS).map(|tip| format!("{name}{tip} = (back{name}, 1).{name}0;\n")).collect();
        format!("{name}0 = {};\n{back}", out.join(" + "))
    };
    format!("{}{}{}A0 || B0 || C0", star('A'), star('B'), star('C'))
}

#[test]
fn many_states_are_kept_as_bits_on_any_number_of_threads() {
    let of = |arguments: &[&str]| skel(&[&["solve", "-"], arguments].concat(), &stars());
    let [one, three] = ["1", "3"].map(|threads| json(&of(&["--unlumped", "--json", "--threads", threads])));
    assert_eq!((&one["storage"], &one["states"]), (&"bits".into(), &68_921.into()));
    for key in ["storage", "states", "transitions", "throughput", "utilisation"] {
        assert_eq!(one[key], three[key], "{key}");
    }
    assert_eq!(of(&["--threads", "0"]).status.code(), Some(2));
    let shown = String::from_utf8(of(&["--unlumped"]).stdout).unwrap();
    assert!(shown.contains("explored into bits in"), "{shown}");
    let lumped = json(&of(&["--json"]));
    assert_eq!((&lumped["storage"], &lumped["unlumped"]["states"]), (&"list".into(), &68_921.into()));
}

#[test]
fn a_derivation_graph_is_numbered_breadth_first_however_large() {
    let graph = json(&skel(&["derive", "-", "--json"], &stars()));
    assert_eq!(graph["states"].as_array().unwrap().len(), 68_921);
    let mut known = 1;
    for transition in graph["transitions"].as_array().unwrap() {
        let to = transition["to"].as_u64().unwrap();
        assert!(to <= known, "{to} is found before {known}");
        known = known.max(to + 1);
    }
    assert_eq!(known, 68_921);
}
