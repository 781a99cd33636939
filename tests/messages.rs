//! One fault, one finding: short wrong texts and all that is said about each.

use skel::text::parse;

/// The findings of a text, as `line:column: message`.
fn findings(text: &str) -> Vec<String> {
    let place = |offset| skel::diagnostic::line_and_column(text, offset);
    let findings = parse(text).diagnostics;
    let shown = findings.iter().map(|found| {
        let (line, column) = place(found.span.start);
        format!("{line}:{column}: {}", found.message)
    });
    shown.collect()
}

#[test]
fn one_fault_is_one_finding() {
    for (text, finding) in [
        ("P = (a, 1).P; P &&& P", "1:17: `&` has no meaning in a model"),
        ("P = (a, 1).P; P & P", "1:17: `&` has no meaning in a model"),
        ("P = (a, 1).P; P\\{a}", "1:16: `\\` has no meaning in a model"),
        ("P = (a, 1).P; % a note (with a bracket\nP", "1:15: `%` has no meaning here"),
        ("P = (a, 1).P; P % a note", "1:17: `%` has no meaning in a model"),
        ("P = (a, 1).P; /* P", "1:15: this comment is never closed"),
        ("P = (a, 1).P; P /* P", "1:17: this comment is never closed"),
        ("P = (\"a, 1).P;\nP", "1:6: this quoted name is never closed"),
        ("P = (\"\", 1).P;\nP", "1:6: a quoted name is empty"),
        ("P = (a 1).P; P", "1:8: expected `,` between the action and its rate, found the number `1`"),
        ("P = (a; 1).P; P", "1:7: expected `,` between the action and its rate, found `;`"),
        ("P = (a, 1 r).P; P", "1:11: expected an operator or `)` after the rate, found `r`"),
        ("P = (a, 2r).P; P", "1:9: `2r` is not a number"),
        ("P = (a, 0x10).P; P", "1:9: `0x10` is not a number"),
        ("P = (a, 1.2.3).P; P", "1:9: `1.2.3` is not a number"),
        ("P = (a, 1e).P; P", "1:9: `1e` is not a number"),
        ("\"infty\" = (\"tau\", 1).\"infty\"; \"infty\"", "1:1: `infty` cannot be defined"),
        ("P = (a, 1).P; P/{a, a}", "1:21: a hiding set names `a` twice"),
        (
            "P = (a, 1).P; (P || P) || P; x = {P || (P || P)};",
            "1:35: the brackets of the pattern are not those of the system equation",
        ),
        (
            "P = (a, 1).(b, 1).P; Q = (a, 1).Q; P <a, b> Q",
            "1:42: `Q`, on the right, can never do `b`, so `P` is blocked on it for ever",
        ),
        (
            "P = (a, 1).P; Q = (a, 1).(b, 1).Q; (P/{a}) <a> Q",
            "1:45: `P`, on the left, hides its `a`, so `Q` is blocked on it for ever",
        ),
        (
            "P = (a, 1).(b, 1).P; Q = (a, 1).(b, 1).Q; A = P <a> Q; A || A",
            "1:49: both sides do `b`, but this cooperation set leaves it out",
        ),
    ] {
        assert_eq!(findings(text), [finding], "{text}");
    }
}

#[test]
fn a_nest_in_ten_thousand_places_is_one_finding() {
    let nested: String = (1..60).map(|n| format!("S{n} = S{0} || S{0};\n", n - 1)).collect();
    let found = findings(&format!("S0 = (a, 1).S0;\n{nested}S59"));
    assert_eq!(found, ["10:6: more than 100 names and brackets inside one another"]);
}

#[test]
fn a_bound_that_is_passed_says_nothing_false_about_the_rest() {
    let definitions = "P = (a, 1).P; Q = (b, 1).Q;";
    let found = findings(&format!("{definitions} P[4000000] <b> Q"));
    assert_eq!(found, ["1:31: the size is 4000000, more than the limit of 2000000"]);
    let found = findings(&format!("{definitions} (P[1999999] || P) <b> Q"));
    assert_eq!(found, ["1:51: the system has more than 2000000 components"]);
}

#[test]
fn percent_opens_a_comment_unless_the_line_is_a_definition() {
    let text = "% r = the rate; see the paper\n% s = 2; and so on\n% t = 3; // old\n%u=1;\nP = (a, t*u).P; P";
    let parsed = parse(text);
    assert_eq!(parsed.ast().definitions.len(), 3);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
}

#[test]
fn quoted_names_are_names() {
    let text = "\"Q x\" = (\"get data\", 1).(b, 2).\"Q x\"; P = (\"get data\", infty).P; P \u{22c8}_{\"get data\"} \"Q x\"";
    let model = skel::model::Model::from_text(text).unwrap();
    assert!(model.local_state_named("Q x").is_some());
    assert!(model.local_state_named("(b, 2).\"Q x\"").is_some());
    assert_eq!(model.display_state(&model.initial_state()), "P || \"Q x\"");
    for passive in ["\"infty\"", "\"T\""] {
        let text = format!("P = (a, {passive}).P; Q = (a, 1).Q; P <a> Q");
        let message = format!("1:9: the rate `{}` is not defined", passive.trim_matches('"'));
        assert_eq!(findings(&text), [message]);
    }
}

#[test]
fn a_sum_of_many_fractions_ends_soon() {
    let terms: String = (2..5000).map(|n| format!(" + 1/{n}")).collect();
    let found = findings(&format!("r = 1{terms}; P = (a, r).P; P"));
    assert_eq!(found, ["1:1: the rate `r` has more than 2048 bits"]);
    // What a float can hold is within the bound.
    assert!(findings("P = (a, 1.7976931348623157e308).(b, 2.2250738585072014e-308).P; P").is_empty());
}

#[test]
fn a_rate_from_rust_is_named_by_its_expression() {
    use skel::prelude::*;
    let (slow, none) = (0.5, 0.0);
    let model = pepa! { P = (a, { slow - 0.5 }).(b, { f64::INFINITY }).(c, { none / none }).P; P };
    let errors = model.build().unwrap_err().to_string();
    let messages: Vec<&str> = errors.lines().filter_map(|line| line.split(';').next()).collect();
    assert_eq!(
        messages,
        [
            "the rate `{ none / none }` is not a number (`NAN`)",
            "the rate `{ f64::INFINITY }` is infinite (`INFINITY`)",
            "the rate `{ slow - 0.5 }` is 0",
        ]
    );
    let errors = pipe!(task("a", f64::MAX * 2.0)).tree().unwrap_err().to_string();
    assert!(
        errors.starts_with("stage 0: the rate of the task `a` is infinite (`INFINITY`); help: "),
        "{errors}"
    );
}
