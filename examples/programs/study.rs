//! Programs that are timed, fitted on small sizes, predicted for larger ones, and timed there too.

use std::error::Error;
use std::path::{Path, PathBuf};

use skel::fit::runs::{Runs, Trial, median};
use skel::fit::timer::{Segment, Timer};
use skel::fit::{LinearModel, Power, Prediction, Warning, Weighting};

use crate::figure::{self, Curve, Figure, Kuva, STYLES, Style};
use crate::loops::{InTurn, Manner, Team, Wire};

/// What the command line asks for.
pub(crate) struct Options {
    /// `--full`: larger sizes, which need a release build.
    pub(crate) is_full: bool,
    /// `--svg FILE`: a picture.
    svg: Option<PathBuf>,
    /// `--runs FILE`: all timed runs are added to this file.
    runs: Option<PathBuf>,
}

impl Options {
    pub(crate) fn read() -> Result<Self, Box<dyn Error>> {
        let mut options = Options { is_full: false, svg: None, runs: None };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut file = || arguments.next().map(PathBuf::from).ok_or(format!("{argument} needs a file"));
            match argument.as_str() {
                "--full" => options.is_full = true,
                "--svg" => options.svg = Some(file()?),
                "--runs" => options.runs = Some(file()?),
                other => {
                    return Err(format!(
                        "`{other}` is no option; these are: --full, --svg FILE, --runs FILE"
                    )
                    .into());
                }
            }
        }
        Ok(options)
    }

    /// Adds the timed runs to the file that was asked for.
    pub(crate) fn keep(&self, runs: &Runs) -> Result<(), Box<dyn Error>> {
        self.runs.as_ref().map_or(Ok(()), |file| Ok(runs.append_to_file(file)?))
    }

    /// Draws the picture that was asked for: a line of what is predicted and marks of what was measured for
    /// each name.
    pub(crate) fn draw(
        &self,
        title: &str,
        names: &[[&'static str; 2]],
        compared: &[Compared],
    ) -> Result<(), Box<dyn Error>> {
        let Some(file) = &self.svg else { return Ok(()) };
        let mut curves = Vec::new();
        for ([name, measured], style) in names.iter().zip(STYLES) {
            let of_name = |value: fn(&Compared) -> f64| {
                let of_name = compared.iter().filter(|compared| compared.name == *name);
                of_name.map(|compared| (compared.n, value(compared))).collect::<Vec<_>>()
            };
            let line = Style { marker: None, ..style };
            let marks = Style { dashes: None, ..style };
            curves.push(Curve { name, style: line, points: of_name(|compared| compared.predicted.seconds) });
            curves.push(Curve {
                name: measured,
                style: marks,
                points: of_name(|compared| compared.measured),
            });
        }
        let figure = Figure {
            title,
            across: "size n",
            up: "seconds",
            is_logarithmic: true,
            curves: curves.iter().collect(),
        };
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = file.file_stem().and_then(|name| name.to_str()).ok_or("--svg needs the name of a file")?;
        println!("\n{}", figure::write(&figure, &Kuva, folder, name)?.display());
        Ok(())
    }
}

/// A timer of the work and of the messages: of processor time, where the system has it.
fn timer() -> (Timer, [Segment; 2]) {
    #[cfg(unix)]
    return Timer::of_processor(["work", "message"]);
    #[cfg(not(unix))]
    Timer::new(["work", "message"])
}

/// What was measured when a program was played.
pub(crate) struct Measured {
    pub(crate) seconds: f64,
    /// The type of machine of each worker that worked, with its seconds for an item.
    pub(crate) items: Vec<(String, f64)>,
    /// How many numbers a message had on average, and how long it took.
    pub(crate) message: (f64, f64),
}

/// Plays a program in turn, and times its parts.
pub(crate) fn play(
    team: &Team,
    manner: Manner,
    pace: &dyn Fn(usize, f64) -> u32,
    wire: &mut Wire,
    program: impl FnOnce(&mut InTurn<'_>) -> Result<(), Box<dyn Error>>,
) -> Result<Measured, Box<dyn Error>> {
    let (timer, segments) = timer();
    let mut loops = InTurn::new(team, manner, pace, wire, (&timer, segments));
    program(&mut loops)?;
    let played = loops.end();
    let times = timer.times();
    let [work, message] = segments.map(|segment| times.of(segment));
    let items =
        work.iter().map(|time| (time.machine.clone(), time.seconds / played.items[time.process] as f64));
    let passes: u64 = message.iter().map(|time| time.passes).sum();
    let seconds: f64 = message.iter().map(|time| time.seconds).sum();
    Ok(Measured {
        seconds: played.seconds,
        items: items.collect(),
        message: (played.values as f64 / passes as f64, seconds / passes as f64),
    })
}

/// Everything that was measured at the sizes to which models are fitted.
#[derive(Default)]
pub(crate) struct Measurements {
    pub(crate) runs: Runs,
    /// Numbers of a message and its seconds.
    messages: Vec<([f64; 1], f64)>,
}

impl Measurements {
    /// Adds what was measured: the whole program under a name, and an item on each type of machine.
    pub(crate) fn add(
        &mut self,
        name: &str,
        trial: Trial,
        measured: &Measured,
    ) -> Result<(), Box<dyn Error>> {
        let mut runs = vec![trial.timed(name, "team", measured.seconds)];
        runs.extend(measured.items.iter().map(|(machine, seconds)| trial.timed("item", machine, *seconds)));
        self.runs.append(Runs::new(runs)?);
        self.messages.push(([measured.message.0], measured.message.1));
        Ok(())
    }

    /// The points of a segment: sizes, numbers of processes and seconds, each the mean of the runs that are
    /// no outliers.
    pub(crate) fn points(&self, segment: &str, machine: &str) -> Vec<([f64; 2], f64)> {
        let points = self.runs.points().into_iter();
        let of_segment = points.filter(|point| point.segment == segment && point.machine == machine);
        of_segment.map(|point| ([point.n, f64::from(point.p)], point.mean)).collect()
    }

    /// Seconds of an item on a type of machine by the size: a sum of two terms.
    pub(crate) fn item_model(
        &self,
        machine: &str,
        terms: [Power; 2],
    ) -> Result<LinearModel<1>, Box<dyn Error>> {
        let points = self.points("item", machine).into_iter().map(|([n, _], seconds)| ([n], seconds));
        let points: Vec<_> = points.collect();
        Ok(LinearModel::fit(["n"], &terms.map(|term| [term]), &points, Weighting::Relative)?)
    }

    /// Seconds of a message by its numbers.
    pub(crate) fn message_model(&self) -> Result<LinearModel<1>, Box<dyn Error>> {
        let terms = [[Power::ONE], [Power::new(1, 1)]];
        Ok(LinearModel::fit(["values"], &terms, &self.messages, Weighting::Relative)?)
    }
}

/// Which of the values of a prediction is taken.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    Value,
    Low,
    High,
}

impl Side {
    pub(crate) fn of(self, prediction: &Prediction) -> f64 {
        let value = prediction.value;
        match (self, prediction.interval) {
            (Side::Low, Some(interval)) => interval.low.max(0.0),
            (Side::High, Some(interval)) => interval.high,
            _ => value,
        }
    }
}

/// What is predicted, with the interval in which a run lies with a probability of 95 % if the parts of the
/// model are right.
#[derive(Clone, Copy)]
pub(crate) struct Predicted {
    pub(crate) seconds: f64,
    low: f64,
    high: f64,
    is_extrapolated: bool,
}

impl Predicted {
    /// Composed of predictions of parts: once of their values, and once of each end of their intervals.
    pub(crate) fn composed(
        is_extrapolated: bool,
        compose: impl Fn(Side) -> Result<f64, Box<dyn Error>>,
    ) -> Result<Self, Box<dyn Error>> {
        let (seconds, low, high) = (compose(Side::Value)?, compose(Side::Low)?, compose(Side::High)?);
        // A schedule may end later although everything is a little faster.
        Ok(Predicted {
            seconds,
            low: low.min(high).min(seconds),
            high: low.max(high).max(seconds),
            is_extrapolated,
        })
    }

    pub(crate) fn of(prediction: &Prediction) -> Self {
        let is_extrapolated = |warning: &Warning| matches!(warning, Warning::Extrapolated { .. });
        Predicted {
            seconds: prediction.value,
            low: Side::Low.of(prediction),
            high: Side::High.of(prediction),
            is_extrapolated: prediction.warnings.iter().any(is_extrapolated),
        }
    }
}

/// A prediction beside what was measured.
pub(crate) struct Compared {
    pub(crate) name: &'static str,
    pub(crate) n: f64,
    pub(crate) p: u32,
    pub(crate) predicted: Predicted,
    pub(crate) measured: f64,
}

impl Compared {
    /// By how much the prediction is too large, in percent, as the paper has it.
    fn error(&self) -> f64 {
        (self.predicted.seconds - self.measured) / self.measured * 100.0
    }
}

/// Errors from here on are flagged.
const LARGE: f64 = 10.0;

/// Prints predictions beside what was measured, and the median error.
pub(crate) fn print(title: &str, compared: &[Compared]) {
    println!("\n{title}");
    println!("program       n    p  predicted ms   95 % interval      measured ms    error");
    for one in compared {
        let Predicted { seconds, low, high, is_extrapolated } = one.predicted;
        let [seconds, low, high, measured] = [seconds, low, high, one.measured].map(|seconds| seconds * 1e3);
        let mut notes = Vec::new();
        notes.extend(is_extrapolated.then_some("extrapolated"));
        notes.extend((one.error().abs() > LARGE).then_some("above 10 %"));
        notes.extend((!(low..=high).contains(&measured)).then_some("outside of the interval"));
        let interval = format!("[{low:.3}, {high:.3}]");
        let (name, n, p, error) = (one.name, one.n, one.p, one.error());
        println!(
            "{name:10} {n:4} {p:4} {seconds:13.3}  {interval:20} {measured:10.3} {error:+7.1} %  {}",
            notes.join(", ")
        );
    }
    let errors: Vec<f64> = compared.iter().map(|one| one.error().abs()).collect();
    let large = errors.iter().filter(|error| **error > LARGE).count();
    let median = median(&errors).unwrap_or(f64::NAN);
    println!("median error {median:.1} %, {large} of {} above 10 %", errors.len());
}
