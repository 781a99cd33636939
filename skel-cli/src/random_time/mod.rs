//! What is answered of a random time, whichever it is: moments, throughput, the distribution at some moments,
//! quantiles; as tables, comma-separated values, JSON and curves.

pub(crate) mod chart;
pub(crate) mod json;
pub(crate) mod text;

use skel::Error;
use skel::number::{Number, Ratio};
use skel::passage::{Figure, Moments, Passage, Point, Quantile};
use skel::response::ResponseTime;

use crate::arguments::RandomTimeArguments;

/// A figure, with the fraction that it is where that was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) figure: Figure,
    pub(crate) exact: Option<String>,
}

impl Known {
    pub(crate) fn new(figure: Figure, exact: Option<&Ratio>) -> Known {
        // A fraction is nearer than a figure with a bound.
        let figure = exact.map_or(figure, |exact| {
            let value = exact.to_float();
            Figure { value, error: value.abs() * f64::EPSILON }
        });
        Known { figure, exact: exact.map(ToString::to_string) }
    }
}

/// Everything that is printed of a random time.
pub(crate) struct RandomTime {
    /// Whether it is finite with probability one.
    pub(crate) is_sure: bool,
    /// The probability that it is finite.
    pub(crate) ends: Known,
    /// Given that it is finite.
    pub(crate) mean: Known,
    pub(crate) variance: Known,
    /// The moments that were asked for, from the mean on.
    pub(crate) moments: Vec<Known>,
    /// How many begin per unit of time, in the steady state.
    pub(crate) throughput: Option<Known>,
    pub(crate) points: Vec<Point>,
    /// What is drawn, where no moments were asked for.
    pub(crate) drawn: Vec<Point>,
    pub(crate) quantiles: Vec<Quantile>,
    pub(crate) has_exact: bool,
}

/// A random time of the library.
pub(crate) trait Timed {
    fn is_sure(&self) -> bool;
    fn moments(&self, count: usize) -> Result<Moments<Figure>, Error>;
    fn moments_exact(&self, count: usize) -> Result<Moments<Ratio>, Error>;
    fn throughput(&self) -> Option<Figure>;
    fn throughput_exact(&self) -> Result<Option<Ratio>, Error>;
    fn curve(&self, times: &[f64], quantiles: &[f64]) -> Result<(Vec<Point>, Vec<Quantile>), Error>;
}

impl<M: ?Sized> Timed for Passage<M> {
    fn is_sure(&self) -> bool {
        Passage::is_sure(self)
    }
    fn moments(&self, count: usize) -> Result<Moments<Figure>, Error> {
        Passage::moments(self, count)
    }
    fn moments_exact(&self, count: usize) -> Result<Moments<Ratio>, Error> {
        Passage::moments_exact(self, count)
    }
    fn throughput(&self) -> Option<Figure> {
        Passage::throughput(self)
    }
    fn throughput_exact(&self) -> Result<Option<Ratio>, Error> {
        Passage::throughput_exact(self)
    }
    fn curve(&self, times: &[f64], quantiles: &[f64]) -> Result<(Vec<Point>, Vec<Quantile>), Error> {
        Passage::curve(self, times, quantiles)
    }
}

impl Timed for ResponseTime {
    fn is_sure(&self) -> bool {
        ResponseTime::is_sure(self)
    }
    fn moments(&self, count: usize) -> Result<Moments<Figure>, Error> {
        ResponseTime::moments(self, count)
    }
    fn moments_exact(&self, count: usize) -> Result<Moments<Ratio>, Error> {
        ResponseTime::moments_exact(self, count)
    }
    fn throughput(&self) -> Option<Figure> {
        Some(ResponseTime::throughput(self))
    }
    fn throughput_exact(&self) -> Result<Option<Ratio>, Error> {
        ResponseTime::throughput_exact(self).map(Some)
    }
    fn curve(&self, times: &[f64], quantiles: &[f64]) -> Result<(Vec<Point>, Vec<Quantile>), Error> {
        ResponseTime::curve(self, times, quantiles)
    }
}

impl RandomTime {
    /// Asks a random time everything that is typed, and for its quantiles.
    pub(crate) fn of(
        time: &dyn Timed,
        asked: &RandomTimeArguments,
        quantiles: &[f64],
    ) -> Result<RandomTime, Error> {
        let asked_moments = usize::from(asked.moments);
        let count = asked_moments.max(2);
        let moments = time.moments(count)?;
        let exact = if asked.exact { Some(time.moments_exact(count)?) } else { None };
        let times = asked.at.as_ref().map_or(&[][..], |times| &times.0);
        let (points, quantiles) = time.curve(times, quantiles)?;
        let drawn = match asked.svg.is_some() && times.is_empty() {
            true => to_draw(time, moments.ends.value)?,
            false => Vec::new(),
        };
        let throughput = match time.throughput() {
            Some(figure) if asked.exact => Some(Known::new(figure, time.throughput_exact()?.as_ref())),
            figure => figure.map(|figure| Known::new(figure, None)),
        };
        let of = |figure: Figure, pick: &dyn Fn(&Moments<Ratio>) -> Option<Ratio>| {
            Known::new(figure, exact.as_ref().and_then(pick).as_ref())
        };
        let raw = |power: usize| of(moments.raw[power], &|exact| exact.raw.get(power).cloned());
        Ok(RandomTime {
            is_sure: time.is_sure(),
            ends: of(moments.ends, &|exact| Some(exact.ends.clone())),
            mean: raw(0),
            variance: of(moments.variance.expect("there are two moments"), &|exact| exact.variance.clone()),
            moments: (0..asked_moments).map(raw).collect(),
            throughput,
            points,
            drawn,
            quantiles,
            has_exact: asked.exact,
        })
    }

    /// A bound on the errors of all figures.
    pub(crate) fn error(&self) -> f64 {
        let known = [&self.ends, &self.mean, &self.variance].into_iter().chain(&self.moments);
        let known = known.chain(&self.throughput).map(|known| known.figure.error);
        let points = self.points.iter().flat_map(|point| [point.probability.error, point.density.error]);
        let quantiles = self.quantiles.iter().filter_map(|quantile| Some(quantile.time?.error));
        known.chain(points).chain(quantiles).fold(0.0, f64::max)
    }
}

/// The moments that show the curves where none were asked for: up to the time by which nearly all have ended.
fn to_draw(time: &dyn Timed, ends: f64) -> Result<Vec<Point>, Error> {
    const NEARLY_ALL: f64 = 0.995;
    const MOMENTS: u32 = 200;
    let (_, quantiles) = time.curve(&[], &[NEARLY_ALL * ends])?;
    let last = quantiles.first().and_then(|quantile| quantile.time).map_or(1.0, |time| time.value);
    let times: Vec<f64> = (0..=MOMENTS).map(|at| last * f64::from(at) / f64::from(MOMENTS)).collect();
    Ok(time.curve(&times, &[])?.0)
}
