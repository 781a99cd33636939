//! Solutions that start from another one, or from a guess: they are right whatever they start from, and they
//! answer wherever a solution without a start does. `CHAINS=10000` tries so many random chains in place
//! of 15.

#[path = "generated/numbers.rs"]
mod numbers;

use std::fmt::Write as _;

use numbers::Draw;
use skel::prelude::*;
use skel::steady::{Certified, Method, Options};

const TOLERANCE: f64 = 1e-10;

const ITERATIVE: Options =
    Options { tolerance: TOLERANCE, direct_up_to: 0, method: Method::Automatic, allow_deadlock: false };
const DIRECT: Options =
    Options { tolerance: TOLERANCE, direct_up_to: 400, method: Method::Direct, allow_deadlock: false };

/// The number of rates with names.
const RATES: usize = 5;

/// A random chain: a ring with shortcuts, a line with a drift to one end, or two rings that hardly know of
/// one another.
fn chain(draw: &mut Draw) -> String {
    let decades = [0.5, 3.0, 8.0][draw.below(3)];
    let mut text = String::new();
    for number in 0..RATES {
        writeln!(text, "r{number} = {:e};", 10_f64.powf(decades * (draw.unit() - 0.5))).unwrap();
    }
    let states = 12 + draw.below(80);
    match draw.below(3) {
        0 => rings(&mut text, (states, 1), draw),
        1 => line(&mut text, 3 * states, draw),
        _ => rings(&mut text, (states / 2, 2), draw),
    }
    text + "A0x0"
}

fn rings(text: &mut String, (states, count): (usize, usize), draw: &mut Draw) {
    let slow = 10_f64.powf(-9.0 * draw.unit());
    for ring in 0..count {
        for state in 0..states {
            let next = (state + 1) % states;
            write!(text, "A{ring}x{state} = (on, r{}).A{ring}x{next}", draw.below(RATES)).unwrap();
            for _ in 0..draw.below(3) {
                let (rate, other) = (draw.below(RATES), draw.below(states));
                write!(text, " + (turn, r{rate}).A{ring}x{other}").unwrap();
            }
            if state == 0 && count > 1 {
                write!(text, " + (over, {slow:e}).A{}x{}", 1 - ring, draw.below(states)).unwrap();
            }
            text.push_str(";\n");
        }
    }
}

fn line(text: &mut String, last: usize, draw: &mut Draw) {
    let drift = 10_f64.powf(4.0 * (draw.unit() - 0.5));
    for state in 0..=last {
        let up = format!("(up, {drift:e} * r{}).A0x{}", draw.below(RATES), state + 1);
        let down = format!("(down, r{}).A0x{}", draw.below(RATES), state.saturating_sub(1));
        match state {
            0 => writeln!(text, "A0x0 = {up};").unwrap(),
            _ if state == last => writeln!(text, "A0x{state} = {down};").unwrap(),
            _ => writeln!(text, "A0x{state} = {up} + {down};").unwrap(),
        }
    }
}

fn explored(text: &str) -> StateSpace {
    Model::from_text(text).unwrap_or_else(|error| panic!("{error}\n{text}")).explore().unwrap()
}

/// The same states with one rate times a factor.
fn with_rate(space: &StateSpace, number: usize, factor: f64) -> StateSpace {
    use skel::number::Number;
    let name = format!("r{number}");
    let id = space.model().parameter_named(&name).unwrap();
    let value = f64::from_ratio(&space.model().parameters()[id.index()].value) * factor;
    space.with_rates(&[(name.as_str(), Rate::from(value))]).unwrap()
}

type Solution = SteadyState<Model, f64>;

/// A solver that iterates, and not for long.
fn iterating(space: &StateSpace) -> skel::steady::Solver<'_, Model> {
    space.solver().options(&ITERATIVE).limits(&Limits { iterations: 300, ..Limits::default() })
}

/// Holds a solution against elimination.
fn hold(found: &Solution, right: &Solution, text: &str) {
    let near = |found: f64, right: f64| (found - right).abs() <= TOLERANCE * right;
    let report = found.report();
    assert!(report.error <= TOLERANCE, "{report:?}\n{text}");
    for (_, action) in found.space().model().actions() {
        let of = |pi: &Solution| pi.throughput_named(action).unwrap();
        assert!(near(of(found), of(right)), "{action}: {} {}, {report:?}\n{text}", of(found), of(right));
    }
    if report.certified == Certified::Probabilities {
        for (found, right) in found.probabilities().iter().zip(right.probabilities()) {
            assert!(near(*found, *right), "{found} {right}, {report:?}\n{text}");
        }
    }
}

