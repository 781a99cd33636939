//! Crossovers: the paper's, those of the reference values, and laws.

use proptest::prelude::*;
use serde_json::Value;
use skel_fit::{Crossing, CrossingKind, Function, Power, RangeError, cheapest, crossovers};

fn number(value: &Value) -> f64 {
    value.as_str().map_or_else(|| value.as_f64().unwrap(), |text| text.parse().unwrap())
}

fn function(terms: &Value) -> Function {
    Function::new(terms.as_array().unwrap().iter().map(|term| {
        let exponent: Vec<i32> =
            term[1].as_str().unwrap().split('/').map(|part| part.parse().unwrap()).collect();
        let power = Power::new(exponent[0], exponent.get(1).copied().unwrap_or(1));
        (power.times_logarithm(term[2].as_u64().unwrap() as u32), number(&term[0]))
    }))
}

#[test]
fn all_reference_values_are_found() {
    let reference: Value = serde_json::from_str(include_str!("seeds/crossovers.json")).unwrap();
    let cases = reference["crossovers"].as_array().unwrap();
    assert_eq!(cases.len(), 17);
    for case in cases {
        let (one, other) = (function(&case["A"]), function(&case["B"]));
        let range = number(&case["range"][0])..=number(&case["range"][1]);
        let expected = &case["expect"];
        let found = crossovers(&one, &other, range.clone());
        if expected["identical"] == true {
            assert_eq!(found, Err(RangeError::Identical));
            continue;
        }
        let found = found.unwrap();
        let roots: Vec<f64> = expected["roots"].as_array().unwrap().iter().map(number).collect();
        assert_eq!(found.len(), roots.len(), "{one} and {other}: {found:?}");
        for (crossing, root) in found.iter().zip(&roots) {
            let tolerance = if crossing.kind == CrossingKind::Touch { 1e-7 } else { 1e-11 };
            assert!((crossing.at / root - 1.0).abs() < tolerance, "{} against {root}", crossing.at);
        }
        let kinds: Vec<String> = found.iter().map(|crossing| crossing.kind.to_string()).collect();
        assert_eq!(Value::from(kinds), expected["kinds"]);
        assert_eq!(
            Value::from(cheaper_between(&one, &other, range, &found)),
            expected["cheaper_on_intervals"]
        );
    }
}

/// Which function is less on each of the intervals between crossings.
fn cheaper_between(
    one: &Function,
    other: &Function,
    range: std::ops::RangeInclusive<f64>,
    crossings: &[Crossing],
) -> Vec<&'static str> {
    let inner = crossings.iter().filter(|crossing| crossing.kind != CrossingKind::EndOfRange);
    let bounds: Vec<f64> =
        [*range.start()].into_iter().chain(inner.map(|crossing| crossing.at)).chain([*range.end()]).collect();
    let middles = bounds.windows(2).map(|bounds| (bounds[0] * bounds[1]).sqrt());
    middles.map(|x| if one.at(x) < other.at(x) { "A" } else { "B" }).collect()
}

/// Equations 15 to 17 of the paper.
fn of_the_paper() -> [Function; 3] {
    [
        "-2.14494 + 7.445e-3 n - 5.2e-6 n^2 + 3.008e-9 n^3",
        "2.42258 - 6.5303e-3 n + 4.5e-6 n^2 + 2.29e-9 n^3",
        "-4.48182 + 1.64541e-2 n - 1.61e-5 n^2 + 7.38e-9 n^3",
    ]
    .map(|text| text.parse().unwrap())
}

#[test]
fn crossovers_of_the_paper() {
    let [shares_and_requests, requests, shares] = of_the_paper();
    let rounded = |one, other| -> Vec<f64> {
        let crossings = crossovers(one, other, 100.0..=20_000.0).unwrap();
        crossings.iter().map(|crossing| (crossing.at * 1000.0).round() / 1000.0).collect()
    };
    assert_eq!(rounded(&shares_and_requests, &requests), [482.892, 1104.999, 11921.858]);
    assert_eq!(rounded(&requests, &shares), [488.345, 1156.023, 2402.782]);
    assert_eq!(rounded(&shares_and_requests, &shares), [508.001]);
    // It gives a negative time for a small matrix, which is why predictions are checked.
    assert_eq!((shares_and_requests.at(250.0) * 1e5).round(), -56169.0);
}

#[test]
fn the_cheapest_structure_of_the_paper_by_size() {
    let parts = cheapest(&of_the_paper(), 250.0..=20_000.0).unwrap();
    let order: Vec<usize> = parts.iter().map(|part| part.function).collect();
    assert_eq!(order, [2, 1, 0, 1]);
    let ends: Vec<f64> = parts.iter().map(|part| (part.to * 10.0).round() / 10.0).collect();
    assert_eq!(ends, [488.3, 1105.0, 11921.9, 20_000.0]);
}

#[test]
fn ranges_without_sizes_are_refused() {
    let [one, other, _] = of_the_paper();
    for (from, to) in
        [(0.0, 10.0), (-1.0, 10.0), (5.0, 5.0), (7.0, 5.0), (f64::NAN, 1.0), (1.0, f64::INFINITY)]
    {
        let error = crossovers(&one, &other, from..=to).unwrap_err();
        assert!(matches!(error, RangeError::Range { .. }), "{error}");
        assert!(cheapest(&[one.clone(), other.clone()], from..=to).is_err());
    }
    let steep: Function = "x^900".parse().unwrap();
    let error = crossovers(&steep, &one, 1.0..=10_000.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`1 x^900` is not finite in the range; help: take a smaller range or smaller exponents"
    );
}

