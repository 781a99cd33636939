//! `skel csl` as a user runs it: answers as text, JSON, comma-separated values and a picture, exit codes,
//! limits, and what is said of every bad property.

mod support;

use std::process::Output;

use support::{json, run_in};

fn csl(arguments: &[&str]) -> Output {
    run_in("../models", &[&["csl", "--color", "never"], arguments].concat(), "")
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Everything that the command says.
fn said(output: &Output) -> String {
    let error = String::from_utf8(output.stderr.clone()).unwrap();
    format!("exit code {}\n{}{error}", output.status.code().unwrap(), printed(output))
}

#[test]
fn answers_are_read_by_people() {
    let output = csl(&[
        "mm1k.pepa",
        "R{\"time\"}=? [ F \"full\" ]; S>=243/3367 [ \"full\" ]; S>=1/2 [ \"full\" ]",
        "P<=0 [ F Queue2 = 1 ]",
        "filter(count, Queue1 = 0); filter(range, R{\"serve\"}=? [ F \"full\" ]); filter(forall, Queue3 = 0)",
        "filter(print, X1 < 2, \"empty\")".replace("X1", "Queue0").as_str(),
        "\"name\": filter(print, \"full\")",
        "filter(max, 2 * Queue1 - 1/3)",
        "--exact",
    ]);
    insta::assert_snapshot!("answers", said(&output));
    let output = csl(&[
        "erlang_loss.pepa",
        "P=? [ X Line = 2 ]",
        "filter(print, S=? [ Line = 0 ])",
        "R{\"time\"}>=2 [ C<=2 ]",
        "P=? [ F<=1 R{\"time\"}>=2 [ C<=2 ] & Busy = 1 ]",
    ]);
    assert_eq!(output.status.code(), Some(5));
    insta::assert_snapshot!("answers_in_floats", said(&output));
}

#[test]
fn exit_codes_tell_verdicts() {
    let code = |properties: &[&str]| csl(&[&["mm1k.pepa"], properties].concat()).status.code();
    assert_eq!(code(&["P>0 [ F<=2 \"full\" ]", "S=? [ \"full\" ]"]), Some(0));
    assert_eq!(code(&["P>0 [ F<=2 \"full\" ]", "S<0.01 [ \"full\" ]"]), Some(4));
    assert_eq!(code(&["R{\"time\"}>=2 [ C<=2 ]"]), Some(5));
    assert_eq!(code(&["R{\"time\"}>=2 [ C<=2 ]", "S<0.01 [ \"full\" ]"]), Some(4));
    assert_eq!(code(&["true", "\"ful\""]), Some(1));
    assert_eq!(code(&["true", "P>=2 [ F true ]"]), Some(2));
}

#[test]
fn a_file_of_properties_is_answered_in_json() {
    let output = csl(&["mm1k.pepa", "--properties", "properties/mm1k.csl", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let object = json(&output);
    let properties = object["properties"].as_array().unwrap();
    let named = |name: &str| properties.iter().find(|property| property["name"] == name).unwrap();
    let soon = named("full soon");
    let off = (soon["value"].as_f64().unwrap() - 0.157_839_834_358_032_3).abs();
    assert!(off <= soon["error"].as_f64().unwrap() + 1e-16 && soon["error"].as_f64().unwrap() < 1e-9);
    assert_eq!(named("share")["verdict"], "true");
    assert_eq!(named("share")["decided_in_fractions"], true);
    assert_eq!(named("in how many")["count"], 3);
    assert_eq!(named("from each")["states"].as_array().unwrap().len(), 3);
    assert!(object["errors"].is_null());
}

#[test]
fn values_are_a_table_and_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("states.svg");
    let output = csl(&[
        "mm1k.pepa",
        "filter(print, P=? [ X \"full\" ])",
        "filter(range, P=? [ X \"full\" ])",
        "\"all\": S>0 [ \"full\" ]",
        "R{\"time\"}=? [ F false ]",
        "--csv",
        "--svg",
        svg.to_str().unwrap(),
    ]);
    insta::assert_snapshot!("values", said(&output));
    let picture = std::fs::read_to_string(&svg).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("state (by number)"));
    let output = csl(&["mm1k.pepa", "true", "--svg", svg.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    assert!(said(&output).contains("filter(print"), "{}", said(&output));
}

#[test]
fn limits_are_kept_and_what_is_attainable_is_said() {
    let output = csl(&["failover.pepa", "P=? [ F<=1e7 \"down\" ]", "--max-steps", "1000"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(said(&output).contains("--max-steps"), "{}", said(&output));
    let output = csl(&["mm1k.pepa", "P=? [ F<=1000 Queue3 = 1 & Queue1 = 0 ]", "--tolerance", "1e-18"]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    let output = csl(&["mm1k.pepa", "true", "--max-states", "3"]);
    assert_eq!(output.status.code(), Some(3));
}

/// What is wrong, with its places; the other properties are answered.
#[test]
fn bad_input_is_told_with_its_place() {
    let cases: &[(&str, &[&str])] = &[
        ("nothing_asked", &["mm1k.pepa"]),
        ("wrong_file", &["mm1k.pepa", "--properties", "../tests/properties/wrong.csl"]),
        ("interval", &["mm1k.pepa", "P=? [ true U[2,1] \"full\" ]", "S=? [ true ]"]),
        ("probability", &["mm1k.pepa", "P>=1.5 [ F true ]; S<-1 [ true ]"]),
        ("reward_bound", &["mm1k.pepa", "R{\"serve\"}<=-1 [ S ]"]),
        ("reward_unnamed", &["mm1k.pepa", "R=? [ S ]"]),
        ("reward_unknown", &["mm1k.pepa", "R{\"serv\"}=? [ S ]"]),
        ("steps", &["mm1k.pepa", "P=? [ F{steps}<=3 \"full\" ]"]),
        ("label", &["mm1k.pepa", "P=? [ F<=3 \"ful\" ]", "Queu1 = 1", "true"]),
        ("parse_error", &["mm1k.pepa", "P=? [ F<=3 \"full\" ", "S=? [ \"empty\" ]"]),
        ("nested_path", &["mm1k.pepa", "P=? [ F<=3 (Queue1 = 1 & F<=3 \"full\") ]"]),
        ("pattern", &["mm1k.pepa", "{Queue1 || **}", "{** || Queue9 || **}"]),
        ("no_fraction", &["mm1k.pepa", "P=? [ F<=3 \"full\" ]", "S=? [ \"full\" ]", "--exact"]),
        ("empty_filter", &["mm1k.pepa", "filter(max, Queue1, Queue1 = 2)", "filter(state, Queue1)"]),
        ("time", &["mm1k.pepa", "P=? [ F<=-2 \"full\" ]"]),
        (
            "references",
            &[
                "mm1k.pepa",
                "\"full\": P>=0.3 [ F<=1 Queue5 = 1 ]; S=? [ \"full\" ]",
                "\"value\": P=? [ F<=1 \"full\" ]; S=? [ \"value\" ]",
                "\"most\": filter(forall, \"full\"); S=? [ \"most\" ]",
                "\"self\": P>=0.5 [ F<=1 \"self\" ]; S=? [ \"later\" ]; \"later\": Queue1 = 1",
                "\"twice\": true; \"twice\": false; \"twice\"; S=? [ \"twise\" ]",
            ],
        ),
        ("copies", &["client_server.pepa", "Client@4:Wait; Clint@1:Wait", "S=? [ Client@1:Work ]"]),
        ("unknown_constant", &["mm1k.pepa", "const soon = 2; P=? [ F<=son \"full\" ]"]),
    ];
    for (name, arguments) in cases {
        insta::assert_snapshot!(format!("bad_{name}"), said(&csl(arguments)));
    }
    // The model itself is told first.
    let both = run_in("../models", &["csl", "-", "true", "--color", "never"], "Calls = {");
    assert_eq!(both.status.code(), Some(1));
    let ambiguous = "P = (a, 1).Q; Q = (b, 1).P; P; Q = {P}; time = {Q};";
    let properties = ["S=? [ \"Q\" ]", "R{\"time\"}=? [ S ]"];
    let output =
        run_in("../models", &[&["csl", "-", "--color", "never"], &properties[..]].concat(), ambiguous);
    insta::assert_snapshot!("bad_ambiguous", said(&output));
    // A local state that no component comes to has an action of its own.
    let undone = "P = (a, 1).Q; Q = (b, 1).P; S = (c, 1).P; P";
    let output = run_in("../models", &["csl", "-", "--color", "never", "R{\"c\"}=? [ S ]"], undone);
    insta::assert_snapshot!("bad_action_undone", said(&output));
}
