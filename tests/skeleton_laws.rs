//! Laws of skeletons: over random trees of up to nine tasks, and over all of them (`--ignored`, in release).
//!
//! What a law says of a rate that rises is about rates of a `.skel` text: one for a worker and all its
//! replicas, one for all moves. With links or processors that differ it is not true; `ARCHITECTURE.md` has
//! examples, and the last tests here.
//!
//! The search over all trees, some two minutes:
//! `cargo test --release --test skeleton_laws -- --ignored --nocapture`.

#[path = "generated/draw.rs"]
mod draw;

use std::collections::BTreeMap;
use std::fmt;

use draw::Draw;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use skel::chain::classify;
use skel::model::ActionId;
use skel::number::Number;
use skel::performance::Perform;
use skel::performance::Performance;
use skel::prelude::*;
use skel::skeleton::{Communication, Processors, Program, System, Tree, text};
use skel::steady::Options;

/// A skeleton that is drawn, with its rates as texts.
#[derive(Clone)]
enum Shape {
    Task(&'static str),
    Named(&'static str),
    Pipe(Vec<Shape>),
    Replicated(&'static str, usize, Box<Shape>),
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Task(rate) => write!(f, "task({rate})"),
            Shape::Named(rate) => write!(f, "task(\"a task\", {rate})"),
            Shape::Pipe(stages) => {
                let stages: Vec<String> = stages.iter().map(ToString::to_string).collect();
                write!(f, "pipe({})", stages.join(", "))
            }
            Shape::Replicated(word, replicas, worker) => write!(f, "{word}({replicas}, {worker})"),
        }
    }
}

const RATES: [&str; 7] = ["1", "0.1", "0.5", "2", "3", "10", "1/3"];
const WORDS: [&str; 2] = ["deal", "farm"];

fn draw_rate(draw: &mut Draw) -> &'static str {
    RATES[draw.below(RATES.len())]
}

/// A tree of at most `most` tasks.
fn draw_shape(draw: &mut Draw, most: usize) -> Shape {
    match draw.below(5) {
        1..3 if most > 1 => {
            let mut left = most;
            let mut stages = Vec::new();
            for open in (0..1 + draw.below(4)).rev() {
                let share = left.saturating_sub(open).max(1);
                let most = 1 + draw.below(share);
                let stage = draw_shape(draw, most);
                left = left.saturating_sub(stage.tasks());
                stages.push(stage);
                if left == 0 {
                    break;
                }
            }
            Shape::Pipe(stages)
        }
        at @ 3.. if most > 1 => {
            let replicas = 1 + draw.below(most.min(4));
            let worker = draw_shape(draw, most / replicas);
            Shape::Replicated(WORDS[at - 3], replicas, Box::new(worker))
        }
        _ if draw.one_in(3) => Shape::Named(draw_rate(draw)),
        _ => Shape::Task(draw_rate(draw)),
    }
}

impl Shape {
    fn tasks(&self) -> usize {
        match self {
            Shape::Task(_) | Shape::Named(_) => 1,
            Shape::Pipe(stages) => stages.iter().map(Shape::tasks).sum(),
            Shape::Replicated(_, replicas, worker) => replicas * worker.tasks(),
        }
    }

    /// The rates of its tasks, a worker's once.
    fn rates(&mut self) -> Vec<&mut &'static str> {
        match self {
            Shape::Task(rate) | Shape::Named(rate) => vec![rate],
            Shape::Pipe(stages) => stages.iter_mut().flat_map(Shape::rates).collect(),
            Shape::Replicated(_, _, worker) => worker.rates(),
        }
    }
}

fn lowered(skeleton: impl fmt::Display, communication: &str) -> System {
    let parsed = text::parse(&format!("{skeleton}; communication({communication});"));
    assert!(parsed.diagnostics.is_empty(), "{skeleton}: {:?}", parsed.diagnostics);
    parsed.lower(None).expect("a skeleton")
}

/// A drawn skeleton, its communication rate, and its model.
fn drawn(bytes: &[u8]) -> (Shape, &'static str, System) {
    let mut draw = Draw::new(bytes);
    let communication = draw_rate(&mut draw);
    let shape = draw_shape(&mut draw, 9);
    let system = lowered(&shape, communication);
    (shape, communication, system)
}

