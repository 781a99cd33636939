//! Derivatives by rates: closed forms, rational functions through exact points, differences of exact
//! solutions, two methods.

mod generated;

use proptest::prelude::*;
use skel::number::Number;
use skel::prelude::*;
use skel::quotient::Measure;
use skel::steady::Options;

use generated::model_text;

fn explored(text: &str) -> StateSpace {
    Model::from_text(text).unwrap_or_else(|errors| panic!("{errors}\n{text}")).explore().unwrap()
}

/// A queue with so many places.
fn queue(places: usize, arrivals: &str, services: &str) -> String {
    let mut text = format!("lambda = {arrivals}; mu = {services};\n");
    for full in 0..=places {
        let arrival = format!("(arrive, lambda).Q{}", full + 1);
        let service = format!("(serve, mu).Q{}", full.wrapping_sub(1));
        text += &match full {
            0 => format!("Q0 = {arrival};\n"),
            full if full == places => format!("Q{full} = {service};\n"),
            full => format!("Q{full} = {arrival} + {service};\n"),
        };
    }
    text + "Q0"
}

#[test]
fn a_finite_queue_has_the_derivatives_of_its_closed_form() {
    // The throughput is lambda (S - lambda^K) / S, with S the sum of lambda^n mu^(K - n).
    for (places, lambda, mu) in
        [(1, ratio(1, 1), ratio(3, 1)), (4, ratio(2, 3), ratio(1, 2)), (9, ratio(5, 1), ratio(5, 1))]
    {
        let power = |base: &Ratio, exponent: i32| base.pow(exponent);
        let k = places as i32;
        let whole = |number: i32| ratio(number.into(), 1);
        let terms = |by_lambda: i32, by_mu: i32| -> Ratio {
            (0..=k)
                .map(|n| {
                    let of_lambda =
                        if by_lambda == 1 { whole(n) * power(&lambda, n - 1) } else { power(&lambda, n) };
                    let of_mu =
                        if by_mu == 1 { whole(k - n) * power(&mu, k - n - 1) } else { power(&mu, k - n) };
                    of_lambda * of_mu
                })
                .sum()
        };
        let (s, s_by_lambda, s_by_mu) = (terms(0, 0), terms(1, 0), terms(0, 1));
        let blocked = power(&lambda, k) / &s;
        let by_lambda = ratio(1, 1) - &blocked - whole(k) * &blocked + &lambda * &blocked * s_by_lambda / &s;
        let by_mu = &lambda * &blocked * s_by_mu / &s;
        let text = queue(places, &lambda.to_string(), &mu.to_string());
        let pi = explored(&text).steady_state_exact().unwrap();
        for action in ["arrive", "serve"] {
            let gains = pi.derivatives(&Measure::throughput_named(action)).unwrap();
            assert_eq!(*gains.value(), pi.throughput_named("serve").unwrap());
            assert_eq!(
                (gains.by("lambda").unwrap(), gains.by("mu").unwrap()),
                (by_lambda.clone(), by_mu.clone())
            );
        }
    }
}

#[test]
fn steps_one_after_the_other_have_the_derivatives_of_their_closed_form() {
    // A round takes 1/r1 + 1/r2 + 1/r3, so that the throughput X has the derivative X^2 / r^2, for each of
    // two copies.
    pepa! {
        model Tiny {
            r1 = 2; r2 = 10; r3 = 1;
            P1 = (start, r1).P2; P2 = (run, r2).P3; P3 = (stop, r3).P1;
            P1 || P1
        }
    }
    let pi = Tiny::new().explore().unwrap().steady_state_exact().unwrap();
    let gains = pi.derivatives(&Measure::throughput_of(Tiny::run)).unwrap();
    let x = ratio(5, 8);
    for (rate, value) in [(Tiny::r1, 2), (Tiny::r2, 10), (Tiny::r3, 1)] {
        let of_both = ratio(2, 1) * &x * &x / ratio(value * value, 1);
        assert_eq!(gains.by(rate).unwrap(), of_both);
    }
    let lumped = Tiny::new().explorer().lumped().explore().unwrap().steady_state_exact().unwrap();
    assert!(lumped.space().states() < 9);
    let of_lumped = lumped.derivatives(&Measure::throughput_of(Tiny::run)).unwrap();
    assert!(of_lumped.all().eq(gains.all()));
}

