//! What a figure of seconds shows: points, curves and bands, without any pixel.

use crate::arguments::FitArguments;
use crate::fit::answer::Answer;
use crate::fit::model::Model;
use crate::fit::questions::place::Place;
use crate::fit::questions::subject::Subject;
use crate::report::table::{printable, rounded};

/// A figure over n, or over p where there is one n alone.
pub(super) struct Figure {
    pub(super) x_name: &'static str,
    pub(super) is_logarithmic: bool,
    /// The least and the largest x.
    pub(super) x: (f64, f64),
    pub(super) series: Vec<Series>,
    /// How many more there are than can be told apart.
    pub(super) left_out: usize,
    pub(super) probability: f64,
    /// Where two curves meet, with their names.
    pub(super) crossings: Vec<(f64, f64, String)>,
}

/// The seconds of one model or program for one number of processes.
pub(super) struct Series {
    pub(super) name: String,
    /// Means of the points that the model was fitted to.
    pub(super) fitted: Vec<(f64, f64)>,
    /// Measured points beside it.
    pub(super) compared: Vec<(f64, f64)>,
    pub(super) curve: Vec<(f64, f64)>,
    /// The ends of the prediction intervals along the curve.
    pub(super) band: Vec<(f64, f64, f64)>,
}

/// More curves than this cannot be told apart.
const MOST_SERIES: usize = 8;

/// How many points a curve has.
const STEPS: usize = 64;

/// A range of x from which on axes are logarithmic: the largest is so many times the least.
const WIDE: f64 = 30.0;

/// What is drawn of an answer.
pub(super) fn figure(answer: &Answer<'_>, arguments: &FitArguments) -> Figure {
    let x_is = usize::from(!varies(answer, arguments, 0) && varies(answer, arguments, 1));
    let x = ends(&xs(answer, arguments, x_is));
    let is_logarithmic = x.1 / x.0 >= WIDE;
    let sampled = sampled(x, is_logarithmic);
    let mut series: Vec<Series> = Vec::new();
    for number in 0..answer.subjects.len() {
        let column = Column { answer, arguments, number, x_is };
        series.extend(column.others().into_iter().filter_map(|other| column.series(other, &sampled)));
    }
    let left_out = series.len().saturating_sub(MOST_SERIES);
    series.truncate(MOST_SERIES);
    Figure {
        x_name: ["n", "p"][x_is],
        is_logarithmic,
        x,
        series,
        left_out,
        probability: answer.probability,
        crossings: crossings(answer),
    }
}

fn crossings(answer: &Answer<'_>) -> Vec<(f64, f64, String)> {
    let pairs = answer.overtaking.iter().flat_map(|found| &found.pairs);
    let met = pairs.flat_map(|pair| pair.crossings.iter().map(move |met| (pair, met)));
    let named = met.map(|(pair, met)| {
        let [one, other] = pair.models.map(|at| printable(&answer.models[at].name));
        (met.n, met.seconds, format!("{one} = {other}"))
    });
    let mut all: Vec<(f64, f64, String)> = named.collect();
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    all
}

/// The values of n, or of p, that something was measured at or asked for.
fn xs(answer: &Answer<'_>, arguments: &FitArguments, x_is: usize) -> Vec<f64> {
    let of_points =
        answer.models.iter().flat_map(|model| &model.points).map(|point| [point.n, f64::from(point.p)][x_is]);
    let of_compared = answer.compared.iter().map(|one| [one.n, f64::from(one.p)][x_is]);
    let of_predicted = answer.predicted.iter().filter_map(|one| one.place.value(["n", "p"][x_is]));
    let range = arguments.crossovers.filter(|_| x_is == 0);
    let of_range = range.iter().flat_map(|range| [range.from, range.to]);
    match range {
        // A range that was asked for is what is to be seen.
        Some(_) => of_range.collect(),
        None => of_points.chain(of_compared).chain(of_predicted).collect(),
    }
}

fn varies(answer: &Answer<'_>, arguments: &FitArguments, x_is: usize) -> bool {
    let (least, most) = ends(&xs(answer, arguments, x_is));
    least < most
}

/// The least and the largest; without any, the sizes that formulas are drawn for.
fn ends(values: &[f64]) -> (f64, f64) {
    let (least, most) = values
        .iter()
        .fold((f64::INFINITY, 0.0), |(least, most), &value| (f64::min(least, value), f64::max(most, value)));
    if least <= most { (least, most) } else { (1.0, 1000.0) }
}

