//! Functions of workers that serve an item together, for items that are numbers: those of maps, votes and
//! maps with state.

use std::ops::Range;

use skel_core::skeleton::{Stage, TeamKind, Tree};
use skel_run::functions::{
    Cause, Fallible, Form, Hands, Leaf, Map, MapWithState, Reduced, Shared, Signature, Start, StateOr, Vote,
};

use super::{Begun, Case, begins, with_functions};

/// How many units an item has, which are parted.
const UNITS: u64 = 4;

type Made = Fallible<u64, String>;
type Sum = fn(u64, u64) -> u64;
type Boxed<A> = Box<dyn Fn(A) -> Result<u64, String> + Send + Sync>;
type OfItem = Box<dyn Fn(&u64) -> Result<u64, String> + Send + Sync>;
type OfState = Box<dyn Fn(&Range<u64>, &u64) -> Result<u64, String> + Send + Sync>;

type TaskLeaf = Shared<u64, Made, Boxed<u64>>;
type MapLeaf = Reduced<Map<Range<u64>, Made, Boxed<Range<u64>>>, Sum>;
type VoteLeaf = Vote<u64, Made, Vec<OfItem>>;
type StateLeaf = Reduced<MapWithState<Range<u64>, u64, Made, skel_run::functions::AsItIs, OfState>, Sum>;

/// The function of a task or of a team.
enum Work {
    Task(TaskLeaf),
    Map(MapLeaf),
    Vote(VoteLeaf),
    WithState(StateLeaf),
}

