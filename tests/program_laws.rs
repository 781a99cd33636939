//! Laws of programs with service times of phases, buffers, ports and teams, over random ones.
//!
//! A longer search, some minutes: `cargo test --release --test program_laws -- --ignored --nocapture`.

#[path = "generated/draw.rs"]
mod draw;
#[path = "generated/program.rs"]
mod generated;

use std::collections::{BTreeMap, BTreeSet};

use draw::Draw;
use generated::{Program as Drawn, RATES, draw_program, draw_program_with_teams};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use skel::Error;
use skel::number::Number;
use skel::performance::{Performance, TaskPerformance};
use skel::prelude::*;
use skel::skeleton::{Stage, System, TeamKind, Tree, text};

fn configuration(cases: u32) -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig { cases, failure_persistence: Some(Box::new(persistence)), ..ProptestConfig::default() }
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..40)
}

fn within(states: u64) -> Limits {
    Limits { states, ..Limits::default() }
}

fn program(said: &impl ToString) -> skel::skeleton::Program<Tree> {
    let text = said.to_string();
    let parsed = text::parse(&text);
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    parsed.program().expect("a program")
}

/// The performance within so many states; none where there are more.
fn solved(said: &impl ToString, states: u64) -> Option<Performance<Tree, f64>> {
    match program(said).evaluator().limits(&within(states)).evaluate() {
        Err(Error::Stopped(_)) => None,
        answer => Some(answer.unwrap_or_else(|error| panic!("{}: {error}", said.to_string()))),
    }
}

/// As [`solved`], in fractions.
fn solved_exactly(said: &impl ToString, states: u64) -> Option<Performance<Tree, Ratio>> {
    match program(said).evaluator().exact().limits(&within(states)).evaluate() {
        Err(Error::Stopped(_)) => None,
        answer => Some(answer.unwrap_or_else(|error| panic!("{}: {error}", said.to_string()))),
    }
}

fn throughput(said: &impl ToString, states: u64) -> Option<f64> {
    solved(said, states).map(|performance| *performance.throughput())
}

/// What holds for each task and for the whole: it is busy, starved or blocked; busy for its mean service time
/// for each of its items; what enters a stage leaves it.
fn parts_add_up<N: Number>(said: &str, performance: &Performance<Tree, N>, is_equal: fn(&N, &N) -> bool) {
    let system = performance.system();
    for task in performance.tasks() {
        let whole = task.busy.clone() + task.starved.clone() + task.blocked.clone() + task.waiting.clone();
        assert!(is_equal(&whole, &N::from_ratio(&ratio(1, 1))), "{said}: task {}: {whole:?}", task.task);
        let work = |time: &Ratio| task.throughput.clone() * N::from_ratio(time);
        match system.tree().stage(task.stage) {
            Stage::Team(team) if team.replies() < team.workers => {
                // Each worker may leave out items, but the majority reply to each.
                let (least, most) =
                    (work(&team.least_work()).to_float(), work(team.worker.time.mean()).to_float());
                let busy = task.busy.to_float();
                assert!(least - 1e-9 <= busy && busy <= most + 1e-9, "{said}: task {}: {task:?}", task.task);
            }
            Stage::Team(team) => {
                let work = work(&team.least_work());
                assert!(is_equal(&work, &task.busy), "{said}: task {}: {work:?}, {task:?}", task.task);
            }
            _ => {
                let computed = task.busy.clone() * N::from_ratio(&task.rate);
                assert!(
                    is_equal(&computed, &task.throughput),
                    "{said}: task {}: {computed:?}, {task:?}",
                    task.task
                );
                let none = N::from_ratio(&ratio(0, 1));
                assert!(task.waiting == none, "{said}: {task:?}");
            }
        }
        for share in [&task.busy, &task.starved, &task.blocked, &task.waiting] {
            assert!(share.to_float() >= -1e-12, "{said}: {task:?}");
        }
        let flow = system.graph().flow(task.task);
        let none = N::from_ratio(&ratio(0, 1));
        assert!(!flow.sources.is_empty() || task.starved == none, "{said}: {task:?}");
        assert!(!flow.destinations.is_empty() || task.blocked == none, "{said}: {task:?}");
    }
    for (number, _) in system.tree().stages().iter().enumerate() {
        // A worker stands for all its replicas, and in a pipe each stage hands on all that it gets.
        let of_stage = performance.throughput_at(skel::skeleton::StageId(number as u32));
        assert!(is_equal(&of_stage, performance.throughput()), "{said}: node {number}: {of_stage:?}");
    }
    for buffer in performance.buffers() {
        let items = buffer.items.to_float();
        assert!((-1e-12..=f64::from(buffer.capacity) + 1e-9).contains(&items), "{said}: {buffer:?}");
    }
    assert!(is_equal(
        &(performance.response_time() * performance.throughput().clone()),
        &performance.items_inside()
    ));
}

