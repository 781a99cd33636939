//! The messages of a collective operation.

use super::plan::{Message, MessageId, Plan};
use super::shapes::{binary_children, binomial_children};
use crate::collective::{
    Algorithm, Collective, CollectiveError, Cut, Operation, Problem, blocks_at, bytes_of_blocks, distances,
    is_time,
};
use crate::quantity::Bytes;

/// More messages than this are not planned. To play them takes about half a GB of memory.
const MOST_MESSAGES: usize = 2_000_000;

impl Plan {
    /// The messages of an operation by an algorithm; the root is process 0. The segment is that of a chain;
    /// without it, the message is one.
    ///
    /// # Errors
    /// An algorithm or a segment that the operation cannot have, as for [`Collective::time_with_segment`];
    /// more than two million messages.
    pub fn of(
        collective: &Collective,
        algorithm: Algorithm,
        segment: Option<Bytes>,
    ) -> Result<Plan, CollectiveError> {
        planned(collective, algorithm, segment).map_err(|problem| collective.error(algorithm, problem))
    }

    /// Adds a message that is known to be right.
    fn add(&mut self, message: Message, after: &[MessageId]) -> MessageId {
        self.send(message, after).expect("the algorithms send between processes what these have received")
    }
}

fn planned(collective: &Collective, algorithm: Algorithm, segment: Option<Bytes>) -> Result<Plan, Problem> {
    use {Algorithm as A, Operation as O};
    collective.check(algorithm)?;
    let cut = cut(collective, algorithm, segment)?;
    if !is_time(collective.combining_time()) {
        return Err(Problem::TooLong);
    }
    refuse_too_many(collective.processes(), algorithm, &cut)?;
    Ok(match (collective.operation(), algorithm) {
        (O::Broadcast, A::Chain) => chain(collective, &cut),
        (O::Broadcast, A::Binary) => binary(collective),
        (O::Broadcast, A::Binomial) => downward(collective, &|_| Ok(collective.size()))?,
        (O::Scatter, A::Binomial) => downward(collective, &|n| bytes_of_blocks(collective.size(), n))?,
        (O::Gather, A::Binomial) => upward(collective, &|n| bytes_of_blocks(collective.size(), n))?,
        (O::Reduce, A::Binomial) => upward(collective, &|_| Ok(collective.size()))?,
        (O::Broadcast | O::Scatter, _) => flat_downward(collective),
        (O::Gather | O::Reduce, _) => flat_upward(collective),
        (O::AllGather, A::Ring) => ring(collective),
        (O::AllGather, A::RecursiveDoubling) => {
            exchanges(collective, &|process, distance| process ^ distance)?
        }
        (O::AllGather, _) => {
            let processes = collective.processes();
            exchanges(collective, &|process, distance| {
                if process >= distance { process - distance } else { processes - (distance - process) }
            })?
        }
    })
}

fn cut(collective: &Collective, algorithm: Algorithm, segment: Option<Bytes>) -> Result<Cut, Problem> {
    match segment {
        None => Ok(Cut::new(collective.size(), collective.size())),
        Some(_) if algorithm != Algorithm::Chain => Err(Problem::Unsegmented),
        // The search answers so for a message of 0 bytes.
        Some(segment) if segment == collective.size() => Ok(Cut::new(segment, segment)),
        Some(segment) => Cut::checked(collective.size(), segment),
    }
}

fn refuse_too_many(processes: u32, algorithm: Algorithm, cut: &Cut) -> Result<(), Problem> {
    let others = u128::from(processes - 1);
    let messages = match algorithm {
        Algorithm::Flat | Algorithm::Binary | Algorithm::Binomial => others,
        Algorithm::Chain => others * u128::from(cut.segments),
        Algorithm::Ring => others * u128::from(processes),
        Algorithm::RecursiveDoubling | Algorithm::Bruck => {
            u128::from(processes) * distances(processes).count() as u128
        }
    };
    if messages > MOST_MESSAGES as u128 {
        return Err(Problem::TooManyMessages { messages, limit: MOST_MESSAGES });
    }
    Ok(())
}

