//! Chains that end in several ways: the long run from the initial state, worked out by hand.

use skel::prelude::*;
use skel::quotient::Measure;
use skel::steady::Options;

fn space(text: &str) -> StateSpace {
    skel::text::parse(text).into_model().unwrap().explore().unwrap()
}

/// Exactly, and that the direct and the iterative answers in `f64` agree.
fn long_run(text: &str) -> SteadyState<Model, Ratio> {
    let space = space(text);
    let exact = space.solver().long_run().exact().solve().unwrap();
    let iterative = Options { direct_up_to: 0, ..Options::default() };
    for float in [
        space.solver().long_run().solve().unwrap(),
        space.solver().long_run().options(&iterative).solve().unwrap(),
    ] {
        for (found, expected) in float.probabilities().iter().zip(exact.probabilities()) {
            let expected = skel::number::Number::to_float(expected);
            assert!((found - expected).abs() < 1e-11, "{found} for {expected}, {:?}", float.report());
        }
    }
    exact
}

/// A gambler with one of three coins wins at 2 and loses at 1 until there are three or none.
const GAMBLER: &str = "One = (win, 2).Two + (lose, 1).Ruined;
    Two = (win, 2).Rich + (lose, 1).One;
    Rich = (enjoy, 5).Asleep; Asleep = (wake, 1).Rich;
    Ruined = (wait, 1).Ruined;
    One";

#[test]
fn the_gambler_is_ruined_with_three_sevenths() {
    // With q/p = 1/2 the chance of ruin from one of three is (1/2 - 1/8) / (1 - 1/8) = 3/7. The rich sleep
    // for 1 of 1 + 1/5, so for 5/6 of their time.
    let end = long_run(GAMBLER);
    assert_eq!(end.classification().transient, 2);
    let share = |state: &str| end.population_named(state).unwrap();
    assert_eq!(share("Ruined"), ratio(3, 7));
    assert_eq!(share("Asleep"), ratio(4, 7) * ratio(5, 6));
    assert_eq!(share("Rich"), ratio(4, 7) * ratio(1, 6));
    assert_eq!(share("One") + share("Two"), ratio(0, 1));
    // enjoy at 5 from Rich, wait at 1 from Ruined.
    assert_eq!(end.throughput_named("enjoy").unwrap(), ratio(4, 7) * ratio(5, 6));
    assert_eq!(end.throughput_named("wait").unwrap(), ratio(3, 7));
    let mut classes = end.class_probabilities();
    classes.sort();
    assert_eq!(classes, [ratio(3, 7), ratio(4, 7)]);
}

#[test]
fn parallel_and_looping_ways_into_a_class_add_up() {
    // From P: stay (counts for nothing), two ways to L at 1 and 2 and one to R at 3, and one to M at 4, which
    // goes on to L at 1 or back at 1. Ends in L with l = 3/10 + 4/10 (1/2 + l/2), so 8 l / 10 = 5/10.
    let end = long_run(
        "P = (stay, 9).P + (left, 1).L + (west, 2).L + (right, 3).R + (on, 4).M;
         M = (left, 1).L + (back, 1).P; L = (a, 1).L; R = (b, 1).R; P",
    );
    assert_eq!(end.population_named("L").unwrap(), ratio(5, 8));
    assert_eq!(end.population_named("R").unwrap(), ratio(3, 8));
}

#[test]
fn a_single_absorbing_state_is_the_long_run() {
    let text = "// skel: allow(blocked_action)
        P = (go, 1).R; R = (wait, 1).R; G = (go, infty).G; P <go, wait> G";
    assert_eq!(long_run(text).probabilities(), [ratio(0, 1), ratio(1, 1)]);
}

#[test]
fn with_one_class_it_is_the_steady_state() {
    let space = space(include_str!("../models/pipeline.pepa"));
    let (steady, long_run) =
        (space.steady_state_exact().unwrap(), space.solver().long_run().exact().solve().unwrap());
    assert_eq!(steady.probabilities(), long_run.probabilities());
    assert_eq!(long_run.class_probabilities(), [ratio(1, 1)]);
}

