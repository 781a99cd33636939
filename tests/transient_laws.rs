//! Laws of transient distributions over generated chains: no probability, average or throughput is further
//! from the truth than its bound says.
//!
//! The truth is computed in whole numbers with 200 bits after the point, by the series of `exp(Q t)` over the
//! uniformised chain, in which nothing is subtracted.
//! `CHAINS=10000 cargo test --release --test transient_laws` tries as many chains.

use num_bigint::BigInt;
use skel::number::Number;
use skel::prelude::*;
use skel::transient::{Method, Transient};

/// Bits after the point.
const BITS: u64 = 200;

/// A sequence of numbers that look random, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// A rate over some orders of magnitude: a decimal, or a fraction that no `f64` has.
    fn rate(&mut self) -> Ratio {
        let whole = 1 + self.below(40) as i64;
        let power = 10_i64.pow(self.below(3) as u32);
        match self.below(3) {
            0 => ratio(whole, power),
            1 => ratio(whole * power, 7),
            _ => ratio(whole, 3 * power),
        }
    }
}

/// A chain as its rates, and as the text of a model.
struct Chain {
    rates: Vec<Vec<(usize, Ratio)>>,
    /// For each state the rate at which it does `b`.
    of_b: Vec<Ratio>,
    text: String,
}

impl Chain {
    fn exit(&self, state: usize) -> Ratio {
        self.rates[state].iter().fold(ratio(0, 1), |sum, (_, rate)| sum + rate)
    }

    /// The largest exit rate.
    fn fastest(&self) -> Ratio {
        (0..self.rates.len()).map(|state| self.exit(state)).max().unwrap()
    }
}

/// Each state leads to a few others; some are never left.
fn chain(random: &mut Random) -> Chain {
    let states = 2 + random.below(6) as usize;
    let mut rates = vec![Vec::new(); states];
    let mut of_b = vec![ratio(0, 1); states];
    let mut text = String::new();
    for state in 0..states {
        let mut activities = Vec::new();
        let count = if state > 0 && random.below(6) == 0 { 0 } else { 1 + random.below(3) };
        for _ in 0..count {
            let (target, rate) = (random.below(states as u64) as usize, random.rate());
            let action = if random.below(2) == 0 { "a" } else { "b" };
            if action == "b" {
                of_b[state] += rate.clone();
            }
            activities.push(format!("({action}, {rate}).S{target}"));
            if target != state {
                rates[state].push((target, rate));
            }
        }
        if activities.is_empty() {
            activities.push(format!("(stay, 1).S{state}"));
        }
        text += &format!("S{state} = {};\n", activities.join(" + "));
    }
    Chain { rates, of_b, text: text + "S0" }
}

/// A ratio as a whole number of units in the last place.
fn fixed(value: &Ratio) -> BigInt {
    (value.numer() << BITS) / value.denom()
}

/// The distribution at a time, and the average until then.
fn truth(chain: &Chain, time: &Ratio) -> [Vec<f64>; 2] {
    let states = chain.rates.len();
    let (exit, fastest) = (|state: usize| chain.exit(state), chain.fastest());
    let start =
        || (0..states).map(|state| BigInt::from(i32::from(state == 0)) << BITS).collect::<Vec<BigInt>>();
    if fastest == ratio(0, 1) || *time == ratio(0, 1) {
        return [0, 1].map(|_| (0..states).map(|state| if state == 0 { 1.0 } else { 0.0 }).collect());
    }
    let mean = fastest.clone() * time;
    let stays: Vec<BigInt> =
        (0..states).map(|state| fixed(&(ratio(1, 1) - exit(state) / &fastest))).collect();
    let shares = |state: usize| chain.rates[state].iter().map(|(to, rate)| (*to, fixed(&(rate / &fastest))));
    let shares: Vec<Vec<(usize, BigInt)>> = (0..states).map(|state| shares(state).collect()).collect();
    let fixed_mean = fixed(&mean);
    let mut vector = start();
    let mut weight = BigInt::from(1) << BITS;
    let mut sum = BigInt::from(0);
    let (mut at, mut over) = (vec![BigInt::from(0); states], vec![BigInt::from(0); states]);
    let mut before = vec![BigInt::from(0); states];
    let mut step = 0_u32;
    // The terms fall by half a step, once there are twice as many of them as the mean.
    while f64::from(step) < 2.0 * mean.to_float() + 1.0 || (&weight << 120_u32) > sum {
        sum += &weight;
        for state in 0..states {
            at[state] += (&weight * &vector[state]) >> BITS;
            over[state] += (&weight * &before[state]) >> BITS;
            before[state] += &vector[state];
        }
        let mut next: Vec<BigInt> =
            vector.iter().zip(&stays).map(|(value, stay)| (value * stay) >> BITS).collect();
        for state in 0..states {
            for (to, share) in &shares[state] {
                next[*to] += (&vector[state] * share) >> BITS;
            }
        }
        vector = next;
        step += 1;
        weight = ((weight * &fixed_mean) >> BITS) / step;
    }
    let value = |part: &BigInt| f64::from_ratio(&Ratio::new(part.clone(), sum.clone()));
    let average = |part: &BigInt| f64::from_ratio(&(Ratio::new(part.clone(), sum.clone()) / &mean));
    [at.iter().map(value).collect(), over.iter().map(average).collect()]
}

