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

/// Whether a term was found, and whether its exponent is within 1/4 of the true one.
fn judged(found: Option<Power>, truth: Power) -> (bool, bool) {
    let exponent = found.map_or(0.0, Power::exponent);
    (found == Some(truth), (exponent - truth.exponent()).abs() <= 0.25 + 1e-12)
}

/// The term of a function besides its constant.
fn term(fitted: &Fitted) -> Option<Power> {
    fitted.function.terms().map(|([power], _)| power).find(|power| *power != Power::ONE)
}

/// A hundred random functions with five runs of each point and noise of 2 %, as
/// `benches/peers/fitting/run --count 100 --save` has written them, with what Extra-P 4.2.5 finds in the same
/// means.
#[test]
fn a_hundred_functions_are_found_as_often_as_by_extra_p() {
    let sets: Value = serde_json::from_str(include_str!("seeds/beside_extrap.json")).unwrap();
    let sets = sets.as_array().unwrap();
    assert_eq!(sets.len(), 100);
    let (mut own, mut of_extra_p, mut near) = (0, 0, 0);
    for set in sets {
        let points: Vec<(f64, f64)> = floats(&set["sizes"]).into_iter().zip(floats(&set["means"])).collect();
        let first = |terms: &Value| terms.get(0).map(|term| power(&term[0], &term[1]));
        let truth = first(&set["true"]).unwrap();
        let (exact, is_near) = judged(term(&NormalForm::new().fit("n", &points).unwrap()), truth);
        own += u32::from(exact);
        near += u32::from(is_near);
        of_extra_p += u32::from(judged(first(&set["extrap"]), truth).0);
    }
    assert!(own >= of_extra_p && own >= 65, "{own} of 100 terms, and {of_extra_p} by Extra-P");
    assert!(near >= 92, "{near} of 100 exponents within 1/4");
}

/// Numbers that are the same in each run: the generator SplitMix64.
struct Numbers(u64);

impl Numbers {
    /// From 0 to 1, both excluded.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (((bits ^ (bits >> 31)) >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// Normally distributed, by the method of Box and Muller.
    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn choice<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        &choices[(self.uniform() * choices.len() as f64) as usize]
    }
}

/// The designs of `benches/peers/fitting/sets.py`.
fn sizes(numbers: &mut Numbers, is_wide: bool) -> Vec<f64> {
    let doubled = |from: i32, to: i32| (from..=to).map(|power| 2_f64.powi(power)).collect::<Vec<f64>>();
    if is_wide {
        return doubled(1, 12);
    }
    let designs = [
        doubled(3, 7),
        doubled(4, 9),
        doubled(2, 8),
        vec![2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0],
        (1..=8).map(|at| 100.0 * f64::from(at)).collect(),
        (2..=8).map(|at| 250.0 * f64::from(at)).collect(),
    ];
    numbers.choice(&designs).clone()
}

/// How many of a thousand random functions are found, and how many exponents are within 1/4.
fn rates(is_wide: bool, noise: impl Fn(&mut Numbers) -> f64) -> (u32, u32) {
    let (mut numbers, mut exact, mut near) = (Numbers(16), 0, 0);
    let search = NormalForm::new();
    for _ in 0..1000 {
        let sizes = sizes(&mut numbers, is_wide);
        let truth = *numbers.choice(search.terms());
        let constant = 10_f64.powf(3.0 * numbers.uniform() - 1.0);
        let least = if is_wide { 1.0 } else { 0.0 };
        let ratio = 10_f64.powf(least + (2.5 - least) * numbers.uniform());
        let last = truth.at(*sizes.last().unwrap());
        let mut timed = |size: f64| {
            let seconds = constant * (1.0 + ratio * truth.at(size) / last);
            let runs = (0..5).map(|_| seconds * (1.0 + noise(&mut numbers)));
            (size, runs.sum::<f64>() / 5.0)
        };
        let points: Vec<(f64, f64)> = sizes.into_iter().map(&mut timed).collect();
        let (is_exact, is_near) = judged(term(&search.fit("n", &points).unwrap()), truth);
        exact += u32::from(is_exact);
        near += u32::from(is_near);
    }
    (exact, near)
}

/// The rates of 20,000 functions are 75.6 % and 96.2 % at 2 %, and 97.2 % and 100.0 % in the wide design. The
/// bounds are those of the record's bars where a thousand draws keep them, and otherwise three standard
/// errors below these rates.
#[test]
#[ignore = "4,000 fits take some seconds without optimization"]
fn rates_of_a_thousand_functions() {
    let (exact, near) = rates(false, |numbers| 0.02 * numbers.normal());
    assert!(exact >= 715 && near >= 950, "Gaussian 2 %: {exact}, {near}");
    let (exact, near) = rates(false, |numbers| 0.05 * numbers.normal());
    assert!(exact >= 460 && near >= 860, "Gaussian 5 %: {exact}, {near}");
    let (exact, near) = rates(false, |numbers| 0.02 * numbers.uniform() - 0.01);
    assert!(exact >= 890 && near >= 990, "uniform 1 %: {exact}, {near}");
    let (exact, near) = rates(true, |numbers| 0.02 * numbers.normal());
    assert!(exact >= 956 && near >= 995, "wide: {exact}, {near}");
}
