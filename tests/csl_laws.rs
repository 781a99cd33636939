//! Properties of random chains against dense matrices: exponentials by scaling and squaring, and eliminations
//! in fractions. No verdict is wrong, every value is within its bound, and a bound that is the value is
//! undecided in floats.

#[path = "generated/chain.rs"]
mod chain;

use chain::{Chain, Random, Set, exponential};
use skel::csl::{Answer, Figure, Fractions, OfState, Value, Verdict};
use skel::number::{Number, Ratio};
use skel::prelude::*;

fn apply(matrix: &[Vec<f64>], values: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().zip(values).map(|(entry, value)| entry * value).sum()).collect()
}

fn indicator(set: &Set) -> Vec<f64> {
    set.iter().map(|&member| if member { 1.0 } else { 0.0 }).collect()
}

/// `phi U[from, to] psi` from each state.
fn until(chain: &Chain, phi: &Set, psi: &Set, from: f64, to: f64) -> Vec<f64> {
    let ended: Set = phi.iter().zip(psi).map(|(phi, psi)| *psi || !phi).collect();
    let mut values = apply(&exponential(&chain.generator(&ended), to - from), &indicator(psi));
    if from > 0.0 {
        let outside: Set = phi.iter().map(|phi| !phi).collect();
        values.iter_mut().zip(phi).filter(|(_, phi)| !**phi).for_each(|(value, _)| *value = 0.0);
        values = apply(&exponential(&chain.generator(&outside), from), &values);
    }
    values
}

/// Solves `A x = b` by elimination in fractions.
fn solve(mut rows: Vec<Vec<Ratio>>) -> Vec<Ratio> {
    let count = rows.len();
    for pivot in 0..count {
        let found = (pivot..count).find(|&row| rows[row][pivot] != ratio(0, 1)).expect("it is regular");
        rows.swap(pivot, found);
        let inverse = rows[pivot][pivot].recip();
        rows[pivot].iter_mut().for_each(|entry| *entry *= &inverse);
        for row in (0..count).filter(|&row| row != pivot) {
            let factor = rows[row][pivot].clone();
            let pivot_row = rows[pivot].clone();
            for (entry, above) in rows[row].iter_mut().zip(&pivot_row) {
                *entry -= &factor * above;
            }
        }
    }
    rows.into_iter().map(|row| row[count].clone()).collect()
}

fn can_reach(chain: &Chain, phi: &Set, psi: &Set) -> Set {
    let mut reached = psi.clone();
    for _ in 0..chain.states() {
        for state in 0..chain.states() {
            let leads = (0..chain.states()).any(|other| chain.rates[state][other] > 0 && reached[other]);
            reached[state] |= phi[state] && leads;
        }
    }
    reached
}

/// `phi U psi` from each state, or the expected `pays` before `psi` where `pays` is given: then `psi` is
/// reached surely.
fn absorbed(chain: &Chain, inside: &Set, psi: &Set, pays: Option<&[i64]>) -> Vec<Ratio> {
    let count = chain.states();
    let zero = || ratio(0, 1);
    let rows = (0..count).map(|state| {
        let mut row = vec![zero(); count + 1];
        if !inside[state] {
            row[state] = ratio(1, 1);
            row[count] = ratio(i64::from(psi[state] && pays.is_none()), 1);
            return row;
        }
        row[state] = ratio(chain.exit(state), 1);
        for other in (0..count).filter(|&other| other != state) {
            row[other] -= ratio(chain.rates[state][other], 1);
        }
        row[count] = ratio(pays.map_or(0, |pays| pays[state]), 1);
        row
    });
    solve(rows.collect())
}

fn reach(chain: &Chain, phi: &Set, psi: &Set) -> Vec<Ratio> {
    let reached = can_reach(chain, phi, psi);
    let inside: Set = (0..chain.states()).map(|state| reached[state] && !psi[state]).collect();
    absorbed(chain, &inside, psi, None)
}