fn is_close(one: &f64, other: &f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

/// The task of which an action's name speaks first: `move_3_4`, `put_any3_4`.
fn sender(action: &str) -> Option<u32> {
    let mut parts = action.split('_');
    let is_sent = matches!(parts.next(), Some("move" | "put"));
    let sender = parts.next().filter(|_| is_sent)?;
    sender.trim_start_matches("any").parse().ok()
}

/// The mean number of items inside, by counting them: one more where a task of the first stage has handed one
/// over and begins the next, one less where one of the last stage has computed one. In every state there are
/// as many, whichever way leads there.
fn counted_items(said: &str, system: &System, performance: &Performance<Tree, f64>) -> f64 {
    let (graph, pi) = (system.graph(), performance.steady_state());
    let tasks = || graph.flows().iter().zip(0_u32..);
    let first: BTreeSet<u32> =
        tasks().filter(|(flow, _)| flow.sources.is_empty()).map(|(_, task)| task).collect();
    let last = tasks().filter(|(flow, _)| flow.destinations.is_empty() && !flow.sources.is_empty());
    let leaving: BTreeSet<_> = last.map(|(_, task)| system.computation(task)).collect();
    let space = pi.space();
    let mut items = vec![None; space.states()];
    items[0] = Some(first.len() as i64);
    let mut open = vec![0];
    while let Some(from) = open.pop() {
        let here = items[from].expect("a state that was counted");
        for (action, _, to) in space.transitions_from(from) {
            let begins = sender(space.model().action(action)).is_some_and(|task| first.contains(&task));
            let there = here + i64::from(begins) - i64::from(leaving.contains(&action));
            match items[to] {
                None => {
                    items[to] = Some(there);
                    open.push(to);
                }
                Some(known) => assert_eq!(known, there, "{said}: items in state {to}"),
            }
        }
    }
    let counts = items.iter().map(|items| items.expect("a state that is reached") as f64);
    counts.zip(pi.probabilities()).map(|(items, probability)| items * probability).sum()
}

fn items_are_neither_lost_nor_made(said: &Drawn, states: u64) {
    let timed = match &said.communication[..] {
        "none" => Drawn { communication: "2".to_owned(), ..said.clone() },
        _ => said.clone(),
    };
    let Some(performance) = solved(&timed, states) else { return };
    // Where a map with state is the first, the next item begins behind a state, and not always where the one
    // before is sent.
    let tree = performance.system().tree();
    let is_first =
        |task: &TaskPerformance<f64>| performance.system().graph().flow(task.task).sources.is_empty();
    let has_state = |task: &TaskPerformance<f64>| matches!(tree.stage(task.stage), Stage::Team(team) if matches!(team.kind, TeamKind::MapWithState(_)));
    if performance.tasks().iter().any(|task| is_first(task) && has_state(task)) {
        return;
    }
    let counted = counted_items(&timed.to_string(), performance.system(), &performance);
    assert!(is_close(&counted, &performance.items_inside()), "{timed}: {counted}, {performance:?}");
}

/// Every figure of the tasks and of the whole.
fn figures<N: Number>(performance: &Performance<Tree, N>) -> Vec<N> {
    let tasks = performance.tasks().iter();
    let shares =
        tasks.flat_map(|t| [&t.throughput, &t.busy, &t.starved, &t.blocked, &t.waiting].map(Clone::clone));
    shares.chain([performance.throughput().clone(), performance.items_inside()]).collect()
}

/// Transitions as (from, action, to) with the sum of the rates, by the reference semantics.
fn reference_chain<N: Number>(model: &Model) -> BTreeMap<(String, String, String), N> {
    let graph = skel::explore::explore::<N>(model, 1_000_000).expect("a graph");
    let mut chain = BTreeMap::new();
    for (from, row) in graph.transitions.iter().enumerate() {
        for (action, rate, to) in row {
            let from = model.display_state(&graph.states[from]);
            let to = model.display_state(&graph.states[*to as usize]);
            let sum: &mut N =
                chain.entry((from, model.action(*action).to_owned(), to)).or_insert_with(N::zero);
            *sum = sum.clone() + rate.clone();
        }
    }
    chain
}

/// The model with each array written out as its copies side by side.
fn without_arrays(printed: &str) -> String {
    let (definitions, system) = printed.trim_end().rsplit_once('\n').expect("a system equation");
    let mut written = String::new();
    for part in system.split_inclusive(']') {
        match part.strip_suffix(']').and_then(|part| part.rsplit_once('[')) {
            None => written.push_str(part),
            Some((before, count)) => {
                let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
                let copies = vec![&before[start..]; count.parse().expect("a count")];
                written.push_str(&format!("{}({})", &before[..start], copies.join(" || ")));
            }
        }
    }
    format!("{definitions}\n{written}\n")
}

proptest! {
    #![proptest_config(configuration(150))]

    #[test]
    fn parts_of_the_time_and_items_add_up(bytes in bytes()) {
        let said = draw_program_with_teams(&mut Draw::new(&bytes), 5);
        let Some(performance) = solved(&said, 2_000) else { return Ok(()) };
        parts_add_up(&said.to_string(), &performance, is_close);
        items_are_neither_lost_nor_made(&said, 2_000);
        if let Some(exact) = solved_exactly(&said, 40) {
            parts_add_up(&said.to_string(), &exact, |one, other| one == other);
            for (one, other) in figures(&exact).iter().zip(figures(&performance)) {
                prop_assert!((one.to_float() - other).abs() <= 1e-10, "{said}: {one} and {other}");
            }
        }
    }

    #[test]
    fn a_written_program_is_read_as_the_same_one(bytes in bytes()) {
        let said = draw_program(&mut Draw::new(&bytes), 8);
        let program = program(&said);
        let text = program.to_skel().expect("all of its tasks have names");
        let read = text::parse(&text).program();
        let read = read.unwrap_or_else(|| panic!("{said}\n{text}"));
        let system = |program: &skel::skeleton::Program<Tree>| {
            program.lower_with_immediate_moves().expect("a model").to_string()
        };
        prop_assert_eq!(system(&read), system(&program), "{}", text);
        prop_assert_eq!(read.to_skel().expect("it was written"), text);
    }

    #[test]
    fn engine_and_reference_semantics_give_one_chain(bytes in bytes()) {
        let said = Drawn { communication: "2".to_owned(), ..draw_program_with_teams(&mut Draw::new(&bytes), 4) };
        let system = program(&said).lower().expect("a model");
        let model = system.model();
        let Ok(space) = model.explorer().limits(&within(300)).explore() else { return Ok(()) };
        let reference = reference_chain::<f64>(model);
        prop_assert_eq!(space.transitions(), reference.len(), "{}", said);
        for from in 0..space.states() {
            for (action, rate, to) in space.transitions_from(from) {
                let key = (space.display_state(from), model.action(action).to_owned(), space.display_state(to));
                prop_assert!((rate - reference[&key]).abs() <= 1e-12 * rate, "{said}: {key:?}");
            }
        }
        // In fractions the probabilities of the lumped chain are those of the reference: what flows into a
        // state flows out of it.
        if space.states() > 60 {
            return Ok(());
        }
        let plain = space.steady_state_exact().expect("an answer");
        let of_state: BTreeMap<String, Ratio> =
            (0..space.states()).map(|at| (space.display_state(at), plain.probabilities()[at].clone())).collect();
        let mut balance: BTreeMap<String, Ratio> = BTreeMap::new();
        for ((from, _, to), rate) in reference_chain::<Ratio>(model) {
            let flow = &of_state[&from] * rate;
            *balance.entry(from).or_insert_with(|| ratio(0, 1)) -= &flow;
            *balance.entry(to).or_insert_with(|| ratio(0, 1)) += flow;
        }
        prop_assert!(balance.values().all(|flow| *flow == ratio(0, 1)), "{said}");
        let lumped = solved_exactly(&said, 1_000).expect("an answer");
        for (task, of_task) in lumped.tasks().iter().zip(0..) {
            let workers = system.equal_workers(of_task).len() as i64;
            let all = plain.throughput_named(model.action(system.computation(of_task))).expect("an action");
            prop_assert_eq!(&task.throughput * ratio(workers, 1), all, "{}", said);
        }
    }

    #[test]
    fn lumping_changes_no_answer(bytes in bytes()) {
        let said = Drawn { communication: "2".to_owned(), ..draw_program_with_teams(&mut Draw::new(&bytes), 5) };
        let system = program(&said).lower().expect("a model");
        let Ok(plain) = system.model().explorer().limits(&within(2_000)).explore() else { return Ok(()) };
        let lumped = system.model().explorer().lumped().explore().expect("a space");
        if let Some(lumping) = lumped.lumping() {
            prop_assert_eq!(lumping.states(), Some(plain.states() as u128), "{}", said);
            prop_assert_eq!(lumping.transitions(), Some(plain.transitions() as u128), "{}", said);
        }
        let (plain, lumped) = (plain.steady_state().expect("an answer"), lumped.steady_state().expect("an answer"));
        for ((name, one), (_, other)) in plain.throughputs().into_iter().zip(lumped.throughputs()) {
            prop_assert!((one - other).abs() <= 1e-10 * one, "{}: {} {} {}", said, name, one, other);
        }
        for (one, other) in plain.utilisations().into_iter().zip(lumped.utilisations()) {
            for ((name, one), (_, other)) in one.local_states.into_iter().zip(other.local_states) {
                prop_assert!((one - other).abs() <= 1e-10, "{}: {} {} {}", said, name, one, other);
            }
        }
    }

    #[test]
    fn what_is_printed_has_the_same_performance(bytes in bytes()) {
        let said = Drawn { communication: "2".to_owned(), ..draw_program_with_teams(&mut Draw::new(&bytes), 5) };
        let Some(performance) = solved(&said, 1_000) else { return Ok(()) };
        let system = performance.system();
        let printed = system.to_string();
        for text in [printed.clone(), without_arrays(&printed)] {
            let again = skel::text::parse(&text).into_model().unwrap_or_else(|errors| panic!("{errors}\n{text}"));
            let pi = again.explorer().lumped().explore().expect("a space").steady_state().expect("an answer");
            let exits = system.graph().exits_of(system.tree().root()).iter();
            let actions: BTreeSet<&str> =
                exits.map(|&task| system.model().action(system.computation(task))).collect();
            let whole: f64 = actions.iter().map(|action| pi.throughput_named(action).expect("an action")).sum();
            prop_assert!(is_close(&whole, performance.throughput()), "{said}: {whole}\n{text}");
        }
        // The skeleton itself prints as a text, too.
        let tree = text::parse(&system.tree().to_string()).into_tree().expect("a tree");
        prop_assert_eq!(&tree, system.tree(), "{}", said);
    }

    #[test]
    fn a_port_for_one_link_changes_nothing(bytes in bytes()) {
        let drawn = Drawn { buffers: 0, before: None, one_port: false, ..draw_program_with_teams(&mut Draw::new(&bytes), 4) };
        let mut shape = drawn.shape.clone();
        // Exponential times: then the program without a port has the form of the paper.
        shape.times().into_iter().for_each(|time| if time.contains('(') { "2".clone_into(time) });
        let of_paper = Drawn { shape, ..drawn };
        let Some(expected) = solved_exactly(&of_paper, 60).map(|performance| figures(&performance)) else { return Ok(()) };
        // A time of phases that all end at one rate is exponential.
        let mut in_phases = of_paper.clone();
        for time in in_phases.shape.times() {
            *time = match &time[..] {
                "1" => "phases([1/3, 2/3], [[-3, 2], [0, -1]])".to_owned(),
                "2" => "phases([1, 0, 0], [[-5, 2, 1], [1, -3, 0], [0, 0, -2]])".to_owned(),
                rate => format!("hyperexponential([1/4, 3/4], [{rate}, {rate}])"),
            };
        }
        if let Some(found) = solved_exactly(&in_phases, 300) {
            prop_assert_eq!(figures(&found), &expected[..], "{}", in_phases);
        }
        let alone = Drawn { shape: of_paper.shape.with_workers("farm"), ..of_paper.clone() };
        prop_assert_eq!(figures(&solved_exactly(&alone, 60).expect("an answer")), &expected[..], "{}", alone);
        if !of_paper.shape.has_farm() {
            let one_port = Drawn { one_port: true, ..of_paper };
            prop_assert_eq!(figures(&solved_exactly(&one_port, 60).expect("an answer")), &expected[..], "{}", one_port);
        }
    }

    #[test]
    fn a_farm_of_one_is_a_deal_of_one_is_a_task(bytes in bytes()) {
        let said = draw_program_with_teams(&mut Draw::new(&bytes), 4);
        let Some(task) = solved_exactly(&said, 60) else { return Ok(()) };
        for word in ["farm", "deal"] {
            let alone = Drawn { shape: said.shape.with_workers(word), ..said.clone() };
            prop_assert_eq!(figures(&solved_exactly(&alone, 60).expect("an answer")), figures(&task), "{}", alone);
        }
    }

    #[test]
    fn fast_moves_tend_to_moves_that_take_no_time(bytes in bytes()) {
        let said = draw_program_with_teams(&mut Draw::new(&bytes), 5);
        let at = |communication: &str| Drawn { communication: communication.to_owned(), ..said.clone() };
        let Some(fast) = solved(&at("1000000"), 2_000) else { return Ok(()) };
        let limit = solved(&at("none"), 2_000).expect("an answer");
        for (limit, fast) in limit.tasks().iter().zip(fast.tasks()) {
            let difference = limit.throughput / fast.throughput - 1.0;
            prop_assert!(difference.abs() < 1e-4, "{said}: {difference:e}");
            let shares = [(limit.busy, fast.busy), (limit.starved, fast.starved), (limit.blocked, fast.blocked)];
            for (limit, fast) in shares.into_iter().chain([(limit.waiting, fast.waiting)]) {
                prop_assert!((limit - fast).abs() < 1e-4, "{said}: {limit} {fast}");
            }
        }
        let (limit, fast) = (limit.items_inside(), fast.items_inside());
        prop_assert!((limit / fast - 1.0).abs() < 1e-4, "{said}: {limit} {fast}");
    }
}

/// A program and another one that should not be slower, with what was changed.
type Change = (Drawn, Drawn);

/// One more place in all buffers, or in one. A first place is added only where moves take no time: an item in
/// a buffer has moved twice, and a buffer of one place is filled and emptied in turn. See
/// `a_buffer_of_one_place_may_be_slower_than_none`.
fn more_buffer(draw: &mut Draw, mut said: Drawn) -> Option<Change> {
    if said.communication != "none" {
        said.buffers = said.buffers.max(1);
        said.before = said.before.map(|(task, capacity)| (task, capacity.max(1)));
    }
    let more = match said.before {
        Some((task, capacity)) if draw.one_in(2) => {
            Drawn { before: Some((task, capacity + 1)), ..said.clone() }
        }
        _ => Drawn { buffers: said.buffers + 1, ..said.clone() },
    };
    Some((said, more))
}

/// One more replica of any deal or farm.
fn more_replicas(draw: &mut Draw, said: Drawn) -> Option<Change> {
    one_more(draw, said, generated::Shape::counts)
}

/// One more worker of a farm that is in no deal or farm, and has none in it.
fn larger_farm(draw: &mut Draw, said: Drawn) -> Option<Change> {
    one_more(draw, said, generated::Shape::farms)
}

fn one_more(
    draw: &mut Draw,
    said: Drawn,
    counts: fn(&mut generated::Shape) -> Vec<&mut usize>,
) -> Option<Change> {
    let mut more = said.clone();
    let mut counts = counts(&mut more.shape);
    let count = counts.len();
    **counts.get_mut(draw.below(count.max(1)))? += 1;
    Some((said, more))
}

/// A task whose time varies less, with the same mean. Each of the times is below the one before in the convex
/// order.
fn less_variation(draw: &mut Draw, mut said: Drawn) -> Option<Change> {
    let mean: Ratio = RATES[draw.below(RATES.len())].parse().expect("a fraction");
    let [fast, slow] = [ratio(1, 2), ratio(3, 2)].map(|share| (share * &mean).recip());
    let times = [
        format!("hyperexponential([1/2, 1/2], [{fast}, {slow}])"),
        format!("erlang(1, {mean})"),
        format!("erlang(2, {mean})"),
        format!("erlang(3, {mean})"),
    ];
    let (from, count) = (draw.below(3), said.shape.times().len());
    let at = draw.below(count);
    said.shape.times()[at].clone_from(&times[from]);
    let mut steadier = said.clone();
    steadier.shape.times()[at].clone_from(&times[from + 1]);
    Some((said, steadier))
}

/// The relative gain by a change, if both can be solved within so many states.
fn gain((before, after): &Change, states: u64) -> Option<f64> {
    Some(throughput(after, states)? / throughput(before, states)? - 1.0)
}

proptest! {
    #![proptest_config(configuration(150))]

    #[test]
    fn more_buffer_never_lowers_throughput(bytes in bytes()) {
        let mut draw = Draw::new(&bytes);
        let said = draw_program(&mut draw, 5);
        let change = more_buffer(&mut draw, said).expect("a change");
        let gain = gain(&change, 2_000).unwrap_or_default();
        prop_assert!(gain >= -1e-9, "{} but {}: {gain:e}", change.0, change.1);
    }

    #[test]
    fn a_larger_farm_never_lowers_throughput(bytes in bytes()) {
        let mut draw = Draw::new(&bytes);
        let said = draw_program(&mut draw, 5);
        let Some(change) = larger_farm(&mut draw, said) else { return Ok(()) };
        let gain = gain(&change, 2_000).unwrap_or_default();
        prop_assert!(gain >= -1e-9, "{} but {}: {gain:e}", change.0, change.1);
    }

    #[test]
    fn less_variation_never_lowers_throughput_without_a_farm(bytes in bytes()) {
        let mut draw = Draw::new(&bytes);
        let said = draw_program(&mut draw, 5);
        prop_assume!(!said.shape.has_farm());
        let change = less_variation(&mut draw, said).expect("a change");
        let gain = gain(&change, 2_000).unwrap_or_default();
        prop_assert!(gain >= -1e-9, "{} but {}: {gain:e}", change.0, change.1);
    }
}

#[test]
fn the_laws_are_tried_with_all_kinds_of_teams() {
    let mut drawn: BTreeMap<&str, u32> = BTreeMap::new();
    let mut seed = 1;
    for _ in 0..300 {
        let bytes: Vec<u8> = (0..20).map(|_| next(&mut seed)).collect();
        let said = draw_program_with_teams(&mut Draw::new(&bytes), 5);
        said.shape.teams().into_iter().for_each(|word| *drawn.entry(word).or_default() += 1);
    }
    let words = ["fault_tolerant", "map", "map_with_state"];
    assert!(drawn.keys().eq(&words) && drawn.values().all(|&times| times >= 20), "{drawn:?}");
}

/// Searches for a change that makes a program slower, over so many random programs, and prints those of the
/// fewest characters.
fn search(name: &str, programs: u64, states: u64, change: fn(&mut Draw, Drawn) -> Option<Change>) {
    let (mut solved, mut slower) = (0_u64, Vec::new());
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..programs {
        let bytes: Vec<u8> = (0..40).map(|_| next(&mut seed)).collect();
        let mut draw = Draw::new(&bytes);
        let most = 3 + draw.below(5);
        let said = draw_program(&mut draw, most);
        let Some(change) = change(&mut draw, said) else { continue };
        let Some(gain) = gain(&change, states) else { continue };
        solved += 1;
        if gain < -1e-9 {
            slower.push((change.0.to_string(), change.1.to_string(), gain));
        }
    }
    slower.sort_by_key(|(before, ..)| before.len());
    println!("{name}: {solved} changes, {} slower", slower.len());
    for (before, after, gain) in slower.iter().take(12) {
        println!("  {before}\n  {after}\n    {gain:e}");
    }
    let without_farm = slower.iter().filter(|(before, ..)| !before.contains("farm")).count();
    println!("  {without_farm} without a farm");
}

/// A byte of a linear congruential generator (Knuth's MMIX).
fn next(seed: &mut u64) -> u8 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 56) as u8
}