/// A component of some states in a ring, with more transitions across, one of whose states has the rate
/// `theta`.
fn ring(bytes: &[u8]) -> String {
    let states = 2 + bytes.len() / 4;
    let byte = |at: usize| usize::from(bytes.get(at).copied().unwrap_or(1));
    let mut text = String::from("theta = 3/2;\n");
    for state in 0..states {
        let rate = |number: usize| match state {
            0 => format!("{number} * theta + {}", byte(number) % 3),
            _ => format!("{number} / 7"),
        };
        let (next, across) = ((state + 1) % states, byte(3 * state) % states);
        let (first, second) = (1 + byte(3 * state + 1) % 9, 1 + byte(3 * state + 2) % 9);
        text +=
            &format!("S{state} = (on, {}).S{next} + (across, {}).S{across};\n", rate(first), rate(second));
    }
    text + "S0"
}

/// How near two numbers are, relative to what is around.
fn differ(one: f64, other: f64, scale: f64) -> f64 {
    (one - other).abs() / scale.abs().max(one.abs()).max(other.abs()).max(1e-300)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// A rate in one row of the generator: a probability is a fraction of two linear functions of it, which
    /// three points tell.
    #[test]
    fn a_rational_function_has_the_derivative_that_three_of_its_points_tell(
        bytes in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let space = explored(&ring(&bytes));
        let measure = Measure::utilisation_named("S1");
        let at = |theta: &Ratio| {
            let space = space.with_rates(&[("theta", theta.clone().into())]).unwrap();
            space.steady_state_exact().unwrap().utilisation_named("S1").unwrap()
        };
        let (t1, t2, t3) = (ratio(3, 2), ratio(1, 3), ratio(5, 1));
        let (f1, f2, f3) = (at(&t1), at(&t2), at(&t3));
        let gain = space.steady_state_exact().unwrap().derivatives(&measure).unwrap().by("theta").unwrap();
        let expected = match f2 == f3 {
            true => ratio(0, 1),
            false => (&f1 - &f2) * (&f1 - &f3) * (&t2 - &t3) / ((&t1 - &t2) * (&t1 - &t3) * (&f2 - &f3)),
        };
        prop_assert_eq!(gain, expected);
    }

    /// With exact solutions a difference may be as small as one likes, on either side of a kink.
    #[test]
    fn both_derivatives_are_those_of_small_exact_differences(
        bytes in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        let space = explored(&model_text(&bytes));
        // A derivative takes several exact solutions to test.
        if space.states() > 24 {
            return Ok(());
        }
        let (Ok(exact), Ok(floats)) = (space.steady_state_exact(), space.steady_state()) else { return Ok(()) };
        let actions: Vec<String> = exact.throughputs().iter().map(|(name, _)| (*name).to_owned()).collect();
        let mut measures = vec![Measure::result_named("seen"), Measure::population_named("C0_0")];
        measures.extend(actions.first().map(|action| Measure::throughput_named(action)));
        let value = |space: &StateSpace, number: usize| {
            let pi = space.steady_state_exact().unwrap();
            match number {
                0 => pi.result_named("seen").unwrap(),
                1 => pi.population_named("C0_0").unwrap(),
                _ => pi.throughput_named(&actions[0]).unwrap(),
            }
        };
        for (number, measure) in measures.iter().enumerate() {
            let gains = exact.derivatives(measure).unwrap();
            let in_floats = floats.derivatives(measure).unwrap();
            prop_assert_eq!(gains.value(), &value(&space, number));
            for ((name, rising, falling), (_, up, down)) in gains.all().zip(in_floats.all()) {
                let rate = space.model().parameters()[space.model().parameter_named(name).unwrap().index()].value.clone();
                let step = &rate * ratio(1, 1_000_000_000);
                let difference = |step: &Ratio| {
                    let moved = space.with_rates(&[(name, (&rate + step).into())]).unwrap();
                    ((value(&moved, number) - gains.value()) / step).to_float()
                };
                let scale = (gains.value() / &rate).to_float();
                prop_assert!(differ(rising.to_float(), difference(&step), scale) < 1e-7, "{} {}", name, rising);
                prop_assert!(differ(falling.to_float(), difference(&-step), scale) < 1e-7, "{} {}", name, falling);
                prop_assert!(differ(rising.to_float(), *up, scale) < 1e-10, "{} {} {}", name, rising, up);
                prop_assert!(differ(falling.to_float(), *down, scale) < 1e-10, "{} {} {}", name, falling, down);
            }
        }
    }

    #[test]
    fn the_iterative_methods_and_elimination_agree_with_central_differences(
        bytes in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        let space = explored(&model_text(&bytes));
        let Ok(pi) = space.steady_state() else { return Ok(()) };
        let Some((action, throughput)) = pi.throughputs().first().map(|(name, value)| ((*name).to_owned(), *value)) else { return Ok(()) };
        let measure = Measure::throughput_named(&action);
        let direct = pi.derivatives(&measure).unwrap();
        let iterated = pi
            .derivatives_within(&measure, &Limits::default(), &Options { direct_up_to: 0, ..Options::default() })
            .unwrap();
        for ((name, rising, falling), (_, iterated, _)) in direct.all().zip(iterated.all()) {
            let rate = space.model().parameters()[space.model().parameter_named(name).unwrap().index()].value.to_float();
            prop_assert!(differ(*rising, *iterated, throughput / rate) < 1e-9, "{} {} {}", name, rising, iterated);
            let step = 1e-5 * rate;
            let at = |rate: f64| {
                let space = space.with_rates(&[(name, rate.into())]).unwrap();
                space.steady_state().unwrap().throughput_named(&action).unwrap()
            };
            let difference = (at(rate + step) - at(rate - step)) / (2.0 * step);
            let mean = 0.5 * (rising + falling);
            // The error is of the order of the step squared, but where the curvature differs on the two sides
            // of a kink.
            let error = if rising == falling { 1e-6 } else { 1e-4 };
            prop_assert!(differ(mean, difference, throughput / rate) < error, "{} {} {}", name, mean, difference);
        }
    }
}

