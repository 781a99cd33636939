//! `skel skeleton` as a user runs it: the values of the paper, the model as a text, rates and processors,
//! limits, and what is said of every bad input.

mod support;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use support::{json, run_in};

fn skel(arguments: &[&str], input: &str) -> Output {
    run_in("../models/skeletons", arguments, input)
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn printed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", said(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A skeleton solved with all moves at rate 1.
fn solved(text: &str, flags: &[&str]) -> Value {
    solved_at("1", text, flags)
}

/// A skeleton solved with all moves at one rate.
fn solved_at(communication: &str, text: &str, flags: &[&str]) -> Value {
    let arguments =
        [&["skeleton", "-", "--solve", "--json", "--communication", communication], flags].concat();
    let output = skel(&arguments, text);
    assert_eq!(output.status.code(), Some(0), "{text}");
    json(&output)
}

#[test]
fn exact_values_of_the_paper() {
    for (text, states, throughput) in [
        ("task(2.0);", 1, "2"),
        ("pipe(task(1), task(1));", 4, "2/5"),
        ("pipe(task(1), task(1), task(1));", 12, "94/323"),
        ("pipe(task(1), farm(2, 1), task(1));", 36, "2676726/6029579"),
        ("pipe(task(1), deal(2, 1), task(1));", 56, "52324/138973"),
        ("pipe(farm(2, 1), task(1));", 8, "22/37"),
        ("pipe(task(1), deal(2, 1));", 16, "26/55"),
        ("pipe(farm(2, 1), farm(2, 1));", 16, "1"),
        ("pipe(deal(2, 1), deal(2, 1));", 16, "4/5"),
    ] {
        let answer = solved(text, &["--exact"]);
        let model = skel(&["skeleton", "-", "--pepa", "--communication", "1"], text);
        let unlumped = json(&skel(&["solve", "-", "--json", "--unlumped"], &printed(&model)));
        assert_eq!(unlumped["states"], states, "{text}");
        for key in ["states", "transitions"] {
            assert_eq!(answer["unlumped"].get(key).unwrap_or(&answer[key]), &unlumped[key], "{text}");
        }
        assert_eq!(answer["throughput_of_the_whole"]["exact"], throughput, "{text}");
        assert_eq!((&answer["deadlocks"], &answer["recurrent_classes"]), (&0.into(), &1.into()), "{text}");
    }
}

#[test]
fn ten_digits_of_larger_skeletons() {
    for (text, states, throughput) in [
        ("pipe(task(1), deal(2, 1), deal(2, 1), task(1));", 424, 0.368_912_308_8),
        ("pipe(task(1), deal(2, 1), deal(3, 1), task(1));", 2_808, 0.394_347_063_7),
        ("pipe(task(1), deal(3, 1), deal(3, 1), task(1));", 3_324, 0.424_741_506_4),
        ("pipe(task(1), farm(2, 3), deal(2, 2), task(1));", 828, 0.420_713_672_7),
        ("pipe(task(1), deal(2, 2), farm(2, 3), task(1));", 828, 0.421_315_988_6),
        ("pipe(task(1), farm(2, 3), deal(2, 2), farm(2, 3), task(1));", 14_904, 0.481_652_062_0),
    ] {
        let answer = solved(text, &[]);
        assert_eq!(answer["unlumped"].get("states").unwrap_or(&answer["states"]), states, "{text}");
        let value = answer["throughput_of_the_whole"]["value"].as_f64().unwrap();
        assert!((value - throughput).abs() < 6e-11, "{text}: {value}");
        assert!(answer["states"].as_u64().unwrap() <= states, "{text}");
    }
}

#[test]
fn tasks_stages_and_the_bottleneck() {
    let answer = solved("pipe(task(\"read\", 4), farm(2, \"filter\", 1/2), task(2));", &["--exact"]);
    let whole = &answer["throughput_of_the_whole"]["exact"];
    let tasks = answer["tasks"].as_array().unwrap();
    let column = |key: &str| tasks.iter().map(|task| task[key].clone()).collect::<Vec<_>>();
    assert_eq!(column("task"), [0, 1, 2, 3]);
    assert_eq!(column("stage"), [0, 1, 1, 2]);
    assert_eq!(column("name"), ["read", "filter", "filter", "task"]);
    assert_eq!(column("rate"), [4.0, 0.5, 0.5, 2.0]);
    assert_eq!(&tasks[0]["throughput"]["exact"], whole);
    assert_eq!(tasks[1]["throughput"], tasks[2]["throughput"]);
    // Half of the items at half of the rate: as busy as one task of rate 1 would be with all of them.
    assert_eq!(&tasks[1]["busy"]["exact"], whole);
    // The first task always has an item, and the last one can always hand it over.
    assert_eq!((&tasks[0]["starved"]["exact"], &tasks[3]["blocked"]["exact"]), (&"0".into(), &"0".into()));
    assert!(
        tasks.iter().all(|task| share(task, "busy") + share(task, "starved") + share(task, "blocked") == 1.0)
    );
    assert_eq!(answer["buffers"], serde_json::json!([]));
    assert_eq!(answer["bottleneck"]["task"], 1);
    assert_eq!(&answer["stages"][1]["throughput"]["exact"], whole);
    assert_eq!(answer["throughput"]["comp_3"]["exact"], *whole);
    assert_eq!(answer["results"], serde_json::json!({}));
    let shown = printed(&skel(
        &["skeleton", "-", "--solve", "--communication", "1"],
        "pipe(task(\"read\", 4), farm(2, \"filter\", 1/2), task(2));",
    ));
    assert!(shown.contains("bottleneck: task 1, filter, in stage 1"), "{shown}");
    assert!(shown.contains("24 states standing for 36, 48 transitions standing for 84"), "{shown}");
}

/// A part of the time, of a task or a stage.
fn share(one: &Value, key: &str) -> f64 {
    one[key]["value"].as_f64().unwrap()
}

#[test]
fn buffers_and_the_items_in_them() {
    let text = "pipe(task(\"read\", 1), task(\"write\", 1));";
    // At equal rates the items that one has computed and the other has not are 0 to 6, all equally likely.
    let answer = solved_at("none", text, &["--exact", "--buffers", "4"]);
    assert_eq!(answer["throughput_of_the_whole"]["exact"], "6/7");
    assert_eq!(answer["states"], 7);
    let buffer = &answer["buffers"][0];
    assert_eq!(
        (&buffer["senders"], &buffer["receivers"]),
        (&serde_json::json!([0]), &serde_json::json!([1]))
    );
    assert_eq!((&buffer["capacity"], &buffer["items"]["exact"]), (&4.into(), &"2".into()));
    // One that is computed, 6/7 in the second task, 1/7 held by the first, 2 in the buffer.
    assert_eq!(answer["items_inside"]["exact"], "27/7");
    assert_eq!(answer["response_time"]["exact"], "9/2");
    let of = |number: usize| {
        ["busy", "starved", "blocked"].map(|key| answer["tasks"][number][key]["exact"].clone())
    };
    assert_eq!((of(0), of(1)), (["6/7", "0", "1/7"].map(Value::from), ["6/7", "1/7", "0"].map(Value::from)));
    assert_eq!(answer["stages"][1]["starved"]["exact"], "1/7");
    // Of all, of one by name, and those of the text, which flags replace.
    let throughput = |text: &str, flags: &[&str]| {
        let answer = solved_at("none", text, &[&["--exact"], flags].concat());
        answer["throughput_of_the_whole"]["exact"].as_str().unwrap().to_owned()
    };
    for (rest, flags, expected) in [
        ("", &[][..], "2/3"),
        ("", &["--buffers", "write=4"], "6/7"),
        ("", &["--buffers", "9", "--buffers", "write=4"], "6/7"),
        (" buffers(4);", &[], "6/7"),
        (" buffers(4); buffers(\"write\", 0);", &[], "2/3"),
        (" buffers(0, 1, 4);", &[], "6/7"),
        (" buffers(9);", &["--buffers", "4"], "6/7"),
        (" buffers(9);", &["--buffers", "write=4"], "6/7"),
    ] {
        assert_eq!(throughput(&format!("{text}{rest}"), flags), expected, "{rest} {flags:?}");
    }
    let flags = ["skeleton", "-", "--solve", "--communication", "none", "--buffers", "4"];
    let shown = printed(&skel(&flags, text));
    assert!(
        shown.contains("response time of an item: 4.5 on average, with 3.857142857 items inside"),
        "{shown}"
    );
    assert!(shown.contains("task 0 -> task 1         4"), "{shown}");
    assert!(shown.contains("each buffer between stages holds 4 items"), "{shown}");
}

#[test]
fn one_port_moves_one_item_at_a_time() {
    let text = "pipe(task(1), farm(2, 1), task(1));";
    let with = |text: &str, flags: &[&str]| {
        solved(text, flags)["throughput_of_the_whole"]["value"].as_f64().unwrap()
    };
    assert!((with(text, &[]) - 0.443_932_486_8).abs() < 6e-11);
    assert!((with(text, &["--one-port"]) - 0.385_17).abs() < 5e-6);
    assert_eq!(with(&format!("{text} one_port;"), &[]), with(text, &["--one-port"]));
    let said = |flags: &[&str]| solved(text, flags)["assumptions"].to_string();
    assert!(said(&["--one-port"]).contains("items move one at a time between two stages (one port)"));
    assert!(said(&[]).contains("a communication rate is that of each link"));
    // The model prints, and is read back with the same throughput.
    let model = printed(&skel(&["skeleton", "-", "--pepa", "--communication", "1", "--one-port"], text));
    let again = json(&skel(&["solve", "-", "--json"], &model));
    let whole = again["throughput"]["comp_3"]["value"].as_f64().unwrap();
    assert!((whole - with(text, &["--one-port"])).abs() < 1e-12, "{model}");
}

#[test]
fn wrong_buffers_of_the_command_line() {
    let text = "pipe(task(\"read\", 1), task(\"write\", 2), task(\"write\", 3)); communication(1);";
    for (flags, exit, message) in [
        (&["--buffers", "4", "--buffers", "5"][..], 2, "`--buffers` is given for all buffers 2 times"),
        (&["--buffers", "read=4", "--buffers", "read=5"], 2, "`--buffers read=` is given several times"),
        (&["--buffers", "reed=4"], 2, "no task is named `reed`"),
        (&["--buffers", "reed=4"], 2, "did you mean `read`?"),
        (&["--buffers", "write=4"], 2, "several stages are named `write`"),
        (&["--buffers", "2000000"], 2, "write a number of items from 0 to 1000000"),
        (&["--buffers", "read=4"], 1, "a buffer before `read`, to which no stage sends"),
    ] {
        let output = skel(&[&["skeleton", "-", "--solve"], flags].concat(), text);
        assert_eq!(output.status.code(), Some(exit), "{flags:?}");
        assert!(said(&output).contains(message), "{}", said(&output));
    }
    let by_number = format!("{text} buffers(0, 1, 4);");
    let output = skel(&["skeleton", "-", "--gains"], &by_number);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("a replica more gives the tasks other numbers"), "{}", said(&output));
}

