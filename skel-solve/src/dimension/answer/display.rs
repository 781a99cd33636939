//! An answer for people.

use std::fmt::{self, Write as _};

use super::words::{counted, decimal, listed, percent};
use super::{
    Alternative, Asked, Configuration, Dimension, Known, Longer, Needs, Proof, Times, Variation, Verdict,
};

/// The most configurations of one cost that are listed.
const MOST_LISTED: usize = 8;

impl fmt::Display for Dimension {
    #[cfg_attr(debug_assertions, inline)]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.in_words("unit of time").trim_end())
    }
}

impl Dimension {
    /// The answer in lines for people, where items are counted per `unit`: a second, say.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn in_words(&self, unit: &str) -> String {
        let mut text = self.headline(unit);
        if let Some(best) = &self.best {
            text += &self.table(best);
            text += &self.beside();
            text += &self.variation();
            text += &self.longer();
        }
        let (solved, windows) =
            (counted(self.solved as u64, "chain"), counted(self.windows as u64, "smaller one"));
        let _ = writeln!(text, "\nsolved: {solved} of the whole, and {windows} of neighbouring stages");
        text
    }

    #[cfg_attr(debug_assertions, inline)]
    fn headline(&self, unit: &str) -> String {
        let target = self.target_in_words(unit);
        let at_most = self.at_most.0;
        match (&self.verdict, &self.best) {
            (Verdict::Cheapest(proof), Some(best)) => {
                let why = match proof {
                    Proof::Bounds => {
                        "all cheaper ones are ruled out by bounds that are proved, or were solved"
                    }
                    Proof::Exhaustion => "all cheaper ones are too slow in one stage alone, or were solved",
                };
                format!("{target} {} {}: {why}\n", self.takes(), cost(best))
            }
            (Verdict::BestFound { least_cost, why }, Some(best)) => format!(
                "{target}: {} is enough; whether a cost from {least_cost} on is, is open: {why}\n",
                cost(best)
            ),
            (Verdict::Unreachable(obstacle), _) => {
                let bound = obstacle.bound.map(|bound| match self.asked {
                    Asked::Throughput(_) => format!("; no more than {} can", decimal(bound)),
                    Asked::ResponseTime(_) | Asked::ResponseTimeOf { .. } => {
                        format!("; no less than {} can", decimal(bound))
                    }
                });
                let reason = &obstacle.reason;
                let closest =
                    self.closest.as_ref().map(|closest| format!("\nthe closest:\n{}", self.table(closest)));
                format!(
                    "{target} cannot be reached{}: {reason}\n{}",
                    bound.unwrap_or_default(),
                    closest.unwrap_or_default()
                )
            }
            (Verdict::NothingFound { least_cost, why }, _) => {
                format!(
                    "{target}: nothing found; a cost of {least_cost} is needed at least, and {at_most} were allowed: {why}\n"
                )
            }
            (_, None) => format!("{target}: nothing found\n"),
        }
    }

    /// The target, as the beginning of a sentence.
    #[cfg_attr(debug_assertions, inline)]
    fn target_in_words(&self, unit: &str) -> String {
        match self.asked {
            Asked::Throughput(rate) => format!("{} items per {unit}", decimal(rate)),
            Asked::ResponseTime(time) if unit == "second" => {
                format!("a mean response time of {} seconds", decimal(time))
            }
            Asked::ResponseTime(time) => {
                format!("a mean response time of {} in the {unit} of the rates", decimal(time))
            }
            Asked::ResponseTimeOf { part, time } if unit == "second" => {
                format!("a response time of {} seconds for {} of the items", decimal(time), of_items(part))
            }
            Asked::ResponseTimeOf { part, time } => format!(
                "a response time of {} in the {unit} of the rates for {} of the items",
                decimal(time),
                of_items(part)
            ),
        }
    }

    fn heading(&self) -> &'static str {
        match self.asked {
            Asked::Throughput(_) => "throughput",
            Asked::ResponseTime(_) | Asked::ResponseTimeOf { .. } => "response time",
        }
    }

    fn takes(&self) -> &'static str {
        match self.asked {
            Asked::Throughput(_) => "take",
            Asked::ResponseTime(_) | Asked::ResponseTimeOf { .. } => "takes",
        }
    }

    /// The figure that was asked for.
    fn figure(&self, configuration: &Configuration) -> f64 {
        match self.asked {
            Asked::Throughput(_) => configuration.throughput,
            Asked::ResponseTime(_) | Asked::ResponseTimeOf { .. } => configuration.time(),
        }
    }

    /// A figure that may be a bound.
    #[cfg_attr(debug_assertions, inline)]
    fn known(&self, figure: &Known) -> String {
        let side = match self.asked {
            Asked::Throughput(_) => "at most",
            Asked::ResponseTime(_) | Asked::ResponseTimeOf { .. } => "at least",
        };
        match figure {
            Known::Solved(solved) => decimal(*solved),
            Known::Bound(bound) | Known::NotSolved(bound, _) => format!("{side} {}", decimal(*bound)),
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn alternative(&self, other: &Alternative) -> String {
        format!("{} {}", listed(&other.replicas), self.known(&other.figure))
    }

    /// A line for each place.
    #[cfg_attr(debug_assertions, inline)]
    fn table(&self, configuration: &Configuration) -> String {
        let mut rows = vec![["stage".to_owned(), "replicas".to_owned(), "now".to_owned()]];
        for (place, replicas) in self.places.iter().zip(&configuration.replicas) {
            rows.push([self.label(&place.name, &place.path), replicas.to_string(), place.now.to_string()]);
        }
        let (throughput, time) = (decimal(configuration.throughput), decimal(configuration.response_time));
        let of_part = match (self.asked, configuration.quantile) {
            (Asked::ResponseTimeOf { part, .. }, Some(quantile)) => {
                format!(", for {} of the items: {}", of_items(part), decimal(quantile))
            }
            _ => String::new(),
        };
        format!("\n{}throughput: {throughput}, mean response time: {time}{of_part}\n", aligned(&rows))
    }

    /// A name, with the way to it where another place has the same.
    #[cfg_attr(debug_assertions, inline)]
    fn label(&self, name: &str, path: &str) -> String {
        let is_unique = self.places.iter().filter(|place| place.name == name).count() < 2;
        if is_unique || path.is_empty() { name.to_owned() } else { format!("{name} ({path})") }
    }

    /// What stands beside the answer: equally cheap configurations, and the next cheaper one.
    #[cfg_attr(debug_assertions, inline)]
    fn beside(&self) -> String {
        let mut text = String::new();
        if let Some(next) = &self.next_cheaper {
            let (replicas, figure) = (listed(&next.replicas), self.figure(next));
            let misses = match self.asked {
                Asked::Throughput(target) => 1.0 - figure / target,
                Asked::ResponseTime(target) | Asked::ResponseTimeOf { time: target, .. } => {
                    figure / target - 1.0
                }
            };
            let (cost, figure, misses) = (next.cost, decimal(figure), percent(misses));
            let _ = writeln!(
                text,
                "next cheaper: {replicas} for {cost} has {figure} and misses the target by {misses}"
            );
        }
        if !self.ties.is_empty() {
            let shown: Vec<String> =
                self.ties.iter().take(MOST_LISTED).map(|tie| self.alternative(tie)).collect();
            let more = self.ties.len().saturating_sub(MOST_LISTED);
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            let _ = writeln!(text, "equally cheap: {}{more}", shown.join(", "));
        }
        text
    }

    #[cfg_attr(debug_assertions, inline)]
    fn variation(&self) -> String {
        let mut rows = vec![["times".to_owned(), "cost".to_owned(), "replicas".to_owned(), String::new()]];
        rows.extend(self.robustness.variation.iter().map(variation));
        if rows.len() == 1 {
            String::new()
        } else {
            format!("\nif times vary otherwise:\n{}", aligned(&rows))
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn longer(&self) -> String {
        let mut rows =
            vec![["10 % longer".to_owned(), self.heading().to_owned(), String::new(), "needs".to_owned()]];
        rows.extend(self.robustness.longer.iter().map(|row| self.longer_row(row)));
        if rows.len() == 1 {
            String::new()
        } else {
            format!("\nif one stage takes longer:\n{}", aligned(&rows))
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn longer_row(&self, row: &Longer) -> [String; 4] {
        let path = self.tree.path_to(row.stage);
        let is_unique = self.robustness.longer.iter().filter(|other| other.name == row.name).count() < 2;
        let name =
            if is_unique || path.is_empty() { row.name.clone() } else { format!("{} ({path})", row.name) };
        let verdict = match (&row.figure, &row.needs) {
            (Known::Solved(_), None) => "keeps it",
            (Known::Solved(_), Some(_)) => "misses it",
            _ => "not solved",
        };
        let needs = row.needs.as_ref().map(needs).unwrap_or_default();
        [name, self.known(&row.figure), verdict.to_owned(), needs]
    }
}

/// A part of the items, in percent.
#[cfg_attr(debug_assertions, inline)]
fn of_items(part: f64) -> String {
    format!("{} %", decimal(100.0 * part))
}

#[cfg_attr(debug_assertions, inline)]
fn cost(configuration: &Configuration) -> String {
    format!("a cost of {}", configuration.cost)
}

#[cfg_attr(debug_assertions, inline)]
fn variation(row: &Variation) -> [String; 4] {
    let times = match row.times {
        Times::Constant => "constant".to_owned(),
        Times::Erlang(phases) => format!("Erlang-{phases}"),
        Times::Exponential => "exponential".to_owned(),
        Times::AsWritten => "as written".to_owned(),
    };
    let [cost, replicas, remark] = match &row.needs {
        Needs::Configuration(found, is_proved) => {
            let remark = if *is_proved { "" } else { "not proved to be the cheapest" };
            [found.cost.to_string(), listed(&found.replicas), remark.to_owned()]
        }
        Needs::Closed { replicas, cost, .. } => {
            [cost.to_string(), listed(replicas), "and moves that take no time; in closed form".to_owned()]
        }
        Needs::Between(least, None) => [format!("{least} or more"), String::new(), String::new()],
        Needs::Between(least, Some(most)) if least == most => {
            [least.to_string(), String::new(), BETWEEN.to_owned()]
        }
        Needs::Between(least, Some(most)) => {
            [format!("{least} to {most}"), String::new(), BETWEEN.to_owned()]
        }
        Needs::Nothing => ["none".to_owned(), String::new(), String::new()],
        Needs::NotKnown(why) => ["not known".to_owned(), String::new(), why.clone()],
    };
    [times, cost, replicas, remark]
}

const BETWEEN: &str = "not solved; expected between the two others, though exceptions are known";

#[cfg_attr(debug_assertions, inline)]
fn needs(needs: &Needs) -> String {
    match needs {
        Needs::Configuration(found, is_proved) => {
            let open = if *is_proved { "" } else { ", or less" };
            format!("{} for {}{open}", listed(&found.replicas), found.cost)
        }
        Needs::Closed { replicas, cost, .. } => format!("{} for {cost}", listed(replicas)),
        Needs::Between(least, _) => format!("{least} or more"),
        Needs::Nothing => "more than is allowed".to_owned(),
        Needs::NotKnown(why) => format!("not known: {why}"),
    }
}

/// Rows with their columns below one another, numbers to the right where the heading is one of numbers.
#[cfg_attr(debug_assertions, inline)]
fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    for row in rows {
        let mut line = String::from(" ");
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(line, " {cell:width$} ");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}
