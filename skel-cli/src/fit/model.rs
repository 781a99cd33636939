//! A model of each segment on each machine type: fitted to its points, or given as a formula.

use skel::fit::runs::{Interval, Point};
use skel::fit::{
    FitError, Function, LinearModel, NormalForm, NormalFormError, Power, Quality, TwoSteps, Warning,
    Weighting,
};

use crate::arguments::FitArguments;
use crate::errors::Problem;

/// The seconds of a segment on a machine type as a function of n and p.
pub(super) struct Model {
    /// What it is called among the others.
    pub(super) name: String,
    /// Empty for a formula.
    pub(super) points: Vec<Point>,
    pub(super) segment: String,
    /// Empty where the runs name none, and for a formula.
    pub(super) machine: String,
    pub(super) fit: Fit,
}

/// How the function was found.
pub(super) enum Fit {
    /// It was given.
    Formula(Function<2>),
    /// By a search for the terms, which are then fitted once more, for their errors.
    Searched(Box<Searched>),
    /// From given terms.
    Linear(Box<LinearModel<2>>),
    TwoSteps(Box<TwoSteps>),
}

/// What a search has found.
pub(super) struct Searched {
    pub(super) model: LinearModel<2>,
    /// The relative error of points that are left out.
    pub(super) left_out_error: f64,
    /// The next best functions with the same error of each.
    pub(super) others: Vec<(Function<2>, f64)>,
}

/// What is predicted for a point.
#[derive(Clone)]
pub(super) struct Estimate {
    pub(super) seconds: f64,
    pub(super) interval: Option<Interval>,
    pub(super) cautions: Vec<Caution>,
}

/// Why an estimate may be far off: in a word, and in a sentence.
#[derive(Clone)]
pub(super) struct Caution {
    pub(super) word: &'static str,
    pub(super) text: String,
}

/// The models of all groups of points and of all formulas, and what is wrong with those that cannot be
/// fitted.
pub(super) fn models(points: Vec<Point>, arguments: &FitArguments) -> (Vec<Model>, Vec<Problem>) {
    let groups = groups(points);
    let has_several =
        |name: fn(&Point) -> &String| groups.iter().any(|group| name(&group[0]) != name(&groups[0][0]));
    let has_several = [has_several(|point| &point.segment), has_several(|point| &point.machine)];
    let (mut models, mut problems) = (Vec::new(), Vec::new());
    for group in groups {
        let name = name(&group[0], has_several);
        match fitted(&group, arguments) {
            Ok(fit) => {
                let (segment, machine) = (group[0].segment.clone(), group[0].machine.clone());
                models.push(Model { name, segment, machine, fit, points: group });
            }
            Err(why) => problems.push(unfitted(&name, &why)),
        }
    }
    models.extend(arguments.formula.iter().map(|formula| Model {
        name: formula.name.clone(),
        segment: formula.name.clone(),
        machine: String::new(),
        points: Vec::new(),
        fit: Fit::Formula(formula.function.clone()),
    }));
    problems.extend(repeated(&models));
    (models, problems)
}

/// The points of each segment on each machine type. They are in this order.
fn groups(points: Vec<Point>) -> Vec<Vec<Point>> {
    let mut groups: Vec<Vec<Point>> = Vec::new();
    for point in points {
        let same =
            |group: &&mut Vec<Point>| group[0].segment == point.segment && group[0].machine == point.machine;
        match groups.last_mut().filter(same) {
            Some(group) => group.push(point),
            None => groups.push(vec![point]),
        }
    }
    groups
}

/// The name of a group, as short as it can be told from the others.
fn name(point: &Point, [segments, machines]: [bool; 2]) -> String {
    let Point { segment, machine, .. } = point;
    match (segments, machines) {
        _ if machine.is_empty() => segment.clone(),
        (false, true) => machine.clone(),
        (true, true) => format!("{segment} on {machine}"),
        _ => segment.clone(),
    }
}

/// Formulas that have the name of another model.
fn repeated(models: &[Model]) -> Vec<Problem> {
    let is_repeated =
        |(place, model): &(usize, &Model)| models[..*place].iter().any(|other| other.name == model.name);
    let again = models.iter().enumerate().filter(is_repeated);
    let problem = |(_, model): (usize, &Model)| {
        let message = format!("`--formula {}=..`: another model has this name", model.name);
        Problem::error("repeated_name", message).help("give the formula a name of its own")
    };
    again.map(problem).collect()
}

