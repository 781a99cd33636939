//! `skel distribute` as a user runs it: the paper's machines, the forms of the answer, and every bad
//! description.

mod support;

use std::process::Output;

use serde_json::{Value, json};
use support::{json as object, run_in};

fn distribute(arguments: &[&str], input: &str) -> Output {
    run_in("../models/distributions", &[&["distribute"], arguments].concat(), input)
}

fn printed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn files(folder: &str) -> Vec<String> {
    let folder = format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"));
    let entries = std::fs::read_dir(&folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn every_bad_description_prints_its_diagnostics() {
    let names = files("../tests/distributions");
    assert!(names.len() >= 30);
    for name in names {
        let output = run_in("../tests/distributions", &["distribute", &name, "--color", "never"], "");
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(output.stdout.is_empty());
        insta::assert_snapshot!(name.replace('.', "_"), String::from_utf8(output.stderr).unwrap());
    }
}

#[test]
fn warnings_stand_beside_the_answer() {
    for name in files("../tests/distributions_warned") {
        let folder = "../tests/distributions_warned";
        let output = run_in(folder, &["distribute", &name, "--color", "never"], "");
        assert!(
            printed(&output).contains("\nfirst: VRP ends after 1 s, with 2 chunks\n"),
            "{}",
            printed(&output)
        );
        insta::assert_snapshot!(name.replace('.', "_"), String::from_utf8(output.stderr).unwrap());
        let answer = object(&run_in(folder, &["distribute", &name, "--json"], ""));
        assert_eq!(answer["warnings"][0]["code"], "too_few_items");
    }
}

#[test]
fn text_for_people() {
    insta::assert_snapshot!("slowed", printed(&distribute(&["slowed.toml"], "")));
    insta::assert_snapshot!("lost", printed(&distribute(&["lost.toml"], "")));
    insta::assert_snapshot!(
        "exact",
        printed(&distribute(&["lost.toml", "--exact", "--schedule", "GSS"], ""))
    );
}

/// The ends that the paper's machines have, with and without one that slows down.
#[test]
fn the_papers_machines() {
    for (file, ends) in [("paper.toml", [351.0, 361.4, 1258.0]), ("slowed.toml", [1082.0, 407.0, 1258.0])] {
        for (schedule, end) in ["VRP", "vrp-ss(10)", "SS"].iter().zip(ends) {
            let answer = object(&distribute(&[file, "--schedule", schedule, "--json"], ""));
            assert_eq!(answer["best"]["makespan"]["value"], json!(end), "{file} {schedule}");
            assert_eq!(answer["ahead"], Value::Null);
        }
    }
    let answer = object(&distribute(&["slowed.toml", "--json", "--exact"], ""));
    assert_eq!(
        (&answer["best"]["schedule"], &answer["best"]["family"]),
        (&"VRP-SS(17)".into(), &"VRP-SS".into())
    );
    assert_eq!(answer["best"]["makespan"], json!({ "value": 392.4, "exact": "1962/5" }));
    assert_eq!(answer["bound"]["exact"], "4850/13");
    assert_eq!((&answer["ahead"]["of"], answer["schedules"].as_array().unwrap().len()), (&"WF2".into(), 54));
    let machines = answer["best"]["machines"].as_array().unwrap();
    let items: u64 = machines.iter().map(|machine| machine["items"].as_u64().unwrap()).sum();
    assert_eq!((items, &machines[4]["name"]), (2500, &"bio-1".into()));
    for machine in machines {
        let [busy, idle] = ["busy", "idle"].map(|key| machine[key]["value"].as_f64().unwrap());
        assert!((busy + idle - 392.4).abs() < 1e-9);
    }
}

#[test]
fn values_separated_by_commas() {
    let text = printed(&distribute(
        &["lost.toml", "--csv", "--exact", "--schedule", "TSS(9, 1)", "--schedule", "SS"],
        "",
    ));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "schedule,family,makespan,above_bound,chunks,items_given,idle,exact");
    assert!(lines[1].starts_with("\"TSS(9, 1)\",TSS,"), "{text}");
    assert!(lines[2].starts_with("SS,SS,4.4109,") && lines[2].ends_with(",44109/10000"), "{text}");
    assert_eq!(lines.len(), 3);
}

#[test]
fn the_first_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gantt.svg");
    let path = path.to_str().unwrap();
    printed(&distribute(&["lost.toml", "--svg", path], ""));
    let text = std::fs::read_to_string(path).unwrap();
    for said in ["CSS(20): ends after 4.1933 s", "bound, 4.1357 s", "lost work", "north", "south", "seconds"]
    {
        assert!(text.contains(said), "{said}");
    }
    // Each chunk is a bar: 50 that were finished and one that was lost.
    let bars = |colour: &str| text.matches(&format!("fill=\"{colour}\"")).count();
    assert_eq!((bars("#0072B2"), bars("#D55E00")), (50 + 1, 1 + 1), "with one in the legend");
    // A million chunks are not a million bars.
    let many =
        "items = 1000000\noverhead = 0.0001\nschedules = [\"SS\"]\n[[machine]]\ncount = 20\nseconds = 0.001";
    printed(&distribute(&["-", "--svg", path], many));
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.len() < 100_000 && text.contains("many short chunks"), "{}", text.len());
    let nowhere = distribute(&["lost.toml", "--svg", "/nowhere/gantt.svg"], "");
    assert_eq!(nowhere.status.code(), Some(2));
}

