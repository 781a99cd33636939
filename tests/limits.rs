//! Running out is an answer: each limit is forced, and the error names it, its value and how far the work
//! came.

use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use skel::Error;
use skel::error::{Reached, Stopped};
use skel::limits::{Cancellation, Limit, Progress};
use skel::prelude::*;
use skel::steady::{Method, MethodUsed, Options};

/// `copies` independent copies of a process of two local states: `2^copies` states, as many transitions each
/// as there are copies, one recurrent class.
fn switches(copies: u32) -> Model {
    let text = format!("P = (on, 1).Q; Q = (off, 2).P; P[{copies}]");
    skel::text::parse(&text).into_model().unwrap()
}

fn stopped<T>(outcome: Result<T, Error>) -> Stopped {
    match outcome {
        Err(Error::Stopped(stopped)) => stopped,
        Err(other) => panic!("not a limit: {other}"),
        Ok(_) => panic!("not stopped"),
    }
}

fn iterative() -> Options {
    Options { direct_up_to: 0, ..Options::default() }
}

#[test]
fn a_space_is_whole_or_refused() {
    let model = switches(6);
    assert_eq!(
        stopped(switches(1).explorer().limits(&Limits { states: 0, ..Limits::default() }).explore()).limit,
        Limit::States(0)
    );
    for states in 1..64 {
        let limits = Limits { states, ..Limits::default() };
        let stopped = stopped(model.explorer().limits(&limits).explore());
        assert_eq!(stopped.limit, Limit::States(states));
        let Reached::Exploring { states: found, waiting, .. } = stopped.reached else { panic!("{stopped}") };
        assert_eq!(found, states);
        assert!(waiting >= 1, "{stopped}");
    }
    let space = model.explorer().limits(&Limits { states: 64, ..Limits::default() }).explore().unwrap();
    assert_eq!((space.states(), space.transitions()), (64, 6 * 64));
}

#[test]
fn the_limit_of_states_is_named() {
    let limits = Limits { states: 1000, ..Limits::default() };
    let said = stopped(switches(30).explorer().limits(&limits).explore()).to_string();
    assert!(said.starts_with("stopped at the limit of 1000 states: 1000 states and "), "{said}");
    assert!(said.ends_with(" states still to explore"), "{said}");
}

#[test]
fn the_limit_of_memory_is_named() {
    let limits = Limits { memory: 3 << 20, ..Limits::default() };
    let stopped = stopped(switches(30).explorer().limits(&limits).explore());
    assert_eq!(stopped.limit, Limit::Memory(3 << 20));
    assert!(stopped.to_string().starts_with("stopped at the limit of 3 MiB of memory: "), "{stopped}");
    // 26 explored states take about a kilobyte each with their thirty transitions: most of the budget is
    // used.
    let Reached::Exploring { transitions, .. } = stopped.reached else { panic!("{stopped}") };
    assert!(transitions * 16 > 1 << 20, "{stopped}");
}

#[test]
fn a_space_within_its_memory_never_takes_more() {
    let model = switches(10);
    let enough = model.explore().unwrap().memory();
    let mut fitted = 0;
    for memory in (enough / 16..2 * enough).step_by((enough / 16) as usize) {
        match model.explorer().limits(&Limits { memory, ..Limits::default() }).explore() {
            Ok(space) => {
                fitted += 1;
                assert!(space.memory() <= memory, "{} for {memory}", space.memory());
                assert_eq!(space.states(), 1024);
            }
            refused => assert_eq!(stopped(refused).limit, Limit::Memory(memory)),
        }
    }
    assert!((4..32).contains(&fitted), "{fitted} of 32 budgets sufficed");
}

#[test]
fn the_activities_of_one_state_are_within_the_memory_too() {
    // Eight partners with ten ways each to do a together: 10^8 transitions out of one state.
    let ways = |at: usize| (0..10).map(|way| format!("(a, 1).P{at}_{way}")).collect::<Vec<_>>().join(" + ");
    let mut text = String::new();
    for at in 0..8 {
        text += &format!("P{at} = {};\n", ways(at));
        for way in 0..10 {
            text += &format!("P{at}_{way} = (b, 1).P{at};\n");
        }
    }
    let system = (0..8).map(|at| format!("P{at}")).collect::<Vec<_>>().join(" <a> ");
    let model = skel::text::parse(&(text + &system)).into_model().unwrap();
    let limits = Limits { memory: 16 << 20, ..Limits::default() };
    assert_eq!(stopped(model.explorer().limits(&limits).explore()).limit, Limit::Memory(16 << 20));
}