fn unfitted(name: &str, why: &str) -> Problem {
    let message = format!("no model fits `{name}`: {why}");
    match message.split_once("; help: ") {
        Some((message, help)) => Problem::error("not_fitted", message).help(help),
        None => Problem::error("not_fitted", message),
    }
}

/// The terms of n of the paper's two steps.
fn usual_terms() -> Vec<Power> {
    [0, 1, 2].map(|exponent| Power::new(exponent, 1)).to_vec()
}

/// Fits a model to the means of some points.
fn fitted(points: &[Point], arguments: &FitArguments) -> Result<Fit, String> {
    let means: Vec<([f64; 2], f64)> =
        points.iter().map(|point| ([point.n, f64::from(point.p)], point.mean)).collect();
    let of_point = |error: FitError| located(&error, points);
    match &arguments.terms {
        _ if arguments.two_steps => {
            if points.iter().all(|point| point.p == points[0].p) {
                return Err(format!(
                    "all points have p = {}, and the second step needs two p at least; help: time the program with several numbers of processes, or leave out `--two-steps`",
                    points[0].p
                ));
            }
            let terms = match &arguments.terms {
                Some(terms) => of_size(&terms.0)?,
                None => usual_terms(),
            };
            TwoSteps::fit(&terms, &means).map(|model| Fit::TwoSteps(Box::new(model))).map_err(of_point)
        }
        Some(terms) => LinearModel::fit(["n", "p"], &terms.0, &means, arguments.weighting.into())
            .map(|model| Fit::Linear(Box::new(model)))
            .map_err(of_point),
        None => searched(&means).map(|found| Fit::Searched(Box::new(found))),
    }
}

/// Terms of n alone.
fn of_size(terms: &[[Power; 2]]) -> Result<Vec<Power>, String> {
    match terms.iter().all(|[_, of_p]| *of_p == Power::ONE) {
        true => Ok(terms.iter().map(|[of_n, _]| *of_n).collect()),
        false => Err("the terms of two steps are terms of n alone; help: leave p out of `--terms`: the second step is in 1 and 1/p".into()),
    }
}

/// A point of an error in words that a reader of the file knows.
fn located(error: &FitError, points: &[Point]) -> String {
    match error {
        FitError::Point { index, message } => match points.get(*index) {
            Some(point) => format!("at n = {}, p = {}, {message}", point.n, point.p),
            None => message.clone(),
        },
        other => other.to_string(),
    }
}

/// The terms that predict best: of n, of p, or of both, by what varies.
fn searched(means: &[([f64; 2], f64)]) -> Result<Searched, String> {
    let varies = |at: usize| means.iter().any(|(point, _)| point[at] != means[0].0[at]);
    let of_one =
        |at: usize| means.iter().map(move |(point, seconds)| (point[at], *seconds)).collect::<Vec<_>>();
    let of_p = NormalForm::new().and_inverses();
    let found = match [varies(0), varies(1)] {
        [true, true] => {
            Candidates::of(NormalForm::new().with_second(of_p).fit_two(["n", "p"], means), |powers| powers)
        }
        [false, true] => Candidates::of(of_p.fit("p", &of_one(1)), |[of_p]| [Power::ONE, of_p]),
        _ => Candidates::of(NormalForm::new().fit("n", &of_one(0)), |[of_n]| [of_n, Power::ONE]),
    };
    let Candidates { best, left_out_error, others } = found.map_err(|error| error.to_string())?;
    let mut terms: Vec<[Power; 2]> = best.terms().map(|(powers, _)| powers).collect();
    // A constant that came out as 0 is still one of the coefficients.
    if !terms.contains(&[Power::ONE; 2]) {
        terms.insert(0, [Power::ONE; 2]);
    }
    let model = LinearModel::fit(["n", "p"], &terms, means, Weighting::Relative)
        .map_err(|error| error.to_string())?;
    Ok(Searched { model, left_out_error, others })
}

/// The functions of a search, as functions of n and p.
struct Candidates {
    best: Function<2>,
    left_out_error: f64,
    others: Vec<(Function<2>, f64)>,
}

