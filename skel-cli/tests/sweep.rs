//! `skel sweep` as a user runs it: the reference values of a grid, the same figures as `skel solve` and
//! `skel skeleton`, points without an answer, limits, figures, and what is said of every bad command line.

#[cfg(unix)]
#[path = "support/interrupt.rs"]
mod interrupt;
mod support;

use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use support::{json, run_in};

const SHOP: &str = "n = 4; thinking = 1; serving = 3;
Client = (think, thinking).Waiting; Waiting = (serve, infty).Client;
Server = (serve, serving).Server;
Client[n] <serve> Server";

const IMAGES: &str = "n = 2; mu = 5; c = 100;
pipe(task(\"read\", 20), farm(n, \"sharpen\", mu), task(\"write\", 30));
communication(c);";

/// Many states, and a rate for which they are the same.
const SLOW: &str = "a = 3; communication(10);
pipe(task(a), task(2), task(4), task(3), task(5), task(2), task(3), task(4), task(3), task(2));";

fn sweep(arguments: &[&str], input: &str) -> Output {
    run_in("../models", &[&["sweep", "--color", "never"], arguments].concat(), input)
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The rows of what `--csv` printed, without the header.
fn rows(output: &Output) -> Vec<Vec<String>> {
    let text = printed(output);
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

#[test]
fn a_grid_has_its_reference_values() {
    let output = sweep(
        &[
            "bounded_buffer.pepa",
            "--vary",
            "making=1,3,9",
            "--vary",
            "eating=1,2,4",
            "--keep",
            "items",
            "--keep",
            "result:blocked",
            "--csv",
        ],
        "",
    );
    assert_eq!(output.status.code(), Some(0));
    assert!(printed(&output).starts_with("making,eating,items,blocked\n"));
    // From exact fractions of an independent program.
    let reference = [
        (1, 1, 0.770_414_929_897_688_5, 0.152_543_577_112_542_63),
        (1, 2, 0.896_299_470_263_165_9, 0.014_070_582_710_517_474),
        (1, 4, 0.908_439_247_510_933_7, 0.000_716_827_737_972_939_6),
        (3, 1, 0.906_826_695_394_872_8, 0.607_041_765_328_888_4),
        (3, 2, 1.597_893_104_594_065_7, 0.307_579_654_675_904_85),
        (3, 4, 2.167_713_771_927_613, 0.060_657_365_498_034_47),
        (9, 1, 0.909_047_615_590_872_6, 0.808_089_947_819_704_7),
        (9, 2, 1.665_100_967_034_817_6, 0.648_478_684_737_094_1),
        (9, 4, 2.816_058_068_699_299, 0.405_498_852_163_481_3),
    ];
    let rows = rows(&output);
    assert_eq!(rows.len(), reference.len());
    for (row, (making, eating, items, blocked)) in rows.iter().zip(reference) {
        assert_eq!(row[..2], [making.to_string(), eating.to_string()]);
        assert!((number(&row[2]) - items).abs() < 1e-14, "{row:?}");
        assert!((number(&row[3]) - blocked).abs() < 1e-14, "{row:?}");
    }
}

#[test]
fn each_point_of_a_model_is_what_solve_says() {
    let output = sweep(&["-", "--vary", "n=1:5:2", "--vary", "serving=1/2,3", "--json"], SHOP);
    let answer = json(&output);
    assert_eq!((&answer["measures"][0], &answer["solved"]), (&"throughput:think".into(), &6.into()));
    for point in answer["points"].as_array().unwrap() {
        let [n, serving] = ["n", "serving"].map(|name| format!("{name}={}", point["values"][name]));
        let single = json(&run_in(".", &["solve", "-", "--json", "--set", &n, "--set", &serving], SHOP));
        assert_eq!(point["states"], single["states"]);
        let found = point["figures"]["throughput:serve"].as_f64().unwrap();
        let expected = single["throughput"]["serve"]["value"].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-12, "{n} {serving}");
        assert!(point["relative_error"].as_f64().unwrap() < 1e-10 && point["error"].is_null());
    }
}

#[test]
fn each_point_of_a_skeleton_is_what_skeleton_says() {
    let output =
        sweep(&["-", "--vary", "n=1:3", "--vary", "mu=4,5", "--json", "--communication", "10"], IMAGES);
    let answer = json(&output);
    for point in answer["points"].as_array().unwrap() {
        let [n, mu] =
            ["n", "mu"].map(|name| format!("{name}={}", point["exact_values"][name].as_str().unwrap()));
        let flags =
            ["skeleton", "-", "--solve", "--json", "--communication", "10", "--set", &n, "--set", &mu];
        let single = json(&run_in(".", &flags, IMAGES));
        let throughput = single["throughput_of_the_whole"]["value"].as_f64().unwrap();
        assert!((point["figures"]["throughput"].as_f64().unwrap() - throughput).abs() < 1e-12);
        assert_eq!(point["figures"]["bottleneck"], single["bottleneck"]["name"]);
        for (stage, name) in ["busy:read", "busy:sharpen", "busy:write"].into_iter().enumerate() {
            let busy = single["stages"][stage]["busy"]["value"].as_f64().unwrap();
            assert!((point["figures"][name].as_f64().unwrap() - busy).abs() < 1e-12, "{name}");
        }
    }
}

#[test]
fn copies_of_an_array_vary_with_and_without_a_name() {
    let by_array = sweep(&["client_server.pepa", "--vary", "Client[]=1:6", "--csv"], "");
    let text = std::fs::read_to_string("../models/client_server.pepa").unwrap();
    let named = text.replace("thinking = 1;", "thinking = 1; n = 3;").replace("Client[3]", "Client[n]");
    let by_name = sweep(&["-", "--vary", "n=1:6", "--csv"], &named);
    let by_array_of_name = sweep(&["-", "--vary", "Client[]=1:6", "--csv"], &named);
    assert!(printed(&by_array).starts_with("Client[],idle,answered\n1,"));
    assert_eq!((rows(&by_array).len(), rows(&by_array)), (6, rows(&by_name)));
    assert_eq!(printed(&by_array_of_name), printed(&by_name));
}

#[test]
fn tables_are_for_people() {
    let buffer = ["bounded_buffer.pepa", "--vary", "making=1/3,3", "--vary", "eating=1,2"];
    insta::assert_snapshot!("grid", printed(&sweep(&buffer, "")));
    insta::assert_snapshot!("skeleton", printed(&sweep(&["-", "--vary", "n=1:4"], IMAGES)));
    let kept = ["-", "--vary", "mu=1,5", "--keep", "busy:read", "--keep", "bottleneck", "--keep", "busy:1"];
    insta::assert_snapshot!("kept_of_a_skeleton", printed(&sweep(&kept, IMAGES)));
    let together =
        ["-", "--vary", "n=1:3", "--vary", "thinking=3,2,1", "--vary", "serving=1,2,3", "--together"];
    let kept = ["--keep", "utilisation:Waiting", "--keep", "Waiting", "--keep", "serve"];
    insta::assert_snapshot!("together", printed(&sweep(&[&together[..], &kept].concat(), SHOP)));
}

#[test]
fn figures_are_the_same_for_any_number_of_threads() {
    let with = |threads: &str| {
        let flags = ["-", "--vary", "a=1:5:1/4", "--keep", "throughput", "--csv", "--threads", threads];
        printed(&sweep(&flags, &SLOW.replace("task(5), task(2), task(3), ", "")))
    };
    let one = with("1");
    assert_eq!(one.lines().count(), 18);
    assert_eq!(with("2"), one);
    assert_eq!(with("7"), one);
}

#[test]
fn a_point_without_an_answer_is_an_empty_cell() {
    let flags = ["-", "--vary", "n=2,30,3,40", "--max-states", "10", "--keep", "serve", "--keep", "Waiting"];
    let csv = sweep(&[&flags[..], &["--csv"]].concat(), SHOP);
    assert_eq!(csv.status.code(), Some(3));
    let rows = rows(&csv);
    assert_eq!(
        (&rows[1], &rows[3]),
        (&vec!["30".into(), String::new(), String::new()], &vec!["40".into(), String::new(), String::new()])
    );
    assert!(number(&rows[2][1]) > number(&rows[0][1]));
    insta::assert_snapshot!("a_point_fails", said(&csv));
    let table = sweep(&flags, SHOP);
    assert!(printed(&table).contains("\n30\n"), "{}", printed(&table));
    let answer = json(&sweep(&[&flags[..], &["--json"]].concat(), SHOP));
    let point = &answer["points"][1];
    assert_eq!(
        (&point["error"]["code"], &point["figures"]["throughput:serve"]),
        (&"limit_reached".into(), &Value::Null)
    );
    assert_eq!((&answer["solved"], &answer["stopped"]), (&2.into(), &Value::Null));
    assert_eq!(answer["errors"].as_array().unwrap().len(), 1);
}

#[test]
fn reasons_are_told_once_for_each_kind() {
    let stuck = "mu = 1; k = mu - 2; P = (a, mu).(b, k + 2).P; Q = (b, 1).(a, 1).Q; P <a, b> Q";
    let stuck = stuck.replace("mu = 1;", "mu = 3;");
    let output = sweep(&["-", "--vary", "mu=1:5", "--allow", "blocked_action"], &stuck);
    assert_eq!(output.status.code(), Some(3));
    insta::assert_snapshot!("reasons", said(&output));
    let allowed = sweep(&["-", "--vary", "mu=3:5", "--allow", "deadlock", "--csv"], &stuck);
    assert_eq!((allowed.status.code(), rows(&allowed).len()), (Some(0), 3), "{}", said(&allowed));
}

#[test]
fn the_time_of_the_whole_and_of_a_point_is_limited() {
    let flags = ["-", "--vary", "a=1:100:1/10", "--keep", "throughput"];
    let whole = sweep(&[&flags[..], &["--json", "--max-time", "0.4"]].concat(), SLOW);
    assert_eq!(whole.status.code(), Some(3));
    let answer = json(&whole);
    assert_eq!((answer["points"].as_array().unwrap().len(), &answer["stopped"]), (991, &"time".into()));
    assert!(answer["errors"][0]["message"].as_str().unwrap().ends_with("the answer is incomplete"));
    let each = sweep(&["-", "--vary", "a=1,2", "--max-time-per-point", "1e-6"], SLOW);
    assert_eq!(each.status.code(), Some(3));
    assert!(
        said(&each)
            .contains("2 points have no figures, beginning with a = 1: stopped at the limit of 0.000001 s")
    );
    assert!(said(&each).contains("raise `--max-time-per-point`"));
}

#[test]
#[cfg(unix)]
fn after_an_interrupt_what_is_solved_is_printed() {
    let child = Command::new(env!("CARGO_BIN_EXE_skel"))
        .args([
            "sweep",
            "/dev/stdin",
            "--vary",
            "a=1:100:1/10",
            "--keep",
            "throughput",
            "--csv",
            "--color",
            "never",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), SLOW.as_bytes()).unwrap();
    let output = interrupt::after(Duration::from_secs(2), child);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("error[limit_reached]: cancelled: "), "{}", said(&output));
    assert!(printed(&output).starts_with("a,throughput\n"));
    assert!(rows(&output).iter().all(|row| !row[1].is_empty()));
}

/// The SVG of a sweep.
fn svg(arguments: &[&str], input: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("figure.svg");
    let output = sweep(&[arguments, &["--svg", file.to_str().unwrap()]].concat(), input);
    assert_ne!(output.status.code(), Some(2), "{}", said(&output));
    std::fs::read_to_string(file).unwrap()
}

#[test]
fn the_picture_of_the_guide_is_that_of_its_command() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/skeletons/orders_farm.skel");
    let drawn = svg(&[model, "--vary", "n=10:20"], "");
    assert_eq!(drawn, include_str!("../../src/guide/orders.svg"));
}

#[test]
fn figures_have_axes_curves_and_names() {
    let words = |figure: &str, words: &[&str]| {
        assert!(figure.starts_with("<svg") && figure.trim_end().ends_with("</svg>"));
        for word in words {
            assert!(figure.contains(&format!("\n{word}\n")), "{word}");
        }
    };
    let workers = svg(&["-", "--vary", "n=1:4"], IMAGES);
    words(
        &workers,
        &["n", "throughput (per unit of time)", "busy (part of the time)", "read", "sharpen", "write", "4"],
    );
    words(&workers, &["starved (part of the time)", "blocked (part of the time)"]);
    // A curve of the whole and three of the stages for each of the parts of the time, and a mark of each in
    // the legends.
    assert_eq!(workers.matches("<circle").count(), 4 * (1 + 3 * 3) + 10);
    let family = svg(
        &["bounded_buffer.pepa", "--vary", "making=1,3,9", "--vary", "eating=1:4", "--keep", "items"],
        "",
    );
    words(&family, &["items", "making", "eating (per unit of time)", "1", "3", "9"]);
    assert_eq!(family.matches("<polyline").count(), 3 + 3 + count_of_axes(&family));
    let map = svg(&["-", "--vary", "mu=1:9", "--vary", "c=log:1:1000:10", "--keep", "throughput"], IMAGES);
    words(&map, &["mu", "c", "throughput (per unit of time)"]);
    assert!(map.matches("<rect").count() > 90);
    let logarithmic = svg(&["-", "--vary", "c=log:0.1:100:10", "--keep", "throughput"], IMAGES);
    words(&logarithmic, &["0.1", "1", "10", "100"]);
}

/// The lines of a figure that are no curves and no marks of them: axes, ticks, and the lines behind.
fn count_of_axes(figure: &str) -> usize {
    let coloured = ["#0072B2", "#D55E00", "#009E73"];
    let lines = figure.lines().filter(|line| line.starts_with("<polyline"));
    lines.filter(|line| !coloured.iter().any(|colour| line.contains(colour))).count()
}

#[test]
fn a_figure_needs_a_number() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("figure.svg");
    let output =
        sweep(&["-", "--vary", "n=1:2", "--keep", "bottleneck", "--svg", file.to_str().unwrap()], IMAGES);
    assert_eq!((output.status.code(), file.exists()), (Some(3), false));
    insta::assert_snapshot!("nothing_to_draw", said(&output));
}