/// How many programs a search takes: `PROGRAMS=100000` for other than 20,000.
fn programs() -> u64 {
    std::env::var("PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000)
}

#[test]
#[ignore = "a search: minutes in release"]
fn search_for_buffers_that_slow_a_program() {
    search("one more place", programs(), 3_000, more_buffer);
}

#[test]
#[ignore = "a search: minutes in release"]
fn search_for_replicas_that_slow_a_program() {
    search("one more replica", programs(), 3_000, more_replicas);
}

#[test]
#[ignore = "a search: minutes in release"]
fn search_for_variation_that_speeds_a_program_up() {
    search("less variation", programs(), 3_000, less_variation);
}

#[test]
fn a_buffer_of_one_place_may_be_slower_than_none() {
    // An item in a buffer moves twice, and with one place the two moves take turns. Where moves are slow,
    // that is what counts.
    let exactly = |communication: &str, capacity: u32| {
        let text = format!("pipe(task(1), task(1)); communication({communication}); buffers({capacity});");
        solved_exactly(&text, 1_000).expect("an answer").throughput().clone()
    };
    assert_eq!(exactly("1/10", 0), ratio(2, 23));
    assert!(exactly("1/10", 1) < ratio(1, 20), "two moves for each item, at a rate of 1/10");
    assert!(exactly("1/10", 16) < exactly("1/10", 0));
    assert!(exactly("10", 0) < exactly("10", 1));
}

#[test]
fn less_variation_may_slow_a_farm() {
    // Two workers in front of a task whose times vary much, and no buffer: the less the workers' times vary,
    // of the same mean, the fewer items.
    let with = |time: &str| {
        let last = "task(hyperexponential([1/4, 3/4], [1/10, 5]))";
        let text = format!("pipe(farm(2, {time}), {last}); communication(none);");
        throughput(&text, 1_000).expect("an answer")
    };
    let varying = with("hyperexponential([1/2, 1/2], [1, 1/3])");
    let (exponential, steady) = (with("1/2"), with("erlang(4, 2)"));
    for (found, expected) in
        [(varying, 0.317_945_611_8), (exponential, 0.316_753_162_1), (steady, 0.314_430_025_5)]
    {
        assert!((found - expected).abs() < 1e-10, "{found}");
    }
}

#[test]
fn one_more_worker_of_a_deal_next_to_a_deal_may_be_slower() {
    // Two and two are pairs, which do not wait for each other. With three and two, all take turns with all.
    let with = |first: usize, second: usize| {
        let text = format!("pipe(deal({first}, 1), deal({second}, 1)); communication(none);");
        solved_exactly(&text, 1_000).expect("an answer").throughput().clone()
    };
    assert_eq!(with(2, 2), ratio(4, 3));
    let expected = ratio(192_622_374, 147_149_767);
    assert!(expected < ratio(4, 3));
    assert_eq!((with(3, 2), with(2, 3)), (expected.clone(), expected));
}

#[test]
fn a_second_farm_of_deals_may_be_slower_than_one() {
    // Each worker of a deal has a buffer of its own. In two deals side by side in a farm, all share one.
    let with = |farms: usize| {
        let text = format!("pipe(farm({farms}, deal(3, 1)), task(10)); communication(1/10); buffers(1);");
        throughput(&text, 10_000).expect("an answer")
    };
    let (one, two) = (with(1), with(2));
    assert!(two < 0.7 * one, "{one} {two}");
}

/// A phase-type time as a text, and as initial probabilities, rates from phase to phase and rates of ending.
struct Phases {
    initial: Vec<Ratio>,
    moves: Vec<Vec<Ratio>>,
    exits: Vec<Ratio>,
}

impl Phases {
    /// Up to three phases, each of which leads on to the next; any other move and any end may be there or
    /// not.
    fn drawn(draw: &mut Draw) -> Phases {
        let count = 1 + draw.below(3);
        let weights: Vec<i64> =
            (0..count).map(|phase| draw.below(3) as i64 + i64::from(phase == 0)).collect();
        let all = weights.iter().sum();
        let mut rate = |least: usize| ratio((least + draw.below(4)) as i64, 2);
        let mut of_move = |from: usize, to: usize| match to {
            _ if to == from => ratio(0, 1),
            _ => rate(usize::from(to == from + 1)),
        };
        let moves = (0..count).map(|from| (0..count).map(|to| of_move(from, to)).collect()).collect();
        let exits = (0..count).map(|phase| rate(usize::from(phase + 1 == count))).collect();
        Phases { initial: weights.into_iter().map(|weight| ratio(weight, all)).collect(), moves, exits }
    }

    fn rate_out(&self, phase: usize) -> Ratio {
        self.moves[phase].iter().fold(self.exits[phase].clone(), |sum, rate| sum + rate)
    }

    fn text(&self) -> String {
        let list = |values: Vec<String>| format!("[{}]", values.join(", "));
        let entry = |from: usize, to: usize| match from == to {
            true => format!("-{}", self.rate_out(from)),
            false => self.moves[from][to].to_string(),
        };
        let phases = 0..self.exits.len();
        let rows = phases.clone().map(|from| list(phases.clone().map(|to| entry(from, to)).collect()));
        let initial = list(self.initial.iter().map(ToString::to_string).collect());
        format!("phases({initial}, {})", list(rows.collect()))
    }
}

/// The mean of the larger of two times: from each pair of phases, where a phase may also be the end, the mean
/// time until both have ended, by elimination of the equations of the first step.
fn mean_of_the_larger(one: &Phases, other: &Phases) -> Ratio {
    let (n, m) = (one.exits.len(), other.exits.len());
    let place = |i: usize, j: usize| i * (m + 1) + j;
    let size = (n + 1) * (m + 1);
    let mut rows = vec![vec![ratio(0, 1); size + 1]; size];
    for i in 0..=n {
        for j in 0..=m {
            let row = &mut rows[place(i, j)];
            if (i, j) == (n, m) {
                row[place(i, j)] = ratio(1, 1);
                continue;
            }
            row[size] = ratio(1, 1);
            let mut step = |rate: &Ratio, to: usize| {
                row[place(i, j)] += rate;
                row[to] -= rate;
            };
            if i < n {
                (0..n).for_each(|to| step(&one.moves[i][to], place(to, j)));
                step(&one.exits[i], place(n, j));
            }
            if j < m {
                (0..m).for_each(|to| step(&other.moves[j][to], place(i, to)));
                step(&other.exits[j], place(i, m));
            }
        }
    }
    let times = solution(rows);
    let begins = |i: usize, j: usize| &one.initial[i] * &other.initial[j] * &times[place(i, j)];
    (0..n).flat_map(|i| (0..m).map(move |j| (i, j))).fold(ratio(0, 1), |sum, (i, j)| sum + begins(i, j))
}

/// The solution of linear equations, by Gauss and Jordan.
fn solution(mut rows: Vec<Vec<Ratio>>) -> Vec<Ratio> {
    let size = rows.len();
    for column in 0..size {
        let pivot = (column..size).find(|&row| rows[row][column] != ratio(0, 1)).expect("a pivot");
        rows.swap(column, pivot);
        let by = rows[column][column].clone();
        rows[column].iter_mut().for_each(|value| *value /= &by);
        let pivot = rows[column].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(row, _)| *row != column) {
            let by = row[column].clone();
            row.iter_mut().zip(&pivot).for_each(|(value, of_pivot)| *value -= &by * of_pivot);
        }
    }
    rows.into_iter().map(|row| row[size].clone()).collect()
}

