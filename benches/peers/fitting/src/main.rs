//! Fits every data set of a file by the search for the normal form: a line of JSON for each.
//!
//! A line has the terms as pairs of exponents of each parameter and of its logarithm, the value at the far
//! point, and the CPU seconds from the runs of the points to the function.

use std::error::Error;
use std::fs;

use cpu_time::ThreadTime;
use serde_json::{Value, json};
use skel_fit::{Function, NormalForm, Power};

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("name a file of data sets")?;
    for line in fs::read_to_string(file)?.lines() {
        let set: Value = serde_json::from_str(line)?;
        let answer = match floats(&set["far"])[..] {
            [far] => one(&set, far),
            [p, n] => two(&set, [p, n]),
            _ => return Err("a data set has one or two parameters".into()),
        };
        println!("{}", answer?);
    }
    Ok(())
}

fn one(set: &Value, far: f64) -> Result<Value, Box<dyn Error>> {
    let (points, values) = (rows(&set["points"]), rows(&set["values"]));
    let begin = ThreadTime::now();
    let means: Vec<(f64, f64)> = points.iter().zip(&values).map(|(point, runs)| (point[0], mean(runs))).collect();
    let fitted = NormalForm::new().fit("n", &means)?;
    Ok(answer(&fitted.function, [far], begin))
}

fn two(set: &Value, far: [f64; 2]) -> Result<Value, Box<dyn Error>> {
    let (points, values) = (rows(&set["points"]), rows(&set["values"]));
    let begin = ThreadTime::now();
    let means: Vec<([f64; 2], f64)> =
        points.iter().zip(&values).map(|(point, runs)| ([point[0], point[1]], mean(runs))).collect();
    let fitted = NormalForm::new().fit_two(["p", "n"], &means)?;
    Ok(answer(&fitted.function, far, begin))
}

fn answer<const VARIABLES: usize>(
    function: &Function<VARIABLES>,
    far: [f64; VARIABLES],
    begin: ThreadTime,
) -> Value {
    let cpu = begin.elapsed().as_secs_f64();
    let terms: Vec<Vec<[f64; 2]>> = function
        .terms()
        .map(|(powers, _)| powers)
        .filter(|powers| powers.iter().any(|power| *power != Power::ONE))
        .map(|powers| powers.iter().map(|power| [power.exponent(), f64::from(power.logarithms())]).collect())
        .collect();
    json!({ "terms": terms, "far": function.at_point(far), "cpu": cpu })
}

fn mean(runs: &[f64]) -> f64 {
    runs.iter().sum::<f64>() / runs.len() as f64
}

fn rows(values: &Value) -> Vec<Vec<f64>> {
    values.as_array().into_iter().flatten().map(floats).collect()
}

fn floats(values: &Value) -> Vec<f64> {
    values.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}