fn within(states: u64) -> Limits {
    Limits { states, ..Limits::default() }
}

fn performance(system: System) -> Performance<Tree, f64> {
    Performance::from_system(system, &Limits::default(), &Options::default()).expect("an answer")
}

fn throughput(shape: &impl fmt::Display, communication: &str) -> f64 {
    *performance(lowered(shape, communication)).throughput()
}

/// What enters each task leaves it, and each link carries away what it is given.
fn flow_is_conserved<N: Number>(
    system: &System,
    pi: &SteadyState<Model, N>,
    is_equal: impl Fn(&N, &N) -> bool,
) {
    let of = |action: String| pi.throughput_named(&action).expect("an action");
    let along = |links: Vec<(u32, u32)>| {
        links.into_iter().fold(N::zero(), |sum, (from, to)| sum + of(format!("move_{from}_{to}")))
    };
    for (task, flow) in system.graph().flows().iter().enumerate() {
        let done = of(format!("comp_{task}"));
        let sources = flow.sources.iter().map(|&from| (from, task as u32)).collect();
        let destinations = flow.destinations.iter().map(|&to| (task as u32, to)).collect();
        for links in [sources, destinations] {
            let is_open = !Vec::<(u32, u32)>::is_empty(&links);
            let moved = along(links);
            assert!(!is_open || is_equal(&moved, &done), "task {task}: {moved:?} and {done:?} in\n{system}");
        }
    }
}

/// Whether runs come back to the initial state from every state, also from those that only a race between a
/// move and a task leads to, if moves have priority from there on. Then the limit of ever faster moves has
/// one recurrent class, and its steady state is that of moves that take no time.
fn runs_come_back_without_races(system: &System) -> bool {
    let moves: Vec<ActionId> = system.immediate_actions().collect();
    let space = system.model().explorer().lumped().explore().expect("a space");
    let mut sources = vec![Vec::new(); space.states()];
    for state in 0..space.states() {
        let row: Vec<_> = space.transitions_from(state).collect();
        let is_vanishing = row.iter().any(|(action, ..)| moves.contains(action));
        for (action, _, target) in row {
            if !is_vanishing || moves.contains(&action) {
                sources[target].push(state);
            }
        }
    }
    let (mut comes_back, mut found) = (vec![false; space.states()], vec![0]);
    comes_back[0] = true;
    while let Some(state) = found.pop() {
        for &source in &sources[state] {
            if !std::mem::replace(&mut comes_back[source], true) {
                found.push(source);
            }
        }
    }
    comes_back.into_iter().all(|comes_back| comes_back)
}

/// Transitions as (from, action, to) with the sum of the rates.
fn reference_chain(model: &Model) -> BTreeMap<(String, String, String), f64> {
    let graph = skel::explore::explore::<f64>(model, 1_000_000).expect("a graph");
    let mut chain = BTreeMap::new();
    for (from, row) in graph.transitions.iter().enumerate() {
        for (action, rate, to) in row {
            let from = model.display_state(&graph.states[from]);
            let to = model.display_state(&graph.states[*to as usize]);
            *chain.entry((from, model.action(*action).to_owned(), to)).or_insert(0.0) += rate;
        }
    }
    chain
}

fn configuration(cases: u32) -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig { cases, failure_persistence: Some(Box::new(persistence)), ..ProptestConfig::default() }
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..40)
}

