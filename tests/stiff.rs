//! Chains whose rates are many decades apart, and chains that fall into parts which hardly know of one
//! another: an answer in `f64` is right to ten digits or refused, directly, iteratively and where one hands
//! over to the other.

use std::fmt::Write as _;

use proptest::prelude::*;
use skel::number::Number;
use skel::prelude::*;
use skel::steady::{Certified, Method, MethodUsed, Options};

const DIGITS: f64 = 1e-10;

/// Iterates, and may refuse.
const ITERATIVE: Options =
    Options { tolerance: DIGITS, direct_up_to: 0, method: Method::Automatic, allow_deadlock: false };
/// Iterates, and eliminates where that is not certain enough: what every chain above the direct limit gets.
const HANDING_OVER: Options =
    Options { tolerance: DIGITS, direct_up_to: 1, method: Method::Automatic, allow_deadlock: false };
const DIRECT: Options =
    Options { tolerance: DIGITS, direct_up_to: 400, method: Method::Direct, allow_deadlock: false };

fn space(text: &str) -> StateSpace {
    let model = skel::text::parse(text).into_model().unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    model.explore().unwrap()
}

fn solve(space: &StateSpace, options: &Options) -> Result<SteadyState<Model, f64>, skel::Error> {
    space.solver().options(options).limits(&Limits { iterations: 1000, ..Limits::default() }).solve()
}

/// Holds a solution against the throughputs that are known.
fn hold(solution: &SteadyState<Model, f64>, expected: &[(String, f64)]) {
    for (action, expected) in expected {
        let found = solution.throughput_named(action).unwrap();
        let report = solution.report();
        assert!(
            (found - expected).abs() <= DIGITS * expected,
            "{action}: {found} for {expected}, {report:?}"
        );
    }
    assert!(solution.report().defect < DIGITS, "{:?}", solution.report());
}

/// Eliminating is right, first or last; iterating alone is right or refuses, and says what it reached.
fn right_or_refused(text: &str, expected: &[(String, f64)]) {
    let space = space(text);
    for options in [DIRECT, HANDING_OVER] {
        hold(&solve(&space, &options).unwrap_or_else(|error| panic!("{error}\n{text}")), expected);
    }
    match solve(&space, &ITERATIVE) {
        Ok(solution) => hold(&solution, expected),
        Err(skel::Error::NotConverged(failure)) => assert!(!failure.tried.is_empty()),
        Err(other) => panic!("{other}"),
    }
}

/// Independent switches, one for each pair of rates; `up` and `down` of each happen `1 / (1/up + 1/down)`
/// times.
fn switches(rates: &[(f64, f64)]) -> (String, Vec<(String, f64)>) {
    let mut text = String::new();
    let mut expected = Vec::new();
    for (at, (up, down)) in rates.iter().enumerate() {
        writeln!(text, "Off{at} = (up{at}, {up:e}).On{at}; On{at} = (down{at}, {down:e}).Off{at};").unwrap();
        let throughput = up * (down / (up + down));
        expected.extend([(format!("up{at}"), throughput), (format!("down{at}"), throughput)]);
    }
    let system: Vec<String> = (0..rates.len()).map(|at| format!("Off{at}")).collect();
    (text + &system.join(" || "), expected)
}

fn check_switches(many: (f64, f64), copies: usize, others: &[(f64, f64)]) {
    let mut rates = vec![many; copies];
    rates.extend(others);
    let (text, expected) = switches(&rates);
    right_or_refused(&text, &expected);
}

#[test]
fn a_slow_switch_beside_fast_ones_keeps_its_digits() {
    for copies in [3, 8] {
        check_switches((1.0, 2.0), copies, &[(1e-6, 3e-6)]);
        check_switches((1e6, 2e6), copies, &[(1e-6, 3e-6)]);
    }
}

#[test]
fn two_slow_switches_beside_fast_ones_keep_their_digits() {
    for copies in [3, 7] {
        check_switches((1e6, 2e6), copies, &[(1e-9, 3e-9); 2]);
    }
}

#[test]
fn a_uniform_start_that_seems_to_be_balanced_is_not_believed() {
    for copies in [4, 8] {
        check_switches((1.0, 1.0), copies, &[(1e-12, 1e-13)]);
    }
}

