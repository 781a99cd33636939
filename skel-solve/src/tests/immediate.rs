//! Small models with immediate actions, by hand and against ever faster ones.

use std::num::NonZero;

use skel_core::model::Model;
use skel_core::number::{Number, Ratio, ratio};

use crate::error::Error;
use crate::limits::{Limit, Limits};
use crate::quotient::Measure;
use crate::space::{Explore, Explorer, Lumping, StateSpace};
use crate::steady::SteadyState;

/// An exploration of a model in which some actions are immediate.
fn with_immediate<'m>(model: &'m Model, immediate: &[&str]) -> Explorer<'m, Model> {
    model.explorer().immediate(immediate.iter().map(|name| model.action_named(name).unwrap()))
}

fn explored(text: &str, immediate: &[&str]) -> StateSpace {
    with_immediate(&Model::from_text(text).unwrap(), immediate).explore().unwrap()
}

fn exact(text: &str, immediate: &[&str]) -> SteadyState<Model, Ratio> {
    explored(text, immediate).steady_state_exact().unwrap()
}

/// A customer chooses one of two servers, in no time and with the weights 1 and 3.
const CHOICE: &str = "Arrive = (arrive, 2).Choose; Choose = (left, 1).Left + (right, 3).Right;
    Left = (serve_left, 1).Arrive; Right = (serve_right, 6).Arrive; Arrive";

#[test]
fn immediate_actions_are_done_in_proportion_to_their_weights() {
    let pi = exact(CHOICE, &["left", "right"]);
    // A round takes 1/2 + 1/4 * 1 + 3/4 * 1/6 = 7/8.
    assert_eq!(pi.throughput_named("arrive").unwrap(), ratio(8, 7));
    assert_eq!(pi.throughput_named("left").unwrap(), ratio(2, 7));
    assert_eq!(pi.throughput_named("right").unwrap(), ratio(6, 7));
    assert_eq!(pi.probabilities().iter().sum::<Ratio>(), ratio(1, 1));
    assert_eq!(pi.utilisation_named("Choose").unwrap(), ratio(0, 1));
    assert_eq!(pi.utilisation_named("Left").unwrap(), ratio(2, 7));
    assert!(pi.classification().is_irreducible());
}

#[test]
fn both_kinds_of_numbers_agree_and_are_the_limit() {
    let pi = explored(CHOICE, &["left", "right"]).steady_state().unwrap();
    let fast = CHOICE.replace("(left, 1)", "(left, 1e9)").replace("(right, 3)", "(right, 3e9)");
    let fast = explored(&fast, &[]);
    let fast = fast.steady_state().unwrap();
    for ((name, throughput), (_, of_fast)) in pi.throughputs().into_iter().zip(fast.throughputs()) {
        assert!((throughput / of_fast - 1.0).abs() < 2e-9, "{name}");
        let exact = exact(CHOICE, &["left", "right"]).throughput_named(name).unwrap();
        assert!((throughput / exact.to_float() - 1.0).abs() < 1e-15, "{name}");
    }
}

#[test]
fn chains_of_immediate_actions_and_ways_back_to_the_same_state() {
    let text =
        "P = (go, 3).Q + (stay, 5).R; Q = (one, 1).R; R = (two, 1).P + (three, 1).S; S = (back, 1).P; P";
    let pi = exact(text, &["one", "two", "three", "back"]);
    // The one state that lasts is left for itself alone.
    let expected = [("back", 4), ("go", 3), ("one", 3), ("stay", 5), ("three", 4), ("two", 4)];
    let expected: Vec<(&str, Ratio)> =
        expected.into_iter().map(|(name, value)| (name, ratio(value, 1))).collect();
    assert_eq!(pi.throughputs(), expected);
    assert_eq!(pi.utilisation_named("P").unwrap(), ratio(1, 1));
}

#[test]
fn states_that_only_a_race_leads_to_are_never_met() {
    let text = "P = (go, 1).Q; Q = (move, 1).P + (slow, 1).R; R = (on, 1).P; P";
    let pi = exact(text, &["move"]);
    assert_eq!((pi.space().states(), pi.classification().transient), (1, 0));
    assert_eq!(pi.throughput_named("slow").unwrap(), ratio(0, 1));
    assert_eq!(pi.throughput_named("go").unwrap(), ratio(1, 1));
}

#[test]
fn classes_between_which_immediate_actions_choose_have_no_steady_state() {
    let text = "P = (go, 1).Q; Q = (this, 1).R + (other, 1).S; R = (stay, 1).R; S = (rest, 1).S; P";
    let space = explored(text, &["this", "other"]);
    let refused = space.steady_state_exact().unwrap_err();
    assert!(matches!(refused, Error::SeveralRecurrentClasses(_)), "{refused}");
    let shown = refused.to_string();
    assert!(shown.contains("after `go, this`: `R`") && shown.contains("after `go, other`: `S`"), "{shown}");
}

