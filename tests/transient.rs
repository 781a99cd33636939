//! Transient distributions against reference values of an independent program, which uses no uniformisation,
//! and against closed forms.

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
    for (method, tolerance) in [
        (Method::Uniformisation, 1e-9),
        (Method::Adaptive, 1e-9),
        (Method::Squaring, 1e-9),
        (Method::Implicit, 1e-5),
    ] {
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
            let is_proved = matches!(method, Method::Uniformisation | Method::Adaptive);
            assert_eq!(report.accuracy == Accuracy::Bound, is_proved);
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

/// States in a row that are left at rate 1 each, and two fast ones behind them.
fn fast_and_far_away(slow: usize) -> StateSpace {
    let mut text = String::new();
    (0..slow).for_each(|at| text += &format!("S{at} = (go, 1).S{};\n", at + 1));
    text += &format!(
        "S{slow} = (go, 1).Fast; Fast = (forth, 1000000000).Back; Back = (back, 1000000000).Fast; S0"
    );
    Model::from_text(&text).unwrap().explore().unwrap()
}

#[test]
fn curves_of_measures_are_those_of_the_distributions() {
    let times: Vec<f64> = (0..=100).map(|step| 0.05 * f64::from(step)).collect();
    for file in ["client_server.pepa", "pipeline.pepa", "mm1k.pepa"] {
        for is_lumped in [false, true] {
            let space = space_of(file, is_lumped);
            let points = space.transient_solver(&times).over().solve().unwrap();
            let model = space.model();
            let actions = model.actions().map(|(_, name)| name);
            let states = model.local_states().iter().map(|state| state.name.as_str());
            let mut names: Vec<&str> = actions.chain(states).collect();
            // A lumped space has no result that tells copies apart.
            let results = model.results().iter().map(|line| line.name.as_str());
            names.extend(results.filter(|name| points.points()[0].result_named(name).is_ok()));
            for name in names {
                let curves = space.transient_solver(&times).over().keep(&[name]).curves().unwrap();
                let average = curves.average().unwrap();
                let kept = space.transient_solver(&times).over().keep(&[name]).solve().unwrap();
                // The bound is the same, but for what is known only to the pass that was made.
                let (found, known) = (curves.report().error, kept.report().error);
                assert!((found - known).abs() <= 1e-6 * known, "{file} {name}: {found:e} {known:e}");
                let error = curves.report().error + points.report().error;
                for (place, point) in points.points().iter().enumerate() {
                    let over = point.average().unwrap();
                    let pairs = [
                        (curves.now().throughput_named(name), point.throughput_named(name)),
                        (curves.now().population_named(name), point.population_named(name)),
                        (curves.now().result_named(name), point.result_named(name)),
                        (average.throughput_named(name), over.throughput_named(name)),
                        (average.population_named(name), over.population_named(name)),
                        (average.result_named(name), over.result_named(name)),
                    ];
                    assert!(pairs.iter().any(|(found, _)| found.is_ok()));
                    for (found, known) in pairs.into_iter().filter(|(found, _)| found.is_ok()) {
                        let (found, known) = (found.unwrap()[place], known.unwrap());
                        assert!((found - known).abs() <= error, "{file} {name} {place}: {found} {known}");
                    }
                }
            }
        }
    }
}

#[test]
fn all_measures_have_curves() {
    let space = space_of("client_server.pepa", true);
    let curves = space.transient_solver(&[0.0, 1.0, 2.0]).curves().unwrap();
    let points = space.transient(&[0.0, 1.0, 2.0]).unwrap();
    for (place, point) in points.points().iter().enumerate() {
        let found = curves.now().population_named("Wait").unwrap()[place];
        assert!((found - point.population_named("Wait").unwrap()).abs() < 1e-12);
        let action = space.model().actions().last().unwrap().1;
        let found = curves.now().throughput_named(action).unwrap()[place];
        assert_eq!(found, point.throughput_named(action).unwrap());
    }
    assert!(curves.average().is_none() && curves.times() == [0.0, 1.0, 2.0]);
    let unknown = curves.now().population_named("Wai").unwrap_err().to_string();
    assert!(unknown.contains("did you mean `Wait`?"), "{unknown}");
    // A long time settles, and the curve goes on with the long run.
    let times: Vec<f64> = (0..400).map(f64::from).collect();
    let uniformised =
        |times: &[f64]| space.transient_solver(times).over().keep(&["Wait"]).method(Method::Uniformisation);
    let long = uniformised(&times).curves().unwrap();
    assert!(long.report().settled.is_some(), "{:?}", long.report());
    let steady = space.steady_state().unwrap().population_named("Wait").unwrap();
    assert!((long.now().population_named("Wait").unwrap()[399] - steady).abs() < 2e-9);
    let one = uniformised(&[399.0]).solve().unwrap();
    let (found, known) = (long.average().unwrap(), one.points()[0].average().unwrap());
    let off = found.population_named("Wait").unwrap()[399] - known.population_named("Wait").unwrap();
    assert!(off.abs() <= long.report().error + one.report().error, "{off:e}");
}

#[test]
fn fast_states_that_are_far_away_cost_nothing() {
    // Poisson probabilities of mean 10, and their sums beyond, from a program with 50 digits.
    let known =
        [(0, 4.539_992_976_248_485e-5), (10, 0.125_110_035_721_133_3), (40, 5.564_294_565_210_527e-13)];
    for slow in [250, 2500] {
        let space = fast_and_far_away(slow);
        // The throughput of fast states would have an error of its own size.
        let solver = space.transient_solver(&[0.5, 10.0]).over().keep(&["go", "S0", "S10", "S40"]);
        let transient = solver.solve().unwrap();
        let report = transient.report();
        assert_eq!((report.method, report.accuracy), (Method::Adaptive, Accuracy::Bound), "{report:?}");
        assert!(report.steps < 100 && report.error < 1e-11 && report.rate == 1.0, "{report:?}");
        let last = &transient.points()[1];
        for (state, probability) in known {
            let found = last.population_named(&format!("S{state}")).unwrap();
            assert!((found - probability).abs() <= report.error, "{state}: {found:e}");
            assert!((found / probability - 1.0).abs() < 1e-9, "{state}: {found:e}");
        }
        // The time in the first state is exponential, but ends at the latest after 10.
        let first = 10.0 * last.average().unwrap().population_named("S0").unwrap();
        assert!((first - (1.0 - f64::exp(-10.0))).abs() <= 10.0 * report.error, "{first}");
        let gone = last.throughput_named("go").unwrap();
        assert!((gone - 1.0).abs() <= report.error, "{gone}");
    }
}

#[test]
fn fast_states_that_are_reached_are_left_to_the_other_methods() {
    let space = fast_and_far_away(5);
    let refused = space.transient_solver(&[10.0]).keep(&["S0"]).method(Method::Adaptive).solve().unwrap_err();
    assert!(matches!(refused, Error::OverTime(Refused::TooManySteps { steps, .. }) if steps > 1_000_000_000));
    let squared = space.transient_solver(&[10.0]).keep(&["S0"]).solve().unwrap();
    assert_eq!(squared.report().method, Method::Squaring);
}

#[test]
fn steps_at_rising_rates_settle_as_well() {
    let mut text = "S0 = (up, 1).S1;\n".to_owned();
    (1..900).for_each(|at| text += &format!("S{at} = (up, 1).S{} + (down, 2).S{};\n", at + 1, at - 1));
    let [slow, fast] = [0, 1].map(|fast| {
        let end = [
            "S900 = (down, 2).S899; S0",
            "S900 = (down, 2).S899 + (up, 1).F; F = (fast, 100000000).S900; S0",
        ];
        Model::from_text(&(text.clone() + end[fast])).unwrap().explore().unwrap()
    });
    let solve = |space: &StateSpace, method: Method| {
        let solver = space.transient_solver(&[1.0, 150.0]).over().keep(&["S0", "S3", "down"]);
        solver.method(method).solve().unwrap()
    };
    let (known, found) = (solve(&slow, Method::Uniformisation), solve(&fast, Method::Adaptive));
    assert!(found.report().settled.is_some() && found.report().rate == 3.0, "{:?}", found.report());
    let error = known.report().error + found.report().error;
    assert!(error < 2e-9);
    for (known, found) in known.points().iter().zip(found.points()) {
        let pairs = [(&**known, &**found), (known.average().unwrap(), found.average().unwrap())];
        for (known, found) in pairs {
            for state in ["S0", "S3"] {
                let off = known.population_named(state).unwrap() - found.population_named(state).unwrap();
                assert!(off.abs() <= error, "{off:e}");
            }
            let off = known.throughput_named("down").unwrap() - found.throughput_named("down").unwrap();
            assert!(off.abs() <= error, "{off:e}");
        }
    }
}

#[test]
fn rates_may_rise_with_every_step() {
    // Each of the copies begins another, as in a Yule process: the number is geometric.
    let states = 400;
    let mut text = String::new();
    (1..states).for_each(|at| text += &format!("N{at} = (split, {at}).N{};\n", at + 1));
    text += &format!("N{states} = (rest, 100000).M; M = (rest, 100000).N{states}; N1");
    let space = Model::from_text(&text).unwrap().explore().unwrap();
    let times = [0.3, 1.0, 2.0];
    let solver = space.transient_solver(&times).over().method(Method::Adaptive).tolerance(1e-10);
    let solver = solver.keep(&["N1", "N2", "N7", "N30"]);
    let transient = solver.solve().unwrap();
    let report = transient.report();
    assert!(report.steps < 400 && report.error <= 1e-10, "{report:?}");
    for point in transient.points() {
        let time = point.time();
        for number in [1, 2, 7, 30] {
            let known = f64::exp(-time) * (-f64::exp_m1(-time)).powi(number - 1);
            let found = point.population_named(&format!("N{number}")).unwrap();
            assert!((found - known).abs() <= report.error, "{time} {number}: {found:e} {known:e}");
            assert!((found / known - 1.0).abs() < 1e-8, "{time} {number}: {found:e} {known:e}");
        }
        let alone = time * point.average().unwrap().population_named("N1").unwrap();
        assert!((alone + f64::exp_m1(-time)).abs() <= report.error * time, "{time}: {alone}");
    }
}

#[test]
fn a_loop_is_counted_at_all_times() {
    let space = Model::from_text("P = (a, 7).P; P").unwrap().explore().unwrap();
    let transient = space.transient_solver(&[0.0, 3.0, 1e9]).over().solve().unwrap();
    for point in transient.points() {
        assert_eq!(point.throughput_named("a").unwrap(), 7.0);
        assert_eq!(point.average().unwrap().throughput_named("a").unwrap(), 7.0);
    }
    let curves = space.transient_solver(&[0.0, 3.0, 1e9]).over().keep(&["a"]).curves().unwrap();
    for series in [curves.now(), curves.average().unwrap()] {
        assert_eq!(series.throughput_named("a").unwrap(), [7.0; 3]);
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