proptest! {
    #![proptest_config(configuration(250))]

    #[test]
    fn every_skeleton_is_irreducible(bytes in bytes()) {
        let (shape, _, system) = drawn(&bytes);
        let Ok(space) = system.model().explorer().lumped().limits(&within(10_000)).explore() else { return Ok(()) };
        let classes = classify(&space);
        prop_assert!(classes.deadlocks.is_empty(), "{shape} deadlocks");
        prop_assert!(classes.is_irreducible(), "{shape}: {classes:?}");
    }

    #[test]
    fn programs_with_buffers_and_ports_go_on(bytes in bytes()) {
        let (shape, _, system) = drawn(&bytes);
        let program = system.tree().clone().communicating(Communication::negligible());
        for (name, program) in [
            ("a buffer", program.clone().buffers(1)),
            ("one port", program.clone().one_port()),
            ("both", program.buffers(1).one_port()),
        ] {
            let system = program.lower_with_immediate_moves().expect("a system");
            let Ok(space) = system.model().explorer().lumped().limits(&within(5_000)).explore() else { continue };
            let classes = classify(&space);
            prop_assert!(classes.deadlocks.is_empty(), "{shape} deadlocks with {name}");
            prop_assert!(classes.is_irreducible(), "{shape} with {name}: {classes:?}");
            prop_assert!(runs_come_back_without_races(&system), "{shape} with {name}");
        }
    }

    #[test]
    fn fast_moves_tend_to_moves_that_take_no_time(bytes in bytes()) {
        let (shape, _, system) = drawn(&bytes);
        if system.model().explorer().lumped().limits(&within(2_000)).explore().is_err() {
            return Ok(());
        }
        let tree = system.tree().clone();
        let limit = tree.clone().communicating(Communication::negligible()).performance().expect("an answer");
        let fast = tree.clone().communicating(1_000_000).performance().expect("an answer");
        for (limit, fast) in limit.tasks().iter().zip(fast.tasks()) {
            let difference = limit.throughput / fast.throughput - 1.0;
            prop_assert!((-1e-9..1e-4).contains(&difference), "{shape}: {difference:e}");
        }
        let (system, pi) = (limit.system(), limit.steady_state());
        prop_assert!(runs_come_back_without_races(system), "{shape}");
        flow_is_conserved(system, pi, |one, other| (one - other).abs() <= 1e-9 * one);
        if pi.space().states() <= 60 {
            let exact = tree.communicating(Communication::negligible()).performance_exact().expect("an answer");
            flow_is_conserved(exact.system(), exact.steady_state(), |one, other| one == other);
            let difference = exact.throughput().to_float() / limit.throughput() - 1.0;
            prop_assert!(difference.abs() < 1e-12, "{shape}: {difference:e}");
        }
    }

    #[test]
    fn what_enters_a_stage_leaves_it(bytes in bytes()) {
        let (_, _, system) = drawn(&bytes);
        let Ok(space) = system.model().explorer().lumped().limits(&within(2_000)).explore() else { return Ok(()) };
        let pi = space.steady_state().expect("an answer");
        flow_is_conserved(&system, &pi, |one, other| (one - other).abs() <= 1e-9 * one);
        if space.states() <= 40 {
            let exact = space.steady_state_exact().expect("an answer");
            flow_is_conserved(&system, &exact, |one, other| one == other);
        }
    }

    #[test]
    fn throughput_never_falls_when_a_rate_rises(bytes in bytes(), which in any::<prop::sample::Index>()) {
        let (mut shape, communication, system) = drawn(&bytes);
        prop_assume!(system.model().explorer().lumped().limits(&within(1_000)).explore().is_ok());
        let before = throughput(&shape, communication);
        let higher = |rate: &str| if rate == "1/3" { "1" } else { "30" };
        let mut rates = shape.rates();
        let number = which.index(rates.len() + 1);
        let communication = match rates.get_mut(number) {
            Some(rate) => {
                **rate = higher(rate);
                communication
            }
            None => higher(communication),
        };
        let after = throughput(&shape, communication);
        prop_assert!(after >= before * (1.0 - 1e-9), "{shape} with rate {number} higher: {before} to {after}");
    }

    #[test]
    fn a_farm_is_at_least_as_fast_as_a_deal(rates in prop::array::uniform4(0..RATES.len()), replicas in 1..4_usize) {
        let [first, worker, last, communication] = rates.map(|at| RATES[at]);
        let between = |word| {
            let stages = format!("pipe(task({first}), {word}({replicas}, {worker}), task({last}))");
            throughput(&stages, communication)
        };
        let (farm, deal) = (between("farm"), between("deal"));
        prop_assert!(farm >= deal * (1.0 - 1e-9), "{farm} and {deal}");
    }

    #[test]
    fn engine_and_reference_semantics_give_one_chain(bytes in bytes()) {
        let (_, _, system) = drawn(&bytes);
        let Ok(space) = system.model().explorer().limits(&within(300)).explore() else { return Ok(()) };
        let reference = reference_chain(system.model());
        prop_assert_eq!(space.transitions(), reference.len());
        for from in 0..space.states() {
            for (action, rate, to) in space.transitions_from(from) {
                let action = system.model().action(action).to_owned();
                let key = (space.display_state(from), action, space.display_state(to));
                prop_assert!((rate - reference[&key]).abs() <= 1e-12 * rate, "{:?}", key);
            }
        }
    }

    #[test]
    fn what_is_printed_parses_to_the_same(bytes in bytes()) {
        let (shape, _, system) = drawn(&bytes);
        let printed = system.to_string();
        let again = skel::text::parse(&printed);
        prop_assert_eq!(&again.ast().to_string(), &system.ast().to_string(), "{}", printed);
        let again = again.into_model().unwrap_or_else(|errors| panic!("{errors}\n{printed}"));
        prop_assert_eq!(&again, system.model());
        let statements = system.tree().to_string();
        let tree = text::parse(&statements).into_tree().unwrap_or_else(|errors| panic!("{errors}\n{statements}"));
        prop_assert_eq!(&tree, system.tree(), "{}", shape);
    }

    #[test]
    fn lumping_changes_no_answer(bytes in bytes()) {
        let (shape, _, system) = drawn(&bytes);
        let Ok(plain) = system.model().explorer().limits(&within(1_000)).explore() else { return Ok(()) };
        let lumped = system.model().explorer().lumped().explore().expect("a space");
        if let Some(lumping) = lumped.lumping() {
            prop_assert_eq!(lumping.states(), Some(plain.states() as u128), "{}", shape);
            prop_assert_eq!(lumping.transitions(), Some(plain.transitions() as u128), "{}", shape);
        }
        let (plain, lumped) = (plain.steady_state().expect("an answer"), lumped.steady_state().expect("an answer"));
        for ((name, one), (_, other)) in plain.throughputs().into_iter().zip(lumped.throughputs()) {
            prop_assert!((one - other).abs() <= 1e-10 * one, "{}: {} {} {}", shape, name, one, other);
        }
        for (one, other) in plain.utilisations().into_iter().zip(lumped.utilisations()) {
            for ((name, one), (_, other)) in one.local_states.into_iter().zip(other.local_states) {
                prop_assert!((one - other).abs() <= 1e-10, "{}: {} {} {}", shape, name, one, other);
            }
        }
    }
}

