//! Descriptions: what is written back reads as the same, both forms say the same, and no text at all makes a reader panic.

#[path = "../../tests/texts/description.rs"]
mod description;
#[path = "../../tests/texts/places.rs"]
mod places;

use proptest::prelude::*;
use skel_plan::description::{parse, parse_toml};
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
    assert!(parsed.description.is_none() && parsed.without_search().is_none());
    let rejected = parsed.into_description().unwrap_err();
    assert_eq!(rejected.to_string(), "2:19: `cp1` is -3; help: it must be above 0 and finite");
}

/// What is longer could not be written so that it is read again.
#[test]
fn quantities_of_too_many_digits_are_refused() {
    let long = format!("1.{}e-300/3", "7".repeat(340));
    let parsed = parse(&DES.replace("1/3", &long));
    let rejected = parsed.into_description().unwrap_err();
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
            prop::collection::vec((figure(), figure()), stages),
            figure(),
            prop::collection::vec(mapping, 0..4),
        )
            .prop_map(move |(powers, links, stages, output, mappings)| {
                let rows = links.chunks(powers.len());
                let rows = rows.map(|row| row.iter().map(|&value| Bandwidth::bytes_per_second(value)));
                let links = Links::matrix(rows);
                let powers = powers.iter().map(|&power| Processor::new(Power::per_second(power)));
                let stages = stages
                    .iter()
                    .map(|&(work, data)| Stage::new(Work::units(work)).receiving(Data::bytes(data)));
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
    "ds1 = 1; ds2 = 1;",
    "mappings = [1, (2), 1];",
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
];

proptest! {
    #[test]
    fn what_is_written_back_reads_as_the_same(description in any_description()) {
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
