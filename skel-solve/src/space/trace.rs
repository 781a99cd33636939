//! Finds paths from the initial state to a state of an explored space.

use skel_core::model::{ActionId, LocalStateId, Position};

use crate::space::StateSpace;
use crate::space::store::StateStore;
use crate::state::layout::{Layout, make_moves};
use crate::symmetry::lumping::Lumping;
use crate::symmetry::sorted::SortBuffer;
use crate::transition::compile::{Buffers, Compiled};

/// An action, and the state that it leads to, in its packed form.
pub(super) type Step = (ActionId, Vec<u64>);

/// The steps of a shortest run, with its vanishing states, that leads to a wanted state. If none is wanted,
/// it leads to a state that has an activity without a well-defined rate.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn steps_to(
    wanted: Option<&[u64]>,
    initial: &[u64],
    compiled: &Compiled<f64>,
    lumping: Option<&Lumping>,
) -> Vec<Step> {
    let mut met = StateStore::new(initial.len());
    met.insert_hashed(met.hash(initial), initial);
    let mut parents: Vec<Option<(usize, ActionId)>> = vec![None];
    let (mut buffers, mut blocks) = (Buffers::new(), SortBuffer::default());
    let mut at = 0;
    while at < met.len() {
        let here = met.get(at).to_vec();
        if wanted == Some(&here[..]) {
            break;
        }
        let listing = compiled.for_each_next(&here, &mut buffers, |transition| {
            let mut target = here.clone();
            make_moves(&mut target, transition.moves);
            if let Some(lumping) = lumping {
                lumping.canonicalise(&mut target, &mut blocks);
            }
            let hash = met.hash(&target);
            if met.find_hashed(hash, &target).is_none() {
                met.insert_hashed(hash, &target);
                parents.push(Some((at, transition.action)));
            }
        });
        if listing.is_err() {
            break;
        }
        at += 1;
    }
    let mut steps = Vec::new();
    while let Some(&Some((parent, action))) = parents.get(at) {
        steps.push((action, met.get(at).to_vec()));
        at = parent;
    }
    steps.reverse();
    steps
}

impl<M: ?Sized> StateSpace<M> {
    /// The actions of a shortest path from the initial state to the given one, in time linear in the number
    /// of transitions. In a lumped space the path leads to one of the states that the given one represents.
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

    /// A shortest path to a state, and the state that it leads to. In a lumped space that is one of the
    /// states that the given one represents.
    pub(crate) fn run_to(&self, number: usize) -> (Vec<ActionId>, Vec<LocalStateId>) {
        let inner = &self.inner;
        let steps = match inner.compiled.has_immediate() {
            true => {
                let wanted = self.with_packed(number, <[u64]>::to_vec);
                let initial = self.with_packed(0, <[u64]>::to_vec);
                steps_to(Some(&wanted), &initial, &inner.compiled, self.lumping())
            }
            false => self.steps_to(number),
        };
        // Interchangeable parts may be exchanged along the path. If that changes none of its actions, the
        // same actions lead to every state that the last one represents.
        let told_apart =
            |lumping: &&Lumping| steps.iter().any(|&(action, _)| lumping.equivalent_actions(action) > 1);
        match self.lumping().filter(told_apart) {
            Some(lumping) => self.unlumped_run(&steps, lumping),
            None => (steps.into_iter().map(|(action, _)| action).collect(), self.state(number)),
        }
    }

    /// The steps of a shortest path to a state: actions, each with the state that it leads to.
    fn steps_to(&self, number: usize) -> Vec<Step> {
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
            steps.push((action, self.with_packed(at, <[u64]>::to_vec)));
            at = parent as usize;
        }
        steps.reverse();
        steps
    }

    /// The path of the original model that corresponds to a lumped path. Each lumped step is, up to an
    /// exchange of equivalent parts, a step from the state that the path has reached.
    fn unlumped_run(&self, steps: &[Step], lumping: &Lumping) -> (Vec<ActionId>, Vec<LocalStateId>) {
        let inner = &self.inner;
        let layout = Layout::new(&inner.model, &[]);
        let compiled =
            Compiled::<f64>::new(&inner.model, &inner.explored.numbers, &layout, &inner.explored.immediate);
        let mut buffers = Buffers::new();
        let mut here = layout.pack(&vec![0; inner.model.positions()]);
        let mut path = Vec::with_capacity(steps.len());
        for (wanted, next) in steps {
            let mut found = None;
            let explored = "the state was explored before";
            let listing = compiled.for_each_next(&here, &mut buffers, |transition| {
                if found.is_none()
                    && lumping.representative(transition.action) == lumping.representative(*wanted)
                {
                    let mut target = here.clone();
                    make_moves(&mut target, transition.moves);
                    if self.lumped(&layout, &target, lumping) == *next {
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

    /// The canonical form of a state that is packed in another layout.
    fn lumped(&self, layout: &Layout, state: &[u64], lumping: &Lumping) -> Vec<u64> {
        let locals: Vec<u32> =
            (0..self.model().positions()).map(|position| layout.local(state, position)).collect();
        let mut packed = self.layout().pack(&locals);
        lumping.canonicalise(&mut packed, &mut SortBuffer::default());
        packed
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
