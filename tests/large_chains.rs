//! Hardly a stated error is below the true one in large chains, which are solved by methods that small ones
//! never need: sweeps along the flow, incomplete factors, aggregation, sums alone. An error of sums is
//! proved, so that one is never below the true one.
//!
//! Each chain is just large enough for these methods, so that elimination, which gives the true answer, is
//! quick. `CHAINS=1000 cargo test --release --test large_chains` tries so many of each kind.

#[path = "generated/numbers.rs"]
mod numbers;

use std::fmt::Write as _;

use numbers::Draw;
use skel::prelude::*;
use skel::steady::{Certified, Method, Options};

/// From this number of states on, a chain is large.
const LEAST: usize = 5000;
/// What elimination itself may be wrong by.
const ROUNDING: f64 = 2e-12;
/// One estimate in so many may be below the error.
const ONE_IN: usize = 500;

impl Draw {
    /// A rate within so many decades around one.
    fn rate(&mut self, decades: f64) -> f64 {
        10_f64.powf(decades * (self.unit() - 0.5))
    }

    /// How far rates are apart.
    fn decades(&mut self) -> f64 {
        [0.0, 0.3, 1.0, 3.0][self.below(4)]
    }

    /// A rate that is small by up to so many decades.
    fn rare(&mut self, decades: f64) -> f64 {
        10_f64.powf(-decades * self.unit())
    }
}

/// A model that is written component by component.
#[derive(Default)]
struct Written {
    /// The values of `r0`, `r1` and so on.
    rates: Vec<f64>,
    definitions: String,
    system: String,
}

impl Written {
    /// The name of a rate with this value.
    fn rate(&mut self, value: f64) -> String {
        self.rates.push(value);
        format!("r{}", self.rates.len() - 1)
    }

    /// Adds a component whose states are numbered; each has transitions by an action, at a rate, to a state.
    /// It shares some of its actions with those that are there.
    fn add(&mut self, name: &str, states: &[Vec<(String, String, usize)>], shared: &[String]) {
        for (state, transitions) in states.iter().enumerate() {
            let transitions: Vec<String> = transitions
                .iter()
                .map(|(action, rate, target)| format!("({action}, {rate}).{name}x{target}"))
                .collect();
            writeln!(self.definitions, "{name}x{state} = {};", transitions.join(" + ")).unwrap();
        }
        self.system = match self.system.is_empty() {
            true => format!("{name}x0"),
            false => format!("({}) <{}> {name}x0", self.system, shared.join(", ")),
        };
    }

    fn text(&self) -> String {
        let rates: String = self
            .rates
            .iter()
            .enumerate()
            .map(|(number, value)| format!("r{number} = {value:e};\n"))
            .collect();
        format!("{rates}{}{}", self.definitions, self.system)
    }
}

/// The places of so many queues, nearly the same for each, that have enough states between them.
fn places(queues: usize, states: usize) -> usize {
    (1..).find(|places: &usize| (places + 1).pow(queues as u32) >= states).unwrap_or(1)
}

/// A queue into which some actions put a customer and from which others take one; these have rates, `infty`
/// where another component gives it.
fn queue(places: usize, [into, from]: [&[(String, String)]; 2]) -> Vec<Vec<(String, String, usize)>> {
    let mut states = vec![Vec::new(); places + 1];
    for filled in 0..places {
        for (action, rate) in into {
            states[filled].push((action.clone(), rate.clone(), filled + 1));
        }
        for (action, rate) in from {
            states[filled + 1].push((action.clone(), rate.clone(), filled));
        }
    }
    states
}

fn passive(action: String) -> (String, String) {
    (action, "infty".into())
}

/// Queues in a line: each hands on to the next one that has a place.
fn tandem(draw: &mut Draw) -> Written {
    let mut written = Written::default();
    let (queues, decades) = (2 + draw.below(3), draw.decades());
    let places = places(queues, LEAST);
    for at in 0..queues {
        let arrival = written.rate(draw.rate(decades));
        let service = written.rate(draw.rate(decades));
        let into = if at == 0 { ("m0".into(), arrival) } else { passive(format!("m{at}")) };
        let from = (format!("m{}", at + 1), service);
        written.add(&format!("Q{at}"), &queue(places, [&[into], &[from]]), &[format!("m{at}")]);
    }
    written
}

