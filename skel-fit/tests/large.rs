//! Long texts, deep ones and enormous numbers: an answer or an error, at once.

use skel_core::diagnostic::Code;
use skel_fit::graph::Graph;
use skel_fit::runs::Runs;
use skel_fit::{Function, crossovers};

#[test]
fn many_runs_are_read_and_grouped() {
    let mut text = "n,p,seconds\n".to_owned();
    for run in 0..100_000 {
        text += &format!("{},{},{}\n", 100 + run / 500, 1 + run % 10, 0.5 + f64::from(run % 7) / 100.0);
    }
    let runs = Runs::from_csv(&text).unwrap();
    let points = runs.points();
    assert_eq!((runs.iter().count(), points.len()), (100_000, 2000));
    assert_eq!(points.iter().map(|point| point.kept.len() + point.rejected.len()).sum::<usize>(), 100_000);
}

#[test]
fn one_point_with_many_outliers_is_no_trouble() {
    let mut text = "n,seconds\n".to_owned();
    for run in 0..100_000 {
        let seconds = if run % 10 == 0 { 100.0 } else { 1.0 + f64::from(run % 7) / 100.0 };
        text += &format!("100,{seconds}\n");
    }
    let points = Runs::from_csv(&text).unwrap().points();
    assert_eq!((points[0].kept.len(), points[0].rejected.len()), (90_000, 10_000));
}

#[test]
fn of_many_problems_the_first_are_told() {
    let text = format!("n,seconds\n{}", "x,1\n".repeat(100_000));
    let error = Runs::from_csv(&text).unwrap_err();
    assert_eq!((error.problems.len(), error.more), (20, 99_980));
    let error = Runs::from_json_lines(&"{]\n".repeat(1000)).unwrap_err();
    assert_eq!((error.problems.len(), error.more), (20, 980));
}

#[test]
fn deep_json_is_no_run() {
    let error = Runs::from_json_lines(&"[".repeat(1_000_000)).unwrap_err();
    assert!(error.problems[0].message.contains("recursion limit"), "{error}");
}

#[test]
fn a_graph_of_many_statements_has_times_and_a_picture() {
    let statements: String = (0..100_000).map(|at| format!("comp part{at} : 1e-3*n; ")).collect();
    // All in one line, which is the worst case for columns.
    let graph = Graph::from_text(&format!("graph long(n) {{ {statements} comp fitted; }}")).unwrap();
    let times = graph.times_with(&[("n", 2.0)], |_| Some(1.0)).unwrap();
    assert!((times.seconds - 201.0).abs() < 1e-6);
    assert!(graph.to_svg().len() > 100_000);
    let fitted: String = (0..100_000).map(|at| format!("comp part{at};")).collect();
    let graph = Graph::from_text(&format!("graph long() {{ {fitted} }}")).unwrap();
    assert_eq!(graph.fitted_segments().len(), 100_000);
    assert_eq!(graph.times(&[]).unwrap_err().problems.len(), 100_000);
}

#[test]
fn many_wrong_statements_are_all_reported() {
    let names: String = (0..1000).map(|at| format!("p{at}, ")).collect();
    let statements = "comp a : 1 + unknown;\n".repeat(20_000);
    let wrong = Graph::from_text(&format!("graph wrong({names} n) {{ {statements} }}")).unwrap_err();
    assert_eq!(wrong.len(), 20_000);
    assert_eq!(wrong[0].help.as_deref(), Some("the parameters are p0, p1, p2, p3, p4, p5, p6, p7, .."));
}