/// All trees of some tasks: no pipe directly inside a pipe, at least two stages in a pipe and two replicas in
/// a deal or farm.
fn all_trees(tasks: usize) -> Vec<Shape> {
    let mut all = all_but_pipes(tasks);
    all.extend(all_pipes(tasks));
    all
}

fn all_but_pipes(tasks: usize) -> Vec<Shape> {
    let mut all = if tasks == 1 { vec![Shape::Task("1")] } else { Vec::new() };
    for replicas in (2..=tasks).filter(|&replicas| tasks.is_multiple_of(replicas)) {
        for worker in all_trees(tasks / replicas) {
            all.extend(WORDS.map(|word| Shape::Replicated(word, replicas, Box::new(worker.clone()))));
        }
    }
    all
}

fn all_pipes(tasks: usize) -> Vec<Shape> {
    all_sequences(tasks, 2).into_iter().map(Shape::Pipe).collect()
}

fn all_sequences(tasks: usize, least: usize) -> Vec<Vec<Shape>> {
    if tasks == 0 {
        return if least == 0 { vec![Vec::new()] } else { Vec::new() };
    }
    let mut all = Vec::new();
    for first in 1..=if least > 1 { tasks - 1 } else { tasks } {
        let rest = all_sequences(tasks - first, least.saturating_sub(1));
        for stage in all_but_pipes(first) {
            all.extend(rest.iter().map(|rest| [vec![stage.clone()], rest.clone()].concat()));
        }
    }
    all
}

#[test]
#[ignore = "all trees: a minute in release"]
fn all_trees_up_to_nine_tasks_are_irreducible() {
    let mut pipes = 0;
    let mut others = 0;
    let mut largest = (0, String::new());
    for shape in (1..=9).flat_map(all_trees) {
        match shape {
            Shape::Pipe(_) => pipes += 1,
            _ => others += 1,
        }
        let system = lowered(&shape, "1");
        let space = system.model().explorer().lumped().explore().expect("a space");
        let classes = classify(&space);
        assert!(classes.deadlocks.is_empty(), "{shape} deadlocks");
        assert!(classes.is_irreducible(), "{shape} has {} transient states", classes.transient);
        let states = space.lumping().map_or(Some(space.states() as u128), skel::space::Lumping::states);
        largest = largest.max((states.expect("a count"), shape.to_string()));
    }
    println!("{pipes} pipes, {others} other trees; the largest: {largest:?}");
    assert_eq!(pipes, 4652);
}