/// The probability of a set in the long run: the limit, by way of the classes.
fn long_run(chain: &Chain, set: &Set) -> Vec<Ratio> {
    let count = chain.states();
    let everything = vec![true; count];
    let reaches: Vec<Set> = (0..count)
        .map(|goal| can_reach(chain, &everything, &(0..count).map(|state| state == goal).collect()))
        .collect();
    let mut values = vec![ratio(0, 1); count];
    let mut is_done = vec![false; count];
    for first in 0..count {
        let is_recurrent =
            (0..count).all(|state| !can_go(&reaches, first, state) || can_go(&reaches, state, first));
        if !is_recurrent || is_done[first] {
            continue;
        }
        let members: Vec<usize> = (0..count).filter(|&state| can_go(&reaches, first, state)).collect();
        members.iter().for_each(|&state| is_done[state] = true);
        // pi Q = 0 with sum 1, the first equation replaced by the sum.
        let size = members.len();
        let mut rows = vec![vec![ratio(0, 1); size + 1]; size];
        rows[0] = vec![ratio(1, 1); size + 1];
        for (row, &state) in members.iter().enumerate().skip(1) {
            for (column, &other) in members.iter().enumerate() {
                rows[row][column] = match other == state {
                    true => ratio(-chain.exit(state), 1),
                    false => ratio(chain.rates[other][state], 1),
                };
            }
        }
        let pi = solve(rows);
        let mut share = ratio(0, 1);
        for (&state, probability) in members.iter().zip(&pi) {
            if set[state] {
                share += probability;
            }
        }
        let goal: Set = (0..count).map(|state| members.contains(&state)).collect();
        for (value, probability) in values.iter_mut().zip(reach(chain, &everything, &goal)) {
            *value += probability * &share;
        }
    }
    values
}

/// Whether a run can go from a state to another.
fn can_go(reaches: &[Set], from: usize, to: usize) -> bool {
    reaches[to][from]
}

/// A quantity as a text, with its values: in floats, and in fractions where it has no bound on time.
struct Quantity {
    open: &'static str,
    text: String,
    floats: Vec<f64>,
    exact: Option<Vec<Ratio>>,
}

fn timed(text: String, floats: Vec<f64>) -> Quantity {
    Quantity { open: "P", text, floats, exact: None }
}

fn untimed(open: &'static str, text: String, exact: Vec<Ratio>) -> Quantity {
    Quantity { open, text, floats: exact.iter().map(Number::to_float).collect(), exact: Some(exact) }
}

fn quantities(chain: &Chain, random: &mut Random) -> Vec<Quantity> {
    let count = chain.states();
    let ((phi, phi_text), (psi, psi_text)) = (chain.set(random), chain.set(random));
    let not = |set: &Set| set.iter().map(|member| !member).collect::<Set>();
    let minus = |values: Vec<f64>| values.into_iter().map(|value| 1.0 - value).collect::<Vec<f64>>();
    let everything = vec![true; count];
    let (a, b) = (random.below(4), 1 + random.below(6));
    let (from, to) = (a as f64 / 4.0, (a + b) as f64 / 4.0);
    let both = |left: &Set, right: &Set| {
        left.iter().zip(right).map(|(left, right)| *left && *right).collect::<Set>()
    };
    let next = (0..count).map(|state| {
        let all: i64 = chain.rates[state].iter().sum();
        let inside: i64 = (0..count).filter(|&other| psi[other]).map(|other| chain.rates[state][other]).sum();
        ratio(inside, all)
    });
    let one =
        |values: Vec<Ratio>| values.into_iter().map(|value| ratio(1, 1) - value).collect::<Vec<Ratio>>();
    let mut quantities = vec![
        timed(format!("{phi_text} U[{a}/4,{}/4] {psi_text}", a + b), until(chain, &phi, &psi, from, to)),
        timed(format!("{phi_text} U<={to} {psi_text}"), until(chain, &phi, &psi, 0.0, to)),
        timed(format!("F[{to},{to}] {psi_text}"), until(chain, &everything, &psi, to, to)),
        timed(format!("G<={to} {phi_text}"), minus(until(chain, &everything, &not(&phi), 0.0, to))),
        timed(
            format!("{phi_text} W<={to} {psi_text}"),
            minus(until(chain, &both(&phi, &not(&psi)), &both(&not(&phi), &not(&psi)), 0.0, to)),
        ),
        timed(
            format!("{phi_text} R[{from},{to}] {psi_text}"),
            minus(until(chain, &not(&phi), &not(&psi), from, to)),
        ),
        untimed("P", format!("{phi_text} U {psi_text}"), reach(chain, &phi, &psi)),
        untimed("P", format!("G {phi_text}"), one(reach(chain, &everything, &not(&phi)))),
        untimed("P", format!("X {psi_text}"), next.collect()),
        untimed("S", psi_text.clone(), long_run(chain, &psi)),
    ];
    // The expected time until a set that is reached surely.
    let reached = can_reach(chain, &everything, &psi);
    if reached.iter().all(|&reached| reached) {
        let pays = vec![1; count];
        let exact = absorbed(chain, &not(&psi), &psi, Some(&pays));
        quantities.push(untimed("R{\"time\"}", format!("F {psi_text}"), exact));
    }
    quantities
}