#[test]
fn switches_of_every_speed_keep_their_digits() {
    let rates: Vec<(f64, f64)> =
        (-4..4).map(|power| (10_f64.powi(power), 3.0 * 10_f64.powi(power))).collect();
    let (text, expected) = switches(&rates);
    right_or_refused(&text, &expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn slow_switches_beside_random_fast_ones_are_answered_and_right(
        fast in prop::collection::vec((1..4_u8, 1..6_u8), 6..8),
        slow in prop::collection::vec((2..5_u8, 5..15_i32), 1..3),
    ) {
        let rates: Vec<(f64, f64)> = fast
            .iter()
            .map(|&(up, down)| (f64::from(up), f64::from(down)))
            .chain(slow.iter().map(|&(down, decades)| {
                let slow = 10.0_f64.powi(-decades);
                (slow, f64::from(down) * slow)
            }))
            .collect();
        let (text, expected) = switches(&rates);
        let solution = solve(&space(&text), &HANDING_OVER);
        hold(&solution.unwrap_or_else(|error| panic!("{error}\n{text}")), &expected);
    }
}

/// The slow one's split is seen in no state's balance; 2^15 states, beyond what is eliminated.
#[test]
fn the_split_between_large_parts_that_hardly_know_of_one_another_is_right() {
    let mut rates = vec![(1.0, 2.0); 14];
    rates.push((1e-14, 3e-14));
    let (text, expected) = switches(&rates);
    hold(&solve(&space(&text), &ITERATIVE).unwrap(), &expected);
}

/// A queue of some places whose server breaks down on its own: `fail` and `repair` happen
/// `1 / (1/fail + 1/repair)` times.
#[test]
fn rare_failures_of_a_busy_server_keep_their_digits() {
    for (places, fail, repair) in [(150, 1e-7, 1e-9), (300, 1e-4, 1e-2), (300, 1e-6, 1e-4), (300, 1e-7, 1e-9)]
    {
        let mut text = birth_death(&vec![500.0; places], &vec![f64::INFINITY; places]);
        writeln!(text, "S = (down, 1000).S + (fail, {fail:e}).D; D = (repair, {repair:e}).S;").unwrap();
        let throughput = fail * (repair / (fail + repair));
        let expected = ["fail", "repair"].map(|action| (action.to_owned(), throughput));
        right_or_refused(&(text + "Q0 <down> S"), &expected);
    }
}

/// The local states `Q0` to `Qn` with rates between neighbours, infinite ones passive; the middle ones have
/// names.
fn birth_death(up: &[f64], down: &[f64]) -> String {
    let mut text = String::new();
    for at in 0..=up.len() {
        let middle = if at == up.len() / 2 { "Middle" } else { "" };
        let above = up.get(at).map(|rate| format!("(up{middle}, {rate:e}).Q{}", at + 1));
        let rate =
            |at: usize| if down[at].is_finite() { format!("{:e}", down[at]) } else { "infty".to_owned() };
        let below = (at > 0).then(|| format!("(down, {}).Q{}", rate(at - 1), at - 1));
        let activities: Vec<String> = above.into_iter().chain(below).collect();
        writeln!(text, "Q{at} = {};", activities.join(" + ")).unwrap();
    }
    text
}

/// `upMiddle`, and all `down` together, by the products of the rates; each number with a power of `1e100`
/// beside it.
fn of_birth_death(up: &[f64], down: &[f64]) -> Vec<(String, f64)> {
    let (mut weight, mut power) = (1.0_f64, 0);
    let mut weights = vec![(weight, power)];
    for (up, down) in up.iter().zip(down) {
        weight *= up / down;
        while weight > 1e50 {
            (weight, power) = (weight / 1e100, power + 1);
        }
        while weight < 1e-50 {
            (weight, power) = (weight * 1e100, power - 1);
        }
        weights.push((weight, power));
    }
    // Beside the largest, so that all that is compared has its digits.
    let largest = |one: &(f64, i32), other: &(f64, i32)| one.1.cmp(&other.1).then(one.0.total_cmp(&other.0));
    let (top, highest) = weights.iter().copied().max_by(largest).unwrap();
    let weights: Vec<f64> = weights
        .into_iter()
        .map(|(weight, power)| weight / top * 10_f64.powi(100 * (power - highest).max(-4)))
        .collect();
    let sum: f64 = weights.iter().sum();
    let middle = up.len() / 2;
    let all: f64 = weights[1..].iter().zip(down).map(|(weight, rate)| weight / sum * rate).sum();
    vec![("upMiddle".to_owned(), weights[middle] / sum * up[middle]), ("down".to_owned(), all)]
}

fn check_birth_death(up: &[f64], down: &[f64]) {
    let mut expected = of_birth_death(up, down);
    // What is too rare for `f64` has no digits to compare.
    expected.retain(|&(_, value)| value > 1e-280);
    right_or_refused(&(birth_death(up, down) + "Q0"), &expected);
}

#[test]
fn queues_with_any_load_keep_their_digits() {
    for places in [200, 399, 400, 450, 1000, 2000] {
        for (up, down) in
            [(10.0, 1.0), (1.0, 10.0), (1.0, 1.001), (1.0, 1.0), (1e6, 1e-6), (1e-6, 1e6), (1000.0, 1.0)]
        {
            check_birth_death(&vec![up; places], &vec![down; places]);
        }
    }
}

#[test]
fn a_chain_with_two_modes_far_apart_weighs_both() {
    // Down to 1e-400 in the middle, then up again: one mode weighs twice as much as the other.
    for places in [300, 800] {
        let half = places / 2;
        let up: Vec<f64> = (0..places).map(|at| if at < half { 1.0 } else { 1000.0 }).collect();
        let mut down: Vec<f64> = (0..places).map(|at| if at < half { 1000.0 } else { 1.0 }).collect();
        down[0] = 500.0;
        check_birth_death(&up, &down);
    }
}

#[test]
fn no_number_beyond_the_range_of_floats_is_reported() {
    for text in [
        "P = (a, 1e300).Q; Q = (b, 1e-300).P; P",
        "P = (a, 1e308).Q + (a, 1e308).R; Q = (b, 1e308).P; R = (b, 1).P; P",
    ] {
        let space = space(text);
        for options in [DIRECT, HANDING_OVER, ITERATIVE] {
            match solve(&space, &options) {
                Ok(solution) => hold(&solution, &exact_throughputs(text)),
                Err(refusal) => assert!(matches!(refusal, skel::Error::NotConverged(_)), "{refusal}"),
            }
        }
    }
}

/// A rate `d * 10^e` with twelve decades for `e`.
fn rate() -> impl Strategy<Value = f64> {
    (1..10_i32, -6..7_i32).prop_map(|(digit, power)| f64::from(digit) * 10_f64.powi(power))
}

/// A component of up to twelve local states on a cycle, with some short cuts; each activity has its own
/// action.
fn cycle_with_short_cuts() -> impl Strategy<Value = String> {
    let short_cut = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), rate());
    (prop::collection::vec(rate(), 2..13), prop::collection::vec(short_cut, 0..13)).prop_map(
        |(cycle, cuts)| {
            let count = cycle.len();
            let mut activities: Vec<String> = (0..count)
                .map(|at| format!("S{at} = (next{at}, {:e}).S{}", cycle[at], (at + 1) % count))
                .collect();
            for (number, (from, to, rate)) in cuts.into_iter().enumerate() {
                let (from, to) = (from.index(count), to.index(count));
                write!(activities[from], " + (cut{number}, {rate:e}).S{to}").unwrap();
            }
            activities.join(";\n") + ";\nS0"
        },
    )
}

