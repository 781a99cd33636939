//! Every method that can be chosen: right to the tolerance, or a refusal that says what it reached. They
//! agree with exact fractions on the reference models, with each other on random chains, and don't deceive
//! themselves on stiff ones.

use std::fmt::Write as _;

use serde_json::Value;
use skel::number::Number;
use skel::prelude::*;
use skel::steady::{Certified, Method, MethodUsed, Options};

const METHODS: [Method; 9] = [
    Method::Direct,
    Method::BiCgStab,
    Method::BiCgStabIlu,
    Method::BiCgStabDilu,
    Method::Gmres,
    Method::GmresIlu,
    Method::Multilevel,
    Method::GaussSeidel,
    Method::Power,
];

fn space(text: &str) -> StateSpace {
    skel::text::parse(text)
        .into_model()
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"))
        .explore()
        .unwrap()
}

fn solve(space: &StateSpace, method: Method) -> Result<SteadyState<Model, f64>, skel::Error> {
    let limits = Limits { iterations: 3000, ..Limits::default() };
    space.solver().method(method).limits(&limits).solve()
}

/// Whether a method answers, which then is right: all throughputs, to ten digits.
fn answers(space: &StateSpace, method: Method, expected: &[(String, f64)]) -> bool {
    match solve(space, method) {
        Ok(solution) => {
            for (action, expected) in expected {
                let found = solution.throughput_named(action).unwrap();
                let report = solution.report();
                assert!(
                    (found - expected).abs() <= 1e-10 * expected,
                    "{method:?}, {action}: {found} for {expected}, {report:?}"
                );
            }
            true
        }
        Err(skel::Error::NotConverged(failure)) => {
            assert_eq!(failure.tried.len(), 1, "{method:?}: {failure:?}");
            assert_ne!(method, Method::Direct, "{failure:?}");
            false
        }
        Err(other) => panic!("{method:?}: {other}"),
    }
}

#[test]
fn every_method_agrees_with_fractions_on_every_reference_model() {
    let mut refused = Vec::new();
    let golden: Vec<Value> = serde_json::from_str(include_str!("seeds/golden.json")).unwrap();
    for model in golden {
        let name = model["name"].as_str().unwrap();
        let space = space(model["text"].as_str().unwrap());
        let exact = space.steady_state_exact().unwrap();
        let throughputs = exact.throughputs().into_iter();
        let expected: Vec<_> =
            throughputs.map(|(action, value)| (action.to_owned(), value.to_float())).collect();
        for method in METHODS {
            if !answers(&space, method, &expected) {
                refused.push((name.to_owned(), method));
            }
        }
    }
    // Steps of the power method are as short as the fastest rate asks for.
    assert!(refused.len() <= 6 && refused.iter().all(|(_, method)| *method == Method::Power), "{refused:?}");
}

/// A component of so many local states on a cycle, each with two jumps anywhere; a tenth of the activities
/// are `a`.
fn random_chain(states: usize, mut seed: u64) -> String {
    let mut below = |bound: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % bound
    };
    let mut text = String::new();
    for state in 0..states {
        let next = ((state + 1) % states) as u64;
        let targets = [next, below(states as u64), below(states as u64)];
        let activities: Vec<String> = targets
            .iter()
            .map(|target| {
                let action = if below(10) == 0 { "a" } else { "b" };
                format!("({action}, {}).S{target}", 1 + below(20))
            })
            .collect();
        writeln!(text, "S{state} = {};", activities.join(" + ")).unwrap();
    }
    text + "S0"
}

#[test]
fn methods_agree_on_random_chains() {
    for (states, seed) in [(2, 1), (10, 2), (100, 3), (1000, 4), (10_000, 5)] {
        let space = space(&random_chain(states, seed));
        assert_eq!(space.states(), states);
        let first = solve(&space, Method::BiCgStab).unwrap();
        let expected: Vec<_> =
            first.throughputs().into_iter().map(|(action, value)| (action.to_owned(), value)).collect();
        // An elimination fills a random matrix.
        for &method in METHODS.iter().filter(|&&method| states <= 1000 || method != Method::Direct) {
            assert!(answers(&space, method, &expected), "{states} states, {method:?}");
        }
    }
}