/// Checks one answer.
fn check(chain: &Chain, space: &StateSpace, transient: &Transient<Model>, times: &[Ratio]) {
    let report = transient.report();
    let number = |state: usize| space.display_state(state)[1..].parse::<usize>().unwrap();
    for (point, time) in transient.points().iter().zip(times) {
        let [at, average] = truth(chain, time);
        let off = |found: &[f64], known: &[f64]| -> f64 {
            found.iter().enumerate().map(|(state, value)| (value - known[number(state)]).abs()).sum()
        };
        let found = off(point.probabilities(), &at);
        assert!(found <= point.error(), "{}\n{time}: {found:e} {:e} {report:?}", chain.text, point.error());
        let found = off(point.average().unwrap().probabilities(), &average);
        let error = point.average_error();
        assert!(found <= error, "{}\naverage to {time}: {found:e} {error:e} {report:?}", chain.text);
        if let Ok(found) = point.throughput_named("b") {
            let of_b = |known: &[f64]| -> f64 {
                known.iter().zip(&chain.of_b).map(|(value, rate)| value * rate.to_float()).sum()
            };
            let off = (found - of_b(&at)).abs();
            assert!(off <= report.error, "{}\nthroughput at {time}: {off:e} {report:?}", chain.text);
            let off = (point.average().unwrap().throughput_named("b").unwrap() - of_b(&average)).abs();
            assert!(off <= report.error, "{}\nthroughput to {time}: {off:e} {report:?}", chain.text);
        }
    }
}

#[test]
fn no_figure_is_outside_its_bound() {
    let chains = std::env::var("CHAINS").ok().and_then(|count| count.parse().ok()).unwrap_or(20);
    let mut random = Random(2026);
    let mut answered = [0; 4];
    for _ in 0..chains {
        let chain = chain(&mut random);
        let space = Model::from_text(&chain.text).unwrap().explore().unwrap();
        // Up to 100 steps of uniformisation on average: the truth has numbers of more bits for more.
        let unit = if chain.fastest() == ratio(0, 1) { ratio(1, 1) } else { chain.fastest() };
        let mut times: Vec<Ratio> =
            (0..3).map(|_| ratio(1 + random.below(1000) as i64, 10) / &unit).collect();
        times.push(ratio(0, 1));
        times.sort();
        let in_floats: Vec<f64> = times.iter().map(Number::to_float).collect();
        for (place, method) in [Method::Automatic, Method::Uniformisation, Method::Adaptive, Method::Squaring]
            .into_iter()
            .enumerate()
        {
            let tolerance = [1e-9, 1e-8, 1e-8, 1e-9][place];
            let solver = space.transient_solver(&in_floats).over().method(method).tolerance(tolerance);
            match solver.solve() {
                Ok(transient) => {
                    check(&chain, &space, &transient, &times);
                    answered[place] += 1;
                }
                Err(error) => assert!(matches!(error, skel::Error::OverTime(_)), "{error}"),
            }
        }
    }
    assert!(answered.iter().all(|&count| count * 10 >= chains * 9), "{answered:?}");
}

#[test]
fn estimates_of_the_implicit_method_hold() {
    let mut random = Random(7);
    for _ in 0..10 {
        let chain = chain(&mut random);
        let space = Model::from_text(&chain.text).unwrap().explore().unwrap();
        let unit = if chain.fastest() == ratio(0, 1) { ratio(1, 1) } else { chain.fastest() };
        let times = [ratio(1, 10), ratio(1 + random.below(60) as i64, 1)].map(|steps| steps / &unit);
        let in_floats: Vec<f64> = times.iter().map(Number::to_float).collect();
        let solver = space.transient_solver(&in_floats).over().method(Method::Implicit).tolerance(1e-4);
        check(&chain, &space, &solver.solve().unwrap(), &times);
    }
}

fn models() -> Vec<Model> {
    let folder = format!("{}/models", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "pepa")).collect();
    files.sort();
    let models = files.iter().filter_map(|file| Model::from_file(file).ok());
    models
        .filter(|model| {
            model.explorer().limits(&Limits { states: 3000, ..Limits::default() }).explore().is_ok()
        })
        .collect()
}

#[test]
fn long_times_agree_with_the_steady_state() {
    let mut compared = 0;
    for model in models() {
        let space = model.explore().unwrap();
        let Ok(steady) = space.steady_state() else { continue };
        let transient = space.transient_solver(&[1e5]).tolerance(1e-5).solve().unwrap();
        let (point, error) = (&transient.points()[0], transient.report().error);
        for (name, value) in steady.throughputs() {
            let found = point.throughput_named(name).unwrap();
            assert!(
                (found - value).abs() <= error + 1e-8,
                "{name}: {found} {value} {:?}",
                transient.report()
            );
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn lumping_changes_nothing() {
    let mut lumped_models = 0;
    for model in models() {
        let (space, lumped) = (model.explore().unwrap(), model.explorer().lumped().explore().unwrap());
        if lumped.states() == space.states() {
            continue;
        }
        lumped_models += 1;
        let times = [0.3, 2.0, 11.0];
        let one = space.transient_solver(&times).over().solve().unwrap();
        let other = lumped.transient_solver(&times).over().solve().unwrap();
        let error = one.report().error + other.report().error;
        for (one, other) in one.points().iter().zip(other.points()) {
            for (name, value) in one.throughputs() {
                assert!((other.throughput_named(name).unwrap() - value).abs() <= error, "{name}");
            }
            for (one, other) in one.utilisations().iter().zip(other.utilisations()) {
                for ((name, value), (_, other)) in one.local_states.iter().zip(&other.local_states) {
                    assert!((value - other).abs() <= error, "{name}");
                }
            }
            let (average, of_lumped) = (one.average().unwrap(), other.average().unwrap());
            for (name, value) in average.throughputs() {
                assert!((of_lumped.throughput_named(name).unwrap() - value).abs() <= error, "{name}");
            }
        }
    }
    assert!(lumped_models >= 3, "{lumped_models}");
}
