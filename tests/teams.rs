//! Maps, fault-tolerant stages and maps with state: exact fractions, and the same answers from models and
//! chains that are made in other ways, with a component or a variable for each worker.

use std::collections::HashMap;

use skel::performance::Performance;
use skel::prelude::*;
use skel::skeleton::{Program, Tree, text};

fn program(text: &str) -> Program<Tree> {
    let parsed = text::parse(text);
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    parsed.program().expect("a program")
}

fn exact(text: &str) -> Performance<Tree, Ratio> {
    program(text).performance_exact().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn service_time(text: &str) -> Ratio {
    exact(text).throughput().recip()
}

/// `1 + 1/2 + .. + 1/n`
fn harmonic(n: i64) -> Ratio {
    (1..=n).map(|k| ratio(1, k)).sum()
}

#[test]
fn a_map_takes_the_longest_of_its_workers_times() {
    assert_eq!(service_time("map(8, \"match\", 1);"), ratio(761, 280));
    for n in 1..=12 {
        assert_eq!(service_time(&format!("map({n}, 1/3);")), ratio(3, 1) * harmonic(n));
        assert_eq!(service_time(&format!("fault_tolerant({}, 1);", 2 * n + 1)), harmonic(2 * n + 1));
    }
    // In a pipe whose other stages are fast it is the same in the limit.
    let limit = exact("pipe(task(1e9), map(8, 1), task(1e9)); communication(none);");
    let difference = limit.throughput() * ratio(761, 280) - ratio(1, 1);
    assert!(difference < ratio(0, 1) && difference > ratio(-1, 100_000_000), "{difference}");
}

#[test]
fn the_parts_of_a_map_are_work_and_waiting_for_each_other() {
    pipe! {
        skeleton Matching { task("read", 1.0), map(3, "match", 2.0) }
    }
    let performance = Matching::new().communicating(Communication::negligible()).performance_exact().unwrap();
    let throughput = performance.throughput();
    assert_eq!(performance.busy_of(Matching::r#match), throughput * ratio(1, 2));
    // While the map has an item, which takes 11/12 on average, a worker is idle after its own part.
    assert_eq!(performance.waiting_of(Matching::r#match), throughput * (ratio(11, 12) - ratio(1, 2)));
    assert_eq!(performance.blocked_of(Matching::r#match), ratio(0, 1));
    assert_eq!(performance.starved_of(Matching::r#match), ratio(1, 1) - throughput * ratio(11, 12));
    assert_eq!(performance.waiting_of(Matching::read), ratio(0, 1));
    assert_eq!(performance.items_inside(), ratio(1, 1) + throughput * ratio(11, 12));
}

/// The mean of the longest of `n` times: the integral of the probability that one is longer than `t`, by
/// Simpson's rule.
fn mean_of_longest(n: i32, longest: f64, is_shorter: impl Fn(f64) -> f64) -> f64 {
    const STEPS: u32 = 20_000;
    let width = longest / f64::from(STEPS);
    let at = |step: u32| 1.0 - is_shorter(width * f64::from(step)).powi(n);
    let weight = |step: u32| if step == 0 || step == STEPS { 1.0 } else { f64::from(2 + 2 * (step % 2)) };
    (0..=STEPS).map(|step| weight(step) * at(step)).sum::<f64>() * width / 3.0
}

#[test]
fn the_longest_of_times_in_phases_has_the_mean_of_its_integral() {
    let erlang = |phases: i32, mean: f64| {
        move |t: f64| {
            let x = f64::from(phases) / mean * t;
            let terms = (1..phases).scan(1.0, |term, k| {
                *term *= x / f64::from(k);
                Some(*term)
            });
            1.0 - (-x).exp() * (1.0 + terms.sum::<f64>())
        }
    };
    let hyperexponential = |t: f64| 1.0 - 0.25 * (-0.5 * t).exp() - 0.75 * (-4.0 * t).exp();
    for n in [1, 2, 3, 5] {
        for phases in [2, 4, 7] {
            let found = program(&format!("map({n}, erlang({phases}, 3/2));")).performance().unwrap();
            let expected = mean_of_longest(n, 40.0, erlang(phases, 1.5));
            assert!((1.0 / found.throughput() - expected).abs() < 1e-8, "{n} {phases}: {expected}");
        }
        let found =
            program(&format!("map({n}, hyperexponential([1/4, 3/4], [1/2, 4]));")).performance().unwrap();
        let expected = mean_of_longest(n, 80.0, hyperexponential);
        assert!((1.0 / found.throughput() - expected).abs() < 1e-8, "{n}: {expected}");
    }
}

/// One item after the other takes the time for a state, divided by the items for each, in addition to its
/// own.
#[test]
fn a_map_with_state_takes_the_mean_of_a_cycle() {
    // The formula of the paper is T_W + (T_I + T_W) / m = 5.7: when a state comes, it lets the workers finish
    // their items first. A map has passed on an item before it takes a state, and its workers have nothing
    // left to finish: T_W + T_I / m.
    assert_eq!(service_time("map_with_state(1, 1/5, state(1/2, 10));"), ratio(52, 10));
    for n in 1..6 {
        let expected = harmonic(n) * (ratio(5, 1) + ratio(2, 10));
        assert_eq!(service_time(&format!("map_with_state({n}, 1/5, state(1/2, 10));")), expected);
    }
    let phases = [("erlang(2, 3)", "hyperexponential([1/4, 3/4], [1/2, 4])"), ("2", "erlang(3, 1)")];
    for (item, state) in phases {
        let alone = [item, state].map(|time| service_time(&format!("map(3, {time});")));
        let found = service_time(&format!("map_with_state(3, {item}, state({state}, 5/2));"));
        assert_eq!(found, &alone[0] + &alone[1] * ratio(2, 5));
    }
    let performance = exact("map_with_state(4, 1/5, state(1/2, 10));");
    assert_eq!(performance.tasks()[0].busy, performance.throughput() * ratio(52, 10));
}

/// The throughput of an action of a PEPA model.
fn modelled(model: &str, action: &str) -> Ratio {
    let space =
        Model::from_text(model).unwrap_or_else(|errors| panic!("{errors}\n{model}")).explore().unwrap();
    space.steady_state_exact().unwrap().throughput_named(action).unwrap()
}

/// `n` workers as components that receive and send together, between two tasks.
fn workers(n: usize, worker: &str, initial: &str, shared: &str) -> String {
    let all = vec![initial; n].join(&format!(" <{shared}> "));
    let neighbours = "First = (begin, 2).(get, infty).First; Last = (put, infty).(finish, 3).Last; \
                      Network = (get, 10).Network + (put, 10).Network;";
    format!("{neighbours} {worker} Network <get, put> (First <get> ({all}) <put> Last)")
}

#[test]
fn a_map_is_one_component_for_each_worker_that_cooperate() {
    for n in 1..5 {
        for (time, worker) in [
            ("1", "W = (get, infty).(work, 1).(put, infty).W;"),
            ("erlang(2, 1)", "W = (get, infty).(work, 2).(work, 2).(put, infty).W;"),
            (
                "hyperexponential([1/4, 3/4], [1, 4])",
                "W = (get, 1/4 * infty).Slow + (get, 3/4 * infty).Fast; Slow = (work, 1).Done; \
                 Fast = (work, 4).Done; Done = (put, infty).W;",
            ),
        ] {
            let found = exact(&format!("pipe(task(2), map({n}, {time}), task(3)); communication(10);"));
            let expected = modelled(&workers(n, worker, "W", "get, put"), "finish");
            assert_eq!(*found.throughput(), expected, "{n} {time}");
        }
    }
}

/// A component for each worker, and one that counts the replies to the current item. Until these decide, a
/// worker that is late can join; from then on until the item is handed over, it waits for the next one, as
/// the others do.
fn voting(n: usize, majority: usize, service: [&str; 2]) -> String {
    let [working, stale] = service;
    let mut counter = "None = (get, infty).V0;".to_owned();
    for votes in 0..=n {
        let vote = (votes < n).then(|| format!("(vote, infty).V{}", votes + 1));
        let put = (votes >= majority).then(|| "(put, infty).None".to_owned());
        let of_late = if votes >= majority { "skip" } else { "join" };
        let of_late = Some(format!("({of_late}, infty).V{votes}"));
        let terms: Vec<String> = vote.into_iter().chain(put).chain(of_late).collect();
        counter += &format!(" V{votes} = {};", terms.join(" + "));
    }
    let worker =
        format!("Idle = (get, infty).Working; {working} Done = (put, infty).Idle; {stale} {counter}");
    let all = vec!["Idle"; n].join(" <get, put> ");
    let neighbours = "First = (begin, 2).(get, infty).First; Last = (put, infty).(finish, 3).Last; \
                      Network = (get, 10).Network + (put, 10).Network;";
    format!(
        "{neighbours} {worker} Network <get, put> (First <get> (({all}) <get, put, vote, join, skip> None) <put> Last)"
    )
}

#[test]
fn an_early_majority_is_workers_with_a_counter_of_votes() {
    let exponential = [
        "Working = (vote, 1).Done + (put, infty).Stale;",
        "Stale = (late, 1).Idle + (get, infty).Pending; \
         Pending = (join, 1).Working + (skip, 1).Done + (put, infty).Stale;",
    ];
    let erlang = [
        "Working = (phase, 2).Second + (put, infty).Stale; Second = (vote, 2).Done + (put, infty).Last2;",
        "Stale = (phase, 2).Last2 + (get, infty).Pending; Last2 = (late, 2).Idle + (get, infty).Pending2; \
         Pending = (phase, 2).Pending2 + (put, infty).Stale; Pending2 = (join, 2).Working + (skip, 2).Done + (put, infty).Last2;",
    ];
    for (n, majority, time, service) in
        [(3, 2, "1", exponential), (5, 3, "1", exponential), (3, 2, "erlang(2, 1)", erlang)]
    {
        let text = format!("pipe(task(2), fault_tolerant({n}, {time}, early), task(3)); communication(10);");
        let (found, model) = (program(&text).performance().unwrap(), voting(n, majority, service));
        let space =
            Model::from_text(&model).unwrap_or_else(|errors| panic!("{errors}\n{model}")).explore().unwrap();
        let expected = space.steady_state().unwrap().throughput_named("finish").unwrap();
        assert!((found.throughput() - expected).abs() < 1e-9 * expected, "{n} {time}: {found:?} {expected}");
    }
}

/// The first item of an early majority takes the k-th shortest of n times: here alone, since the next one
/// comes much later.
#[test]
fn a_majority_that_starts_afresh_takes_the_kth_shortest_time() {
    for n in [3_i64, 5, 7] {
        let kth: Ratio = (0..=n / 2).map(|done| ratio(1, n - done)).sum();
        let slow =
            exact(&format!("pipe(task(1/1000000), fault_tolerant({n}, 1, early)); communication(none);"));
        let inside = slow.items_inside() - ratio(1, 1);
        let error = inside / slow.throughput() - &kth;
        assert!(error > ratio(-1, 100_000) && error < ratio(1, 100_000), "{n}: {error}");
    }
}

/// What one worker does in the chain below.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Worker {
    Free,
    Works,
    Replied,
    /// Works on an item that was passed on without it.
    Late,
    Renews,
    Renewed,
}

/// The throughput of a chain that is given by what happens in each state: a rate, whether an item is
/// complete, and the next state.
fn chain<S: Clone + Eq + std::hash::Hash>(first: S, next: impl Fn(&S) -> Vec<(Ratio, bool, S)>) -> Ratio {
    let (mut states, mut numbers) = (vec![first.clone()], HashMap::from([(first, 0)]));
    let mut rows: Vec<Vec<(Ratio, bool, usize)>> = Vec::new();
    while let Some(state) = states.get(rows.len()).cloned() {
        let mut row = Vec::new();
        for (rate, completes, to) in next(&state) {
            let number = *numbers.entry(to.clone()).or_insert(states.len());
            if number == states.len() {
                states.push(to);
            }
            row.push((rate, completes, number));
        }
        rows.push(row);
    }
    // Elimination as by Grassmann, Taksar and Heyman: each state is left out in turn, and its flow goes on to
    // the others.
    let n = states.len();
    let mut rates = vec![vec![ratio(0, 1); n]; n];
    for (from, row) in rows.iter().enumerate() {
        row.iter().filter(|(.., to)| *to != from).for_each(|(rate, _, to)| rates[from][*to] += rate);
    }
    for last in (1..n).rev() {
        let of_last = rates[last][..last].to_vec();
        let out: Ratio = of_last.iter().sum();
        for row in &mut rates[..last] {
            let share = &row[last] / &out;
            row.iter_mut().zip(&of_last).for_each(|(rate, more)| *rate += &share * more);
            row[last] = share;
        }
    }
    let mut pi = vec![ratio(1, 1)];
    while pi.len() < n {
        let of_state = pi.iter().zip(&rates).map(|(before, row)| before * &row[pi.len()]).sum();
        pi.push(of_state);
    }
    let whole: Ratio = pi.iter().sum();
    let complete = |(row, pi): (&Vec<(Ratio, bool, usize)>, &Ratio)| -> Ratio {
        row.iter().filter(|(_, completes, _)| *completes).map(|(rate, ..)| rate * pi).sum()
    };
    rows.iter().zip(&pi).map(complete).sum::<Ratio>() / whole
}

fn set(workers: &[Worker], one: usize, to: Worker) -> Vec<Worker> {
    let mut workers = workers.to_vec();
    workers[one] = to;
    workers
}

/// A task of rate 2 before a team, where moves take no time: the task has an item ready or not. There may be
/// a task of rate 3 behind.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Fed {
    has_next: bool,
    is_serving: bool,
    workers: Vec<Worker>,
    /// Whether the team has an item that is complete, for which there is no room.
    is_blocked: bool,
    /// Whether the task behind serves an item; none without a task behind.
    behind: Option<bool>,
}

impl Fed {
    fn first(n: usize, behind: Option<bool>) -> Fed {
        let workers = vec![Worker::Free; n];
        Fed { has_next: false, is_serving: false, workers, is_blocked: false, behind }
    }

    /// Hands over an item that is complete if there is room, and one that is ready to a team that can take
    /// it.
    fn settled(mut self) -> Fed {
        if self.is_blocked && self.behind != Some(true) {
            self.is_blocked = false;
            self.behind = self.behind.map(|_| true);
        }
        let renews = self.workers.iter().any(|one| matches!(one, Worker::Renews | Worker::Renewed));
        if self.has_next && !self.is_serving && !self.is_blocked && !renews {
            self.has_next = false;
            self.is_serving = true;
            for one in &mut self.workers {
                if *one == Worker::Free {
                    *one = Worker::Works;
                }
            }
        }
        self
    }
}

#[test]
fn the_stragglers_of_a_majority_have_the_chain_of_single_workers() {
    for (n, behind) in [(3, None), (5, None), (3, Some(false))] {
        let majority = n / 2 + 1;
        let next = |state: &Fed| {
            let mut steps = Vec::new();
            if !state.has_next {
                steps.push((ratio(2, 1), false, Fed { has_next: true, ..state.clone() }.settled()));
            }
            if state.behind == Some(true) {
                steps.push((ratio(3, 1), false, Fed { behind: Some(false), ..state.clone() }.settled()));
            }
            for (one, worker) in state.workers.iter().enumerate() {
                let to = match worker {
                    Worker::Works => Worker::Replied,
                    Worker::Late if state.is_serving => Worker::Works,
                    Worker::Late => Worker::Free,
                    _ => continue,
                };
                let mut after = Fed { workers: set(&state.workers, one, to), ..state.clone() };
                let replies = after.workers.iter().filter(|one| **one == Worker::Replied).count();
                let is_complete = state.is_serving && replies == majority;
                if is_complete {
                    (after.is_serving, after.is_blocked) = (false, true);
                    for one in &mut after.workers {
                        *one = match *one {
                            Worker::Replied => Worker::Free,
                            Worker::Works => Worker::Late,
                            other => other,
                        };
                    }
                }
                steps.push((ratio(1, 1), is_complete, after.settled()));
            }
            steps
        };
        let last = if behind.is_some() { ", task(3)" } else { "" };
        let text = format!("pipe(task(2), fault_tolerant({n}, 1, early){last}); communication(none);");
        assert_eq!(*exact(&text).throughput(), chain(Fed::first(n, behind), next), "{text}");
    }
}

#[test]
fn a_map_with_state_behind_a_task_has_the_chain_of_single_workers() {
    for n in [1, 2, 3] {
        // A worker takes 1/3 for its part and 1/5 for a state; after 4 items comes a state, on average.
        let between = |mut after: Fed, rate: Ratio, completes: bool| {
            after.is_serving = false;
            after.workers.fill(Worker::Free);
            let renewing = Fed { workers: vec![Worker::Renews; n], ..after.clone() };
            [(&rate * ratio(4, 5), completes, after.settled()), (rate * ratio(1, 5), completes, renewing)]
        };
        let next = |state: &Fed| {
            let mut steps = Vec::new();
            if !state.has_next {
                steps.push((ratio(2, 1), false, Fed { has_next: true, ..state.clone() }.settled()));
            }
            for (one, worker) in state.workers.iter().enumerate() {
                let (rate, to) = match worker {
                    Worker::Works => (ratio(3, 1), Worker::Replied),
                    Worker::Renews => (ratio(5, 1), Worker::Renewed),
                    _ => continue,
                };
                let after = Fed { workers: set(&state.workers, one, to), ..state.clone() };
                match after.workers.iter().all(|one| *one == to) {
                    true => steps.extend(between(after, rate, to == Worker::Replied)),
                    false => steps.push((rate, false, after)),
                }
            }
            steps
        };
        let text = format!("pipe(task(2), map_with_state({n}, 3, state(5, 4))); communication(none);");
        assert_eq!(*exact(&text).throughput(), chain(Fed::first(n, None), next), "{n}");
    }
}

#[test]
fn equal_teams_of_a_farm_are_one_array() {
    let text = "pipe(task(1), farm(3, map(4, \"compare\", 1)), task(1)); communication(10); buffers(1);";
    let system = program(text).lower().unwrap();
    assert!(system.to_string().contains("t_1[3]"), "{system}");
    assert!(
        system
            .to_string()
            .contains("// t_1 is a map of 4: it counts how many of the workers are in which phase.")
    );
    assert_eq!(system.equal_workers(2), 1..4);
    let parted = exact("pipe(task(1), farm(2, map(2, 1))); communication(10); one_port;");
    let [first, second] = [&parted.tasks()[1], &parted.tasks()[2]];
    assert_eq!((&first.busy, &first.waiting, &first.items), (&second.busy, &second.waiting, &second.items));
}

#[test]
fn a_team_varies_as_a_task_does() {
    let tree = text::parse("pipe(task(1), fault_tolerant(3, \"vote\", 2, early));").into_tree().unwrap();
    let vote = tree.task_named("vote").unwrap();
    assert_eq!(tree.replicable(), [tree.top_level()[0], vote]);
    let two = tree.with_replicas(&[(vote, 2)]).to_string();
    assert_eq!(two, "pipe(2);\ntask(1.0);\nfarm(2);\nfault_tolerant(3, \"vote\", 2.0, early);\n");
    let program = tree.communicating(Communication::negligible());
    let gains = program.gains().unwrap();
    assert_eq!(gains[1].name, "vote");
    let as_farm = program.with_replicas(&[(vote, 2)]).performance().unwrap();
    assert!((gains[1].as_farm.as_ref().unwrap().as_ref().unwrap() - as_farm.throughput()).abs() < 1e-12);
}

#[test]
fn the_cheapest_number_of_teams_is_found_and_each_costs_its_workers() {
    // A map of two takes 3/4 on average: its bound of 1/2 allows 2 items, and the chain 4/3.
    let program = program("pipe(task(100), map(2, \"compare\", 2)); communication(none);");
    let throughput = |teams: u32| {
        let compare = program.skeleton().task_named("compare").unwrap();
        *program.with_replicas(&[(compare, teams)]).performance().unwrap().throughput()
    };
    let answer = program.dimension(Target::throughput(3.0)).unwrap();
    let best = answer.best.as_ref().unwrap();
    let enough = (1..9).find(|&teams| throughput(teams) >= 3.0).unwrap();
    assert_eq!((&best.replicas[..], best.cost), (&[1, enough][..], u64::from(1 + 2 * enough)));
    assert!((best.throughput - throughput(enough)).abs() < 1e-9);
    assert!(throughput(enough - 1) < 3.0);
}

#[test]
fn sweeps_change_the_rate_of_a_team_and_its_numbers_in_a_text() {
    use skel::sweep::{rate_of, replicas_of};
    pipe! {
        skeleton Identify { task("scan", 4.0), farm(1, map_with_state(2, "identify", 2.0, state(1.0, 5))) }
    }
    let program = Identify::new().communicating(Communication::negligible());
    let sweep = Sweep::of_program(&program).unwrap();
    let sweep = sweep.vary(rate_of(Identify::identify), [1, 3]).vary(replicas_of(Identify::identify), [1, 2]);
    for (point, (rate, teams)) in sweep.points().unwrap().zip([(1, 1), (1, 2), (3, 1), (3, 2)]) {
        let text = format!(
            "pipe(task(4), farm({teams}, map_with_state(2, {rate}, state(1, 5)))); communication(none);"
        );
        let expected = *self::program(&text).performance().unwrap().throughput();
        assert!((point.answer.unwrap().throughput() - expected).abs() < 1e-9, "{text}");
    }
    let text = "n = 1; m = 5; map_with_state(n, 1, state(1, m));";
    for (n, m) in [(1, 5), (3, 5), (3, 2)] {
        let settings = [("n".to_owned(), n.into()), ("m".to_owned(), m.into())];
        let tree = text::parse_with(text, &settings).into_tree().unwrap();
        let found = tree.communicating(Communication::negligible()).performance_exact().unwrap();
        assert_eq!(found.throughput().recip(), harmonic(n) * (ratio(1, 1) + ratio(1, m)));
    }
}

#[test]
fn what_teams_cannot_have_is_refused() {
    let program = pipe!(task(1.0), map(2, "compare", 1.0)).communicating(1.0);
    let assigned = program.with_processors(Processors::assigned([1.0], [0, 0])).lower().unwrap_err();
    let expected =
        "stage 1: processors are given to the tasks, but the 2 workers of the map serve one item together";
    assert_eq!(assigned.0[0].message, expected);
    let from_rust = pipe!(task(1.0), map_with_state(2, "compare", 1.0, state(1.0, f64::NAN.min(-1.0))));
    let errors = from_rust.tree().unwrap_err();
    assert_eq!(errors.0[0].message, "stage 1: the number of items for each state is -1");
}
