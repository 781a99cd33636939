//! `skel manage` as a user runs it: a program in virtual time, a recorded run, and everything that can be
//! wrong.

mod support;

use std::process::Output;
use std::time::Duration;

use serde_json::{Value, json};
use skel::manage::Recording;
use skel::manage::simulate::Simulation;
use skel::run::monitor::Series;
use support::{json as object, run_in};

fn manage(arguments: &[&str], input: &str) -> Output {
    run_in("../models/skeletons", &[&["manage"], arguments].concat(), input)
}

fn printed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What is said when the command ends with this code.
fn wrong(output: &Output, code: i32) -> String {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(output.stdout.is_empty());
    text
}

/// A minute of two workers, which would be eight under a manager.
fn recording() -> Recording {
    let text = "pipe(task(\"read\", 10ms), farm(2, \"sharpen\", 80ms), task(\"write\", 10ms)); communication(1e6); buffers(4);";
    let program = skel::skeleton::text::parse(text).program().unwrap();
    let mut simulation = Simulation::of(&program).unwrap().seed(1);
    let series = (0..=120).map(|tick| {
        simulation.run_until(Duration::from_millis(500) * tick);
        simulation.snapshot()
    });
    Recording { series: Series::of(series), program: Some(program) }
}

/// A file in a folder of its own, which is gone with the folder.
fn file(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path.to_str().unwrap().to_owned())
}

#[test]
fn a_program_is_simulated_under_a_manager() {
    let arguments =
        ["pictures.skel", "--contract", "12ms", "--load", "sharpen: 60s x2, 120s x1", "--for", "180s"];
    let text = printed(&manage(&arguments, ""));
    assert_eq!(text, printed(&manage(&arguments, "")));
    assert!(text.starts_with("pictures.skel: simulated for 180.0 s with seed 1; "), "{text}");
    assert!(
        text.contains("\ncontract: 12 ms, 5 % tolerated; decided by the Markov chain; rules: "),
        "{text}"
    );
    assert!(text.contains("`sharpen` grows from 1 to ") && text.contains("\n  why        "), "{text}");

    let answer = object(&manage(&[&arguments[..], &["--json"]].concat(), ""));
    assert_eq!(
        (&answer["watched"], &answer["seed"], &answer["seconds"]),
        (&json!("simulated"), &json!(1), &json!(180.0))
    );
    assert_eq!(answer["contract"], json!({ "service_time_s": 0.012, "tolerance": 0.05 }));
    let events = answer["events"].as_array().unwrap();
    let first = &events[0];
    assert_eq!(
        (&first["event"], &first["rule"], &first["outcome"]),
        (&json!("decided"), &json!("grow"), &json!("done"))
    );
    assert_eq!(first["actions"][0]["from"], 1);
    let decided = events.iter().filter(|event| event["event"] == "decided").count();
    assert_eq!(answer["decisions"], decided);

    // Other random times, another prediction, and a throughput in place of a service time.
    let other = [&arguments[..], &["--seed", "2", "--consult", "formula", "--json"]].concat();
    let other = object(&manage(&other, ""));
    assert_ne!(other["delivered"], answer["delivered"]);
    assert_eq!(other["consult"], "formula");
    let throughput =
        object(&manage(&["pictures.skel", "--contract", "50/s", "--tolerance", "10%", "--json"], ""));
    assert_eq!(throughput["contract"], json!({ "service_time_s": 0.02, "tolerance": 0.1 }));
}

#[test]
fn a_dry_run_changes_nothing() {
    let text = printed(&manage(&["pictures.skel", "--contract", "12ms", "--dry-run"], ""));
    assert!(text.contains(", 0 carried out; in the end `sharpen` x 1\n"), "{text}");
    assert!(text.contains("outcome    noted, not carried out"), "{text}");
}

#[test]
fn what_cannot_be_kept_is_reported() {
    let text = printed(&manage(&["pictures.skel", "--contract", "8ms"], ""));
    assert!(text.contains("reported: the contract of 8 ms cannot be kept"), "{text}");
}

#[test]
fn a_recorded_run_is_replayed() {
    let recording = recording();
    let (_folder, path) = file("run.jsonl", &recording.to_json_lines().unwrap());
    let text = printed(&manage(&["--replay", &path, "--contract", "12ms"], ""));
    assert!(text.starts_with(&format!("{path}: 121 recorded snapshots of 60.0 s; ")), "{text}");
    assert!(text.contains("`sharpen` grows from 2 to "), "{text}");
    assert!(text.contains("outcome    noted, not carried out"), "{text}");
    let kept = printed(&manage(&["--replay", &path, "--contract", "100ms", "--rules", "-"], "# no rules"));
    assert!(!kept.contains(" grows "), "{kept}");

    // A series alone does not say its program.
    let (_folder, series) = file("series.jsonl", &recording.series.to_json_lines());
    let program = recording.program.unwrap().to_skel().unwrap();
    let with_program = ["--replay", &series, "--program", "-", "--contract", "12ms", "--json"];
    let answer = object(&manage(&with_program, &program));
    let direct = object(&manage(&["--replay", &path, "--contract", "12ms", "--json"], ""));
    // How long decisions took is not the same, and no clock is looked at.
    assert_eq!((&answer["events"], &answer["watched"]), (&direct["events"], &json!("recorded")));
}