/// How many random chains are tried; `CSL_CHAINS` sets another number.
fn chains() -> u64 {
    std::env::var("CSL_CHAINS").ok().and_then(|chains| chains.parse().ok()).unwrap_or(100)
}

/// Whether a comparison holds, unless the value is too near the bound for the reference.
fn truth(quantity: &Quantity, state: usize, relation: &str, bound: &Ratio) -> Option<bool> {
    let order = match &quantity.exact {
        Some(exact) => exact[state].cmp(bound),
        None => {
            let bound = bound.to_float();
            let value = quantity.floats[state];
            if (value - bound).abs() < 1e-10 {
                return None;
            }
            value.total_cmp(&bound)
        }
    };
    Some(match relation {
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        _ => order.is_ge(),
    })
}

#[test]
fn values_hold_and_no_verdict_is_wrong() {
    let (mut decided, mut undecided, mut equal) = (0, 0, 0);
    for seed in 0..chains() {
        let mut random = Random(seed);
        let chain = Chain::random(&mut random);
        for quantity in quantities(&chain, &mut random) {
            let Quantity { open, text, floats, exact } = &quantity;
            let asked = format!("{open}=? [ {text} ]");
            for state in (0..chain.states()).filter(|&state| chain.number[state] != usize::MAX) {
                let in_state = format!("filter(state, {asked}, S{state} = 1)");
                let found = chain
                    .space
                    .check(in_state.as_str())
                    .unwrap_or_else(|error| panic!("{seed} {in_state}: {error}"));
                let figure = found.figure().unwrap();
                let off = (figure.value() - floats[state]).abs();
                let of_reference = 1e-11 * floats[state].abs().max(1.0);
                assert!(
                    off <= figure.error() + of_reference,
                    "{seed} {in_state}: {figure:?}, not {}",
                    floats[state]
                );
                if let Some(exact) = exact {
                    let found = chain.space.check_exact(in_state.as_str()).unwrap();
                    assert_eq!(found.figure().unwrap().exact(), Some(&exact[state]), "{seed} {in_state}");
                    let off = figure.value() - exact[state].to_float();
                    assert!(off.abs() <= figure.error() + 1e-15 * figure.value().abs(), "{seed} {in_state}");
                }
            }
            let relation = ["<", "<=", ">", ">="][random.below(4)];
            let mut bounds = vec![ratio(random.below(11) as i64, 10), ratio(0, 1), ratio(1, 1)];
            bounds.extend(exact.iter().map(|exact| exact[0].clone()));
            for bound in bounds {
                let asked = format!("{open}{relation}{bound} [ {text} ]");
                let expected = truth(&quantity, 0, relation, &bound);
                for fractions in [Fractions::Never, Fractions::WhereNeeded] {
                    let found = chain.space.checker().fractions(fractions).check(asked.as_str());
                    let verdict =
                        found.unwrap_or_else(|error| panic!("{seed} {asked}: {error}")).verdict().unwrap();
                    match (verdict, expected) {
                        (Verdict::Undecided, _) => undecided += 1,
                        (verdict, Some(expected)) => {
                            assert_eq!(verdict == Verdict::True, expected, "{seed} {asked}");
                            decided += 1;
                        }
                        (_, None) => {}
                    }
                    let is_value = exact.as_ref().is_some_and(|exact| exact[0] == bound);
                    let is_inner = bound > ratio(0, 1) && bound < ratio(1, 1);
                    if is_value && is_inner && *open != "R{\"time\"}" {
                        equal += 1;
                        let is_float = bound.to_float() == floats[0] && verdict != Verdict::Undecided;
                        assert!(
                            (fractions == Fractions::Never) != (verdict != Verdict::Undecided) || is_float,
                            "{seed} {asked}: {verdict}"
                        );
                    }
                }
            }
        }
    }
    let chains = chains();
    assert!(
        decided > 50 * chains && undecided > chains / 2 && equal > chains,
        "{decided} {undecided} {equal}"
    );
}

