//! Products that are found are those of closed formulas, and none is found where there is none.

use std::ops::ControlFlow;

use skel_core::number::ratio;

use super::find;
use super::normal_equations::NormalEquations;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::linear::MethodUsed;
use crate::operator::RateOperator;
use crate::operator::kronecker::KroneckerRates;
use crate::operator::kronecker::descriptor::Descriptor;
use crate::operator::transposed::TransposedRates;
use crate::random_chain::Draw;
use crate::random_model::random_model;
use crate::space::{Explore, StateSpace, Storage, explored};
use crate::steady::Options;

fn lumped(text: &str) -> StateSpace {
    let model = skel_core::text::parse(text).into_model().expect("a model");
    model.explorer().lumped().explore().expect("a space").untyped()
}

fn list(space: &StateSpace, watch: &mut Watch<'_>) -> TransposedRates {
    TransposedRates::by_rows(space, MemoryBudget::new(&Limits::default()), watch).unwrap()
}

fn found(space: &StateSpace) -> Option<Vec<f64>> {
    let limits = Limits::default();
    let mut watch = Watch::start(&limits);
    let list = list(space, &mut watch);
    find(&list, space, MemoryBudget::new(&limits), &mut watch).unwrap()
}

fn eliminated(space: &StateSpace) -> Vec<f64> {
    let options = Options { direct_up_to: usize::MAX, ..Options::default() };
    space.solver().options(&options).solve().unwrap().probabilities().to_vec()
}

#[track_caller]
fn assert_near(found: &[f64], expected: &[f64], error: f64, text: &str) {
    for (state, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found / expected - 1.0).abs() <= error, "{found} for {expected} in state {state}: {text}");
    }
}

/// Stations with these rates, between which customers go: from the first to each, with these rates, and back.
fn closed_network(there: &[f64], back: &[f64], customers: usize) -> String {
    let stations = 1..=there.len();
    let mut text = String::from("At0 = ");
    text += &stations.clone().map(|to| format!("(go{to}, infty).At{to}")).collect::<Vec<_>>().join(" + ");
    stations.clone().for_each(|at| text += &format!(";\nAt{at} = (back{at}, infty).At0"));
    let serve = |(at, (there, back)): (usize, (&f64, &f64))| {
        format!("(go{}, {there:e}).Servers + (back{}, {back:e}).Servers", at + 1, at + 1)
    };
    let rates = there.iter().zip(back).enumerate().map(serve).collect::<Vec<_>>().join(" + ");
    let actions = stations.map(|at| format!("go{at}, back{at}")).collect::<Vec<_>>().join(", ");
    format!("{text};\nServers = {rates};\nServers <{actions}> At0[{customers}]")
}

/// By Gordon and Newell: each customer at a station counts as the rate into it, divided by that out of it.
fn of_closed_network(space: &StateSpace, there: &[f64], back: &[f64]) -> Vec<f64> {
    let mut products: Vec<f64> = (0..space.states())
        .map(|state| {
            let mut product = 1.0;
            for local in &space.state(state)[1..] {
                let name = &space.model().local_state(*local).name;
                let at: usize = name.trim_start_matches("At").parse().expect("a station");
                product *= if at == 0 { 1.0 } else { there[at - 1] / back[at - 1] };
            }
            product
        })
        .collect();
    let sum: f64 = products.iter().sum();
    products.iter_mut().for_each(|product| *product /= sum);
    products
}

#[test]
fn closed_networks_are_found_whatever_their_rates() {
    let mut draw = Draw(1);
    for decades in [0.0, 1.0, 2.0, 4.0, 8.0] {
        let mut rates = |count: usize| (0..count).map(|_| draw.rate(decades)).collect::<Vec<f64>>();
        let (there, back) = (rates(3), rates(3));
        let text = closed_network(&there, &back, 9);
        let space = lumped(&text);
        let expected = of_closed_network(&space, &there, &back);
        assert_near(&found(&space).expect(&text), &expected, 1e-11, &text);
    }
}

#[test]
fn components_that_do_not_cooperate_are_independent() {
    let mut draw = Draw(3);
    for _ in 0..20 {
        let [a, b, c, d, e, f] = [(); 6].map(|()| draw.rate(6.0));
        let parts = format!(
            "P = (a, {a}).Q; Q = (b, {b}).R + (c, {c}).P; R = (d, {d}).P; E = (e, {e}).F; F = (f, {f}).E;"
        );
        let text = format!("{parts} P || E[8] || P");
        let space = lumped(&text);
        assert_near(&found(&space).expect(&text), &eliminated(&space), 1e-11, &text);
    }
}

/// Parts of a component that are joined by slow transitions alone leave a direction that Newton's method
/// nearly does not see. The digits that are missing are for the methods that go on from here.
#[test]
fn slow_transitions_within_components_are_no_hindrance() {
    let component = |name: &str, slow: f64| {
        format!(
            "{name}0 = (a, 1).{name}1 + (b, {slow:e}).{name}2; {name}1 = (c, 2).{name}0;\n\
             {name}2 = (d, 3).{name}3; {name}3 = (e, 1).{name}2 + (f, {:e}).{name}0;\n",
            0.3 * slow
        )
    };
    let text = component("P", 1e-4) + &component("Q", 1e-3) + &component("R", 1e-2) + "P0 || Q0 || R0";
    let space = lumped(&text);
    assert_near(&found(&space).expect(&text), &eliminated(&space), 1e-7, &text);
}

