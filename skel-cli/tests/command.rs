//! The command as a user runs it: answers, exit codes, JSON, limits.

#[cfg(unix)]
#[path = "support/interrupt.rs"]
mod interrupt;
mod support;

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{json, run_in};

fn skel(arguments: &[&str], input: &str) -> Output {
    run_in("../models", arguments, input)
}

#[test]
fn solves_the_pipeline_exactly() {
    let output = skel(&["solve", "pipeline.pepa", "--exact", "--json"], "");
    assert_eq!(output.status.code(), Some(0));
    let answer = json(&output);
    assert_eq!(answer["states"], 27);
    assert_eq!(answer["transitions"], 51);
    assert_eq!(answer["deadlocks"], 0);
    assert_eq!(answer["recurrent_classes"], 1);
    assert_eq!(answer["throughput"]["process1"]["exact"], "1217332/505609");
    assert_eq!(answer["results"]["Throughput"]["exact"], "1217332/505609");
    for key in ["method", "iterations", "residual", "defect", "error", "seconds", "utilisation"] {
        assert!(!answer[key].is_null(), "{key}");
    }
}

/// The pipeline of Fig. B.1 with six stages, all rates 10.
fn six_stages() -> String {
    let list = |line: &dyn Fn(usize) -> String, range: std::ops::RangeInclusive<usize>, between: &str| {
        range.map(line).collect::<Vec<_>>().join(between)
    };
    let stage =
        |at: usize| format!("S{at} = (move{at}, infty).(process{at}, infty).(move{}, infty).S{at};", at + 1);
    let stages = list(&stage, 1..=6, "\n");
    let network = list(&|at| format!("(move{at}, 10).Network"), 1..=7, " + ");
    let processors = list(&|at| format!("(process{at}, 10).Processors"), 1..=6, " + ");
    let line = list(&|at| format!("<move{at}> S{at}"), 2..=6, " ");
    let moves = list(&|at| format!("move{at}"), 1..=7, ", ");
    let processes = list(&|at| format!("process{at}"), 1..=6, ", ");
    format!(
        "{stages}\nNetwork = {network};\nProcessors = {processors};\nNetwork <{moves}> (S1 {line}) <{processes}> Processors"
    )
}

#[test]
fn solves_hundreds_of_states_exactly() {
    let output = skel(&["solve", "-", "--exact", "--json"], &six_stages());
    assert_eq!(output.status.code(), Some(0));
    let answer = json(&output);
    assert_eq!(answer["states"], 729);
    assert_eq!(answer["residual"], 0.0);
    let exact = answer["throughput"]["process1"]["exact"].as_str().unwrap();
    assert!(exact.starts_with("13050046177341179145897675031939111639"), "{exact}");
    // What goes into the pipeline comes out of it, to the last of 547 digits.
    assert_eq!(exact.len(), "/".len() + 547);
    assert_eq!(answer["throughput"]["move7"]["exact"], exact);
}

#[test]
fn reads_standard_input_and_changes_rates() {
    let text = "mu = 1; P = (go, mu).Q; Q = (back, 2).P; P";
    let output = skel(&["solve", "-", "--exact", "--json", "--set", "mu=2/3"], text);
    assert_eq!(json(&output)["throughput"]["go"]["exact"], "1/2");
    let unknown = skel(&["solve", "-", "--set", "my=3"], text);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("`mu`"));
    let zero = skel(&["solve", "-", "--set", "mu=0"], text);
    assert!(matches!(zero.status.code(), Some(1 | 2)));
    assert!(String::from_utf8_lossy(&zero.stderr).contains("the rate `mu` is 0"));
}

#[test]
fn a_method_can_be_chosen() {
    for (method, name) in [
        ("direct", "direct (GTH elimination)"),
        ("bicgstab", "BiCGSTAB with Gauss-Seidel"),
        ("bicgstab-ilu", "BiCGSTAB with ILU(0)"),
        ("bicgstab-dilu", "BiCGSTAB with DILU"),
        ("gmres", "GMRES(30) with Gauss-Seidel"),
        ("gmres-ilu", "GMRES(30) with ILU(0)"),
        ("multilevel", "multilevel aggregation"),
        ("gauss-seidel", "damped Gauss-Seidel"),
        ("power", "power method"),
    ] {
        let answer = json(&skel(&["solve", "pipeline.pepa", "--json", "--method", method], ""));
        assert_eq!(answer["method"], name);
        let found = answer["throughput"]["process1"]["value"].as_f64().unwrap();
        assert!((found - 1_217_332.0 / 505_609.0).abs() < 1e-9, "{method}: {found}");
    }
    let wrong = skel(&["solve", "pipeline.pepa", "--method", "bicstab"], "");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("a similar value exists: 'bicgstab'"));
}

