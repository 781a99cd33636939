//! Graphs of programs: the paper's, the reference's, and what is refused.

use proptest::prelude::*;
use serde_json::Value;
use skel_fit::graph::Graph;

fn graphs() -> Vec<Value> {
    serde_json::from_str(include_str!("seeds/graphs.json")).unwrap()
}

fn parameters(at: &Value) -> Vec<(&str, f64)> {
    at.as_object().unwrap().iter().map(|(name, value)| (name.as_str(), value.as_f64().unwrap())).collect()
}

#[test]
fn the_graphs_of_the_reference_take_their_times() {
    let mut compared = 0;
    for case in graphs() {
        let graph = Graph::from_text(case["text"].as_str().unwrap()).unwrap();
        for expected in case["expect"].as_array().unwrap() {
            let times = graph.times(&parameters(&expected["at"])).unwrap();
            let seconds = expected["seconds"].as_f64().unwrap();
            assert!(
                (times.seconds / seconds - 1.0).abs() < 1e-13,
                "{}: {} for {expected}",
                case["id"],
                times.seconds
            );
            assert!(times.warnings.is_empty());
            compared += 1;
        }
    }
    assert_eq!(compared, 24);
}

#[test]
fn the_parts_of_the_plate_of_the_paper() {
    let case = graphs().into_iter().find(|case| case["id"] == "heat_paper").unwrap();
    let graph = Graph::from_text(case["text"].as_str().unwrap()).unwrap();
    let times = graph.times(&[("N", 2000.0), ("p", 6.0)]).unwrap();
    for (name, expected) in case["parts_at_N2000_p6"].as_object().unwrap() {
        let name = name.replace('-', "_");
        let part = times.parts.iter().find(|part| part.name == name).unwrap();
        let expected = expected.as_f64().unwrap();
        assert!((part.once * part.times / expected - 1.0).abs() < 1e-9, "{name}: {part:?}");
        assert!(part.is_decisive);
    }
}

/// Table 1: the printed column `Estimado`, and its errors against `Medido`.
#[test]
fn table_1_of_the_paper() {
    let heat: Value = serde_json::from_str(include_str!("seeds/heat.json")).unwrap();
    let case = graphs().into_iter().find(|case| case["id"] == "heat_paper").unwrap();
    let graph = Graph::from_text(case["text"].as_str().unwrap()).unwrap();
    let mut largest: f64 = 0.0;
    for (p, row) in heat["estimado"].as_object().unwrap() {
        let sizes = heat["N"].as_array().unwrap().iter();
        for ((n, printed), column) in sizes.zip(row.as_array().unwrap()).zip(0..) {
            let (n, p_value, printed) = (n.as_f64().unwrap(), p.parse().unwrap(), printed.as_f64().unwrap());
            let seconds = graph.times(&[("N", n), ("p", p_value)]).unwrap().seconds;
            let half_width = if printed.to_string().split('.').nth(1).is_some_and(|digits| digits.len() == 3)
            {
                0.0005
            } else {
                0.005
            };
            assert!(
                (seconds - printed).abs() <= half_width * 1.001,
                "N = {n}, p = {p}: {seconds} and {printed}"
            );
            let measured = heat["table1_measured"][p][column].as_f64().unwrap();
            let error = (seconds - measured) / measured * 100.0;
            let expected = heat["table1_error_percent"][p][column].as_f64().unwrap();
            assert!((error - expected).abs() < 0.0101, "{error} and {expected}");
            largest = largest.max(error.abs());
        }
    }
    // The paper cuts digits off: it prints 13.75.
    assert_eq!((largest * 100.0).floor(), 1375.0);
}

#[test]
fn everything_that_is_wrong_is_told_at_its_place() {
    let text = "graph g(n, n, m) {
  comp a : 1 + ;
  comp b : 2*q;
  send c [8*n] : m + k;
  comp d : m;
  wait e;
  loop 3 { comp ; comp f : 1e999; }
  par { }
  choice { 0.5 { } }
  overlap { comp h : 1; } and { }
  comp i : 1 $ ;
";
    let findings = Graph::from_text(text).unwrap_err();
    let lines: Vec<String> = findings
        .iter()
        .map(|finding| {
            let line = text[..finding.span.start].lines().count().max(1);
            format!("{line} {} {}", finding.code.word(), finding.message)
        })
        .collect();
    let expected = "1 duplicate_definition the parameter `n` is there twice
1 reserved_name no parameter has the name `m`
1 unclosed this `{` is never closed
2 syntax expected a number, a parameter or `(`, found `;`
3 undefined_size `q` is no parameter
4 undefined_size `k` is no parameter
6 syntax `wait` is no statement
7 syntax expected the name of the segment, found `;`
7 bad_number `1e999` is not a finite number
8 syntax `par` without a process
9 syntax expected `->`, found `{`
10 syntax expected `with`, found `and`
11 unexpected_character `$` is in no graph";
    assert_eq!(lines.join("\n"), expected);
    assert!(findings.iter().all(|finding| finding.help.is_some()));
}