#[test]
fn where_there_is_no_product_form_none_is_found() {
    let pipeline = "S = (in, 3).(work, 2).(hand, 1).S; T = (hand, infty).(use, 4).(pass, 5).T; U = (pass, infty).(out, 6).U; \
                    S <hand> T <pass> U";
    let full = "Q0 = (a, 2).Q1; Q1 = (a, 2).Q2 + (b, 3).Q0; Q2 = (b, 3).Q1; R0 = (b, infty).R1; R1 = (b, infty).R2 + (c, 4).R0; \
                R2 = (c, 4).R1; Q0 <b> R0";
    for text in [pipeline, full] {
        assert!(found(&lumped(text)).is_none(), "{text}");
    }
}

#[test]
fn probabilities_that_are_no_numbers_are_not_given() {
    let text = |rate: f64| {
        let pair =
            |number: usize| format!("E{number} = (a, {rate:e}).F{number}; F{number} = (b, 1).E{number}; ");
        (0..3).map(pair).collect::<String>() + "E0[12] || E1[12] || E2[12]"
    };
    assert!(found(&lumped(&text(1e-7))).is_some());
    assert!(found(&lumped(&text(1e-8))).is_none());
}

#[test]
fn a_list_and_a_descriptor_have_the_same_product_form() {
    let text = "P = (a, 1).Q; Q = (b, 2).R + (c, 5).P; R = (d, 3).P; P || P || P || P";
    let space = explored(text, Storage::Bitset);
    let limits = Limits::default();
    let mut watch = Watch::start(&limits);
    let terms = Descriptor::of_space(&space, u64::MAX).expect("terms");
    let kronecker = KroneckerRates::new(terms, 1, &mut watch).unwrap();
    let by_terms = find(&kronecker, &space, MemoryBudget::new(&limits), &mut watch).unwrap().expect("a form");
    assert_near(&by_terms, &found(&space).expect("a form"), 1e-13, text);
    assert_near(&by_terms, &eliminated(&space), 1e-13, text);
}

#[test]
fn rates_into_some_states_are_those_among_all() {
    let limits = Limits::default();
    let mut watch = Watch::start(&limits);
    for seed in 0..30 {
        let text = random_model(seed);
        let space = explored(&text, Storage::Bitset);
        let terms = Descriptor::of_space(&space, u64::MAX).expect("terms");
        let kronecker = KroneckerRates::new(terms, 1, &mut watch).unwrap();
        let list = list(&space, &mut watch);
        let chains: [&dyn RateOperator; 2] = [&kronecker, &list];
        let some: Vec<u32> = (0..space.states() as u32).filter(|state| state % 3 != 1).collect();
        for chain in chains {
            let mut expected = Vec::new();
            chain.for_each_rate(&mut |from, to, rate| {
                if some.contains(&(to as u32)) {
                    expected.push((from, to, rate));
                }
                ControlFlow::Continue(())
            });
            let mut found = Vec::new();
            chain.for_each_rates_into(&some, &mut |to, sources, rates| {
                found.extend(sources.iter().zip(rates).map(|(&from, &rate)| (from as usize, to, rate)));
                ControlFlow::Continue(())
            });
            assert_eq!(found, expected, "{text}");
        }
    }
}

#[test]
fn answers_are_within_the_errors_that_are_stated() {
    const CUSTOMERS: usize = 16;
    let mut draw = Draw(7);
    for decades in [0.0, 0.5, 1.0, 2.0, 3.0] {
        for _ in 0..3 {
            let mut rates = |count: usize| (0..count).map(|_| draw.rate(decades)).collect::<Vec<f64>>();
            let (there, back) = (rates(5), rates(5));
            let text = closed_network(&there, &back, CUSTOMERS);
            let space = lumped(&text);
            let pi = space.solver().solve().unwrap();
            let report = pi.report();
            assert_eq!(report.method, MethodUsed::ProductForm, "{text}");
            assert!(report.error >= 1e-14 && report.error <= 1e-10, "{}: {text}", report.error);
            let expected = of_closed_network(&space, &there, &back);
            assert_near(pi.probabilities(), &expected, report.error, &text);
        }
    }
}

#[test]
fn a_second_solution_with_other_rates_is_a_product_form_too() {
    let rate = |rate: f64| closed_network(&[0.4, 0.3, 0.2, 0.1], &[0.5, rate, 0.3, 0.15], 20);
    let space = lumped(&format!("mu = 0.25; {}", rate(1.0).replace("(back2, 1e0)", "(back2, mu)")));
    let first = space.solver().solve().unwrap();
    let mu = ratio(26, 100).into();
    let other = space.with_rates(&[("mu", mu)]).unwrap();
    let again = other.solver().start_from(&first).solve().unwrap();
    assert_eq!(again.report().method, MethodUsed::ProductForm);
    assert!(again.report().iterations < first.report().iterations / 2, "{}", again.report().iterations);
    let expected = of_closed_network(&other, &[0.4, 0.3, 0.2, 0.1], &[0.5, 0.26, 0.3, 0.15]);
    assert_near(again.probabilities(), &expected, again.report().error, "0.26");
}

#[test]
fn normal_equations_give_least_squares() {
    let mut equations = NormalEquations::new(2);
    for (x, y) in [(0.0, 1.0), (1.0, 3.0), (2.0, 4.0), (3.0, 4.0)] {
        equations.add(0, 1.0);
        equations.add(1, x);
        equations.end_row(-y);
    }
    let line = equations.step(0.0).expect("pivots");
    assert!((line[0] - 1.5).abs() < 1e-12 && (line[1] - 1.0).abs() < 1e-12, "{line:?}");
}