/// A walk on a square, with another rate for each step from each place.
fn rough_lattice(side: usize) -> String {
    let mut text = String::new();
    for place in 0..side * side {
        let (x, y) = (place / side, place % side);
        let steps = [
            (x > 0, place.wrapping_sub(side)),
            (y > 0, place.wrapping_sub(1)),
            (y + 1 < side, place + 1),
            (x + 1 < side, place + side),
        ];
        let ways =
            steps.into_iter().enumerate().filter(|(_, (is_there, _))| *is_there).map(|(step, (_, to))| {
                let rate = 1000 + (7919 * x + 104_729 * y + 13 * x * y + 2503 * step) % 9973;
                format!("(step{step}, {}).S{to}", rate as f64 / 10_000.0)
            });
        writeln!(text, "S{place} = {};", ways.collect::<Vec<_>>().join(" + ")).unwrap();
    }
    text + "S0"
}

/// Whatever memory is allowed, there is an answer, or that is what ends the work: it seems to be cheap to
/// eliminate such a chain, and where memory is too small for it after all, iterations give the answer.
#[test]
fn a_chain_is_iterated_where_memory_keeps_it_from_elimination() {
    let space = space(&rough_lattice(80));
    let expected = space.steady_state().unwrap();
    assert_eq!(expected.report().method, MethodUsed::Direct);
    let [mut eliminated, mut iterated, mut refused] = [0; 3];
    for eighths in (8..120).step_by(2) {
        let limits = Limits { memory: eighths << 17, ..Limits::default() };
        match space.solver().limits(&limits).solve() {
            Ok(pi) if pi.report().method == MethodUsed::Direct => eliminated += 1,
            Ok(pi) => {
                iterated += 1;
                for (action, value) in expected.throughputs() {
                    assert!((pi.throughput_named(action).unwrap() / value - 1.0).abs() < 1e-8, "{action}");
                }
            }
            Err(skel::Error::Stopped(_)) => refused += 1,
            Err(error) => panic!("{eighths} eighths of a megabyte: {error}"),
        }
    }
    assert!(eliminated > 0 && iterated > 0 && refused > 0, "{eliminated} {iterated} {refused}");
}

/// A cycle of states, some of which also lead, at a rate, to a state that a function tells; and its
/// probabilities if that is the first.
fn long_cycle(states: usize, back: f64, other: impl Fn(usize) -> Option<usize>) -> (String, Vec<f64>) {
    let (mut text, mut pi) = (String::new(), Vec::new());
    let mut entering = 1.0;
    for state in 0..states {
        let (rate, next) = (1.0 + (state % 7) as f64, (state + 1) % states);
        write!(text, "S{state} = (on, {rate}).S{next}").unwrap();
        let back = other(state).map_or(0.0, |target| {
            write!(text, " + (back, {back}).S{target}").unwrap();
            back
        });
        text.push_str(";\n");
        pi.push(entering / (rate + back));
        entering *= rate / (rate + back);
    }
    let sum: f64 = pi.iter().sum();
    pi.iter_mut().for_each(|value| *value /= sum);
    (text + "S0", pi)
}

#[test]
fn long_sequences_of_states_are_eliminated_before_any_iteration() {
    let (text, expected) = long_cycle(8000, 0.001, |state| (state % 20 == 10).then_some(0));
    let solution = space(&text).steady_state().unwrap();
    let report = solution.report();
    assert_eq!((report.method, report.iterations), (MethodUsed::Direct, 0));
    assert!(report.handed_over.is_empty(), "{report:?}");
    for (value, expected) in solution.probabilities().iter().zip(expected) {
        assert!((value / expected - 1.0).abs() <= report.error, "{value} for {expected}");
    }
    // Sequences that are connected at random are dear to eliminate.
    let (text, _) =
        long_cycle(8000, 5.0, |state| (state % 5 < 2).then_some(((state * 2_654_435_761) >> 12) % 8000));
    let solution = space(&text).steady_state().unwrap();
    assert_eq!(solution.report().method, MethodUsed::BiCgStab, "{:?}", solution.report());
}

