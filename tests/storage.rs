//! A space is the same chain in whichever form its states are kept, and however many threads find them.

mod generated;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZeroUsize;

use proptest::prelude::*;
use skel::Error;
use skel::error::Reached;
use skel::limits::Limit;
use skel::prelude::*;
use skel::space::{Options, Storage};

use generated::model_text;

/// Ways to keep states, without lumping.
fn kept(storage: Storage) -> Options {
    Options { storage, ..Options::default() }
}

fn parsed(text: &str) -> Model {
    skel::text::parse(text).into_model().unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// A pipeline of so many stages, `3^stages` states: the network moves items, the processor works on them.
fn pipeline(stages: usize) -> Model {
    let mut text = String::from("r = 10; s = 7;\n");
    for stage in 1..=stages {
        let next = stage + 1;
        writeln!(text, "S{stage} = (move{stage}, infty).(work{stage}, r).(move{next}, s).S{stage};").unwrap();
    }
    let moves: Vec<String> = (1..=stages + 1).map(|at| format!("(move{at}, infty).Net")).collect();
    let text = text.replace("(move1, infty)", "(move1, s)");
    let links: Vec<String> = (2..=stages).map(|at| format!("<move{at}> S{at}")).collect();
    let all: Vec<String> = (1..=stages + 1).map(|at| format!("move{at}")).collect();
    // A stage gives an item away actively, and the next one takes it.
    let text =
        format!("{text}Net = {};\nNet <{}> (S1 {})", moves.join(" + "), all.join(", "), links.join(" "));
    parsed(&text)
}

/// Transitions as (from, action, to), by names.
fn chain(space: &StateSpace<Model>) -> BTreeMap<(String, String, String), f64> {
    let mut chain = BTreeMap::new();
    for from in 0..space.states() {
        for (action, rate, to) in space.transitions_from(from) {
            let action = space.model().action(action).to_owned();
            let earlier = chain.insert((space.display_state(from), action, space.display_state(to)), rate);
            assert_eq!(earlier, None, "each transition comes once");
        }
    }
    chain
}

/// The pattern of one component's initial local state.
fn first_local_state(model: &Model, position: usize) -> String {
    let initial = &model.local_state(model.initial_state()[position]).name;
    let entry = |at: usize| if at == position { initial.as_str() } else { "**" };
    (0..model.positions()).map(entry).collect::<Vec<_>>().join(" || ")
}

fn threads(count: usize) -> Limits {
    Limits { threads: NonZeroUsize::new(count), ..Limits::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn bits_and_lists_hold_the_same_chain(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let model = parsed(&model_text(&bytes));
        let listed = model.explorer().options(&kept(Storage::Explicit)).explore().unwrap();
        let ranked = model.explorer().options(&kept(Storage::Bitset)).explore().unwrap();
        prop_assert_eq!(listed.states(), ranked.states());
        prop_assert_eq!(listed.transitions(), ranked.transitions());
        prop_assert_eq!(chain(&listed), chain(&ranked));
        for space in [&listed, &ranked] {
            prop_assert_eq!(space.state(0), model.initial_state());
            for number in 0..space.states() {
                prop_assert_eq!(space.number_of(&space.state(number)), Some(number));
            }
        }
        let (one, other) = (listed.solver().long_run().solve().unwrap(), ranked.solver().long_run().solve().unwrap());
        for ((action, one), (_, other)) in one.throughputs().into_iter().zip(other.throughputs()) {
            prop_assert!((one - other).abs() <= 1e-9 * one.max(1e-3), "{}: {} {}", action, one, other);
        }
        if listed.states() <= 30 {
            let (one, other) = (listed.solver().long_run().exact().solve().unwrap(), ranked.solver().long_run().exact().solve().unwrap());
            prop_assert_eq!(one.utilisations(), other.utilisations());
            for position in 0..model.positions() {
                let pattern = first_local_state(&model, position);
                prop_assert_eq!(one.probability_matching(&pattern).unwrap(), other.probability_matching(&pattern).unwrap());
            }
        }
    }
}

#[test]
fn small_models_of_tables_are_kept_as_bits_when_that_is_asked_for() {
    let space = parsed("P = (go, 1).Q; Q = (back, 2).P; P <go> P")
        .explorer()
        .options(&kept(Storage::Bitset))
        .explore()
        .unwrap();
    assert_eq!((space.states(), space.transitions(), space.storage()), (4, 5, Storage::Bitset));
}

#[test]
fn large_products_are_kept_as_bits_by_themselves() {
    let model = pipeline(11);
    let space = model.explore().unwrap();
    assert_eq!((space.storage(), space.states()), (Storage::Bitset, 3_usize.pow(11)));
    let listed = model.explorer().options(&kept(Storage::Explicit)).explore().unwrap();
    assert_eq!((space.states(), space.transitions()), (listed.states(), listed.transitions()));
    assert!(space.memory() * 100 < listed.memory(), "{} and {} bytes", space.memory(), listed.memory());
    assert_eq!(pipeline(8).explore().unwrap().storage(), Storage::Explicit);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let model = pipeline(9);
    for options in [
        kept(Storage::Explicit),
        kept(Storage::Bitset),
        Options { is_lumped: true, ..kept(Storage::Explicit) },
    ] {
        let alone = model.explorer().options(&options).limits(&threads(1)).explore().unwrap();
        for count in [2, 3, 7] {
            let together = model.explorer().options(&options).limits(&threads(count)).explore().unwrap();
            assert_eq!(alone.states(), together.states());
            assert_eq!(alone.transitions(), together.transitions());
            for state in 0..alone.states() {
                assert_eq!(alone.state(state), together.state(state));
                assert!(alone.transitions_from(state).eq(together.transitions_from(state)));
            }
        }
    }
}

#[test]
fn what_has_no_bits_is_listed_whatever_is_asked_for() {
    // 3^31 combinations have no numbers; lumped states are no combinations; three hundred bits are no word.
    let wide = "P = (a, 1).Q; Q = (b, 1).R; R = (c, 1).P; S = (stop, 1).S; S || P[3]";
    let lumped = Options { is_lumped: true, ..kept(Storage::Bitset) };
    assert_eq!(parsed(wide).explorer().options(&lumped).explore().unwrap().storage(), Storage::Explicit);
    let still = format!(
        "P = (a, 1).Q; Q = (b, 1).R; R = (c, 1).P; {} <a, b, c> P",
        vec!["P"; 30].join(" <a, b, c> ")
    );
    let space = parsed(&still).explorer().options(&kept(Storage::Bitset)).explore().unwrap();
    assert_eq!((space.states(), space.storage()), (3, Storage::Explicit));
    let still = format!("P = (a, 1).Q; Q = (b, 1).P; {} <a, b> P", vec!["P"; 299].join(" <a, b> "));
    assert_eq!(
        parsed(&still).explorer().options(&kept(Storage::Bitset)).explore().unwrap().storage(),
        Storage::Explicit
    );
}

#[test]
fn limits_hold_for_bits_too() {
    let model = pipeline(12);
    let limits = Limits { states: 200_000, ..Limits::default() };
    let Err(Error::Stopped(stopped)) =
        model.explorer().options(&kept(Storage::Bitset)).limits(&limits).explore()
    else {
        panic!("not stopped")
    };
    assert_eq!(stopped.limit, Limit::States(200_000));
    let Reached::Exploring { states, waiting, .. } = stopped.reached else { panic!("{stopped}") };
    assert!(states > 200_000 && waiting > 0, "{stopped}");
    // 3^12 bits are 66 kB; what waits to be expanded does not fit beside them.
    let limits = Limits { memory: 100_000, ..Limits::default() };
    let Err(Error::Stopped(stopped)) =
        model.explorer().options(&kept(Storage::Bitset)).limits(&limits).explore()
    else {
        panic!("not stopped")
    };
    assert_eq!(stopped.limit, Limit::Memory(100_000));
}

#[test]
fn the_way_to_a_state_without_rates_is_told_in_either_form() {
    // Together R and P do `go` at an active rate while P is fresh, and P passes it on when it is not: no rate
    // for both.
    let text =
        "P = (go, 1).P1; P1 = (age, 1).P2; P2 = (go, infty).P; Q = (go, 2).Q; R = (go, 1).R; (P || Q) <go> R";
    let model = parsed(text);
    let [one, other] = [kept(Storage::Explicit), kept(Storage::Bitset)].map(|options| {
        let outcome = model.explorer().options(&options).explore();
        outcome.map(|space| space.states()).unwrap_err().to_string()
    });
    assert_eq!(one, other);
    assert!(one.contains("`go` is active and passive") && one.contains("go, age"), "{one}");
}
