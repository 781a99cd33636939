//! Fits in two steps, their intervals and runs, against values that were computed in exact fractions.

use serde_json::Value;
use skel_fit::runs::{Rule, Runs, Scores, TimedRun};
use skel_fit::{FitError, Function, LinearModel, Power, TwoSteps, Warning, Weighting};

fn reference() -> Value {
    serde_json::from_str(include_str!("seeds/linear.json")).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_str().map_or_else(|| value.as_f64().unwrap(), |text| text.parse().unwrap())
}

fn numbers(values: &Value) -> Vec<f64> {
    values.as_array().unwrap().iter().map(number).collect()
}

fn is_near(found: f64, expected: &Value, tolerance: f64) {
    let expected = number(expected);
    assert!(
        (found - expected).abs() <= tolerance * expected.abs().max(1e-300),
        "{found} instead of {expected}"
    );
}

fn terms(case: &Value) -> Vec<Power> {
    let texts = case["basis_n"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
    let power = |text: &str| text.parse::<Function>().unwrap().terms().next().unwrap().0[0];
    texts.map(power).collect()
}

fn points(case: &Value) -> Vec<([f64; 2], f64)> {
    let rows = case["rows"].as_array().unwrap().iter();
    rows.map(|row| ([number(&row[0]), number(&row[1])], number(&row[2]))).collect()
}

#[test]
fn two_steps_have_the_exact_coefficients() {
    for case in reference()["two_step"].as_array().unwrap() {
        let model = TwoSteps::fit(&terms(case), &points(case)).unwrap();
        let expected = &case["expect"];
        for (step, expected) in model.first.iter().zip(expected["step1"].as_array().unwrap()) {
            assert_eq!(step.p, number(&expected["p"]));
            for ((_, found), expected) in
                step.model.coefficients().zip(expected["coefficients"].as_array().unwrap())
            {
                is_near(found, expected, 1e-8);
            }
            is_near(step.model.quality.r_squared, &expected["R2"], 1e-12);
        }
        for (step, expected) in model.second.iter().zip(expected["step2"].as_array().unwrap()) {
            // A constant of the cubic is 1e-12 of coefficients of 1e-9: its digits are lost with those of the
            // first step.
            let tolerance = if case["id"] == "cubic" { 1e-4 } else { 1e-7 };
            is_near(step.constant, &expected["constant"], tolerance);
            is_near(step.per_inverse_p, &expected["per_inverse_p"], 1e-7);
            is_near(step.quality.r_squared, &expected["R2"], 1e-7);
        }
        is_near(model.quality.r_squared, &expected["R2_all"], 1e-12);
        is_near(model.quality.smape, &expected["SMAPE_all_percent"], 1e-9);
        assert_eq!(model.is_joint, expected["equals_joint_fit"].as_bool().unwrap(), "{}", case["id"]);
        for ((_, found), expected) in
            model.joint.coefficients().zip(expected["joint_fit"].as_array().unwrap())
        {
            is_near(found, expected, if case["id"] == "cubic" { 1e-4 } else { 1e-7 });
        }
    }
}

#[test]
fn predictions_say_where_they_are_extrapolated() {
    for case in reference()["two_step"].as_array().unwrap() {
        let model = TwoSteps::fit(&terms(case), &points(case)).unwrap();
        for expected in case["expect"]["predictions"].as_array().unwrap() {
            let found = model.predict([number(&expected["n"]), number(&expected["p"])], 0.95);
            is_near(found.value, &expected["estimate"], 1e-9);
            let has = |kind: fn(&Warning) -> bool| found.warnings.iter().any(kind);
            assert_eq!(
                has(|warning| matches!(warning, Warning::Extrapolated { .. })),
                expected["extrapolated"].as_bool().unwrap()
            );
            assert_eq!(
                has(|warning| matches!(warning, Warning::Negative { .. })),
                expected["negative"].as_bool().unwrap()
            );
        }
    }
}

#[test]
fn intervals_are_those_of_the_joint_fit() {
    let reference = reference();
    let cases = reference["two_step"].as_array().unwrap().iter();
    let mut compared = 0;
    for case in cases.filter(|case| case["expect"]["interval_joint"].is_object()) {
        let model = TwoSteps::fit(&terms(case), &points(case)).unwrap();
        let joint = &case["expect"]["interval_joint"];
        let one = &case["expect"]["interval_one_p"];
        let of_one = model.first.iter().find(|step| step.p == number(&one["p"])).unwrap();
        for (probability, expected) in joint["intervals"].as_object().unwrap() {
            let found =
                model.predict([number(&joint["n"]), number(&joint["p"])], probability.parse().unwrap());
            compare(&found, expected);
            let found = of_one.model.predict([number(&one["n"])], probability.parse().unwrap());
            compare(&found, &one["intervals"][probability]);
            compared += 1;
        }
    }
    assert_eq!(compared, 6);
}

fn compare(found: &skel_fit::Prediction, expected: &Value) {
    let (run, mean) = (found.interval.unwrap(), found.interval_of_mean.unwrap());
    is_near(run.low, &expected["prediction"][0], 1e-8);
    is_near(run.high, &expected["prediction"][1], 1e-8);
    is_near(mean.low, &expected["mean"][0], 1e-8);
    is_near(mean.high, &expected["mean"][1], 1e-8);
}

#[test]
fn coefficients_of_the_particles_of_the_paper() {
    let pgf = &reference()["pgf"];
    for name in ["C1", "C2", "C3"] {
        let points: Vec<([f64; 1], f64)> =
            numbers(&pgf["p"]).into_iter().map(|p| [p]).zip(numbers(&pgf[name])).collect();
        let model =
            LinearModel::fit(["p"], &[[Power::ONE], [Power::new(-1, 1)]], &points, Weighting::Equal).unwrap();
        for ((_, found), expected) in model.coefficients().zip(pgf["fit"][name].as_array().unwrap()) {
            is_near(found, expected, 2e-5);
        }
        is_near(model.quality.r_squared, &pgf["R2"][name], 1e-6);
    }
}

#[test]
fn designs_that_leave_coefficients_open_are_refused() {
    let terms = [Power::ONE, Power::new(1, 1), Power::new(2, 1)];
    let grid = |sizes: &[f64], processes: &[f64]| -> Vec<([f64; 2], f64)> {
        sizes.iter().flat_map(|&n| processes.iter().map(move |&p| ([n, p], n * p))).collect()
    };
    let messages = [
        (
            grid(&[10.0, 20.0], &[1.0, 2.0]),
            "with 1 processes, 3 coefficients need at least 3 points, and there are 2; help: time the program at more different sizes with 1 processes, or take fewer terms",
        ),
        (
            grid(&[10.0, 10.0, 10.0], &[1.0, 2.0]),
            "with 1 processes, the 3 points determine 1 of 3 coefficients: some terms are proportional on these points; help: time the program at more different sizes with 1 processes, or take fewer terms",
        ),
        (
            grid(&[10.0, 20.0, 30.0], &[2.0]),
            "2 coefficients need at least 2 points, and there are 1; help: time the program at more different sizes, or take fewer terms",
        ),
        (
            vec![([10.0, 2.0], f64::NAN)],
            "point 1: the value is NaN; help: write a finite number, above 0 where relative errors count",
        ),
        (
            vec![([10.0, 2.0], 1.0), ([-1.0, 2.0], 1.0)],
            "point 2: n is -1; help: it must be above 0 and finite",
        ),
        (
            vec![],
            "2 coefficients need at least 2 points, and there are 0; help: time the program at more different sizes, or take fewer terms",
        ),
    ];
    for (points, message) in messages {
        let error: FitError = TwoSteps::fit(&terms, &points).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn outliers_are_those_of_the_reference() {
    for case in reference()["outliers"].as_array().unwrap() {
        let (times, expected) = (numbers(&case["values"]), &case["expect"]);
        let scores = Scores::of(&times);
        let rule = match expected["rule"].as_str().unwrap() {
            "MAD" => Rule::MedianDeviation,
            "mean absolute deviation (MAD=0)" => Rule::MeanDeviation,
            _ => Rule::None,
        };
        assert_eq!(scores.rule, rule);
        if let Some(expected) = expected["scores"].as_array() {
            for (found, expected) in scores.scores.iter().zip(expected) {
                assert!(
                    (found - number(expected)).abs() < 1e-9 * number(expected).abs().max(1.0),
                    "{found} and {expected}"
                );
            }
        }
        let runs = times.iter().enumerate().map(|(run, &seconds)| TimedRun {
            segment: "s".into(),
            machine: "m".into(),
            n: 1.0,
            p: 1,
            seconds,
            run: run as u32,
        });
        let point = Runs::new(runs).unwrap().points().remove(0);
        let rejected: Vec<u32> = point.rejected.iter().map(|rejected| rejected.run).collect();
        assert_eq!(Value::from(rejected), expected["rejected"]);
        is_near(point.mean, &expected["mean"], 1e-12);
        is_near(point.interval.unwrap().low, &expected["ci95"][0], 1e-9);
        is_near(point.interval.unwrap().high, &expected["ci95"][1], 1e-9);
    }
}

#[test]
fn runs_are_read_as_they_are_written() {
    let text = "segment,machine,n,p,seconds,run\nrows,bio,500,4,0.82,1\n\"a, b\",intel,1e3,2,1.5,7\n";
    let runs = Runs::from_csv(text).unwrap();
    assert_eq!(runs.segments(), ["a, b", "rows"]);
    assert_eq!(runs.machines(), ["bio", "intel"]);
    assert_eq!(Runs::from_csv(&runs.to_csv()).unwrap(), runs);
    assert_eq!(Runs::from_json_lines(&runs.to_json_lines()).unwrap(), runs);
    let counted = Runs::from_csv("seconds, n\n1.0, 5\n# a comment\n1.1, 5\n2.0, 6\n").unwrap();
    assert_eq!(counted.iter().map(|run| run.run).collect::<Vec<_>>(), [1, 2, 1]);
}

#[test]
fn every_wrong_line_is_told() {
    let text = "n,p,seconds,run\n500,4,0.8,1\n-1,4,0.8,1\n500,0,x,1\n500,,nan,1.5\n500,2,0.5,1,9\n,2,1,1\n";
    let message = "line 3: `n` is -1; help: it must be above 0 and finite
line 4: `seconds` is `x`; help: write a number
line 5: `run` is `1.5`; help: write a whole number
line 6: there are 5 values, and 4 names in the first line; help: write a value for each name
line 7: `n` is missing; help: write a number for `n`";
    assert_eq!(Runs::from_csv(text).unwrap_err().to_string(), message);
    let heads = [
        (
            "time,n\n1,2\n",
            "line 1: `time` is no part of a run; help: the names are segment, machine, n, p, seconds, run\nline 1: `seconds` is missing in the first line; help: the names are segment, machine, n, p, seconds, run",
        ),
        (
            "n,n,seconds\n1,1,1\n",
            "line 1: `n` is there twice; help: the names are segment, machine, n, p, seconds, run",
        ),
        (
            "segment;n;seconds\nrows;500;0,8\n",
            "line 1: the values are separated by semicolons; help: write commas between values, and a point before decimals, as in `rows,500,0.82`",
        ),
        (
            "n,seconds\n",
            "line 1: there is no run; help: write the names in the first line, and a run in each line after it",
        ),
    ];
    for (text, message) in heads {
        assert_eq!(Runs::from_csv(text).unwrap_err().to_string(), message);
    }
    let lines = "{\"n\": 5, \"seconds\": 1, \"time\": 2}\n[1]\n{\"n\": 5,\n";
    let error = Runs::from_json_lines(lines).unwrap_err();
    assert_eq!(error.problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(Runs::from_csv("").is_err() && Runs::from_json_lines("").is_err());
    let many = "n,seconds\n".to_owned() + &"0,0\n".repeat(50);
    assert_eq!(Runs::from_csv(&many).unwrap_err().more, 80);
}