/// Queues of which each hands on to several others, and into and from each of which customers come and go.
fn network(draw: &mut Draw) -> Written {
    let mut written = Written::default();
    let (queues, decades) = (2 + draw.below(3), draw.decades());
    let places = places(queues, LEAST);
    let others = |at: usize| (0..queues).filter(move |&other| other != at);
    for at in 0..queues {
        let ends = [draw.rate(decades), draw.rate(decades)].map(|value| written.rate(value));
        let [arrival, departure] = ends;
        let into = others(at).map(|other| passive(format!("m{other}x{at}")));
        let into: Vec<_> = into.chain([(format!("in{at}"), arrival)]).collect();
        let mut from = vec![(format!("out{at}"), departure)];
        for other in others(at) {
            let value = draw.rate(decades) * if draw.below(2) == 0 { 1.0 } else { draw.rare(3.0) };
            from.push((format!("m{at}x{other}"), written.rate(value)));
        }
        let shared: Vec<String> =
            (0..at).flat_map(|other| [format!("m{at}x{other}"), format!("m{other}x{at}")]).collect();
        written.add(&format!("Q{at}"), &queue(places, [&into, &from]), &shared);
    }
    written
}

/// Two components that go round a few steps each, one of which fills a queue from which the other works, and
/// fills another one. Rates are apart, so that many states are unlikely.
fn uneven(draw: &mut Draw) -> Written {
    let mut written = Written::default();
    let decades = 1.0 + draw.decades();
    let steps = [3 + draw.below(5), 3 + draw.below(5)];
    let places = places(2, LEAST.div_ceil(steps[0] * steps[1]));
    for (at, steps) in steps.into_iter().enumerate() {
        let hands_on = 1 + draw.below(steps - 1);
        let mut rounds: Vec<Vec<(String, String, usize)>> = Vec::new();
        for step in 0..steps {
            let rate = written.rate(draw.rate(decades));
            let (action, rate) = match step {
                0 if at > 0 => passive(format!("take{at}")),
                step if step == hands_on => (format!("give{at}"), rate),
                step => (format!("step{at}x{step}"), rate),
            };
            rounds.push(vec![(action, rate, (step + 1) % steps)]);
        }
        written.add(&format!("C{at}"), &rounds, &[format!("take{at}")]);
        let into = passive(format!("give{at}"));
        let from = (format!("take{}", at + 1), written.rate(draw.rate(decades)));
        written.add(&format!("Q{at}"), &queue(places, [&[into], &[from]]), &[format!("give{at}")]);
    }
    written
}

/// Queues in a line whose servers fail and are repaired.
fn transfer_line(draw: &mut Draw) -> Written {
    let mut written = Written::default();
    let (queues, decades) = (1 + draw.below(3), draw.decades());
    let places = places(queues, LEAST >> (queues + 1));
    for at in 0..=queues {
        let values = [draw.rate(decades), draw.rare(5.0), draw.rare(3.0)];
        let [service, fail, repair] = values.map(|value| written.rate(value));
        let states = [
            vec![(format!("m{at}"), service, 0), (format!("f{at}"), fail, 1)],
            vec![(format!("r{at}"), repair, 0)],
        ];
        let shared = if at == 0 { vec![] } else { vec![format!("m{at}")] };
        written.add(&format!("M{at}"), &states, &shared);
        if at < queues {
            let [into, from] = [at, at + 1].map(|at| passive(format!("m{at}")));
            written.add(&format!("B{at}"), &queue(places, [&[into], &[from]]), &[format!("m{at}")]);
        }
    }
    written
}

/// A queue before servers that seldom fail and are repaired somewhat sooner, and a queue behind them.
fn failing(draw: &mut Draw) -> Written {
    let mut written = Written::default();
    let (servers, decades) = (2 + draw.below(3), draw.decades().min(1.0));
    let places = places(2, LEAST >> servers);
    let slow = draw.rare(6.0);
    for at in 0..servers {
        let values = [draw.rate(decades), slow * 1e-3 * draw.rate(1.0), slow * 1e-2 * draw.rate(1.0)];
        let [serve, fail, repair] = values.map(|value| written.rate(value));
        let states = [
            vec![("serve".into(), serve, 0), (format!("fail{at}"), fail, 1)],
            vec![(format!("repair{at}"), repair, 0)],
        ];
        written.add(&format!("S{at}"), &states, &[]);
    }
    let values = [servers as f64 * 0.8 * draw.rate(decades), servers as f64 * draw.rate(decades)];
    let [arrive, leave] = values.map(|value| written.rate(value));
    let served = passive("serve".into());
    let before = queue(places, [&[("arrive".into(), arrive)], std::slice::from_ref(&served)]);
    written.add("Q0", &before, &["serve".into()]);
    let behind = queue(places, [&[served], &[("leave".into(), leave)]]);
    written.add("Q1", &behind, &["serve".into()]);
    written
}