#[test]
fn what_is_wrong_with_what_varies() {
    let hidden = SHOP.replace("Client[n] <serve> Server", "(Client[n] <serve> Server)/{serve}");
    let model: &[(&str, &str, &[&str])] = &[
        ("name_misspelt", SHOP, &["--vary", "servin=1:3"]),
        ("name_of_something_else", SHOP, &["--vary", "serve=1,2", "--vary", "Waiting=3"]),
        ("name_of_an_array", SHOP, &["--vary", "Client=1:3"]),
        ("name_of_no_array", SHOP, &["--vary", "Sever[]=1:3"]),
        ("name_missing", SHOP, &["--vary", "=1:3", "--vary", "n"]),
        ("values_missing", SHOP, &["--vary", "n=", "--vary", "serving=1,,2"]),
        ("step_zero", SHOP, &["--vary", "n=1:3:0"]),
        ("step_of_wrong_sign", SHOP, &["--vary", "n=1:3:-1", "--vary", "serving=3:1"]),
        ("range_too_long", SHOP, &["--vary", "serving=1:3:1e-6"]),
        ("range_of_four", SHOP, &["--vary", "n=1:2:3:4"]),
        ("range_logarithmic", SHOP, &["--vary", "n=log:1:2", "--vary", "serving=log:0:1:5"]),
        ("range_logarithmic_count", SHOP, &["--vary", "n=log:1:2:x", "--vary", "serving=log:1:2:1"]),
        ("value_not_a_number", SHOP, &["--vary", "n=nan", "--vary", "serving=1,inf,x"]),
        ("value_negative", SHOP, &["--vary", "serving=-1:3", "--vary", "thinking=0:2"]),
        ("size_not_whole", SHOP, &["--vary", "n=1:3:1/2"]),
        ("too_many_points", SHOP, &["--vary", "n=1:1000", "--vary", "serving=1:1000"]),
        ("three_of_a_grid", SHOP, &["--vary", "n=1:3", "--vary", "serving=1:3", "--vary", "thinking=1:3"]),
        ("together_of_other_lengths", SHOP, &["--vary", "n=1:3", "--vary", "serving=1:4", "--together"]),
        ("twice", SHOP, &["--vary", "n=1:3", "--vary", "n=4:5"]),
        ("set_and_varied", SHOP, &["--vary", "n=1:3", "--set", "n=4"]),
        ("keep_misspelt", SHOP, &["--vary", "n=1:3", "--keep", "serv", "--keep", "population:Waitin"]),
        ("keep_of_unknown_kind", SHOP, &["--vary", "n=1:3", "--keep", "thruput:serve", "--keep", "x:y"]),
        ("keep_of_no_result", SHOP, &["--vary", "n=1:3", "--keep", "result:serve"]),
        ("keep_hidden", &hidden, &["--vary", "serving=1:3", "--keep", "throughput:serve"]),
        ("svg_nowhere", SHOP, &["--vary", "m=1:3", "--svg", "/nowhere/figure.svg"]),
        ("communication_of_a_model", SHOP, &["--vary", "n=1:3", "--communication", "1"]),
        ("several_at_once", SHOP, &["--vary", "m=1:3", "--vary", "n=2.5", "--keep", "x", "--svg", "/tmp"]),
    ];
    let skeleton: &[(&str, &str, &[&str])] = &[
        ("skeleton_name", IMAGES, &["--vary", "workers=1:3"]),
        ("skeleton_without_names", "pipe(task(1), task(2)); communication(1);", &["--vary", "n=1:3"]),
        ("skeleton_counts", IMAGES, &["--vary", "n=0:3", "--vary", "mu=-1:1"]),
        ("skeleton_count_not_whole", IMAGES, &["--vary", "n=1:3:1/2"]),
        ("skeleton_too_large", IMAGES, &["--vary", "n=1000:3000:1000"]),
        (
            "skeleton_keep",
            IMAGES,
            &["--vary", "n=1:3", "--keep", "bussy", "--keep", "busy:reed", "--keep", "throughput:read"],
        ),
        ("skeleton_keep_unlike_any", IMAGES, &["--vary", "n=1:3", "--keep", "xyz", "--keep", "busy:xyz"]),
        ("skeleton_options_of_models", IMAGES, &["--vary", "n=1:3", "--unlumped", "--allow", "unused_rate"]),
        ("skeleton_rate_of_a_link", IMAGES, &["--vary", "n=1:3", "--communication", "0-1=2"]),
    ];
    for (name, text, arguments) in model.iter().chain(skeleton) {
        let output = sweep(&[&["-"], *arguments].concat(), text);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", said(&output));
        assert!(output.stdout.is_empty(), "{name}");
        insta::assert_snapshot!(*name, said(&output));
    }
}