#[test]
fn many_ends_share_the_runs() {
    // Six copies each end in L with 1/3 or in R with 2/3: 2^6 ends, all of them L with 3^-6.
    let text = "// skel: allow(blocked_action)
        P = (left, 1).L + (right, 2).R; L = (wait, 1).L; R = (wait, 1).R; H = (other, 1).H;
        (P || P || P || P || P || P) <wait> H";
    let end = long_run(text);
    assert_eq!(end.classification().recurrent.len(), 64);
    let least = end.class_probabilities().into_iter().min().unwrap();
    assert_eq!(least, ratio(1, 3_i64.pow(6)));
}

/// Two components wait for one another; a third, independent of them, goes on or comes to a stop.
const CROSSED: &str = "// skel: allow(blocked_action)
    P = (a, 1).(b, 1).P; Q = (b, 1).(a, 1).Q; W = (wait, infty).W;";

#[test]
fn a_deadlock_in_which_every_run_ends_is_no_steady_state() {
    let stops = "G = (go, 3).G1; G1 = (wait, 2).G2; G2 = (never, 1).G2; (P <a, b> Q) || (G <wait, never> W)";
    let space = space(&format!("{CROSSED} {stops}"));
    let refusals = [
        space.steady_state().unwrap_err(),
        space.solver().options(&Options { direct_up_to: 0, ..Options::default() }).solve().unwrap_err(),
        space.steady_state_exact().unwrap_err(),
        space.quotient(&[Measure::throughput_named("go")]).unwrap().steady_state().err().unwrap(),
        space.quotient_exact(&[Measure::throughput_named("go")]).unwrap().steady_state_exact().err().unwrap(),
    ];
    for refusal in refusals {
        let skel::Error::Deadlock(deadlock) = &refusal else { panic!("{refusal}") };
        assert_eq!((deadlock.path(), deadlock.count()), (&["go".to_owned(), "wait".to_owned()][..], Some(1)));
        let said = refusal.to_string();
        assert!(said.starts_with("the model deadlocks after `go, wait`, in the state `"), "{said}");
        assert!(said.contains("look at the cooperation sets") && said.contains("long_run()"), "{said}");
        assert!(said.contains(deadlock.state()), "{said}");
    }
    let allowed = Options { allow_deadlock: true, ..Options::default() };
    let end = space.solver().options(&allowed).solve().unwrap();
    assert_eq!(end.probabilities(), space.solver().long_run().solve().unwrap().probabilities());
    assert_eq!(end.throughput_named("go").unwrap(), 0.0);
    let quotient = space.quotient(&[Measure::population_named("G2")]).unwrap();
    assert_eq!(quotient.solver().options(&allowed).solve().unwrap().values().next().unwrap().1, &1.0);
}

#[test]
fn a_state_that_keeps_acting_is_a_steady_state_and_several_deadlocks_are_one_finding() {
    let goes_on = "G = (go, 3).G1; G1 = (wait, 2).G1; (P <a, b> Q) || (G <wait> W)";
    let on = space(&format!("{CROSSED} {goes_on}")).steady_state_exact().unwrap();
    assert_eq!((on.classification().recurrent.len(), on.throughput_named("wait").unwrap()), (1, ratio(2, 1)));
    let ends = "// skel: allow(blocked_action)
        P = (left, 1).L + (right, 2).R; L = (wait, 1).L; R = (wait, 1).R; H = (other, infty).H;
        P[2] <wait, other> H";
    let model = skel::text::parse(ends).into_model().unwrap();
    for space in [model.explore().unwrap(), model.explorer().lumped().explore().unwrap()] {
        let refusal = space.steady_state().unwrap_err();
        let skel::Error::Deadlock(deadlock) = &refusal else { panic!("{refusal}") };
        assert_eq!(deadlock.count(), Some(4));
        assert!(refusal.to_string().contains(", and in 3 more states\n"), "{refusal}");
        assert!(space.solver().long_run().solve().is_ok());
    }
}

#[test]
fn the_refusal_of_a_steady_state_names_the_long_run() {
    let refusal = space("P = (l, 1).L + (r, 1).R; L = (a, 1).L; R = (b, 1).R; P").steady_state().unwrap_err();
    assert!(
        refusal.to_string().ends_with("help: `long_run` answers for runs from the initial state"),
        "{refusal}"
    );
}