/// Two parts, S8 S9 S10 S0 and S6 S7, that are left once in a million steps. Signs drawn at random for the
/// defects add up to zero in both, so that they seem to be balanced.
#[test]
fn parts_that_are_balanced_by_chance_are_not_believed() {
    let text = "S0 = (n0, 1).S1 + (cut2, 1e6).S8 + (cut3, 6e3).S10; S1 = (n1, 1).S2; S2 = (n2, 1).S3;
        S3 = (n3, 0.1).S4 + (cut0, 1).S3 + (cut1, 0.02).S4; S4 = (n4, 1).S5; S5 = (n5, 1).S6; S6 = (n6, 1e4).S7;
        S7 = (n7, 1e-4).S8 + (cut4, 70).S6; S8 = (n8, 4).S9; S9 = (n9, 2e6).S10; S10 = (n10, 1).S0; S0";
    right_or_refused(text, &exact_throughputs(text));
}

fn exact_throughputs(text: &str) -> Vec<(String, f64)> {
    let exact = space(text).steady_state_exact().unwrap();
    exact.throughputs().into_iter().map(|(action, value)| (action.to_owned(), value.to_float())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn floats_agree_with_fractions_whatever_the_rates(text in cycle_with_short_cuts()) {
        right_or_refused(&text, &exact_throughputs(&text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(15) })]

    #[test]
    fn birth_and_death_at_any_rates_have_their_products(
        rates in prop::collection::vec((rate(), rate()), 200..2000),
    ) {
        let (up, down): (Vec<f64>, Vec<f64>) = rates.into_iter().unzip();
        check_birth_death(&up, &down);
    }

    #[test]
    fn independent_switches_at_any_rates_stay_independent(rates in prop::collection::vec((rate(), rate()), 1..7)) {
        let (text, expected) = switches(&rates);
        right_or_refused(&text, &expected);
    }
}

/// Two queues in a line, as in the suite of PRISM: the first is nearly always full, and most of the states
/// have probabilities down to `1e-300` and below. As the second queue is never nearly full, the throughput is
/// known.
fn tandem(places: usize) -> String {
    let mut text = format!("lambda = 4 * {places}; mu1a = 0.2; mu1b = 1.8; mu2 = 2; kappa = 4;\n");
    for count in 0..=places {
        let arrives = |phase: usize| {
            if count < places {
                format!("(arrive, lambda).First{phase}x{}", count + 1)
            } else {
                String::new()
            }
        };
        let joined = |parts: Vec<String>| {
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" + ")
        };
        let mut one = vec![arrives(1)];
        if count > 0 {
            one.push(format!("(route, mu1b).First1x{}", count - 1));
            one.push(format!("(second, mu1a).First2x{count}"));
            let two = vec![arrives(2), format!("(route, mu2).First1x{}", count - 1)];
            writeln!(text, "First2x{count} = {};", joined(two)).unwrap();
        }
        writeln!(text, "First1x{count} = {};", joined(one)).unwrap();
        let enters =
            if count < places { format!("(route, infty).Second{}", count + 1) } else { String::new() };
        let leaves = if count > 0 { format!("(serve, kappa).Second{}", count - 1) } else { String::new() };
        writeln!(text, "Second{count} = {};", joined(vec![enters, leaves])).unwrap();
    }
    text + "First1x0 <route> Second0"
}