#[test]
fn the_printed_model_is_read_back_with_the_same_figures() {
    for file in ["five_tasks.skel", "image_filter.skel"] {
        let model = printed(&skel(&["skeleton", file, "--pepa"], ""));
        let there_and_back = json(&skel(&["solve", "-", "--json"], &model));
        let answer = json(&skel(&["skeleton", file, "--solve", "--json"], ""));
        assert_eq!(there_and_back["states"], answer["states"]);
        assert_eq!(there_and_back["transitions"], answer["transitions"]);
        let throughputs = answer["throughput"].as_object().unwrap();
        assert_eq!(throughputs.len(), there_and_back["throughput"].as_object().unwrap().len());
        for (action, figure) in throughputs {
            let other = there_and_back["throughput"][action]["value"].as_f64().unwrap();
            assert!((figure["value"].as_f64().unwrap() - other).abs() < 1e-10, "{action}");
        }
    }
    let five = json(&skel(&["skeleton", "five_tasks.skel", "--solve", "--json"], ""));
    assert_eq!((&five["states"], &five["unlumped"]), (&108.into(), &Value::Null));
    assert!((five["results"]["T1"]["value"].as_f64().unwrap() - 0.261_698_148_728).abs() < 5e-13);
}

#[test]
fn the_result_line_is_left_out_where_it_would_name_a_replica() {
    for (text, is_there) in [
        ("pipe(farm(2, pipe(task(3), task(1))), task(1));", false),
        ("pipe(deal(2, pipe(task(1), task(2))), task(1));", false),
        ("pipe(pipe(task(3), task(1)), farm(2, 1));", true),
        ("pipe(farm(1, pipe(task(3), task(1))), task(1));", true),
    ] {
        let answer = solved(text, &[]);
        assert_eq!(answer["results"].get("T1").is_some(), is_there, "{text}");
        assert!(answer["throughput_of_the_whole"]["value"].as_f64().unwrap() > 0.0, "{text}");
    }
}