/// A pipeline of stages with a processor and a link each.
fn pipeline(stages: usize) -> String {
    let rate = |at: usize| format!("{}", 3 + at * 7 % 5);
    let mut text = String::new();
    (1..=stages).for_each(|at| text += &format!("mu{at} = {};\n", rate(at)));
    (1..=stages + 1).for_each(|at| text += &format!("la{at} = {};\n", rate(at + 2)));
    for at in 1..=stages {
        text += &format!("S{at} = (move{at}, infty).(process{at}, mu{at}).(move{}, infty).S{at};\n", at + 1);
    }
    let moves: Vec<String> = (1..=stages + 1).map(|at| format!("(move{at}, la{at}).Net")).collect();
    text += &format!("Net = {};\n", moves.join(" + "));
    let names: Vec<String> = (1..=stages + 1).map(|at| format!("move{at}")).collect();
    let system = (2..=stages).fold("S1".to_owned(), |system, at| format!("{system} <move{at}> S{at}"));
    format!("{text}({system}) <{}> Net", names.join(", "))
}

#[test]
fn a_large_chain_is_iterated_and_agrees_with_elimination() {
    let space = explored(&pipeline(6));
    assert_eq!(space.states(), 729);
    let pi = space.steady_state().unwrap();
    let measure = Measure::throughput_named("move1");
    let iterated = pi.derivatives(&measure).unwrap();
    assert!(iterated.iterations() > 0 && iterated.residual() < 1e-11);
    let options = Options { direct_up_to: 1000, ..Options::default() };
    let direct = pi.derivatives_within(&measure, &Limits::default(), &options).unwrap();
    assert_eq!(direct.iterations(), 0);
    for ((name, iterated, _), (_, direct, _)) in iterated.all().zip(direct.all()) {
        assert!(differ(*iterated, *direct, 0.0) < 1e-10, "{name} {iterated} {direct}");
    }
    // Twice as fast in all is twice the throughput.
    let rates = space.model().parameters().iter().map(|rate| rate.value.to_float());
    let sum: f64 = iterated.all().zip(rates).map(|((_, gain, _), rate)| gain * rate).sum();
    assert!(differ(sum, *iterated.value(), 0.0) < 1e-11);
}

