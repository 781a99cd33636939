//! The figures of the paper on skeletons: the text of Fig. 4, the curves of Figs 5 and 6, and closed forms.
//! The running example of Fig. 1 is in `large/millions_of_states.rs`.

use serde_json::Value;
use skel::Error;
use skel::chain::classify;
use skel::number::Number;
use skel::performance::Perform;
use skel::prelude::*;
use skel::skeleton::{Program, Reading, System, Tree, text};

fn tree(stages: &str) -> Tree {
    text::parse(stages).into_tree().unwrap_or_else(|errors| panic!("{errors}\n{stages}"))
}

fn lowered(stages: &str) -> System {
    Program::new(tree(stages), 1).lower().expect("a skeleton")
}

fn throughput(stages: &str, communication: f64) -> f64 {
    *Program::new(tree(stages), communication).performance().expect("an answer").throughput()
}

/// What the paper prints; its lines end elsewhere than ours.
const FIGURE_4: &str = "
// Computation rates.
Processor_0 = (comp_0, 1.0).Processor_0;
Processor_1 = (comp_1, 3.0).Processor_1;
Processor_2 = (comp_2, 1.0).Processor_2;
Processor_3 = (comp_3, 2.0).Processor_3;
Processor_4 = (comp_4, 1.0).Processor_4;

// Communication rates.
Network = (move_0_1, 1.0).Network + (move_1_2, 1.0).Network +
(move_2_3, 1.0).Network + (move_3_4, 1.0).Network;

// Task definitions.
t_0 = (comp_0, infty).t_01;
t_01 = (move_0_1, infty).t_0;
t_1 = (move_0_1, infty).(comp_1, infty).(move_1_2, infty).t_1;
t_2 = (move_1_2, infty).(comp_2, infty).(move_2_3, infty).t_2;
t_3 = (move_2_3, infty).(comp_3, infty).(move_3_4, infty).t_3;
t_4 = (move_3_4, infty).(comp_4, infty).t_4;

// System model.
Network<move_0_1, move_1_2, move_2_3, move_3_4>(t_0 <move_0_1> t_1
<move_1_2> t_2 <move_2_3> t_3 <move_3_4> t_4)<comp_0, comp_1, comp_2,
comp_3, comp_4>(Processor_0 || Processor_1 || Processor_2 ||
Processor_3 || Processor_4)

// Throughput expression.
T1 = 1.0 * {** || (t_01 || t_1 || ** || ** || **) || (** || ** || ** || ** || **)};
";

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

const FIVE_TASKS: &str = "pipe(5); task(1.0); task(3.0); task(1.0); task(2.0); task(1.0);";

#[test]
fn five_tasks_print_figure_4_and_its_result_line_is_their_throughput() {
    let system = lowered(FIVE_TASKS);
    let printed = system.to_string();
    assert_eq!(squeezed(&printed), squeezed(FIGURE_4), "{printed}");
    for model in [&printed, FIGURE_4] {
        let space = skel::text::parse(model).into_model().expect("a model").explore().expect("a space");
        assert_eq!(space.states(), 108);
        let pi = space.steady_state().expect("an answer");
        assert!((pi.result_named("T1").unwrap() - 0.261_698_148_728).abs() < 1e-12);
        assert!((pi.throughput_named("comp_4").unwrap() - 0.261_698_148_728).abs() < 1e-12);
    }
}

fn curve(name: &str, rate: &str) -> String {
    let middle = match name {
        "uniform" => format!("task({rate})"),
        "bottleneck" => "task(50)".to_owned(),
        _ => format!("{}({}, 50)", &name[..4], &name[4..]),
    };
    format!("pipe(task({rate}), task({rate}), {middle}, task({rate}), task({rate}));")
}

