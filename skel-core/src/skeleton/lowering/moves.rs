//! The actions by which items move, and the buffers between stages.
//!
//! Without a buffer, sender and receiver do one action together: the item moves when both are ready. With a
//! buffer there are two: the sender puts the item into the buffer, and the receiver gets it from there.
//!
//! In the paper each link has an action and a rate of its own, so that a sender with three idle receivers
//! sends at three times the rate. A program with *one port* has one action for each channel, at the rate of
//! one link. So have the two sides of a buffer, since items enter and leave it one at a time.

use std::collections::HashMap;

use num_traits::One;

use crate::diagnostic::{Code, Diagnostic};
use crate::number::{Ratio, display_ratio};
use crate::skeleton::communication::{Communication, MoveTime, missing_communication};
use crate::skeleton::lowering::graph::Graph;
use crate::skeleton::tree::StageId;

/// The sending and the receiving task of a move.
pub(super) type Link = (u32, u32);

/// An action by which items move.
#[derive(Clone, Debug)]
pub(super) struct MoveAction {
    pub(super) name: String,
    pub(super) time: MoveTime<Ratio>,
}

impl MoveAction {
    /// Whether it takes no time.
    pub(super) fn is_immediate(&self) -> bool {
        self.time == MoveTime::Negligible
    }
}

/// A buffer with at least one place.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) name: String,
    pub(super) capacity: u32,
    /// The number of its channel.
    pub(super) channel: usize,
    /// The numbers of the actions by which items enter and leave it.
    pub(super) put: u32,
    pub(super) get: u32,
}

/// All moves of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves {
    pub(super) actions: Vec<MoveAction>,
    pub(super) buffers: Vec<Buffer>,
    /// By sender and receiver, the numbers of the actions by which each sends and receives.
    of_link: HashMap<Link, (u32, u32)>,
}

/// How items are handed over.
#[derive(Clone, Copy, Debug)]
pub(super) struct HandOver<'p> {
    /// The capacities of the buffers, channel by channel.
    pub(super) capacities: &'p [u32],
    /// Whether a channel moves one item at a time.
    pub(super) one_port: bool,
}

impl Moves {
    /// The moves of a graph.
    ///
    /// # Errors
    /// Every link without a rate or with a rate that is not positive, and every channel whose links have to
    /// have one rate and have several.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn new(
        graph: &Graph,
        communication: &Communication,
        hand_over: HandOver<'_>,
    ) -> Result<Moves, Vec<Diagnostic<StageId>>> {
        let mut errors = Vec::new();
        if let (true, Some((from, to))) = (communication.is_none(), graph.moves().next()) {
            return Err(vec![no_communication(graph, from, to)]);
        }
        let mut times = HashMap::new();
        for (from, to) in graph.moves() {
            match communication.time(from, to, graph.flow(to).stage) {
                Ok(time) => drop(times.insert((from, to), time)),
                Err(error) => errors.push(error),
            }
        }
        let mut links: Vec<Vec<Link>> = vec![Vec::new(); graph.channels().len()];
        graph.moves().for_each(|link| links[graph.channel_of(link.0, link.1) as usize].push(link));
        let mut moves = Moves::default();
        // The actions are in the order of their first links, as in the paper.
        for link in graph.moves() {
            let number = graph.channel_of(link.0, link.1) as usize;
            let capacity = hand_over.capacities[number];
            let is_shared = capacity > 0 || (hand_over.one_port && links[number].len() > 1);
            if !is_shared {
                moves.separate(link, times.get(&link));
            } else if links[number][0] == link {
                match one_time(&links[number], &times) {
                    Ok(time) => moves.share(graph, number, &links[number], &time, capacity),
                    Err(unequal) => errors.push(unequal_links(graph, unequal, &times)),
                }
            }
        }
        if errors.is_empty() { Ok(moves) } else { Err(errors) }
    }

    /// An action for a link, unless its time has been reported as missing.
    #[cfg_attr(debug_assertions, inline)]
    fn separate(&mut self, link: Link, time: Option<&MoveTime<Ratio>>) {
        let Some(time) = time else { return };
        let number = self.action(move_name(link), time);
        self.of_link.insert(link, (number, number));
    }

    /// One action for all links of a channel, or two if it has a buffer.
    #[cfg_attr(debug_assertions, inline)]
    fn share(&mut self, graph: &Graph, number: usize, links: &[Link], time: &MoveTime<Ratio>, capacity: u32) {
        let channel = &graph.channels()[number];
        let ends = format!("{}_{}", tasks_name(channel.senders()), tasks_name(channel.receivers()));
        let (put, get) = if capacity == 0 {
            let number = self.action(format!("move_{ends}"), time);
            (number, number)
        } else {
            let put = self.action(format!("put_{ends}"), time);
            let get = self.action(format!("get_{ends}"), time);
            let name = format!("Buffer_{ends}");
            self.buffers.push(Buffer { name, capacity, channel: number, put, get });
            (put, get)
        };
        self.of_link.extend(links.iter().map(|&link| (link, (put, get))));
    }

    fn action(&mut self, name: String, time: &MoveTime<Ratio>) -> u32 {
        self.actions.push(MoveAction { name, time: time.clone() });
        self.actions.len() as u32 - 1
    }

    /// The numbers of the actions by which a task sends: one for each destination or, where several
    /// destinations share one, that.
    pub(super) fn sends(&self, graph: &Graph, task: u32) -> Vec<u32> {
        let destinations = graph.flow(task).destinations.iter();
        let mut actions: Vec<u32> = destinations.map(|&to| self.of_link[&(task, to)].0).collect();
        actions.dedup();
        actions
    }

    /// The numbers of the actions by which a task receives.
    pub(super) fn receives(&self, graph: &Graph, task: u32) -> Vec<u32> {
        let sources = graph.flow(task).sources.iter();
        let mut actions: Vec<u32> = sources.map(|&from| self.of_link[&(from, task)].1).collect();
        actions.dedup();
        actions
    }

    /// The name of an action.
    pub(super) fn name(&self, number: u32) -> &str {
        &self.actions[number as usize].name
    }

    /// The rates of the actions. Those that take no time have a weight in the place of a rate, the same for
    /// all. It differs from the rates of all others: of two replicas with equal links both moves take time,
    /// or neither does.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn rates(&self) -> Vec<Ratio> {
        let mut weight = Ratio::one();
        for action in &self.actions {
            if let MoveTime::Exponential(rate) = &action.time {
                weight = weight.max(rate + Ratio::one());
            }
        }
        let rate = |action: &MoveAction| match &action.time {
            MoveTime::Exponential(rate) => rate.clone(),
            MoveTime::Negligible => weight.clone(),
        };
        self.actions.iter().map(rate).collect()
    }

    /// The buffer that an action puts items into.
    pub(super) fn buffer_of(&self, put: u32) -> Option<&Buffer> {
        let number = self.buffers.binary_search_by_key(&put, |buffer| buffer.put).ok()?;
        Some(&self.buffers[number])
    }

    /// The numbers of the actions by which sender and receiver of a link take part in a move. They differ if
    /// there is a buffer.
    pub(super) fn of_link(&self, link: Link) -> (u32, u32) {
        self.of_link[&link]
    }
}