#[test]
fn sums_are_certified_where_rare_states_are_not() {
    let space = space(&tandem(50));
    let direct = solve(&space, &DIRECT).unwrap();
    let solution = solve(&space, &ITERATIVE).unwrap();
    let report = solution.report();
    assert_eq!(report.certified, Certified::Sums, "{report:?}");
    assert!(report.error > 0.0 && report.error <= DIGITS && report.defect < 1e-12, "{report:?}");
    let expected: Vec<_> =
        direct.throughputs().into_iter().map(|(action, value)| (action.to_owned(), value)).collect();
    hold(&solution, &expected);
    let (populations, expected) = (solution.utilisations(), direct.utilisations());
    for (found, expected) in populations.iter().zip(&expected) {
        for ((state, found), (_, expected)) in found.local_states.iter().zip(&expected.local_states) {
            let allowed = DIGITS * expected.max(1e-3);
            assert!((found - expected).abs() <= allowed, "{state}: {found} for {expected}");
        }
    }
    assert_eq!(direct.report().certified, Certified::Probabilities);
}

/// A result line that is too rare to have digits is no answer, however good the others are.
#[test]
fn a_result_too_rare_for_floats_is_not_certified() {
    let space = space(&(tandem(125) + ";\nempty = {First1x0 || **};"));
    let limits = Limits { iterations: 200, ..Limits::default() };
    match space.solver().options(&ITERATIVE).limits(&limits).solve() {
        Err(skel::Error::NotConverged(failure)) => assert!(!failure.tried.is_empty()),
        Ok(solution) => panic!("{:?}", solution.report()),
        Err(other) => panic!("{other}"),
    }
}

/// A walk round so many local states in two halves, which are joined by steps at a slow rate.
fn walk(name: usize, side: usize, slow: f64) -> String {
    let rate = |from: usize, to: usize| match from / (side / 2) == to / (side / 2) {
        true => 1.0 + 0.3 * ((7 * from + 3 * to + name) % 5) as f64,
        false => slow * (1.0 + 0.1 * from as f64),
    };
    let mut text = String::new();
    for at in 0..side {
        let (next, last) = ((at + 1) % side, (at + side - 1) % side);
        let (up, down) = (rate(at, next), rate(at, last));
        writeln!(
            text,
            "M{name}x{at} = (up{name}, {up:e}).M{name}x{next} + (down{name}, {down:e}).M{name}x{last};"
        )
        .unwrap();
    }
    text
}

/// Three walks beside one another, and the throughputs of each one alone.
fn three_walks(side: usize, slow: f64) -> (StateSpace, Vec<(String, f64)>) {
    let texts: Vec<String> = (0..3).map(|name| walk(name, side, slow)).collect();
    let mut expected = Vec::new();
    for (name, text) in texts.iter().enumerate() {
        let alone = solve(&space(&format!("{text}M{name}x0")), &DIRECT).unwrap();
        expected.extend(alone.throughputs().into_iter().map(|(action, value)| (action.to_owned(), value)));
    }
    (space(&(texts.concat() + "M0x0 || M1x0 || M2x0")), expected)
}

