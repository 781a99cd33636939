//! Where other PEPA tools were seen to go wrong: each of these small models has its right answer here, worked
//! out by hand beside it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use skel::chain::Generator;
use skel::diagnostic::{Code, Diagnostic, TextSpan};
use skel::model::Position;
use skel::prelude::*;
use skel::steady::Options;

fn space(text: &str) -> StateSpace {
    let model = skel::text::parse(text).into_model().unwrap_or_else(|errors| panic!("{errors}"));
    model.explore().unwrap()
}

fn throughput(text: &str, action: &str) -> Ratio {
    space(text).steady_state_exact().unwrap().throughput_named(action).unwrap()
}

/// The only error of a text.
fn error(text: &str) -> Diagnostic<TextSpan> {
    let diagnostics = skel::text::parse(text).diagnostics;
    let mut errors = diagnostics.into_iter().filter(Diagnostic::is_error);
    let first = errors.next().expect("the text has an error");
    assert_eq!(errors.count(), 0, "{text}");
    first
}

#[test]
fn a_choice_between_twice_the_same_is_twice_the_rate() {
    // a at rate 2, b at rate 1: a cycle takes 1/2 + 1 = 3/2. Taken once it would be 1 + 1 = 2.
    let text = "P = Q + Q; Q = (a, 1).R; R = (b, 1).P; P";
    assert_eq!(throughput(text, "a"), ratio(2, 3));
    let space = space(text);
    let rates: Vec<f64> = space.transitions_from(0).map(|(_, rate, _)| rate).collect();
    assert_eq!(rates, [2.0]);
}

#[test]
fn a_constant_in_a_choice_behind_a_prefix_keeps_its_activities() {
    // After a (mean 1) b and c race at rate 1 each (mean 1/2): a cycle takes 3/2, half of them end with b.
    let text = "P = (a, 1).(P1 + (c, 1).P); P1 = (b, 1).P; P";
    assert_eq!(throughput(text, "a"), ratio(2, 3));
    assert_eq!(throughput(text, "b"), ratio(1, 3));
    assert_eq!(throughput(text, "c"), ratio(1, 3));
}

#[test]
fn the_whole_system_may_be_a_constant_for_a_cooperation() {
    // a and b in turn, a at 2 and b at 2: 1 / (1/2 + 1/2).
    let text = "P = (a, 2).P1; P1 = (b, 2).P; Q = (a, infty).Q; Sys = P <a> Q; Sys";
    assert_eq!(throughput(text, "a"), ratio(1, 1));
}

#[test]
fn the_whole_system_may_be_a_constant_for_a_hiding() {
    // As above with a and b at 1; a is called tau.
    let text = "P = (a, 1).P1; P1 = (b, 1).P; H = P/{a}; H";
    assert_eq!(throughput(text, "tau"), ratio(1, 2));
    assert_eq!(throughput(text, "b"), ratio(1, 2));
}

#[test]
fn the_whole_system_may_be_a_prefix() {
    // The system is the term that P becomes after b, so that there are two states: 1 / (1 + 1/3).
    let text = "P = (b, 3).(a, 1).P; (a, 1).P";
    assert_eq!(space(text).states(), 2);
    assert_eq!(throughput(text, "a"), ratio(3, 4));
}

#[test]
fn the_whole_system_may_be_a_choice() {
    // No run comes back to the choice; then a at 1 and b at 3 in turn: 1 / (1 + 1/3).
    let text = "P = (a, 1).Q; Q = (b, 3).P; P + (c, 5).Q";
    let solution = space(text).steady_state_exact().unwrap();
    assert_eq!(solution.probabilities()[0], ratio(0, 1));
    assert_eq!(solution.throughput_named("a").unwrap(), ratio(3, 4));
    assert_eq!(solution.throughput_named("c").unwrap(), ratio(0, 1));
}

#[test]
fn growth_without_end_is_a_diagnostic_at_once() {
    for text in [
        "P = (a, 1).(b, 1).P/{b}; P",
        "P = (a, 1).(P || P); P",
        "P = (a, 1).(P <a> Q); Q = (a, 1).Q; P",
        "P = (a, 1).Q; Q = (b, 1).S; S = P <b> R; R = (b, 1).R; P",
    ] {
        let started = Instant::now();
        assert_eq!(error(text).code, Code::UnboundedGrowth, "{text}");
        // Growth that is not seen has no end.
        assert!(started.elapsed() < Duration::from_secs(20), "{text}");
    }
}

