//! Transient distributions against reference values of an independent program, which uses no uniformisation, and against closed forms.

use serde_json::Value;
use skel::Error;
use skel::csl::Predicate;
use skel::limits::{Cancellation, Limit};
use skel::prelude::*;
use skel::transient::{Accuracy, Method, Refused};

fn reference() -> Value {
    serde_json::from_str(include_str!("seeds/analyses.json")).unwrap()
}

fn number(text: &Value) -> f64 {
    let text = text.as_str().unwrap();
    Rate::parse(text).unwrap().exact().map(skel::number::Number::to_float).unwrap()
}

/// Whether a value is within an error of one that has been rounded to its last digit.
fn is_within(found: f64, expected: f64, error: f64) -> bool {
    (found - expected).abs() <= error + 1e-15 * expected.abs()
}

fn space_of(file: &str, is_lumped: bool) -> StateSpace {
    let model = Model::from_file(format!("{}/models/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let explorer = model.explorer();
    if is_lumped { explorer.lumped() } else { explorer }.explore().unwrap()
}

fn measure(of: &skel::measure::Probabilities<Model, f64>, name: &str) -> Option<f64> {
    match name.strip_prefix("throughput ") {
        Some(action) => Some(of.throughput_named(action).unwrap()),
        // A lumped space has no result that tells copies apart.
        None => of.result_named(name).ok(),
    }
}

#[test]
fn every_reference_value_is_within_its_error() {
    let reference = reference();
    let models = reference["transient"].as_array().unwrap();
    assert_eq!(models.len(), 21);
    let mut compared = 0;
    for model in models {
        let file = model["model"].as_str().unwrap();
        let values = model["values"].as_array().unwrap();
        let times: Vec<f64> = values.iter().map(|value| number(&value["t"])).collect();
        for is_lumped in [false, true] {
            let space = space_of(file, is_lumped);
            let transient = space.transient_solver(&times).over().solve().unwrap();
            let error = transient.report().error;
            assert!(error <= 1e-9, "{file}: {:?}", transient.report());
            for (point, value) in transient.points().iter().zip(values) {
                for (name, expected) in value["at"].as_object().unwrap() {
                    let Some(found) = measure(point, name) else { continue };
                    let expected = number(expected);
                    assert!(is_within(found, expected, error), "{file} {name}: {found} {expected}");
                    compared += 1;
                }
                let (average, time) = (point.average().unwrap(), point.time());
                for (name, expected) in value["over"].as_object().unwrap() {
                    let Some(found) = measure(average, name) else { continue };
                    let (found, expected) = (found * time, number(expected));
                    assert!(is_within(found, expected, error * time), "{file} {name}: {found} {expected}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 1500, "{compared}");
}

#[test]
fn every_method_has_the_reference_values() {
    let reference = reference();
    for (method, tolerance) in
        [(Method::Uniformisation, 1e-9), (Method::Squaring, 1e-9), (Method::Implicit, 1e-5)]
    {
        for model in reference["transient"].as_array().unwrap() {
            let file = model["model"].as_str().unwrap();
            let values = model["values"].as_array().unwrap();
            let values: Vec<&Value> = values.iter().filter(|value| number(&value["t"]) <= 10.0).collect();
            let times: Vec<f64> = values.iter().map(|value| number(&value["t"])).collect();
            let space = space_of(file, false);
            let solver = space.transient_solver(&times).over().method(method).tolerance(tolerance);
            let transient = solver.solve().unwrap();
            let (error, report) = (transient.report().error, transient.report());
            assert!(error <= tolerance && report.method == method, "{file}: {report:?}");
            assert_eq!(report.accuracy == Accuracy::Bound, method == Method::Uniformisation);
            for (point, value) in transient.points().iter().zip(values) {
                for (name, expected) in value["at"].as_object().unwrap() {
                    let (found, expected) = (measure(point, name).unwrap(), number(expected));
                    assert!(
                        is_within(found, expected, error),
                        "{method:?} {file} {name}: {found} {expected}"
                    );
                }
                let (average, time) = (point.average().unwrap(), point.time());
                for (name, expected) in value["over"].as_object().unwrap() {
                    let (found, expected) = (measure(average, name).unwrap() * time, number(expected));
                    assert!(
                        is_within(found, expected, error * time),
                        "{method:?} {file} {name}: {found} {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn two_states_have_their_closed_form() {
    let known = &reference()["closed_forms"]["two_state"]["values"];
    let known = known.as_array().unwrap();
    let times: Vec<f64> = known.iter().map(|value| number(&value["t"])).collect();
    let model = Model::from_text("a = 0.3; b = 2; Up = (fail, a).Down; Down = (mend, b).Up; Up").unwrap();
    let transient = model.explore().unwrap().transient_solver(&times).over().solve().unwrap();
    let error = transient.report().error;
    for (point, value) in transient.points().iter().zip(known) {
        let time = point.time();
        let up = point.population_named("Up").unwrap();
        let over = time * point.average().unwrap().population_named("Up").unwrap();
        assert!(is_within(up, number(&value["up"]), error), "{time}");
        assert!(is_within(over, number(&value["over"]), error * time), "{time}");
    }
}

#[test]
fn a_stiff_chain_keeps_the_digits_of_its_rare_state() {
    let text = "a = 0.000001; b = 1000; Up = (fail, a).Down; Down = (mend, b).Up; Up";
    let space = Model::from_text(text).unwrap().explore().unwrap();
    for value in reference()["closed_forms"]["two_state_stiff"]["values"].as_array().unwrap() {
        let transient = space.transient(&[number(&value["t"])]).unwrap();
        let (down, known) = (transient.points()[0].population_named("Down").unwrap(), number(&value["down"]));
        assert!((down / known - 1.0).abs() < 1e-9, "{down:e} {known:e} {:?}", transient.report());
    }
}

const FALSE_STEADY_STATE: &str =
    "Start = (left, 500).First + (right, 500).Second; First = (drift, 0.00001).Second;
    Second = (stay, 1).Second; Tick = (tick, 1000).Tock; Tock = (tock, 1000).Tick; Start || Tick";

#[test]
fn a_chain_that_only_seems_steady_is_followed_to_its_end() {
    let space = Model::from_text(FALSE_STEADY_STATE).unwrap().explore().unwrap();
    for value in reference()["closed_forms"]["false_steady_state"]["values"].as_array().unwrap() {
        let transient = space.transient(&[number(&value["t"])]).unwrap();
        let (first, known) =
            (transient.points()[0].population_named("First").unwrap(), number(&value["first"]));
        let error = transient.report().error;
        assert!(is_within(first, known, error) && error < 1e-9, "{first} {known} {:?}", transient.report());
        assert!((first / known - 1.0).abs() < 1e-9, "{first} {known}");
    }
    // The hundred million steps of uniformisation would lose digits, and this is said before they are taken.
    let refused = space.transient_solver(&[1e5]).method(Method::Uniformisation).solve().unwrap_err();
    assert!(matches!(refused, Error::OverTime(Refused::TooManySteps { steps, .. }) if steps > 100_000_000));
}

#[test]
fn a_loop_is_counted_at_all_times() {
    let space = Model::from_text("P = (a, 7).P; P").unwrap().explore().unwrap();
    let transient = space.transient_solver(&[0.0, 3.0, 1e9]).over().solve().unwrap();
    for point in transient.points() {
        assert_eq!(point.throughput_named("a").unwrap(), 7.0);
        assert_eq!(point.average().unwrap().throughput_named("a").unwrap(), 7.0);
    }
}

/// The pipeline of `benches/peers/pipeline.py`.
fn pipeline(stages: usize) -> String {
    let mut text = String::from("mu = 10; la = 10;\n");
    for stage in 1..=stages {
        let next = stage + 1;
        text += &format!(
            "Stage{stage} = (move{stage}, infty).Busy{stage}; Busy{stage} = (process{stage}, infty).Done{stage};\n\
             Done{stage} = (move{next}, infty).Stage{stage}; Processor{stage} = (process{stage}, mu).Processor{stage};\n"
        );
    }
    let list = |name: &str, numbers: std::ops::RangeInclusive<usize>| {
        numbers.map(|at| format!("{name}{at}")).collect::<Vec<_>>().join(", ")
    };
    let offers: Vec<String> = (1..=stages + 1).map(|link| format!("(move{link}, la).Network")).collect();
    let mut line = "Stage1".to_owned();
    (2..=stages).for_each(|stage| line += &format!(" <move{stage}> Stage{stage}"));
    let processors: Vec<String> = (1..=stages).map(|stage| format!("Processor{stage}")).collect();
    text += &format!("Network = {};\n", offers.join(" + "));
    let (moves, processes) = (list("move", 1..=stages + 1), list("process", 1..=stages));
    text + &format!("Network <{moves}>\n  ({line})\n  <{processes}> ({})\n", processors.join(" || "))
}

#[test]
fn a_large_chain_has_its_value() {
    let space = Model::from_text(&pipeline(10)).unwrap().explore().unwrap();
    assert_eq!(space.states(), 59_049);
    let transient = space.transient_solver(&[10.0]).keep(&["Done10"]).solve().unwrap();
    let last = transient.points()[0].population_named("Done10").unwrap();
    assert!((last - 0.199_959_315_878_4).abs() < transient.report().error + 1e-13, "{last}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "minutes without optimisation")]
fn a_large_chain_stops_early_and_is_right() {
    let space = Model::from_text(&pipeline(10)).unwrap().explore().unwrap();
    let transient = space.transient_solver(&[100.0]).keep(&["Busy1"]).solve().unwrap();
    let (error, report) = (transient.report().error, transient.report());
    let first = transient.points()[0].population_named("Busy1").unwrap();
    assert!((first - 0.200_093_283_973_0).abs() < error + 1e-13, "{first}");
    assert_eq!((report.method, report.accuracy), (Method::Uniformisation, Accuracy::Bound));
    assert!(error <= 1e-9 && report.settled.is_some_and(|step| step < 4000), "{report:?}");
}

#[test]
fn several_beginnings_are_weighed() {
    let model = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P || P").unwrap();
    let (space, lumped) = (model.explore().unwrap(), model.explorer().lumped().explore().unwrap());
    let busy = Predicate::parse("Q >= 1", &model).unwrap();
    let times = [0.0, 0.7];
    let by_condition = space.transient_solver(&times).from(&busy).solve().unwrap();
    let by_states = space.transient_solver(&times).from_states(&[1, 2, 3]).solve().unwrap();
    let by_weights = space.transient_solver(&times).from_weights(&[0.0, 2.0, 2.0, 2.0]).solve().unwrap();
    let lumped = lumped.transient_solver(&times).from(&busy).solve().unwrap();
    for at in 0..times.len() {
        let of = |transient: &skel::transient::Transient<Model>| {
            transient.points()[at].population_named("Q").unwrap()
        };
        let q = of(&by_condition);
        for other in [&by_states, &by_weights, &lumped] {
            assert!((of(other) - q).abs() < 1e-12, "{} {q}", of(other));
        }
    }
    assert!((by_condition.points()[0].population_named("Q").unwrap() - 4.0 / 3.0).abs() < 1e-15);
    for wrong in [&[1.0][..], &[0.0; 4], &[-1.0, 1.0, 1.0, 1.0], &[f64::NAN, 1.0, 1.0, 1.0]] {
        assert!(space.transient_solver(&times).from_weights(wrong).solve().is_err());
    }
    let never = Predicate::parse("Q = 3", &model).unwrap();
    let error = space.transient_solver(&times).from(&never).solve().unwrap_err();
    assert_eq!(error.to_string(), "`Q = 3` holds in no reachable state to begin with");
}

#[test]
fn what_is_no_question_is_refused() {
    let space = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P").unwrap().explore().unwrap();
    for times in [&[-1.0][..], &[f64::NAN], &[f64::INFINITY], &[2.0, 1.0]] {
        assert!(space.transient(times).is_err(), "{times:?}");
    }
    assert!(space.transient(&[]).unwrap().points().is_empty());
    let error = space.transient_solver(&[1.0]).keep(&["goo"]).solve().unwrap_err();
    assert!(error.to_string().contains("did you mean `go`?"), "{error}");
    let error = space.transient_solver(&[1.0]).tolerance(1e-18).solve().unwrap_err();
    let Error::OverTime(Refused::Unattainable { attainable, .. }) = error else { panic!("{error}") };
    assert!((1e-16..1e-12).contains(&attainable));
    assert!(space.transient_solver(&[1.0]).tolerance(20.0 * attainable).solve().is_ok());
}

#[test]
fn limits_hold() {
    let space = Model::from_text(&pipeline(8)).unwrap().explore().unwrap();
    let cancellation = Cancellation::default();
    cancellation.cancel();
    let limits = Limits { cancellation, ..Limits::default() };
    let Err(Error::Stopped(stopped)) = space.transient_solver(&[100.0]).limits(&limits).solve() else {
        panic!("it was cancelled")
    };
    assert_eq!(stopped.limit, Limit::Cancelled);
    let limits = Limits { time: Some(std::time::Duration::from_millis(20)), ..Limits::default() };
    for method in [Method::Uniformisation, Method::Implicit] {
        let solver = space.transient_solver(&[100.0]).tolerance(1e-6).method(method).limits(&limits);
        let Err(Error::Stopped(stopped)) = solver.solve() else { panic!("the time is over") };
        assert!(matches!(stopped.limit, Limit::Time(_)), "{stopped}");
    }
    let limits = Limits { memory: 300_000, ..Limits::default() };
    let Err(Error::Stopped(stopped)) = space.transient_solver(&[1.0]).limits(&limits).solve() else {
        panic!("the vectors do not fit")
    };
    assert!(matches!(stopped.limit, Limit::Memory(_)), "{stopped}");
}
