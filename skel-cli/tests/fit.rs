//! `skel fit` as a user runs it: the figures of the paper, the forms of the answer, and every bad file.

mod support;

use std::process::Output;

use serde_json::{Value, json};
use support::{json as object, run_in};

fn fit(arguments: &[&str]) -> Output {
    run_in("../models/fits", &[&["fit"], arguments].concat(), "")
}

fn printed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Equations 15 to 17 of the paper.
const STRUCTURES: [&str; 6] = [
    "--formula",
    "VRP-SS=-2.14494 + 7.445e-3 n - 5.2e-6 n^2 + 3.008e-9 n^3",
    "--formula",
    "SS=2.42258 - 6.5303e-3 n + 4.5e-6 n^2 + 2.29e-9 n^3",
    "--formula",
    "VRP=-4.48182 + 1.64541e-2 n - 1.61e-5 n^2 + 7.38e-9 n^3",
];

fn with<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    STRUCTURES.iter().copied().chain(arguments.iter().copied()).collect()
}

fn numbers(values: &Value) -> Vec<f64> {
    values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

#[test]
fn every_bad_file_prints_its_diagnostics() {
    let folder = format!("{}/../tests/bad_fits", env!("CARGO_MANIFEST_DIR"));
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert!(names.len() >= 14);
    for name in names {
        let arguments: &[&str] = match name.ends_with(".graph") {
            true => &["fit", "--graph", &name, "--predict", "n=1000,p=4,steps=2", "--color", "never"],
            false => &["fit", &name, "--color", "never"],
        };
        let output = run_in("../tests/bad_fits", arguments, "");
        assert!(matches!(output.status.code(), Some(1 | 2)), "{name}");
        insta::assert_snapshot!(name.replace('.', "_"), said(&output));
    }
}

#[test]
fn bad_command_lines_say_what_to_write() {
    let mut all: Vec<String> = Vec::new();
    for arguments in [
        &[][..],
        &["no.csv", "--measured", "heat_mesured.csv", "--svg", "no/such/folder.svg"],
        &["rows.csv", "--segment", "row", "--machine", "intl"],
        &["rows.csv", "--machine", "bio", "--predict", "q=3", "--csv"],
        &["rows.csv", "--terms", "1, n, 2 n^2"],
        &["rows.csv", "--terms", "1, m"],
        &["rows.csv", "--weighting", "relative"],
        &["rows.csv", "--probability", "1"],
        &["matrix.csv", "--two-steps"],
        &["matrix.csv", "--terms", "1, p"],
        &["matrix.csv", "--terms", "1, n, n^2, n^3, n^4, n^5, n^6, n^7, n^8, n^9, n^10, n^11"],
        &["particles.csv", "--two-steps", "--terms", "1, n/p"],
        &["particles.csv", "--formula", "line=n", "--crossovers", "1..9", "--csv"],
        &["matrix.csv", "--crossovers", "9..1"],
        &["matrix.csv", "--predict", "4000"],
        &["matrix.csv", "--predict", "n=0"],
        &["--formula", "a=2 n k"],
        &["--formula", "a=n", "--formula", "a=2 n"],
        &["--formula", "a=n", "--crossovers", "1..9"],
        &["--formula", "a=n/p", "--predict", "n=5"],
        &["--formula", "a=n", "--items", "5", "--predict", "n=5"],
        &["--formula", "a=n", "--measured", "heat_measured.csv"],
        &["--formula", "a=n", "--svg", "target.svg", "--chart", "graph"],
        &["--formula", "a=n", "--svg", "target.svg", "--chart", "errors"],
        &["rows.csv", "--predict", "n=500", "--items", "100", "--count", "inte=2", "--csv"],
        &["--graph", "heat.graph", "--predict", "n=2000"],
    ] {
        let output = fit(&[arguments, &["--color", "never"]].concat());
        assert_ne!(output.status.code(), Some(0), "{arguments:?}");
        all.push(format!("skel fit {}\n{}", arguments.join(" "), said(&output)));
    }
    insta::assert_snapshot!("bad_command_lines", all.join("\n"));
}

#[test]
fn errors_of_all_files_are_one_object() {
    let output = run_in("../tests/bad_fits", &["fit", "names.csv", "--graph", "syntax.graph", "--json"], "");
    assert_eq!(output.status.code(), Some(1));
    let errors = object(&output)["errors"].clone();
    let places: Vec<(Value, Value)> = errors
        .as_array()
        .unwrap()
        .iter()
        .map(|error| (error["line"].clone(), error["column"].clone()))
        .collect();
    assert_eq!(places.len(), 3 + 4);
    assert_eq!(places[3], (json!(2), json!(16)));
    // What can be fitted is, and the exit says that something was not.
    let output = run_in("../tests/bad_fits", &["fit", "one_of_two.csv", "--json"], "");
    assert_eq!(output.status.code(), Some(1));
    let answer = object(&output);
    assert_eq!(
        (&answer["models"][0]["name"], &answer["errors"][0]["code"]),
        (&json!("write"), &json!("not_fitted"))
    );
}

/// Table 1: the printed column `Estimado` with its errors, from the text of the graph with the corrected
/// constant of Equation 7.
#[test]
fn table_1_of_the_paper() {
    let compared = |graph: &str| {
        object(&fit(&["--graph", graph, "--measured", "heat_measured.csv", "--json"]))["comparison"].clone()
    };
    let estimated = [
        (6, [14.938, 23.527, 34.090, 46.627, 61.139], 5e-4, [-2.61, -4.57, -12.64, -12.25, -10.64]),
        (8, [14.93, 23.52, 34.08, 46.62, 61.13], 5e-3, [1.27, -1.64, -11.89, -11.28, -10.20]),
        (10, [14.926, 23.515, 34.078, 46.616, 61.128], 5e-4, [0.95, -1.16, -11.29, -9.88, -8.54]),
        (12, [14.92, 23.51, 34.07, 46.61, 61.12], 5e-3, [0.36, -1.85, -13.75, -12.08, -9.12]),
    ];
    let (corrected, as_printed) = (compared("heat.graph"), compared("heat_as_printed.graph"));
    let cell = |all: &Value, n: usize, p: u64| {
        let all = all.as_array().unwrap();
        assert_eq!(all.len(), 20);
        all.iter().find(|one| one["n"] == json!(2000.0 + 500.0 * n as f64) && one["p"] == p).unwrap().clone()
    };
    for (p, seconds, half_width, errors) in estimated {
        for (n, (seconds, error)) in seconds.into_iter().zip(errors).enumerate() {
            let one = cell(&corrected, n, p);
            let found = one["seconds"].as_f64().unwrap();
            assert!((found - seconds).abs() <= half_width * 1.001, "{found} and {seconds}");
            // The paper cuts digits off.
            assert!((one["error_percent"].as_f64().unwrap() - error).abs() < 0.0101, "{one} and {error}");
            // With the constant as it is printed, no cell is the paper's: each is (p - 1) 2 6.8114e-3 larger.
            let printed = cell(&as_printed, n, p)["seconds"].as_f64().unwrap();
            assert!((printed - found - (p - 1) as f64 * 2.0 * 6.8114e-3).abs() < 1e-9);
            assert!((printed - seconds).abs() > half_width);
        }
    }
    let text = printed(&fit(&[
        "--graph",
        "heat.graph",
        "--measured",
        "heat_measured.csv",
        "--predict",
        "n=2000,p=6",
    ]));
    insta::assert_snapshot!("heat", text);
    for figure in
        ["10.76777", "1.749703", "1.745485", "0.00633", "0.000047275", "0.6441659", "14.9379", "-13.75"]
    {
        assert!(text.contains(figure), "{figure}");
    }
}

/// Tables 2 and 3: least squares on the coefficients for each p.
#[test]
fn the_coefficients_of_the_particles() {
    let steps = object(&fit(&["particles.csv", "--two-steps", "--json"]))["models"][0]["two_steps"].clone();
    for (step, expected) in steps["first"].as_array().unwrap().iter().zip([
        [-1.125736, 0.000073, 3.206325e-7],
        [5.790233, -0.000157, 2.163252e-7],
        [8.578502, -0.000247, 1.640802e-7],
    ]) {
        for (found, expected) in numbers(&step["coefficients"]).into_iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 1e-5, "{found} and {expected}");
        }
    }
    for (step, (constant, per_inverse_p)) in steps["second"].as_array().unwrap().iter().zip([
        (18.56976, -39.19965),
        (-5.777e-4, 1.2943e-3),
        (0.07567e-7, 6.26157e-7),
    ]) {
        assert!((step["constant"].as_f64().unwrap() / constant - 1.0).abs() < 1e-4, "{step}");
        assert!((step["per_inverse_p"].as_f64().unwrap() / per_inverse_p - 1.0).abs() < 1e-4, "{step}");
    }
    assert_eq!(steps["is_joint"], true);
    insta::assert_snapshot!(
        "particles",
        printed(&fit(&["particles.csv", "--two-steps", "--predict", "n=20000,p=8"]))
    );
}