#[test]
fn a_rate_in_an_activity_may_be_an_expression() {
    // a at 2 * 3 = 6 and b at 3 in turn: 1 / (1/6 + 1/3).
    assert_eq!(throughput("r = 3; P = (a, 2*r).Q; Q = (b, r).P; P", "a"), ratio(2, 1));
}

#[test]
fn a_negative_rate_is_reported_at_its_definition() {
    let text = "P = (a, r).P;\nr = 0 - 2;\nP";
    let error = error(text);
    assert_eq!(error.code, Code::RateNotPositive);
    assert_eq!(&text[error.span.start..error.span.end], "r");
    assert_eq!(error.span.start, text.find("r = 0").unwrap());
    assert_eq!(error.message, "the rate `r` is -2, which is negative");
}

#[test]
fn a_rate_of_zero_is_called_zero() {
    assert_eq!(error("r = 0; P = (a, r).P; P").message, "the rate `r` is 0");
    assert_eq!(error("P = (a, 0).P; P").message, "the rate is 0");
}

#[test]
fn passive_partners_share_one_apparent_rate() {
    // The number of busy ones is a queue M/M/3/3 with arrivals at 3 and services at 1: the weights of 0, 1,
    // 2, 3 busy are 1, 3, 9/2, 9/2, their sum is 13, so a is done at 3 * (1 - (9/2) / 13) = 51/26.
    let text = "P = (a, infty).P1; P1 = (b, 1).P; Q = (a, 3).Q; (P || P || P) <a> Q";
    let space = space(text);
    let together: f64 = space.transitions_from(0).map(|(_, rate, _)| rate).sum();
    assert!((together - 3.0).abs() < 1e-12, "{together}");
    assert_eq!(space.steady_state_exact().unwrap().throughput_named("a").unwrap(), ratio(51, 26));
}

#[test]
fn two_active_partners_go_at_the_smaller_rate() {
    // a at min(2, 3) = 2 and b at 1 in turn: 1 / (1/2 + 1). The product would give 1 / (1/6 + 1) = 6/7.
    let text = "P = (a, 2).P1; P1 = (b, 1).P; Q = (a, 3).Q; P <a> Q";
    assert_eq!(throughput(text, "a"), ratio(2, 3));
}

/// A run goes left and works for ever, or goes right and waits for what nobody does.
const FORK: &str = "// skel: allow(blocked_action)
    P = (left, 1).L + (right, 3).R; L = (work, 1).L; R = (wait, 1).R;
    G = (work, 2).G;
    P <work, wait> G";

#[test]
fn several_recurrent_classes_are_explained_with_a_way_to_each() {
    for refusal in [space(FORK).steady_state().unwrap_err(), space(FORK).steady_state_exact().unwrap_err()] {
        let skel::Error::SeveralRecurrentClasses(classes) = &refusal else { panic!("{refusal}") };
        assert_eq!(classes.count, 2);
        let said = refusal.to_string();
        assert!(said.contains("2 recurrent classes"), "{said}");
        assert!(said.contains("one state, reached after `left`: `L || G`"), "{said}");
        assert!(said.contains("a deadlock, reached after `right`: `R || G`"), "{said}");
    }
}

#[test]
fn an_absorbing_state_is_where_every_run_ends() {
    let text = "// skel: allow(blocked_action)
        P = (go, 1).R; R = (wait, 1).R; G = (go, infty).G; P <go, wait> G";
    let space = space(text);
    let refusal = space.steady_state_exact().unwrap_err().to_string();
    assert!(refusal.starts_with("the model deadlocks after `go`, in the state `R || G`\n"), "{refusal}");
    let solution = space.solver().long_run().exact().solve().unwrap();
    assert_eq!(solution.classification().recurrent, [[1]]);
    assert_eq!(solution.classification().deadlocks, [1]);
    assert_eq!(solution.classification().transient, 1);
    assert_eq!(solution.probabilities(), [ratio(0, 1), ratio(1, 1)]);
    assert_eq!(solution.throughput_named("go").unwrap(), ratio(0, 1));
    assert_eq!(space.path_to(1), [space.model().action_named("go").unwrap()]);
}

