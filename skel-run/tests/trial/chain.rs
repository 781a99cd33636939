//! Chains of functions whose length is known only when the test runs.

use std::sync::Arc;

use skel_run::Chain;
use skel_run::functions::{Leaf, Start, Then};

use super::item::Item;
use super::probe::Probe;
use super::world::World;

/// What is done with a chain of any length.
pub trait WithChain {
    type Answer;

    fn with<C: Chain<In = Item, Out = Item>>(self, chain: C) -> Self::Answer;
}

/// Makes the chain of these functions.
pub fn chain<W: WithChain>(world: &Arc<World>, is_in_order: bool, then: W) -> W::Answer {
    let mut probes = (0..world.tasks.len()).map(|task| Probe::new(world, task, is_in_order));
    let mut policies = world.tasks.iter().map(|task| (task.retries, task.skips));
    macro_rules! of_length {
        ($($task:tt)*) => {{
            let chain = Start;
            $(
                let _ = $task;
                let (probe, policy) = (probes.next().unwrap(), policies.next().unwrap());
                let chain = with_policy(chain.then(probe), policy);
            )*
            then.with(chain)
        }};
    }
    match world.tasks.len() {
        1 => of_length!(1),
        2 => of_length!(1 2),
        3 => of_length!(1 2 3),
        4 => of_length!(1 2 3 4),
        5 => of_length!(1 2 3 4 5),
        6 => of_length!(1 2 3 4 5 6),
        7 => of_length!(1 2 3 4 5 6 7),
        8 => of_length!(1 2 3 4 5 6 7 8),
        9 => of_length!(1 2 3 4 5 6 7 8 9),
        10 => of_length!(1 2 3 4 5 6 7 8 9 10),
        11 => of_length!(1 2 3 4 5 6 7 8 9 10 11),
        12 => of_length!(1 2 3 4 5 6 7 8 9 10 11 12),
        other => panic!("{other} tasks"),
    }
}

fn with_policy<P, L: Leaf>(chain: Then<P, L>, (retries, skips): (u32, bool)) -> Then<P, L>
where
    L::In: Clone,
{
    let chain = if retries > 0 { chain.retry(retries) } else { chain };
    if skips { chain.skip_failures() } else { chain }
}