#[test]
fn a_solution_that_does_not_fit_is_refused_before_it_starts() {
    let space = switches(9).explore().unwrap();
    let limits = Limits { memory: space.memory() + 1000, ..Limits::default() };
    for refused in [
        stopped(space.solver().options(&iterative()).limits(&limits).solve()),
        stopped(space.solver().limits(&limits).solve()),
        stopped(space.solver().exact().limits(&limits).solve()),
    ] {
        assert_eq!(refused.limit, Limit::Memory(limits.memory));
        assert_eq!(refused.reached, Reached::Preparing);
    }
    let limits = Limits { memory: space.memory() + (4 << 20), ..Limits::default() };
    assert!(space.solver().options(&iterative()).limits(&limits).solve().is_ok());
}

#[test]
fn the_limit_of_time_is_named_while_exploring() {
    let limits = Limits { time: Some(Duration::from_millis(200)), ..Limits::default() };
    let started = Instant::now();
    let stopped = stopped(switches(40).explorer().limits(&limits).explore());
    assert!(started.elapsed() < SOON);
    assert!(stopped.to_string().starts_with("stopped at the limit of 0.2 s: "), "{stopped}");
    let Reached::Exploring { states, waiting, .. } = stopped.reached else { panic!("{stopped}") };
    assert!(states > waiting && waiting > 0, "{stopped}");
}

#[test]
fn the_limit_of_time_is_named_while_solving() {
    let space = switches(12).explore().unwrap();
    let within = |time| Limits { time: Some(time), ..Limits::default() };
    let direct = Options { direct_up_to: usize::MAX, ..Options::default() };
    let solved = |time| stopped(space.solver().options(&direct).limits(&within(time)).solve());
    // A busy machine may still set up the equations when the shortest of these times is over.
    let times = [200, 800, 3200].map(Duration::from_millis).into_iter();
    let mut outcomes = times.map(|time| (time, solved(time)));
    let (time, direct) = outcomes.find(|(_, stopped)| stopped.reached != Reached::Preparing).unwrap();
    assert!(direct.to_string().ends_with(" of 4096 states eliminated"), "{direct}");
    let exact = stopped(space.solver().exact().limits(&within(time)).solve());
    assert_eq!((direct.limit, exact.limit), (Limit::Time(time), direct.limit));
    let at_once = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    let preparing = stopped(space.solver().options(&iterative()).limits(&at_once).solve());
    assert_eq!(preparing.to_string(), "stopped at the limit of 0 s: while setting up the equations");
}

#[test]
fn the_limit_of_iterations_is_named_for_each_method() {
    let space = switches(8).explore().unwrap();
    let limits = Limits { iterations: 1, ..Limits::default() };
    let refusal = space.solver().options(&iterative()).limits(&limits).solve().unwrap_err().to_string();
    for method in [
        "BiCGSTAB with Gauss-Seidel",
        "BiCGSTAB with ILU(0)",
        "GMRES(30) with ILU(0)",
        "damped Gauss-Seidel",
        "power method",
    ] {
        let reached = format!("{method} reached the limit of 1 iterations at the defect ");
        assert!(refusal.contains(&reached), "{refusal}");
    }
}

/// Cancels the work of another thread, which would take minutes, once its preparations are over, and says how
/// long that thread went on.
fn cancelled<T: Send>(work: impl FnOnce(&Limits) -> Result<T, Error> + Send) -> (Stopped, Duration) {
    let (reports, reported) = mpsc::channel();
    let progress = move |progress| {
        if progress != Progress::Preparing {
            // Only the first one is waited for.
            let _ = reports.send(());
        }
    };
    let limits = Limits { progress: Some(Arc::new(progress)), ..Limits::default() };
    let cancellation: Cancellation = limits.cancellation.clone();
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| stopped(work(&limits)));
        reported.recv_timeout(SOON).unwrap();
        assert!(!worker.is_finished(), "there is nothing left to cancel");
        let asked = Instant::now();
        cancellation.cancel();
        (worker.join().unwrap(), asked.elapsed())
    })
}

