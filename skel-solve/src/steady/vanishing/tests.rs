//! Small models with immediate actions, by hand and against ever faster ones.

use skel_core::number::ratio;

use super::*;
use crate::limits::Limit;
use crate::space::Explore;

fn explored(text: &str) -> StateSpace {
    Model::from_text(text).unwrap().explore().unwrap()
}

fn actions(space: &StateSpace, names: &[&str]) -> Vec<ActionId> {
    names.iter().map(|name| space.model().action_named(name).unwrap()).collect()
}

fn exact(text: &str, immediate: &[&str]) -> SteadyState<Model, Ratio> {
    let space = explored(text);
    in_fractions(&space, &actions(&space, immediate), &Limits::default()).unwrap()
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
    let space = explored(CHOICE);
    let immediate = actions(&space, &["left", "right"]);
    let pi = in_floats(&space, &immediate, &Limits::default(), &Options::default()).unwrap();
    let fast = explored(&CHOICE.replace("(left, 1)", "(left, 1e9)").replace("(right, 3)", "(right, 3e9)"));
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
fn states_that_only_a_race_leads_to_are_never_visited() {
    let text = "P = (go, 1).Q; Q = (move, 1).P + (slow, 1).R; R = (on, 1).P; P";
    let pi = exact(text, &["move"]);
    assert_eq!(pi.classification().transient, 1);
    assert_eq!(pi.throughput_named("slow").unwrap(), ratio(0, 1));
    assert_eq!(pi.throughput_named("go").unwrap(), ratio(1, 1));
}

#[test]
fn classes_that_only_a_race_joins_have_no_limit_of_their_own() {
    let text =
        "P = (go, 1).Q; Q = (move, 1).P + (over, 1).R; R = (on, 1).S; S = (turn, 1).R + (under, 1).P; P";
    let space = explored(text);
    assert!(space.steady_state().is_ok());
    let immediate = actions(&space, &["move", "turn"]);
    let refused = in_fractions(&space, &immediate, &Limits::default()).unwrap_err();
    assert!(matches!(refused, Error::SeveralRecurrentClasses(_)), "{refused}");
}

#[test]
#[should_panic(expected = "do not follow one another for ever")]
fn immediate_actions_do_not_go_round() {
    exact("P = (go, 1).Q; Q = (there, 1).R; R = (back, 1).Q + (out, 1).P; P", &["there", "back", "out"]);
}

#[test]
fn what_would_take_too_much_memory_is_refused() {
    let model = Model::from_text("P = (go, 1).Q; Q = (move, 1).P; P[8]").unwrap();
    let space = model.explore().unwrap();
    let immediate = actions(&space, &["move"]);
    let limits = Limits { memory: space.memory() + 1000, ..Limits::default() };
    match in_floats(&space, &immediate, &limits, &Options::default()) {
        Err(Error::Stopped(stopped)) => assert_eq!(stopped.limit, Limit::Memory(limits.memory)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn throughputs_survive_probabilities_beyond_the_range() {
    // All eight are away together with a probability of some 1e-320 at most; the throughput of each is 1.
    let model = Model::from_text("P = (go, 1).Q; Q = (back, 1e40).R; R = (move, 1).P; P[8]").unwrap();
    let space = model.explorer().lumped().explore().unwrap();
    let immediate = actions(&space, &["move"]);
    let pi = in_floats(&space, &immediate, &Limits::default(), &Options::default()).unwrap();
    assert!((pi.throughput_named("move").unwrap() - 8.0).abs() < 1e-12);
    assert!(pi.probabilities().contains(&0.0));
}
