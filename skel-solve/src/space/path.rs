//! Ways from the initial state, over a space that has been explored.

use skel_core::model::{ActionId, LocalStateId};

use super::StateSpace;
use super::compile::{Buffers, Compiled};
use super::explore;
use super::lumping::{Blocks, Lumping};

impl<M: ?Sized> StateSpace<M> {
    /// The actions of a shortest way from the initial state to another; linear in the transitions. In a lumped
    /// space it leads to one of the states that the other stands for.
    ///
    /// # Panics
    /// If there is no state of that number.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// use skel_solve::Explore;
    /// let space = Model::from_text("P = (go, 1).(load, 1).Q; Q = (back, 2).P; P")?.explore()?;
    /// let path: Vec<&str> = space.path_to(2).into_iter().map(|action| space.model().action(action)).collect();
    /// assert_eq!(path, ["go", "load"]);
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    #[must_use]
    pub fn path_to(&self, number: usize) -> Vec<ActionId> {
        self.run_to(number).0
    }

    /// A shortest way to a state, and the state where it leads: in a lumped space one of those that the other
    /// stands for.
    pub(crate) fn run_to(&self, number: usize) -> (Vec<ActionId>, Vec<LocalStateId>) {
        let mut parents: Vec<Option<(u32, u32)>> = vec![None; self.states()];
        let inner = &self.inner;
        let mut queue = std::collections::VecDeque::from([0_usize]);
        while let Some(state) = queue.pop_front() {
            if state == number {
                break;
            }
            for at in inner.offsets[state]..inner.offsets[state + 1] {
                let target = inner.targets[at] as usize;
                if target != 0 && parents[target].is_none() {
                    parents[target] = Some((state as u32, inner.actions[at]));
                    queue.push_back(target);
                }
            }
        }
        let mut steps = Vec::new();
        let mut at = number;
        while let Some((parent, action)) = parents[at] {
            steps.push((ActionId(action), at));
            at = parent as usize;
        }
        steps.reverse();
        match &inner.lumping {
            Some(lumping) => self.unlumped_run(&steps, lumping),
            None => (steps.into_iter().map(|(action, _)| action).collect(), self.state(number)),
        }
    }

    /// A run of the model itself through the states that those of a lumped run stand for: each step of the lumped
    /// one is, up to the order of equivalent parts, a step from wherever the run is.
    fn unlumped_run(
        &self,
        steps: &[(ActionId, usize)],
        lumping: &Lumping,
    ) -> (Vec<ActionId>, Vec<LocalStateId>) {
        let inner = &self.inner;
        let compiled = Compiled::<f64>::of(&inner.model, &inner.numbers);
        let (mut buffers, mut blocks) = (Buffers::new(&inner.layout), Blocks::default());
        let mut here = explore::initial_state(inner);
        let mut path = Vec::with_capacity(steps.len());
        for &(wanted, next) in steps {
            let mut found = None;
            let explored = "the state was explored before";
            compiled
                .for_each_transition(&inner.layout, &here, &mut buffers, |action, _, target| {
                    if found.is_none() && lumping.representative(action) == wanted {
                        let mut canonical = target.to_vec();
                        lumping.canonise(&inner.layout, &mut canonical, &mut blocks);
                        if canonical == inner.store.get(next) {
                            found = Some((action, target.to_vec()));
                        }
                    }
                })
                .expect(explored);
            let (action, target) = found.expect("equivalent states have equivalent transitions");
            path.push(action);
            here = target;
        }
        let state = (0..inner.model.positions()).map(|position| self.local(&here, position)).collect();
        (path, state)
    }
}
