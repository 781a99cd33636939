//! No `.skel` text makes the library panic or wait: random and mutated texts, deep nesting, huge counts, and
//! large skeletons that are legal.

#[path = "generated/draw.rs"]
mod draw;
#[path = "texts/places.rs"]
mod places;
#[path = "texts/skeleton.rs"]
mod skeleton;

use std::time::{Duration, Instant};

use draw::Draw;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use skel::Error;
use skel::prelude::*;
use skel::skeleton::{System, text};

/// A text of both forms: statements, and stages inside one another.
fn skeleton_text(bytes: &[u8]) -> String {
    let mut draw = Draw::new(bytes);
    let mut text = String::new();
    statement(&mut draw, 4, &mut text);
    if draw.one_in(2) {
        text += "communication(1.0);\n";
    }
    if draw.one_in(4) {
        text += "communication(0, 1, 2/3);\n";
    }
    text
}

fn statement(draw: &mut Draw, depth: usize, text: &mut String) {
    match draw.below(5) {
        kind @ 0..2 if depth > 0 => {
            let (word, count) =
                if kind == 0 { ("pipe", 1 + draw.below(3)) } else { ("deal", 1 + draw.below(3)) };
            *text += &format!("{word}({count});\n");
            (0..if kind == 0 { count } else { 1 }).for_each(|_| statement(draw, depth - 1, text));
        }
        _ => *text += &format!("{};\n", nested(draw, depth)),
    }
}

fn nested(draw: &mut Draw, depth: usize) -> String {
    match draw.below(6) {
        0 if depth > 0 => {
            let stages: Vec<String> = (0..1 + draw.below(3)).map(|_| nested(draw, depth - 1)).collect();
            format!("pipe({})", stages.join(", "))
        }
        1 if depth > 0 => format!("farm({}, {})", 1 + draw.below(3), nested(draw, depth - 1)),
        2 => format!("deal({}, 2.5)", 1 + draw.below(4)),
        3 => "farm(2, \"worker\", 1e-3)".to_owned(),
        4 => "task(name, 1/3)".to_owned(),
        _ => "task(1.0)".to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        skeleton::is_lawful(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_mutation_of_a_skeleton_makes_it_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..40),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..40_usize), 0..6),
    ) {
        const PIECES: [&str; 24] = [
            "(", ")", ",", ";", "\"", "/", "-", "0", "7", "1e400", "1e-400", "pipe", "deal(2);", "farm(0, 1)", "task", "é", "\n",
            "pipe();", "task(-1);", "communication(0);", "//", "/*", "infty", "99999999999999999999",
        ];
        let mut text = skeleton_text(&bytes);
        for (place, piece) in cuts {
            let at = place.index(text.len() + 1);
            if !text.is_char_boundary(at) {
                continue;
            }
            match PIECES.get(piece) {
                Some(piece) => text.insert_str(at, piece),
                None => text.truncate(at),
            }
        }
        skeleton::is_lawful(&text);
    }
}

/// Far above what was seen without optimisation on a busy machine.
const SOON: Duration = Duration::from_secs(10);

fn first_message(text: &str) -> String {
    let started = Instant::now();
    let parsed = text::parse(text);
    assert!(started.elapsed() < SOON, "{:?} for {}", started.elapsed(), &text[..text.len().min(60)]);
    parsed.diagnostics.first().map_or_else(String::new, |found| found.message.clone())
}

/// Rates of a skeleton have the bounds of those of its model, whose text would not be read otherwise.
#[test]
fn rates_of_too_many_digits_end_in_diagnostics() {
    let long = format!("1.{}e-300", "7".repeat(340));
    let too_long = "has more than 2048 bits";
    assert_eq!(first_message(&format!("task({long});")), format!("the rate of the task {too_long}"));
    let parsed = text::parse(&format!("pipe(task(1), task(1)); communication({long});"));
    assert!(parsed.diagnostics[0].message.ends_with(too_long), "{:?}", parsed.diagnostics);
}