#[test]
fn errors_have_places_in_json() {
    let output = skel(&["solve", "-", "--json"], "P = (a, r).P;\nP <b> P");
    assert_eq!(output.status.code(), Some(1));
    let errors = json(&output)["errors"].clone();
    assert_eq!(errors[0]["code"], "undefined_rate");
    assert_eq!((&errors[0]["line"], &errors[0]["column"]), (&Value::from(1), &Value::from(9)));
    assert_eq!(errors[1]["code"], "neither_side");
}

#[test]
fn limits_end_with_three() {
    let text = "P = (a, 1).Q; Q = (b, 1).P; P[20]";
    for limit in [["--max-states", "1000"], ["--max-memory", "1MB"], ["--max-time", "0.001"]] {
        let output = skel(&["solve", "-", "--unlumped", limit[0], limit[1]], text);
        assert_eq!(output.status.code(), Some(3), "{limit:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("stopped at the limit"), "{limit:?}");
    }
}

#[test]
fn wrong_command_lines_end_with_two() {
    for arguments in
        [vec!["solve"], vec!["solve", "no_such_file.pepa"], vec!["solve", "tiny.pepa", "--exakt"]]
    {
        assert_eq!(skel(&arguments, "").status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn wrong_command_lines_are_json_where_json_is_asked_for() {
    for (arguments, message) in [
        (vec!["solve", "--json", "tiny.pepa", "--set", "x"], "write NAME=VALUE"),
        (vec!["derive", "tiny.pepa", "--json", "--bogus"], "unexpected argument '--bogus'"),
        (vec!["check", "--json"], "<FILE>"),
        (vec!["solve", "--json", "tiny.pepa", "--set", "r1=2", "--set", "r1=3"], "set to `2` and to `3`"),
    ] {
        let output = skel(&arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stderr.is_empty(), "{arguments:?}");
        let errors = json(&output)["errors"].clone();
        assert_eq!(errors.as_array().map(Vec::len), Some(1));
        assert!(errors[0]["message"].as_str().unwrap().contains(message), "{errors}");
    }
    let help = skel(&["solve", "--json", "--help"], "");
    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&help.stdout).contains("Usage: skel solve"));
}

#[test]
fn a_bound_of_the_command_line_is_spelt_as_there() {
    let text = "P = (a, 1).Q; Q = (b, 1).P; P[5]";
    let output = skel(&["check", "-", "--max-states", "3"], text);
    assert!(String::from_utf8_lossy(&output.stderr).contains("raise `--max-states`"));
    let one = skel(&["solve", "-", "--max-states", "1"], text);
    assert!(String::from_utf8_lossy(&one.stderr).contains("1 state and 0 transitions found"));
}

#[test]
fn several_recurrent_classes_are_explained() {
    let text = "P = (left, 1).L + (right, 1).R; L = (a, 1).L; R = (b, 1).R; P";
    let output = skel(&["solve", "-"], text);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("2 recurrent classes") && said.contains("`left`"), "{said}");
    assert!(said.contains("--long-run"), "{said}");
}

#[test]
fn the_long_run_says_where_runs_end() {
    let text = "P = (left, 1).L + (right, 3).R; L = (a, 4).L; R = (b, 8).R; P";
    let output = skel(&["solve", "-", "--long-run", "--exact", "--json"], text);
    assert_eq!(output.status.code(), Some(0));
    let answer = json(&output);
    // A quarter of the runs ends in doing a at 4, the others in doing b at 8.
    assert_eq!(answer["throughput"]["a"]["exact"], "1");
    assert_eq!(answer["throughput"]["b"]["exact"], "6");
    assert_eq!(answer["ends"][0]["probability"]["exact"], "1/4");
    assert_eq!(answer["ends"][1]["path"], serde_json::json!(["right"]));
    assert_eq!(answer["ends"][1]["first_state"], "R");
    let shown = skel(&["solve", "-", "--long-run"], text);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("ends in"));
    let one_class = skel(&["solve", "tiny.pepa", "--long-run", "--exact", "--json"], "");
    assert_eq!(json(&one_class)["throughput"]["run"]["exact"], "5/4");
    assert!(json(&one_class)["ends"].is_null());
}