/// Rings with short cuts, some of whose steps two of them do together.
fn rings(draw: &mut Draw) -> Written {
    let mut written = Written::default();
    let (rings, decades) = (2 + draw.below(3), draw.decades());
    let states = places(rings, LEAST) + 1;
    for at in 0..rings {
        let slow = if draw.below(3) == 0 { draw.rare(8.0) } else { 1.0 };
        let of_state = |state: usize| {
            let mut ways =
                vec![(format!("on{at}"), written.rate(slow * draw.rate(decades)), (state + 1) % states)];
            for other in [at, (at + 1) % rings] {
                if state == 0 || draw.below(3) == 0 {
                    let rate =
                        if other == at { written.rate(slow * draw.rate(decades)) } else { "infty".into() };
                    ways.push((format!("with{other}"), rate, draw.below(states)));
                }
            }
            ways
        };
        let of_states: Vec<_> = (0..states).map(of_state).collect();
        let shared = match at + 1 {
            last if last == rings => vec![format!("with{}", at), format!("with{}", (at + 1) % rings)],
            _ => vec![format!("with{at}")],
        };
        written.add(&format!("R{at}"), &of_states, &shared);
    }
    written
}

/// Two queues in a line whose rates, over so many decades, are those of a mode, which changes as seldom as is
/// said.
fn in_modes(draw: &mut Draw, modes: usize, slow: f64, decades: f64) -> Written {
    let mut written = Written::default();
    let places = places(2, LEAST / modes);
    let of_mode = |mode: usize| {
        let mut ways = vec![("change".to_owned(), written.rate(slow * draw.rate(2.0)), (mode + 1) % modes)];
        for action in ["in", "on", "out"] {
            ways.push((action.to_owned(), written.rate(draw.rate(decades)), mode));
        }
        ways
    };
    let of_modes: Vec<_> = (0..modes).map(of_mode).collect();
    written.add("M", &of_modes, &[]);
    let [into, on, out] = ["in", "on", "out"].map(|action| passive(action.into()));
    written.add("Q0", &queue(places, [&[into], std::slice::from_ref(&on)]), &["in".into(), "on".into()]);
    written.add("Q1", &queue(places, [&[on], &[out]]), &["on".into(), "out".into()]);
    written
}

/// Two queues that are served at rates of the mode, which seldom changes.
fn modes(draw: &mut Draw) -> Written {
    let (modes, decades) = (2 + draw.below(3), draw.decades());
    let slow = draw.rare(10.0);
    in_modes(draw, modes, slow, 1.0 + decades)
}

/// Two queues, each nearly always full or nearly always empty, so that most states are rare. Where there are
/// several modes, these may change as seldom as states are rare.
fn nearly_full(draw: &mut Draw) -> Written {
    let (modes, slow) = (1 + draw.below(2), draw.rare(40.0));
    in_modes(draw, modes, slow, 6.0)
}

/// A server that goes round queues.
fn polling(draw: &mut Draw) -> Written {
    let mut written = Written::default();
    let (queues, decades) = (2 + draw.below(3), draw.decades());
    let places = places(queues, LEAST / queues);
    let load = draw.rate(2.0);
    let mut server = Vec::new();
    for at in 0..queues {
        let find = written.rate(100.0 * draw.rate(decades));
        let serve = written.rate(draw.rate(decades));
        let next = 2 * ((at + 1) % queues);
        server.push(vec![(format!("pass{at}"), find.clone(), next), (format!("find{at}"), find, 2 * at + 1)]);
        server.push(vec![(format!("serve{at}"), serve, next)]);
    }
    written.add("S", &server, &[]);
    for at in 0..queues {
        let arrive = (format!("arrive{at}"), written.rate(load * draw.rate(decades)));
        let mut states = queue(places, [&[arrive], &[passive(format!("serve{at}"))]]);
        states[0].push((format!("pass{at}"), "infty".into(), 0));
        for (filled, ways) in states.iter_mut().enumerate().skip(1) {
            ways.push((format!("find{at}"), "infty".into(), filled));
        }
        let shared = ["pass", "find", "serve"].map(|action| format!("{action}{at}"));
        written.add(&format!("Q{at}"), &states, &shared);
    }
    written
}

/// Two counts each of which is produced the slower the larger the other is: one of them is large for long.
fn switch(draw: &mut Draw) -> Written {
    let mut written = Written::default();
    let places = places(2, LEAST);
    let (most, least) = (5.0 + 40.0 * draw.unit(), 2.0 * draw.unit());
    let steepness = 1.0 + 2.0 * draw.unit();
    for at in 0..2 {
        let other = 1 - at;
        let mut states = vec![Vec::new(); places + 1];
        for (count, ways) in states.iter_mut().enumerate() {
            if count < places {
                ways.push((format!("make{at}"), "infty".into(), count + 1));
            }
            if count > 0 {
                ways.push((format!("lose{at}"), written.rate(count as f64), count - 1));
            }
            let made = least + most / (1.0 + (count as f64 / 5.0).powf(steepness));
            ways.push((format!("make{other}"), written.rate(made), count));
        }
        written.add(&format!("C{at}"), &states, &["make0".into(), "make1".into()]);
    }
    written
}

