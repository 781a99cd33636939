//! The chain of a skeleton as one of items: what can happen in a state, and where the tagged item is then.
//!
//! A state has a number for each task, and two for each buffer:
//!
//! ```text
//! task     twice the number of its local state, and one more if it holds the tagged item
//! buffer   how many items it holds, and the place of the tagged item among them: 1 for the one that leaves first, 0 for none
//! ```
//!
//! The rates are those of the model (Fig. A.1 of the paper): a move takes place at its rate as long as it has
//! a sender and a receiver, and each pair of a sender and a receiver has the share of their weights.
//! Immediate moves are taken with probabilities in proportion to these rates. Items leave a buffer in the
//! order in which they came. The model does not say which item leaves, so that this changes no other figure,
//! and the mean response time neither.

use num_traits::Zero;
use skel_core::number::Ratio;
use skel_core::skeleton::{ItemActivity, ItemFlow, ItemStep};

/// A state, with the tagged item or without.
pub(super) type State = Vec<u32>;

/// What can happen in a state.
pub(super) struct Step {
    /// At which rate; for an immediate move, its weight.
    pub(super) rate: Ratio,
    pub(super) next: State,
    /// The task that begins a new item, if one does.
    pub(super) begun_by: Option<usize>,
    /// Whether the tagged item is finished.
    pub(super) ends: bool,
}

/// Which steps are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Those that take time.
    Timed,
    /// Moves that take none.
    Immediate,
}

/// How items move. Rates are fractions, since a path of immediate moves multiplies and divides many of them;
/// each is rounded once, when it is known.
pub(super) struct Flow {
    /// For each task what it can do in each of its local states.
    tasks: Vec<Vec<Vec<Activity>>>,
    moves: Vec<Move>,
    capacities: Vec<u32>,
    initial: State,
}

struct Activity {
    by: By,
    to: u32,
    finishes: bool,
    begins: bool,
}

enum By {
    Alone(Ratio),
    Sends(usize, Ratio),
    Receives(usize, Ratio),
}

struct Move {
    rate: Ratio,
    is_immediate: bool,
    from_buffer: Option<usize>,
    to_buffer: Option<usize>,
}

/// The tasks that are ready for a move, each with its activity.
struct Ready<'f> {
    senders: Vec<(usize, &'f Activity)>,
    receivers: Vec<(usize, &'f Activity)>,
}

impl Flow {
    pub(super) fn new(items: &ItemFlow) -> Flow {
        let activity = |activity: &ItemActivity| Activity {
            by: match &activity.by {
                ItemStep::Alone(rate) => By::Alone(rate.clone()),
                ItemStep::Sends(action, weight) => By::Sends(*action as usize, weight.clone()),
                ItemStep::Receives(action, weight) => By::Receives(*action as usize, weight.clone()),
            },
            to: activity.to as u32,
            finishes: activity.finishes,
            begins: activity.begins,
        };
        let tasks = items.tasks.iter().map(|task| {
            let states = task.states.iter();
            states.map(|state| state.activities.iter().map(activity).collect()).collect()
        });
        let moves = items.moves.iter().map(|item_move| Move {
            rate: item_move.rate.clone(),
            is_immediate: item_move.is_immediate,
            from_buffer: item_move.from_buffer,
            to_buffer: item_move.to_buffer,
        });
        let mut initial: State = items.tasks.iter().map(|task| 2 * task.initial as u32).collect();
        initial.extend(items.buffers.iter().flat_map(|_| [0, 0]));
        Flow { tasks: tasks.collect(), moves: moves.collect(), capacities: items.buffers.clone(), initial }
    }

    pub(super) fn initial(&self) -> &State {
        &self.initial
    }

    /// Where the numbers of a buffer are in a state.
    pub(super) fn place_of_buffer(&self, buffer: usize) -> usize {
        self.tasks.len() + 2 * buffer
    }

    /// Whether there are moves that take no time.
    pub(super) fn has_immediate(&self) -> bool {
        self.moves.iter().any(|one| one.is_immediate)
    }

    /// Adds what can happen in a state, those with the same end not joined.
    pub(super) fn steps(&self, state: &State, kind: Kind, steps: &mut Vec<Step>) {
        let mut ready: Vec<Option<Ready<'_>>> = self.moves.iter().map(|_| None).collect();
        for (task, states) in self.tasks.iter().enumerate() {
            for activity in &states[state[task] as usize / 2] {
                match &activity.by {
                    By::Alone(rate) if kind == Kind::Timed => steps.push(alone(state, task, activity, rate)),
                    By::Alone(_) => {}
                    By::Sends(action, _) => ready_for(&mut ready[*action]).senders.push((task, activity)),
                    By::Receives(action, _) => {
                        ready_for(&mut ready[*action]).receivers.push((task, activity));
                    }
                }
            }
        }
        for (action, ready) in self.moves.iter().zip(ready) {
            if let Some(ready) = ready.filter(|_| action.is_immediate == (kind == Kind::Immediate)) {
                self.moved(state, action, &ready, steps);
            }
        }
    }

    /// Adds the ways in which a move takes place.
    fn moved(&self, state: &State, action: &Move, ready: &Ready<'_>, steps: &mut Vec<Step>) {
        let Ready { senders, receivers } = ready;
        match (action.from_buffer, action.to_buffer) {
            (Some(buffer), _) => {
                let at = self.place_of_buffer(buffer);
                if state[at] > 0 {
                    let each = |(receiver, rate)| got(state, at, receiver, rate);
                    steps.extend(shares(&action.rate, receivers).map(each));
                }
            }
            (_, Some(buffer)) => {
                let at = self.place_of_buffer(buffer);
                if state[at] < self.capacities[buffer] {
                    let each = |(sender, rate)| put(state, at, sender, rate);
                    steps.extend(shares(&action.rate, senders).map(each));
                }
            }
            (None, None) => {
                for (sender, rate) in shares(&action.rate, senders) {
                    let each = |(receiver, rate)| handed_over(state, sender, receiver, rate);
                    steps.extend(shares(&rate, receivers).map(each));
                }
            }
        }
    }
}

fn ready_for<'r, 'f>(ready: &'r mut Option<Ready<'f>>) -> &'r mut Ready<'f> {
    ready.get_or_insert_with(|| Ready { senders: Vec::new(), receivers: Vec::new() })
}

type Taker<'f> = (usize, &'f Activity);