#[test]
fn what_is_kept_is_solved_with_fewer_states() {
    let text = "P = (go, 1).Q; Q = (back, 3).P; P || P || P; away = 2 * {Q || ** || **};";
    let all = ["solve", "-", "--exact", "--json"];
    let whole = json(&skel(&all, text));
    let kept = json(&skel(&[&all[..], &["--keep", "go", "--keep", "Q"]].concat(), text));
    // The copies are lumped while exploring, and what is asked tells no more apart.
    assert_eq!((&kept["states"], &kept["lumped_states"]), (&Value::from(4), &Value::from(4)));
    let unlumped = json(&skel(&[&all[..], &["--unlumped", "--keep", "go", "--keep", "Q"]].concat(), text));
    assert_eq!((&unlumped["states"], &unlumped["lumped_states"]), (&Value::from(8), &Value::from(4)));
    for figures in ["throughput", "population"] {
        assert_eq!(kept[figures], unlumped[figures]);
    }
    assert_eq!(kept["throughput"], serde_json::json!({ "go": whole["throughput"]["go"] }));
    assert_eq!(kept["population"]["Q"]["exact"], "3/4");
    assert!(kept["seconds"]["refine"].is_f64() && kept["results"].as_object().unwrap().is_empty());
    let line = json(&skel(&[&all[..], &["--keep", "away"]].concat(), text));
    assert_eq!((&line["lumped_states"], &line["results"]), (&Value::from(2), &whole["results"]));
    let shown = skel(&["solve", "-", "--keep", "Q"], text);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("lumped to 4 states in ") && shown.contains("population"), "{shown}");
    assert!(!shown.contains("go"), "{shown}");
    let unknown = skel(&["solve", "-", "--keep", "bakc", "--keep", "nothing_like_it"], text);
    assert_eq!(unknown.status.code(), Some(2));
    let said = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(said.contains("did you mean `back`?") && said.contains("`nothing_like_it`"), "{said}");
}

#[test]
fn derives_a_graph_into_a_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiny.dot");
    let output = skel(&["derive", "tiny.pepa", "--dot", "--output", path.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(0));
    let dot = std::fs::read_to_string(&path).unwrap();
    assert!(dot.starts_with("digraph") && dot.trim_end().ends_with('}'));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn an_interrupt_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.dot");
    let model = folder.path().join("large.pepa");
    std::fs::write(&model, "P = (a, 1).Q; Q = (b, 1).P; P[26]").unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_skel"))
        .args([
            "derive",
            model.to_str().unwrap(),
            "--output",
            path.to_str().unwrap(),
            "--max-states",
            "100000000",
        ])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = interrupt::after(Duration::from_millis(500), child);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cancelled"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Far above what was seen on a busy machine, far below what work without an end takes.
const SOON: Duration = Duration::from_secs(60);

/// Each offers first what the other takes second.
const CROSSED: &str = "P = (go, 1).P1; P1 = (a, 1).(b, 1).P; Q = (b, 1).(a, 1).Q; P <a, b> Q";

#[test]
fn a_deadlock_is_refused_as_a_check_refuses_it() {
    let checked = skel(&["check", "-", "--require", "deadlock_free"], CROSSED);
    let wording = "error[deadlock]: the model deadlocks after `go`, in the state `P1 || Q`";
    assert!(String::from_utf8_lossy(&checked.stderr).starts_with(wording));
    for flags in [&["solve", "-"][..], &["solve", "-", "--exact"], &["solve", "-", "--keep", "go"]] {
        let refused = skel(flags, CROSSED);
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0), "{flags:?}");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(said.starts_with(wording), "{said}");
        assert!(said.contains("--long-run") && said.contains("--allow deadlock"), "{said}");
    }
    let answer = json(&skel(&["solve", "-", "--json"], CROSSED));
    assert_eq!((&answer["deadlocks"], &answer["errors"][0]["code"]), (&1.into(), &"deadlock".into()));
    for flags in [
        &["--long-run"][..],
        &["--allow", "deadlock"],
        &["--allow", "deadlock", "--exact"],
        &["--allow", "deadlock", "--keep", "go"],
    ] {
        let allowed = skel(&[&["solve", "-", "--json"], flags].concat(), CROSSED);
        assert_eq!(allowed.status.code(), Some(0), "{flags:?}");
        assert_eq!(json(&allowed)["throughput"]["go"]["value"], 0.0, "{flags:?}");
    }
    let kept = skel(&["solve", "-", "--keep", "go", "--exact", "--allow", "deadlock"], CROSSED);
    assert!(String::from_utf8_lossy(&kept.stderr).contains("leave out `--exact`"));
    let both = skel(&["check", "-", "--require", "deadlock_free", "--allow", "deadlock"], CROSSED);
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn several_deadlocks_are_no_answer_even_where_one_is_allowed() {
    let text = "// skel: allow(blocked_action, component_can_stop)
        P = (left, 1).L + (right, 2).R; L = (wait, 1).L; R = (wait, 1).R; H = (other, infty).H;
        P[2] <wait, other> H";
    for flags in [&["solve", "-"][..], &["solve", "-", "--unlumped"], &["solve", "-", "--exact"]] {
        let said = skel(flags, text);
        assert_eq!(said.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&said.stderr).contains(", and in 3 more states"), "{flags:?}");
        let allowed = skel(&[flags, &["--allow", "deadlock"]].concat(), text);
        assert_eq!(allowed.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&allowed.stderr).contains("4 recurrent classes"), "{flags:?}");
    }
}

