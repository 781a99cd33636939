//! Rules from outside: what is read, what is refused and why, and what follows from conditions.

#[path = "../../tests/texts/rules.rs"]
mod laws;
#[path = "../../tests/texts/mutation.rs"]
mod mutation;
#[path = "../../tests/texts/places.rs"]
mod places;

use std::path::Path;

use proptest::prelude::*;
use skel_core::diagnostic::line_and_column;
use skel_manage::rule::{Condition, Facts, Measure, Rule, RuleErrors, Rules, Then};

/// A place, its text, the code, the message and the help of each finding.
fn shown(errors: &RuleErrors) -> String {
    let text = errors.text();
    let show = |found: &skel_core::diagnostic::Diagnostic<_>| {
        let excerpt = |span: skel_core::diagnostic::TextSpan| {
            let (line, column) = line_and_column(text, span.start);
            format!("{line}:{column} {:?}", &text[span.start..span.end])
        };
        let related: String =
            found.related.iter().map(|(span, label)| format!("    {label}: {}\n", excerpt(*span))).collect();
        let help = found.help.as_ref().map(|help| format!("    help: {help}\n")).unwrap_or_default();
        format!("{} {}\n    {}\n{related}{help}", found.code.word(), excerpt(found.span), found.message)
    };
    errors.diagnostics().iter().map(show).collect()
}

#[test]
fn every_bad_file_is_refused_with_its_reasons() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_rules");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).collect();
    files.sort();
    assert!(files.len() >= 12);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("bad_rules");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let errors = Rules::predefined().with_toml(&text).unwrap_err();
            insta::assert_snapshot!(file.file_stem().unwrap().to_str().unwrap(), shown(&errors));
        }
    });
}

#[test]
fn a_condition_has_a_length() {
    let errors = Condition::parse(&"can_grow and ".repeat(2_000)).unwrap_err();
    assert_eq!(
        errors.to_string(),
        "1:1: a condition of 26000 bytes; the most is 16384; help: say it in several rules"
    );
}

/// Values of measures; those that are not named are not known.
struct Known<'k>(&'k [(Measure, f64)]);

impl Facts for Known<'_> {
    fn value(&self, measure: Measure) -> f64 {
        self.0.iter().find(|(known, _)| *known == measure).map_or(f64::NAN, |(_, value)| *value)
    }
}

fn holds(condition: &str, known: &[(Measure, f64)]) -> bool {
    Condition::parse(condition).unwrap_or_else(|errors| panic!("{errors}")).holds(&Known(known))
}

#[test]
fn conditions_compute_as_they_are_written() {
    let facts = [
        (Measure::ServiceTime, 0.013),
        (Measure::Queue, 7.0),
        (Measure::Workers, 4.0),
        (Measure::WorkerTime, 0.04),
        (Measure::TimeLeft, f64::INFINITY),
        (Measure::CanGrow, 1.0),
        (Measure::IsMap, 0.0),
    ];
    let true_ones = [
        "service_time == 13 ms and service_time == 0.013s and service_time > 12999us and service_time < 13000001ns",
        "worker_time / workers == 10ms and worker_time * queue == 280 ms",
        "1 - 2 - 3 == -4 and 12 / 2 / 3 == 2 and 2 + 3 * 4 == 14 and (2 + 3) * 4 == 20 and - -3 == 3",
        "max(queue, workers, 3) == 7 and min(queue, workers) == 4 and 50% == 0.5",
        "time_left > 1 h and time_left > 90 min and not time_left < 5 s",
        "can_grow and not is_map and not (is_map or queue < 3) and not not can_grow",
        "is_map or can_grow and queue == 7",
        "queue != 8 and 3 / service_time > 200 / 1 s",
        "variation > 1 or can_grow",
    ];
    for condition in true_ones {
        assert!(holds(condition, &facts), "{condition}");
    }
    let not_true = [
        "variation > 1",
        "not variation > 1",
        "variation > 1 and can_grow",
        "max(variation, 9) > 1",
        "not (variation > 1 or is_map)",
        "time_left - time_left == 0 s",
        "not time_left - time_left == 0 s",
        "faster_processor",
        "not faster_processor",
        "variation == variation",
    ];
    for condition in not_true {
        assert!(!holds(condition, &facts), "{condition}");
    }
}

