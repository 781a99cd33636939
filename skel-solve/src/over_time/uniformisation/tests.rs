//! Closed forms, and laws between the two directions and between the ways to ask.

use super::adaptive::births::births;
use super::adaptive::rising::Rising;
use super::chain::Uniformised;
use super::flow::{Backwards, End, Ended, Flow, Forwards};
use super::of_space::SpaceRates;
use super::poisson::poisson;
use super::sequence::{Sequence, Wanted};
use super::vectors::{Asked, At, Steps, vectors_at};
use super::weights::Weights;
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::refused::Refused;
use crate::space::{Explore, StateSpace};

fn space(text: &str) -> StateSpace {
    skel_core::model::Model::from_text(text).unwrap().explore().unwrap()
}

/// What is done with a uniformised chain.
type Work<'w> = &'w mut dyn FnMut(&dyn Flow, &mut Watch<'_>);

/// Does something forwards and backwards.
fn with(space: &StateSpace, forwards: Work<'_>, backwards: Work<'_>) {
    let limits = Limits::default();
    let mut watch = Watch::start(&limits);
    let budget = MemoryBudget::new(&limits);
    let rates = SpaceRates::new(space, budget, &limits, &mut watch).unwrap();
    forwards(&Forwards::new(rates.operator(), &mut watch).unwrap(), &mut watch);
    backwards(&Backwards::new(rates.operator(), budget, &mut watch).unwrap(), &mut watch);
}

fn answers(
    flow: &dyn Flow,
    start: Vec<f64>,
    times: &[f64],
    limit: Option<&[f64]>,
    watch: &mut Watch<'_>,
) -> Result<(Vec<At>, Steps), Error> {
    let chain = Uniformised::new(flow);
    let mut all = Vec::new();
    let asked = Asked { times, integrals: true, tolerance: 1e-9, most_steps: 10_000_000 };
    let mut find = |_: &mut Watch<'_>| Ok(limit.map(<[f64]>::to_vec));
    let steps = vectors_at(&chain, start, &asked, Some(&mut find), watch, &mut |number, at| {
        assert_eq!(number, all.len());
        all.push(at);
        Ok(())
    })?;
    Ok((all, steps))
}

fn unit(states: usize, at: usize) -> Vec<f64> {
    let mut start = vec![0.0; states];
    start[at] = 1.0;
    start
}

#[test]
fn weights_are_those_of_a_poisson_distribution() {
    let known = [
        (0.1, 0, 0.904_837_418_035_959_6),
        (0.1, 5, 7.540_311_816_966_33e-8),
        (1.0, 20, 1.512_101_350_301_210_2e-19),
        (25.0, 0, 1.388_794_386_496_402_1e-11),
        (400.0, 300, 2.596_579_316_436_528_6e-8),
        (1020.0, 794, 2.352_116_212_827_187_6e-14),
        (1020.0, 1293, 2.695_291_803_985_401_7e-17),
        (1e4, 9500, 1.231_837_037_682_146_2e-8),
        (1e6, 1_000_000, 3.989_422_471_562_440_3e-4),
        (1e6, 1_005_000, 1.514_158_102_861_422_1e-9),
        (1e8, 99_950_000, 1.483_995_677_676_040_3e-10),
        (1e8, 100_000_000, 3.989_422_800_689_808e-5),
    ];
    for (mean, steps, weight) in known {
        let weights = poisson(mean, 1.0, 1e-30);
        let found = weights.weight(steps);
        assert!((found / weight - 1.0).abs() < 1e-11, "{mean}, {steps}: {found:e} for {weight:e}");
        assert!((found - weight).abs() < weights.error());
    }
    let weights = poisson(1e10, 1.0, 1e-15);
    assert!(weights.last() - weights.first() < 2_000_000 && weights.error() < 1e-8);
    let nothing = poisson(1.0, 0.0, 1e-15);
    assert_eq!((nothing.first(), nothing.last(), nothing.weight(0), nothing.after(0)), (0, 0, 1.0, 0.0));
}

#[test]
fn births_at_one_rate_are_poisson_weights() {
    let limits = Limits::default();
    let (mut watch, budget) = (Watch::start(&limits), MemoryBudget::new(&limits));
    for time in [0.01, 1.0, 37.0, 5000.0] {
        let known = poisson(2.0, time, 1e-15);
        let found = births(&Rising::of(&[(0, 2.0)]), time, 1e-15, budget, &mut watch).unwrap();
        let steps = known.first().min(found.first())..=known.last().max(found.last());
        let off = |of: &dyn Fn(&Weights, u64) -> f64| -> f64 {
            steps.clone().map(|step| (of(&known, step) - of(&found, step)).abs()).sum()
        };
        assert!(off(&Weights::weight) <= known.error() + found.error(), "{time}");
        assert!(off(&Weights::after) <= 2.0 * (known.error_of_time() + found.error_of_time()), "{time}");
        assert!((found.mean() / known.mean() - 1.0).abs() < 1e-5 && found.error() < 1e-8, "{time}");
    }
}

#[test]
fn births_at_rising_rates_have_their_closed_forms() {
    let limits = Limits::default();
    let (mut watch, budget) = (Watch::start(&limits), MemoryBudget::new(&limits));
    let yule: Vec<(u64, f64)> = (0..100_000).map(|step| (step, 3.0 * (step + 1) as f64)).collect();
    let yule = Rising::of(&yule);
    for time in [0.001, 0.1, 1.0] {
        let found = births(&yule, time, 1e-14, budget, &mut watch).unwrap();
        let begun = -f64::exp_m1(-3.0 * time);
        let known = |step: u64| f64::exp(-3.0 * time) * begun.powf(step as f64);
        let off: f64 =
            (found.first()..=found.last()).map(|step| (found.weight(step) - known(step)).abs()).sum();
        let beyond = begun.powf((found.last() + 1) as f64);
        assert!(off + beyond <= found.error() + 1e-14, "{time}: {off:e} {beyond:e} {:e}", found.error());
        // Chernoff's bound is one, and not far from the least number.
        let last = yule.last(time, 1e-14);
        assert!(begun.powf((last + 1) as f64) <= 1e-14 && begun.powf(0.8 * (last + 1) as f64 - 5.0) > 1e-14);
    }
    // A slow step, and then fast ones that matter.
    let found = births(&Rising::of(&[(0, 1.0), (1, 100.0)]), 2.0, 1e-14, budget, &mut watch).unwrap();
    assert!((found.weight(0) - f64::exp(-2.0)).abs() <= found.error());
    let one = (f64::exp(-2.0) - f64::exp(-200.0)) / 99.0;
    assert!((found.weight(1) - one).abs() <= found.error(), "{:e} {one:e}", found.weight(1));
    assert!(found.error() < 1e-11 && found.last() > 200);
}

#[test]
fn two_states_follow_the_closed_form_in_both_directions() {
    let space = space("Up = (fail, 0.3).Down; Down = (mend, 2).Up; Up");
    let (a, b) = (0.3, 2.0);
    let times = [0.0, 0.1, 1.0, 5.0, 5.0, 100.0];
    let up = |t: f64| b / (a + b) + a / (a + b) * f64::exp(-(a + b) * t);
    let over = |t: f64| b * t / (a + b) + a / (a + b) / (a + b) * (1.0 - f64::exp(-(a + b) * t));
    let check = |found: Vec<At>| {
        for (at, t) in found.into_iter().zip(times) {
            let (integral, error) = at.integral.unwrap();
            assert!((at.vector[0] - up(t)).abs() <= at.error, "{t}: {:?} {}", at.vector, up(t));
            assert!((integral[0] - over(t)).abs() <= error, "{t}: {integral:?} {}", over(t));
            assert!(at.error < 1e-9 && error <= 1e-9 * t.max(1.0), "{} {error}", at.error);
        }
    };
    let limit = Some(vec![b / (a + b), a / (a + b)]);
    with(
        &space,
        &mut |flow, watch| {
            check(answers(flow, unit(2, 0), &times, None, watch).unwrap().0);
            let (found, steps) = answers(flow, unit(2, 0), &times, limit.as_deref(), watch).unwrap();
            assert_eq!(steps.settled, Some(50));
            check(found);
            // For few steps no limit is asked for.
            let short = answers(flow, unit(2, 0), &[50.0], limit.as_deref(), watch).unwrap();
            assert_eq!(short.1.settled, None);
            assert!((short.0[0].vector[0] - up(50.0)).abs() <= short.0[0].error);
        },
        &mut |flow, watch| {
            // The probability of being up, from each state.
            check(answers(flow, unit(2, 0), &times, None, watch).unwrap().0);
        },
    );
}

#[test]
fn a_state_that_is_left_late_is_no_limit() {
    let text = "Start = (left, 500).First + (right, 500).Second; First = (drift, 0.01).Second; Second = (stay, 1).Second;
        Tick = (tick, 1000).Tock; Tock = (tock, 1000).Tick; Start || Tick";
    let space = space(text);
    let first: Vec<usize> =
        (0..space.states()).filter(|&state| space.display_state(state).starts_with("First")).collect();
    let second = (0..space.states()).map(|state| space.display_state(state).starts_with("Second"));
    let limit: Vec<f64> = second.map(|is_second| if is_second { 0.5 } else { 0.0 }).collect();
    let (e, t) = (0.01, 100.0);
    let known = 500.0 * (f64::exp(-e * t) - f64::exp(-1000.0 * t)) / (1000.0 - e);
    with(
        &space,
        &mut |flow, watch| {
            let start = unit(space.states(), 0);
            let (found, steps) = answers(flow, start, &[t], Some(&limit), watch).unwrap();
            let sum: f64 = first.iter().map(|&state| found[0].vector[state]).sum();
            assert!((sum - known).abs() <= found[0].error && found[0].error < 1e-9, "{sum} {known}");
            assert_eq!(steps.settled, None);
        },
        &mut |_, _| {},
    );
}

/// `1 - exp(-rate t) sum of (rate t)^i / i!` over `i < stages`
fn erlang(stages: u32, rate: f64, t: f64) -> f64 {
    let mut term = f64::exp(-rate * t);
    let mut left = 0.0;
    for stage in 1..=stages {
        left += term;
        term *= rate * t / f64::from(stage);
    }
    1.0 - left
}

#[test]
fn ended_states_give_the_distribution_of_an_erlang_time() {
    let space =
        space("A = (a, 2).B; B = (a, 2).C; C = (a, 2).D; D = (a, 2).E; E = (a, 2).F; F = (back, 7).A; A");
    let ended: Vec<bool> = (0..6).map(|state| state == 5).collect();
    let times = [0.0, 0.5, 1.0, 2.5, 5.0, 20.0];
    let limits = Limits::default();
    with(
        &space,
        &mut |flow, watch| {
            for end in [End::Absorbed, End::Removed] {
                let ended = Ended::new(flow, ended.clone(), end);
                let chain = Uniformised::new(&ended);
                let wanted = Wanted { tolerance: 1e-9, most_steps: 1_000_000 };
                let products = vec![Some(unit(6, 5)), None];
                let budget = MemoryBudget::new(&limits);
                let start = unit(6, 0);
                let mut sequence = Sequence::new(&chain, start, products, None, wanted, budget).unwrap();
                for t in times {
                    sequence.reach(t, watch).unwrap();
                    let (end_of, all) = (sequence.at(0, t), sequence.at(1, t));
                    let cdf = erlang(5, 2.0, t);
                    let (expected, sum) = match end {
                        End::Absorbed => (cdf, 1.0),
                        End::Removed => (0.0, 1.0 - cdf),
                    };
                    assert!((end_of.value - expected).abs() <= end_of.error, "{t}: {end_of:?} {expected}");
                    assert!((all.value - sum).abs() <= all.error && all.error < 2e-9, "{t}: {all:?}");
                }
                sequence.reach(1000.0, watch).unwrap();
                assert!(sequence.settled_at().is_some_and(|step| step < 200), "{:?}", sequence.settled_at());
                let (late, all) = (sequence.at(0, 1e15), f64::from(u8::from(end == End::Absorbed)));
                assert!((late.value - all).abs() <= late.error && late.error < 2e-9, "{late:?}");
            }
        },
        &mut |flow, watch| {
            let ended = Ended::new(flow, ended.clone(), End::Absorbed);
            let found = answers(&ended, unit(6, 5), &times, None, watch).unwrap().0;
            for (at, t) in found.iter().zip(times) {
                for state in 0..6 {
                    let cdf = erlang(5 - state as u32, 2.0, t);
                    let cdf = if state == 5 { 1.0 } else { cdf };
                    assert!((at.vector[state] - cdf).abs() <= at.error, "{t}: {state}");
                }
            }
        },
    );
}

#[test]
fn forwards_and_backwards_agree_on_a_space_of_bits() {
    let text = "P = (a, 1).Q; Q = (b, infty).R; R = (c, 3).P; S = (b, 1/2).T; T = (d, 1/10).S; (P || P || P || P || P || P) <b> (S || S)";
    let space = space(text);
    let states = space.states();
    let limits = Limits::default();
    let mut watch = Watch::start(&limits);
    let budget = MemoryBudget::new(&limits);
    let rates = SpaceRates::new(&space, budget, &limits, &mut watch).unwrap();
    let times = [0.3, 2.0, 30.0];
    let forwards = Forwards::new(rates.operator(), &mut watch).unwrap();
    let forwards = answers(&forwards, unit(states, 0), &times, None, &mut watch).unwrap().0;
    let backwards = Backwards::new(rates.operator(), budget, &mut watch).unwrap();
    let reward: Vec<f64> = (0..states).map(|state| (state % 7) as f64).collect();
    let backwards = answers(&backwards, reward.clone(), &times, None, &mut watch).unwrap().0;
    for (forwards, backwards) in forwards.iter().zip(&backwards) {
        let value = crate::vector::dot(&forwards.vector, &reward);
        let error = 7.0 * forwards.error + backwards.error;
        assert!((value - backwards.vector[0]).abs() <= error, "{value} {}", backwards.vector[0]);
        let (of_forwards, of_backwards) =
            (forwards.integral.as_ref().unwrap(), backwards.integral.as_ref().unwrap());
        let value = crate::vector::dot(&of_forwards.0, &reward);
        assert!((value - of_backwards.0[0]).abs() <= 7.0 * of_forwards.1 + of_backwards.1);
    }
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let space = space("P = (a, 1000).Q; Q = (b, 1).P; P");
    with(
        &space,
        &mut |flow, watch| {
            let refused = answers(flow, unit(2, 0), &[1e8], None, watch).map(|_| ()).unwrap_err();
            assert!(matches!(refused, Error::OverTime(Refused::TooManySteps { .. })), "{refused}");
            let refused = answers(flow, unit(2, 0), &[5e3], None, watch).map(|_| ()).unwrap_err();
            let Error::OverTime(Refused::Unattainable { attainable, .. }) = refused else {
                panic!("{refused}")
            };
            assert!((1e-9..1e-7).contains(&attainable));
        },
        &mut |_, _| {},
    );
}

#[test]
fn nothing_moves_where_no_state_is_left() {
    let space = space("P = (a, 3).P; P");
    with(
        &space,
        &mut |flow, watch| {
            let found = answers(flow, vec![1.0], &[0.0, 1e12], None, watch).unwrap().0;
            assert_eq!((found[1].vector[0], found[1].integral.as_ref().unwrap().0[0]), (1.0, 1e12));
        },
        &mut |_, _| {},
    );
}

#[test]
fn small_vectors_have_errors_in_proportion() {
    // What is left after a time of exponential distribution, of which a part is followed: the limit stands
    // for the end too soon otherwise.
    let space = space("A = (a, 1).B + (c, 40).C; C = (d, 40).A; B = (b, 1).B; A");
    let ended: Vec<bool> = (0..3).map(|state| space.display_state(state).starts_with('B')).collect();
    with(
        &space,
        &mut |flow, watch| {
            let flow = Ended::new(flow, ended.clone(), End::Absorbed);
            let times = [40.0, 400.0];
            for scale in [1.0, 0.1, 1e-3] {
                let start: Vec<f64> = unit(3, 0).iter().map(|value| value * scale).collect();
                let (found, steps) = answers(&flow, start, &times, None, watch).unwrap();
                assert!(steps.settled.is_some());
                for at in found {
                    let inside: f64 = at
                        .vector
                        .iter()
                        .zip(&ended)
                        .filter(|(_, ended)| **ended)
                        .map(|(value, _)| value)
                        .sum();
                    // The slow rate of the two phases is above 0.49, so after 40 nearly nothing is left.
                    assert!(
                        (inside - scale).abs() <= at.error + scale * 1e-8_f64.min(f64::exp(-0.49 * 40.0)),
                        "{inside}"
                    );
                    assert!(at.error <= 1e-9 * scale, "{scale}: {}", at.error);
                }
            }
        },
        &mut |_, _| {},
    );
}
