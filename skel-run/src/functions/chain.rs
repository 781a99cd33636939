//! The functions of all tasks, one behind the other.

use crate::engine::{FusedPart, Line, Plan};
use crate::functions::{Leaf, Start, Then};
use crate::network::{Connection, Inlet};
use crate::parcel::Parcel;
use crate::sync::Arc;

/// The functions of all tasks, in the order in which items meet them.
pub trait Chain: Sync {
    /// What the first task takes.
    type In: Send;

    /// What the last task makes.
    type Out: Send;

    /// How many tasks there are.
    const TASKS: usize;

    /// Places the tasks one behind the other. The answer is the connection behind the last.
    #[doc(hidden)]
    fn place<'env>(
        &'env self,
        plan: &mut Plan<'env>,
        supply: Inlet<'env, Self::In>,
    ) -> Arc<Connection<'env, Self::Out>>;

    /// All tasks as one step, for one thread.
    #[doc(hidden)]
    fn fuse<'a>(&'a self, line: &'a Line) -> Box<dyn FnMut(Parcel<Self::In>) -> Parcel<Self::Out> + 'a>;

    /// What is asked of the tasks: whether only one worker of each can be there, and whether it is more than to stop at a failure.
    #[doc(hidden)]
    fn traits(&self, add: &mut dyn FnMut(Traits));
}

/// What the executor has to know of a task's function.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// Whether only one worker can be there.
    pub is_alone: bool,
    /// Whether an item that fails is tried again or left out.
    pub isolates: bool,
}


fn traits_of<L: Leaf>(policy: &crate::functions::Policy<L::In>) -> Traits {
    Traits { is_alone: L::IS_ALONE, isolates: policy.skips || policy.retries > 0 }
}

impl<L: Leaf> Chain for Then<Start, L> {
    type In = L::In;
    type Out = L::Out;
    const TASKS: usize = 1;

    fn place<'env>(
        &'env self,
        plan: &mut Plan<'env>,
        supply: Inlet<'env, L::In>,
    ) -> Arc<Connection<'env, L::Out>> {
        let source = plan.begin(supply);
        plan.place(source, &self.leaf, &self.policy)
    }

    fn fuse<'a>(&'a self, line: &'a Line) -> Box<dyn FnMut(Parcel<L::In>) -> Parcel<L::Out> + 'a> {
        let mut part = FusedPart::new(&self.leaf, &self.policy, 0, line);
        Box::new(move |parcel| part.serve(parcel))
    }

    fn traits(&self, add: &mut dyn FnMut(Traits)) {
        add(traits_of::<L>(&self.policy));
    }
}

impl<P, K: Leaf, L: Leaf<In = K::Out>> Chain for Then<Then<P, K>, L>
where
    Then<P, K>: Chain<Out = K::Out>,
{
    type In = <Then<P, K> as Chain>::In;
    type Out = L::Out;
    const TASKS: usize = <Then<P, K> as Chain>::TASKS + 1;

    fn place<'env>(
        &'env self,
        plan: &mut Plan<'env>,
        supply: Inlet<'env, Self::In>,
    ) -> Arc<Connection<'env, L::Out>> {
        let inlet = self.before.place(plan, supply);
        plan.place(inlet, &self.leaf, &self.policy)
    }

    fn fuse<'a>(&'a self, line: &'a Line) -> Box<dyn FnMut(Parcel<Self::In>) -> Parcel<L::Out> + 'a> {
        let mut before = self.before.fuse(line);
        let mut part = FusedPart::new(&self.leaf, &self.policy, Self::TASKS - 1, line);
        Box::new(move |parcel| part.serve(before(parcel)))
    }

    fn traits(&self, add: &mut dyn FnMut(Traits)) {
        self.before.traits(add);
        add(traits_of::<L>(&self.policy));
    }
}