#[test]
fn of_two_bounds_on_the_states_the_smaller_is_in_force_and_in_the_help() {
    let bounded = |most: &str| {
        format!("// skel: check(deadlock_free, max_states = {most})\nP = (a, 1).Q; Q = (b, 1).P; P[6]")
    };
    for (written, asked, help) in [
        ("20", "500", "raise `max_states` above 20"),
        ("2000", "5", "raise `--max-states` above 5,"),
        ("2000", "63", "raise `--max-states` above 63,"),
    ] {
        let output = skel(&["check", "-", "--max-states", asked], &bounded(written));
        assert_eq!(output.status.code(), Some(3));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(help), "{said}");
    }
    assert_eq!(skel(&["check", "-", "--max-states", "64"], &bounded("64")).status.code(), Some(0));
    let default = skel(&["check", "-", "--require", "deadlock_free"], "P = (a, 1).Q; Q = (b, 1).P; P[20]");
    assert!(String::from_utf8_lossy(&default.stderr).contains("raise `--max-states` above 10000"));
}

#[test]
fn many_equal_copies_are_counted_in_messages() {
    let text = "S = (infect, 1).I + (win, 1).W; I = (end, 1).I; W = (won, 1).W;
        G = (win, infty).H + (infect, infty).G; H = (infect, infty).H; S[1009] <win, infect> G";
    let started = Instant::now();
    let refused = skel(&["solve", "-"], text);
    assert!(started.elapsed() < SOON, "it took {:?}", started.elapsed());
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("`I[1009] || G`") && said.contains("`I[1008] || W || H`"), "{said}");
    let coin = "Toss = (heads, 1).H + (tails, 3).T; H = (h, 2).H; T = (t, 2).T; P = (p, 1).P; P[30] || Toss";
    let ends = skel(&["solve", "-", "--long-run"], coin);
    let ends = String::from_utf8_lossy(&ends.stdout).into_owned();
    assert!(ends.contains("P[30] || H  "), "{ends}");
    let ill =
        "P = (a, 1).Q; Q = (b, 2).R; R = (a, infty).P; W = (a, infty).W; V = (a, 1).V; P[1008] <a> (W <a> V)";
    let said = skel(&["solve", "-"], ill);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("R || P[1007] || W || V") || said.contains("P[1007] || R || W || V"), "{said}");
}

#[test]
fn a_hidden_action_has_no_throughput_of_zero() {
    let text = "P = (a, 1).Q; Q = (b, 3).P; (P || P)/{a}";
    let answer = json(&skel(&["solve", "-", "--exact", "--json"], text));
    assert_eq!(
        (&answer["throughput"]["a"], &answer["throughput"]["tau"]["exact"]),
        (&Value::Null, &"3/2".into())
    );
    assert_eq!(answer["hidden"], serde_json::json!(["a"]));
    let shown = skel(&["solve", "-"], text);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("hidden, and counted under tau: a\n"));
    // As other actions, `tau` is listed where it is never done.
    let stuck = json(&skel(
        &["solve", "-", "--long-run", "--json"],
        &CROSSED.replace("P <a, b> Q", "P/{go} <a, b> Q"),
    ));
    assert_eq!(
        (&stuck["throughput"]["tau"]["value"], &stuck["throughput"]["a"]["value"]),
        (&0.0.into(), &0.0.into())
    );
}

