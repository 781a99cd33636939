//! The normal form against data sets whose generating function is known.

use serde_json::Value;
use skel_fit::{Fitted, NormalForm, Power};

fn reference() -> Value {
    serde_json::from_str(include_str!("seeds/normal_form.json")).unwrap()
}

/// A term as `["3/2", 1]` or as `{"i": "3/2", "j": 1}`.
fn power(i: &Value, j: &Value) -> Power {
    let parts: Vec<i32> = i.as_str().unwrap().split('/').map(|part| part.parse().unwrap()).collect();
    Power::new(parts[0], parts.get(1).copied().unwrap_or(1)).times_logarithm(j.as_u64().unwrap() as u32)
}

fn floats(values: &Value) -> Vec<f64> {
    values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

fn mean(values: &Value) -> f64 {
    let values = floats(values);
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn the_terms_that_are_tried_are_those_of_extra_p() {
    let mut expected: Vec<Power> = reference()["search_space"]
        .as_array()
        .unwrap()
        .iter()
        .map(|term| power(&term["i"], &term["j"]))
        .collect();
    expected.sort();
    assert_eq!(NormalForm::new().terms(), expected);
}

fn of_one_parameter(set: &Value) -> Fitted {
    let values = set["values"].as_array().unwrap().iter().map(mean);
    let points: Vec<(f64, f64)> = floats(&set["x"]).into_iter().zip(values).collect();
    NormalForm::new().fit("x", &points).unwrap()
}

#[test]
fn one_parameter_is_decided_as_in_the_reference() {
    let reference = reference();
    let sets = reference["one_parameter"].as_array().unwrap();
    assert_eq!(sets.len(), 30);
    let mut exact = 0;
    for set in sets {
        let found = of_one_parameter(set).function;
        let expected = &set["found"]["wls_loo"];
        let ([term], coefficient) = found.terms().last().unwrap();
        assert_eq!(term, power(&expected["i"], &expected["j"]), "{found} for {}", set["truth"]);
        assert!((coefficient / expected["c1"].as_f64().unwrap() - 1.0).abs() < 1e-9, "{found}");
        exact += usize::from(term == power(&set["truth"]["i"], &set["truth"]["j"]));
    }
    assert_eq!(Value::from(exact), reference["summary"]["one"]["wls_loo_exact"]);
}

#[test]
fn two_parameters_are_decided_as_in_the_reference() {
    let reference = reference();
    let sets = reference["two_parameter"].as_array().unwrap();
    assert_eq!(sets.len(), 10);
    for set in sets {
        let points = set["points"].as_array().unwrap().iter().map(floats);
        let values = set["values"].as_array().unwrap().iter().map(mean);
        let points: Vec<([f64; 2], f64)> = points.map(|point| [point[0], point[1]]).zip(values).collect();
        let found = NormalForm::new().fit_two(["p", "n"], &points).unwrap().function;
        let expected = &set["found"]["exhaustive_wls_loo"];
        let (a, b) =
            (power(&expected["a"][0], &expected["a"][1]), power(&expected["b"][0], &expected["b"][1]));
        let one = Power::ONE;
        let mut terms = match expected["form"].as_str().unwrap() {
            "a*b" => vec![[one, one], [a, b]],
            "a+b" => vec![[one, one], [a, one], [one, b]],
            "a*b+a" => vec![[one, one], [a, b], [a, one]],
            "a*b+b" => vec![[one, one], [a, b], [one, b]],
            other => panic!("{other}"),
        };
        terms.sort();
        let mut of_found: Vec<[Power; 2]> = found.terms().map(|(powers, _)| powers).collect();
        of_found.sort();
        assert_eq!(of_found, terms, "{found} for {expected} of {}", set["truth"]);
    }
}
