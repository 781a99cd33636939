//! The values of the paper on skeletons and of an independent implementation: states, exact fractions, ten
//! digits.
//!
//! Two tables of `spec/skeletons.md`. In the rows with a farm among deals the rates are not all 1, as its
//! heading has it, but those of the paper's running example: 1 for tasks, 3 for farms, 2 for a first deal and
//! 3 for a second.

use skel::Error;
use skel::performance::Performance;
use skel::prelude::*;
use skel::skeleton::{Reading, System, Tree, text};
use skel::space::Lumping;
use skel::steady::Options;

fn lowered(text: &str) -> System {
    let parsed = text::parse(text);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    parsed.lower(Some(Communication::everywhere(1))).expect("a skeleton")
}

/// Spells out the table's notation: `t`, `F3` and `D2`, all rates 1.
fn spelled(short: &str) -> String {
    let stages = short.split(' ').map(|stage| match stage.split_at(1) {
        ("t", _) => "task(1)".to_owned(),
        ("F", replicas) => format!("farm({replicas}, 1)"),
        ("D", replicas) => format!("deal({replicas}, 1)"),
        _ => panic!("`{stage}` is not of the table"),
    });
    format!("pipe({});", stages.collect::<Vec<_>>().join(", "))
}

fn exact(text: &str) -> Performance<Tree, Ratio> {
    Performance::from_system_exact(lowered(text), &Limits::default()).expect("an answer")
}

fn float(text: &str) -> Performance<Tree, f64> {
    Performance::from_system(lowered(text), &Limits::default(), &Options::default()).expect("an answer")
}

#[test]
fn exact_fractions() {
    let table = [
        ("task(2.0);", 1, ratio(2, 1)),
        (&spelled("t t"), 4, ratio(2, 5)),
        (&spelled("t t t"), 12, ratio(94, 323)),
        (&spelled("t F2 t"), 36, ratio(2_676_726, 6_029_579)),
        (&spelled("t D2 t"), 56, ratio(52_324, 138_973)),
        (&spelled("F2 t"), 8, ratio(22, 37)),
        (&spelled("t F2"), 8, ratio(22, 37)),
        (&spelled("D2 t"), 16, ratio(26, 55)),
        (&spelled("t D2"), 16, ratio(26, 55)),
        (&spelled("F2 F2"), 16, ratio(1, 1)),
        (&spelled("D2 D2"), 16, ratio(4, 5)),
    ];
    for (text, states, throughput) in table {
        assert_eq!(lowered(text).model().explore().expect("a space").states(), states, "{text}");
        assert_eq!(exact(text).throughput(), &throughput, "{text}");
    }
    let faster = text::parse("pipe(task(2), task(3)); communication(5);").lower(None).expect("a skeleton");
    let performance =
        Performance::<Tree, _>::from_system_exact(faster, &Limits::default()).expect("an answer");
    assert_eq!(performance.throughput(), &ratio(6, 5));
}

/// States and throughput of the whole, explored one by one and lumped.
fn agrees(text: &str, states: usize, throughput: f64) {
    let system = lowered(text);
    assert_eq!(system.model().explore().expect("a space").states(), states, "{text}");
    let performance = float(text);
    assert!((performance.throughput() - throughput).abs() < 6e-11, "{text}: {}", performance.throughput());
    let space = performance.steady_state().space();
    let unlumped = space.lumping().map_or(Some(space.states() as u128), Lumping::states);
    assert_eq!(unlumped, Some(states as u128), "{text}");
}

#[test]
fn ten_digits_at_rate_one() {
    agrees(&spelled("t D2 D2 t"), 424, 0.368_912_308_8);
    agrees(&spelled("t D2 D3 t"), 2_808, 0.394_347_063_7);
    agrees(&spelled("t D3 D2 t"), 2_808, 0.394_347_063_7);
    agrees(&spelled("t D3 D3 t"), 3_324, 0.424_741_506_4);
}

#[test]
fn ten_digits_at_the_rates_of_the_running_example() {
    let (t, farm, deal) = ("task(1)", "farm(2, 3)", "deal(2, 2)");
    agrees(&format!("pipe({t}, {farm}, {deal}, {t});"), 828, 0.420_713_672_7);
    agrees(&format!("pipe({t}, {deal}, {farm}, {t});"), 828, 0.421_315_988_6);
    agrees(&format!("pipe({t}, {farm}, {deal}, {farm}, {t});"), 14_904, 0.481_652_062_0);
    agrees(&format!("pipe({t}, {farm}, {deal}, {farm}, deal(2, 3), {t});"), 86_148, 0.436_045_329_5);
}

#[test]
fn nested_deals_are_what_they_amount_to() {
    let same = |one: &str, other: &str| {
        let (one, other) = (float(one), float(other));
        assert!((one.throughput() - other.throughput()).abs() < 1e-10);
    };
    same(
        "pipe(task(1), deal(2, 1), deal(2, 1), task(1));",
        "pipe(task(1), deal(2, pipe(task(1), task(1))), task(1));",
    );
    same(
        "pipe(task(1), deal(2, pipe(task(1), deal(2, 1))), task(1));",
        "pipe(task(1), deal(2, 1), deal(4, 1), task(1));",
    );
    same("pipe(pipe(task(1), farm(2, 1)), task(1));", "pipe(task(1), farm(2, 1), task(1));");
}

#[test]
fn the_letter_of_the_paper_deadlocks_and_says_where() {
    let program = pipe!(task(1), deal(3, 1), deal(3, 1), task(1)).communicating(1);
    assert!(program.performance().is_ok());
    let error = program.with_reading(Reading::Literal).performance().expect_err("a deadlock");
    let Error::NotIrreducible(failure) = &error else { panic!("{error}") };
    assert!(failure.is_deadlock);
    assert!(error.to_string().contains("after `comp_0, move_0_1, comp_0, "), "{error}");
}

#[test]
fn of_equal_tasks_the_first_is_the_bottleneck() {
    let performance = float("pipe(task(1), farm(2, 3), deal(2, 2), farm(2, 3), deal(2, 3), task(1));");
    assert_eq!(performance.bottleneck().task, 0);
}

#[test]
fn printed_lines_fit_a_page_and_activities_stay_whole() {
    let text = lowered(&spelled("t D3 D4 F5 t")).to_string();
    assert!(
        text.lines().any(|line| line.starts_with("    (")),
        "a definition that is too long for a line: {text}"
    );
    let (definitions, _) = text.split_once("// System model.").expect("a heading");
    for line in definitions.lines() {
        assert_eq!(line.matches('(').count(), line.matches(')').count(), "{line}");
    }
    assert!(text.lines().all(|line| line.len() <= 100), "{text}");
}