#[test]
fn a_chart_is_drawn_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.svg");
    let path = path.to_str().unwrap();
    printed(&manage(&["pictures.skel", "--contract", "12ms", "--chart", path], ""));
    let svg = std::fs::read_to_string(path).unwrap();
    assert!(svg.trim_end().ends_with("</svg>") && svg.contains("contract 12 ms"), "{svg}");
    let text = wrong(&manage(&["pictures.skel", "--contract", "12ms", "--chart", "/nowhere/run.svg"], ""), 2);
    assert!(text.contains("cannot write `/nowhere/run.svg`: there is no such folder"), "{text}");
}

#[test]
fn every_bad_rule_file_prints_its_diagnostics() {
    let folder = "../skel-manage/tests/bad_rules";
    let files = std::fs::read_dir(format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let names = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".toml")).collect();
    names.sort();
    assert!(names.len() >= 10, "{names:?}");
    for name in names {
        let program = "../../../models/skeletons/pictures.skel";
        let arguments = ["manage", program, "--contract", "12ms", "--rules", &name, "--color", "never"];
        let output = run_in(folder, &arguments, "");
        let text = wrong(&output, 1);
        assert!(text.starts_with("error[") && text.contains(&format!("--> {name}:")), "{text}");
        // The words of all of them are fixtures beside the files.
        if let Some(known) = ["unknown_measure", "conflict", "circle", "two_of_one_name"]
            .iter()
            .find(|known| name == format!("{known}.toml"))
        {
            insta::assert_snapshot!(format!("rules_{known}"), text);
        }
    }
}

#[test]
fn bad_command_lines_say_what_to_write() {
    let cases: [&[&str]; 9] = [
        &["pictures.skel"],
        &["--contract", "12ms"],
        &["pictures.skel", "--contract", "12"],
        &["pictures.skel", "--contract", "-1ms"],
        &["pictures.skel", "--contract", "12ms", "--tolerance", "5"],
        &["pictures.skel", "--contract", "12ms", "--load", "sharpen 60s x2"],
        &[
            "pictures.skel",
            "--contract",
            "12ms",
            "--load",
            "sharpn: 60s x2",
            "--load",
            "read: 1s x2",
            "--load",
            "read: 2s x2",
        ],
        &["pictures.skel", "--contract", "12ms", "--replay", "run.jsonl"],
        &["pictures.skle", "--contract", "12ms", "--rules", "missing.toml"],
    ];
    let said = cases.map(|arguments| {
        format!(
            "skel manage {}\n{}",
            arguments.join(" "),
            wrong(&manage(&[arguments, &["--color", "never"]].concat(), ""), 2)
        )
    });
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn bad_files_say_what_is_wrong_with_all_of_them() {
    let recording = recording();
    let text = recording.to_json_lines().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let cases = [
        ("", "pipe(task(\"read\", 10ms), farm(2, \"sharpen\", 80ms), task(\"write\", 10ms));"),
        (lines[1], ""),
        (&text.replace("sharpen\\\"", "blur\\\""), ""),
        (&recording.series.to_json_lines(), ""),
        (
            &recording.series.to_json_lines(),
            "pipe(task(\"read\", 10ms), task(\"sharpen\", 80ms), task(\"write\", 10ms));",
        ),
        (
            &text.replacen("\"at_ns\":500000000", "\"at_ns\":-5", 1),
            "pipe(task(\"read\", 10ms), form(2, \"sharpen\", 80ms));",
        ),
        ("P = (a, 1).P; P", ""),
    ];
    let said = cases.map(|(recorded, program)| {
        let (folder, path) = file("run.jsonl", recorded);
        let mut arguments = vec!["--replay", &path, "--contract", "12ms", "--color", "never"];
        let program_path = folder.path().join("program.skel");
        let program_path = program_path.to_str().unwrap();
        if !program.is_empty() {
            std::fs::write(program_path, program).unwrap();
            arguments.extend(["--program", program_path]);
        }
        let output = manage(&arguments, "");
        let text = wrong(&output, output.status.code().unwrap());
        assert!(matches!(output.status.code(), Some(1 | 2)));
        text.replace(folder.path().to_str().unwrap(), "FOLDER")
    });
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_rule_of_an_unknown_stage_is_an_error() {
    let (_folder, path) = file(
        "rules.toml",
        "[[rule]]\nname = \"more\"\npriority = 130\nwhen = \"queue > 100\"\nthen = \"add 1\"\nstage = \"sharpn\"\n",
    );
    let text =
        wrong(&manage(&["pictures.skel", "--contract", "12ms", "--rules", &path, "--color", "never"], ""), 1);
    assert!(text.contains("which the program does not have: did you mean `sharpen`?"), "{text}");
    let answer: Value =
        object(&manage(&["pictures.skel", "--contract", "12ms", "--rules", &path, "--json"], ""));
    assert_eq!(answer["errors"][0]["code"], "unknown_task");
}