#[test]
fn the_overview_needs_no_rates_of_moves() {
    let shown = printed(&skel(&["skeleton", "running_example.skel"], ""));
    insta::assert_snapshot!("overview", shown);
    let parts = [
        printed(&skel(&["skeleton", "running_example.skel", "--tree"], "")),
        "\n".into(),
        printed(&skel(&["skeleton", "running_example.skel", "--graph"], "")),
    ];
    assert!(shown.ends_with(&parts.concat()));
    let object = json(&skel(&["skeleton", "running_example.skel", "--json"], ""));
    assert_eq!((&object["stages"], &object["moves"]), (&6.into(), &27.into()));
    assert_eq!(object["tasks"][4]["destinations"], serde_json::json!([6, 7, 8]));
    assert_eq!(object["tasks"][4]["destination_pattern"], "farm");
    assert_eq!(object["tree"]["stages"][1]["replicas"], 3);
    for flags in [&["--dot"][..], &["--dot", "--tree"]] {
        let dot = printed(&skel(&[&["skeleton", "running_example.skel"], flags].concat(), ""));
        assert!(dot.starts_with("digraph") && dot.trim_end().ends_with('}'));
    }
}

#[test]
fn rates_of_the_command_line_come_first() {
    let text = "communication(7); communication(0, 1, 8); pipe(task(1), task(1), task(1));";
    for (flags, rates) in [
        (&[][..], "(move_0_1, 8.0).Network + (move_1_2, 7.0).Network"),
        (&["--communication", "1/2"], "(move_0_1, 0.5).Network + (move_1_2, 0.5).Network"),
        (&["--communication", "1-2=9"], "(move_0_1, 8.0).Network + (move_1_2, 9.0).Network"),
        (
            &["--communication", "2", "--communication", "0-1=3"],
            "(move_0_1, 3.0).Network + (move_1_2, 2.0).Network",
        ),
    ] {
        let model = printed(&skel(&[&["skeleton", "-", "--pepa"], flags].concat(), text));
        assert!(model.contains(rates), "{model}");
    }
    for (flags, code) in [
        (&["--communication", "0-2=1"][..], "idle_link"),
        (&["--communication", "1", "--communication", "2"], "repeated_rate"),
        (&["--communication", "0-1=1", "--communication", "0-1=1"], "repeated_rate"),
    ] {
        let output = skel(&[&["skeleton", "-", "--pepa"], flags].concat(), text);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(code), "{}", said(&output));
    }
}

