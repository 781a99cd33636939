//! Other rates for the same states: the same chain as exploring again, and refused where lumped parts are
//! told apart.

mod generated;

use proptest::prelude::*;
use skel::prelude::*;
use skel::space::{Options, Storage};

use generated::model_text;

/// A transition from and to states as they are written, since the two spaces may number them differently.
fn chain(space: &StateSpace) -> Vec<(String, String, f64, String)> {
    let of_state = |state| {
        let rows = space.transitions_from(state);
        rows.map(move |(action, rate, target)| {
            let action = space.model().action(action).to_owned();
            (space.display_state(state), action, rate, space.display_state(target))
        })
    };
    (0..space.states()).flat_map(of_state).collect()
}

/// Positive values for all named rates; sizes cannot change in a space.
fn values(model: &Model, bytes: &[u8]) -> Vec<(String, Rate)> {
    let value = |at: usize| 1 + i64::from(bytes.get(at).copied().unwrap_or(7));
    let rates = model.parameters().iter().enumerate();
    let rates = rates.filter(|(_, rate)| !rate.is_size);
    rates.map(|(at, rate)| (rate.name.clone(), ratio(value(at), 1 + value(at + 1) % 9).into())).collect()
}

fn borrowed(values: &[(String, Rate)]) -> Vec<(&str, Rate)> {
    values.iter().map(|(name, value)| (name.as_str(), value.clone())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn the_chain_is_that_of_the_model_explored_with_these_rates(
        bytes in prop::collection::vec(any::<u8>(), 0..80),
        others in prop::collection::vec(any::<u8>(), 0..8),
    ) {
        let model = Model::from_text(&model_text(&bytes)).unwrap();
        let changes = values(&model, &others);
        for storage in [Storage::Explicit, Storage::Bitset] {
            let options = Options { storage, ..Options::default() };
            let explore = |model: &Model| model.explorer().options(&options).explore().unwrap();
            let rerated = explore(&model).with_rates(&borrowed(&changes)).unwrap();
            prop_assert_eq!(chain(&rerated), chain(&explore(rerated.model())));
        }
    }

    #[test]
    fn lumped_chains_are_those_of_these_rates_or_are_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..80),
        others in prop::collection::vec(any::<u8>(), 0..8),
    ) {
        let model = Model::from_text(&model_text(&bytes)).unwrap();
        let changes = values(&model, &others);
        let Ok(rerated) = model.explorer().lumped().explore().unwrap().with_rates(&borrowed(&changes)) else { return Ok(()) };
        let plain = rerated.model().explore().unwrap();
        let (Ok(lumped), Ok(plain)) = (rerated.steady_state_exact(), plain.steady_state_exact()) else { return Ok(()) };
        prop_assert_eq!(lumped.throughputs(), plain.throughputs());
    }
}

/// Two workers, each with a rate of its own.
const WORKERS: &str = "r = 2; s = 2; m = 1;
    Source = (give1, m).Source + (give2, m).Source;
    One = (give1, infty).(work1, r).One;
    Two = (give2, infty).(work2, s).Two;
    Source <give1, give2> (One || Two)";

#[test]
fn a_lumped_space_takes_rates_that_keep_its_symmetry_and_refuses_others() {
    let space = Model::from_text(WORKERS).unwrap().explorer().lumped().explore().unwrap();
    assert_eq!(space.states(), 3);
    let both = space.with_rates(&[("r", 5.into()), ("s", 5.into()), ("m", 3.into())]).unwrap();
    let plain = both.model().explore().unwrap();
    assert_eq!(plain.states(), 4);
    let throughput =
        |space: &StateSpace| space.steady_state_exact().unwrap().throughput_named("work2").unwrap();
    assert_eq!(throughput(&both), throughput(&plain));
    let refused = space.with_rates(&[("r", 5.into())]).unwrap_err().to_string();
    assert!(refused.contains("no longer interchangeable; explore it anew"), "{refused}");
}