#[test]
fn parts_that_are_hardly_joined_have_derivatives_all_the_same() {
    // Between the two parts by rates of 1e-9: the split follows their ratio.
    let text = "a = 1e-9; b = 2e-9; P = (x, 1).Q + (over, a).R; Q = (y, 2).P; R = (z, 3).S + (back, b).P; S = (z, 4).R; P";
    let space = explored(text);
    let measure = Measure::throughput_named("z");
    let exact = space.steady_state_exact().unwrap().derivatives(&measure).unwrap();
    let iterate = Options { direct_up_to: 0, ..Options::default() };
    let pi = space.steady_state().unwrap();
    for options in [Options::default(), iterate] {
        let gains = pi.derivatives_within(&measure, &Limits::default(), &options).unwrap();
        for rate in ["a", "b"] {
            let (found, expected) = (gains.by(rate).unwrap(), exact.by(rate).unwrap().to_float());
            assert!(differ(found, expected, 0.0) < 1e-6, "{rate} {found} {expected}");
        }
    }
}

#[test]
fn a_kink_has_two_derivatives_and_says_so() {
    let text = "r = 2; s = 2; t = 2; u = 1;
        P = (go, r).P1; P1 = (back, u).P; Q = (go, s).Q; R = (go, t).R; (P <go> Q) <go> R";
    let space = explored(text);
    let exact = space.steady_state_exact().unwrap().derivatives(&Measure::throughput_named("go")).unwrap();
    let floats = space.steady_state().unwrap().derivatives(&Measure::throughput_named("go")).unwrap();
    // The throughput is u g / (u + g) with the least g of the three, and (u / (u + g))^2 = 1/9.
    for rate in ["r", "s", "t"] {
        assert_eq!(exact.one_sided(rate).unwrap(), (ratio(0, 1), ratio(1, 9)));
        let (rising, falling) = floats.one_sided(rate).unwrap();
        assert!(rising.abs() < 1e-15 && (falling - 1.0 / 9.0).abs() < 1e-15);
        let message = exact.by(rate).unwrap_err().to_string();
        assert!(message.contains(&format!("a kink at this value of `{rate}`")), "{message}");
    }
    assert_eq!(exact.by("u").unwrap(), ratio(4, 9));
    // Equal whatever the rate is: there is no kink.
    let same = explored("r = 2; P = (go, r).P1; P1 = (back, 1).P; Q = (go, r).Q; P <go> Q");
    let gains = same.steady_state_exact().unwrap().derivatives(&Measure::throughput_named("go")).unwrap();
    assert_eq!(gains.by("r").unwrap(), ratio(1, 9));
    // Equal but for rounding.
    let rounded =
        explored("r = 0.1; s = 0.3; P = (go, r).P + (go, r).P + (go, r).P; Q = (go, s).Q; P <go> Q");
    let pi = rounded.steady_state().unwrap();
    assert!(pi.derivatives(&Measure::throughput_named("go")).unwrap().by("s").is_err());
}