/// Three machines that fail and are repaired, with two buffers of so many places between them.
fn transfer_line(places: usize, fail: f64, repair: f64) -> StateSpace {
    let mut text = String::new();
    for (machine, speed) in [1.0, 1.1, 1.2].into_iter().enumerate() {
        let works = format!("(work{machine}, {speed}).Up{machine} + (fail{machine}, {fail}).Down{machine}");
        writeln!(text, "Up{machine} = {works}; Down{machine} = (repair{machine}, {repair}).Up{machine};")
            .unwrap();
    }
    for (buffer, (puts, takes)) in [(0, 1), (1, 2)].into_iter().enumerate() {
        for pieces in 0..=places {
            let put = (pieces < places).then(|| format!("(work{puts}, infty).Buffer{buffer}x{}", pieces + 1));
            let take =
                pieces.checked_sub(1).map(|fewer| format!("(work{takes}, infty).Buffer{buffer}x{fewer}"));
            let ways = [put, take].into_iter().flatten().collect::<Vec<_>>().join(" + ");
            writeln!(text, "Buffer{buffer}x{pieces} = {ways};").unwrap();
        }
    }
    space(&(text + "(((Up0 <work0> Buffer0x0) <work1> Up1) <work1> Buffer1x0) <work2> Up2"))
}

/// Lattices of two dimensions: elimination takes less time than iterations where one state belongs to each
/// place, and more where eight do.
#[test]
fn what_is_dear_to_eliminate_for_its_length_is_iterated() {
    // Stiff ones have a direction in which probability flows; if machines are down half of the time, there is
    // none.
    for (fail, repair) in [(0.0001, 0.01), (0.02, 0.1), (0.1, 0.1)] {
        let space = transfer_line(30, fail, repair);
        let solution = space.steady_state().unwrap();
        let report = solution.report();
        assert_eq!((space.states(), report.method), (8 * 31 * 31, MethodUsed::BiCgStabDilu), "{report:?}");
        let direct = solve(&space, Method::Direct).unwrap();
        let error = report.error + direct.report().error;
        for (value, expected) in solution.probabilities().iter().zip(direct.probabilities()) {
            assert!((value / expected - 1.0).abs() <= error, "{value} for {expected}, {report:?}");
        }
    }
    let solution = queues_in_a_line(100, 2).steady_state().unwrap();
    assert_eq!(solution.report().method, MethodUsed::Direct, "{:?}", solution.report());
}

/// A queue with so many places before three servers that seldom fail, a queue behind them, and four seasons
/// that change as seldom. Customers come at a rate `a`, and somewhat faster in some seasons.
fn servers_that_fail(places: [usize; 2], fail: f64, repair: f64) -> StateSpace {
    let mut text = format!(
        "a = 0.8; Up = (serve, 1).Up + (fail, {fail:e}).Down; Down = (repair, {repair:e}).Up;\n\
         Low = (rise, {fail:e}).High + (arrive, a / 4).Low;\n\
         High = (fall, {repair:e}).Low + (arrive, a / 3).High;\n"
    );
    let ends = [("arrive", "infty", "serve", "infty"), ("serve", "infty", "leave", "1.1")];
    for (queue, (places, (into, come, from, go))) in places.into_iter().zip(ends).enumerate() {
        for count in 0..=places {
            let come = (count < places).then(|| format!("({into}, {come}).Q{queue}x{}", count + 1));
            let go = count.checked_sub(1).map(|fewer| format!("({from}, {go}).Q{queue}x{fewer}"));
            let ways = [come, go].into_iter().flatten().collect::<Vec<_>>().join(" + ");
            writeln!(text, "Q{queue}x{count} = {ways};").unwrap();
        }
    }
    let text = text + "((Q0x0 <serve> Up[3]) <arrive> Low[4]) <serve> Q1x0";
    let model = Model::from_text(&text).unwrap_or_else(|error| panic!("{error}"));
    model.explorer().lumped().explore().unwrap()
}