#[test]
fn a_space_that_is_lumped_less_than_it_could_be_is_as_good() {
    let different = WORKERS.replace("r = 2", "r = 7");
    let space = Model::from_text(&different).unwrap().explorer().lumped().explore().unwrap();
    assert!(space.lumping().is_none());
    let equal = space.with_rates(&[("r", 2.into())]).unwrap();
    let lumped = Model::from_text(WORKERS).unwrap().explorer().lumped().explore().unwrap();
    let throughput =
        |space: &StateSpace| space.steady_state_exact().unwrap().throughput_named("work1").unwrap();
    assert_eq!((equal.states(), lumped.states()), (4, 3));
    assert_eq!(throughput(&equal), throughput(&lumped));
}

#[test]
fn copies_that_are_counted_and_blocks_within_blocks_take_other_rates() {
    for text in [
        "r = 1; s = 2; P = (go, r).Q; Q = (back, s).P; P[5]",
        "r = 1; s = 2; t = 3; P = (go, r).Q; Q = (back, s).P; S = (go, t).S; W = P[2] <go> S; W[3]",
        "r = 1; s = 1; P = (go, r).Q; Q = (go, s).P; P[3, {go}]",
    ] {
        let space = Model::from_text(text).unwrap().explorer().lumped().explore().unwrap();
        assert!(space.lumping().is_some(), "{text}");
        let rerated = space.with_rates(&[("r", 3.into()), ("s", ratio(1, 7).into())]).unwrap();
        let plain = rerated.model().explore().unwrap().steady_state_exact().unwrap();
        assert_eq!(rerated.steady_state_exact().unwrap().throughputs(), plain.throughputs(), "{text}");
    }
}

#[test]
fn wrong_rates_are_refused_and_what_is_defined_by_a_rate_follows_it() {
    let space = Model::from_text("mu = 2; fast = 3 * mu; P = (go, fast).Q; Q = (back, mu).P; P").unwrap();
    let space = space.explore().unwrap();
    let error = |changes: &[(&str, Rate)]| space.with_rates(changes).unwrap_err().to_string();
    assert_eq!(error(&[("nu", 1.into())]), "the model has no rate `nu`; did you mean `mu`?");
    assert!(error(&[("mu", 0.into())]).starts_with("the rate `mu` is 0"));
    assert!(error(&[("mu", f64::NAN.into())]).starts_with("the rate `mu` is not a number (`NAN`)"));
    let beyond = space.with_rates(&[(skel::model::ParameterId(2), 1.into())]).unwrap_err();
    assert_eq!(beyond.to_string(), "there is no rate of number 2: the model has 2 named rates");
    let twice = space.with_rates(&[("mu", 5.into()), ("mu", 4.into())]).unwrap();
    assert_eq!(twice.transitions_from(0).next().unwrap().1, 12.0);
    let apart = twice.with_rates(&[("fast", 1.into())]).unwrap();
    let rates: Vec<f64> = (0..2).map(|state| apart.transitions_from(state).next().unwrap().1).collect();
    assert_eq!(rates, [1.0, 4.0]);
}

/// Two rings of states, joined by two rates that are small or not.
fn joined_rings(over: &str, back: &str) -> String {
    let mut text = format!("fast = 3; over = {over}; back = {back};\n");
    for state in 0..40 {
        let next = (state + 1) % 40;
        text += &format!("A{state} = (on, fast).A{next} + (turn, {}).A{};\n", 1 + state % 3, state * 7 % 40);
        text += &format!("B{state} = (on, 2).B{next} + (turn, {}).B{};\n", 1 + state % 5, state * 3 % 40);
    }
    text = text.replace("A0 = ", "A0 = (over, over).B0 + ").replace("B20 = ", "B20 = (back, back).A20 + ");
    text + "A0"
}

