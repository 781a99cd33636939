//! Moves that take no time: closed forms, the values that an independent program found for farms without
//! buffers, the limit for the five stages of the paper, and what a model of such a program is asked for.

use skel::prelude::*;
use skel::skeleton::text;

fn exact(skeleton: &impl Skeleton) -> Ratio {
    let program = skeleton.clone().communicating(Communication::negligible());
    program.performance_exact().expect("an answer").throughput().clone()
}

fn fraction(text: &str) -> Ratio {
    text.parse().expect("a fraction")
}

#[test]
fn two_stages_take_the_longer_of_two_times() {
    for (first, second) in [(1, 1), (2, 3), (1, 1000)] {
        let (a, b) = (ratio(first, 1), ratio(second, 1));
        let mean = a.recip() + b.recip() - (&a + &b).recip();
        assert_eq!(exact(&pipe!(task(first), task(second))), mean.recip());
        let program = pipe!(task(first), task(second)).communicating(Communication::negligible());
        let in_floats = *program.performance().expect("an answer").throughput();
        assert!((in_floats * skel::number::Number::to_float(&mean) - 1.0).abs() < 1e-14);
    }
}

#[test]
fn five_equal_stages_tend_to_the_limit_of_the_paper() {
    let five = |rate: i64| pipe!(task(rate), task(rate), task(rate), task(rate), task(rate));
    let of_one = fraction("94203088638/193914065237");
    assert_eq!(exact(&five(1)), of_one);
    assert_eq!(exact(&five(500)), of_one * ratio(500, 1));
}

/// A source and a sink with a mean time of `ends`, and workers with one of 4.
fn farm_between(ends: &Ratio, workers: usize) -> Ratio {
    let rate = ends.recip();
    exact(&pipe!(task(rate.clone()), farm(workers, ratio(1, 4)), task(rate)))
}

#[test]
fn farms_without_buffers_have_the_values_of_an_independent_program() {
    assert_eq!(farm_between(&ratio(1, 1), 1), fraction("875/3792"));
    assert_eq!(farm_between(&ratio(1, 1), 2), fraction("533408/1271337"));
    assert_eq!(farm_between(&ratio(1, 1), 3), fraction("47008508793/83195336306"));
    assert_eq!(farm_between(&ratio(1, 1), 4), fraction("118157413974/176088330313"));
    assert_eq!(farm_between(&ratio(1, 2), 2), fraction("69039928/145296885"));
    assert_eq!(farm_between(&ratio(1, 10), 3), fraction("21095113251846914205825/28221320237237376031423"));
}

#[test]
fn without_moves_nothing_changes() {
    assert_eq!(exact(&task!("alone", 2)), ratio(2, 1));
    assert_eq!(exact(&farm!(3, 2)), ratio(6, 1));
}

#[test]
fn two_farms_are_a_chain_of_five_states() {
    // Idle consumers less blocked producers, from -2 to 2: the probabilities are as 1, 2, 2, 2, 1.
    assert_eq!(exact(&pipe!(farm(2, 1), farm(2, 1))), ratio(3, 2));
    assert_eq!(exact(&pipe!(deal(2, 1), deal(2, 1))), ratio(4, 3), "two pairs side by side");
}

#[test]
fn in_the_steady_state_no_move_is_waited_for() {
    let program = pipe!(task(2), farm(3, 1), deal(2, 1), task(3)).communicating(Communication::negligible());
    let performance = program.performance().expect("an answer");
    let pi = performance.steady_state();
    let is_move = |state: usize| {
        let mut actions = pi.space().transitions_from(state).map(|(action, _, _)| action);
        actions.any(|action| pi.space().model().action(action).starts_with("move"))
    };
    assert_eq!(pi.probability(is_move), 0.0);
    assert!((pi.probabilities().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let first_moves: f64 =
        (1..=3).map(|worker| pi.throughput_named(&format!("move_0_{worker}")).unwrap()).sum();
    assert!((first_moves - performance.throughput()).abs() < 1e-12);
    assert!(pi.classification().deadlocks.is_empty());
    assert!(pi.results().expect("values").is_empty(), "the rate of the first move has no value");
}

#[test]
fn some_links_may_take_time() {
    let communication = Communication::negligible_on([(0, 1)]).or(Communication::everywhere(5));
    let mixed = pipe!(task(1), task(2), task(3)).communicating(communication);
    let mixed = mixed.performance_exact().expect("an answer").throughput().clone();
    let with_first = |rate: i64| {
        let communication = Communication::links([((0, 1), rate.into())], Some(5.into()));
        let program = pipe!(task(1), task(2), task(3)).communicating(communication);
        program.performance_exact().expect("an answer").throughput().clone()
    };
    let [far, near] = [1_000, 1_000_000].map(|rate| &mixed - with_first(rate));
    assert!(near > ratio(0, 1) && far > near && near < ratio(1, 1_000_000), "{far} {near}");
    // One worker is next to the source, the other is not: they are told apart, although the weight could be a
    // rate.
    let communication = Communication::negligible_on([(0, 1)]).or(Communication::everywhere(1));
    let farm = pipe!(task(1), farm(2, 1), task(1)).communicating(communication);
    let performance = farm.performance_exact().expect("an answer");
    assert!(performance.tasks()[1].throughput > performance.tasks()[2].throughput);
}

#[test]
fn a_model_says_how_fast_moves_are() {
    let program = pipe!(task(1), task(2)).communicating(Communication::negligible());
    let refused = program.lower().expect_err("no model").0;
    assert_eq!(refused[0].code.word(), "negligible_communication");
    assert_eq!(refused[0].message, "stage 1: a PEPA model cannot say that moves take no time");
    assert!(refused[0].help.contains("a rate that is large"), "{}", refused[0].help);
    assert!(program.explore().is_err());
    let shown = program.lower_with_immediate_moves().expect("a system").to_string();
    assert!(shown.contains("// These take no time, and have a weight instead: move_0_1\n"), "{shown}");
}

#[test]
fn a_text_says_it_by_a_word() {
    let parsed = text::parse("pipe(task(1), task(1)); communication(none);");
    let program = parsed.program().expect("a program");
    let performance = program.performance_exact().expect("an answer");
    assert_eq!(*performance.throughput(), ratio(2, 3));
    let some = text::parse("pipe(task(1), task(1), task(1)); communication(3); communication(1, 2, none);");
    let program = some.program().expect("a program");
    let system = some.lower_program_with_immediate_moves(&program).expect("a system");
    assert!(system.immediate_moves().eq(["move_1_2"]));
    let refused = some.lower_program(&program).expect_err("no model");
    assert_eq!(refused[0].message, "a PEPA model cannot say that moves take no time");
}