#[test]
fn the_predefined_rules_are_right_and_read_as_they_print() {
    let rules = Rules::predefined();
    assert_eq!(rules.rules().len(), 6);
    assert_eq!(Rules::none().with_toml(&rules.to_toml()).unwrap(), rules);
    assert_eq!(Rules::none().with(rules.rules().to_vec()).unwrap(), rules);
}

#[test]
fn a_rule_takes_the_place_of_others() {
    let rule =
        |name: &str, priority| Rule::new(name, priority, "service_time > 2 * limit", Then::Add(2)).unwrap();
    let names = |rules: &Rules| -> Vec<(String, i32)> {
        rules.rules().iter().map(|rule| (rule.name.clone(), rule.priority)).collect()
    };
    let before = names(&Rules::predefined());
    let renamed = Rules::predefined().with([rule("grow", 104)]).unwrap();
    assert_eq!(renamed.rules().iter().find(|rule| rule.name == "grow").unwrap().then, Then::Add(2));
    assert_eq!(renamed.rules().len(), before.len());

    let chain = [rule("a", 104).overriding("b"), rule("b", 103).overriding("nest").overriding("shrink")];
    let left = names(&Rules::predefined().with(chain).unwrap());
    let left: Vec<&str> = left.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(left, ["repartition", "migrate", "a", "grow", "violate"]);
}

#[test]
fn rules_of_different_stages_do_not_meet() {
    let rule = |name, then, stage| Rule::new(name, 10, "queue > 10", then).unwrap().at(stage);
    let apart = [rule("more", Then::Add(1), "read"), rule("fewer", Then::Remove(1), "write")];
    assert!(Rules::none().with(apart).is_ok());
    let at_one = [rule("more", Then::Add(1), "read"), rule("fewer", Then::Remove(1), "read")];
    let errors = Rules::none().with(at_one).unwrap_err();
    assert_eq!(errors.diagnostics()[0].code.word(), "rule_conflict", "{errors}");
}

#[test]
fn a_rule_behind_a_wider_one_may_have_something_to_do() {
    let rule = |name, priority, when, then| Rule::new(name, priority, when, then).unwrap();
    let wide = |then| rule("wide", 20, "queue > 10", then);
    let narrow = |then| rule("narrow", 10, "queue > 20", then);
    // The wide one reports once, or cannot add at the stage where it fires first.
    for (first, second) in [
        (Then::Report("long".into()), Then::Add(1)),
        (Then::Report("long".into()), Then::Report("very long".into())),
        (Then::Grow, Then::Violate),
        (Then::Add(1), Then::Add(1)),
        (Then::Batch(8), Then::Batch(16)),
    ] {
        assert!(Rules::none().with([wide(first), narrow(second)]).is_ok());
    }
    for then in [Then::Grow, Then::Shrink, Then::Violate, Then::Batch(8), Then::Buffers(8)] {
        assert!(Rules::none().with([wide(then.clone()), narrow(then)]).is_err());
    }
    let at = |stage| [wide(Then::Add(1)).at("read"), narrow(Then::Add(2)).at(stage)];
    assert!(Rules::none().with(at("read")).is_err());
    assert!(Rules::none().with(at("write")).is_ok());
}

#[test]
fn a_rule_that_asks_for_something_unknown_does_not_stand_before_another() {
    let rule = |name, priority, when| Rule::new(name, priority, when, Then::Add(1)).unwrap();
    // Where the imbalance is not known, the first does not fire, although an imbalance is never below 1.
    let rules = [rule("any", 20, "queue > 10 and imbalance >= 1"), rule("long", 10, "queue > 10")];
    assert!(Rules::none().with(rules).is_ok());
    let rules = [rule("any", 20, "queue > 10 and workers >= 1"), rule("long", 10, "queue > 10")];
    assert!(Rules::none().with(rules).is_err());
}

/// A farm behind a task by the formula of the paper: `T = max(T_S, T_W / n, T_C)`, seen at the farm or at the
/// task in front.
struct Farm {
    dispatch: f64,
    worker: f64,
    collect: f64,
    workers: f64,
    contract: f64,
    is_faster_processor_free: bool,
    at_the_farm: bool,
}