/// Guesses that are of no use.
fn guesses(states: usize, draw: &mut Draw) -> Vec<Vec<f64>> {
    let mut one = vec![0.0; states];
    one[draw.below(states)] = 1.0;
    let random = (0..states).map(|_| draw.unit()).collect();
    let wide = (0..states).map(|_| 10_f64.powf(-250.0 * draw.unit())).collect();
    vec![one, random, wide]
}

#[test]
fn answers_do_not_depend_on_the_start() {
    let count = std::env::var("CHAINS").map_or(15, |count| count.parse().expect("a number of chains"));
    let mut draw = Draw(7);
    let (mut answered, mut certified_sums) = (0, 0);
    for _ in 0..count {
        let text = chain(&mut draw);
        let space = explored(&text);
        let first = iterating(&space).solve();
        for factor in [1.001, 1.03, 1.4, 1000.0] {
            let other = with_rate(&space, draw.below(RATES), factor);
            let further = with_rate(&other, draw.below(RATES), 1.0 / factor);
            let answers = iterating(&other).solve().is_ok();
            let right = other.solver().options(&DIRECT).solve().unwrap();
            let mut check = |solved: Result<Solution, skel::Error>| match solved {
                Ok(solution) => {
                    hold(&solution, &right, &text);
                    answered += 1;
                    certified_sums += usize::from(solution.report().certified == Certified::Sums);
                    Some(solution)
                }
                Err(error) => {
                    assert!(!answers, "without a start there is an answer: {error}\n{text}");
                    None
                }
            };
            if let Ok(first) = &first {
                let warm = check(iterating(&other).start_from(first).solve());
                if let Some(Ok(solution)) = warm.map(|warm| iterating(&further).start_from(&warm).solve()) {
                    hold(&solution, &further.solver().options(&DIRECT).solve().unwrap(), &text);
                }
            }
            for guess in guesses(other.states(), &mut draw) {
                check(iterating(&other).initial_guess(&guess).solve());
            }
        }
    }
    assert!(answered > 8 * count, "{answered} of {} answered", 16 * count);
    assert!(certified_sums > count / 4, "{certified_sums} for sums alone");
}

/// Queues in a row, as many states as make iterating pay, with a rate for each.
fn queues() -> StateSpace {
    let mut text = String::new();
    for at in 0..8 {
        writeln!(text, "mu{at} = {};", 1.0 + 0.125 * f64::from(at)).unwrap();
        writeln!(
            text,
            "E{at} = (m{at}, infty).F{at}; F{at} = (work{at}, mu{at}).D{at}; D{at} = (m{}, 3).E{at};",
            at + 1
        )
        .unwrap();
    }
    text += "S = (m0, 3).S; S <m0> E0";
    for at in 1..8 {
        write!(text, " <m{at}> E{at}").unwrap();
    }
    explored(&text)
}

#[test]
fn after_a_small_change_half_of_the_iterations_suffice() {
    let space = queues();
    let first = space.steady_state().unwrap();
    let many = first.report().iterations;
    // Sweeps come before the first solution, too, and leave it few iterations.
    let without_sweeps = space.solver().method(Method::BiCgStab).solve().unwrap().report().iterations;
    for name in ["mu0", "mu3", "mu7"] {
        let rate = 1.0 + 0.125 * name[2..].parse::<f64>().unwrap();
        let near = space.with_rates(&[(name, Rate::from(1.001 * rate))]).unwrap();
        let warm = near.solver().start_from(&first).solve().unwrap();
        let few = warm.report().iterations;
        assert!(0 < few && few <= many.div_ceil(2), "{name}: {few} iterations in place of {many}");
        assert!(2 * few <= without_sweeps, "{name}: {few} iterations in place of {without_sweeps}");
        assert!(warm.report().error <= 1e-10 && warm.report().certified == Certified::Probabilities);
    }
}