/// The errors within the parts are estimated without what connects the parts: with it, the slow flows between
/// them take hundreds of iterations more.
#[test]
fn errors_within_the_halves_of_larger_walks_take_few_iterations() {
    for slow in [1e-3, 1e-5] {
        let (together, expected) = three_walks(36, slow);
        assert_eq!(together.states(), 46_656);
        let solution = together.solver().options(&ITERATIVE).solve().unwrap();
        assert!(solution.report().iterations <= 400, "{slow:e}: {:?}", solution.report());
        assert_eq!(solution.report().certified, Certified::Probabilities);
        hold(&solution, &expected);
    }
}

/// The Krylov methods alone take more than a thousand iterations here, or give up. With the balance between
/// the parts in turn they take few.
#[test]
fn walks_in_halves_that_hardly_know_of_one_another_take_few_iterations() {
    for slow in [1e-4, 1e-7] {
        let (together, expected) = three_walks(20, slow);
        assert_eq!(together.states(), 8000);
        let solution = together.solver().options(&ITERATIVE).solve().unwrap();
        assert!(solution.report().iterations <= 250, "{:?}", solution.report());
        hold(&solution, &expected);
        let aggregated = together.solver().method(Method::Multilevel).solve().unwrap();
        assert_eq!(aggregated.report().method, MethodUsed::Multilevel);
        hold(&aggregated, &expected);
    }
}

/// Machines in two groups that fail seldom and are repaired one at a time, so that probability flows towards
/// the states in which all work.
fn machines(of_group: usize) -> String {
    let mut text = String::from(
        "Idle = (startA, 10).Busy + (startB, 10).Busy; Busy = (repairA, 2).Idle + (repairB, 2).Idle;\n",
    );
    for (group, fail) in [("A", 0.002), ("B", 0.0019)] {
        writeln!(
            text,
            "Up{group} = (fail{group}, {fail}).Down{group}; Down{group} = (start{group}, infty).Repaired{group};\n\
             Repaired{group} = (repair{group}, infty).Up{group};"
        )
        .unwrap();
    }
    text + &format!("Idle <startA, startB, repairA, repairB> (UpA[{of_group}] || UpB[{of_group}])")
}

#[test]
fn machines_that_fail_seldom_are_solved_in_the_order_in_which_probability_flows() {
    let model = skel::text::parse(&machines(45)).into_model().unwrap();
    let space = model.explorer().lumped().explore().unwrap();
    assert!(space.states() > 5000, "{}", space.states());
    let direct = solve(&space, &DIRECT).unwrap();
    let solution = solve(&space, &ITERATIVE).unwrap();
    let expected: Vec<_> =
        direct.throughputs().into_iter().map(|(action, value)| (action.to_owned(), value)).collect();
    hold(&solution, &expected);
    assert!(solution.report().iterations <= 60, "{:?}", solution.report());
}

/// A closed network of five stations, by the convolution of J. P. Buzen: the throughput of a station is its
/// share times `G(n - 1) / G(n)`.
#[test]
fn a_large_closed_network_has_the_throughputs_of_its_product_form() {
    const CUSTOMERS: usize = 24;
    const STATIONS: [(f64, f64); 4] = [(0.4, 0.5), (0.3, 0.25), (0.2, 0.3), (0.1, 0.15)];
    let mut text =
        String::from("At0 = (go1, infty).At1 + (go2, infty).At2 + (go3, infty).At3 + (go4, infty).At4;\n");
    let mut servers = Vec::new();
    for (at, (share, rate)) in (1..).zip(STATIONS) {
        writeln!(text, "At{at} = (back{at}, infty).At0;").unwrap();
        servers.extend([format!("(go{at}, {share}).Servers"), format!("(back{at}, {rate}).Servers")]);
    }
    writeln!(text, "Servers = {};", servers.join(" + ")).unwrap();
    let actions: Vec<String> = (1..5).map(|at| format!("go{at}, back{at}")).collect();
    writeln!(text, "Servers <{}> At0[{CUSTOMERS}]", actions.join(", ")).unwrap();
    let mut constants = [1.0; CUSTOMERS + 1];
    for (share, rate) in STATIONS {
        for customers in 1..=CUSTOMERS {
            constants[customers] += share / rate * constants[customers - 1];
        }
    }
    let throughput = constants[CUSTOMERS - 1] / constants[CUSTOMERS];
    let expected: Vec<_> =
        (1..).zip(STATIONS).map(|(at, (share, _))| (format!("back{at}"), share * throughput)).collect();
    let space = skel::text::parse(&text).into_model().unwrap().explorer().lumped().explore().unwrap();
    hold(&solve(&space, &ITERATIVE).unwrap(), &expected);
}