/// With incomplete factors these take 427 to 555 iterations.
#[test]
fn servers_that_seldom_fail_are_solved_in_blocks() {
    for (places, fail, repair) in [([20, 15], 1e-4, 1e-3), ([40, 12], 1e-6, 1e-4), ([30, 20], 1e-9, 1e-3)] {
        let space = servers_that_fail(places, fail, repair);
        assert_eq!(space.states(), 20 * (places[0] + 1) * (places[1] + 1));
        let solution = space.steady_state().unwrap();
        let report = solution.report();
        assert_eq!((report.method, report.certified), (MethodUsed::BiCgStabBlocks, Certified::Sums));
        assert!(report.iterations <= 40 && report.error <= 1e-10, "{report:?}");
        hold_sums(&solution);
        let near = space.with_rates(&[("a", Rate::from(0.8 * 1.001))]).unwrap();
        let warm = near.solver().start_from(&solution).solve().unwrap();
        assert_eq!(warm.report().method, MethodUsed::BiCgStabBlocks, "{:?}", warm.report());
        assert!(2 * warm.report().iterations <= report.iterations, "{:?}", warm.report());
        hold_sums(&warm);
    }
}

/// Holds throughputs against those by elimination.
fn hold_sums(solution: &SteadyState<Model, f64>) {
    let direct = solve(solution.space(), Method::Direct).unwrap();
    let error = solution.report().error + direct.report().error;
    for ((action, found), (_, right)) in solution.throughputs().iter().zip(direct.throughputs()) {
        assert!((found / right - 1.0).abs() <= error, "{action}: {found} for {right}");
    }
}

/// Queues with so many places each, through which customers go one after the other.
fn queues_in_a_line(places: usize, queues: usize) -> StateSpace {
    let mut text = String::new();
    for queue in 0..queues {
        let rate = if queue == 0 { "1" } else { "infty" };
        for count in 0..=places {
            let come = (count < places).then(|| format!("(move{queue}, {rate}).Q{queue}x{}", count + 1));
            let go =
                count.checked_sub(1).map(|fewer| format!("(move{}, 1.{queue}).Q{queue}x{fewer}", queue + 1));
            let ways = [come, go].into_iter().flatten().collect::<Vec<_>>().join(" + ");
            writeln!(text, "Q{queue}x{count} = {ways};").unwrap();
        }
    }
    let line =
        (1..queues).fold("Q0x0".to_owned(), |line, queue| format!("({line}) <move{queue}> Q{queue}x0"));
    space(&(text + &line))
}

/// A pipeline: each of its stages takes an item, processes it, and hands it on.
fn pipeline(stages: usize) -> StateSpace {
    let stage = |at: usize| {
        let take = if at == 0 { "10" } else { "infty" };
        format!("Stage{at} = (move{at}, {take}).(process{at}, 2).(move{}, 10).Stage{at};\n", at + 1)
    };
    let text: String = (0..stages).map(stage).collect();
    let line = (1..stages).fold("Stage0".to_owned(), |line, at| format!("({line}) <move{at}> Stage{at}"));
    space(&(text + &line))
}

/// Where sweeps show a lattice, the method that would be slow there is not tried; elsewhere it is.
#[test]
fn lattices_are_told_before_a_method_is_slow() {
    for (space, expected) in [
        (queues_in_a_line(80, 2), MethodUsed::Direct),
        (queues_in_a_line(20, 3), MethodUsed::BiCgStabDilu),
        (pipeline(8), MethodUsed::BiCgStab),
    ] {
        let solution = space.steady_state().unwrap();
        let report = solution.report();
        assert!(space.states() > 5000 && report.method == expected, "{report:?}");
        assert!(report.handed_over.is_empty(), "{report:?}");
    }
}

/// A component that goes round, an action and its rate for each step.
fn rounds(name: &str, steps: &[(&str, &str)]) -> String {
    let next = |step: usize| (step + 1) % steps.len();
    let definition = |(step, (action, rate)): (usize, &(&str, &str))| {
        format!("{name}x{step} = ({action}, {rate}).{name}x{};\n", next(step))
    };
    steps.iter().enumerate().map(definition).collect()
}

/// A queue with so many places, the ways into it and those out of it.
fn queue(name: &str, places: usize, [into, from]: [&[(&str, &str)]; 2]) -> String {
    let ways = |ways: &[(&str, &str)], to: usize| {
        ways.iter().map(|(action, rate)| format!("({action}, {rate}).{name}x{to}")).collect::<Vec<_>>()
    };
    let mut text = String::new();
    for count in 0..=places {
        let enter = if count < places { ways(into, count + 1) } else { Vec::new() };
        let leave = if count > 0 { ways(from, count - 1) } else { Vec::new() };
        writeln!(text, "{name}x{count} = {};", [enter, leave].concat().join(" + ")).unwrap();
    }
    text
}

