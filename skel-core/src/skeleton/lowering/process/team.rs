//! The definitions of a team: a definition for each of its places, in each round.

use std::collections::HashMap;

use num_traits::One;

use super::{TaskProcess, computation_name, phase_name};
use crate::diagnostic::TextSpan;
use crate::number::Ratio;
use crate::skeleton::lowering::team::{Stands, Step, Team};
use crate::syntax::ast::{Definition, PrefixActivity, Process};
use crate::syntax::construct::{at_rate, passive, passive_with_weight};
use crate::syntax::literal::number;

/// The definitions.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn definitions(process: &TaskProcess, team: &Team) -> Vec<Definition<TextSpan>> {
    let (at, terms) = Members { process, team }.explored();
    let numbers: HashMap<At, u32> = at.into_iter().zip(0..).collect();
    let define = |(continuation, terms): (u32, Vec<Term>)| {
        let term = |(activity, then): Term| Process::Prefix {
            activities: vec![activity],
            then: Box::new(process.constant(numbers[&then])),
        };
        let mut terms: Vec<_> = terms.into_iter().map(term).collect();
        process.define(continuation, if terms.len() == 1 { terms.remove(0) } else { Process::Choice(terms) })
    };
    (0..).zip(terms).map(define).collect()
}

/// The place of the team in each local state, in the order of their numbers.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn places(process: &TaskProcess, team: &Team) -> Vec<usize> {
    Members { process, team }.explored().0.into_iter().map(|at| at.place).collect()
}

/// A round, and a place of the team in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct At {
    round: usize,
    place: usize,
}

type Term = (PrefixActivity<TextSpan>, At);

struct Members<'p> {
    process: &'p TaskProcess,
    team: &'p Team,
}

impl Members<'_> {
    /// What is reached, in the order in which it is found, and what happens there.
    #[cfg_attr(debug_assertions, inline)]
    fn explored(&self) -> (Vec<At>, Vec<Vec<Term>>) {
        let first = self.soon(At { round: 0, place: 0 })[0].1;
        let (mut found, mut numbers) = (vec![first], HashMap::from([(first, 0)]));
        let mut terms = Vec::new();
        while let Some(&here) = found.get(terms.len()) {
            let of_here = self.terms(here);
            for &(_, to) in &of_here {
                numbers.entry(to).or_insert_with(|| {
                    found.push(to);
                    found.len() - 1
                });
            }
            terms.push(of_here);
        }
        (found, terms)
    }

    #[cfg_attr(debug_assertions, inline)]
    fn terms(&self, here: At) -> Vec<Term> {
        let place = &self.team.places[here.place];
        let mut terms = Vec::new();
        for (step, rate, to) in &place.steps {
            for (chance, to) in self.soon(At { place: *to, ..here }) {
                terms.push((at_rate(self.name(*step), number(&(rate * chance))), to));
            }
        }
        let (actions, round) = match place.stands {
            Stands::Ready => (self.process.received_in(here.round), here.round),
            Stands::Complete => (self.process.sent_in(here.round), self.after(here.round)),
            Stands::Serving | Stands::Renewing => return terms,
        };
        for action in actions {
            for (chance, to) in self.each(&place.then, round) {
                let activity = match chance.is_one() {
                    true => passive(action.clone()),
                    false => passive_with_weight(action.clone(), number(&chance)),
                };
                terms.push((activity, to));
            }
        }
        terms
    }

    /// Where the team is once it has received and sent what it can without a neighbour: a task without
    /// sources begins its next item at once, and one without destinations is rid of an item as soon as that
    /// is complete.
    #[cfg_attr(debug_assertions, inline)]
    fn soon(&self, at: At) -> Vec<(Ratio, At)> {
        let place = &self.team.places[at.place];
        match place.stands {
            Stands::Ready if self.process.received_in(at.round).is_empty() => {
                self.each(&place.then, at.round)
            }
            Stands::Complete if self.process.sent_in(at.round).is_empty() => {
                self.each(&place.then, self.after(at.round))
            }
            _ => vec![(Ratio::one(), at)],
        }
    }

    fn each(&self, then: &[(Ratio, usize)], round: usize) -> Vec<(Ratio, At)> {
        let soon = |(chance, place): &(Ratio, usize)| {
            let soon = self.soon(At { round, place: *place }).into_iter();
            soon.map(|(more, at)| (chance * more, at)).collect::<Vec<_>>()
        };
        then.iter().flat_map(soon).collect()
    }

    fn after(&self, round: usize) -> usize {
        (round + 1) % self.process.rounds
    }

    fn name(&self, step: Step) -> String {
        let task = self.process.task;
        match step {
            Step::Completion => computation_name(task),
            Step::Reply => format!("reply_{task}"),
            Step::Phase => phase_name(task),
            Step::Late => format!("late_{task}"),
            Step::Renewal => format!("state_{task}"),
        }
    }
}