#[test]
fn tasks_share_processors() {
    let text = "communication(10); pipe(task(2), task(4), task(6));";
    let flags = ["skeleton", "-", "--pepa", "--on", "0,0,1", "--power", "3,1/2"];
    let model = printed(&skel(&flags, text));
    assert!(
        model.contains("Processor_0 = (comp_0, 3.0).Processor_0 + (comp_1, 6.0).Processor_0;"),
        "{model}"
    );
    assert!(model.contains("Processor_1 = (comp_2, 3.0).Processor_1;"), "{model}");
    let model = printed(&skel(&[&flags[..], &["--undivided"]].concat(), text));
    assert!(model.contains("(comp_0, 6.0).Processor_0 + (comp_1, 12.0).Processor_0;"), "{model}");
    let unfit = skel(&["skeleton", "-", "--pepa", "--on", "0,0"], text);
    assert_eq!(unfit.status.code(), Some(2));
    assert!(said(&unfit).contains("2 tasks are assigned to processors, but there are 3"));
    for (on, message) in [
        ("0,0,4000000000", "there is no processor 4000000000"),
        ("18446744073709551615", "numbered from 0 to 2"),
        ("0,x,1", "write the number of a processor for each task"),
        ("0,99999999999999999999999,1", "write the number of a processor for each task"),
    ] {
        let refused = skel(&["skeleton", "-", "--pepa", "--on", on], text);
        assert_eq!(refused.status.code(), Some(2), "{on}");
        assert!(said(&refused).contains(message), "{}", said(&refused));
    }
}

#[test]
fn a_missing_communication_rate_has_its_place() {
    let text = "pipe(2);\ntask(1.0);\ntask(2.0);";
    let output = skel(&["skeleton", "-", "--solve", "--json"], text);
    assert_eq!(output.status.code(), Some(1));
    let error = json(&output)["errors"][0].clone();
    assert_eq!(error["code"], "missing_communication");
    assert_eq!((&error["line"], &error["column"]), (&3.into(), &1.into()));
    assert!(error["help"].as_str().unwrap().contains("--communication 1.0"));
    let alone = skel(&["skeleton", "-", "--solve"], "task(2.0);");
    assert_eq!(alone.status.code(), Some(0));
}