#[test]
fn the_first_word_and_deep_nesting() {
    let message = |text: &str| Graph::from_text(text).unwrap_err()[0].message.clone();
    assert_eq!(message(""), "expected `graph`, found the end of the text");
    assert_eq!(message("graph g() { } x"), "something follows the graph");
    let deep = format!("graph g() {{ comp a : {}1{}; }}", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(message(&deep), "more than 64 blocks and brackets inside each other");
    let blocks = format!("graph g() {{ {} {} }}", "loop 1 {".repeat(5000), "}".repeat(5000));
    assert_eq!(message(&blocks), "more than 64 blocks and brackets inside each other");
    let long = format!("graph g() {{ comp a : 0{}; }}", "+1".repeat(50_000));
    assert_eq!(Graph::from_text(&long).unwrap().times(&[]).unwrap().seconds, 50_000.0);
}

#[test]
fn values_without_a_meaning_are_told_together() {
    let graph = Graph::from_text(
        "graph g(n, p) {
            loop n { comp a : 1/p; }
            par { process w * (p-1) { send b [0-n] : 1; } }
            overlap 2 { comp c; } with { }
            choice { 0.5 -> { } 0.4 -> { } }
        }",
    )
    .unwrap();
    let error = graph.times(&[("n", 1.0), ("q", 2.0)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`q` is no parameter of `g`; help: its parameters are n, p\nthe parameter `p` has no value; help: give one, such as `p=1000`"
    );
    let error = graph.times(&[("n", -1.5), ("p", 0.0)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a loop is done -1.5 (`n` at 2:18) times; help: the number must be 0 or more and finite
`comp a` takes inf seconds: its model does not hold for these parameters
a process is there -1 (`(p-1)` at 3:31) times; help: the number must be 0 or more and finite
an overlap hides 2 (`2` at 4:21); help: it must be from 0 to 1
`comp c` has no time; help: write `comp c : seconds;`, or give timed runs of the segment `c`"
    );
    let half = Graph::from_text("graph g() { choice { 0.5 -> { } 0.4 -> { } } }").unwrap();
    let error = half.times(&[]).unwrap_err().to_string();
    assert_eq!(error, "the probabilities of the choice at 1:13 add up to 0.9; help: they must add up to 1");
    let negative = Graph::from_text("graph g(n) { comp a : n - 5; }").unwrap().times(&[("n", 1.0)]).unwrap();
    assert_eq!(
        negative.warnings,
        ["`comp a` takes -4 seconds: its model does not hold for these parameters"]
    );
}

#[test]
fn the_slowest_column_decides() {
    let graph = Graph::from_text(
        "graph g(p) { par { process quick { comp a : 1; } process slow * p { comp b : 2; comp c : 1; } } }",
    )
    .unwrap();
    let times = graph.times(&[("p", 3.0)]).unwrap();
    assert_eq!(times.seconds, 3.0);
    let decisive: Vec<bool> = times.parts.iter().map(|part| part.is_decisive).collect();
    assert_eq!(decisive, [false, true, true]);
    let alone = graph.times(&[("p", 0.0)]).unwrap();
    assert_eq!((alone.seconds, alone.parts[1].is_decisive), (1.0, false));
}

#[test]
fn a_picture_has_every_segment() {
    let case = graphs().into_iter().find(|case| case["id"] == "mm_vrpss").unwrap();
    let svg = Graph::from_text(case["text"].as_str().unwrap()).unwrap().to_svg();
    for text in [
        "mm_vrpss(N, K)",
        "bcast B [8*N^2]",
        "K times",
        "overlap 0.75",
        "fast x 4",
        "rows",
        "choice",
        "0.9",
        "redo",
    ] {
        assert!(svg.contains(&format!(">{text}</text>")), "{text} in {svg}");
    }
    assert_eq!(svg.matches("<path").count(), 3);
    assert_eq!(svg.matches("class=\"comp\"").count(), 4);
}

proptest! {
    #[test]
    fn any_text_is_a_graph_or_has_findings_inside_it(text in "(graph g\\(n\\) \\{ )?([a-z{}()*+;: ^0-9.]|comp |loop |par |process |choice |-> |#|é){0,60}\\}?") {
        if let Err(findings) = Graph::from_text(&text) {
            prop_assert!(!findings.is_empty());
            prop_assert!(findings.iter().all(|finding| finding.span.start <= finding.span.end && finding.span.end <= text.len()));
        }
    }
}