fn sampled((least, most): (f64, f64), is_logarithmic: bool) -> Vec<f64> {
    let part = |step: usize| step as f64 / STEPS as f64;
    let at = |step: usize| match is_logarithmic {
        true => least * (most / least).powf(part(step)),
        false => least + (most - least) * part(step),
    };
    (0..=STEPS).map(at).collect()
}

/// One subject of a figure.
struct Column<'c> {
    answer: &'c Answer<'c>,
    arguments: &'c FitArguments,
    number: usize,
    /// Whether x is n, 0, or p, 1.
    x_is: usize,
}

impl Column<'_> {
    fn model(&self) -> Option<&Model> {
        match &self.answer.subjects[self.number] {
            Subject::Model(model) => Some(model),
            Subject::Program(_) => None,
        }
    }

    /// The values of the other variable, with a curve for each; none where it does not matter.
    fn others(&self) -> Vec<Option<f64>> {
        let other = 1 - self.x_is;
        if let Some(p) = self.arguments.processes.filter(|_| other == 1) {
            return vec![Some(f64::from(p))];
        }
        let implied = self.model().and_then(|model| model.implied(other));
        let of_points = self
            .model()
            .into_iter()
            .flat_map(|model| &model.points)
            .map(|point| [point.n, f64::from(point.p)][other]);
        let compared = self.answer.compared.iter().filter(|one| one.subject == self.number);
        let of_compared = compared.map(|one| [one.n, f64::from(one.p)][other]);
        let predicted = self.answer.predicted.iter().filter(|one| one.subject == self.number);
        let of_predicted = predicted.filter_map(|one| one.place.value(["n", "p"][other]));
        let mut values: Vec<f64> = of_points.chain(of_compared).chain(of_predicted).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        match (implied, values.is_empty()) {
            (Some(value), _) => vec![Some(value)],
            (None, true) => vec![None],
            (None, false) => values.into_iter().map(Some).collect(),
        }
    }

    /// The points and the curve for a value of the other variable.
    fn series(&self, other: Option<f64>, sampled: &[f64]) -> Option<Series> {
        let subject = &self.answer.subjects[self.number];
        let estimates: Vec<_> = sampled
            .iter()
            .filter_map(|&x| {
                Some((x, subject.estimate(&self.place(x, other), self.answer.probability).ok()?))
            })
            .collect();
        let curve: Vec<(f64, f64)> = estimates.iter().map(|(x, estimate)| (*x, estimate.seconds)).collect();
        if !curve.iter().any(|&(_, seconds)| seconds > 0.0 && seconds.is_finite()) {
            return None;
        }
        let band = estimates.iter().filter_map(|(x, estimate)| {
            let interval = estimate.interval?;
            Some((*x, interval.low, interval.high))
        });
        Some(Series {
            name: self.name(other),
            fitted: self.points(
                other,
                self.model()
                    .into_iter()
                    .flat_map(|model| &model.points)
                    .map(|point| ([point.n, f64::from(point.p)], point.mean)),
            ),
            compared: self.points(other, self.compared()),
            curve,
            band: band.collect(),
        })
    }

    fn compared(&self) -> impl Iterator<Item = ([f64; 2], f64)> {
        let own = self.answer.compared.iter().filter(|one| one.subject == self.number);
        own.map(|one| ([one.n, f64::from(one.p)], one.measured))
    }

    /// The points at a value of the other variable: all where the model does not depend on it.
    fn points(&self, other: Option<f64>, all: impl Iterator<Item = ([f64; 2], f64)>) -> Vec<(f64, f64)> {
        let is_alone = self.others().len() == 1 && self.arguments.processes.is_none();
        let own = all.filter(|(at, _)| is_alone || other.is_none_or(|value| at[1 - self.x_is] == value));
        own.map(|(at, seconds)| (at[self.x_is], seconds)).collect()
    }

    fn place(&self, x: f64, other: Option<f64>) -> Place {
        let names = ["n", "p"];
        let mut values = vec![(names[self.x_is].to_owned(), x)];
        values.extend(other.map(|value| (names[1 - self.x_is].to_owned(), value)));
        values.extend(self.arguments.set.iter().cloned());
        Place(values)
    }

    /// What the curve is called: with the other variable where there are several curves.
    fn name(&self, other: Option<f64>) -> String {
        let name = printable(self.answer.subjects[self.number].name());
        match other {
            Some(value) if self.others().len() > 1 => {
                let of_other = format!("{} = {}", ["n", "p"][1 - self.x_is], rounded(value, 6));
                if self.answer.subjects.len() > 1 { format!("{name}, {of_other}") } else { of_other }
            }
            _ => name,
        }
    }
}
