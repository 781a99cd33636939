//! The definitions of a task whose service is a sequence of activities: one in the paper, and one for each
//! phase of an Erlang time.

use super::TaskProcess;
use crate::diagnostic::TextSpan;
use crate::syntax::ast::{Definition, PrefixActivity, Process};
use crate::syntax::construct::passive;

/// The definitions of a task whose service is the activities `compute`, one after the other.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn definitions(
    process: &TaskProcess,
    compute: Vec<PrefixActivity<TextSpan>>,
) -> Vec<Definition<TextSpan>> {
    Sequential { process, compute }.definitions()
}

struct Sequential<'p> {
    process: &'p TaskProcess,
    compute: Vec<PrefixActivity<TextSpan>>,
}

impl Sequential<'_> {
    #[cfg_attr(debug_assertions, inline)]
    fn definitions(&self) -> Vec<Definition<TextSpan>> {
        match (self.process.receives.by_choice, self.process.sends.by_choice) {
            (false, false) => self.in_turn(),
            (false, true) => self.send_by_choice(),
            (true, false) => self.receive_by_choice(),
            (true, true) => vec![
                self.process.define(0, self.choice(self.receive(0), &self.compute, 1)),
                self.process.define(1, self.choice(self.send(0), &[], 0)),
            ],
        }
    }

    /// One sequence of rounds. The first computation of a task without sources has a definition of its own,
    /// as in Fig. 4, so that the local state before its first move has a name.
    #[cfg_attr(debug_assertions, inline)]
    fn in_turn(&self) -> Vec<Definition<TextSpan>> {
        let mut activities = Vec::new();
        for round in 0..self.process.rounds {
            activities.extend(self.receive(round));
            activities.extend_from_slice(&self.compute);
            activities.extend(self.send(round));
        }
        let is_producer = self.process.receives.actions.is_empty() && !self.process.sends.actions.is_empty();
        if !is_producer {
            return vec![self.process.define(0, self.chain(activities, 0))];
        }
        let rest = activities.split_off(self.compute.len());
        vec![self.process.define(0, self.chain(activities, 1)), self.process.define(1, self.chain(rest, 0))]
    }

    #[cfg_attr(debug_assertions, inline)]
    fn send_by_choice(&self) -> Vec<Definition<TextSpan>> {
        self.each_round(|here, between, after, round| {
            let first = self.receive(round).into_iter().chain(self.compute.iter().cloned()).collect();
            [
                self.process.define(here, self.chain(first, between)),
                self.process.define(between, self.choice(self.send(round), &[], after)),
            ]
        })
    }

    #[cfg_attr(debug_assertions, inline)]
    fn receive_by_choice(&self) -> Vec<Definition<TextSpan>> {
        self.each_round(|here, between, after, round| {
            let last = self.compute.iter().cloned().chain(self.send(round)).collect();
            [
                self.process.define(here, self.choice(self.receive(round), &[], between)),
                self.process.define(between, self.chain(last, after)),
            ]
        })
    }

    /// Two definitions for each round; the last round leads back to the first.
    fn each_round(
        &self,
        define: impl Fn(u32, u32, u32, usize) -> [Definition<TextSpan>; 2],
    ) -> Vec<Definition<TextSpan>> {
        let rounds = self.process.rounds;
        let pair = |round: usize| {
            let here = 2 * round as u32;
            let after = if round + 1 == rounds { 0 } else { here + 2 };
            define(here, here + 1, after, round)
        };
        (0..rounds).flat_map(pair).collect()
    }

    /// `activities. then`
    #[cfg_attr(debug_assertions, inline)]
    fn chain(&self, activities: Vec<PrefixActivity<TextSpan>>, then: u32) -> Process<TextSpan> {
        let then = Box::new(self.process.constant(then));
        Process::Prefix { activities, then }
    }

    /// The sum over `alternatives` of `alternative. after. then`.
    #[cfg_attr(debug_assertions, inline)]
    fn choice(
        &self,
        alternatives: Vec<PrefixActivity<TextSpan>>,
        after: &[PrefixActivity<TextSpan>],
        then: u32,
    ) -> Process<TextSpan> {
        let term = |first: PrefixActivity<TextSpan>| {
            self.chain([first].into_iter().chain(after.iter().cloned()).collect(), then)
        };
        let mut terms: Vec<Process<TextSpan>> = alternatives.into_iter().map(term).collect();
        if terms.len() == 1 { terms.remove(0) } else { Process::Choice(terms) }
    }

    fn receive(&self, round: usize) -> Vec<PrefixActivity<TextSpan>> {
        self.process.received_in(round).iter().cloned().map(passive).collect()
    }

    fn send(&self, round: usize) -> Vec<PrefixActivity<TextSpan>> {
        self.process.sent_in(round).iter().cloned().map(passive).collect()
    }
}
