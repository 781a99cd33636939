//! The functions of all tasks, one behind the other.

use crate::engine::fused::{FusedPair, FusedPart, Line, Pass};
use crate::engine::place::Plan;
use crate::functions::{Form, Leaf, Policy, Start, Then};
use crate::network::{Connection, Inlet};
use crate::sync::Arc;

/// The source, as the first task reads it.
pub struct Supplied<'env, T>(pub(crate) Inlet<'env, T>);

/// The connection behind tasks that have their places.
pub struct Placed<'env, T>(pub(crate) Arc<Connection<'env, T>>);

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
        supply: Supplied<'env, Self::In>,
    ) -> Placed<'env, Self::Out>;

    /// All tasks as one step, for one thread.
    #[doc(hidden)]
    fn fuse<'a>(&'a self, line: &'a Line) -> Box<dyn Pass<'a, Self::In, Self::Out> + 'a>;

    /// What is asked of the tasks: whether only one worker of each can be there, and whether it is more than
    /// to stop at a failure.
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
    /// What it asks of its stage.
    pub form: Form,
}

fn traits_of<L: Leaf>(leaf: &L, policy: &Policy<L::In>) -> Traits {
    Traits { is_alone: L::IS_ALONE, isolates: policy.skips || policy.retries > 0, form: leaf.form() }
}

impl<L: Leaf> Chain for Then<Start, L> {
    type In = L::In;
    type Out = L::Out;
    const TASKS: usize = 1;

    fn place<'env>(&'env self, plan: &mut Plan<'env>, supply: Supplied<'env, L::In>) -> Placed<'env, L::Out> {
        let source = plan.begin(supply.0);
        Placed(plan.place(source, &self.leaf, &self.policy))
    }

    fn fuse<'a>(&'a self, line: &'a Line) -> Box<dyn Pass<'a, L::In, L::Out> + 'a> {
        Box::new(FusedPart::new(&self.leaf, &self.policy, 0, line))
    }

    fn traits(&self, add: &mut dyn FnMut(Traits)) {
        add(traits_of(&self.leaf, &self.policy));
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
        supply: Supplied<'env, Self::In>,
    ) -> Placed<'env, L::Out> {
        let inlet = self.before.place(plan, supply);
        Placed(plan.place(inlet.0, &self.leaf, &self.policy))
    }

    fn fuse<'a>(&'a self, line: &'a Line) -> Box<dyn Pass<'a, Self::In, L::Out> + 'a> {
        let part = FusedPart::new(&self.leaf, &self.policy, Self::TASKS - 1, line);
        Box::new(FusedPair { before: self.before.fuse(line), part })
    }

    fn traits(&self, add: &mut dyn FnMut(Traits)) {
        self.before.traits(add);
        add(traits_of(&self.leaf, &self.policy));
    }
}