#[test]
#[ignore = "all trees: a minute in release"]
fn all_trees_up_to_seven_tasks_conserve_flow_and_gain_from_a_higher_rate() {
    let mut changes = 0;
    for (number, mut shape) in (1..=7).flat_map(all_trees).enumerate() {
        for (place, rate) in shape.rates().into_iter().enumerate() {
            *rate = RATES[(number + 3 * place) % RATES.len()];
        }
        let communication = RATES[number / 3 % RATES.len()];
        let before = performance(lowered(&shape, communication));
        let pi = before.steady_state();
        flow_is_conserved(before.system(), pi, |one, other| (one - other).abs() <= 1e-9 * one);
        for place in 0..=shape.rates().len() {
            let mut other = shape.clone();
            let mut communication = communication;
            *other.rates().into_iter().nth(place).unwrap_or(&mut communication) = "30";
            let after = throughput(&other, communication);
            assert!(after >= before.throughput() * (1.0 - 1e-9), "{shape} with rate {place} at 30: {after}");
            changes += 1;
        }
    }
    println!("{changes} rates raised");
}

#[test]
#[ignore = "all trees: a minute in release"]
fn all_trees_up_to_eight_tasks_go_on_where_moves_take_no_time() {
    let mut states = 0;
    for (number, mut shape) in (1..=8).flat_map(all_trees).enumerate() {
        for (place, rate) in shape.rates().into_iter().enumerate() {
            *rate = RATES[(number + 3 * place) % RATES.len()];
        }
        let program = lowered(&shape, "1").tree().clone().communicating(Communication::negligible());
        let limit = program.performance().unwrap_or_else(|error| panic!("{shape}: {error}"));
        let pi = limit.steady_state();
        flow_is_conserved(limit.system(), pi, |one, other| (one - other).abs() <= 1e-9 * one);
        assert!(runs_come_back_without_races(limit.system()), "{shape}");
        states += pi.space().states();
    }
    println!("{states} states in which no move is possible");
}

/// The throughput of a pipe with a processor for each task and a rate for each link.
fn unequal(stages: &str, powers: &[f64], links: &[((usize, usize), f64)]) -> f64 {
    let tree = text::parse(stages).into_tree().expect("a tree");
    let links = links.iter().map(|&(link, rate)| (link, rate.into()));
    let program = Program::new(tree, Communication::links(links, None))
        .with_processors(Processors::assigned(powers.iter().copied(), 0..powers.len()));
    *program.performance().expect("an answer").throughput()
}

#[test]
fn a_faster_link_to_a_worker_may_slow_a_farm() {
    // Worker 2 is a hundred times faster, and sends on at a hundred times the rate. A faster link to worker 1
    // gives it more items, each of which keeps the last task waiting longer.
    let stages = "pipe(task(1), farm(2, 1), task(1));";
    let with = |first_link| {
        let links = [((0, 1), first_link), ((0, 2), 10.0), ((1, 3), 0.1), ((2, 3), 10.0)];
        unequal(stages, &[0.1, 0.1, 10.0, 0.1], &links)
    };
    let (before, after) = (with(1.0), with(10.0));
    assert!((before - 0.077_384_056_430).abs() < 1e-11, "{before:.12}");
    assert!((after - 0.076_513_634_917).abs() < 1e-11, "{after:.12}");
}

#[test]
fn a_faster_processor_may_slow_a_farm_behind_a_deal() {
    let stages = "pipe(task(1), deal(3, 1), farm(2, 1));";
    let links = [(0, 1), (0, 2), (0, 3), (1, 4), (1, 5), (2, 4), (2, 5), (3, 4), (3, 5)];
    let links = links.map(|link| (link, 1.0));
    let before = unequal(stages, &[0.1, 0.1, 0.1, 1.0, 10.0, 0.1], &links);
    let after = unequal(stages, &[0.1, 0.1, 0.1, 10.0, 10.0, 0.1], &links);
    assert!(
        (before - 0.084_589_692_0).abs() < 1e-10 && (after - 0.084_589_359_8).abs() < 1e-10,
        "{before} {after}"
    );
}
