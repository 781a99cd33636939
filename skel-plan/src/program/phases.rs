//! The processor of a task whose service time has phases.
//!
//! A processor that offers the computation at any time makes it exponential. One with phases has to know when
//! a service begins. So it takes part in the activity by which the task gets its item. A task without sources
//! gets the next item as soon as it has sent the last one, so its processor takes part in what it sends. The
//! first phase is chosen by the weights of these passive activities:
//!
//! ```text
//! Processor_1   = (move2, infty).Processor_1_0;                  idle
//! Processor_1_0 = (phase_1, 2 * mu_1).Processor_1_1;             an Erlang time of two phases
//! Processor_1_1 = (process2, 2 * mu_1).Processor_1;
//! ```
//!
//! The rate of each phase is a multiple of the task's rate `mu_1`. The multiples are those of a time of
//! mean 1. So a mapping sets the rate of the task and nothing else, the mean of the whole service is
//! `1 / mu_1`, and its shape is always the same.

use num_traits::{One, Zero};
use skel_core::diagnostic::TextSpan;
use skel_core::number::Ratio;
use skel_core::syntax::ast::{Body, Definition, Expression, PrefixActivity, Process};
use skel_core::syntax::construct::{
    at_rate, constant, exact_number, multiple_of, name, passive, passive_with_weight,
};
use skel_core::time::PhaseType;

/// The name of the processor of a task.
pub(super) fn processor_name(task: usize) -> String {
    format!("Processor_{task}")
}

/// The name of the rate of a task.
pub(super) fn rate_name(task: usize) -> String {
    format!("mu_{task}")
}

/// The processor of a task whose service time has phases.
pub(super) struct PhasedProcessor<'p> {
    pub(super) task: usize,
    pub(super) computation: &'p str,
    /// The actions with which a service begins. There are none if the task neither receives nor sends.
    pub(super) starts: Vec<&'p str>,
    /// Whether the task has an item at the beginning, because it receives none.
    pub(super) is_source: bool,
    /// The phases of a time of mean 1.
    pub(super) shape: &'p PhaseType,
}

type Term = (PrefixActivity<TextSpan>, String);

impl PhasedProcessor<'_> {
    /// The name of the processor as it is at the beginning.
    pub(super) fn initial(&self) -> String {
        match self.first_phases().next() {
            Some((phase, _)) if self.is_source => self.phase(phase),
            _ => processor_name(self.task),
        }
    }

    /// The idle processor, unless it never is, and its phases.
    pub(super) fn definitions(&self) -> Vec<Definition<TextSpan>> {
        let idle: Vec<Term> = self.starts.iter().flat_map(|action| self.begin(action)).collect();
        let idle = (!idle.is_empty()).then(|| define(processor_name(self.task), idle));
        let phases = (0..self.shape.phases()).map(|phase| {
            let on = self.shape.moves_from(phase).iter().map(|(to, rate)| {
                let action = format!("phase_{}", self.task);
                (at_rate(action, self.rate(rate)), self.phase(*to))
            });
            define(self.phase(phase), on.chain(self.end(phase)).collect())
        });
        idle.into_iter().chain(phases).collect()
    }

    /// The activities with which a service begins by an action, one for each phase that may be the first.
    fn begin(&self, action: &str) -> impl Iterator<Item = Term> {
        self.first_phases().map(move |(phase, probability)| {
            let begin = match probability.is_one() {
                true => passive(action.to_owned()),
                false => passive_with_weight(action.to_owned(), exact_number(probability)),
            };
            (begin, self.phase(phase))
        })
    }

    /// How a service ends in a phase, if it can. Without moves the next one begins at once.
    fn end(&self, phase: usize) -> Vec<Term> {
        let exit = self.shape.exit(phase);
        let completion = |rate: &Ratio| at_rate(self.computation.to_owned(), self.rate(rate));
        if exit.is_zero() {
            return Vec::new();
        }
        if !self.starts.is_empty() {
            return vec![(completion(exit), processor_name(self.task))];
        }
        let next = self.first_phases();
        next.map(|(first, probability)| (completion(&(exit * probability)), self.phase(first))).collect()
    }

    /// The phases that may be the first, with their probabilities.
    fn first_phases(&self) -> impl Iterator<Item = (usize, &Ratio)> {
        self.shape.initial().iter().enumerate().filter(|(_, probability)| !probability.is_zero())
    }

    fn rate(&self, of_mean_one: &Ratio) -> Expression<TextSpan> {
        multiple_of(of_mean_one, rate_name(self.task))
    }

    fn phase(&self, phase: usize) -> String {
        format!("{}_{phase}", processor_name(self.task))
    }
}

fn define(process: String, terms: Vec<Term>) -> Definition<TextSpan> {
    let term = |(activity, then): Term| Process::Prefix {
        activities: vec![activity],
        then: Box::new(constant(&then)),
    };
    let mut terms: Vec<Process<TextSpan>> = terms.into_iter().map(term).collect();
    let process_body = if terms.len() == 1 { terms.remove(0) } else { Process::Choice(terms) };
    Definition { name: name(process), body: Body::Process(process_body) }
}