#[test]
fn the_crossovers_of_the_paper() {
    let arguments = with(&["--crossovers", "250..20000", "--predict", "n=500,2500"]);
    let text = printed(&fit(&arguments));
    insta::assert_snapshot!("structures", text);
    let found = object(&fit(&[arguments.as_slice(), &["--json"]].concat()))["crossovers"].clone();
    let expected: [(&str, &str, &[f64]); 3] = [
        ("VRP-SS", "SS", &[482.9, 1105.0, 11921.9]),
        ("VRP-SS", "VRP", &[508.0]),
        ("SS", "VRP", &[488.3, 1156.0, 2402.8]),
    ];
    for (pair, (one, other, sizes)) in found["pairs"].as_array().unwrap().iter().zip(expected) {
        assert_eq!(pair["models"], json!([one, other]));
        let crossovers = pair["crossovers"].as_array().unwrap();
        let at: Vec<f64> =
            crossovers.iter().map(|one| (one["n"].as_f64().unwrap() * 10.0).round() / 10.0).collect();
        assert_eq!(at, sizes);
        assert!(crossovers.iter().all(|one| one["kind"] == "cross"));
    }
    let cheapest: Vec<&str> =
        found["cheapest"].as_array().unwrap().iter().map(|part| part["model"].as_str().unwrap()).collect();
    assert_eq!(cheapest, ["VRP", "SS", "VRP-SS", "SS"]);
    // Equation 15 is -0.56 s at 250.
    assert_eq!(found["negative"][0]["model"], "VRP-SS");
    let negative = printed(&fit(&with(&["--predict", "n=250"])));
    let row: Vec<&str> =
        negative.lines().find(|line| line.ends_with("negative")).unwrap().split_whitespace().collect();
    assert_eq!(row, ["VRP-SS", "250", "-0.56169", "negative"]);
}

