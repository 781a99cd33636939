//! `--keep`: the names on the command line as measures, and the answers that a quotient has to them.

use skel::diagnostic::did_you_mean;
use skel::model::{ActionId, Model};
use skel::number::Number;
use skel::quotient::{Measure, Quotient, QuotientSteadyState};
use skel::{Error, Limits, StateSpace};

use super::answer::{Answer, QuotientSize};
use super::options::chosen;
use super::visible::visible_actions;
use crate::arguments::SolveArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::report::figure::Figure;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Action,
    LocalState,
    Result,
}

/// Names as measures; one that stands for several things is all of them.
pub(crate) struct Kept<'n> {
    names: Vec<(Kind, &'n str)>,
    measures: Vec<Measure>,
}

impl<'n> Kept<'n> {
    /// What the names stand for in a model, or every one that stands for nothing.
    pub(crate) fn of(names: &'n [String], model: &Model) -> Result<Kept<'n>, Failure> {
        let mut kept = Kept { names: Vec::new(), measures: Vec::new() };
        let visible = visible_actions(model);
        let mut wrong = Vec::new();
        for name in names {
            let before = kept.names.len();
            if let Some(action) = model.action_named(name) {
                if action != ActionId::TAU && !visible[action.index()] {
                    wrong.push(hidden(name));
                    continue;
                }
                kept.push(Kind::Action, name, Measure::throughput_named(name));
            }
            if model.local_state_named(name).is_some() {
                kept.push(Kind::LocalState, name, Measure::population_named(name));
            }
            if model.results().iter().any(|line| line.name == *name) {
                kept.push(Kind::Result, name, Measure::result_named(name));
            }
            if kept.names.len() == before {
                wrong.push(nothing_named(name, model));
            }
        }
        if wrong.is_empty() {
            return Ok(kept);
        }
        let known = serde_json::Map::new();
        Err(Failure { exit: Exit::CommandLine, source: None, problems: wrong, known })
    }

    fn push(&mut self, kind: Kind, name: &'n str, measure: Measure) {
        self.names.push((kind, name));
        self.measures.push(measure);
    }

    /// Whether nothing was named.
    pub(crate) fn is_empty(&self) -> bool {
        self.measures.is_empty()
    }

    /// Whether a result line is among them.
    pub(crate) fn has_results(&self) -> bool {
        self.names.iter().any(|(kind, _)| *kind == Kind::Result)
    }

    /// The names that stand for something of a kind.
    pub(crate) fn of_kind(&self, wanted: Kind) -> Vec<String> {
        let named = self.names.iter().filter(|(kind, _)| *kind == wanted);
        named.map(|(_, name)| (*name).to_owned()).collect()
    }

    /// Solves the quotient that keeps them.
    pub(crate) fn solve(
        &self,
        space: &StateSpace<Model>,
        arguments: &SolveArguments,
        limits: &Limits,
    ) -> Result<(QuotientSize, Answer), Error> {
        if arguments.exact {
            let quotient = space.quotient_exact_within(&self.measures, limits)?;
            let figures = quotient.solver().limits(limits).solve()?;
            return Ok((size(&quotient), self.answer(&figures)));
        }
        let quotient = space.quotient_within(&self.measures, limits)?;
        let figures = quotient.solver().options(&chosen(arguments)).limits(limits).solve()?;
        Ok((size(&quotient), self.answer(&figures)))
    }

    fn answer<N: Number>(&self, figures: &QuotientSteadyState<Model, N>) -> Answer {
        let of_kind = |wanted: Kind| {
            let named = self.names.iter().zip(figures.values());
            let named = named.filter(|((kind, _), _)| *kind == wanted);
            named.map(|((_, name), (_, value))| ((*name).to_owned(), Figure::of(value))).collect()
        };
        Answer {
            report: figures.report().clone(),
            throughput: of_kind(Kind::Action),
            population: of_kind(Kind::LocalState),
            results: of_kind(Kind::Result),
            utilisation: Vec::new(),
            ends: Vec::new(),
            hidden: Vec::new(),
            states: None,
        }
    }
}

fn size<N: Number>(quotient: &Quotient<Model, N>) -> QuotientSize {
    QuotientSize { states: quotient.states(), refined_in: quotient.refined_in() }
}

fn hidden(name: &str) -> Problem {
    let message = format!("the action `{name}` is hidden wherever it is done, so it is counted under `tau`");
    Problem::error("hidden_measure", message)
        .help("keep `tau`, which counts all hidden actions, or do not hide it")
}

fn nothing_named(name: &str, model: &Model) -> Problem {
    let actions = model.actions().map(|(_, name)| name);
    let states = model.local_states().iter().map(|state| state.name.as_str());
    let lines = model.results().iter().map(|line| line.name.as_str());
    let message = format!("the model has no action, local state or result `{name}` to keep");
    let problem = Problem::error("unknown_measure", message);
    match did_you_mean(name, actions.chain(states).chain(lines)) {
        Some(near) => problem.help(format!("did you mean `{near}`?")),
        None => problem,
    }
}