pub(super) fn move_name((from, to): Link) -> String {
    format!("move_{from}_{to}")
}

/// `4` for a task alone, `any4` for any one of several, of which 4 is the first.
fn tasks_name(tasks: &[u32]) -> String {
    match tasks {
        [task] => task.to_string(),
        _ => format!("any{}", tasks[0]),
    }
}

type Links = (Link, Link);

/// The time of moves on all of some links, or two links whose times differ.
#[cfg_attr(debug_assertions, inline)]
fn one_time(links: &[Link], times: &HashMap<Link, MoveTime<Ratio>>) -> Result<MoveTime<Ratio>, Links> {
    // A link without a time has been reported.
    let mut known = links.iter().filter_map(|link| Some((*link, times.get(link)?)));
    let Some((first, time)) = known.next() else { return Ok(MoveTime::Negligible) };
    match known.find(|(_, other)| *other != time) {
        Some((other, _)) => Err((first, other)),
        None => Ok(time.clone()),
    }
}

#[cfg_attr(debug_assertions, inline)]
fn unequal_links(
    graph: &Graph,
    (first, other): Links,
    times: &HashMap<Link, MoveTime<Ratio>>,
) -> Diagnostic<StageId> {
    let rate = |link: Link| match &times[&link] {
        MoveTime::Exponential(rate) => format!("has the rate {}", display_ratio(rate)),
        MoveTime::Negligible => "takes no time".to_owned(),
    };
    let message = format!(
        "the links from task {} to task {} and from task {} to task {} are served as one, but the first {}, and the second {}",
        first.0,
        first.1,
        other.0,
        other.1,
        rate(first),
        rate(other)
    );
    Diagnostic::new(Code::UnequalLinks, graph.flow(first.1).stage, message).help(
        "give the links to the workers of a farm one rate; different rates need a program without a buffer there and without one port",
    )
}

/// Where there are no rates at all, one finding says so for all moves.
#[cfg_attr(debug_assertions, inline)]
fn no_communication(graph: &Graph, from: u32, to: u32) -> Diagnostic<StageId> {
    let first = format!("from task {from} to task {to}");
    let message = match graph.moves().count() {
        1 => format!("the move {first} has no communication rate"),
        count => format!("the {count} moves have no communication rate, beginning with the one {first}"),
    };
    missing_communication(message, graph.flow(to).stage)
}