#[test]
fn populations_states_and_tables_of_values_are_printed() {
    let text = "P = (a, 1).Q; Q = (b, 3).P; P[3]";
    let answer = json(&skel(&["solve", "-", "--exact", "--json", "--states=2"], text));
    let used = &answer["utilisation"][0];
    assert_eq!(
        (&used["local_states"]["Q"]["exact"], &used["population"]["Q"]["exact"]),
        (&"1/4".into(), &"3/4".into())
    );
    // Of four lumped states the two most probable: nobody away, and one of three.
    let exact = |at: usize| answer["probabilities"][at]["probability"]["exact"].clone();
    assert_eq!((exact(0), exact(1)), ("27/64".into(), "27/64".into()));
    assert_eq!(answer["probabilities"][1]["stands_for"], 3);
    assert_eq!(answer["states_left_out"], serde_json::json!({ "states": 2, "probability": 0.15625 }));
    let shown = String::from_utf8(skel(&["solve", "-", "--states=2"], text).stdout).unwrap();
    assert!(shown.contains("P               3  P                  2.25         0.75\n"), "{shown}");
    assert!(shown.contains("     1  P || P || Q           3     0.421875\n"), "{shown}");
    assert!(shown.ends_with("and 2 more states, with the probability 0.15625 together\n"), "{shown}");
    let csv = String::from_utf8(skel(&["solve", "-", "--csv", "--exact", "--states"], text).stdout).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "kind,component,name,value,exact");
    for line in ["throughput,,a,2.25,9/4", "population,P,Q,0.75,3/4", "state,,P || Q || Q,0.140625,9/64"] {
        assert!(lines.contains(&line), "{line} in {csv}");
    }
    let quoted = skel(&["solve", "-", "--csv"], "P = (\"a, b\", 2).P; P");
    assert!(String::from_utf8_lossy(&quoted.stdout).contains("\nthroughput,,\"a, b\",2\n"));
    assert_eq!(skel(&["solve", "-", "--csv", "--json"], text).status.code(), Some(2));
    assert_eq!(skel(&["solve", "-", "--states=0"], text).status.code(), Some(2));
}

#[test]
fn a_derivation_graph_is_lumped_where_it_is_asked_for() {
    let text = "P = (a, 1).Q; Q = (b, 3).P; P[5]";
    let graph = json(&skel(&["derive", "-", "--lumped", "--json"], text));
    let stands_for: Vec<&Value> =
        graph["states"].as_array().unwrap().iter().map(|state| &state["stands_for"]).collect();
    assert_eq!(stands_for, [1, 5, 10, 10, 5, 1]);
    assert_eq!(json(&skel(&["derive", "-", "--json"], text))["states"].as_array().unwrap().len(), 32);
    let shown = String::from_utf8(skel(&["derive", "-", "--lumped"], text).stdout).unwrap();
    assert!(shown.contains("    2  P || P || P || Q || Q  (stands for 10)\n"), "{shown}");
}

#[test]
fn a_file_of_another_kind_is_named() {
    for (command, text, what, help) in [
        (
            "solve",
            "pipe(task(1), farm(2, 1));",
            "this is a skeleton, not a PEPA model",
            "skel skeleton <stdin> --solve",
        ),
        ("check", "communication(1); task(2);", "this is a skeleton", "`--pepa`"),
        (
            "solve",
            "ctmc\nmodule m s : [0..1]; [a] s=0 -> 2 : (s'=1); endmodule",
            "this is a PRISM model",
            "rewrite it in PEPA",
        ),
        (
            "derive",
            "<!DOCTYPE html>\n<html><body>P = (a, 1).P</body></html>",
            "this is a page in HTML",
            "save the model",
        ),
        (
            "solve",
            "use skel::prelude::*;\npepa! { model M { P = (a, 1).P; P } }",
            "this is a Rust program",
            "cargo run",
        ),
        ("skeleton", "pipe!(task(1), task(2));", "this is a skeleton as Rust writes it", "leave out the `!`"),
        ("skeleton", "P = (a, 1).P; P", "this is a PEPA model", "skel solve <stdin>"),
    ] {
        let output = skel(&[command, "-"], text);
        assert_eq!(output.status.code(), Some(1), "{text}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.starts_with("error[other_format]: ") && said.contains("1 error\n"), "{said}");
        assert!(said.contains(what) && said.contains(help), "{said}");
    }
    // A PEPA model with a mistake is still a PEPA model.
    let wrong = skel(&["solve", "-"], "task = 1; P = (a, task).Q; P");
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("error[undefined_process]"));
}