/// How well the chains of a kind were answered.
#[derive(Default)]
struct Tally {
    answered: usize,
    of_sums: usize,
    /// Those whose error is larger than was stated.
    below: Vec<String>,
}

/// The largest relative error of what is certified.
fn error(found: &SteadyState<Model, f64>, right: &SteadyState<Model, f64>) -> f64 {
    let differ = |(found, right): (f64, f64)| if found == right { 0.0 } else { (found / right - 1.0).abs() };
    match found.report().certified {
        Certified::Probabilities => {
            let pairs = found.probabilities().iter().copied().zip(right.probabilities().iter().copied());
            pairs.map(differ).fold(0.0, f64::max)
        }
        _ => {
            let actions = found.space().model().actions();
            let throughputs = actions.map(|(_, action)| {
                [found, right].map(|pi| pi.throughput_named(action).expect("it is an action of the model"))
            });
            throughputs.map(|[found, right]| differ((found, right))).fold(0.0, f64::max)
        }
    }
}

impl Tally {
    /// Solves, and holds the answer against the true one.
    fn solve(
        &mut self,
        space: &StateSpace,
        tolerance: f64,
        start: Option<&SteadyState<Model, f64>>,
        name: &str,
    ) -> Option<SteadyState<Model, f64>> {
        let limits = Limits { iterations: 2000, ..Limits::default() };
        let options = Options { tolerance, direct_up_to: 0, ..Options::default() };
        let solver = space.solver().options(&options).limits(&limits);
        let solver = match start {
            Some(start) => solver.start_from(start),
            None => solver,
        };
        let found = match solver.solve() {
            Ok(found) => found,
            Err(skel::Error::NotConverged(_)) => return None,
            Err(error) => panic!("{name}: {error}"),
        };
        let right = space.solver().method(Method::Direct).solve().expect("elimination is within reach");
        let (report, error) = (found.report(), error(&found, &right));
        let are_sums = report.certified != Certified::Probabilities;
        self.answered += 1;
        self.of_sums += usize::from(are_sums);
        if error > report.error + ROUNDING {
            let below = format!("{name}: {:.1e} is stated for {error:.1e}, {report:?}", report.error);
            assert!(!are_sums, "{below}");
            self.below.push(below);
        }
        Some(found)
    }
}

/// Random chains of a kind, each solved as it is and, after a rate has changed, from the solution before.
fn hold(kind: fn(&mut Draw) -> Written) {
    let chains = std::env::var("CHAINS").map_or(2, |count| count.parse().expect("a number of chains"));
    let mut tally = Tally::default();
    for seed in 0..chains {
        let mut draw = Draw(seed as u64);
        let written = kind(&mut draw);
        let model =
            Model::from_text(&written.text()).unwrap_or_else(|error| panic!("{error}\n{}", written.text()));
        let space = model.explore().expect("it is small enough");
        assert!((LEAST..2 * LEAST).contains(&space.states()), "{} states", space.states());
        let tolerance = if draw.below(2) == 0 { 1e-10 } else { 10_f64.powf(-4.0 - 6.0 * draw.unit()) };
        let first = tally.solve(&space, tolerance, None, &format!("chain {seed}"));
        let number = draw.below(written.rates.len());
        let factor = [1.001, 1.03, 1.4][draw.below(3)];
        if let Some(first) = first {
            let (name, rate) = (format!("r{number}"), Rate::from(written.rates[number] * factor));
            let changed = space.with_rates(&[(name.as_str(), rate)]).expect("the rate has that name");
            tally.solve(&changed, tolerance, Some(&first), &format!("chain {seed}, {factor} times {name}"));
        }
    }
    let Tally { answered, of_sums, below } = tally;
    println!("{answered} answered, {of_sums} for sums, {} below", below.len());
    assert!(below.len() * ONE_IN <= answered, "{} of {answered}: {below:#?}", below.len());
    assert!(answered >= chains, "{answered} of {} answered", 2 * chains);
}

#[test]
fn of_queues_in_a_line() {
    hold(tandem);
}

#[test]
fn of_networks_of_queues() {
    hold(network);
}

#[test]
fn of_components_and_queues_whose_rates_are_apart() {
    hold(uneven);
}

#[test]
fn of_lines_whose_servers_fail() {
    hold(transfer_line);
}

#[test]
fn of_a_queue_before_servers_that_seldom_fail() {
    hold(failing);
}

#[test]
fn of_rings_with_common_steps() {
    hold(rings);
}

#[test]
fn of_queues_in_a_mode_that_seldom_changes() {
    hold(modes);
}

#[test]
fn of_queues_that_are_nearly_always_full_or_empty() {
    hold(nearly_full);
}

#[test]
fn of_a_server_that_goes_round() {
    hold(polling);
}

#[test]
fn of_switches() {
    hold(switch);
}
