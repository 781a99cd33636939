//! The states of a model with the position of a tagged item, where actions say how items move.

use std::collections::HashMap;

use skel_core::number::Number;

use super::explore::{Tagged, Untagged};
use super::path::{Path, PathFault, PathProblem};
use crate::chain::{Generator, Matrix};
use crate::error::{Error, Stopped};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limit, Limits, Progress, Reached, Watch};
use crate::space::{Labelled, RowReader, StateSpace};

/// Why a path has no chain.
pub(super) enum Unfollowed {
    Stopped(Error),
    Wrong(PathProblem),
}

impl<E: Into<Error>> From<E> for Unfollowed {
    fn from(error: E) -> Unfollowed {
        Unfollowed::Stopped(error.into())
    }
}

/// Follows items through a space. `class` are the states that runs come back to.
pub(super) struct Follower<'f> {
    pub(super) space: &'f StateSpace,
    pub(super) class: &'f [u32],
    pub(super) path: &'f Path,
    pub(super) limits: &'f Limits,
}

impl Follower<'_> {
    /// The chain without a tag, and that with one.
    pub(super) fn follow<N: Number>(&self) -> Result<(Untagged<N>, Tagged<N>), Unfollowed> {
        let mut table = Table::default();
        let mut watch = Watch::start(self.limits);
        let untagged = self.untagged(&mut table, &mut watch)?;
        let tagged = self.tagged(&mut table, &mut watch)?;
        Ok((untagged, tagged))
    }

    fn untagged<N: Number>(
        &self,
        table: &mut Table,
        watch: &mut Watch<'_>,
    ) -> Result<Untagged<N>, Unfollowed> {
        let mut numbers = vec![u32::MAX; self.space.states()];
        self.class.iter().zip(0..).for_each(|(&state, number)| numbers[state as usize] = number);
        let generator = Generator::restricted(self.space, self.class, &numbers, || watch.prepare())?;
        let mut begun = Vec::new();
        let states = self.class.iter().map(|&state| state as usize);
        let pause = || watch.prepare();
        self.space.for_each_row_of::<N, Stopped>(states, pause, |state, row| {
            for Labelled { target, action, rate } in row.drain(..) {
                if let Some(&to) = self.path.enters.get(&action) {
                    begun.push((numbers[state], table.number((target, to)), rate));
                }
            }
            Ok(())
        })?;
        if begun.is_empty() {
            let names: Vec<String> = self
                .path
                .enters
                .keys()
                .map(|&action| format!("`{}`", self.space.model().action(action)))
                .collect();
            return Err(Unfollowed::Wrong(PathProblem {
                kind: PathFault::NotSo,
                message: format!("no item ever comes in: {} is not done in the long run", names.join(", ")),
                help: "name an action that is done again and again".into(),
            }));
        }
        Ok(Untagged { generator, begun })
    }

    fn tagged<N: Number>(&self, table: &mut Table, watch: &mut Watch<'_>) -> Result<Tagged<N>, Unfollowed> {
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut ends = Vec::new();
        let reader = RowReader::<N>::new(self.space);
        let mut row = Vec::new();
        for here in 0.. {
            let Some(&(state, position)) = table.states.get(here) else { break };
            self.look(table, here, columns.len(), watch)?;
            reader.read(state as usize, &mut row);
            let mut end = N::zero();
            let mut of_state: Vec<(u32, N)> = Vec::new();
            for Labelled { target, action, rate } in row.drain(..) {
                let to = match self.path.goes.get(&(action, position)) {
                    None if self.path.brings_to(action, position) => {
                        return Err(Unfollowed::Wrong(self.two_items(action, position, state)));
                    }
                    None => position,
                    Some(Some(to)) => *to,
                    Some(None) => {
                        end = end + rate;
                        continue;
                    }
                };
                let number = table.number((target, to));
                if number as usize != here {
                    of_state.push((number, rate));
                }
            }
            of_state.sort_by_key(|(to, _)| *to);
            for same in of_state.chunk_by(|one, other| one.0 == other.0) {
                columns.push(same[0].0);
                values.push(same.iter().fold(N::zero(), |sum, (_, rate)| sum + rate.clone()));
            }
            offsets.push(columns.len());
            ends.push(end);
        }
        Ok(Tagged { rates: Matrix::new(offsets, columns, values), ends })
    }

    /// A position that would hold two items.
    fn two_items(&self, action: skel_core::model::ActionId, position: u32, state: u32) -> PathProblem {
        let model = self.space.model();
        PathProblem {
            kind: PathFault::NotSo,
            message: format!(
                "position {position} would hold two items: `{}` brings one there while another is there, in the state `{}`",
                model.action(action),
                self.space.display_state(state as usize)
            ),
            help: "a position holds one item at most: name the action that takes the item on before the next one comes, or give the places of the items positions of their own".into(),
        }
    }

    fn look(
        &self,
        table: &Table,
        explored: usize,
        transitions: usize,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped> {
        const BETWEEN_LOOKS: usize = 256;
        const STATE: u64 = 40;
        let states = table.states.len() as u64;
        let (transitions, waiting) = (transitions as u64, states - explored as u64);
        let reached = Reached::Exploring { states, transitions, waiting, unlumped: None };
        let stopped = |limit| Err(Stopped { limit, reached });
        if states > self.limits.states {
            return stopped(Limit::States(self.limits.states));
        }
        if explored.is_multiple_of(BETWEEN_LOOKS) {
            let progress = || Progress::Exploring { found: states, explored: explored as u64 };
            if let Err(limit) = watch.check(progress) {
                return stopped(limit);
            }
            let budget = MemoryBudget::new(self.limits).beside(self.space.memory());
            if budget.check(states * STATE + transitions * 16).is_err() {
                return stopped(budget.limit());
            }
        }
        Ok(())
    }
}

/// States with positions, each once.
#[derive(Default)]
struct Table {
    states: Vec<(u32, u32)>,
    numbers: HashMap<(u32, u32), u32>,
}

impl Table {
    fn number(&mut self, state: (u32, u32)) -> u32 {
        *self.numbers.entry(state).or_insert_with(|| {
            self.states.push(state);
            self.states.len() as u32 - 1
        })
    }
}
