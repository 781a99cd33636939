//! Where one model overtakes another, and which is the cheapest where.

use skel::fit::{Cheapest, CrossingKind, Function, RangeError, cheapest, crossovers};

use crate::errors::Problem;
use crate::fit::model::Model;
use crate::quantity::SizeRange;

/// All crossovers of models in a range of n.
pub(in crate::fit) struct Overtaking {
    pub(in crate::fit) range: SizeRange,
    /// The p of each model that depends on it.
    pub(in crate::fit) processes: Vec<Option<f64>>,
    pub(in crate::fit) pairs: Vec<Pair>,
    /// Parts of the range with the number of the cheapest model.
    pub(in crate::fit) cheapest: Vec<Cheapest>,
    pub(in crate::fit) negative: Vec<Negative>,
}

/// Two models by their numbers.
pub(in crate::fit) struct Pair {
    pub(in crate::fit) models: [usize; 2],
    /// Whether they are one function, so that all sizes are crossovers.
    pub(in crate::fit) are_identical: bool,
    pub(in crate::fit) crossings: Vec<Met>,
}

/// A size at which two models take the same time.
pub(in crate::fit) struct Met {
    pub(in crate::fit) n: f64,
    pub(in crate::fit) kind: CrossingKind,
    pub(in crate::fit) seconds: f64,
    /// Whether it lies outside of what was measured for one of the two.
    pub(in crate::fit) is_extrapolated: bool,
}

/// Where a model has negative seconds: it does not hold there.
pub(in crate::fit) struct Negative {
    pub(in crate::fit) model: usize,
    pub(in crate::fit) from: f64,
    pub(in crate::fit) to: f64,
}

/// The function of n that a model is for a number of processes.
pub(in crate::fit) fn of_size(model: &Model, processes: Option<u32>) -> Result<Function, Box<Problem>> {
    match processes.map(f64::from).or_else(|| model.implied(1)) {
        Some(p) => Ok(model.function().with(1, p)),
        None => {
            let message = format!("`{}` depends on p, which has no value here", model.name);
            Err(Box::new(
                Problem::error("no_value", message)
                    .help("say how many processes there are with `--processes`"),
            ))
        }
    }
}

/// The crossovers of all pairs of models, or why there are none.
pub(in crate::fit) fn overtaking(
    models: &[Model],
    range: SizeRange,
    processes: Option<u32>,
) -> Result<Overtaking, Vec<Problem>> {
    let (functions, problems): (Vec<_>, Vec<_>) =
        models.iter().map(|model| of_size(model, processes)).partition(Result::is_ok);
    let mut problems: Vec<Problem> =
        problems.into_iter().filter_map(Result::err).map(|problem| *problem).collect();
    let functions: Vec<Function> = functions.into_iter().flatten().collect();
    if models.len() < 2 {
        let message = "`--crossovers` needs two models, of segments, of machine types or of formulas";
        problems.push(
            Problem::error("no_crossovers", message).help("give another model with `--formula NAME=..`"),
        );
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let of_range = |error: RangeError| vec![refused(&error)];
    let pairs = pairs(models, &functions, range).map_err(of_range)?;
    let SizeRange { from, to } = range;
    let cheapest = cheapest(&functions, from..=to).map_err(of_range)?;
    let depends = |model: &Model| {
        let of_p = processes.map(f64::from).or_else(|| model.implied(1));
        of_p.filter(|_| model.function().terms().any(|(powers, _)| powers[1] != skel::fit::Power::ONE))
    };
    let processes = models.iter().map(depends).collect();
    Ok(Overtaking {
        range,
        processes,
        pairs,
        cheapest,
        negative: negative(&functions, range).map_err(of_range)?,
    })
}

fn refused(error: &RangeError) -> Problem {
    let text = error.to_string();
    let (message, help) = text.split_once("; help: ").unwrap_or((&text, "take another range"));
    Problem::error("no_crossovers", format!("`--crossovers`: {message}")).help(help)
}

fn pairs(models: &[Model], functions: &[Function], range: SizeRange) -> Result<Vec<Pair>, RangeError> {
    let mut pairs = Vec::new();
    for one in 0..functions.len() {
        for other in one + 1..functions.len() {
            let found = match crossovers(&functions[one], &functions[other], range.from..=range.to) {
                Err(RangeError::Identical) => None,
                found => Some(found?),
            };
            let is_measured = |n: f64| [one, other].iter().all(|&at| holds(&models[at], n));
            let met = |crossing: &skel::fit::Crossing| Met {
                n: crossing.at,
                kind: crossing.kind,
                seconds: functions[one].at(crossing.at),
                is_extrapolated: !is_measured(crossing.at),
            };
            pairs.push(Pair {
                models: [one, other],
                are_identical: found.is_none(),
                crossings: found.iter().flatten().map(met).collect(),
            });
        }
    }
    Ok(pairs)
}

/// Whether a size was measured, or lies between sizes that were. A formula says nothing of that.
fn holds(model: &Model, n: f64) -> bool {
    model.range(0).is_none_or(|(least, most)| (least..=most).contains(&n))
}

/// Where each function is less than the function that is 0 everywhere.
fn negative(functions: &[Function], SizeRange { from, to }: SizeRange) -> Result<Vec<Negative>, RangeError> {
    let zero = Function::new([]);
    let mut found = Vec::new();
    for (model, function) in functions.iter().enumerate() {
        let parts = cheapest(&[function.clone(), zero.clone()], from..=to)?;
        let below = parts
            .into_iter()
            .filter(|part| part.function == 0 && function.at(f64::midpoint(part.from, part.to)) < 0.0);
        found.extend(below.map(|part| Negative { model, from: part.from, to: part.to }));
    }
    Ok(found)
}
