//! What the model of a skeleton takes for granted, in words.

use num_traits::One;

use super::channel::Channel;
use super::system::System;
use crate::number::display_ratio;
use crate::skeleton::tree::{Stage, StageId, StateInput, TeamKind, TeamStage};
use crate::time::ServiceTime;

impl System {
    /// What the model assumes of the program: a sentence each, for whoever reads its figures.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{pipe, task, Skeleton};
    /// let system = pipe((task(2.0), task(3.0))).communicating(10.0).lower()?;
    /// assert!(system.assumptions()[1].starts_with("there is no buffer between stages"));
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn assumptions(&self) -> Vec<String> {
        let mut assumptions = self.times();
        assumptions.extend(self.teams());
        if self.graph().moves().next().is_some() {
            assumptions.extend(self.waiting());
        }
        if self.has_timed_moves() {
            assumptions.extend(self.ports().map(str::to_owned));
        }
        if self.immediate_moves().len() > 0 {
            assumptions.push(
                "moves whose communication is negligible take no time: they are removed from the chain"
                    .to_owned(),
            );
        }
        assumptions
    }

    /// The distributions of the service times.
    #[cfg_attr(debug_assertions, inline)]
    fn times(&self) -> Vec<String> {
        let times: Vec<_> = self.tree().ids().filter_map(|id| Some((id, self.tree().time(id)?))).collect();
        let other: Vec<_> = times.iter().filter(|(_, time)| !time.is_exponential()).collect();
        let exponential = "exponential: a rate of 2 is a mean time of 1/2";
        let mut said = match (other.len(), times.len()) {
            (0, _) => vec![format!("service times are {exponential}")],
            (others, all) if others == all => Vec::new(),
            _ => vec![format!("the other service times are {exponential}")],
        };
        let in_words = |(id, time): &&(StageId, &ServiceTime)| {
            format!("the service time of `{}` is {}", self.tree().name(*id), time.in_words())
        };
        said.splice(0..0, other.iter().map(in_words));
        said
    }

    /// What the workers do that serve one item together.
    #[cfg_attr(debug_assertions, inline)]
    fn teams(&self) -> Vec<String> {
        let team = |id| match self.tree().stage(id) {
            Stage::Team(team) => Some(of_team(&self.tree().name(id), team)),
            _ => None,
        };
        self.tree().ids().filter_map(team).flatten().collect()
    }

    /// Where items wait.
    #[cfg_attr(debug_assertions, inline)]
    fn waiting(&self) -> Vec<String> {
        let buffers = &self.parts.moves.buffers;
        let none = "there is no buffer between stages: a sender waits until its receiver is free";
        let (Some(first), is_everywhere) = (buffers.first(), buffers.len() == self.graph().channels().len())
        else {
            return vec![none.to_owned()];
        };
        let is_equal = buffers.iter().all(|buffer| buffer.capacity == first.capacity);
        let shared = "the workers of a farm share one, and each worker of a deal has its own";
        vec![match (is_everywhere, is_equal) {
            (true, true) => format!("each buffer between stages holds {}; {shared}", items(first.capacity)),
            (true, false) => format!("there is a buffer between any two stages; {shared}"),
            (false, _) => format!(
                "only some stages have a buffer before them ({shared}); without one, a sender waits until its receiver is free"
            ),
        }]
    }

    /// How many items move at a time, where several could.
    #[cfg_attr(debug_assertions, inline)]
    fn ports(&self) -> Option<&'static str> {
        let has_several = |channel: &&Channel| channel.senders().len() * channel.receivers().len() > 1;
        let mut channels = self.graph().channels().iter().filter(has_several).peekable();
        channels.peek()?;
        let has_one_port = |channel: &Channel| {
            let link = |sender: Option<&u32>, receiver: Option<&u32>| Some((*sender?, *receiver?));
            let first = link(channel.senders().first(), channel.receivers().first());
            let last = link(channel.senders().last(), channel.receivers().last());
            first.map(|link| self.parts.moves.of_link(link))
                == last.map(|link| self.parts.moves.of_link(link))
        };
        Some(match channels.all(has_one_port) {
            true => {
                "items move one at a time between two stages (one port): a communication rate is that of all idle workers together"
            }
            false if self.parts.moves.buffers.is_empty() => {
                "a communication rate is that of each link: with 3 idle workers, items are sent at 3 times the rate"
            }
            false => {
                "a communication rate is that of each link where there is no buffer: with 3 idle workers, items are sent at 3 times \
                 the rate; a buffer is filled and emptied one item at a time"
            }
        })
    }
}

#[cfg_attr(debug_assertions, inline)]
fn of_team(name: &str, team: &TeamStage) -> Vec<String> {
    let workers = team.workers;
    let together = match team.kind {
        TeamKind::FaultTolerant { early: true } => format!(
            "all workers of `{name}` agree: the first {} of {workers} replies to an item pass on its result; a worker that is late goes on \
             with its item, then joins the one that is current, and leaves out those that were decided meanwhile",
            team.replies()
        ),
        TeamKind::FaultTolerant { early: false } => format!(
            "the {workers} workers of `{name}` begin each item together, and its result is passed on when all have replied"
        ),
        TeamKind::Map | TeamKind::MapWithState(_) => format!(
            "the {workers} workers of `{name}` begin their parts of an item together, and the item is passed on when all parts are done"
        ),
    };
    let of_state = match &team.kind {
        TeamKind::MapWithState(StateInput { time, items }) => Some(format!(
            "`{name}` takes its states from an input of its own, between two items: one after {} on average, by chance; its workers \
             take a state together, and the time of each for it is {}",
            if items.is_one() { "1 item".to_owned() } else { format!("{} items", display_ratio(items)) },
            match time.is_exponential() {
                true => format!("exponential of mean {}", display_ratio(time.mean())),
                false => time.in_words(),
            }
        )),
        _ => None,
    };
    [together].into_iter().chain(of_state).collect()
}

fn items(count: u32) -> String {
    if count == 1 { "1 item".to_owned() } else { format!("{count} items") }
}