#[test]
fn a_deadlock_is_refused_with_the_way_to_it() {
    let text = "pipe(task(1), deal(3, 1), deal(3, 1), task(1));";
    let flags = ["skeleton", "-", "--solve", "--communication", "1", "--json"];
    let output = skel(&[&flags[..], &["--literal"]].concat(), text);
    assert_eq!(output.status.code(), Some(1));
    let error = json(&output)["errors"][0].clone();
    assert_eq!(error["code"], "deadlock");
    assert!(error["message"].as_str().unwrap().contains("reached after `comp_0, move_0_1"));
    assert_eq!(skel(&flags, text).status.code(), Some(0));
}

#[test]
fn where_moves_take_no_time_states_count_in_which_none_is_possible() {
    let text = "pipe(task(3), farm(3, 1), task(3)); communication(none);";
    let shown = printed(&skel(&["skeleton", "-", "--solve"], text));
    // With the last task busy, the workers are in 10 arrangements, or in 4 with none idle if the first task
    // has to wait; with it idle, in 4 with none waiting, or all are busy.
    assert!(shown.contains("19 states standing for 44, 41 transitions\n"), "{shown}");
    let answer = json(&skel(&["skeleton", "-", "--solve", "--json"], text));
    assert_eq!((&answer["states"], &answer["unlumped"]["transitions"]), (&19.into(), &Value::Null));
}

#[test]
fn limits_say_what_was_reached_and_what_lumping_saved() {
    let flags = ["skeleton", "-", "--solve", "--communication", "1"];
    let text = "pipe(task(1), farm(12, 1), task(1));";
    for limit in [["--max-states", "100"], ["--max-memory", "20kB"], ["--max-time", "0.000001"]] {
        let output = skel(&[&flags[..], &limit].concat(), text);
        assert_eq!(output.status.code(), Some(3), "{limit:?}");
        assert!(said(&output).contains(limit[0]), "{limit:?}");
    }
    let output = skel(&[&flags[..], &["--max-states", "100", "--json"]].concat(), text);
    let answer = json(&output);
    assert_eq!(answer["reached"]["states"], 100);
    assert!(answer["reached"]["unlumped_states"].as_u64().unwrap() > 1_000);
    assert!(answer["errors"][0]["message"].as_str().unwrap().contains("without lumping"));
    // More states than a 64-bit number counts are no obstacle to an answer.
    let large = solved("pipe(task(1), farm(60, 1), task(1));", &[]);
    assert!(large["unlumped"]["states"].as_f64().unwrap() > 1e29);
    assert!(large["states"].as_u64().unwrap() < 10_000);
}

#[test]
fn gains_are_those_of_the_larger_skeletons() {
    let with = |text: &str, flags: &[&str]| {
        json(&skel(&[&["skeleton", "-", "--gains", "--json", "--communication", "1"], flags].concat(), text))
    };
    let answer = with("pipe(task(1), farm(2, 1), task(1));", &["--deals"]);
    let gains = answer["gains"].as_array().unwrap();
    assert_eq!(gains.len(), 3);
    for (gain, key, larger) in [
        (&gains[0], "as_deal", "pipe(deal(2, 1), farm(2, 1), task(1));"),
        (&gains[1], "as_farm", "pipe(task(1), farm(3, 1), task(1));"),
        (&gains[1], "as_deal", "pipe(task(1), deal(3, 1), task(1));"),
    ] {
        let larger = solved(larger, &[])["throughput_of_the_whole"]["value"].as_f64().unwrap();
        assert!((gain[key].as_f64().unwrap() - larger).abs() < 1e-10, "{key}");
    }
    // Unless deals are asked for, a task and a farm become a farm, and a deal stays one.
    let own = with("pipe(task(1), farm(2, 1), task(1));", &[]);
    for (of_both, own) in gains.iter().zip(own["gains"].as_array().unwrap()) {
        assert_eq!((&own["as_farm"], &own["as_deal"]), (&of_both["as_farm"], &Value::Null));
        assert_eq!(own["errors"], serde_json::json!([]));
    }
    let own = with("pipe(task(1), deal(2, 1));", &[]);
    assert!(own["gains"][1]["as_deal"].is_f64() && own["gains"][1]["as_farm"].is_null());
    // Three deals need more states than two.
    let stopped = with("pipe(task(1), deal(2, 1), task(1));", &["--max-states", "60", "--deals"]);
    assert_eq!(stopped["gains"][1]["as_deal"], Value::Null);
    assert_eq!(stopped["gains"][1]["errors"][0]["code"], "limit_reached");
    assert!(stopped["gains"][1]["as_farm"].is_f64());
    let text = "communication(1); pipe(task(1), deal(2, 1), task(1));";
    let shown = printed(&skel(&["skeleton", "-", "--gains", "--max-states", "60"], text));
    assert!(shown.contains("limit reached"), "{shown}");
    for flags in [&["--on", "0,0,1,1"][..], &["--communication", "0-1=2"]] {
        let output = skel(&[&["skeleton", "-", "--gains"], flags].concat(), text);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains("other numbers"));
    }
}