impl Facts for Farm {
    fn value(&self, measure: Measure) -> f64 {
        let yes = |answer: bool| if answer { 1.0 } else { 0.0 };
        let farm = self.worker / self.workers;
        let slowest = self.dispatch.max(farm).max(self.collect);
        match measure {
            Measure::ServiceTime | Measure::Predicted | Measure::SlowestTime => slowest,
            Measure::Contract => self.contract,
            Measure::Limit => self.contract * 1.05,
            Measure::StageTime if self.at_the_farm => farm,
            Measure::StageTime => self.dispatch,
            Measure::DispatchTime if self.at_the_farm => self.dispatch,
            Measure::CollectTime if self.at_the_farm => self.collect,
            Measure::CollectTime => farm,
            Measure::WorkerTime if self.at_the_farm => self.worker,
            Measure::WorkerTime => self.dispatch,
            Measure::Workers if self.at_the_farm => self.workers,
            Measure::Workers | Measure::Imbalance => 1.0,
            Measure::PredictedWithFewer if self.at_the_farm && self.workers > 1.0 => {
                slowest.max(self.worker / (self.workers - 1.0))
            }
            Measure::Services => 1000.0,
            Measure::CanGrow => yes(self.at_the_farm),
            Measure::FasterProcessor => yes(self.is_faster_processor_free),
            Measure::ArrivalTime | Measure::OutputTime | Measure::DispatchTime => 0.0,
            Measure::IsMap => 0.0,
            _ => f64::NAN,
        }
    }
}

/// The name of the first rule that fires, at the farm or at the task in front of it.
fn fires(rules: &Rules, farm: &mut Farm) -> Option<String> {
    rules.rules().iter().find_map(|rule| {
        let at = |at_the_farm: bool, farm: &mut Farm| {
            farm.at_the_farm = at_the_farm;
            rule.when.holds(farm)
        };
        (at(true, farm) || at(false, farm)).then(|| rule.name.clone())
    })
}

/// The rules as the paper prints them: it compares `T_W` where the term of the formula is `T_W / n`, and
/// migrates workers for a bottleneck in front of them.
fn as_the_paper_prints_them() -> Rules {
    let rules = r#"
        [[rule]]
        name = "more"
        priority = 30
        when = "service_time > limit and worker_time > dispatch_time and can_grow"
        then = "add 1"
        [[rule]]
        name = "migrate_workers"
        priority = 20
        when = "service_time > limit and worker_time <= dispatch_time and faster_processor and can_grow"
        then = "migrate"
        [[rule]]
        name = "violate"
        priority = 10
        when = "service_time > limit"
        then = "violate"
    "#;
    Rules::none().with_toml(rules).unwrap()
}

#[test]
fn the_papers_first_fault_adds_workers_for_ever() {
    // Dispatch takes 0.5 s, and the contract is 0.45 s: no number of workers keeps it.
    let farm = |workers: f64| Farm {
        dispatch: 0.5,
        worker: 4.0,
        collect: 0.1,
        workers,
        contract: 0.45,
        is_faster_processor_free: false,
        at_the_farm: true,
    };
    for workers in 8..200 {
        let farm = || farm(f64::from(workers));
        assert_eq!(fires(&as_the_paper_prints_them(), &mut farm()).as_deref(), Some("more"), "{workers}");
        let expected = if workers == 8 { "grow" } else { "violate" };
        assert_eq!(fires(&Rules::predefined(), &mut farm()).as_deref(), Some(expected), "{workers}");
    }
    // Where the workers are the largest term, both ask for more.
    assert_eq!(fires(&Rules::predefined(), &mut farm(4.0)).as_deref(), Some("grow"));
}

#[test]
fn the_papers_second_fault_migrates_workers_for_a_bottleneck_in_front() {
    let mut farm = Farm {
        dispatch: 0.5,
        worker: 0.4,
        collect: 0.1,
        workers: 1.0,
        contract: 0.45,
        is_faster_processor_free: true,
        at_the_farm: true,
    };
    let paper = as_the_paper_prints_them();
    let migrate = paper.rules().iter().find(|rule| rule.name == "migrate_workers").unwrap();
    assert!(migrate.when.holds(&farm), "it moves the workers");
    // Faster workers do not change the service time; a faster task in front does.
    let service_time = |farm: &Farm| farm.value(Measure::ServiceTime);
    let faster_workers = Farm { worker: 0.2, ..farm };
    assert_eq!(service_time(&faster_workers), service_time(&farm));
    assert!(migrate.when.holds(&faster_workers), "and it goes on");

    let migrate = Rules::predefined().rules().iter().find(|rule| rule.name == "migrate").unwrap().clone();
    assert!(!migrate.when.holds(&farm), "not at the workers");
    farm.at_the_farm = false;
    assert!(migrate.when.holds(&farm), "but at the task in front");
    assert!(service_time(&Farm { dispatch: 0.25, ..farm }) < 0.45);
    assert_eq!(fires(&Rules::predefined(), &mut farm).as_deref(), Some("migrate"));
}

