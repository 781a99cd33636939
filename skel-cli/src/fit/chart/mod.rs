//! The answer as a figure, as SVG: seconds or errors over n, or the graph of the program.
//!
//! ```text
//! Answer -> series: points, curves and bands -> times  --\
//! Answer -> errors                                     ---> axes and names beside them (crate::chart) -> SVG
//! Graph                                                --/
//! ```

mod errors;
mod series;
mod times;

use plotters::prelude::*;
use skel::run::monitor::axes::{Area, Drawn, WIDTH};

use super::answer::Answer;
use crate::arguments::{FitArguments, FitChart};
use crate::errors::{Exit, Failure, Problem};

const HEIGHT: u32 = 470;

/// The figure as the text of an SVG file.
pub(super) fn svg(answer: &Answer<'_>, arguments: &FitArguments) -> Result<String, Failure> {
    let usual = if answer.models.is_empty() { FitChart::Graph } else { FitChart::Times };
    match arguments.chart.unwrap_or(usual) {
        FitChart::Graph => match answer.graph {
            Some(graph) => Ok(graph.to_svg()),
            None => {
                Err(nothing("there is no graph to draw", "give the text of a program with `--graph FILE`"))
            }
        },
        FitChart::Times => {
            let figure = series::figure(answer, arguments);
            if figure.series.is_empty() {
                let help = "give runs or formulas, and the number of processes with `--processes` where models depend on it";
                return Err(nothing("there are no seconds above 0 to draw", help));
            }
            drawn(|area| times::draw(area, &figure))
        }
        FitChart::Errors => match answer.compared.is_empty() {
            true => Err(nothing(
                "there are no errors to draw",
                "give measured runs to compare with by `--measured FILE`",
            )),
            false => drawn(|area| errors::draw(area, answer)),
        },
    }
}

fn nothing(message: &str, help: &str) -> Failure {
    Failure::new(Exit::Limit, Problem::error("nothing_to_draw", format!("`--svg`: {message}")).help(help))
}

fn drawn(draw: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String, Failure> {
    let mut text = String::new();
    let outcome = on(&SVGBackend::with_string(&mut text, (WIDTH, HEIGHT)).into_drawing_area(), draw);
    outcome.map(|()| text).map_err(|why| {
        let problem =
            Problem::error("unwritable_file", format!("`--svg`: the figure cannot be drawn: {why}"));
        Failure::new(Exit::CommandLine, problem)
    })
}

fn on(root: &Area<'_>, draw: impl FnOnce(&Area<'_>) -> Drawn) -> Drawn {
    root.fill(&WHITE)?;
    draw(root)?;
    root.present()?;
    Ok(())
}
