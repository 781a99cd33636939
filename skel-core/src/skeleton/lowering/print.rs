//! A system as a `.pepa` text, in the order and with the headings of the paper's Fig. 4.

use std::fmt::{self, Write as _};

use crate::diagnostic::TextSpan;
use crate::number::Ratio;
use crate::skeleton::lowering::composition::{NETWORK, processor_name};
use crate::skeleton::lowering::process::{computation_name, process_name};
use crate::skeleton::lowering::system::System;
use crate::skeleton::tree::Stage;
use crate::syntax::ast::Definition;
use crate::syntax::literal::rate_text;

impl fmt::Display for System {
    #[cfg_attr(debug_assertions, inline)]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sections = self.rate_sections();
        let printed =
            |definitions: Vec<Definition<TextSpan>>| definitions.iter().map(ToString::to_string).collect();
        sections.push(("Buffers: a component for each place.".to_owned(), printed(self.parts.buffers())));
        sections.push((self.heading_of_tasks(), printed(self.parts.tasks())));
        sections
            .push(("System model.".to_owned(), self.ast().system.iter().map(ToString::to_string).collect()));
        let result = self.first_move().into_iter().collect();
        sections.push(("Throughput expression.".to_owned(), result));
        sections.retain(|(_, lines): &Section| !lines.is_empty());
        for (number, (heading, lines)) in sections.iter().enumerate() {
            let begin = if number == 0 { "" } else { "\n" };
            writeln!(f, "{begin}// {heading}")?;
            lines.iter().try_for_each(|line| writeln!(f, "{}", wrapped(line)))?;
        }
        Ok(())
    }
}

/// A heading, and the lines below it.
type Section = (String, Vec<String>);

impl System {
    /// The rates of the processors and of the network. As in the paper, each has a decimal point.
    #[cfg_attr(debug_assertions, inline)]
    fn rate_sections(&self) -> Vec<Section> {
        let parts = &self.parts;
        let computations = parts.loads.iter().map(|(processor, tasks)| {
            let tasks = tasks.iter().map(|(task, rate)| (computation_name(*task), rate));
            offer(&processor_name(*processor), tasks.collect())
        });
        let mut heading = "Communication rates.".to_owned();
        let immediate: Vec<String> = self.immediate_moves().collect();
        if !immediate.is_empty() {
            let names = immediate.join(", ");
            heading = format!("{heading}\n// These take no time, and have a weight instead: {names}");
        }
        let moves = parts.moves.actions.iter().zip(&parts.rates);
        let moves: Vec<_> = moves.map(|(action, rate)| (action.name.clone(), rate)).collect();
        let network = (!moves.is_empty()).then(|| offer(NETWORK, moves)).into_iter().collect();
        vec![("Computation rates.".to_owned(), computations.collect()), (heading, network)]
    }

    /// The heading of the task definitions, which says what stands for several workers.
    #[cfg_attr(debug_assertions, inline)]
    fn heading_of_tasks(&self) -> String {
        let mut heading = "Task definitions.".to_owned();
        for (task, flow) in (0..).zip(self.graph().flows()) {
            if let (Stage::Team(team), true) =
                (self.tree().stage(flow.stage), self.parts.first_copies[task as usize] == task)
            {
                let (word, workers, process) = (team.word().noun(), team.workers, process_name(task, 0));
                let _ = write!(
                    heading,
                    "\n// {process} is a {word} of {workers}: it counts how many of the workers are in which phase."
                );
            }
        }
        heading
    }

    /// The result line of the paper.
    #[cfg_attr(debug_assertions, inline)]
    fn first_move(&self) -> Option<String> {
        let result = self.ast().results.first()?;
        Some(format!("{} = {} * {{{}}};", result.name, rate_text(self.parts.rates.first()?), result.pattern))
    }
}

/// A process that offers some activities at any time.
#[cfg_attr(debug_assertions, inline)]
fn offer(process: &str, activities: Vec<(String, &Ratio)>) -> String {
    let term = |(action, rate): (String, &Ratio)| format!("({action}, {}).{process}", rate_text(rate));
    let terms: Vec<String> = activities.into_iter().map(term).collect();
    format!("{process} = {};", terms.join(" + "))
}

/// Breaks a line so that it fits a page, where it may be broken.
#[cfg_attr(debug_assertions, inline)]
fn wrapped(line: &str) -> String {
    const WIDTH: usize = 100;
    let mut text = String::new();
    let (mut column, mut from) = (0, 0);
    for to in breaks(line) {
        let piece = &line[from..to];
        if column > 0 && column + piece.trim_end().len() > WIDTH {
            text.truncate(text.trim_end().len());
            text.push_str("\n    ");
            column = 4;
        }
        text.push_str(piece);
        column += piece.len();
        from = to;
    }
    text
}

/// The places, in ascending order, behind which a line may be broken: spaces that are not inside an activity,
/// points between activities, and the end.
#[cfg_attr(debug_assertions, inline)]
fn breaks(line: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let mut end = 0;
    for word in line.split_inclusive(' ') {
        places.extend(word.match_indices(".(").map(|(point, _)| end + point + 1));
        end += word.len();
        let is_inside_activity = word.ends_with(", ") && word.rfind('(') > word.rfind(')');
        if !is_inside_activity {
            places.push(end);
        }
    }
    places
}
