//! Response times of items against reference values, and against Little's law.

use serde_json::Value;
use skel::Error;
use skel::error::Stopped;
use skel::limits::Limit;
use skel::number::Number;
use skel::prelude::*;
use skel::rate::Rate;
use skel::response::{ItemPath, PathFault, ResponseTime, ResponseTimes};
use skel::skeleton::{Program, Tree, text};

fn references() -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("seeds/analyses.json")).expect("a JSON text");
    all["response"].as_array().expect("a list").clone()
}

/// A number that is written as a text.
fn number(value: &Value) -> f64 {
    let text = value.as_str().unwrap_or_else(|| panic!("{value} is no text"));
    fraction(text).to_float()
}

fn fraction(text: &str) -> Ratio {
    Rate::parse(text).expect("a number").exact().expect("a value").clone()
}

fn program(text: &str) -> Program<Tree> {
    let parsed = text::parse(text);
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    parsed.program().expect("a program")
}

fn pipeline() -> Model {
    Model::from_text(include_str!("../models/pipeline.pepa")).expect("a model")
}

fn path_of_pipeline() -> ItemPath {
    ItemPath::new().enters("move1", 1).carried("move2", 1, 2).carried("move3", 2, 3).leaves("move4", 3)
}

fn of_reference(reference: &Value, is_lumped: bool) -> ResponseTime {
    fn lumped(question: ResponseTimes<'_>, is_lumped: bool) -> ResponseTimes<'_> {
        if is_lumped { question } else { question.unlumped() }
    }
    match reference["skeleton"].as_str() {
        None => lumped(ResponseTimes::of_model(&pipeline(), &path_of_pipeline()), is_lumped).solve(),
        Some(skeleton) => {
            let communication = reference["communication"].as_str().expect("a rate");
            let system = program(&format!("{skeleton} communication({communication});")).lower().unwrap();
            lumped(ResponseTimes::of_system(&system), is_lumped).solve()
        }
    }
    .unwrap()
}

#[test]
fn reference_values() {
    for reference in references() {
        let name = reference["skeleton"].as_str().unwrap_or("pipeline.pepa");
        for is_lumped in [true, false] {
            let response = of_reference(&reference, is_lumped);
            if !is_lumped {
                assert_eq!(response.states() as u64, reference["tagged_states"].as_u64().unwrap(), "{name}");
            }
            let within = |figure: skel::passage::Figure, known: &Value, rounding: f64| {
                let off = (figure.value - number(known)).abs();
                assert!(off <= figure.error + rounding, "{name}: {figure:?} and not {known}");
                assert!(figure.error <= 1e-8, "{name}: {figure:?}");
            };
            within(response.throughput(), &reference["throughput"]["value"], 1e-18);
            within(response.mean().unwrap(), &reference["mean_response"]["value"], 1e-18);
            within(response.variance().unwrap(), &reference["variance"]["value"], 1e-18);
            for point in reference["curve"].as_array().into_iter().flatten() {
                let found = response.at(&[number(&point["t"])]).unwrap()[0];
                within(found.probability, &point["cdf"], 1e-18);
                within(found.density, &point["pdf"], 1e-18);
            }
            for (probability, time) in reference["quantiles"].as_object().into_iter().flatten() {
                let found = response.quantile(fraction(probability).to_float()).unwrap();
                // The reference has fourteen digits.
                within(found, time, 1e-12);
            }
        }
    }
}

#[test]
fn reference_values_in_fractions() {
    for reference in references() {
        let name = reference["skeleton"].as_str().unwrap_or("pipeline.pepa");
        let response = of_reference(&reference, true);
        let moments = response.moments_exact(2).unwrap();
        let exact = |key: &str| fraction(reference[key]["exact"].as_str().expect("a fraction"));
        assert_eq!(response.throughput_exact().unwrap(), exact("throughput"), "{name}");
        assert_eq!(moments.raw[0], exact("mean_response"), "{name}");
        assert_eq!(moments.variance, Some(exact("variance")), "{name}");
        assert_eq!(exact("throughput") * &moments.raw[0], exact("mean_items"), "{name}");
    }
}

/// All that a program can say has a response time, and its mean is that of Little's law.
#[test]
fn littles_law_for_every_construct() {
    for text in [
        "pipe(task(1), farm(3, 1/2), task(2)); communication(none); buffers(2);",
        "pipe(task(1), farm(3, 1/2), task(2)); communication(3); one_port;",
        "pipe(task(1), farm(2, erlang(2, 1)), task(2)); communication(3); buffers(1);",
        "pipe(farm(2, hyperexponential([1/4, 3/4], [1/10, 5])), deal(2, 1)); communication(none);",
        "pipe(farm(2, pipe(task(1), task(2))), task(2)); communication(2); buffers(1);",
        "pipe(task(1), farm(2, deal(2, 1)), task(3)); communication(none);",
        "pipe(map(2, 1), task(2)); communication(2); buffers(1);",
        "pipe(task(3), fault_tolerant(3, 1, early), map_with_state(2, 1/5, state(1/2, 10))); communication(2);",
        "pipe(map_with_state(2, 1/5, state(1/2, 10)), task(1)); communication(none);",
        "farm(3, 1);",
        "farm(2, erlang(2, 1));",
        "map(3, 1);",
    ] {
        let program = program(text);
        let performance = program.performance_exact().unwrap();
        let system = program.lower_with_immediate_moves().unwrap();
        for question in [ResponseTimes::of_system(&system), ResponseTimes::of_system(&system).unlumped()] {
            let response = question.solve().unwrap();
            assert_eq!(response.throughput_exact().unwrap(), *performance.throughput(), "{text}");
            assert_eq!(response.moments_exact(1).unwrap().raw[0], performance.response_time(), "{text}");
        }
    }
}

/// Alone, an item is served in each stage one after the other.
#[test]
fn one_stage_is_its_service() {
    let response = program("task(erlang(3, 2));").performance().unwrap().response_distribution().unwrap();
    let point = response.at(&[2.0]).unwrap()[0];
    // The sum of three exponential times of mean 2/3.
    let expected = 1.0 - (-3.0_f64).exp() * (1.0 + 3.0 + 4.5);
    assert!((point.probability.value - expected).abs() <= point.probability.error);
    let one = program("farm(5, 2);").performance().unwrap().response_distribution().unwrap();
    assert!((one.variance().unwrap().value - 0.25).abs() <= 1e-15);
}

/// Buffers hand on items in the order in which they came: with one server behind it, a buffer adds whole
/// services.
#[test]
fn buffers_keep_the_order() {
    // The first task is so quick that the buffer is always full, as nearly as nothing. An item that enters it
    // waits for the two before it.
    let program = program("pipe(task(1e9), task(1)); communication(none); buffers(2);");
    let response = program.performance().unwrap().response_distribution().unwrap();
    // It is begun with one service left to wait for until it can be put, then two before it and its own: four
    // exponential times.
    let (mean, variance) = (response.mean().unwrap().value, response.variance().unwrap().value);
    assert!((mean - 4.0).abs() < 1e-6 && (variance - 4.0).abs() < 1e-6, "{mean}, {variance}");
}

#[test]
fn ten_workers_are_no_problem() {
    let program = program("pipe(task(9), farm(10, 1), task(9)); communication(50);");
    let response = program.performance().unwrap().response_distribution().unwrap();
    assert!(response.states() < 5_000, "{response:?}");
    assert!(response.quantile(0.99).unwrap().value > response.mean().unwrap().value);
}

#[test]
fn paths_that_cannot_be() {
    let model = pipeline();
    let problems = |path: ItemPath| path.check(&model).unwrap_err();
    let only = |path: ItemPath| {
        let [problem] = &problems(path)[..] else { panic!("one problem") };
        (problem.kind, problem.message.clone())
    };
    let whole = path_of_pipeline();
    assert_eq!(
        only(ItemPath::new().enters("move1", 1).carried("mov2", 1, 2).leaves("move4", 2)),
        (PathFault::UnknownAction, "the model has no action `mov2`".into())
    );
    assert_eq!(
        only(whole.clone().carried("move2", 1, 3)),
        (PathFault::Broken, "`move2` takes an item from position 1 to two places".into())
    );
    assert_eq!(
        only(ItemPath::new().enters("move1", 1)),
        (PathFault::Broken, "no action lets an item out".into())
    );
    assert_eq!(
        only(ItemPath::new().leaves("move4", 3)),
        (PathFault::Broken, "no action brings an item in".into())
    );
    assert_eq!(
        only(whole.clone().carried("process1", 7, 3)),
        (PathFault::Broken, "items are taken from position 7, but none comes there".into())
    );
    assert_eq!(
        only(whole.carried("process3", 3, 9)),
        (PathFault::Broken, "items come to position 9, but none is taken from there".into())
    );
    // More is wrong at once.
    assert_eq!(problems(ItemPath::new()).len(), 2);
}

#[test]
fn a_model_that_does_not_do_what_the_path_says() {
    let error = |text: &str, path: ItemPath| {
        let model = Model::from_text(text).unwrap();
        ResponseTimes::of_model(&model, &path).solve().unwrap_err().to_string()
    };
    let two = "B = (in, 1).B1; B1 = (in, 1).B2 + (out, 1).B; B2 = (out, 1).B1; B";
    let path = ItemPath::new().enters("in", 1).leaves("out", 1);
    let message = error(two, path.clone());
    assert!(message.starts_with("position 1 would hold two items: `in` brings one there"), "{message}");
    let never = "P = (in, 1).Q; Q = (go, 1).R; R = (go, 1).R; P";
    let message = error(never, ItemPath::new().enters("in", 1).leaves("go", 1));
    assert!(message.starts_with("no item ever comes in: `in` is not done in the long run"), "{message}");
    // An action that is done once, before any item comes.
    let once = "P = (out, 1).Q; Q = (in, 1).R; R = (go, 1).Q; P";
    let path = ItemPath::new().enters("in", 1).carried("in", 1, 2).carried("in", 2, 1).leaves("out", 1);
    let message = error(once, path);
    assert!(message.starts_with("no item ever goes out"), "{message}");
    let classes = "P = (in, 1).Q + (other, 1).R; Q = (out, 1).Q; R = (go, 1).R; P";
    let message = error(classes, ItemPath::new().enters("out", 1).leaves("out", 1));
    assert!(message.contains("have no weights"), "{message}");
}

#[test]
fn limits_are_answers() {
    let program = program("pipe(task(1), farm(3, 1), task(1)); communication(1);");
    let system = program.lower().unwrap();
    let limits = Limits { states: 20, ..Limits::default() };
    let error = ResponseTimes::of_system(&system).limits(&limits).solve().unwrap_err();
    assert!(matches!(error, Error::Stopped(Stopped { limit: Limit::States(20), .. })), "{error}");
    let response = ResponseTimes::of_system(&system).tolerance(1e-30).solve().unwrap();
    assert!(response.at(&[1.0]).unwrap_err().to_string().contains("cannot be kept"));
    for time in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(response.at(&[time]).is_err());
    }
    for part in [0.0, 1.0, f64::NAN] {
        assert!(response.quantile(part).is_err());
    }
}

/// Copies of a component in an array are lumped, and an item goes through any of them.
#[test]
fn lumped_models_have_the_same_figures() {
    // Three servers share a queue of one place; the item is there, or in a server, of which the model does
    // not say which.
    let text =
        "Door = (come, 2).Full; Full = (serve, infty).Door; Idle = (serve, 3).Busy; Busy = (rest, 1).Idle;
        Door <serve> Idle[3]";
    let model = Model::from_text(text).unwrap();
    let path = ItemPath::new().enters("come", 1).leaves("serve", 1);
    let [lumped, unlumped] = [false, true].map(|is_unlumped| {
        let question = ResponseTimes::of_model(&model, &path);
        let question = if is_unlumped { question.unlumped() } else { question };
        question.solve().unwrap()
    });
    assert!(lumped.states() < unlumped.states());
    assert_eq!(lumped.moments_exact(3).unwrap(), unlumped.moments_exact(3).unwrap());
}