#[test]
fn from_a_nearby_solution_there_are_fewer_iterations_and_the_answer_is_as_good() {
    let options = skel::steady::Options { direct_up_to: 0, ..Default::default() };
    let limits = Limits::default();
    // That all are seen by one keeps them from being solved each by itself.
    let text = "a = 1; b = 1.3; c = 0.7; P = (go, a).Q; Q = (back, b).R; R = (rest, c).P; See = (rest, infty).See; P[6] <rest> See";
    let space = Model::from_text(text).unwrap().explore().unwrap();
    let start = space.solver().options(&options).limits(&limits).solve().unwrap();
    for (change, is_near) in [("1.000001", true), ("1.01", true), ("2", false), ("1000", false)] {
        let space = space.with_rates(&[("a", Rate::parse(change).unwrap())]).unwrap();
        let cold = space.solver().options(&options).limits(&limits).solve().unwrap();
        let warm = space.solver().start_from(&start).options(&options).limits(&limits).solve().unwrap();
        let (few, many) = (warm.report().iterations, cold.report().iterations);
        assert!(few > 0 && (few < many || !is_near), "{change}: {few} of {many} iterations");
        assert!(warm.report().error <= options.tolerance);
        for (warm, cold) in warm.probabilities().iter().zip(cold.probabilities()) {
            assert!((warm / cold - 1.0).abs() < 2e-10, "{change}: {warm} {cold}");
        }
    }
}

#[test]
fn a_start_does_not_hide_that_the_split_between_two_parts_has_changed() {
    let options = skel::steady::Options { direct_up_to: 0, ..Default::default() };
    let limits = Limits::default();
    let mut answers = 0;
    for (over, back) in
        [("1e-2", "2e-2"), ("1e-4", "1e-4"), ("1e-7", "3e-7"), ("1e-10", "1e-10"), ("1e-13", "5e-13")]
    {
        let space = Model::from_text(&joined_rings(over, back)).unwrap().explore().unwrap();
        let start = space.steady_state().unwrap();
        // What is small changes, what is fast, and nothing.
        for change in [("over", 1.001), ("over", 5.0), ("fast", 1.000_001), ("fast", 2.0), ("back", 1.0)] {
            let id = space.model().parameter_named(change.0).unwrap();
            let value = &space.model().parameters()[id.index()].value * Rate::from(change.1).exact().unwrap();
            let space = space.with_rates(&[(id, value.into())]).unwrap();
            let eliminated = space.steady_state().unwrap();
            let Ok(warm) = space.solver().start_from(&start).options(&options).limits(&limits).solve() else {
                continue;
            };
            answers += 1;
            for (warm, right) in warm.probabilities().iter().zip(eliminated.probabilities()) {
                assert!((warm / right - 1.0).abs() < 2e-10, "{over} {back} {change:?}: {warm} {right}");
            }
        }
    }
    assert!(answers > 15, "{answers} of 25 answered");
}

#[test]
fn a_start_of_another_space_is_refused_and_transient_states_do_no_harm() {
    let text = "a = 1; Start = (begin, a).P; P = (go, a).Q; Q = (back, 2).P; Start";
    let space = Model::from_text(text).unwrap().explore().unwrap();
    let options = skel::steady::Options { direct_up_to: 0, ..Default::default() };
    let start = space.solver().options(&options).solve().unwrap();
    let other = space.with_rates(&[("a", 2.into())]).unwrap();
    let warm = other.solver().start_from(&start).options(&options).solve().unwrap();
    assert!((warm.throughput_named("go").unwrap() - 1.0).abs() < 1e-12);
    let two = Model::from_text("a = 1; P = (go, a).Q; Q = (back, 2).P; P").unwrap().explore().unwrap();
    let refused = two.solver().start_from(&start).solve().unwrap_err().to_string();
    assert_eq!(refused, "a solution over 3 states cannot be the start for a space of 2 states");
}