/// Whether throughputs are the same, to the error that a report states.
fn assert_same(solution: &SteadyState<Model, f64>, one: &[&str], other: &[&str]) {
    let [one, other] = [one, other]
        .map(|actions| actions.iter().map(|action| solution.throughput_named(action).unwrap()).sum::<f64>());
    assert!((one / other - 1.0).abs() <= solution.report().error, "{one} {other}");
}

/// A pump fills a queue much more slowly than it is emptied, and so is the next one: most states are
/// unlikely, the first one of all among them. The first run of a method leaves some of them far from their
/// balance, and sums are certain then.
#[test]
fn no_further_runs_are_for_unlikely_states_alone() {
    let pump = rounds("C", &[("start", "2.5"), ("check", "0.2"), ("give", "0.2"), ("rest", "1.8")]);
    let work = rounds("D", &[("take", "infty"), ("work", "5.7"), ("send", "5.4"), ("clean", "0.5")]);
    let first = queue("Q", 20, [&[("give", "infty")], &[("take", "5.6")]]);
    let second = queue("R", 20, [&[("send", "infty")], &[("leave", "0.2")]]);
    let system = "Cx0 <give> Qx20 <take> Dx0 <send> Rx0";
    let space = space(&[pump.as_str(), &work, &first, &second, system].concat());
    let solution = space.steady_state().unwrap();
    let report = solution.report();
    assert_eq!((space.states(), report.certified), (16 * 21 * 21, Certified::Sums), "{report:?}");
    assert_eq!((report.method, report.handed_over.len()), (MethodUsed::BiCgStabDilu, 1), "{report:?}");
    for action in ["start", "give", "take", "send"] {
        assert_same(&solution, &[action], &["leave"]);
    }
}

/// The one queue is nearly always empty and the other one nearly always full, so that an elimination meets
/// probabilities of less than `1e-500`.
#[test]
fn what_is_beyond_the_range_of_an_elimination_is_iterated() {
    let first = queue("Q", 50, [&[("come", "1e-12")], &[("pass", "0.6"), ("leave", "0.01")]]);
    let second = queue("R", 50, [&[("pass", "infty"), ("join", "0.9")], &[("end", "0.4")]]);
    let space = space(&format!("{first}{second}Qx25 <pass> Rx25"));
    let refused = space.solver().method(Method::Direct).solve();
    assert!(matches!(refused, Err(skel::Error::NotConverged(_))));
    let solution = space.steady_state().unwrap();
    let report = solution.report();
    assert_eq!((space.states(), report.certified), (51 * 51, Certified::Sums), "{report:?}");
    assert!(report.handed_over.iter().any(|tried| tried.contains("beyond the range")), "{report:?}");
    assert_same(&solution, &["come"], &["pass", "leave"]);
    assert_same(&solution, &["pass", "join"], &["end"]);
}

/// A queue that is nearly always full beside a group that seldom hands anything on. Elimination would take a
/// thousand iterations' time in the order of the states, but few of them are likely.
#[test]
fn few_likely_states_are_solved_for_before_all_are_eliminated() {
    let member = "A = (think, 0.003).B; B = (ask, 0.0016).C + (leap, 0.86).A; C = (wait, 0.155).D; D = (hand, 0.27).A; ";
    let beside = queue("Q", 386, [&[("hand", "infty"), ("come", "1.4")], &[("go", "0.57")]]);
    let model = Model::from_text(&format!("{member}{beside}A[9] <hand> Qx0")).unwrap();
    let space = model.explorer().lumped().explore().unwrap();
    let solution = space.steady_state().unwrap();
    let report = solution.report();
    assert_eq!((space.states(), report.certified), (220 * 387, Certified::Sums), "{report:?}");
    assert!(report.handed_over.is_empty() && report.iterations < 100, "{report:?}");
    assert_same(&solution, &["think"], &["ask", "leap"]);
    assert_same(&solution, &["ask"], &["hand"]);
    assert_same(&solution, &["come", "hand"], &["go"]);
}

