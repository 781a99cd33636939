//! Laws of response times over random programs: Little's law exactly, figures that do not depend on lumping,
//! and items in the order of a simulation.

#[path = "generated/draw.rs"]
mod draw;
#[allow(dead_code)]
#[path = "generated/program.rs"]
mod generated;

use draw::Draw;
use generated::draw_program_with_teams;
use proptest::prelude::*;
use skel::Error;
use skel::number::Number;
use skel::passage::Figure;
use skel::prelude::*;
use skel::response::{ResponseTime, ResponseTimes};
use skel::skeleton::{Program, System, Tree, text};

fn program(said: &str) -> Program<Tree> {
    let parsed = text::parse(said);
    assert!(parsed.diagnostics.is_empty(), "{said}: {:?}", parsed.diagnostics);
    parsed.program().expect("a program")
}

/// An answer within so many states; none where there are more.
fn within<T>(said: &str, answer: Result<T, Error>) -> Option<T> {
    match answer {
        Err(Error::Stopped(_)) => None,
        answer => Some(answer.unwrap_or_else(|error| panic!("{said}: {error}"))),
    }
}

fn response(said: &str, system: &System, is_lumped: bool, states: u64) -> Option<ResponseTime> {
    let limits = Limits { states, ..Limits::default() };
    let question = ResponseTimes::of_system(system).limits(&limits);
    let question = if is_lumped { question } else { question.unlumped() };
    within(said, question.solve())
}

fn meet(one: Figure, other: Figure) -> bool {
    (one.value - other.value).abs() <= one.error + other.error
}

/// How many random programs are tried; `RESPONSE_PROGRAMS` sets another number.
fn programs() -> u32 {
    std::env::var("RESPONSE_PROGRAMS").ok().and_then(|programs| programs.parse().ok()).unwrap_or(20)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: programs(), failure_persistence: None, ..ProptestConfig::default() })]

    /// As many items inside on average as begin during the mean response time, in fractions.
    #[test]
    fn littles_law_is_exact(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let said = draw_program_with_teams(&mut Draw::new(&bytes), 4).to_string();
        let program = program(&said);
        let system = program.lower_with_immediate_moves().expect("a system");
        let Some(response) = response(&said, &system, true, 150) else { return Ok(()) };
        let performance = program.performance_exact().expect("an answer");
        prop_assert_eq!(response.throughput_exact().unwrap(), performance.throughput().clone(), "{}", said);
        let moments = response.moments_exact(2).unwrap();
        prop_assert_eq!(&moments.raw[0], &performance.response_time(), "{}", said);
        prop_assert_eq!(&moments.ends, &ratio(1, 1));
        let (mean, variance) = (response.mean().unwrap(), response.variance().unwrap());
        prop_assert!((mean.value - moments.raw[0].to_float()).abs() <= mean.error, "{}", said);
        prop_assert!((variance.value - moments.variance.unwrap().to_float()).abs() <= variance.error, "{}", said);
    }

    /// Lumping changes no figure, and what is left of an item does not end before its services.
    #[test]
    fn lumping_changes_no_figure(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let said = draw_program_with_teams(&mut Draw::new(&bytes), 5).to_string();
        let system = program(&said).lower_with_immediate_moves().expect("a system");
        let found = (response(&said, &system, true, 600), response(&said, &system, false, 600));
        let (Some(lumped), Some(unlumped)) = found else { return Ok(()) };
        prop_assert!(lumped.states() <= unlumped.states());
        prop_assert!(meet(lumped.throughput(), unlumped.throughput()), "{}", said);
        prop_assert!(meet(lumped.mean().unwrap(), unlumped.mean().unwrap()), "{}", said);
        prop_assert!(meet(lumped.variance().unwrap(), unlumped.variance().unwrap()), "{}", said);
        let times = [0.0, 0.5, 2.0, 10.0];
        let (points, quantiles) = lumped.curve(&times, &[0.5]).unwrap();
        for (point, other) in points.iter().zip(unlumped.at(&times).unwrap()) {
            prop_assert!(meet(point.probability, other.probability), "{}: {:?} {:?}", said, point, other);
            prop_assert!(meet(point.density, other.density), "{}: {:?} {:?}", said, point, other);
        }
        prop_assert!(meet(quantiles[0].time.unwrap(), unlumped.quantile(0.5).unwrap()), "{}", said);
    }
}

/// A simulation that keeps the order of items: a pipe of tasks whose moves take no time, with a buffer before
/// each but the first. An item leaves a task when it is computed and there is room behind, which is when the
/// item `places + 1` before it has left the next task.
fn simulated(rates: &[f64], places: usize, items: usize) -> Vec<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut exponential = |rate: f64| {
        // The generator of G. Marsaglia, Xorshift RNGs (2003).
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let uniform = ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        -uniform.ln() / rate
    };
    let stages = rates.len();
    // When each item left each stage: with `places` in the buffer and one in the task, so many items are
    // behind a stage.
    let mut left: Vec<Vec<f64>> = Vec::with_capacity(items);
    let mut times = Vec::with_capacity(items);
    for item in 0..items {
        let mut own = vec![0.0; stages];
        let mut begun = 0.0;
        for stage in 0..stages {
            let arrives = if stage == 0 { 0.0 } else { own[stage - 1] };
            let free = if item == 0 { 0.0 } else { left[item - 1][stage] };
            let begins = f64::max(arrives, free);
            if stage == 0 {
                begun = begins;
            }
            let done = begins + exponential(rates[stage]);
            // The next stage takes an item out of its buffer when the one before it has left.
            let room = match item.checked_sub(places + 1) {
                Some(before) if stage + 1 < stages => left[before][stage + 1],
                _ => 0.0,
            };
            own[stage] = f64::max(done, room);
        }
        times.push(own[stages - 1] - begun);
        left.push(own);
    }
    times
}

#[test]
fn buffers_are_those_of_a_simulation() {
    const ITEMS: usize = 200_000;
    for (rates, places) in [(&[1.2, 1.0, 1.5][..], 2), (&[2.0, 1.0], 3), (&[1.0, 1.0, 1.0], 0)] {
        let stages: Vec<String> = rates.iter().map(|rate| format!("task({rate})")).collect();
        let said = format!("pipe({}); communication(none); buffers({places});", stages.join(", "));
        let system = program(&said).lower_with_immediate_moves().unwrap();
        let response = response(&said, &system, true, 100_000).unwrap();
        let times = simulated(rates, places, ITEMS);
        let count = times.len() as f64;
        let mean = times.iter().sum::<f64>() / count;
        let variance = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / count;
        let expected = (response.mean().unwrap().value, response.variance().unwrap().value);
        assert!((mean / expected.0 - 1.0).abs() < 0.02, "{said}: {mean} and {}", expected.0);
        assert!((variance / expected.1 - 1.0).abs() < 0.03, "{said}: {variance} and {}", expected.1);
        for quantile in response.quantiles(&[0.1, 0.5, 0.9, 0.99]).unwrap() {
            let time = quantile.time.unwrap().value;
            let part = times.iter().filter(|&&one| one <= time).count() as f64 / count;
            assert!(
                (part - quantile.probability).abs() < 0.01,
                "{said}: {part} and {}",
                quantile.probability
            );
        }
    }
}