#[test]
fn nesting_is_limited() {
    for (open, close) in [
        ("loop 2 {", "}"),
        ("overlap {", "} with { }"),
        ("choice { 1 -> {", "} }"),
        ("par { process a {", "} }"),
    ] {
        let nested =
            |depth: usize| format!("graph deep() {{ {} {} }}", open.repeat(depth), close.repeat(depth));
        assert!(Graph::from_text(&nested(60)).is_ok(), "{open}");
        for text in [nested(20_000), format!("graph deep() {{ {}", open.repeat(20_000))] {
            let wrong = Graph::from_text(&text).unwrap_err();
            assert!(
                wrong.iter().any(|finding| finding.code == Code::NestingTooDeep),
                "{open}: {:?}",
                wrong[0]
            );
        }
    }
    for (open, close) in [("(", ")"), ("-", ""), ("log2(", ")"), ("2^", "")] {
        let nested = |depth: usize| {
            format!("graph deep() {{ comp a : {}1{}; }}", open.repeat(depth), close.repeat(depth))
        };
        assert!(Graph::from_text(&nested(50)).is_ok(), "{open}");
        let wrong = Graph::from_text(&nested(100_000)).unwrap_err();
        assert!(wrong.iter().any(|finding| finding.code == Code::NestingTooDeep), "{open}: {:?}", wrong[0]);
    }
}

#[test]
fn enormous_counts_end_in_words() {
    let graph = Graph::from_text("graph far(n) { loop n^60 { comp a : 1; } }").unwrap();
    assert_eq!(graph.times(&[("n", 10.0)]).unwrap().seconds, 1e60);
    let error = graph.times(&[("n", 1e100)]).unwrap_err().to_string();
    assert!(error.contains("a loop is done inf (`n^60` at 1:21) times"), "{error}");
    let graph = Graph::from_text("graph far(n) { loop n { loop n { comp a : 1; } } }").unwrap();
    let error = graph.times(&[("n", 1e200)]).unwrap_err().to_string();
    assert!(error.contains("the program takes inf seconds"), "{error}");
}

#[test]
fn exponents_and_coefficients_have_limits() {
    for (text, expected) in [
        (
            "n^1001",
            "at character 3: an exponent is not a whole number; help: write one from -1000 to 1000, or a fraction such as `(3/2)`",
        ),
        (
            "n^(1/997) n^(1/991) n^(1/983) n^(1/977)",
            "at character 20: the exponents before this place make a fraction of numbers beyond 1000; help: write smaller exponents",
        ),
        (
            "n^1000 n^1000",
            "at character 14: the exponents before this place make a fraction of numbers beyond 1000; help: write smaller exponents",
        ),
        (
            "1e308 n + 1e308 n",
            "at character 1: the coefficients of equal terms add up to a number that is not finite; help: write smaller coefficients",
        ),
        ("log2(2) n", "at character 6: the name of the variable is missing; help: write it, as in `log2(n)`"),
    ] {
        assert_eq!(text.parse::<Function>().unwrap_err().to_string(), expected);
    }
    let large: Function = "n^1000".parse().unwrap();
    let error = crossovers(&large, &"n".parse().unwrap(), 1.0..=10.0).unwrap_err().to_string();
    assert!(error.contains("is not finite in the range"), "{error}");
    let sum = vec!["1e-3 n"; 100_000].join(" + ");
    assert!((sum.parse::<Function>().unwrap().at(1.0) - 100.0).abs() < 1e-6);
}

#[test]
fn names_that_a_table_must_quote_are_read_again() {
    let text = r##"{"segment": "# no comment", "machine": " spaces, \"quotes\"\nand lines ", "n": 0.1, "seconds": 1.7976931348623157e308}
{"segment": "", "n": 5e-324, "seconds": 0.30000000000000004}"##;
    let runs = Runs::from_json_lines(text).unwrap();
    let names: Vec<(&str, &str)> =
        runs.iter().map(|run| (run.segment.as_str(), run.machine.as_str())).collect();
    assert_eq!(names, [("# no comment", "spaces, \"quotes\"\nand lines"), ("program", "")]);
    assert_eq!(Runs::from_csv(&runs.to_csv()).unwrap(), runs);
    assert_eq!(Runs::from_json_lines(&runs.to_json_lines()).unwrap(), runs);
    assert_eq!(Runs::new(runs.iter().cloned()).unwrap(), runs);
}