/// Far above what was seen on a busy machine, far below what the work takes.
const SOON: Duration = Duration::from_secs(10);

#[test]
fn another_thread_cancels_an_exploration() {
    let model = switches(60);
    let (stopped, after) = cancelled(|limits| model.explorer().limits(limits).explore());
    assert_eq!(stopped.limit, Limit::Cancelled);
    assert!(matches!(stopped.reached, Reached::Exploring { .. }), "{stopped}");
    assert!(stopped.to_string().starts_with("cancelled: "), "{stopped}");
    assert!(after < SOON, "{after:?}");
}

#[test]
fn another_thread_cancels_an_elimination() {
    let space = switches(12).explore().unwrap();
    let direct = Options { direct_up_to: usize::MAX, ..Options::default() };
    let (of_floats, after) = cancelled(|limits| space.solver().options(&direct).limits(limits).solve());
    assert!(matches!(of_floats.reached, Reached::Eliminating { of: 4096, .. }), "{of_floats}");
    assert!(after < SOON, "{after:?}");
    let (of_fractions, after) = cancelled(|limits| space.solver().exact().limits(limits).solve());
    assert_eq!(of_fractions.limit, Limit::Cancelled);
    assert!(after < SOON, "{after:?}");
}

/// A queue for so many customers, who are served three times as fast as they come: its probabilities are
/// long.
fn queue(most: u32) -> StateSpace {
    let state = |waiting: u32| match waiting {
        0 => "Q0 = (arrive, 1).Q1;\n".to_owned(),
        _ if waiting == most => format!("Q{most} = (serve, 3).Q{};\n", most - 1),
        _ => format!("Q{waiting} = (arrive, 1).Q{} + (serve, 3).Q{};\n", waiting + 1, waiting - 1),
    };
    let text: String = (0..=most).map(state).collect();
    skel::text::parse(&(text + "Q0")).into_model().unwrap().explore().unwrap()
}

#[test]
fn a_report_of_progress_may_cancel_the_search_for_fractions() {
    let cancellation = Cancellation::default();
    let switch = cancellation.clone();
    let progress = move |progress: Progress| {
        if matches!(progress, Progress::Lifting { digits: 1.. }) {
            switch.cancel();
        }
    };
    let limits = Limits { cancellation, progress: Some(Arc::new(progress)), ..Limits::default() };
    let stopped = stopped(queue(20_000).solver().exact().limits(&limits).solve());
    assert_eq!(stopped.limit, Limit::Cancelled);
    assert!(stopped.to_string().starts_with("cancelled: the exact fractions have more than "), "{stopped}");
}

#[test]
fn fractions_that_do_not_fit_are_refused() {
    let space = queue(2000);
    let enough = 1000 * space.states() as u64;
    for (memory, reached) in [(enough * 6, true), (enough * 2, false)] {
        let limits = Limits { memory: space.memory() + memory, ..Limits::default() };
        match space.solver().exact().limits(&limits).solve() {
            Ok(_) => assert!(reached),
            refused => {
                let stopped = stopped(refused);
                assert!(!reached && matches!(stopped.reached, Reached::Lifting { digits: 1.. }), "{stopped}");
                assert_eq!(stopped.limit, Limit::Memory(limits.memory));
            }
        }
    }
}

#[test]
fn a_report_of_progress_may_cancel_an_iteration() {
    let cancellation = Cancellation::default();
    let switch = cancellation.clone();
    let progress = move |progress: Progress| {
        if matches!(progress, Progress::Iterating { .. }) {
            switch.cancel();
        }
    };
    let limits = Limits { cancellation, progress: Some(Arc::new(progress)), ..Limits::default() };
    let text = "P = (on, 1).Q; Q = (off, 2).P; S = (up, 0.3).T; T = (down, 0.3).S; P[18] || S";
    let space = skel::text::parse(text).into_model().unwrap().explore().unwrap();
    // No error is below this tolerance, and the power method takes over a thousand iterations until it can go
    // no further: many reports are due by then, however fast the machine.
    let options = Options { tolerance: 1e-300, method: Method::Power, ..Options::default() };
    let stopped = stopped(space.solver().options(&options).limits(&limits).solve());
    assert_eq!(stopped.limit, Limit::Cancelled);
    assert!(matches!(stopped.reached, Reached::Iterating { iterations: 1.., .. }), "{stopped}");
}

