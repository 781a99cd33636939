//! Finds paths from the initial state to a state of an explored space.

use skel_core::model::{ActionId, LocalStateId, Position};

use crate::space::StateSpace;
use crate::state::layout::{Layout, make_moves};
use crate::symmetry::lumping::Lumping;
use crate::transition::compile::{Buffers, Compiled};

impl<M: ?Sized> StateSpace<M> {
    /// The actions of a shortest path from the initial state to the given one, in time linear in the number of
    /// transitions. In a lumped space the path leads to one of the states that the given one represents.
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

    /// A shortest path to a state, and the state that it leads to. In a lumped space that is one of the states that the
    /// given one represents.
    pub(crate) fn run_to(&self, number: usize) -> (Vec<ActionId>, Vec<LocalStateId>) {
        let mut parents: Vec<Option<(u32, ActionId)>> = vec![None; self.states()];
        let mut queue = std::collections::VecDeque::from([0_usize]);
        while let Some(state) = queue.pop_front() {
            if state == number {
                break;
            }
            for transition in self.row(state) {
                let target = transition.target as usize;
                if target != 0 && parents[target].is_none() {
                    parents[target] = Some((state as u32, transition.action));
                    queue.push_back(target);
                }
            }
        }
        let mut steps = Vec::new();
        let mut at = number;
        while let Some((parent, action)) = parents[at] {
            steps.push((action, at));
            at = parent as usize;
        }
        steps.reverse();
        // Interchangeable parts may be exchanged along the path. If that changes none of its actions, the same actions
        // lead to every state that the last one represents.
        let told_apart =
            |lumping: &&Lumping| steps.iter().any(|&(action, _)| lumping.equivalent_actions(action) > 1);
        match self.inner.explored.lumping.as_ref().filter(told_apart) {
            Some(lumping) => self.unlumped_run(&steps, lumping),
            None => (steps.into_iter().map(|(action, _)| action).collect(), self.state(number)),
        }
    }

    /// The path of the original model that corresponds to a lumped path. Each lumped step is, up to an exchange of
    /// equivalent parts, a step from the state that the path has reached.
    fn unlumped_run(
        &self,
        steps: &[(ActionId, usize)],
        lumping: &Lumping,
    ) -> (Vec<ActionId>, Vec<LocalStateId>) {
        let inner = &self.inner;
        let layout = Layout::new(&inner.model, &[]);
        let compiled = Compiled::<f64>::new(&inner.model, &inner.explored.numbers, &layout);
        let mut buffers = Buffers::new();
        let mut here = layout.pack(&vec![0; inner.model.positions()]);
        let mut path = Vec::with_capacity(steps.len());
        for &(wanted, next) in steps {
            let mut found = None;
            let explored = "the state was explored before";
            let listing = compiled.for_each_transition(&here, &mut buffers, |transition| {
                if found.is_none() && lumping.representative(transition.action) == wanted {
                    let mut target = here.clone();
                    make_moves(&mut target, transition.moves);
                    if self.number_of(&self.unlumped(&layout, &target)) == Some(next) {
                        found = Some((transition.action, target));
                    }
                }
            });
            listing.expect(explored);
            let (action, target) = found.expect("equivalent states have equivalent transitions");
            path.push(action);
            here = target;
        }
        (path, self.unlumped(&layout, &here))
    }

    /// The local states of a state that is packed in another layout.
    fn unlumped(&self, layout: &Layout, state: &[u64]) -> Vec<LocalStateId> {
        let local = |position| {
            let component = self.model().component_at(Position::at(position));
            self.inner.explored.numbers.in_order(component)[layout.local(state, position) as usize]
        };
        (0..self.model().positions()).map(local).collect()
    }
}
