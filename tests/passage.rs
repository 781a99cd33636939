//! Passage times against values computed without uniformisation, exactly or in balls.

use serde_json::Value;
use skel::number::{Number, Ratio};
use skel::passage::{Figure, From, Passage, To};
use skel::prelude::*;

fn reference() -> Value {
    serde_json::from_str(include_str!("seeds/analyses.json")).unwrap()
}

fn model(name: &str) -> Model {
    let path = format!("{}/models/{name}", env!("CARGO_MANIFEST_DIR"));
    Model::from_text(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The words of a command line, where quotes hold one together.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for letter in text.chars() {
        match quote {
            Some(closing) if letter == closing => quote = None,
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            None if letter == ' ' => words.push(std::mem::take(&mut word)),
            _ => word.push(letter),
        }
    }
    words.push(word);
    words
}

/// The question of a line of the reference.
fn passage(space: &StateSpace, spec: &str) -> Passage<Model> {
    let (mut from, mut to, mut every) = (None, None, false);
    let words = words(spec);
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--from-action" => from = Some(From::actions(words.next().unwrap().split(','))),
            "--to-action" => to = Some(To::actions(words.next().unwrap().split(','))),
            "--from" => match words.next().unwrap() {
                "initial" => from = Some(From::initial()),
                condition => from = Some(From::pattern(&condition.replace("!empty", "!\"empty\""))),
            },
            "--to" => to = Some(To::pattern(words.next().unwrap())),
            "--every" => every = true,
            other => panic!("{other}"),
        }
    }
    let passages = space.passages(from.unwrap(), to.unwrap());
    if every { passages.every() } else { passages }.solve().unwrap()
}

fn number(value: &Value) -> f64 {
    let text = value.as_str().unwrap();
    text.parse().unwrap_or_else(|_| fraction(text).to_float())
}

fn fraction(text: &str) -> Ratio {
    text.parse().unwrap()
}

/// Holds a figure against a value that has been rounded itself.
fn hold(figure: Figure, expected: f64, digits: f64, what: &str) {
    let off = (figure.value - expected).abs();
    assert!(
        off <= figure.error + digits * expected.abs(),
        "{what}: {figure:?} and not {expected}, {off} off"
    );
}

#[test]
fn every_passage_of_the_reference_is_within_its_bound_and_exact_in_fractions() {
    let reference = reference();
    let passages = reference["passage"].as_array().unwrap();
    assert_eq!(passages.len(), 17);
    for known in passages {
        let (name, spec) = (known["model"].as_str().unwrap(), known["spec"].as_str().unwrap());
        let what = format!("{name} {spec}");
        let space = model(name).explore().unwrap();
        let passage = passage(&space, spec);
        assert_eq!(passage.states() as u64, known["states"].as_u64().unwrap(), "{what}");
        assert!(passage.is_sure());
        let raw = known["moments"].as_array().unwrap();
        let exact = passage.moments_exact(raw.len()).unwrap();
        let moments = passage.moments(raw.len()).unwrap();
        for (power, of_reference) in raw.iter().enumerate() {
            if let Some(text) = of_reference["exact"].as_str() {
                assert_eq!(exact.raw[power], fraction(text), "{what}");
            }
            hold(moments.raw[power], number(&of_reference["value"]), 1e-16, &what);
        }
        if let Some(text) = known["variance"]["exact"].as_str() {
            assert_eq!(exact.variance, Some(fraction(text)), "{what}");
        }
        hold(moments.variance.unwrap(), number(&known["variance"]["value"]), 1e-16, &what);
        let curve = known["curve"].as_array().unwrap();
        let times: Vec<f64> = curve.iter().map(|point| number(&point["t"])).collect();
        for (point, known) in passage.at(&times).unwrap().iter().zip(curve) {
            assert!(point.probability.error <= 1e-9 && point.density.error <= 1e-9 * 1e3, "{what} {point:?}");
            hold(point.probability, number(&known["cdf"]), 1e-16, &what);
            hold(point.density, number(&known["pdf"]), 1e-16, &what);
        }
        for (probability, known) in known["quantiles"].as_object().unwrap() {
            let probability = fraction(probability).to_float();
            let time = passage.quantiles(&[probability]).unwrap()[0].time.unwrap();
            assert!(time.error <= 1e-6 * time.value, "{what} {time:?}");
            hold(time, number(known), 1e-13, &what);
        }
        if let Some(text) = known["passages_per_time"]["exact"].as_str() {
            assert_eq!(passage.throughput_exact().unwrap(), Some(fraction(text)), "{what}");
            hold(passage.throughput().unwrap(), number(&known["passages_per_time"]["value"]), 1e-16, &what);
        }
    }
}

#[test]
fn an_erlang_time_is_that_of_the_gamma_distribution() {
    let reference = reference();
    for known in reference["closed_forms"]["erlang_passage"]["values"].as_array().unwrap() {
        let (stages, rate) = (known["k"].as_u64().unwrap(), known["rate"].as_u64().unwrap());
        let mut text: String =
            (1..stages).map(|stage| format!("P{stage} = (step, {rate}).P{};\n", stage + 1)).collect();
        text.push_str(&format!("P{stages} = (end, {rate}).P1;\nP1"));
        let space = Model::from_text(&text).unwrap().explore().unwrap();
        let passage = space.passage(From::initial(), To::action("end")).unwrap();
        let point = passage.at(&[number(&known["t"])]).unwrap()[0];
        hold(point.probability, number(&known["cdf"]), 1e-16, &text);
        hold(point.density, number(&known["pdf"]), 1e-16, &text);
        let small = number(&known["cdf"]);
        assert!((point.probability.value - small).abs() <= 1e-11 * small, "{point:?} has lost its digits");
        assert_eq!(passage.moments_exact(1).unwrap().raw[0], ratio(stages as i64, rate as i64));
    }
}

#[test]
fn a_birth_death_chain_takes_the_time_of_its_closed_form() {
    let reference = reference();
    for known in reference["closed_forms"]["birth_death"]["values"].as_array().unwrap() {
        let [arrive, serve, to] = ["arrive", "serve", "to"].map(|key| known[key].as_u64().unwrap());
        let places: Vec<String> = (0..=to)
            .map(|at| match at {
                0 => format!("Q0 = (arrive, {arrive}).Q1;"),
                at if at == to => format!("Q{at} = (serve, {serve}).Q{};", at - 1),
                at => format!("Q{at} = (arrive, {arrive}).Q{} + (serve, {serve}).Q{};", at + 1, at - 1),
            })
            .collect();
        let space = Model::from_text(&format!("{} Q0", places.concat())).unwrap().explore().unwrap();
        let passage = space.passage(From::initial(), To::pattern(&format!("Q{to}"))).unwrap();
        let mean = fraction(known["mean_from_0"]["exact"].as_str().unwrap());
        assert_eq!(passage.moments_exact(1).unwrap().raw[0], mean);
        hold(passage.mean().unwrap(), mean.to_float(), 1e-16, "mean");
    }
}