#[test]
fn shrinking_waits_for_a_margin() {
    let farm = |workers: f64, contract: f64| Farm {
        dispatch: 0.1,
        worker: 4.0,
        collect: 0.1,
        workers,
        contract,
        is_faster_processor_free: false,
        at_the_farm: true,
    };
    // With 7 workers it is 0.571: 4.8 % under a contract of 0.6, and 1.5 % under one of 0.58.
    assert_eq!(fires(&Rules::predefined(), &mut farm(8.0, 0.6)).as_deref(), Some("shrink"));
    assert_eq!(fires(&Rules::predefined(), &mut farm(8.0, 0.58)), None);
    assert_eq!(fires(&Rules::predefined(), &mut farm(1.0, 5.0)), None);
}

#[test]
fn reasoning_ends_in_time() {
    // Each is a shape of which the work grows exponentially without a bound.
    let nested = (0..9).fold("queue".to_owned(), |inner, _| format!("max({inner}, min({inner}, services))"));
    assert!(nested.len() < 16_000);
    let unequal: Vec<String> = (0..60).map(|number| format!("queue != {number}")).collect();
    let product = vec!["(queue + services + workers + busy)"; 200].join(" * ");
    let choice: Vec<String> =
        (0..100).map(|number| format!("(queue > {number} or busy < 0.{number})")).collect();
    let deep = (0..20).fold("queue > 1".to_owned(), |inner, _| format!("not ({inner})"));
    let many_arguments = format!("max({}) > 3", vec!["queue"; 2_000].join(", "));
    let powers = format!("1 / (queue + {}) > 1", vec!["services"; 1_400].join(" * "));
    for when in [
        format!("{nested} > 3"),
        unequal.join(" and "),
        format!("{product} > 3"),
        choice.join(" and "),
        deep,
        many_arguments,
        powers,
    ] {
        let rules = |priority| Rule::new(format!("rule {priority}"), priority, &when, Then::Add(1)).unwrap();
        let _ = Rules::predefined().with([rules(200), rules(201)]);
    }
    let too_many =
        (0..2_000).map(|number| Rule::new(format!("{number}"), number, "queue > 1", Then::Grow).unwrap());
    let errors = Rules::none().with(too_many).unwrap_err();
    assert_eq!(errors.to_string(), "a set of 2000 rules; the most is 1000");
    let many = (0..300).map(|number| {
        Rule::new(
            format!("{number}"),
            number,
            &format!("queue > {number} and busy < 0.5 and {number} < services"),
            Then::Add(1),
        )
        .unwrap()
    });
    let _ = Rules::predefined().with(many);
}

const WORDS: [&str; 44] = [
    "service_time",
    "limit",
    "queue",
    "workers",
    "busy",
    "can_grow",
    "is_map",
    "time_left",
    "servce",
    "and",
    "or",
    "not",
    "max(",
    "min(",
    "(",
    ")",
    ",",
    "<",
    "<=",
    ">",
    ">=",
    "==",
    "!=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "12",
    "0.5",
    "1e3",
    "0",
    "ms",
    " s",
    " us",
    "=",
    "&&",
    "é",
    "\"",
    "\t",
    "'",
    "\\",
    "5 %",
    "1e999",
];

const FILE: [&str; 24] = [
    "[[rule]]\n",
    "[rule]\n",
    "name = \"a\"\n",
    "name = 'b'\n",
    "priority = 10\n",
    "priority = 11\n",
    "when = \"queue > 10\"\n",
    "when = 'busy < 5%'\n",
    "when = \"\"\"queue\n > 1\"\"\"\n",
    "when = \"\\u0071ueue > x\"\n",
    "then = \"add 1\"\n",
    "then = 'remove 2'\n",
    "then = 'grow'\n",
    "stage = 'x'\n",
    "overrides = ['a']\n",
    "overrides = ['grow', 'b']\n",
    "overrides = 1\n",
    "= ",
    "[",
    "'",
    "\"",
    "é",
    "\n",
    "then = 'report \"x\"'\n",
];