/// What has a bound on time, short and long, with sets that are known in part among them.
fn timed_texts(chain: &Chain, random: &mut Random) -> Vec<String> {
    let ((_, phi), (_, psi)) = (chain.set(random), chain.set(random));
    let (a, b) = (random.below(4), 1 + random.below(6));
    let term = chain.term(random.below(chain.states()));
    let term = if term == "false" { "S0 = 1" } else { &term };
    let state = &term[..2];
    let time = [1, 300][random.below(2)];
    // The expected time until then is the bound itself, so this is not decided in floats.
    let unknown = format!("R{{\"time\"}}>={b} [ C<={b} ]");
    let mut texts: Vec<String> = [
        format!("{phi} U[{a}/4,{}/4] {psi}", a + b),
        format!("!{phi} U<={time} {psi}"),
        format!("F[{time},{time}] {psi}"),
        format!("G[{a},{}] {phi}", time + a),
        format!("{phi} W<={time} {psi}"),
        format!("{phi} R[{a},{}] {psi}", time + a),
        format!("!{phi} U[{time},{}] {psi}", 2 * time),
        format!("{psi} U>0 {phi}"),
        format!("F[0,{time}] {psi} & {unknown}"),
        format!("{unknown} | {phi} U[1,2] {psi}"),
    ]
    .into_iter()
    .map(|path| format!("P#[ {path} ]"))
    .collect();
    // The initial state has an activity of this type.
    let target = (0..chain.states()).find(|&other| chain.rates[0][other] > 0).unwrap_or(0);
    for reward in ["time", state, &format!("a{target}")] {
        texts.push(format!("R{{\"{reward}\"}}#[ C<={time} ]"));
        texts.push(format!("R{{\"{reward}\"}}#[ I={time} ]"));
    }
    texts
}

/// The error that is allowed: rewards are larger than probabilities, and lose more to rounding over many
/// steps.
fn tolerance(asked: &str) -> f64 {
    if asked.contains("C<=300") || asked.contains("I=300") { 1e-6 } else { 1e-9 }
}

fn answer(space: &StateSpace, asked: &str) -> Answer {
    let checked = space.checker().tolerance(tolerance(asked)).check(asked);
    checked.unwrap_or_else(|error| panic!("{asked}: {error}")).answer
}

fn of_states(space: &StateSpace, asked: &str) -> Vec<OfState> {
    match answer(space, asked) {
        Answer::States(states) => states,
        answer => panic!("{answer:?}"),
    }
}

/// What is said of one state.
fn of_state(space: &StateSpace, asked: &str) -> Value {
    match answer(space, asked) {
        Answer::One(value) => value,
        answer => panic!("{answer:?}"),
    }
}

fn meet(one: &Figure, other: &Figure, tolerance: f64) -> bool {
    let near = |left: f64, right: f64| (left - right).abs() <= 5.0 * tolerance * left.abs().max(1.0);
    one.at_least() <= other.at_most()
        && other.at_least() <= one.at_most()
        && near(one.at_least(), other.at_least())
        && near(one.at_most(), other.at_most())
}