proptest! {
    #![proptest_config(configuration(60))]

    /// Without a buffer both stages begin an item together, and hand over when both have ended.
    #[test]
    fn two_stages_take_the_larger_of_two_times(bytes in bytes(), rate in 0..RATES.len()) {
        let mut draw = Draw::new(&bytes);
        let (one, other) = (Phases::drawn(&mut draw), Phases::drawn(&mut draw));
        let larger = mean_of_the_larger(&one, &other);
        let rate = RATES[rate];
        let stages = format!("pipe(task({}), task({}))", one.text(), other.text());
        let moves: Ratio = rate.parse().expect("a fraction");
        for (communication, expected) in [("none", larger.recip()), (rate, (larger + moves.recip()).recip())] {
            for ports in ["", "one_port;"] {
                let text = format!("{stages}; communication({communication}); {ports}");
                let found = solved_exactly(&text, 1_000).expect("an answer");
                prop_assert_eq!(found.throughput(), &expected, "{}", text);
            }
        }
    }
}

/// With a replica more, stages have other numbers; what was said of the buffer before a stage is said of the
/// same stage.
#[test]
fn gains_keep_the_buffer_before_a_stage() {
    let text = "pipe(task(\"a\", 1), task(\"b\", 1), task(\"c\", 2), task(\"d\", 3)); communication(20); buffers(\"c\", 3);";
    let gains = program(&text).gains().expect("gains");
    for (name, gain) in ["a", "b", "c", "d"].into_iter().zip(&gains) {
        let larger = text.replace(&format!("task(\"{name}\""), &format!("farm(2, \"{name}\""));
        let expected = throughput(&larger, 10_000).expect("an answer");
        let found = gain.as_farm.as_ref().expect("a farm").as_ref().expect("an answer");
        assert!(is_close(found, &expected), "{name}: {found} and {expected}");
    }
}
