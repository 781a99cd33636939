//! Laws over generated models: two implementations of the semantics agree, two number types agree, printing
//! and parsing are inverse, and no text makes the library panic.

mod generated;
#[path = "texts/model.rs"]
mod model;
#[path = "texts/places.rs"]
mod places;

use std::collections::BTreeMap;

use proptest::prelude::*;
use skel::chain::Generator;
use skel::number::Number;
use skel::prelude::*;

use generated::model_text;

fn model_of(bytes: &[u8]) -> Model {
    let text = model_text(bytes);
    skel::text::parse(&text).into_model().unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// Transitions as (from, action, to) with the sum of the rates.
type Chain = BTreeMap<(String, String, String), Ratio>;

fn reference_chain(model: &Model) -> Chain {
    let graph = skel::explore::explore::<Ratio>(model, 100_000).unwrap();
    let mut chain = Chain::new();
    for (from, row) in graph.transitions.iter().enumerate() {
        for (action, rate, to) in row {
            let key = (
                model.display_state(&graph.states[from]),
                model.action(*action).to_owned(),
                model.display_state(&graph.states[*to as usize]),
            );
            *chain.entry(key).or_insert_with(|| ratio(0, 1)) += rate;
        }
    }
    chain
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn the_engine_gives_the_chain_of_the_reference_semantics(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let model = model_of(&bytes);
        let space = model.explore().unwrap();
        let reference = reference_chain(&model);
        prop_assert_eq!(space.transitions(), reference.len());
        for from in 0..space.states() {
            for (action, rate, to) in space.transitions_from(from) {
                let key = (
                    space.display_state(from),
                    model.action(action).to_owned(),
                    space.display_state(to),
                );
                let expected = reference[&key].to_float();
                prop_assert!((rate - expected).abs() <= 1e-12 * expected, "{:?}", key);
            }
        }
    }

    #[test]
    fn exact_solutions_solve_the_equations_and_floats_agree(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let space = model_of(&bytes).explore().unwrap();
        // To verify fractions as such takes longer than to find them.
        prop_assume!(space.states() <= 120);
        let Ok(exact) = space.steady_state_exact() else {
            let classes = skel::chain::classify(&space);
            prop_assert!(classes.recurrent.len() > 1 || !classes.deadlocks.is_empty());
            return Ok(());
        };
        let generator = Generator::<Ratio>::of(&space);
        let zero = ratio(0, 1);
        prop_assert!(generator.left_product(exact.probabilities()).iter().all(|value| *value == zero));
        prop_assert_eq!(exact.probabilities().iter().sum::<Ratio>(), ratio(1, 1));
        let float = space.steady_state().unwrap();
        let options = skel::steady::Options { direct_up_to: 0, ..Default::default() };
        let iterative = space.solver().options(&options).solve().unwrap();
        for (action, value) in exact.throughputs() {
            let value = value.to_float();
            let of_float = float.throughput_named(action).unwrap();
            let of_iterative = iterative.throughput_named(action).unwrap();
            prop_assert!((of_float - value).abs() <= 1e-10 * value, "{} {} {}", action, of_float, value);
            prop_assert!((of_iterative - value).abs() <= 1e-9 * (value + 1e-3), "{} {} {}", action, of_iterative, value);
        }
    }

    #[test]
    fn what_is_printed_parses_to_the_same(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let parsed = skel::text::parse(&model_text(&bytes));
        let again = skel::text::parse(&skel::syntax::print::print(&parsed.ast()));
        prop_assert_eq!(&again.ast(), &parsed.ast());
        prop_assert_eq!(again.model, parsed.model);
    }

    #[test]
    fn a_model_prints_as_a_text_of_the_same_model(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let model = model_of(&bytes);
        let text = model.to_string();
        let again = Model::from_text(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        prop_assert_eq!(again.to_string(), text);
        prop_assert_eq!(again.positions(), model.positions());
        prop_assert_eq!(reference_chain(&again), reference_chain(&model));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        model::is_lawful(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_mutation_of_a_model_makes_it_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..80),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..40_usize), 1..6),
    ) {
        const PIECES: [&str; 20] = [
            "(", ")", "{", "}", "<", ">", "||", "*", "**", "infty", "/", "[", "]", ";", "=", "0", "1e400", "tau", "+", "P",
        ];
        let mut text = model_text(&bytes);
        for (place, piece) in cuts {
            let at = place.index(text.len() + 1);
            match PIECES.get(piece) {
                Some(piece) => text.insert_str(at, piece),
                None => text.truncate(at),
            }
        }
        model::is_lawful(&text);
    }
}

#[test]
fn deep_and_huge_texts_end_in_diagnostics() {
    let deep = format!("P = {}(a, 1).P{};\nP", "(".repeat(100_000), ")".repeat(100_000));
    let doubling: String = (1..70).map(|n| format!("P{n} = P{} + P{0};\n", n - 1)).collect();
    let wide: String = (1..70).map(|n| format!("S{n} = S{} || S{0};\n", n - 1)).collect();
    let digits: String = (1..70).map(|n| format!("r{n} = r{} * r{0};\n", n - 1)).collect();
    let aliases: String = (1..50_000).map(|n| format!("P{n} = P{};\n", n - 1)).collect();
    for (text, is_model) in [
        (deep, false),
        (format!("P0 = (a, 1).P69;\n{doubling}P0"), false),
        (format!("S0 = (a, 1).S0;\n{wide}S69"), false),
        (format!("r0 = 7;\n{digits}P = (a, r69).P;\nP"), false),
        (format!("P0 = (a, 1).P49999;\n{aliases}P0"), true),
        (format!("P = {}P;\nP", "(a, 1).".repeat(5000)), true),
        ("-".repeat(200_000), false),
        ("/{".repeat(200_000), false),
        ("r=".repeat(200_000), false),
    ] {
        let parsed = skel::text::parse(&text);
        assert_eq!(parsed.model.is_some(), is_model, "{}", &text[..60]);
        assert!(is_model || parsed.diagnostics.iter().any(skel::diagnostic::Diagnostic::is_error));
    }
}