#[test]
fn progress_is_reported_and_grows() {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&reports);
    let limits = Limits {
        time: Some(Duration::from_secs(1)),
        progress: Some(Arc::new(move |progress| seen.lock().unwrap().push(progress))),
        ..Limits::default()
    };
    stopped(switches(60).explorer().limits(&limits).explore());
    let reports = reports.lock().unwrap();
    // Ten would be on time; a busy machine may miss some.
    assert!(reports.len() >= 2, "{reports:?}");
    let explored = |progress: &Progress| match progress {
        Progress::Exploring { found, explored } if explored < found => *explored,
        other => panic!("{other:?}"),
    };
    assert!(reports.iter().map(explored).is_sorted(), "{reports:?}");
}

#[test]
fn whatever_the_memory_an_answer_is_right() {
    // With less of it vectors are kept in `f32`, and with still less there is no answer. That all are seen by
    // one keeps them from being solved each by itself.
    let switches = ["P"; 12].join(" || ");
    let text = format!("P = (on, 1).Q; Q = (off, 2).P; See = (on, infty).See; ({switches}) <on> See");
    let space = skel::text::parse(&text).into_model().unwrap().explore().unwrap();
    let (mut answers, mut refusals) = (0, 0);
    for kilobytes in (1_300..1_750).step_by(10) {
        let limits = Limits { memory: space.memory() + (kilobytes << 10), ..Limits::default() };
        match space.solver().options(&iterative()).limits(&limits).solve() {
            Ok(pi) => {
                answers += 1;
                let off = pi.population_named("Q").unwrap();
                assert!((off - 4.0).abs() < 1e-9, "{off} within {kilobytes} KiB: {:?}", pi.report());
            }
            Err(Error::Stopped(stopped)) => {
                refusals += 1;
                assert_eq!(stopped.limit, Limit::Memory(limits.memory));
            }
            Err(Error::NotConverged(_)) => refusals += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(answers >= 5 && refusals >= 5, "{answers} answers, {refusals} refusals");
}

/// Three queues in a line, each with room for so many, on which the first method is slow.
fn queues_in_a_line(places: usize) -> StateSpace {
    let mut text = String::new();
    for (queue, served) in ["11/10", "21/20", "6/5"].into_iter().enumerate() {
        let arrivals = if queue == 0 { "1" } else { "infty" };
        for count in 0..=places {
            let arrives = format!("(step{queue}, {arrivals}).Queue{queue}x{}", count + 1);
            let leaves = format!("(step{}, {served}).Queue{queue}x{}", queue + 1, count.max(1) - 1);
            let ways = [(count < places, arrives), (count > 0, leaves)];
            let ways: Vec<String> = ways.into_iter().filter(|(may, _)| *may).map(|(_, way)| way).collect();
            text += &format!("Queue{queue}x{count} = {};\n", ways.join(" + "));
        }
    }
    Model::from_text(&(text + "Queue0x0 <step1> Queue1x0 <step2> Queue2x0")).unwrap().explore().unwrap()
}

#[test]
fn where_there_is_no_room_for_factors_sweeps_take_their_place() {
    let space = queues_in_a_line(19);
    let whole = space.solver().solve().unwrap();
    let expected = whole.throughput_named("step3").unwrap();
    let mut methods = Vec::new();
    for kilobytes in (1_500..2_500).step_by(50) {
        let limits = Limits { memory: space.memory() + (kilobytes << 10), ..Limits::default() };
        let solved = space.solver().limits(&limits).solve();
        if let Ok(pi) = &solved {
            let found = pi.throughput_named("step3").unwrap();
            assert!((found / expected - 1.0).abs() < 1e-9, "{found} within {kilobytes} KiB");
        }
        methods.push(solved.ok().map(|pi| pi.report().method));
    }
    // With more memory there is no answer less.
    methods.dedup();
    assert_eq!(methods, [None, Some(MethodUsed::BiCgStab), Some(MethodUsed::BiCgStabDilu)]);
}