impl Candidates {
    fn of<const VARIABLES: usize>(
        found: Result<skel::fit::Fitted<VARIABLES>, NormalFormError>,
        both: impl Fn([Power; VARIABLES]) -> [Power; 2],
    ) -> Result<Candidates, NormalFormError> {
        let found = found?;
        let of_both = |function: &Function<VARIABLES>| {
            Function::of(
                ["n", "p"],
                function.terms().map(|(powers, coefficient)| (both(powers), coefficient)),
            )
        };
        Ok(Candidates {
            best: of_both(&found.function),
            left_out_error: found.left_out_error,
            others: found.others.iter().map(|(function, error)| (of_both(function), *error)).collect(),
        })
    }
}

impl Model {
    pub(super) fn function(&self) -> &Function<2> {
        match &self.fit {
            Fit::Formula(function) => function,
            Fit::Searched(found) => &found.model.function,
            Fit::Linear(model) => &model.function,
            Fit::TwoSteps(model) => &model.function,
        }
    }

    /// A formula has none.
    pub(super) fn quality(&self) -> Option<&Quality> {
        match &self.fit {
            Fit::Formula(_) => None,
            Fit::Searched(found) => Some(&found.model.quality),
            Fit::Linear(model) => Some(&model.quality),
            Fit::TwoSteps(model) => Some(&model.quality),
        }
    }

    /// The fit that coefficients with standard errors and intervals come from. A formula has none.
    pub(super) fn linear(&self) -> Option<&LinearModel<2>> {
        match &self.fit {
            Fit::Formula(_) => None,
            Fit::Searched(found) => Some(&found.model),
            Fit::Linear(model) => Some(model),
            Fit::TwoSteps(model) => Some(&model.joint),
        }
    }

    /// The seconds at a size and a number of processes.
    pub(super) fn estimate(&self, [n, p]: [f64; 2], probability: f64) -> Estimate {
        let predicted = match &self.fit {
            Fit::Formula(function) => {
                let seconds = function.at_point([n, p]);
                return Estimate { seconds, interval: None, cautions: Caution::of_time(seconds) };
            }
            Fit::Searched(found) => found.model.predict([n, p], probability),
            Fit::Linear(model) => model.predict([n, p], probability),
            Fit::TwoSteps(model) => model.predict([n, p], probability),
        };
        let cautions = predicted.warnings.iter().map(Caution::of).collect();
        Estimate { seconds: predicted.value, interval: predicted.interval, cautions }
    }

    /// The least and the largest n, or p, of its points.
    pub(super) fn range(&self, variable: usize) -> Option<(f64, f64)> {
        let values = self.points.iter().map(|point| [point.n, f64::from(point.p)][variable]);
        values.fold(None, |range, value| {
            let (least, most) = range.unwrap_or((value, value));
            Some((f64::min(least, value), f64::max(most, value)))
        })
    }

    /// The value of n, or of p, that a question may leave out: it is the only one that was measured, or it
    /// changes nothing.
    pub(super) fn implied(&self, variable: usize) -> Option<f64> {
        let depends = self.function().terms().any(|(powers, _)| powers[variable] != Power::ONE);
        match self.range(variable) {
            Some((least, most)) if least == most || !depends => Some(least),
            None if !depends => Some(1.0),
            _ => None,
        }
    }

    /// How many runs were rejected as outliers.
    pub(super) fn rejected(&self) -> usize {
        self.points.iter().map(|point| point.rejected.len()).sum()
    }

    pub(super) fn runs(&self) -> usize {
        self.points.iter().map(|point| point.kept.len()).sum::<usize>() + self.rejected()
    }
}

impl Caution {
    fn of(warning: &Warning) -> Caution {
        let word = match warning {
            Warning::Extrapolated { .. } => "extrapolated",
            Warning::Negative { .. } => "negative",
            Warning::NoDegreesOfFreedom => "no interval",
            _ => "see --json",
        };
        Caution { word, text: warning.to_string() }
    }

    /// That a time of a formula or of a graph is none.
    pub(super) fn of_time(seconds: f64) -> Vec<Caution> {
        let negative = (seconds < 0.0).then_some(Warning::Negative { seconds });
        negative.iter().map(Caution::of).collect()
    }
}