/// A rate shared among those that are ready, by their weights.
fn shares<'r, 'f>(
    rate: &Ratio,
    ready: &'r [Taker<'f>],
) -> impl Iterator<Item = (Taker<'f>, Ratio)> + use<'r, 'f> {
    let weight = |activity: &Activity| match &activity.by {
        By::Alone(one) | By::Sends(_, one) | By::Receives(_, one) => one.clone(),
    };
    let total = ready.iter().fold(Ratio::zero(), |sum, (_, activity)| sum + weight(activity));
    let rate = rate.clone();
    ready.iter().map(move |&(task, activity)| {
        // One alone has the whole rate, and the division would only round.
        let share =
            if ready.len() == 1 { rate.clone() } else { rate.clone() * weight(activity) / total.clone() };
        ((task, activity), share)
    })
}

/// A task does something by itself.
fn alone(state: &State, task: usize, activity: &Activity, rate: &Ratio) -> Step {
    let mut next = state.clone();
    let tag = state[task] % 2;
    let ends = activity.finishes && tag == 1;
    next[task] = 2 * activity.to + if ends { 0 } else { tag };
    Step { rate: rate.clone(), next, begun_by: activity.begins.then_some(task), ends }
}

/// A task hands its item over to another.
fn handed_over(state: &State, sender: Taker<'_>, receiver: Taker<'_>, rate: Ratio) -> Step {
    let ((from, sends), (to, receives)) = (sender, receiver);
    let mut next = state.clone();
    next[from] = 2 * sends.to;
    next[to] = 2 * receives.to + state[from] % 2;
    Step { rate, next, begun_by: sends.begins.then_some(from), ends: false }
}

/// A task puts its item into a buffer, behind all that are there.
fn put(state: &State, buffer: usize, (from, sends): Taker<'_>, rate: Ratio) -> Step {
    let mut next = state.clone();
    next[from] = 2 * sends.to;
    next[buffer] += 1;
    if state[from] % 2 == 1 {
        next[buffer + 1] = next[buffer];
    }
    Step { rate, next, begun_by: sends.begins.then_some(from), ends: false }
}

/// A task gets the first item of a buffer.
fn got(state: &State, buffer: usize, (to, receives): Taker<'_>, rate: Ratio) -> Step {
    let mut next = state.clone();
    next[buffer] -= 1;
    next[buffer + 1] = state[buffer + 1].saturating_sub(1);
    next[to] = 2 * receives.to + u32::from(state[buffer + 1] == 1);
    Step { rate, next, begun_by: None, ends: false }
}