#[test]
fn identical_models_and_those_that_touch() {
    let formulas =
        ["--formula", "a=9 + n^2", "--formula", "b=6 n", "--formula", "c=6*n", "--crossovers", "1..10"];
    let text = printed(&fit(&formulas));
    for line in ["b and c are identical", "a and b  3       18  touch", "1  10  b"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn runs_are_searched_for_their_terms() {
    let arguments =
        ["rows.csv", "--predict", "n=1000,4000", "--items", "2500", "--count", "intel=4", "--count", "bio=4"];
    insta::assert_snapshot!("rows", printed(&fit(&arguments)));
    let answer = object(&fit(&[arguments.as_slice(), &["--json"]].concat()));
    assert_eq!(answer["runs"], 60);
    let intel = &answer["models"][1];
    assert_eq!(
        (&intel["name"], &intel["terms"][1]["n"], &intel["kind"]),
        (&json!("intel"), &json!("n^3"), &json!("normal form"))
    );
    assert!((intel["terms"][1]["coefficient"].as_f64().unwrap() / 1e-9 - 1.0).abs() < 0.01);
    assert_eq!(intel["points"][1]["rejected"][0]["run"], 2);
    assert_eq!(intel["points"][1]["rule"], "median absolute deviation");
    for shared in answer["shares"].as_array().unwrap() {
        let items =
            shared["types"].as_array().unwrap().iter().flat_map(|one| one["items"].as_array().unwrap());
        assert_eq!(items.map(|items| items.as_u64().unwrap()).sum::<u64>(), 2500);
        let [own, equal] = ["ends", "ends_by_equal_shares"].map(|key| shared[key].as_f64().unwrap());
        assert!(own < equal);
    }
    // A wider interval for a larger probability.
    let width = |probability: &str| {
        let answer = object(&fit(&[
            "rows.csv",
            "--machine",
            "bio",
            "--predict",
            "n=3000",
            "--probability",
            probability,
            "--json",
        ]));
        let ends = numbers(&answer["predictions"][0]["interval"]);
        assert!(
            answer["predictions"][0]["cautions"][0].as_str().unwrap().starts_with("extrapolated: n = 3000")
        );
        ends[1] - ends[0]
    };
    assert!(width("99%") > 1.5 * width("0.9"));
}

#[test]
fn terms_of_n_and_p_and_their_weights() {
    let formula = |arguments: &[&str]| {
        object(&fit(&[&["particles.csv", "--json", "--terms"], arguments].concat()))["models"][0].clone()
    };
    let joint = formula(&["1, 1/p, n, n/p, n^2, n^2/p"]);
    assert_eq!(
        (&joint["kind"], &joint["quality"]["degrees_of_freedom"]),
        (&json!("given terms"), &json!(15))
    );
    assert_eq!(joint["standard_errors"].as_array().unwrap().len(), 6);
    assert_ne!(
        joint["formula"],
        formula(&["1, 1/p, n, n/p, n^2, n^2/p", "--weighting", "relative"])["formula"]
    );
}

#[test]
fn a_program_is_composed_of_models() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("product.graph");
    std::fs::write(
        &path,
        "graph product(n, p) { bcast matrix [8*n^2] : 9e-9*m; par { process worker * p { comp rows; } } }",
    )
    .unwrap();
    let path = path.to_str().unwrap();
    let answer = object(&fit(&["rows.csv", "--graph", path, "--predict", "n=1000,p=1", "--json"]));
    let programs = answer["programs"].as_array().unwrap();
    let names: Vec<&str> = programs.iter().map(|program| program["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["product on bio", "product on intel", "product on taurus"]);
    let rows = answer["predictions"][0]["seconds"].as_f64().unwrap();
    assert!((programs[0]["seconds"].as_f64().unwrap() - rows - 0.072).abs() < 1e-9);
    let svg = folder.path().join("graph.svg");
    let svg = svg.to_str().unwrap();
    printed(&fit(&["--graph", "heat.graph", "--svg", svg]));
    assert!(std::fs::read_to_string(svg).unwrap().contains(">II_VI</text>"));
}

#[test]
fn figures_show_points_curves_bands_and_crossovers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("figure.svg");
    let path = path.to_str().unwrap();
    let drawn = |arguments: &[&str]| {
        printed(&fit(&[arguments, &["--svg", path]].concat()));
        std::fs::read_to_string(path).unwrap()
    };
    // Fig. 5: measured points and fitted curves. Each point has a ring, and the kinds of marks have one each
    // beside the axes.
    let figure = drawn(&["matrix.csv", "--terms", "1, n, n^2, n^3", "--crossovers", "500..3000"]);
    for word in ["seconds", "n", "SS", "VRP-SS", "fitted points", "95 % of points", "crossovers"] {
        assert!(figure.contains(&format!("\n{word}\n")), "{word}");
    }
    assert_eq!(figure.matches("<circle").count(), 3 * 11 + 1 + 3 + 1);
    assert_eq!(figure.matches("<polygon").count(), 3);
    // Fig. 6: the projection to large matrices, on logarithmic axes.
    let figure = drawn(&with(&["--crossovers", "250..20000"]));
    for word in ["11922: VRP-SS = SS", "482.89: VRP-SS = SS", "508: VRP-SS = VRP", "10000"] {
        assert!(figure.contains(&format!("\n{word}\n")), "{word}\n{figure}");
    }
    assert_eq!(figure.matches("<circle").count(), 7 + 1);
    // Fig. 7: the errors of the predictions.
    let figure = drawn(&with(&["--measured", "matrix.csv", "--chart", "errors"]));
    assert_eq!(figure.matches("<circle").count(), 3 * 11);
    assert!(figure.contains("error of the estimate (%)") && figure.contains("10 % too high, low"));
    // Times that are measured at one n and several p stand over p.
    let text = "n,p,seconds\n500,1,8.1\n500,2,4.1\n500,4,2.1\n500,8,1.1\n500,16,0.6\n";
    let output = run_in("../models/fits", &["fit", "-", "--svg", path], text);
    assert!(printed(&output).contains("p^-1"), "{}", printed(&output));
    assert!(std::fs::read_to_string(path).unwrap().contains("\np\n"));
}

#[test]
fn values_separated_by_commas() {
    let points = printed(&fit(&["rows.csv", "--machine", "bio", "--csv"]));
    assert!(
        points.starts_with(
            "name,segment,machine,n,p,runs,rejected,mean,low,high,fitted\nrows,rows,bio,400,1,4,0,"
        ),
        "{points}"
    );
    let predicted = printed(&fit(&["rows.csv", "--predict", "n=500:1500:500", "--csv"]));
    assert_eq!(predicted.lines().count(), 1 + 9);
    assert!(predicted.contains("\nintel,rows,intel,n=1000,"), "{predicted}");
    let compared = printed(&fit(&["--graph", "heat.graph", "--measured", "heat_measured.csv", "--csv"]));
    assert_eq!(compared.lines().count(), 1 + 20);
    assert!(compared.contains("\nheat,heat,,2000,6,1,14.9379"), "{compared}");
}

#[test]
fn lines_of_json_and_csv_are_read_alike() {
    let csv = "\u{feff}segment,n,seconds\nsort,1000,0.52\nsort,2000,0.54\nsort,4000,0.6\nsort,8000,0.71\n";
    let lines: String = [(1000, 0.52), (2000, 0.54), (4000, 0.6), (8000, 0.71)]
        .iter()
        .map(|(n, seconds)| format!("{{\"segment\": \"sort\", \"n\": {n}, \"seconds\": {seconds}}}\n"))
        .collect();
    let [one, other] = [csv, &lines].map(|text| object(&run_in(".", &["fit", "-", "--json"], text)));
    assert_eq!(one["models"], other["models"]);
    assert_eq!(one["runs"], 4);
}
