//! The process definitions of the tasks (Algorithm 2 of the paper).
//!
//! A task repeats: receive an item, compute, send. How it receives and sends follows from the patterns on its two
//! sides, sixteen cases in the paper. Here they are four, by which side *chooses*. A round robin is written out for
//! as many rounds as it takes to come back to the first partner; a choice becomes a sum.
//!
//! | receives | sends | definition |
//! |---|---|---|
//! | in turn | in turn | one chain of rounds `receive. compute. send.` (cases 0, 1, 2, 4, 5, 6, 8, 9, 10) |
//! | in turn | by choice | a chain `receive. compute.` and a sum for each round (3, 7, 11) |
//! | by choice | in turn | a sum and a chain `compute. send.` for each round (12, 13, 14) |
//! | by choice | by choice | two sums (15) |
//!
//! All activities are passive: processors and network set the rates. The paper prints the sum of case 3 one
//! short, which starves the last worker; all its terms are here.

use crate::diagnostic::TextSpan;
use crate::skeleton::lowering::graph::{Graph, Pattern, TaskFlow};
use crate::syntax::ast::{Body, Definition, PrefixActivity, Process};
use crate::syntax::construct::{constant, name, passive};

/// The definitions of all tasks of a graph, in their order.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{definitions, text, Graph, Reading};
/// let tree = text::parse("pipe(2); task(1.0); farm(2, 3.0);").into_tree().unwrap();
/// let graph = Graph::from_tree(&tree, Reading::Corrected).unwrap();
/// let printed: Vec<String> = definitions(&graph).iter().map(ToString::to_string).collect();
/// assert_eq!(printed[0], "t_0 = (comp_0, infty).t_01;");
/// assert_eq!(printed[1], "t_01 = (move_0_1, infty).t_0 + (move_0_2, infty).t_0;");
/// assert_eq!(printed[2], "t_1 = (move_0_1, infty).(comp_1, infty).t_1;");
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn definitions(graph: &Graph) -> Vec<Definition<TextSpan>> {
    let tasks = graph.flows().iter().enumerate();
    tasks.flat_map(|(task, flow)| Definer { task: task as u32, flow }.definitions()).collect()
}

/// The name of a task's process, and of the processes that it goes through.
///
/// The paper writes `t_01` for the second process of task 0. For any other task that could be the name of yet
/// another task (`t_1` and `1` make `t_11`), so there it is `t_1_1`.
pub(super) fn process_name(task: u32, continuation: u32) -> String {
    match (task, continuation) {
        (_, 0) => format!("t_{task}"),
        (0, _) => format!("t_0{continuation}"),
        _ => format!("t_{task}_{continuation}"),
    }
}

pub(super) fn computation_name(task: u32) -> String {
    format!("comp_{task}")
}

pub(super) fn move_name((from, to): (u32, u32)) -> String {
    format!("move_{from}_{to}")
}

struct Definer<'g> {
    task: u32,
    flow: &'g TaskFlow,
}

impl Definer<'_> {
    #[cfg_attr(debug_assertions, inline)]
    fn definitions(&self) -> Vec<Definition<TextSpan>> {
        let receives_by_choice = self.flow.source_pattern == Pattern::Farm;
        let sends_by_choice = self.flow.destination_pattern == Pattern::Farm;
        match (receives_by_choice, sends_by_choice) {
            (false, false) => self.in_turn(),
            (false, true) => self.send_by_choice(),
            (true, false) => self.receive_by_choice(),
            (true, true) => vec![
                self.define(0, self.choice(self.receives(), &[self.compute()], 1)),
                self.define(1, self.choice(self.sends(), &[], 0)),
            ],
        }
    }

    /// One sequence of rounds. The first computation of a task without sources has a definition of its own, as in Fig. 4, so that the
    /// local state before its first move has a name.
    #[cfg_attr(debug_assertions, inline)]
    fn in_turn(&self) -> Vec<Definition<TextSpan>> {
        let mut activities = Vec::new();
        for round in 0..self.flow.rounds() {
            activities.extend(self.receive(round));
            activities.push(self.compute());
            activities.extend(self.send(round));
        }
        let is_producer = self.flow.sources.is_empty() && !self.flow.destinations.is_empty();
        if !is_producer {
            return vec![self.define(0, self.chain(activities, 0))];
        }
        let rest = activities.split_off(1);
        vec![self.define(0, self.chain(activities, 1)), self.define(1, self.chain(rest, 0))]
    }

    #[cfg_attr(debug_assertions, inline)]
    fn send_by_choice(&self) -> Vec<Definition<TextSpan>> {
        self.each_round(|here, between, after, round| {
            let first = self.receive(round).into_iter().chain([self.compute()]).collect();
            [
                self.define(here, self.chain(first, between)),
                self.define(between, self.choice(self.sends(), &[], after)),
            ]
        })
    }

    #[cfg_attr(debug_assertions, inline)]
    fn receive_by_choice(&self) -> Vec<Definition<TextSpan>> {
        self.each_round(|here, between, after, round| {
            let last = [self.compute()].into_iter().chain(self.send(round)).collect();
            [
                self.define(here, self.choice(self.receives(), &[], between)),
                self.define(between, self.chain(last, after)),
            ]
        })
    }

    /// Two definitions for each round; the last round leads back to the first.
    fn each_round(
        &self,
        define: impl Fn(u32, u32, u32, usize) -> [Definition<TextSpan>; 2],
    ) -> Vec<Definition<TextSpan>> {
        let rounds = self.flow.rounds();
        let pair = |round: usize| {
            let here = 2 * round as u32;
            let after = if round + 1 == rounds { 0 } else { here + 2 };
            define(here, here + 1, after, round)
        };
        (0..rounds).flat_map(pair).collect()
    }

    #[cfg_attr(debug_assertions, inline)]
    fn define(&self, continuation: u32, process: Process<TextSpan>) -> Definition<TextSpan> {
        Definition { name: name(process_name(self.task, continuation)), body: Body::Process(process) }
    }

    /// `activities. then`
    #[cfg_attr(debug_assertions, inline)]
    fn chain(&self, activities: Vec<PrefixActivity<TextSpan>>, then: u32) -> Process<TextSpan> {
        let then = Box::new(constant(&process_name(self.task, then)));
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

    fn compute(&self) -> PrefixActivity<TextSpan> {
        passive(computation_name(self.task))
    }

    #[cfg_attr(debug_assertions, inline)]
    fn receive(&self, round: usize) -> Option<PrefixActivity<TextSpan>> {
        let sources = &self.flow.sources;
        let from = *sources.get(round.checked_rem(sources.len())?)?;
        Some(passive(move_name((from, self.task))))
    }

    #[cfg_attr(debug_assertions, inline)]
    fn send(&self, round: usize) -> Option<PrefixActivity<TextSpan>> {
        let destinations = &self.flow.destinations;
        let to = *destinations.get(round.checked_rem(destinations.len())?)?;
        Some(passive(move_name((self.task, to))))
    }

    #[cfg_attr(debug_assertions, inline)]
    fn receives(&self) -> Vec<PrefixActivity<TextSpan>> {
        self.flow.sources.iter().map(|&from| passive(move_name((from, self.task)))).collect()
    }

    #[cfg_attr(debug_assertions, inline)]
    fn sends(&self) -> Vec<PrefixActivity<TextSpan>> {
        self.flow.destinations.iter().map(|&to| passive(move_name((self.task, to)))).collect()
    }
}