#[test]
fn the_utilisation_of_an_array_is_that_of_its_population() {
    // Each of the four copies is in Q for 1/3 of 1 + 1/3, so for a quarter of its time: one copy on average.
    let solution = space("P = (a, 1).Q; Q = (b, 3).P; P[4]").steady_state_exact().unwrap();
    assert_eq!(solution.population_named("Q").unwrap(), ratio(1, 1));
    assert_eq!(solution.population_named("P").unwrap(), ratio(3, 1));
    let [array] = &solution.utilisations()[..] else { panic!("an array is one entry") };
    assert_eq!(array.positions.len(), 4);
    for (local_state, share) in [("P", ratio(3, 4)), ("Q", ratio(1, 4))] {
        assert!(array.local_states.contains(&(local_state.to_owned(), share)), "{:?}", array.local_states);
    }
}

/// The pipeline of Fig. B.1, all rates 10. On a way back to the same state each of the seven actions is done
/// equally often, so the embedded chain has the period 7, and undamped iterations on it swing for ever.
fn pipeline() -> StateSpace {
    space(include_str!("../models/pipeline.pepa"))
}

#[test]
fn no_value_is_reported_before_it_has_converged() {
    let space = pipeline();
    let expected = 1_217_332.0 / 505_609.0;
    let generator = Generator::<f64>::of(&space);
    let options = Options { direct_up_to: 0, ..Options::default() };
    let (mut answers, mut refusals) = (0, 0);
    for iterations in 1..40 {
        let limits = Limits { iterations, ..Limits::default() };
        match space.solver().options(&options).limits(&limits).solve() {
            Ok(solution) => {
                answers += 1;
                let residual = generator.residual(solution.probabilities());
                assert!(residual <= options.tolerance, "{residual} after {iterations} iterations");
                let found = solution.throughput_named("process1").unwrap();
                assert!((found - expected).abs() < 1e-9, "{found} after {iterations} iterations");
            }
            Err(skel::Error::NotConverged(failure)) => {
                refusals += 1;
                // Each of the six methods for probabilities, besides the one for sums alone.
                let methods = failure.tried.iter().filter(|tried| !tried.starts_with("for sums alone"));
                assert_eq!(methods.count(), 6, "{failure:?}");
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(answers > 0 && refusals > 0, "{answers} answers, {refusals} refusals");
}

/// How far a stage is in its cycle move, process, move: read from its local state.
fn step(space: &StateSpace, state: usize, stage: usize) -> i64 {
    let local = space.local_state_at(state, Position::at(stage));
    let name = space.model().local_state(local).name.as_str();
    let (process, away) = (format!("(process{stage}, "), format!("(move{}, ", stage + 1));
    match name {
        _ if name == format!("Stage{stage}") => 0,
        _ if name.starts_with(&process) => 1,
        _ if name.starts_with(&away) => 2,
        _ => panic!("{name} is no local state of stage {stage}"),
    }
}

/// The number that Table 2.1 gives a state.
fn number_in_table(space: &StateSpace, state: usize) -> i64 {
    1 + step(space, state, 1) + 3 * step(space, state, 2) + 9 * step(space, state, 3)
}

#[test]
fn the_pipeline_has_the_27_states_of_table_2_1() {
    let space = pipeline();
    let numbers: BTreeSet<i64> = (0..space.states()).map(|state| number_in_table(&space, state)).collect();
    assert_eq!(space.states(), 27);
    assert_eq!(numbers, (1..=27).collect());
    assert_eq!(number_in_table(&space, 0), 1);
}

#[test]
fn the_pipeline_moves_between_the_numbers_of_table_2_1() {
    // An activity takes one stage a step on, or (move) one stage to its end and the next to its second step:
    // 3 - 2, 9 - 6, and at the end -18. Counted in the table: 9 states for each, but 3 where two stages have
    // to be in one step each.
    let expected = [
        ("move1", 1, 9),
        ("process1", 1, 9),
        ("move2", 3 - 2, 3),
        ("process2", 3, 9),
        ("move3", 9 - 6, 3),
        ("process3", 9, 9),
        ("move4", -18, 9),
    ];
    let space = pipeline();
    let mut seen = Vec::new();
    for state in 0..space.states() {
        for (action, _, target) in space.transitions_from(state) {
            let difference = number_in_table(&space, target) - number_in_table(&space, state);
            seen.push((space.model().action(action), difference));
        }
    }
    for (action, difference, count) in expected {
        assert_eq!(seen.iter().filter(|&&one| one == (action, difference)).count(), count, "{action}");
    }
    assert_eq!(seen.len(), 51);
}