/// A queue with many places, which one of a group of customers fills. Sweeps find late how full it
/// is; aggregation by component finds it at once.
#[test]
fn how_full_a_long_queue_is_becomes_known_by_aggregation() {
    let customer = "A = (hand, infty).B; B = (think, 0.5).C; C = (rest, 0.6).A; ";
    let beside = queue("Q", 200, [&[("hand", "0.9")], &[("go", "1.36")]]);
    let model = Model::from_text(&format!("{customer}{beside}A[24] <hand> Qx0")).unwrap();
    let space = model.explorer().lumped().explore().unwrap();
    let solution = space.steady_state().unwrap();
    let report = solution.report();
    assert_eq!((space.states(), report.certified), (325 * 201, Certified::Sums), "{report:?}");
    assert_eq!(report.method, MethodUsed::BiCgStabDilu, "{report:?}");
    assert!(report.iterations < 200, "{report:?}");
    assert_same(&solution, &["hand"], &["go"]);
    hold_sums(&solution);
}

/// Two queues with so many places each, and a server who empties the one, then the other, and so on.
fn served_in_turns(places: usize) -> StateSpace {
    let mut text = String::new();
    for queue in 0..2 {
        for count in 0..=places {
            let come =
                (count < places).then(|| format!("(come{queue}, 0.{}).Q{queue}x{}", 3 + queue, count + 1));
            let go = match count.checked_sub(1) {
                Some(fewer) => format!("(serve{queue}, 1.{queue}).Q{queue}x{fewer}"),
                None => format!("(leave{queue}, 5).Q{queue}x0"),
            };
            let ways = come.into_iter().chain([go]).collect::<Vec<_>>().join(" + ");
            writeln!(text, "Q{queue}x{count} = {ways};").unwrap();
        }
        writeln!(
            text,
            "At{queue} = (serve{queue}, infty).At{queue} + (leave{queue}, infty).To{};",
            1 - queue
        )
        .unwrap();
        writeln!(text, "To{queue} = (move{queue}, 2).At{queue};").unwrap();
    }
    space(&(text + "(Q0x0 || Q1x0) <serve0, serve1, leave0, leave1> At0"))
}

/// Most states of two queues that are seldom long are rare. Relative defects of all of them would take
/// hundreds of iterations, or are not to be had. With 45 places many states are likely, with 90 few are.
#[test]
fn no_relative_defects_are_tried_where_many_states_are_rare() {
    for places in [45, 90] {
        let space = served_in_turns(places);
        let solution = space.steady_state().unwrap();
        let report = solution.report();
        assert_eq!(space.states(), 4 * (places + 1) * (places + 1));
        let reached = (report.method, report.certified);
        assert_eq!(reached, (MethodUsed::BiCgStabDilu, Certified::Sums), "{report:?}");
        assert!(report.handed_over.is_empty(), "{report:?}");
        let exactly = space.solver().method(Method::Direct).solve().unwrap();
        for action in ["come0", "serve0", "come1", "serve1", "leave0", "leave1", "move0", "move1"] {
            let [found, right] =
                [&solution, &exactly].map(|solution| solution.throughput_named(action).unwrap());
            let allowed = report.error + exactly.report().error;
            assert!((found / right - 1.0).abs() <= allowed, "{action}: {found}, not {right}");
        }
        // Whoever comes is served, and who leaves a queue comes to the other one.
        for [one, other] in
            [["come0", "serve0"], ["come1", "serve1"], ["leave0", "move1"], ["move0", "move1"]]
        {
            assert_same(&solution, &[one], &[other]);
        }
    }
}

/// Independent switches; `up` and `down` of each happen `1 / (1/up + 1/down)` times.
fn switches(rates: &[(f64, f64)]) -> (StateSpace, Vec<(String, f64)>) {
    let mut text = String::new();
    let mut expected = Vec::new();
    for (at, (up, down)) in rates.iter().enumerate() {
        writeln!(text, "Off{at} = (up{at}, {up:e}).On{at}; On{at} = (down{at}, {down:e}).Off{at};").unwrap();
        let throughput = up * (down / (up + down));
        expected.extend([(format!("up{at}"), throughput), (format!("down{at}"), throughput)]);
    }
    let system: Vec<String> = (0..rates.len()).map(|at| format!("Off{at}")).collect();
    (space(&(text + &system.join(" || "))), expected)
}