/// Who serves, or leads those who do.
enum Worker<'a> {
    Task,
    Map(<MapLeaf as Leaf>::Worker<'a>),
    Vote(<VoteLeaf as Leaf>::Worker<'a>),
    WithState(<StateLeaf as Leaf>::Worker<'a>),
}

/// Whether the item of this place is a state where there is a map with state.
pub(super) fn is_state(place: u64) -> bool {
    place.is_multiple_of(3)
}

/// Whether the skeleton has a map with state.
pub(super) fn has_state(tree: &Tree) -> bool {
    tree.stages()
        .iter()
        .any(|stage| matches!(stage, Stage::Team(team) if matches!(team.kind, TeamKind::MapWithState(_))))
}

/// Runs a skeleton with teams, of one task to three; none without a team. The first task says when it has
/// begun, and the last fails.
pub(super) fn run(case: Case, tree: &Tree) -> Option<()> {
    let stages: Vec<Stage> = tree.leaves().map(|id| tree.stage(id).clone()).collect();
    stages.iter().any(|stage| matches!(stage, Stage::Team(_))).then_some(())?;
    let last = stages.len() - 1;
    with_functions_of(case, last, |begun, task| {
        let (begun, fails) =
            (if task == 0 { begun } else { None }, if task == last { case.fails } else { u64::MAX });
        work(&stages[task], begun, fails, case.panics)
    });
    Some(())
}

fn with_functions_of(case: Case, last: usize, work: impl Fn(Begun, usize) -> Work) {
    macro_rules! policy {
        ($chain:expr) => {{
            let chain = $chain;
            let chain = if case.retries > 0 { chain.retry(case.retries) } else { chain };
            if case.skips { chain.skip_failures() } else { chain }
        }};
    }
    match last {
        0 => with_functions(case, |begun| policy!(Start.then(work(begun, 0)))),
        1 => with_functions(case, |begun| policy!(Start.then(work(begun, 0)).then(work(None, 1)))),
        2 => with_functions(case, |begun| {
            policy!(Start.then(work(begun, 0)).then(work(None, 1)).then(work(None, 2)))
        }),
        other => panic!("{} tasks", other + 1),
    }
}

fn work(stage: &Stage, begun: Begun, fails: u64, panics: bool) -> Work {
    let begun = std::sync::Mutex::new(begun);
    let begins = move |item: u64| {
        let begun = begun.lock().unwrap().clone();
        begins(&begun, item);
    };
    let fail = move |item: u64, is_meant: bool| match item / 1000 == fails && is_meant {
        // Without the hook, by which shuttle would take it for a failure of the schedule.
        true if panics => std::panic::resume_unwind(Box::new("the item fails")),
        true => Err("the item fails".to_owned()),
        false => Ok(()),
    };
    match stage {
        Stage::Team(team) => match team.kind {
            TeamKind::Map => {
                let function: Boxed<Range<u64>> = Box::new(move |part: Range<u64>| {
                    begins(part.start);
                    fail(part.start, part.start.is_multiple_of(1000))?;
                    Ok(part.end - part.start)
                });
                Work::Map(Reduced::new(Map::new(function), add))
            }
            TeamKind::FaultTolerant { .. } => {
                let begins = std::sync::Arc::new(begins);
                let function = |number: u64| -> OfItem {
                    let begins = std::sync::Arc::clone(&begins);
                    Box::new(move |item: &u64| {
                        begins(*item);
                        // Those with even numbers are the majority. One of the others is always wrong.
                        fail(*item, number.is_multiple_of(2))?;
                        Ok(if number == 1 { item + 1 } else { *item })
                    })
                };
                Work::Vote(Vote::new((0..u64::from(team.workers)).map(function).collect()))
            }
            TeamKind::MapWithState(_) => {
                let function: OfState = Box::new(move |part: &Range<u64>, item: &u64| {
                    begins(*item);
                    let state = item / 1000 / 3 * 3;
                    assert!(part.is_empty() || part.start / 1000 == state, "the last state is meant");
                    fail(*item, part.start.is_multiple_of(1000))?;
                    Ok(part.end - part.start)
                });
                Work::WithState(Reduced::new(MapWithState::new(function), add))
            }
        },
        _ => Work::Task(Shared::new(Box::new(move |item: u64| {
            begins(item);
            fail(item, true)?;
            Ok(item)
        }))),
    }
}

fn add(one: u64, other: u64) -> u64 {
    one + other
}

impl Signature for Work {
    type In = u64;
    type Out = u64;
}

impl Leaf for Work {
    type Worker<'a> = Worker<'a>;

    fn worker(&self) -> Worker<'_> {
        match self {
            Work::Task(_) => Worker::Task,
            Work::Map(leaf) => Worker::Map(leaf.worker()),
            Work::Vote(leaf) => Worker::Vote(leaf.worker()),
            Work::WithState(leaf) => Worker::WithState(leaf.worker()),
        }
    }

    fn lead<'a>(&'a self, hands: Hands<'a>) -> Worker<'a> {
        match self {
            Work::Task(_) => Worker::Task,
            Work::Map(leaf) => Worker::Map(leaf.lead(hands)),
            Work::Vote(leaf) => Worker::Vote(leaf.lead(hands)),
            Work::WithState(leaf) => Worker::WithState(leaf.lead(hands)),
        }
    }

    fn form(&self) -> Form {
        match self {
            Work::Task(leaf) => leaf.form(),
            Work::Map(leaf) => leaf.form(),
            Work::Vote(leaf) => leaf.form(),
            Work::WithState(leaf) => leaf.form(),
        }
    }

    fn serve<'a>(&'a self, worker: &mut Worker<'a>, item: u64) -> Result<Option<u64>, Cause> {
        let whole = |units: Option<u64>| {
            assert!(units.is_none_or(|units| units == UNITS), "all parts come together");
            units.map(|_| item)
        };
        match (self, worker) {
            (Work::Task(leaf), Worker::Task) => leaf.serve(&mut (), item),
            (Work::Map(leaf), Worker::Map(leader)) => leaf.serve(leader, item..item + UNITS).map(whole),
            (Work::Vote(leaf), Worker::Vote(leader)) => leaf.serve(leader, item),
            (Work::WithState(leaf), Worker::WithState(leader)) => {
                let input = match is_state(item / 1000) {
                    true => StateOr::State(item..item + UNITS),
                    false => StateOr::Item(item),
                };
                leaf.serve(leader, input).map(whole)
            }
            _ => unreachable!("a worker of another team"),
        }
    }
}