#[test]
fn messages_speak_the_language_of_the_command_line() {
    let allowed = skel(&["check", "-"], "P = (a, 1).(b, 1).P; Q = (a, 2).(b, 2).Q; P <a> Q");
    let said = String::from_utf8_lossy(&allowed.stderr).into_owned();
    assert!(
        said.contains(
            "give `--allow unsynchronised_action`, or write `// skel: allow(unsynchronised_action)`"
        ),
        "{said}"
    );
    let threads = skel(&["solve", "tiny.pepa", "--threads", "0"], "");
    assert_eq!(threads.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&threads.stderr)
            .contains("write how many threads may work at once, 1 or more")
    );
    let farm = skel(&["skeleton", "-"], "farm(99999999999999999999, 1);");
    assert!(String::from_utf8_lossy(&farm.stderr).contains("the skeleton has more than 2000 tasks\n"));
    let rate = skel(&["check", "-"], "P = (a, 1e-308).(b, 0.5e-10).(c, 2.5e310).P; P");
    let said = String::from_utf8_lossy(&rate.stderr).into_owned();
    assert!(said.contains("the rate `1e-308` is") && said.contains("the rate `2.5e310` is"), "{said}");
    let name = "x".repeat(5_000_000);
    let long = skel(&["check", "-"], &format!("P = (a, {name}).P; P"));
    let said = String::from_utf8_lossy(&long.stderr).into_owned();
    assert!(said.len() < 2000 && said.contains("xxx` is not defined"), "{}", said.len());
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_no_success() {
    for arguments in [&["--help"][..], &["solve", "--help"], &["--version"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_skel"));
        let output = command.args(arguments).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write the answer"));
        assert_eq!(skel(arguments, "").status.code(), Some(0));
    }
}

/// A pipeline of so many stages, in three states each.
fn stages(count: usize) -> String {
    let list = |range: std::ops::RangeInclusive<usize>, line: &dyn Fn(usize) -> String, between: &str| {
        range.map(line).collect::<Vec<_>>().join(between)
    };
    let stage =
        |at| format!("S{at} = (move{at}, {}).(process{at}, {}).(out{at}, 3).S{at};", 1 + at % 3, 2 + at % 4);
    list(1..=count, &stage, "\n") + &list(1..=count, &|at| format!("S{at}"), " || ")
}

#[cfg(unix)]
#[test]
fn after_an_interrupt_there_is_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("stages.pepa");
    std::fs::write(&model, stages(11)).unwrap();
    for wait in [0, 300, 600, 900] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skel"));
        command.args(["solve", model.to_str().unwrap()]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = interrupt::after(Duration::from_millis(wait), command.spawn().unwrap());
        // Later than at once, the answer may have been there already.
        match output.status.code() {
            Some(0) => assert!(wait > 0, "an answer after {wait} ms"),
            code => assert_eq!((code, output.stdout.len(), output.stderr.is_empty()), (Some(3), 0, false)),
        }
    }
}

#[test]
fn the_limit_of_time_holds_while_solving() {
    for time in ["0.05", "0.3"] {
        let started = Instant::now();
        let output = skel(
            &["solve", "-", "--max-time", time, "--method", "power", "--tolerance", "1e-15"],
            &stages(11),
        );
        assert_eq!(output.status.code(), Some(3));
        assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    }
}

#[test]
fn a_hidden_action_cannot_be_kept() {
    let text = "P = (a, 1).(c, 2).P; Q = (b, 2).(a, infty).Q; (P <a> Q)/{a, c}";
    let refused = skel(&["solve", "-", "--keep", "a"], text);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("`a` is hidden wherever it is done") && said.contains("keep `tau`"), "{said}");
    assert!(skel(&["solve", "-", "--keep", "tau"], text).status.success());
}

#[test]
fn of_several_deadlocks_only_the_long_run_is_offered() {
    let text = "P = (a, 1).Q; Q = (b, 1).R + (b, 1).S; R = (y, 1).R; S = (y, 1).S; X = (z, 1).X; P <y, z> X";
    let arguments = ["solve", "-", "--allow", "blocked_action", "--allow", "component_can_stop"];
    let refused = skel(&arguments, text);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("and in one more state") && said.contains("ask with `--long-run`"), "{said}");
    assert!(!said.contains("--allow deadlock"), "{said}");
}
