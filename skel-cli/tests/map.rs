//! `skel map` as a user runs it: the paper's figures, the forms of the answer, and every bad description.

mod support;

use std::process::Output;

use serde_json::{Value, json};
use support::{json as object, run_in};

fn map(arguments: &[&str], input: &str) -> Output {
    run_in("../models/mappings", &[&["map"], arguments].concat(), input)
}

fn printed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn every_bad_description_prints_its_diagnostics() {
    let folder = format!("{}/../tests/descriptions", env!("CARGO_MANIFEST_DIR"));
    let names = std::fs::read_dir(&folder).unwrap();
    let mut names: Vec<String> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert!(names.len() >= 73);
    for name in names {
        let output = run_in("../tests/descriptions", &["map", &name, "--color", "never"], "");
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(output.stdout.is_empty());
        insta::assert_snapshot!(name.replace('.', "_"), String::from_utf8(output.stderr).unwrap());
    }
}

#[test]
fn the_best_of_the_table_is_named() {
    let answer = object(&map(&["table51.des", "--json"], ""));
    let best =
        json!({ "input": 1, "stages": [1, 2, 3], "output": 3, "throughput": answer["best"]["throughput"] });
    assert_eq!(answer["best"], best);
    assert_eq!(answer["mappings"][0], best);
    assert_eq!((&answer["mappings"].as_array().unwrap().len(), &answer["ties"]), (&9, &json!(2)));
    let throughput = best["throughput"].as_f64().unwrap();
    assert!((throughput - 5.634_666_690_183_31).abs() < 1e-9);
    // Three equal stages, each busy a tenth of a second for each item.
    let resources = answer["why"][0]["resources"].as_array().unwrap();
    let first = resources.iter().find(|one| one["processor"] == 1).unwrap();
    assert!((first["utilisation"].as_f64().unwrap() - throughput / 10.0).abs() < 1e-9);
    // What brings most is first, and all together bring as much as the whole.
    let elasticities: Vec<f64> = resources.iter().map(|one| one["elasticity"].as_f64().unwrap()).collect();
    assert!(elasticities.is_sorted_by(|one, other| one >= other));
    assert!((elasticities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    assert_eq!(answer["why"][1]["mapping"]["stages"], json!([1, 2, 1]));
    assert_eq!(answer["search"], Value::Null);
}

#[test]
fn a_search_finds_what_the_list_has() {
    for file in ["table51.des", "data_size.toml"] {
        let listed = object(&map(&[file, "--json"], ""));
        let searched = object(&map(&[file, "--json", "--search", "--top", "1"], ""));
        let [listed_best, best] =
            [&listed, &searched].map(|answer| answer["best"]["throughput"].as_f64().unwrap());
        assert!((best / listed_best - 1.0).abs() < 1e-9, "{file}");
        assert_eq!(searched["mappings"].as_array().unwrap().len(), 1);
        assert_eq!((&searched["search"]["proved"], &searched["compared"]), (&json!(true), &json!(27)));
    }
    let ended = object(&map(&["table51.des", "--search", "--input", "1", "--output", "1", "--json"], ""));
    assert_eq!((&ended["best"]["input"], &ended["best"]["output"]), (&json!(1), &json!(1)));
    let hurried = map(&["table51.des", "--search", "--max-solutions", "1"], "");
    assert!(printed(&hurried).contains("searched: "));
}

#[test]
fn skeletons_are_mapped() {
    insta::assert_snapshot!("image_filter", printed(&map(&["image_filter.des"], "")));
    let found = printed(&map(&["image_filter.des", "--search", "--top", "1"], ""));
    assert!(found.contains("\nsearched: ") && found.contains("; no other mapping is among the best\n"));
    assert!(found.contains("\nbest: (1,1,2,3,4), 2.837113791 items per second"), "{found}");
    let answer = object(&map(&["image_filter.des", "--json"], ""));
    let best = json!({ "input": 1, "stages": [1, 2, 3, 4, 1], "output": 1, "throughput": answer["best"]["throughput"] });
    assert_eq!(answer["best"], best);
    assert_eq!(answer["why"][0]["bottleneck"]["with"], "task 4 (filter, 3 of 3)");
    let csv = printed(&map(&["image_filter.des", "--csv"], ""));
    assert_eq!(csv.lines().nth(1).unwrap().split(',').collect::<Vec<_>>()[..3], ["1", "1 2 3 4 1", "1"]);
}

/// Mapping is the same as giving `skel skeleton` the processors, and the rates that follow from links and
/// sizes.
#[test]
fn a_mapped_skeleton_is_as_fast_as_the_skeleton_on_its_processors() {
    let answer = object(&map(&["image_filter.des", "--json"], ""));
    let program = "pipe(3); task(2); farm(3, 0.2); task(4);";
    let rates = ["0-1=10", "0-2=1", "0-3=5", "1-4=50", "2-4=5", "3-4=25"];
    let rates = rates.iter().flat_map(|rate| ["--communication", rate]);
    let arguments = ["skeleton", "-", "--solve", "--json", "--on", "0,1,2,3,0", "--power", "10,10,10,4"];
    let arguments: Vec<&str> = arguments.into_iter().chain(rates).collect();
    let direct = object(&run_in("../models/mappings", &arguments, program));
    // The first task does each item once.
    let direct = direct["throughput"]["comp_0"]["value"].as_f64().unwrap();
    let mapped = answer["best"]["throughput"].as_f64().unwrap();
    assert!((mapped / direct - 1.0).abs() < 1e-9, "{mapped} {direct}");
}

#[test]
fn tasks_are_known_by_number_name_and_replica() {
    let text = "type = skeleton; nbproc = 2; cp1 = 1; cp2 = 1; ds = 1; mappings = (1,1,1,1,2,1,1,1);
        nl1-1 = 10; nl1-2 = 1/10; nl2-1 = 10;
        skeleton = { pipe(task(5), deal(2, pipe(task(split, 5), farm(2, filter, 5))), task(done, 9)) };";
    let text = printed(&map(&["-"], text));
    let tasks = "tasks: 1 task, 2 split, 3-4 filter, 5 split, 6-7 filter, 8 done";
    assert!(text.contains(&format!(": 1 mapping of 8 tasks to 2 processors\n{tasks}\n")), "{text}");
    let bottleneck = "link 1-2, busy with the items from task 1 (task) to task 5 (split, 2 of 2) for ";
    assert!(text.contains(&format!("\nbottleneck: {bottleneck}")), "{text}");
}

/// A name may hold anything, but a terminal is not told so.
#[test]
fn names_are_printable() {
    let text = "output = 1\nprocessor = [{ power = 1 }]\nlinks = { all = 100 }
        stage = [{ work = 1, data = 1, name = \"a\\u001b[2J\" }]\nmapping = [{ stages = [1] }]";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("named.toml");
    std::fs::write(&path, text).unwrap();
    let text = printed(&map(&[path.to_str().unwrap()], ""));
    assert!(
        text.contains("\nbottleneck: processor 1, busy with stage a\u{fffd}[2J for 98.04 % of the time\n"),
        "{text}"
    );
}

#[test]
fn values_separated_by_commas() {
    let text = printed(&map(&["data_size.toml", "--csv"], ""));
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0], ["input", "stages", "output", "throughput"]);
    assert_eq!(lines[1][..3], ["1", "1 1 3", "3"]);
    let throughputs: Vec<f64> = lines[1..].iter().map(|line| line[3].parse().unwrap()).collect();
    // Experiment 2 of the paper at a size of 200.
    assert!((throughputs[0] - 2.462_492_400_424_175).abs() < 1e-8);
    assert!((throughputs[1] - 2.267_625_122_175_173_8).abs() < 1e-8);
}

#[test]
fn text_for_people() {
    let text = printed(&map(&["data_size.toml"], ""));
    assert!(text.starts_with("data_size.toml: 2 mappings of 3 stages to 3 processors\n"));
    assert!(text.contains("\nbest: [1, (1,1,3), 3], 2.4624924 items per second\n"));
    assert!(text.contains("\nrunner-up: [1, (1,3,2), 2], which the best is ahead of by 8.59 %\n"));
    assert!(text.contains("\nbottleneck: processor 1, busy with stage 1 for 49.25 % of the time\n"));
    assert!(text.contains("\nto buy first: processor 1; 1 % more of it brings "));
}

#[test]
fn both_formulas_from_standard_input() {
    let text =
        "type=pipeline; nbproc=1; cp1=10; nl1-1=10; nbstage=1; w1=4; ds1=1; ds2=1; mappings=[1,(1),1];";
    for (formula, rate) in [("divided", 2.5), ("printed", 40.0)] {
        let answer = object(&map(&["-", "--rates", formula, "--json"], text));
        // One stage receives and sends for a tenth of a second each.
        let expected = 1.0 / (0.2 + 1.0 / rate);
        assert!((answer["best"]["throughput"].as_f64().unwrap() / expected - 1.0).abs() < 1e-12);
        assert_eq!(answer["rates"], formula);
    }
}

/// What has the header of a table is TOML, whatever it is called.
#[test]
fn the_form_is_known_without_a_name() {
    let text = std::fs::read_to_string("../models/mappings/data_size.toml").unwrap();
    let [piped, named] = [map(&["-", "--csv"], &text), map(&["data_size.toml", "--csv"], "")];
    assert_eq!(printed(&piped), printed(&named));
}

#[test]
fn limits_and_wrong_flags() {
    let few = map(&["table51.des", "--max-states", "10", "--json"], "");
    assert_eq!(few.status.code(), Some(3));
    assert_eq!(object(&few)["errors"][0]["code"], "limit_reached");
    let wrong = map(&["table51.des", "--search", "--input", "4", "--json"], "");
    assert_eq!(wrong.status.code(), Some(2));
    assert_eq!(object(&wrong)["errors"][0]["message"], "there is no processor 4");
    for option in ["--input", "--output"] {
        let useless = map(&["image_filter.des", "--search", option, "1", "--json"], "");
        assert_eq!(useless.status.code(), Some(2));
        let message = format!("`{option}` is for pipelines: a skeleton has no ends of its own");
        assert_eq!(object(&useless)["errors"][0]["message"], message);
    }
    for flags in [&["--input", "1"][..], &["--top", "0"], &["--rates", "other"], &["--json", "--csv"]] {
        assert_eq!(map(&[&["table51.des"], flags].concat(), "").status.code(), Some(2), "{flags:?}");
    }
}

#[test]
fn a_search_whose_time_is_over_shows_what_it_found() {
    let processors = (0..8).map(|number| format!("[[processor]]\npower = {}\n", 10 + number));
    let stages = (1..=5).map(|work| format!("[[stage]]\nwork = {work}\ndata = 1\n"));
    let links = "[links]\nall = 20\nwithin = 1000\n".to_owned();
    let text: String =
        ["output = 1\n".to_owned(), links].into_iter().chain(processors).chain(stages).collect();
    let file = std::env::temp_dir().join(format!("skel-map-{}.toml", std::process::id()));
    std::fs::write(&file, text).unwrap();
    // All 32,768 mappings are wanted, of which each takes its time.
    let arguments = ["--search", "--top", "40000", "--max-solutions", "40000", "--max-time", "1", "--json"];
    let output = map(&[&[file.to_str().unwrap()], &arguments[..]].concat(), "");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(output.status.code(), Some(0));
    let answer = object(&output);
    let search = &answer["search"];
    assert_eq!((&search["stopped"], &search["proved"]), (&"time".into(), &false.into()));
    assert!(search["bound"].as_f64().unwrap() >= answer["best"]["throughput"].as_f64().unwrap());
    assert!(!answer["why"].as_array().unwrap().is_empty());
}

/// Derivatives take more memory than solutions: where there is none left, the mappings are shown without
/// them.
#[test]
fn what_is_ranked_is_shown_where_it_cannot_be_explained() {
    let text = printed(&map(&["table51.des", "--max-memory", "19kB"], ""));
    assert!(text.contains("best: [1, (1,2,3), 3], "), "{text}");
    let why = "stopped at the limit of 19 kB of memory";
    assert!(text.contains(&format!("not explained further: {why}")), "{text}");
    let answer = object(&map(&["table51.des", "--max-memory", "19kB", "--json"], ""));
    assert!(answer["unexplained"].as_str().unwrap().starts_with(why));
    assert!(object(&map(&["table51.des", "--json"], ""))["unexplained"].is_null());
}