#[test]
fn huge_counts_and_deep_nesting_end_in_diagnostics() {
    let counts = [
        ("farm(999999999999, 1);", "the skeleton has 999999999999 tasks, more than 2000"),
        ("pipe(999999999);", "the pipe says 999999999 stages, but 0 follow"),
        ("pipe(999999999); task(1);", "the pipe says 999999999 stages, but 1 follows"),
        (
            "deal(99999999999999999999999999999999999999999, 1);",
            "`999999999999999999999999999999...` is not a count",
        ),
    ];
    for (text, message) in counts {
        assert_eq!(first_message(text), message);
    }
    let farms = |depth: usize| format!("{}1{};", "farm(2, ".repeat(depth), ")".repeat(depth));
    assert_eq!(first_message(&farms(60)), format!("the skeleton has {} tasks, more than 2000", 1_u64 << 60));
    let without_worker = text::parse(&"farm(2);\n".repeat(5)).diagnostics;
    assert_eq!((without_worker.len(), without_worker[0].message.as_str()), (1, "the farm has no worker"));
    let too_deep = "the skeleton is nested more than 100 deep";
    for text in [farms(200), "pipe(".repeat(100_000), "pipe(1);".repeat(100_000) + "task(1);"] {
        assert_eq!(first_message(&text), too_deep);
        assert_eq!(text::parse(&text).diagnostics.len(), 1);
    }
    assert_eq!(first_message(&format!("{}task(1){};", "pipe(".repeat(99), ")".repeat(99))), "");
}

#[test]
fn long_texts_take_time_in_their_length() {
    let tasks = 20_000;
    let links =
        |of: &dyn Fn(usize) -> String| "task(1);".to_owned() + &(0..tasks).map(of).collect::<String>();
    for text in [
        format!("pipe({tasks});{}", "task(\"a\", 1);".repeat(tasks)),
        "task(\"a\", 1); ".repeat(tasks),
        "task(0); ".repeat(tasks),
        links(&|number| format!("communication({number}, 1, 2);")),
        links(&|_| "communication(0, 1, 2);".to_owned()),
        "\"".repeat(tasks),
        "((((,".repeat(tasks),
    ] {
        first_message(&text);
    }
}

fn large(stages: &str) -> System {
    let started = Instant::now();
    let system = text::parse(stages).lower(Some(1.into())).expect("a skeleton");
    assert!(started.elapsed() < SOON, "{:?} for {stages}", started.elapsed());
    system
}

#[test]
fn large_skeletons_end_in_an_answer_a_limit_or_a_diagnostic() {
    for stages in [
        "pipe(task(1), farm(200, 1), task(1));",
        "pipe(task(1), deal(47, 1), deal(43, 1), task(1));",
        "pipe(task(1), farm(20, farm(20, 1)), task(1));",
        "pipe(deal(20, pipe(task(1), deal(5, 1), task(1))), farm(20, 1), task(1));",
    ] {
        let system = large(stages);
        let started = Instant::now();
        let limits = Limits { states: 40, ..Limits::default() };
        let outcome = system.model().explorer().lumped().limits(&limits).explore();
        assert!(matches!(outcome, Err(Error::Stopped(_))), "{stages}");
        assert!(started.elapsed() < SOON, "{:?} for {stages}", started.elapsed());
    }
    // Workers that only they know are lumped to one: a farm of 40 is 41 states for each state of the rest.
    let space = large("pipe(farm(40, 1), task(1));").model().explorer().lumped().explore().expect("a space");
    assert_eq!(space.states(), 2 * 41);
    assert_eq!(space.lumping().and_then(skel::space::Lumping::states), Some(2 << 40));
    let too_large =
        text::parse("pipe(farm(500, 1), farm(500, 1));").lower(Some(1.into())).expect_err("too many");
    assert_eq!(too_large[0].message, "the skeleton stands for more than 200000 moves and rounds");
}
