//! Descriptions: what is written back reads as the same, both forms say the same, and no text at all makes a
//! reader panic.

#[path = "../../tests/texts/description.rs"]
mod description;
#[path = "../../tests/texts/places.rs"]
mod places;

use proptest::prelude::*;
use skel_core::diagnostic::{Diagnostic, TextSpan};
use skel_core::number::ratio;
use skel_core::skeleton::text::parse as parse_skeleton;
use skel_core::skeleton::{erlang, exponential, fitted, hyperexponential, phases};
use skel_core::time::{TimeUnits, mean};
use skel_plan::description::{missing_mappings, parse, parse_toml};
use skel_plan::{
    Application, Bandwidth, Data, Description, Links, Mapping, Platform, Power, Processor, Stage, Work,
};

/// Both forms of one description.
const DES: &str = "
    type = pipeline; nbproc = 2; nbstage = 2;
    % a note
    cp2 = 5; cp1 = 5/2;                       // any order
    nl1-1 = 1e4; nl1-2 = 8; nl2-1 = 8; nl2-2 = 10000;
    w1 = 1/3; w2 = 2; ds3 = 0.25; ds1 = 100; ds2 = 5;
    mappings = [1, (1,1), 1], [1, (1,2), 1];
    throughput";
const TOML: &str = "
    type = 'pipeline'
    output = 0.25
    processor = [{ power = 10, availability = 0.25 }, { power = 5 }]
    links = { all = 8, within = 1e4 }
    stage = [{ work = 0.5, data = 100 }, { work = 2, data = 5 }]
    mapping = [{ stages = [1, 1] }, { stages = [1, 2], output = 1 }]";

#[test]
fn both_forms_say_the_same() {
    let des = Description::from_text(&DES.replace("1/3", "1/2")).unwrap();
    let toml = Description::from_toml(TOML).unwrap();
    assert_eq!(des, toml);
    assert_eq!(toml.mappings()[1].to_string(), "[1, (1,2), 1]");
}