fn flat_downward(collective: &Collective) -> Plan {
    let mut plan = Plan::new(collective.processes());
    for child in 1..collective.processes() {
        plan.add(Message::new(0, child, collective.size()), &[]);
    }
    plan
}

fn flat_upward(collective: &Collective) -> Plan {
    let mut plan = Plan::new(collective.processes());
    for child in 1..collective.processes() {
        plan.add(to_combine(collective, child, 0, collective.size()), &[]);
    }
    plan
}

/// A message upwards, which a reduction combines with what its receiver has.
fn to_combine(collective: &Collective, from: u32, to: u32, size: Bytes) -> Message {
    let reduces = collective.operation() == Operation::Reduce;
    let message = Message::new(from, to, size);
    if reduces { Message { combining: collective.combining_time(), ..message } } else { message }
}

fn chain(collective: &Collective, cut: &Cut) -> Plan {
    let mut plan = Plan::new(collective.processes());
    for segment in 1..=cut.segments {
        let size = if segment == cut.segments { cut.last } else { cut.segment };
        let mut before = None;
        for from in 0..collective.processes() - 1 {
            before = Some(plan.add(Message::new(from, from + 1, size), before.as_slice()));
        }
    }
    plan
}

fn binary(collective: &Collective) -> Plan {
    let processes = collective.processes();
    let mut plan = Plan::new(processes);
    let mut received: Vec<Option<MessageId>> = vec![None; processes as usize];
    for process in 0..processes {
        for child in binary_children(process, processes) {
            let message = Message::new(process, child, collective.size());
            received[child as usize] = Some(plan.add(message, received[process as usize].as_slice()));
        }
    }
    plan
}

/// The size of the message between a process and a subtree of some number of processes.
type SizeOfSubtree<'a> = &'a dyn Fn(u32) -> Result<Bytes, Problem>;

fn downward(collective: &Collective, size: SizeOfSubtree<'_>) -> Result<Plan, Problem> {
    let processes = collective.processes();
    let mut plan = Plan::new(processes);
    let mut received: Vec<Option<MessageId>> = vec![None; processes as usize];
    for process in 0..processes {
        for (child, below) in binomial_children(process, processes) {
            let message = Message::new(process, child, size(below)?);
            received[child as usize] = Some(plan.add(message, received[process as usize].as_slice()));
        }
    }
    Ok(plan)
}

fn upward(collective: &Collective, size: SizeOfSubtree<'_>) -> Result<Plan, Problem> {
    let processes = collective.processes();
    let mut plan = Plan::new(processes);
    let mut received: Vec<Vec<MessageId>> = vec![Vec::new(); processes as usize];
    // The children of a process have higher numbers.
    for process in (0..processes).rev() {
        for (child, below) in binomial_children(process, processes) {
            let message = to_combine(collective, child, process, size(below)?);
            let sent = plan.add(message, &std::mem::take(&mut received[child as usize]));
            received[process as usize].push(sent);
        }
    }
    Ok(plan)
}

fn ring(collective: &Collective) -> Plan {
    let processes = collective.processes();
    let mut plan = Plan::new(processes);
    let mut received: Vec<Option<MessageId>> = vec![None; processes as usize];
    for _ in 1..processes {
        let before = received.clone();
        for process in 0..processes {
            let next = if process + 1 == processes { 0 } else { process + 1 };
            let message = Message::new(process, next, collective.size());
            received[next as usize] = Some(plan.add(message, before[process as usize].as_slice()));
        }
    }
    plan
}

/// Rounds in which each process sends what it has to another, whom its number and the distance of the round
/// say.
fn exchanges(collective: &Collective, to: &dyn Fn(u32, u32) -> u32) -> Result<Plan, Problem> {
    let processes = collective.processes();
    let mut plan = Plan::new(processes);
    let mut received: Vec<Option<MessageId>> = vec![None; processes as usize];
    for distance in distances(processes) {
        let size = bytes_of_blocks(collective.size(), blocks_at(processes, distance))?;
        let before = received.clone();
        for process in 0..processes {
            let to = to(process, distance);
            let message = Message::new(process, to, size);
            received[to as usize] = Some(plan.add(message, before[process as usize].as_slice()));
        }
    }
    Ok(plan)
}