/// Compares the points that are chosen by communication rate and task rate; how many there were.
fn figures_5_and_6(is_chosen: impl Fn(&str, &str) -> bool) -> usize {
    let seeds: Value = serde_json::from_str(include_str!("seeds/fig56.json")).unwrap();
    let mut points = 0;
    for (communication, curves) in seeds["throughput"].as_object().unwrap() {
        for (name, values) in curves.as_object().unwrap() {
            let chosen =
                values.as_object().unwrap().iter().filter(|(rate, _)| is_chosen(communication, rate));
            for (rate, expected) in chosen {
                let found = throughput(&curve(name, rate), communication.parse().unwrap());
                let expected = expected.as_f64().unwrap();
                assert!((found - expected).abs() <= 1e-8, "{name}, c = {communication}, r = {rate}: {found}");
                points += 1;
            }
        }
    }
    points
}

#[test]
fn some_points_of_figures_5_and_6() {
    let chosen = [("100.0", "100"), ("500.0", "350"), ("10000.0", "500")];
    assert_eq!(figures_5_and_6(|communication, rate| chosen.contains(&(communication, rate))), 3 * 6);
}

#[test]
#[ignore = "378 points: some seconds"]
fn all_points_of_figures_5_and_6() {
    assert_eq!(figures_5_and_6(|_, _| true), 7 * 6 * 9);
}

#[test]
fn without_the_cost_of_moves_throughput_grows_with_the_rate() {
    let limit = Ratio::new(94_203_088_638_i64.into(), 193_914_065_237_i64.into());
    // What moves cost is in proportion to their duration: ten times the rate, a tenth of the gap.
    let gap = |rate: f64, communication: f64| {
        limit.to_float() - throughput(&curve("uniform", &rate.to_string()), communication) / rate
    };
    for rate in [1.0, 100.0, 500.0] {
        let (near, nearer) = (gap(rate, 1e5 * rate), gap(rate, 1e6 * rate));
        assert!((near / nearer - 10.0).abs() < 1e-2 && (0.0..1e-5).contains(&nearer), "{near} {nearer}");
        assert!(gap(rate, 1e12 * rate).abs() < 1e-10);
    }
}

#[test]
fn closed_forms_of_the_number_of_states() {
    let states = |stages: &str| lowered(stages).model().explore().expect("a space").states();
    for stages in 2..=8_u32 {
        let pipe = format!("pipe({});", vec!["task(1)"; stages as usize].join(", "));
        assert_eq!(states(&pipe), 4 * 3_usize.pow(stages - 2));
    }
    for workers in 1..=6 {
        assert_eq!(states(&format!("pipe(task(1), farm({workers}, 1), task(1));")), 4 * 3_usize.pow(workers));
    }
}

#[test]
fn two_deals_read_literally_deadlock() {
    for (first, second) in [(3, 3), (3, 4), (4, 3), (4, 4)] {
        let stages = tree(&format!("pipe(task(1), deal({first}, 1), deal({second}, 1), task(1));"));
        let corrected = Program::new(stages, 1);
        let literal = corrected.clone().with_reading(Reading::Literal);
        assert!(classify(&corrected.explore().expect("a space")).is_irreducible());
        let space = literal.explore().expect("a space");
        let classes = classify(&space);
        assert_eq!(classes.deadlocks.len(), 1, "{first} {second}");
        assert!(matches!(literal.performance(), Err(Error::NotIrreducible(_))));
        // The checker finds it in the text too, and says how one gets there.
        let printed = literal.lower().expect("a model");
        let parsed = skel::text::parse(&format!("// skel: check(deadlock_free)\n{printed}"));
        assert!(parsed.model.is_none());
        let messages: Vec<&str> = parsed.diagnostics.iter().map(|found| found.message.as_str()).collect();
        let state = space.display_state(classes.deadlocks[0] as usize);
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert!(messages[0].starts_with("the model deadlocks after `comp_0, move_0_1, "), "{messages:?}");
        assert!(messages[0].ends_with(&format!(", in the state `{state}`")), "{messages:?}");
    }
}