#[test]
fn one_tolerance_means_one_thing_in_all_commands() {
    let explained = |command: &str| {
        let help = printed(&skel(&[command, "--help"], ""));
        let (_, tolerance) = help.split_once("--tolerance <NUMBER>").unwrap();
        tolerance.split("  -").next().unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(explained("skeleton"), explained("solve"));
    assert!(explained("solve").contains("relative error"));
}

#[test]
fn one_mistake_is_one_finding() {
    for (text, flags, expected, count) in [
        ("task(\"\", 1);", &[][..], "a quoted name is empty", 1),
        ("task(\"a\\\"b\", 2);", &[], "a name has no quotation marks inside", 2),
        ("pipe(1); task(1); task(2);", &[], "the pipe says 1 stage, but 2 follow", 1),
        ("task(2);", &["--solve", "--max-memory", "1"], "the limit of 1 byte of memory", 1),
        ("task(2);", &["--solve", "--max-memory", "20B"], "the limit of 20 bytes of memory", 1),
    ] {
        let output = skel(&[&["skeleton", "-"], flags].concat(), text);
        let said = said(&output);
        assert!(said.contains(expected), "{said}");
        assert_eq!(said.matches("error[").count(), count, "{said}");
    }
}

#[test]
fn wrong_command_lines_end_with_two() {
    for flags in [
        &["--tree", "--graph"][..],
        &["--dot", "--solve"],
        &["--pepa", "--json"],
        &["--exact"],
        &["--gains", "--pepa"],
        &["--solve", "--deals"],
        &["--power", "1"],
        &["--solve", "--communication", "0"],
        &["--solve", "--communication", "fast"],
    ] {
        let output = skel(&[&["skeleton", "five_tasks.skel"], flags].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
    }
    let missing = skel(&["skeleton", "five_tasks"], "");
    assert_eq!(missing.status.code(), Some(2));
    assert!(said(&missing).contains("did you mean `five_tasks.skel`?"));
}

#[test]
fn fits_are_taken_on_request_and_named() {
    let text = "pipe(task(uniform(0, 2)), task(1)); communication(1);";
    let refused = skel(&["skeleton", "-", "--solve"], text);
    assert_eq!(refused.status.code(), Some(1));
    assert!(said(&refused).contains("`fitted(1.0, 1 / 3)`: Erlang 3 at rate 3; `--fit` does so for all"));
    let shown = printed(&skel(&["skeleton", "-", "--solve", "--fit"], text));
    assert!(shown.contains("of mean 1, scv 0.3333; fitted by Erlang 3 at rate 3"), "{shown}");
}

#[test]
fn every_bad_input_is_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ui/skeleton");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".skel"))
        .collect();
    names.sort();
    assert!(names.len() >= 36);
    for name in names {
        let (flags, expected): (&[&str], i32) = match name.trim_end_matches(".skel") {
            "deadlock" | "deadlock_lumped" => (&["--literal"], 1),
            "too_many_states" | "too_many_states_of_deals" => (&["--max-states", "100"], 3),
            name if name.starts_with("warning_") => (&[], 0),
            _ => (&[], 1),
        };
        let asked = if name == "negligible_in_a_model.skel" { "--pepa" } else { "--solve" };
        let output = Command::new(env!("CARGO_BIN_EXE_skel"))
            .args(["skeleton", &name, asked, "--color", "never"])
            .args(flags)
            .current_dir(&folder)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(expected), "{name}");
        insta::assert_snapshot!(name.trim_end_matches(".skel"), said(&output));
    }
}