/// Runs come from P to R only by winning a race, and then back only by winning another. The steady states of
/// models with ever faster moves tend to a mixture of both classes, as both races are equally rare. Where
/// moves take no time, no race is ever won.
#[test]
fn a_class_that_only_a_race_leads_to_is_never_come_to() {
    let text =
        "P = (go, 1).Q; Q = (move, c).P + (over, 1).R; R = (on, 1).S; S = (turn, c).R + (under, 1).P; P";
    let fast = explored(&format!("c = 1e6; {text}"), &[]).steady_state().unwrap();
    assert!((fast.utilisation_named("P").unwrap() - 0.5).abs() < 1e-5);
    let pi = exact(&format!("c = 1; {text}"), &["move", "turn"]);
    assert_eq!(pi.utilisation_named("P").unwrap(), ratio(1, 1));
}

#[test]
#[should_panic(expected = "do not follow one another for ever")]
fn immediate_actions_do_not_go_round() {
    exact("P = (go, 1).Q; Q = (there, 1).R; R = (back, 1).Q + (out, 1).P; P", &["there", "back", "out"]);
}

#[test]
fn what_would_take_too_much_memory_is_refused() {
    // All begin together, and then move in any order: the initial state is the only tangible one, beside 2^14
    // vanishing ones.
    let copies = ["P"; 14].join(" <go> ");
    let model = Model::from_text(&format!("P = (go, 1).Q; Q = (move, 1).P; {copies}")).unwrap();
    let limits = Limits { memory: 1 << 20, ..Limits::default() };
    match with_immediate(&model, &["move"]).limits(&limits).explore() {
        Err(Error::Stopped(stopped)) => assert_eq!(stopped.limit, Limit::Memory(limits.memory)),
        other => panic!("{other:?}"),
    }
    let space = with_immediate(&model, &["move"]).explore().unwrap();
    assert_eq!((space.states(), space.transitions()), (1, 1));
    assert_eq!(space.steady_state().unwrap().throughput_named("move").unwrap(), 14.0);
    let lumped = with_immediate(&model, &["move"]).limits(&limits).lumped().explore().unwrap();
    assert_eq!(lumped.steady_state().unwrap().throughput_named("move").unwrap(), 14.0);
}

#[test]
fn throughputs_survive_probabilities_beyond_the_range() {
    // All nine are away together with a probability of some 1e-360; the throughput of each is 1.
    let model = Model::from_text("P = (go, 1).Q; Q = (back, 1e40).R; R = (move, 1).P; P[9]").unwrap();
    let space = with_immediate(&model, &["move"]).lumped().explore().unwrap();
    let pi = space.steady_state().unwrap();
    assert!((pi.throughput_named("move").unwrap() - 9.0).abs() < 1e-12);
    assert!(pi.probabilities().contains(&0.0));
}

#[test]
fn the_initial_state_may_be_vanishing() {
    let text = "Q = (left, 1).P + (right, 2).R; P = (go, 1).Q; R = (on, 2).Q; Q";
    let pi = exact(text, &["left", "right"]);
    assert!(pi.space().starts_vanishing());
    assert_eq!((pi.space().states(), pi.classification().transient), (3, 1));
    assert_eq!(pi.utilisation_named("Q").unwrap(), ratio(0, 1));
    // A round takes 1/3 * 1 + 2/3 * 1/2 = 2/3.
    assert_eq!(pi.throughput_named("left").unwrap(), ratio(1, 2));
    assert_eq!(pi.throughput_named("right").unwrap(), ratio(1, 1));
    assert_eq!(pi.throughput_named("go").unwrap(), ratio(1, 2));
    let long_run = pi.space().solver().exact().long_run().solve().unwrap();
    assert_eq!(long_run.throughputs(), pi.throughputs());
}

#[test]
fn a_choice_from_the_start_decides_for_ever() {
    let text = "Q = (left, 1).P + (right, 2).R; P = (go, 1).P; R = (on, 2).R; Q";
    let space = explored(text, &["left", "right"]);
    let long_run = space.solver().exact().long_run().solve().unwrap();
    assert_eq!(long_run.throughput_named("go").unwrap(), ratio(1, 3));
    assert_eq!(long_run.throughput_named("on").unwrap(), ratio(4, 3));
    assert_eq!(long_run.throughput_named("left").unwrap(), ratio(0, 1));
}