#[test]
fn schedules_without_an_end_are_named() {
    let text = "items = 100000000000\nschedules = [\"SS\", \"GSS\"]\n[[machine]]\nseconds = 1e-9";
    let shown = printed(&distribute(&["-"], text));
    assert!(
        shown.contains("\nSS is left out: more than 20000000 chunks, which are too many to simulate\n"),
        "{shown}"
    );
    let answer = object(&distribute(&["-", "--json"], text));
    assert_eq!(answer["unfinished"][0]["schedule"], "SS");
    let alone = distribute(&["-", "--json", "--schedule", "SS"], text);
    assert_eq!(alone.status.code(), Some(3));
    assert_eq!(object(&alone)["errors"][0]["code"], "limit_reached");
    // Together the machines could do it, but not one chunk each.
    let lost = "items = 10\nschedules = [\"VRP\", \"SS\"]\n[[machine]]\nname = \"a\"\nseconds = 1\n[[machine]]\nname = \"b\"
        seconds = 1\n[[loss]]\nmachine = \"a\"\nat = 4.5\n[[loss]]\nmachine = \"b\"\nat = 6.5";
    let shown = printed(&distribute(&["-"], lost));
    assert!(
        shown.contains("\nVRP is left out: every machine was lost, and 5 items were not done\n"),
        "{shown}"
    );
}

#[test]
fn wrong_flags_say_what_to_write() {
    for (flag, said) in [
        ("FCA2", "there is no schedule `FCA2`; did you mean `FAC2`?"),
        ("CSS(0)", "`CSS(0)` gives out chunks of 0 items; a chunk has at least one item: `CSS(1)`"),
        ("VRP-SS", "`VRP-SS` cannot be with no number; write the number of phases, as `VRP-SS(10)`"),
    ] {
        let output = distribute(&["paper.toml", "--schedule", flag], "");
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(said), "{flag}");
    }
    assert_eq!(distribute(&["paper.toml", "--json", "--csv"], "").status.code(), Some(2));
    assert_eq!(distribute(&["papr.toml"], "").status.code(), Some(2));
}

/// A name may hold anything, but a terminal is not told so.
#[test]
fn names_are_printable() {
    let text = "items = 5\n[[machine]]\nname = \"a\\u001b[2J\"\nseconds = 1";
    assert!(printed(&distribute(&["-"], text)).contains("\na\u{fffd}[2J "));
}
