//! `skel network` as a user runs it: the paper's figures, the forms of the answer, and every bad file.

mod support;

use std::process::Output;

use serde_json::{Value, json};
use support::{json as object, run_in};

fn network(arguments: &[&str], input: &str) -> Output {
    run_in("../models/networks", &[&["network"], arguments].concat(), input)
}

fn printed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn said(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code));
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn every_bad_network_prints_its_diagnostics() {
    let folder = format!("{}/../tests/networks", env!("CARGO_MANIFEST_DIR"));
    let names = std::fs::read_dir(&folder).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".toml")).collect();
    names.sort();
    assert!(names.len() >= 28);
    for name in names {
        let output = run_in("../tests/networks", &["network", &name, "--color", "never"], "");
        assert!(output.stdout.is_empty(), "{name}");
        insta::assert_snapshot!(name.replace('.', "_"), said(&output, 1));
    }
}

/// The platform of the paper, with the figures of an independent program.
#[test]
fn the_figures_of_the_paper_are_printed() {
    let text = printed(&network(&["grid5000.toml"], ""));
    insta::assert_snapshot!("grid5000", text);
    for figure in [
        "6 clusters",
        "8602.73",
        "11638.97",
        "8904.874",
        "8678.266",
        "12016.65",
        "16236.752",
        "45138.128",
        "19250.362",
    ] {
        assert!(text.contains(figure), "{figure}");
    }
    // The binomial tree over 20 machines at 512 KiB, as printed and as it is.
    let csv = printed(&network(&["grid5000.toml", "--csv"], ""));
    assert!(csv.contains("broadcast,524288,C1,20,binomial,,pLogP,21215.08,17059.166,"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + 2 * (5 * 4 + 1));
}

#[test]
fn clusters_are_those_of_the_paper_within_its_bounds() {
    let clusters = |rho: &str| {
        let answer = object(&network(&["grid5000.toml", "--rho", rho, "--json", "--size", "1"], ""));
        let names = answer["clusters"].as_array().unwrap().iter().map(|cluster| cluster["name"].clone());
        names.collect::<Vec<Value>>()
    };
    assert_eq!(clusters("0.0021"), ["C1", "C21", "C22", "C23", "C3", "C4"]);
    assert_eq!(clusters("0.325"), ["C1", "C21", "C22", "C23", "C3", "C4"]);
    assert_eq!(clusters("0.327"), ["C1", "C21", "C22-1 and 7 more", "C3", "C4"]);
}

#[test]
fn the_object_has_everything() {
    let answer = object(&network(&["grid5000.toml", "--json", "--size", "8KiB", "--root", "C3"], ""));
    assert_eq!(answer["machines"].as_array().unwrap().len(), 78);
    assert_eq!(answer["root"], "C3-1");
    assert_eq!(answer["latency_us"][0][5], 8602.73);
    let question = &answer["questions"][0];
    assert_eq!(question["inside"][0]["chosen"]["algorithm"], "binomial");
    assert_eq!(question["inside"][3], json!({ "cluster": "C23", "chosen": null, "us": 0.0 }));
    assert_eq!(question["inside"][0]["algorithms"].as_array().unwrap().len(), 4);
    let between = &question["between"];
    assert_eq!(between["schedules"].as_array().unwrap().len(), 7);
    assert_eq!(between["schedules"][0]["transfers"][0]["from"], "C3");
    assert_eq!((&answer["stopped"], &answer["warnings"]), (&Value::Null, &json!([])));
}

/// Timed operations decide where there are any, timed messages elsewhere; and the answer says which.
#[test]
fn measured_networks_say_what_they_go_by() {
    let text =
        printed(&network(&["two_rooms.toml", "--size", "8KiB,4000", "--operation", "broadcast,reduce"], ""));
    insta::assert_snapshot!("two_rooms", text);
    let answer = object(&network(&["two_rooms.toml", "--size", "8KiB", "--json"], ""));
    let inside = &answer["questions"][0]["inside"];
    assert_eq!((&inside[0]["basis"], &inside[0]["runs"]), (&json!("experiments"), &json!(20)));
    assert_eq!(inside[1]["basis"], "messages");
}

#[test]
fn sizes_without_a_model_are_said() {
    let text = printed(&network(&["grid5000.toml", "--size", "2MiB"], ""));
    let why = "C1: a message of 2097152 bytes is outside of the table, which covers 0 to 1048576 bytes\n";
    assert!(text.contains(why), "{text}");
    assert!(
        text.contains("nothing is scheduled between clusters: nothing is chosen inside of `C1`"),
        "{text}"
    );
    let csv = printed(&network(&["grid5000.toml", "--size", "2MiB", "--csv"], ""));
    assert!(csv.lines().nth(1).unwrap().starts_with("broadcast,2097152,C1,20,,,,,"), "{csv}");
    let text = printed(&network(&["-"], "latency = [[3]]\ncluster = [{ name = 'c', machines = 2 }]"));
    assert!(
        text.contains("c: no model is given for these links, and no message was timed on them\n"),
        "{text}"
    );
    let text = printed(&network(&["-"], "machines = ['alone']"));
    assert!(text.contains("one machine alone"), "{text}");
}

#[test]
fn figures_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    for (chart, words) in [
        ("schedule", ["broadcast of 8 KiB from a-1 and 3 more, FEF", "sends"]),
        ("gaps", ["inside a-1 and 3 more", "measured"]),
        ("times", ["broadcast in a-1 and 3 more: flat", "Poly2, the fastest"]),
    ] {
        let path = folder.path().join(format!("{chart}.svg"));
        let path = path.to_str().unwrap();
        printed(&network(&["two_rooms.toml", "--size", "8KiB", "--svg", path, "--chart", chart], ""));
        let svg = std::fs::read_to_string(path).unwrap();
        for word in words {
            assert!(svg.contains(word), "{word} in {chart}");
        }
    }
    let nothing = network(&["-", "--svg", "/dev/null"], "machines = ['alone']");
    assert!(said(&nothing, 3).contains("there is no schedule between clusters to draw"));
    let nothing = network(&["-", "--svg", "/dev/null", "--chart", "times"], "machines = ['alone']");
    assert!(said(&nothing, 3).contains("`alone` is one machine, in which no operation takes time"));
}

#[test]
fn bad_command_lines_say_what_to_write() {
    let cases: [&[&str]; 9] = [
        &["grid5000.toml", "--size", "8KB"],
        &["grid5000.toml", "--size", "1.5"],
        &["grid5000.toml", "--operation", "brodcast"],
        &["grid5000.toml", "--rho", "-1"],
        &["grid5000.toml", "--rho", "NaN"],
        &["grid5000.toml", "--root", "C5"],
        &["grid5000.toml", "--chart", "gaps"],
        &["grid5000.toml", "--svg", "no/such/folder.svg"],
        &["grid500.toml"],
    ];
    let said: Vec<String> = cases.iter().map(|case| said(&network(case, ""), 2)).collect();
    insta::assert_snapshot!("bad_command_lines", said.join("\n"));
}

#[test]
fn work_that_ran_out_of_time_says_so() {
    let output = network(&["grid5000.toml", "--max-time", "1e-9"], "");
    assert!(said(&output, 3).contains("the time of 0.000000001 s was over"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("78 machines in 6 clusters"));
    let answer = object(&network(&["grid5000.toml", "--max-time", "1e-9", "--json"], ""));
    assert_eq!((&answer["stopped"], &answer["errors"][0]["code"]), (&json!("time"), &json!("limit_reached")));
}