#[test]
fn a_path_has_the_immediate_actions_in_it() {
    let text = "P = (go, 1).Q; Q = (move, 1).R; R = (on, 1).S; S = (move, 1).P; P || P";
    let model = Model::from_text(text).unwrap();
    for space in [
        with_immediate(&model, &["move"]).explore().unwrap(),
        with_immediate(&model, &["move"]).lumped().explore().unwrap(),
    ] {
        let [r, on] = ["R", "on"].map(|name| (model.local_state_named(name), model.action_named(name)));
        let number = space.number_of(&[r.0.unwrap(), r.0.unwrap()]).unwrap();
        let path: Vec<&str> = space.path_to(number).iter().map(|&action| model.action(action)).collect();
        assert_eq!(path, ["go", "move", "go", "move"]);
        assert!(space.transitions_from(number).all(|(action, ..)| Some(action) == on.1));
    }
}

#[test]
fn a_state_on_the_way_without_a_rate_is_named() {
    let text = "P = (go, 1).Q; Q = (move, 1).R; R = (rest, 1).T; T = (move, infty).P;
        S = (move, 1).U; U = (turn, 1).S; (P || P) <move> S";
    let model = Model::from_text(text).unwrap();
    let refused = with_immediate(&model, &["move"]).explore().unwrap_err();
    assert!(matches!(refused, Error::NotWellDefined(_)), "{refused}");
    let path = "after `go, move, rest, go, turn`, in the state `T || Q || S`";
    assert!(refused.to_string().contains(path), "{refused}");
}

#[test]
fn lumping_changes_no_answer_and_neither_do_threads() {
    let text = "Work = (take, 1).Busy; Busy = (serve, 2).Done; Done = (put, 1).Work;
        Cell = (put, infty).Full; Full = (get, infty).Cell;
        Sink = (get, 3).Eat; Eat = (eat, 5).Sink;
        Work[5] <put> (Cell[3] <get> Sink)";
    let model = Model::from_text(text).unwrap();
    let answers = [(false, 1), (false, 4), (true, 1), (true, 4)].map(|(is_lumped, threads)| {
        let limits = Limits { threads: NonZero::new(threads), ..Limits::default() };
        let explorer = with_immediate(&model, &["take", "put", "get"]).limits(&limits);
        let space = if is_lumped { explorer.lumped() } else { explorer }.explore().unwrap();
        let pi = space.steady_state_exact().unwrap();
        let states = space.lumping().map_or(Some(space.states() as u128), Lumping::states);
        (states, pi.throughputs().into_iter().map(|(_, value)| value).collect::<Vec<_>>())
    });
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    let (serve, put) = (&answers[0].1[2], &answers[0].1[1]);
    assert_eq!(serve, put);
}

#[test]
fn a_quotient_has_what_takes_time_and_refuses_the_throughput_of_what_takes_none() {
    let space = explored(CHOICE, &["left", "right"]);
    let quotient = space.quotient_exact(&[Measure::throughput_named("arrive")]).unwrap();
    let pi = quotient.steady_state_exact().unwrap();
    assert_eq!(pi.value(&Measure::throughput_named("arrive")).unwrap(), ratio(8, 7));
    let refused = space.quotient(&[Measure::throughput_named("left")]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`left` takes no time, so no state does it at a rate; ask for the throughput of the actions that it follows"
    );
}

/// What a farm of 64 workers between buffers of 16 costs:
/// `cargo test -p skel-solve --lib large_farm -- --ignored --nocapture`, also with `--release`.
#[test]
#[ignore = "it measures time"]
fn a_large_farm_between_buffers() {
    let text = "Source = (make, 60).Made; Made = (put, 1).Source; Cell = (put, infty).Item; Item = (get, infty).Cell;
        Idle = (get, 1).Busy; Busy = (work, 1).Done; Done = (push, 1).Idle;
        Room = (push, infty).Result; Result = (pull, infty).Room; Sink = (pull, 1).Eat; Eat = (eat, 62).Sink;
        Source <put> Cell[16] <get> Idle[64] <push> Room[16] <pull> Sink";
    let model = Model::from_text(text).unwrap();
    for _ in 0..3 {
        let space = with_immediate(&model, &["put", "get", "push", "pull"]).lumped().explore().unwrap();
        let pi = space.steady_state().unwrap();
        println!(
            "{} states, {} transitions, {} bytes, explored in {:?}, solved in {:?}: {} {:?}",
            space.states(),
            space.transitions(),
            space.memory(),
            space.explored_in(),
            pi.report().solved_in,
            pi.throughput_named("eat").unwrap(),
            pi.report()
        );
    }
}