#[test]
fn what_is_known_of_errors_is_renewed_when_rates_have_gone_far() {
    let space = queues();
    let mut last = space.steady_state().unwrap();
    let many = last.report().iterations;
    let (mut renewed, mut rate) = (0, 1.0);
    for _ in 0..10 {
        rate *= 1.02;
        let near = space.with_rates(&[("mu0", Rate::from(rate))]).unwrap();
        last = near.solver().start_from(&last).solve().unwrap();
        renewed += usize::from(3 * last.report().iterations > 2 * many);
    }
    assert!((2..=5).contains(&renewed), "{renewed} of 10");
}

/// A server that goes round stations with a place each; arrivals are rare.
fn polling(stations: usize) -> StateSpace {
    let mut text = format!("mu = 1; gamma = 200; lambda = 1 / {stations};\n");
    let mut all = Vec::new();
    for at in 0..stations {
        let next = (at + 1) % stations;
        writeln!(
            text,
            "E{at} = (arrive, lambda).F{at} + (pass{at}, infty).E{at}; F{at} = (find{at}, infty).F{at} + (serve{at}, infty).E{at};\n\
             L{at} = (pass{at}, gamma).L{next} + (find{at}, gamma).S{at}; S{at} = (serve{at}, mu).L{next};"
        )
        .unwrap();
        all.extend([format!("pass{at}"), format!("find{at}"), format!("serve{at}")]);
    }
    let queues: Vec<String> = (0..stations).map(|at| format!("E{at}")).collect();
    explored(&format!("{text}L0 <{}> ({})", all.join(", "), queues.join(" || ")))
}

/// The order of the flow is found once: it serves a warm start as well.
#[test]
fn polling_takes_few_iterations_in_the_order_of_its_flow_and_fewer_from_a_start() {
    let space = polling(9);
    let first = space.steady_state().unwrap();
    let plain = space.solver().method(Method::BiCgStab).solve().unwrap();
    assert_eq!(first.report().certified, Certified::Probabilities);
    let (few, many) = (first.report().iterations, plain.report().iterations);
    assert!(2 * few < many, "{few} iterations in place of {many}");
    for (found, expected) in first.probabilities().iter().zip(plain.probabilities()) {
        assert!((found - expected).abs() <= 1e-9 * expected, "{found} for {expected}");
    }
    let near = space.with_rates(&[("mu", Rate::from(1.001))]).unwrap();
    let warm = near.solver().start_from(&first).solve().unwrap();
    assert!(warm.report().iterations <= few && warm.report().handed_over.is_empty(), "{:?}", warm.report());
    assert!(warm.report().error <= TOLERANCE && warm.report().certified == Certified::Probabilities);
    let cold = near.steady_state().unwrap();
    for (found, expected) in warm.probabilities().iter().zip(cold.probabilities()) {
        assert!((found - expected).abs() <= 1e-9 * expected, "{found} for {expected}");
    }
}

#[test]
fn an_initial_guess_has_a_number_for_each_state() {
    let space = explored("E = (arrive, 1).F; F = (serve, 3).E; E[2]");
    let refused = |guess: &[f64]| space.solver().initial_guess(guess).solve().unwrap_err().to_string();
    assert_eq!(
        refused(&[1.0; 3]),
        "the initial guess has 3 values, and the space 4 states; give one value for each state"
    );
    let wrong = |value| {
        format!(
            "the initial guess is {value} for state 2; each value has to be a number from 0 on, in proportion to a probability"
        )
    };
    assert_eq!(refused(&[1.0, 1.0, -0.5, 1.0]), wrong("-0.5"));
    assert_eq!(refused(&[1.0, 1.0, f64::NAN, f64::NAN]), wrong("NaN"));
    assert_eq!(refused(&[1.0, 1.0, f64::INFINITY, 1.0]), wrong("inf"));
    let sum = |sum| {
        format!(
            "the values of the initial guess add up to {sum}, so they cannot be scaled to sum one; give values around one"
        )
    };
    assert_eq!(refused(&[0.0; 4]), sum("0e0"));
    assert_eq!(refused(&[f64::MAX; 4]), sum("inf"));
    assert!(space.solver().initial_guess(&[3.0, 0.0, 0.0, 1.0]).solve().is_ok());
}