/// Both forms of one description of a skeleton.
const SKELETON_DES: &str = "
    type = skeleton; nbproc = 2;
    cp1 = 5/2; cp2 = 5; nl1-1 = 1e4; nl1-2 = 8; nl2-1 = 8; nl2-2 = 10000;
    skeleton = {
        pipe(3);                                  // a comment with a } in it
        task(\"read\", 1.0);
        deal(2); pipe(2); task(1/3); task(\"a } b\", 2);
        task(\"write\", 4);
    };
    ds = 100; ds1-2 = 10; ds5-6 = 0.5;
    mappings = (1,1,1,2,2,1), (1,1,1,1,1,1);
    throughput";
const SKELETON_TOML: &str = r#"
    processor = [{ power = 10, availability = 0.25 }, { power = 5 }]
    links = { all = 8, within = 1e4 }
    skeleton = """
        pipe(task(read, 1), deal(2, pipe(task(1/3), task("a } b", 2))), task(write, 4))"""
    moves = { all = 100, "1-2" = 10, "5 - 6" = 0.5 }
    mapping = [{ tasks = [1, 1, 1, 2, 2, 1] }, { stages = [1, 1, 1, 1, 1, 1] }]"#;

#[test]
fn both_forms_say_the_same_of_a_skeleton() {
    let des = Description::from_text(SKELETON_DES).unwrap();
    let toml = Description::from_toml(SKELETON_TOML).unwrap();
    assert_eq!(des, toml);
    assert_eq!(Description::from_text(&des.to_string()).unwrap(), des);
    let application = des.application();
    let mappings: Vec<String> =
        des.mappings().iter().map(|mapping| application.mapping_text(mapping)).collect();
    assert_eq!(mappings, ["(1,1,1,2,2,1)", "(1,1,1,1,1,1)"]);
    assert_eq!([0, 1, 2, 5].map(|task| application.name(task)), ["read", "task", "a } b", "write"]);
}

/// Times of stages in both forms, one of each kind, and what Rust says of them.
#[test]
fn both_forms_say_the_same_of_times() {
    let times = [
        "erlang(4, 2)",
        "fitted(2, 0.3)",
        "hyperexponential([1/4, 3/4], [1, 3])",
        "phases([1, 0], [[-0.02, 0.01], [0, -3]])",
        "exponential(1/3)",
        "erlang(3, 12ms)",
    ];
    let machine = "nbproc = 1; cp1 = 3; nl1-1 = 7;";
    let work: Vec<String> =
        (1..).zip(times).map(|(stage, time)| format!("w{stage} = {time}; ds{stage} = 1;")).collect();
    let des = format!("type = pipeline; {machine} nbstage = 6; ds7 = 1; {}", work.join("\n"));
    let stages: Vec<String> = times.iter().map(|time| format!("{{ work = \"{time}\", data = 1 }}")).collect();
    let toml = format!(
        "output = 1\nprocessor = [{{ power = 3 }}]\nlinks = {{ all = 7 }}\nstage = [{}]",
        stages.join(", ")
    );
    let description = Description::from_text(&des).unwrap();
    assert_eq!(Description::from_toml(&toml).unwrap(), description);
    assert_eq!(Description::from_text(&description.to_string()).unwrap(), description);
    assert!(description.to_string().contains("w1 = erlang(4, 2.0); ds1 = 1;\n"), "{description}");
    assert!(description.to_string().contains("w5 = 3; ds5 = 1;\n"), "an exponential time is its work");
    let rust = [
        erlang(4, mean(2)),
        fitted(mean(2), 0.3),
        hyperexponential([0.25, 0.75], [1, 3]),
        phases([1, 0], [[-0.02, 0.01], [0.0, -3.0]]),
        exponential(ratio(1, 3)),
        erlang(3, 12.ms()),
    ];
    let application = Application::pipeline(rust.map(Stage::taking), Data::bytes(1)).unwrap();
    assert_eq!(*description.application(), application);
    // A number is an exponential time, and nothing else is.
    let numbers = Application::pipeline((0..6).map(|_| Stage::new(Work::units(2))), Data::bytes(1)).unwrap();
    assert_ne!(*description.application(), numbers);
}

/// A skeleton keeps its times in a description.
#[test]
fn times_of_a_skeleton_are_kept() {
    let text = "type = skeleton; nbproc = 1; cp1 = 3; nl1-1 = 7; ds = 1; mappings = (1,1,1);
                skeleton = { pipe(task(erlang(4, 2)), farm(2, \"work\", phases([1/2, 1/2], [[-2, 1], [0, -3]]))); };";
    let description = Description::from_text(text).unwrap();
    assert_eq!(Description::from_text(&description.to_string()).unwrap(), description);
    let toml = "processor = [{ power = 3 }]\nlinks = { all = 7 }\nmoves = { all = 1 }\nmapping = [{ tasks = [1, 1, 1] }]
        skeleton = 'pipe(task(erlang(4, 2)), farm(2, \"work\", phases([1/2, 1/2], [[-2, 1], [0, -3]])));'";
    assert_eq!(Description::from_toml(toml).unwrap(), description);
    let exponential = text.replace("erlang(4, 2)", "0.5");
    assert_ne!(Description::from_text(&exponential).unwrap(), description);
}

/// A time has its place in a string of TOML, and the string itself is shown if it has escapes.
#[test]
fn findings_in_a_time_have_their_places_in_the_file() {
    let found = |work: &str| {
        let text = format!(
            "output = 1\nprocessor = [{{ power = 3 }}]\nlinks = {{ all = 7 }}\nstage = [{{ work = {work}, data = 1 }}]"
        );
        let found = parse_toml(&text).diagnostics;
        excerpts(&text, &found)
    };
    let pair = |message: &str, excerpt: &str| vec![(message.to_owned(), excerpt.to_owned())];
    assert_eq!(found("'erlang(0, 2)'"), pair("the Erlang time of stage 1 has 0 phases", "0"));
    assert_eq!(found("'fast'"), pair("`fast` is not a distribution", "'fast'"));
    assert_eq!(found("''"), pair("`` is not a distribution", "''"));
    assert_eq!(found("'erlang(4, 2'"), pair("expected `)`, found the end of the time", ""));
    assert_eq!(found("'erlang(4, 2) 3'"), pair("expected nothing more, found the number `3`", "3"));
    assert_eq!(found("'erlang(4, §)'")[0].1, "§");
    assert_eq!(
        found("\"erlang(0,\\t2)\""),
        pair("the Erlang time of stage 1 has 0 phases", "\"erlang(0,\\t2)\"")
    );
    let message = "the time of stage 1 is `deterministic(2.0)`, which a Markov chain cannot have";
    assert_eq!(found("'deterministic(2)'"), pair(message, "deterministic(2)"));
}

/// The sizes and rates of a file are those of the library.
#[test]
fn a_file_is_what_rust_says() {
    let tree = parse_skeleton("pipe(2); task(4); farm(2, 0.5);").into_tree().unwrap();
    let size = |_, to| Data::bytes(if to == 1 { 10 } else { 100 });
    let application = Application::skeleton(&tree, size).unwrap();
    let text = "type = skeleton; nbproc = 1; cp1 = 3; nl1-1 = 7; mappings = (1,1,1);
                skeleton = { pipe(2); task(4); farm(2, 0.5); }; ds = 100; ds1-2 = 10;";
    let links = Links::everywhere(Bandwidth::bytes_per_second(7));
    let platform = Platform::new([Processor::new(Power::per_second(3))], &links).unwrap();
    let expected = Description::new(platform, application, vec![Mapping::new([1, 1, 1])]);
    assert_eq!(Description::from_text(text).unwrap(), expected);
}

/// What is found, with the text at fault.
fn excerpts(text: &str, found: &[Diagnostic<TextSpan>]) -> Vec<(String, String)> {
    let excerpt = |span: TextSpan| text[span.start..span.end].to_owned();
    found.iter().map(|one| (one.message.clone(), excerpt(one.span))).collect()
}

#[test]
fn findings_in_a_skeleton_have_their_places_in_the_file() {
    for program in [
        "pipe(3);\n  task(\"rëad\", 0);\n  fram(2, 1);\n  task(-1);",
        "pipe(4); task(1);\n\nfarm(0, 3);\nfarm(2, pipe(task(1), task(0)));",
        "pipe(2); task(1.0) task(2.0); task(infty);",
        "/* é */ task(1/0)",
        "deal(2, 1, 3); // nothing",
    ] {
        let alone = excerpts(program, &parse_skeleton(program).diagnostics);
        assert!(!alone.is_empty(), "{program}");
        for text in [
            format!(
                "type = skeleton; // é\nnbproc = 1; cp1 = 1; nl1-1 = 1;\nskeleton = {{ {program}\n}};\nds = 1;"
            ),
            format!("type = skeleton;\nds = 1; mappings = (1,1);\n\nskeleton={{{program}\n}}"),
        ] {
            let found = parse(&text).diagnostics;
            let inside: Vec<_> =
                found.into_iter().filter(|one| !one.message.starts_with("the description has no")).collect();
            assert_eq!(excerpts(&text, &inside), alone, "{text}");
        }
        let literal = format!("# é\nskeleton = '''\n{program}'''\n");
        assert_eq!(excerpts(&literal, &parse_toml(&literal).diagnostics), alone);
        // With an escape in it a string is shown as a whole.
        let escaped = format!("skeleton = {:?}", format!("// \"\n{program}"));
        let whole: Vec<_> =
            alone.iter().map(|(message, _)| (message.clone(), escaped[11..].to_owned())).collect();
        assert_eq!(excerpts(&escaped, &parse_toml(&escaped).diagnostics), whole);
    }
}

#[test]
fn fractions_are_kept() {
    let description = Description::from_text(DES).unwrap();
    let text = description.to_string();
    assert!(text.contains("cp1 = 2.5;") && text.contains("w1 = 1/3;"), "{text}");
    assert_eq!(Description::from_text(&text).unwrap(), description);
}

#[test]
fn every_finding_has_its_place() {
    let parsed = parse("type = pipeline;\nnbproc = 1; cp1 = -3;\nnbstage = 1; w1 = 1; ds1 = 1; ds2 = 1;");
    assert!(parsed.contents.is_none() && missing_mappings(&parsed).is_none());
    let rejected = parsed.into_contents().unwrap_err();
    assert_eq!(rejected.to_string(), "2:19: `cp1` is -3; help: it must be above 0 and finite");
}

/// What is longer could not be written so that it is read again.
#[test]
fn quantities_of_too_many_digits_are_refused() {
    let long = format!("1.{}e-300/3", "7".repeat(340));
    let parsed = parse(&DES.replace("1/3", &long));
    let rejected = parsed.into_contents().unwrap_err();
    assert_eq!(rejected.to_string(), "6:10: `w1` has more than 2048 bits; help: write fewer digits");
}

#[test]
fn an_output_is_called_so_behind_any_number_of_stages() {
    for (text, message) in [
        ("output = 0".to_owned(), "the size of the output is 0"),
        (
            format!("output = 0\n{}", "[[stage]]\nwork = 1\ndata = 1\n".repeat(100)),
            "the size of the output is 0",
        ),
        ("output = 1\n[[stage]]\nwork = 1\ndata = 0".to_owned(), "the data of stage 1 is 0"),
    ] {
        let found = parse_toml(&text).diagnostics;
        assert!(found.iter().any(|found| found.message == message), "{found:?}");
    }
}

/// Long and deep texts, and how much is found in each.
#[test]
fn long_and_deep_descriptions_end_in_findings() {
    let many = 10_000;
    let of_skeleton = "type = skeleton; nbproc = 1; cp1 = 1; nl1-1 = 1;";
    let wide = vec![format!("({}1)", "1,".repeat(239)); 50].join(", ");
    let all_but_mappings = "type = pipeline; nbproc = 1; nbstage = 1; cp1 = 1; w1 = 1; ds1 = 1; ds2 = 1;";
    for (text, findings) in [
        ("w1 = 1; ".repeat(many), many - 1),
        ("nl1 = 1; ".repeat(many), many),
        ("[".repeat(many), 1),
        ("/*".repeat(many), 2),
        (format!("w1 = {};", "1".repeat(many)), 1),
        (format!("{all_but_mappings} mappings = [1, ({}1), 1];", "9, ".repeat(many)), many + 1),
        (format!("{all_but_mappings} mappings = {}[1, (1), 1];", "[1, (1), 1], ".repeat(many)), 1),
        (format!("{all_but_mappings} nl1-1 = 1; mappings = {}[1, (1), 1];", "[1, (1), 1], ".repeat(many)), 0),
        ("type = pipeline; nbproc = 18446744073709551615; nbstage = 18446744073709551615;".to_owned(), 2),
        ("{".repeat(many), 1),
        ("{};".repeat(many), many),
        ("skeleton = {".repeat(many), 1),
        ("skeleton = {}; ".repeat(many), 2 * many - 1),
        ("task(1); ".repeat(many), 1),
        ("ds1-2 = 1; ".repeat(many), many - 1),
        (format!("{of_skeleton} skeleton = {{ farm(447, 1)); }};"), 1),
        (
            format!(
                "{of_skeleton} skeleton = {{ pipe(2); farm(120, 1); farm(120, 1); }}; ds = 1; mappings = {wide};"
            ),
            0,
        ),
    ] {
        let parsed = parse(&text);
        assert_eq!(parsed.diagnostics.len(), findings, "{}", &text[..text.len().min(60)]);
        description::is_lawful(&parsed, &text);
    }
    let links = |key: &dyn Fn(usize) -> String| {
        format!("[links]\n{}", (0..many).map(|number| format!("'{}' = 1\n", key(number))).collect::<String>())
    };
    for (text, findings) in [
        (format!("output = {}", "[".repeat(many)), 1),
        (format!("output = {}", "{a=".repeat(many)), 1),
        (format!("[{}a]", "a.".repeat(many)), 1),
        (format!("output = {}", "1".repeat(many)), 1),
        ("[[processor]]\npower = 1\n".repeat(many), 2),
        (links(&|number| format!("1-{}", number + 1)), 2),
        (links(&|number| format!("x{number}")), many),
    ] {
        let parsed = parse_toml(&text);
        assert_eq!(parsed.diagnostics.len(), findings, "{}", &text[..text.len().min(60)]);
        description::is_lawful(&parsed, &text);
    }
}

fn any_description() -> impl Strategy<Value = Description> {
    let sizes = (1..=3_u32, 1..=3_usize);
    sizes.prop_flat_map(|(processors, stages)| {
        let figure = || prop_oneof![1..100_i64, 1..100_000_i64].prop_map(|value| value as f64 / 64.0);
        let mapping = prop::collection::vec(1..=processors, stages + 2);
        (
            prop::collection::vec(figure(), processors as usize),
            prop::collection::vec(figure(), (processors * processors) as usize),
            prop::collection::vec((figure(), figure(), 0..6_u32), stages),
            figure(),
            prop::collection::vec(mapping, 0..4),
        )
            .prop_map(move |(powers, links, stages, output, mappings)| {
                let rows = links.chunks(powers.len());
                let rows = rows.map(|row| row.iter().map(|&value| Bandwidth::bytes_per_second(value)));
                let links = Links::from_matrix(rows);
                let powers = powers.iter().map(|&power| Processor::new(Power::per_second(power)));
                let stages = stages
                    .iter()
                    .map(|&(work, data, shape)| stage_of(work, shape).receiving(Data::bytes(data)));
                let mappings = mappings.iter().map(|places| {
                    let (input, output) = (places[0], places[places.len() - 1]);
                    let stages = places[1..places.len() - 1].iter().copied();
                    Mapping::new(stages).with_input(input).with_output(output)
                });
                Description::new(
                    Platform::new(powers, &links).unwrap(),
                    Application::pipeline(stages, Data::bytes(output)).unwrap(),
                    mappings.collect(),
                )
            })
    })
}

/// A stage of this work; most have a time that is not exponential.
fn stage_of(work: f64, shape: u32) -> Stage {
    match shape {
        0 | 1 => Stage::new(Work::units(work)),
        2 => Stage::taking(erlang(3, mean(work))),
        3 => Stage::taking(fitted(mean(work), work.recip() + 0.1)),
        4 => Stage::taking(hyperexponential([ratio(1, 3), ratio(2, 3)], [work, 3.0])),
        _ => Stage::taking(phases([1.0, 0.0], [[-work, work / 2.0], [1.5, -7.0]])),
    }
}

/// The text of a stage of any skeleton with few tasks.
fn stage() -> impl Strategy<Value = String> {
    let task =
        (prop::option::of("[a-z%}/][a-z };]{0,3}"), 1..200_i64, 1..8_i64).prop_map(|(name, over, under)| {
            let name = name.map_or(String::new(), |name| format!("{name:?}, "));
            match under {
                1 => format!("task({name}erlang(2, {over}/7))"),
                2 => format!("task({name}phases([1/3, 2/3], [[-{over}, 1/2], [0, -1]]))"),
                _ => format!("task({name}{over}/{under})"),
            }
        });
    task.prop_recursive(3, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4)
                .prop_map(|stages| format!("pipe({})", stages.join(", "))),
            (prop::sample::select(&["deal", "farm"][..]), 1..4, inner)
                .prop_map(|(kind, replicas, worker)| format!("{kind}({replicas}, {worker})")),
        ]
    })
}

fn description_of_skeleton() -> impl Strategy<Value = Description> {
    let sizes = prop::collection::vec(1..1000_i64, 1..4);
    (stage(), sizes, 1..4_u32, prop::collection::vec(any::<u32>(), 0..40)).prop_map(
        |(text, sizes, processors, places)| {
            let tree = parse_skeleton(&text).into_tree().unwrap();
            let size = |from: usize, to: usize| Data::bytes(sizes[(from + to) % sizes.len()] as f64 / 8.0);
            let application = Application::skeleton(&tree, size).unwrap();
            let powers = (1..=processors).map(|power| Processor::new(Power::per_second(power)));
            let links = Links::everywhere(Bandwidth::bytes_per_second(8.5));
            let mappings = places.chunks_exact(application.task_count());
            let mappings = mappings.map(|hosts| Mapping::new(hosts.iter().map(|host| 1 + host % processors)));
            let mappings = mappings.collect();
            Description::new(Platform::new(powers, &links).unwrap(), application, mappings)
        },
    )
}

/// Pieces of descriptions in any order, so that texts are often nearly right.
fn pieces(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        9 => prop::sample::select(pieces).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

const OF_DES: &[&str] = &[
    "type",
    "=",
    "pipeline",
    ";",
    "nbproc",
    "nbstage",
    "cp",
    "cp1",
    "cp2",
    "nl1",
    "-",
    "1",
    "2",
    "3",
    "nl",
    "w1",
    "w",
    "ds1",
    "ds2",
    "mappings",
    "[",
    "(",
    ",",
    ")",
    "]",
    "throughput",
    " ",
    "\n",
    "0",
    "0.5",
    "1e9",
    "1e999",
    "//",
    "/*",
    "*/",
    "%",
    "\"",
    "'",
    "99999999999999999999999",
    "é",
    "/",
    "type = pipeline;",
    "nbproc = 2;",
    "nbstage = 1;",
    "cp1 = 1; cp2 = 3;",
    "nl1-1 = 1; nl1-2 = 1; nl2-1 = 1; nl2-2 = 1;",
    "w1 = 1;",
    "w1 = erlang(2, 1);",
    "w1 = fitted(2, 0.3);",
    "erlang(",
    "deterministic(2)",
    "phases([1, 0], [[-2, 2], [0, -3]])",
    "measured(\"times.csv\")",
    "12ms",
    "buffers(4);",
    "one_port;",
    "task(erlang(2, 1));",
    "ds1 = 1; ds2 = 1;",
    "mappings = [1, (2), 1];",
    "type = skeleton;",
    "skeleton = {",
    "}",
    "};",
    "{",
    "skeleton",
    "pipe(2);",
    "task(1);",
    "farm(2, \"a\", 0.5);",
    "deal(",
    "communication(1);",
    "ds = 1;",
    "ds1-2 = 3;",
    "mappings = (1,2);",
];
const OF_TOML: &[&str] = &[
    "type",
    " = ",
    "'pipeline'",
    "\n",
    "[[processor]]\n",
    "power = 1\n",
    "availability = 0.5\n",
    "[links]\n",
    "all = 1\n",
    "within = 2\n",
    "'1-2' = 3\n",
    "[[stage]]\n",
    "work = 1\n",
    "work = 'erlang(2, 1)'\n",
    "work = \"fitted(2, 0.3)\"\n",
    "work = 'erlang(2",
    "work = '",
    "data = 1\n",
    "output = 1\n",
    "[[mapping]]\n",
    "stages = [1]\n",
    "input = 1\n",
    "[",
    "]",
    "{",
    "}",
    ",",
    "nan",
    "-1",
    "1e999",
    "\"",
    "#",
    "é",
    "name = 'a'\n",
    "99999999999999999999999",
    "true",
    "1979-05-27",
    "skeleton = 'pipe(2); task(1); farm(2, 1);'\n",
    "skeleton = \"\"\"\n",
    "\"\"\"\n",
    "task(1);",
    "[moves]\n",
    "tasks = [1, 1, 1]\n",
];

proptest! {
    #[test]
    fn what_is_written_back_reads_as_the_same(description in any_description()) {
        let text = description.to_string();
        prop_assert_eq!(Description::from_text(&text).map_err(|error| error.to_string()), Ok(description));
    }

    #[test]
    fn skeletons_written_back_read_as_the_same(description in description_of_skeleton()) {
        let text = description.to_string();
        prop_assert_eq!(Description::from_text(&text).map_err(|error| error.to_string()), Ok(description));
    }

    #[test]
    fn no_text_makes_the_des_reader_panic(text in pieces(OF_DES)) {
        description::is_lawful(&parse(&text), &text);
    }

    #[test]
    fn no_text_makes_the_toml_reader_panic(text in pieces(OF_TOML)) {
        description::is_lawful(&parse_toml(&text), &text);
    }
}

#[test]
fn all_faults_of_a_toml_description_are_reported_together() {
    let text = "
        outptu = 1
        processor = [{ power = 'fast' }, { powr = 10 }]
        stage = 3
        moves = { '1:2' = 4 }
        mapping = [{ stages = [1, 'two'] }, {}]";
    let messages: Vec<String> =
        parse_toml(text).diagnostics.into_iter().map(|finding| finding.message).collect();
    assert_eq!(
        messages,
        [
            "a description has no key `outptu`",
            "the power of processor 1 cannot be read: `fast` is not a number",
            "a processor has no key `powr`",
            "`stage` is a whole number",
            "`1:2` is no move",
            "a processor is a text, not a whole number",
            "the mapping has no `stages`",
        ]
    );
}