#[test]
fn rates_defined_by_others_follow_and_factors_count() {
    let text = "mu = 2; fast = 3 * mu - 1 / mu; P = (go, fast).Q; Q = (back, mu).P; P; seen = mu * mu * {Q};";
    let pi = explored(text).steady_state_exact().unwrap();
    let gains = pi.derivatives(&Measure::result_named("seen")).unwrap();
    // mu^2 fast / (fast + mu), with fast = 3 mu - 1 / mu: (3 mu^4 - mu^2) / (4 mu^2 - 1), at 2 44/15.
    assert_eq!(*gains.value(), ratio(44, 15));
    let by_mu = (ratio(12 * 8 - 2 * 2, 1) * ratio(15, 1) - ratio(44, 1) * ratio(16, 1)) / ratio(225, 1);
    assert_eq!(gains.by("mu").unwrap(), by_mu);
    // By `fast` alone: mu^3 / (fast + mu)^2.
    assert_eq!(gains.by("fast").unwrap(), ratio(8, 1) / (ratio(15, 2) * ratio(15, 2)));
}

#[test]
fn a_rate_of_one_of_several_lumped_parts_is_refused() {
    let text = "r = 2; s = 2; m = 1; Source = (give1, m).Source + (give2, m).Source;
        One = (give1, infty).(work1, r).One; Two = (give2, infty).(work2, s).Two;
        Source <give1, give2> (One || Two)";
    let model = Model::from_text(text).unwrap();
    let measure = Measure::throughput_named("work1");
    let refused = model
        .explorer()
        .lumped()
        .explore()
        .unwrap()
        .steady_state()
        .unwrap()
        .derivatives(&measure)
        .unwrap_err();
    assert!(
        refused.to_string().contains("the rate `r` tells apart components that were lumped"),
        "{refused}"
    );
    let one = text.replace("s = 2;", "").replace("work2, s", "work2, r");
    let model = Model::from_text(&one).unwrap();
    let lumped = model.explorer().lumped().explore().unwrap().steady_state_exact().unwrap();
    let plain = model.explore().unwrap().steady_state_exact().unwrap();
    assert!(lumped.space().states() < plain.space().states());
    let (lumped, plain) = (lumped.derivatives(&measure).unwrap(), plain.derivatives(&measure).unwrap());
    assert!(lumped.all().eq(plain.all()));
}

#[test]
fn transient_states_do_not_count_and_several_ends_are_refused() {
    let text = "r = 1; s = 3; Start = (begin, r).P; P = (go, r).Q; Q = (back, s).P; Start";
    let gains =
        explored(text).steady_state_exact().unwrap().derivatives(&Measure::throughput_named("go")).unwrap();
    assert_eq!((gains.by("r").unwrap(), gains.by("s").unwrap()), (ratio(9, 16), ratio(1, 16)));
    let ends = explored("r = 1; P = (left, r).L + (right, 2).R; L = (stay, r).L; R = (stay, 1).R; P");
    let refused = ends
        .solver()
        .long_run()
        .solve()
        .unwrap()
        .derivatives(&Measure::throughput_named("stay"))
        .unwrap_err();
    assert!(matches!(refused, skel::Error::SeveralRecurrentClasses(_)));
    let one = explored("r = 2; P = (stay, r).P; P").steady_state().unwrap();
    assert_eq!(one.derivatives(&Measure::throughput_named("stay")).unwrap().by("r").unwrap(), 1.0);
}

#[test]
fn limits_hold() {
    let pi = explored(&pipeline(6)).steady_state().unwrap();
    let measure = Measure::throughput_named("move1");
    let limits = Limits { memory: 100_000, ..Limits::default() };
    let stopped = pi.derivatives_within(&measure, &limits, &Options::default()).unwrap_err();
    assert!(matches!(stopped, skel::Error::Stopped(_)), "{stopped}");
    // Where iterating may not go on, the bias is eliminated.
    let limits = Limits { iterations: 2, ..Limits::default() };
    assert_eq!(pi.derivatives_within(&measure, &limits, &Options::default()).unwrap().iterations(), 0);
}