#[test]
fn stiff_and_nearly_decomposable_chains_are_right_or_refused() {
    let decades: Vec<(f64, f64)> =
        (-6..6).step_by(2).map(|power| (10_f64.powi(power), 3.0 * 10_f64.powi(power))).collect();
    let mut slow = vec![(1.0, 2.0); 7];
    slow.extend([(1e-9, 3e-9), (1e-12, 2e-12)]);
    let mut answered = 0;
    for rates in [decades, slow] {
        let (space, expected) = switches(&rates);
        assert!(answers(&space, Method::Direct, &expected));
        assert!(answers(&space, Method::Automatic, &expected));
        answered += METHODS[1..].iter().filter(|&&method| answers(&space, method, &expected)).count();
    }
    assert!(answered > 0, "no iterative method answers any of them");
}

#[test]
fn a_method_that_gets_no_further_hands_over() {
    // All do with the same observer what none waits for: without it, each would be a part by itself.
    let queues = ["E"; 9].join(" || ");
    let space = space(&format!(
        "E = (arrive, 1).F; F = (serve, 3).E; See = (serve, infty).See; ({queues}) <serve> See"
    ));
    let options = Options { direct_up_to: 0, ..Options::default() };
    let mut handed_over = 0;
    for iterations in 2..60 {
        let limits = Limits { iterations, ..Limits::default() };
        let Ok(solution) = space.solver().options(&options).limits(&limits).solve() else { continue };
        assert!((solution.throughput_named("serve").unwrap() - 6.75).abs() < 1e-9);
        let report = solution.report();
        if let Some(first) = report.handed_over.first() {
            handed_over += 1;
            let reached =
                format!("BiCGSTAB with Gauss-Seidel reached the limit of {iterations} iterations at");
            assert!(first.starts_with(&reached), "{first}");
            assert_ne!(report.method, MethodUsed::BiCgStab);
        }
    }
    assert!(handed_over > 0);
}

#[test]
fn a_method_that_needs_too_much_memory_stops_at_that_limit() {
    let (space, expected) = switches(&[(1.0, 2.0); 14]);
    let refusal = |memory, method| {
        let limits = Limits { memory, ..Limits::default() };
        space.solver().method(method).limits(&limits).solve().err()
    };
    let mut memory = space.memory();
    while refusal(memory, Method::BiCgStab).is_some() {
        memory += 64 << 10;
    }
    let too_large = refusal(memory, Method::Gmres).unwrap().to_string();
    assert!(too_large.starts_with("stopped at the limit of"), "{too_large}");
    assert!(answers(&space, Method::Gmres, &expected));
}

/// Copies of processes that go round, counted: as many dimensions as there are kinds with their local states
/// but one.
fn counted(copies: &[usize]) -> StateSpace {
    let mut text = String::new();
    for (kind, _) in copies.iter().enumerate() {
        let up = kind + 1;
        writeln!(
            text,
            "P{kind} = (up{kind}, {up}).Q{kind}; Q{kind} = (down{kind}, 1.7).P{kind} + (jump, 0.3).P{kind};"
        )
        .unwrap();
    }
    let kinds: Vec<String> =
        copies.iter().enumerate().map(|(kind, copies)| format!("P{kind}[{copies}]")).collect();
    let model = Model::from_text(&(text + &kinds.join(" <jump> "))).unwrap();
    model.explorer().lumped().explore().unwrap()
}

/// Chains that are eliminated in fronts of every kind: long ones, squares, cubes.
#[test]
fn elimination_agrees_with_fractions_whatever_the_shape() {
    for copies in [&[300][..], &[60, 3], &[12, 12], &[40, 6], &[5, 5, 5], &[20, 2, 2], &[3, 3, 3, 3]] {
        let space = counted(copies);
        assert_eq!(space.states(), copies.iter().map(|copies| copies + 1).product::<usize>());
        let exact = space.steady_state_exact().unwrap();
        let direct = solve(&space, Method::Direct).unwrap();
        for (state, (found, exact)) in direct.probabilities().iter().zip(exact.probabilities()).enumerate() {
            let exact = exact.to_float();
            assert!((found / exact - 1.0).abs() < 1e-12, "{copies:?}, {state}: {found} for {exact}");
        }
    }
}