#[test]
fn what_is_wrong_with_the_file() {
    let links = "n = 2; pipe(task(1), farm(n, 2), task(1)); communication(3); communication(0, 1, 4);";
    let cases: [(&str, &str); 4] = [
        ("file_without_communication", "n = 2; pipe(task(1), farm(n, 2));"),
        ("file_with_an_error", "n = 2; pipe(task(1), farm(n, 0)); communication(1);"),
        ("file_with_an_error_in_a_model", "n = 2; P = (a, mu).P; P[n]"),
        ("file_of_another_kind", "pipe!(task(1), task(2))"),
    ];
    for (name, text) in cases {
        let output = sweep(&["-", "--vary", "n=1:3"], text);
        assert_eq!(output.status.code(), Some(1), "{name}: {}", said(&output));
        insta::assert_snapshot!(name, said(&output));
    }
    let output = sweep(&["-", "--vary", "n=1:3"], links);
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!("file_with_rates_of_links", said(&output));
    let with_one_rate = sweep(&["-", "--vary", "n=1:3", "--communication", "5"], links);
    assert_eq!(with_one_rate.status.code(), Some(0), "{}", said(&with_one_rate));
}

#[test]
fn help_has_examples_that_run() {
    let help = printed(&run_in(".", &["sweep", "--help"], ""));
    for said in [
        "log:first:last:count",
        "--vary 'Client[]=1:20'",
        "--together",
        "exit code 3",
        "--max-time-per-point",
    ] {
        assert!(help.contains(said), "{said}");
    }
}