fn pieces(of: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(of), 0..24).prop_map(|words| words.concat())
}

/// Conditions over a few measures with small numbers.
fn condition() -> impl Strategy<Value = String> {
    let quantity = prop::sample::select(vec![
        "queue",
        "workers",
        "all_workers",
        "busy",
        "variation",
        "queue - workers",
        "2 * queue",
        "max(queue, workers)",
        "min(busy, variation)",
        "queue / workers",
        "queue * busy",
        "workers / queue",
        "time_left / 1 s",
        "1",
        "2",
        "0.5",
        "variation / variation",
    ]);
    let sign = prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]);
    let leaf = prop_oneof![
        4 => (quantity.clone(), sign, quantity).prop_map(|(left, sign, right)| format!("{left} {sign} {right}")),
        1 => prop::sample::select(vec!["can_grow", "not can_grow"]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one} and {other})")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one} or {other})")),
            inner.prop_map(|one| format!("not ({one})")),
        ]
    })
}

/// Facts within the known ranges, some of them unknown or infinite.
fn all_facts() -> Vec<Vec<(Measure, f64)>> {
    let mut all = Vec::new();
    for queue in [0.0, 0.5, 1.0, 2.0, 3.0, f64::NAN] {
        for (workers, all_workers) in [(1.0, 1.0), (1.0, 2.0), (2.0, 2.0), (3.0, 5.0)] {
            for busy in [0.0, 0.5, 0.75, 1.0, f64::NAN] {
                for variation in [0.0, 0.5, 2.0, f64::NAN] {
                    for time_left in [0.0, 1.5, f64::INFINITY] {
                        let can_grow = f64::from((queue + workers) as u8 % 2);
                        all.push(vec![
                            (Measure::Queue, queue),
                            (Measure::Workers, workers),
                            (Measure::AllWorkers, all_workers),
                            (Measure::Busy, busy),
                            (Measure::Variation, variation),
                            (Measure::TimeLeft, time_left),
                            (Measure::CanGrow, can_grow),
                        ]);
                    }
                }
            }
        }
    }
    all
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_of_conditions_panic(text in pieces(&WORDS)) {
        if let Err(errors) = Condition::parse(&text) {
            places::are_within(errors.diagnostics(), &text);
        }
    }

    #[test]
    fn no_text_makes_the_reader_of_rules_panic(text in pieces(&FILE)) {
        laws::is_lawful(&text);
    }

    #[test]
    fn no_change_of_a_file_makes_the_reader_panic(
        text in mutation::mutated(&["tests/bad_rules"], "toml", include_str!("../../tests/texts/rules.dict"))
    ) {
        laws::is_lawful(&text);
    }

    #[test]
    fn no_action_makes_the_reader_panic(text in "(add|nest|report|batch|grow)?[ \"0-9a-z\t]{0,12}") {
        match Then::parse(&text) {
            Ok(then) => prop_assert_eq!(Then::parse(&then.to_string()).unwrap(), then),
            Err(errors) => places::are_within(errors.diagnostics(), &text),
        }
    }

    /// A rule that is said never to fire does not fire with any of these facts, one that is said to stand
    /// before another fires wherever the other does, and an example of a conflict is one.
    #[test]
    fn what_follows_from_conditions_holds_of_facts(one in condition(), other in condition()) {
        let rule = |name, priority, when: &str, then| Rule::new(name, priority, when, then).unwrap();
        let (first, second) = (rule("first", 2, &one, Then::Grow), rule("second", 1, &other, Then::Grow));
        let Err(errors) = Rules::none().with([first.clone(), second.clone()]) else { return Ok(()) };
        for found in errors.diagnostics() {
            for facts in all_facts() {
                let (fires, would) = (first.when.holds(&Known(&facts)), second.when.holds(&Known(&facts)));
                let is_right = match found.message.split_once(' ').unwrap() {
                    ("`first`", message) if message.starts_with("can never fire") => !fires,
                    ("`second`", message) if message.starts_with("can never fire") => !would,
                    _ => fires || !would,
                };
                prop_assert!(is_right, "{found}, with {facts:?}");
            }
        }
    }
}