#[test]
fn a_quotient_is_a_negative_power() {
    let read = |text| Function::read(text, ["n", "p"]).unwrap().to_string();
    assert_eq!(read("2 - 1/p + 3 n^2 / p"), read("2 - p^-1 + 3 n^2 p^-1"));
    assert_eq!(read("log2(n) / n / p^(1/2)"), "1 n^-1 log2(n) p^(-1/2)");
    for (text, message) in [
        (
            "1 / log2(n)",
            "at character 5: nothing can be divided by a logarithm; help: divide by powers alone, such as `n / p` or `log2(n) / n`",
        ),
        ("n / 2", "at character 5: a term is missing; help: write a number or a variable, such as `2.5 n^2`"),
        ("/ n", "at character 1: a term is missing; help: write a number or a variable, such as `2.5 n^2`"),
    ] {
        assert_eq!(Function::read(text, ["n", "p"]).unwrap_err().to_string(), message);
    }
}

#[test]
fn wrong_functions_are_refused_with_their_place() {
    let messages = [
        ("", "at character 1: a term is missing; help: write a number or a variable, such as `2.5 n^2`"),
        ("2 +", "at character 4: a term is missing; help: write a number or a variable, such as `2.5 n^2`"),
        ("2 n m", "at character 5: `m` is no variable of this function; help: write `n`, or `log2` of it"),
        (
            "log2 n",
            "at character 6: `(` is missing; help: write logarithms as `log2(n)` and fractions as `n^(3/2)`",
        ),
        (
            "n^x",
            "at character 3: an exponent is not a whole number; help: write one from -1000 to 1000, or a fraction such as `(3/2)`",
        ),
        (
            "n^(1/0)",
            "at character 8: the denominator of an exponent is not positive; help: write a fraction such as `(3/2)`",
        ),
        (
            "log2(n)^-1",
            "at character 11: the exponent of a logarithm is not a whole number; help: write a whole number from 0, such as `log2(n)^2`",
        ),
        (
            "1e999",
            "at character 1: `1e999` is not a finite number; help: write a number such as 2.5 or 1.2e-3",
        ),
        ("2 % n", "at character 3: `%` is not understood here; help: write `+` or `-` between two terms"),
        ("log2()", "at character 6: the name of the variable is missing; help: write it, as in `log2(n)`"),
    ];
    for (text, message) in messages {
        assert_eq!(text.parse::<Function>().unwrap_err().to_string(), message, "{text}");
    }
}

fn powers() -> impl Strategy<Value = Power> {
    (-4..=12, 1..=4, 0..=2_u32).prop_map(|(numerator, denominator, logarithms)| {
        Power::new(numerator, denominator).times_logarithm(logarithms)
    })
}

fn functions() -> impl Strategy<Value = Function> {
    proptest::collection::vec((powers(), -10.0..10.0), 1..5).prop_map(Function::new)
}

proptest! {
    #[test]
    fn every_change_of_sign_on_a_fine_grid_is_found(one in functions(), other in functions()) {
        prop_assume!(one != other);
        let (from, to) = (0.5_f64, 2000.0_f64);
        let crossings = crossovers(&one, &other, from..=to).unwrap();
        let step = (to / from).powf(1.0 / 4000.0);
        let grid: Vec<f64> = (0..=4000).map(|index| (from * step.powi(index)).min(to)).collect();
        let difference = |x: f64| one.at(x) - other.at(x);
        let size = |function: &Function, x: f64| -> f64 {
            function.terms().map(|([power], coefficient)| (coefficient * power.at(x)).abs()).sum()
        };
        let scale = |x: f64| 1e-9 * (size(&one, x) + size(&other, x));
        for bounds in grid.windows(2) {
            let (begin, end) = (difference(bounds[0]), difference(bounds[1]));
            if begin * end < 0.0 && begin.abs() > scale(bounds[0]) && end.abs() > scale(bounds[1]) {
                let found = crossings.iter().any(|crossing| (bounds[0]..=bounds[1]).contains(&crossing.at));
                prop_assert!(found, "between {bounds:?} of {one} and {other}: {crossings:?}");
            }
        }
        for crossing in &crossings {
            prop_assert!(difference(crossing.at).abs() <= scale(crossing.at), "{crossing:?}");
        }
        prop_assert!(crossings.windows(2).all(|two| two[0].at < two[1].at));
    }

    #[test]
    fn the_zeros_of_a_product_are_found(mut zeros in proptest::collection::vec(1.0..1000.0_f64, 1..4)) {
        zeros.sort_by(f64::total_cmp);
        prop_assume!(zeros.windows(2).all(|two| two[1] / two[0] > 1.01));
        let mut coefficients = vec![1.0];
        for zero in &zeros {
            let mut product = vec![0.0; coefficients.len() + 1];
            for (degree, coefficient) in coefficients.iter().enumerate() {
                product[degree + 1] += coefficient;
                product[degree] -= coefficient * zero;
            }
            coefficients = product;
        }
        let polynomial = Function::new(coefficients.into_iter().enumerate().map(|(degree, value)| (Power::new(degree as i32, 1), value)));
        let found = crossovers(&polynomial, &Function::new([]), 0.5..=2000.0).unwrap();
        prop_assert_eq!(found.len(), zeros.len());
        for (crossing, zero) in found.iter().zip(&zeros) {
            prop_assert!((crossing.at / zero - 1.0).abs() < 1e-6, "{} and {}", crossing.at, zero);
        }
    }

    #[test]
    fn a_function_is_read_as_it_is_written(function in functions()) {
        prop_assert_eq!(function.to_string().parse::<Function>().unwrap(), function);
    }

    #[test]
    fn any_text_is_a_function_or_an_error_within_it(text in "[-+*/^()0-9.eExn log2]{0,24}") {
        if let Err(error) = text.parse::<Function>() {
            prop_assert!(error.at <= text.chars().count());
        }
    }
}