/// The value of one state is found by distributions that begin in it, and those of all states backwards.
#[test]
fn forwards_and_backwards_agree() {
    let (mut decided, mut undecided) = (0, 0);
    for seed in 0..chains() {
        let mut random = Random(seed ^ 0x5eed);
        let chain = Chain::random(&mut random);
        for text in timed_texts(&chain, &mut random) {
            let every = of_states(&chain.space, &format!("filter(print, {})", text.replace('#', "=? ")));
            for (state, number) in
                chain.number.iter().enumerate().filter(|(_, number)| **number != usize::MAX)
            {
                let asked = format!("filter(state, {}, S{state} = 1)", text.replace('#', "=? "));
                let found = of_state(&chain.space, &asked);
                let backwards = every.iter().find(|of| of.state == *number).unwrap();
                match (&found, &backwards.value) {
                    (Value::Figure(one), Value::Figure(other)) => {
                        assert!(meet(one, other, tolerance(&asked)), "{seed} {asked}: {one:?} {other:?}");
                    }
                    other => panic!("{seed} {asked}: {other:?}"),
                }
            }
            let most = if text.starts_with('P') { 11 } else { 40 };
            let bound = format!(">={} ", ratio(random.below(most) as i64, 10));
            let bounded = text.replace('#', &bound);
            let every = of_states(&chain.space, &format!("filter(print, {bounded})"));
            let found = of_state(&chain.space, &bounded);
            let Value::Verdict(backwards) = every[0].value else { panic!("{:?}", every[0]) };
            match found {
                Value::Verdict(Verdict::Undecided) => undecided += 1,
                Value::Verdict(_) if backwards == Verdict::Undecided => {}
                Value::Verdict(found) => {
                    assert_eq!(found, backwards, "{seed} {bounded}");
                    decided += 1;
                }
                Value::Figure(found) => panic!("{seed} {bounded}: {found:?}"),
            }
        }
    }
    let chains = chains();
    assert!(decided > 10 * chains && undecided > chains / 2, "{decided} {undecided}");
}

#[test]
fn lumped_and_unlumped_agree_in_averages_and_counts() {
    let text = "lambda = 2; mu = 1; Calls = (seize, lambda).Calls; Line = (seize, infty).Busy; Busy = (release, mu).Line;
        (Line || Line || Line) <seize> Calls; blocked = {(Busy || Busy || Busy) <seize> **};";
    let model = Model::from_text(text).unwrap();
    let whole = model.explore().unwrap();
    let lumped = model.explorer().lumped().explore().unwrap();
    assert!(lumped.states() < whole.states());
    let same = [
        "P=? [ Busy < 2 U<=1 Busy = 2 ]",
        "P=? [ F Busy = 3 ]",
        "S=? [ Line >= 1 ]",
        "R{\"seize\"}=? [ C<=3 ]",
        "R{\"Busy\"}=? [ I=2 ]",
        "R{\"release\"}=? [ F Busy = 3 ]",
        "R{\"time\"}=? [ F Busy = 3 ]",
        "P=? [ X Busy = 2 ]",
        "Busy * Line",
    ];
    for property in same {
        let filtered = ["min", "max", "avg", "sum"].map(|filter| format!("filter({filter}, {property})"));
        for asked in filtered.into_iter().chain([property.to_owned()]) {
            let [left, right] = [&whole, &lumped].map(|space| space.check(asked.as_str()).unwrap());
            let (left, right) = (left.figure().unwrap(), right.figure().unwrap());
            let off = (left.value() - right.value()).abs();
            assert!(
                off <= left.error() + right.error() + 1e-14 * left.value().abs(),
                "{asked}: {left:?} {right:?}"
            );
        }
    }
    for property in [
        "filter(count, Busy = 2)",
        "filter(count, P>=0.5 [ F<=1 Busy = 3 ])",
        "filter(count, S>0 [ Busy = 3 ])",
    ] {
        let [left, right] = [&whole, &lumped].map(|space| space.check(property).unwrap().answer);
        assert_eq!(left, right, "{property}");
    }
    let refused = lumped.check("P=? [ F<=1 {(Busy || ** || **) <seize> **} ]").unwrap_err();
    assert!(refused.to_string().contains("tells apart components that were lumped"), "{refused}");
}
