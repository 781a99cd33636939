//! `skel transient` as a user runs it: reference values, the forms of its output, limits, and what is said of
//! every bad command line.

mod support;

use std::process::Output;

use serde_json::Value;
use support::{json, run_in};

const RACE: &str = "Wait = (take, 1).Win; Win = (rest, 2).Wait; Lock = (take, infty).Lock;
(Wait || Wait) <take> Lock;
won = {Win || ** || **};";

fn transient(arguments: &[&str], input: &str) -> Output {
    run_in("../models", &[&["transient", "--color", "never"], arguments].concat(), input)
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn value(of: &Value, kind: &str, name: &str) -> f64 {
    of[kind][name]["value"].as_f64().unwrap_or_else(|| panic!("{kind} {name}: {of}"))
}

#[test]
fn json_has_points_with_their_errors() {
    let output = transient(&["mm1k.pepa", "--at", "0,1,10", "--over", "--json"], "");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let answer = json(&output);
    let error = answer["error"].as_f64().unwrap();
    assert!(error > 0.0 && error < 1e-8 && answer["accuracy"] == "bound", "{answer}");
    let points = answer["points"].as_array().unwrap();
    assert_eq!(points.iter().map(|point| point["t"].as_f64().unwrap()).collect::<Vec<_>>(), [0.0, 1.0, 10.0]);
    for (found, known) in [
        (value(&points[0], "throughput", "arrive"), 3.0),
        (value(&points[0], "results", "empty"), 1.0),
        (value(&points[1], "results", "full"), 0.023_841_740_479_577_12),
        (value(&points[1], "throughput", "serve"), 2.390_360_650_167_101),
        (value(&points[1]["over"], "throughput", "serve"), 1.803_533_593_217_283),
        (value(&points[2]["over"], "throughput", "serve"), 26.480_014_992_462_47),
        (value(&points[2]["over"], "results", "lost"), 1.819_128_859_641_962),
        (value(&points[2]["average"], "results", "lost"), 0.181_912_885_964_196_2),
        (value(&points[0]["over"], "throughput", "serve"), 0.0),
    ] {
        assert!((found - known).abs() <= error, "{found} {known} {error}");
    }
}

#[test]
fn a_chain_that_only_seems_steady_has_its_value() {
    let text = "Start = (left, 500).First + (right, 500).Second; First = (drift, 0.00001).Second;
        Second = (stay, 1).Second; Tick = (tick, 1000).Tock; Tock = (tock, 1000).Tick; Start || Tick";
    let output = transient(&["-", "--at", "1e5", "--json"], text);
    let first = value(&json(&output)["points"][0], "population", "First");
    assert!((first - 0.183_939_722_425_118_38).abs() < 1e-12, "{first}");
}

#[test]
fn tables_are_for_people() {
    let short = ["mm1k.pepa", "--at", "0:1:1/4", "--over"];
    insta::assert_snapshot!("table", without_error(&printed(&transient(&short, ""))));
    let kept = ["polling.pepa", "--at", "log:1e-1:10:3", "--keep", "serve1", "--keep", "serve2"];
    insta::assert_snapshot!("kept", without_error(&printed(&transient(&kept, ""))));
}

/// The bound depends on rounding and may change.
fn without_error(text: &str) -> String {
    text.lines().filter(|line| !line.contains("no figure is off")).collect::<Vec<_>>().join("\n")
}

#[test]
fn csv_has_a_line_for_each_moment() {
    let output =
        transient(&["mm1k.pepa", "--at", "0,1", "--keep", "serve", "--keep", "full", "--csv", "--over"], "");
    let text = printed(&output);
    let mut lines = text.lines();
    let header = "t,throughput:serve,result:full,over:throughput:serve,over:result:full,average:throughput:serve,average:result:full";
    assert_eq!(lines.next(), Some(header));
    assert_eq!(lines.next(), Some("0,0,0,0,0,0,0"));
    let last: Vec<f64> = lines.next().unwrap().split(',').map(|cell| cell.parse().unwrap()).collect();
    assert!(
        (last[1] - 2.390_360_650_167_101).abs() < 1e-9 && (last[4] - 0.007_590_637_352_466_123).abs() < 1e-9
    );
}

#[test]
fn beginnings_are_conditions_or_weights() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("weights.txt");
    std::fs::write(&file, "# states 1 to 6\n0\n0\n0\n0\n0\n2.5\n").unwrap();
    let of = |arguments: &[&str]| {
        let output = transient(&[&["mm1k.pepa", "--at", "0.5", "--json"], arguments].concat(), "");
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        value(&json(&output)["points"][0], "results", "full")
    };
    let full = of(&["--from", "\"full\""]);
    assert_eq!(full, of(&["--from-file", file.to_str().unwrap()]));
    assert!(full > of(&[]));
    // A condition that tells copies apart is asked without lumping, and so is a result.
    let race = |from: &str| {
        let output = transient(&["-", "--at", "0", "--from", from, "--json"], RACE);
        value(&json(&output)["points"][0], "results", "won")
    };
    assert_eq!((race("{Win || ** || **}"), race("{** || Win || **}"), race("Win = 1")), (1.0, 0.5, 0.5));
}

