//! The definitions of a task whose service has phases that branch, such as those of a hyperexponential time.
//!
//! A service begins in a phase by chance. Time does not pass for that, so the chance belongs to the activity
//! before it: the one by which the item is received or, for a task without sources, the one by which the item
//! before it is sent. These are passive, and their weights are the probabilities of the phases.

use num_traits::{One, Zero};

use super::{TaskProcess, computation_name, phase_name};
use crate::diagnostic::TextSpan;
use crate::number::Ratio;
use crate::skeleton::lowering::service::Phases;
use crate::syntax::ast::{Definition, PrefixActivity, Process};
use crate::syntax::construct::{at_rate, passive, passive_with_weight};
use crate::syntax::literal::number;

/// The definitions: for each round a place where the task receives, one for each phase, and one where it
/// sends.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn definitions(process: &TaskProcess, phases: &Phases) -> Vec<Definition<TextSpan>> {
    let branching = Branching { process, phases };
    let rounds = 0..process.rounds;
    let mut definitions: Vec<_> = rounds.flat_map(|round| branching.round(round)).collect();
    // The task begins where the name without a number is.
    definitions.sort_by_key(|(continuation, _)| *continuation);
    definitions.into_iter().map(|(continuation, body)| process.define(continuation, body)).collect()
}

struct Branching<'p> {
    process: &'p TaskProcess,
    phases: &'p Phases,
}

type Term = (PrefixActivity<TextSpan>, u32);

impl Branching<'_> {
    /// The places of a round. A task without sources has none where it receives, and one without destinations
    /// none where it sends.
    #[cfg_attr(debug_assertions, inline)]
    fn round(&self, round: usize) -> Vec<(u32, Process<TextSpan>)> {
        let mut places = Vec::new();
        let received = self.process.received_in(round);
        if !received.is_empty() {
            let begins = received.iter().flat_map(|action| self.begin(action, round));
            places.push((self.receiving(round), self.sum(begins.collect())));
        }
        places.extend((0..self.phases.exits.len()).map(|phase| {
            let moves = self.phases.moves.iter().filter(|(from, ..)| *from == phase);
            let go_on = moves.map(|(_, to, rate)| {
                (at_rate(phase_name(self.process.task), number(rate)), self.computing(round, *to))
            });
            let terms = go_on.chain(self.end(phase, round)).collect();
            (self.computing(round, phase), self.sum(terms))
        }));
        let sent = self.process.sent_in(round);
        if !sent.is_empty() {
            let terms = sent.iter().flat_map(|action| self.next_round(action, round));
            places.push((self.sending(round), self.sum(terms.collect())));
        }
        places
    }

    /// How a service ends in a phase, if it can.
    #[cfg_attr(debug_assertions, inline)]
    fn end(&self, phase: usize, round: usize) -> Vec<Term> {
        let exit = &self.phases.exits[phase];
        let completion = |rate: &Ratio| at_rate(computation_name(self.process.task), number(rate));
        if exit.is_zero() {
            return Vec::new();
        }
        if !self.process.sent_in(round).is_empty() {
            return vec![(completion(exit), self.sending(round))];
        }
        let after = (round + 1) % self.process.rounds;
        if !self.process.received_in(after).is_empty() {
            return vec![(completion(exit), self.receiving(after))];
        }
        let begin =
            |(phase, share): (usize, &Ratio)| (completion(&(exit * share)), self.computing(after, phase));
        self.phases.first().map(begin).collect()
    }

    /// Sends an item and goes on to the next round.
    #[cfg_attr(debug_assertions, inline)]
    fn next_round(&self, action: &str, round: usize) -> Vec<Term> {
        let after = (round + 1) % self.process.rounds;
        if self.process.received_in(after).is_empty() {
            return self.begin(action, after);
        }
        vec![(passive(action.to_owned()), self.receiving(after))]
    }

    /// The action with which a service begins, once for each phase that can be the first.
    #[cfg_attr(debug_assertions, inline)]
    fn begin(&self, action: &str, round: usize) -> Vec<Term> {
        let begin = |(phase, probability): (usize, &Ratio)| {
            let activity = match probability.is_one() {
                true => passive(action.to_owned()),
                false => passive_with_weight(action.to_owned(), number(probability)),
            };
            (activity, self.computing(round, phase))
        };
        self.phases.first().map(begin).collect()
    }

    fn sum(&self, terms: Vec<Term>) -> Process<TextSpan> {
        let term = |(activity, then)| Process::Prefix {
            activities: vec![activity],
            then: Box::new(self.process.constant(then)),
        };
        let mut terms: Vec<_> = terms.into_iter().map(term).collect();
        if terms.len() == 1 { terms.remove(0) } else { Process::Choice(terms) }
    }

    /// The number of the place where it receives; of the first round 0.
    fn receiving(&self, round: usize) -> u32 {
        (round * (self.phases.exits.len() + 2)) as u32
    }

    /// The number of the place where it computes in a phase. A task without sources begins in a phase that
    /// can be the first.
    #[cfg_attr(debug_assertions, inline)]
    fn computing(&self, round: usize, phase: usize) -> u32 {
        let number = self.receiving(round) + 1 + phase as u32;
        let first = self.phases.first().map(|(phase, _)| phase as u32).next().unwrap_or_default();
        let begins_here = self.process.received_in(0).is_empty() && round == 0;
        if begins_here && phase as u32 == first { 0 } else { number }
    }

    /// The number of the place where it sends.
    fn sending(&self, round: usize) -> u32 {
        self.receiving(round) + 1 + self.phases.exits.len() as u32
    }
}