#[test]
fn curves_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("curves.svg");
    let output = transient(&["mm1k.pepa", "--at", "0:5:0.1", "--svg", file.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let figure = std::fs::read_to_string(file).unwrap();
    assert!(figure.contains("time (units of time)") && figure.contains("#0072B2"), "{figure}");
}

#[test]
fn what_is_wrong_with_the_question() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("short.txt"), "1\n1\n").unwrap();
    std::fs::write(folder.path().join("wrong.txt"), "1\n-1\nmany\n1\n1\n1\n").unwrap();
    std::fs::write(folder.path().join("zero.txt"), "0\n0\n0\n0\n0\n0\n").unwrap();
    let [short, wrong, zero] =
        ["short.txt", "wrong.txt", "zero.txt"].map(|name| folder.path().join(name).display().to_string());
    let wrong_questions: &[(&str, i32, &[&str])] = &[
        ("negative_time", 2, &["--at", "-1"]),
        ("no_number", 2, &["--at", "soon"]),
        ("not_a_number", 2, &["--at", "NaN"]),
        ("infinite_time", 2, &["--at", "1e400"]),
        ("descending_times", 2, &["--at", "5,1"]),
        ("range_without_step", 2, &["--at", "0:10:0"]),
        ("missing_times", 2, &[]),
        ("unknown_method", 2, &["--at", "1", "--method", "krylov"]),
        ("tolerance_of_zero", 2, &["--at", "1", "--tolerance", "0"]),
        ("unknown_names", 2, &["--at", "1", "--keep", "serv", "--keep", "xyz"]),
        ("unknown_label", 1, &["--at", "1", "--from", "\"ful\""]),
        ("condition_without_end", 1, &["--at", "1", "--from", "Q0 >= "]),
        ("empty_start", 1, &["--at", "1", "--from", "false"]),
        ("both_starts", 2, &["--at", "1", "--from", "true", "--from-file", &short]),
        ("weights_missing", 2, &["--at", "1", "--from-file", "none.txt"]),
        ("weights_too_few", 2, &["--at", "1", "--from-file", &short]),
        ("weights_wrong", 2, &["--at", "1", "--from-file", &wrong]),
        ("weights_all_zero", 2, &["--at", "1", "--from-file", &zero]),
        ("too_many_steps", 3, &["--at", "1e9", "--method", "uniformisation"]),
        ("too_many_adaptive_steps", 3, &["--at", "1e9", "--method", "adaptive"]),
        ("unattainable_error", 3, &["--at", "1e5", "--method", "uniformisation", "--tolerance", "1e-14"]),
    ];
    for (name, exit, arguments) in wrong_questions {
        let output = transient(&[&["mm1k.pepa"], *arguments].concat(), "");
        assert_eq!(output.status.code(), Some(*exit), "{name}: {}", said(&output));
        assert!(output.stdout.is_empty(), "{name}");
        let text = said(&output).replace(&folder.path().display().to_string(), "FOLDER");
        insta::assert_snapshot!(*name, text);
    }
}

#[test]
fn fast_states_far_away_are_left_out() {
    let mut text = String::new();
    (0..60).for_each(|at| text += &format!("S{at} = (go, 1).S{};\n", at + 1));
    text += "S60 = (go, 1).Fast; Fast = (forth, 1000000000).Back; Back = (back, 1000000000).Fast; S0";
    for method in ["automatic", "adaptive"] {
        let arguments = ["-", "--at", "1,5", "--keep", "S5", "--method", method];
        let printed = transient(&arguments, &text);
        assert_eq!(printed.status.code(), Some(0));
        let printed = String::from_utf8(printed.stdout).unwrap();
        assert!(
            printed.contains("adaptive: ") && printed.contains("no figure is off by more than"),
            "{printed}"
        );
        assert!(printed.contains("0.1754673698"), "{printed}");
        let object = json(&transient(&[&arguments[..], &["--json"]].concat(), &text));
        assert_eq!((&object["method"], &object["accuracy"]), (&"adaptive".into(), &"bound".into()));
        assert_eq!(object["rate"], 1.0);
    }
}

#[test]
fn a_limit_is_an_answer() {
    let output = transient(&["client_server.pepa", "--at", "1", "--max-states", "5", "--json"], "");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(json(&output)["reached"]["limit"], "states");
    let output = transient(&["mm1k.pepa", "--at", "1e9", "--method", "uniformisation", "--json"], "");
    assert_eq!(
        (output.status.code(), &json(&output)["errors"][0]["code"]),
        (Some(3), &"too_many_steps".into())
    );
}
