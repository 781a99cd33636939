//! The pull engine: each of a few threads takes a parcel from the source and brings it through all tasks.

use crate::engine::chain::Chain;
use crate::engine::fused::Line;
use crate::engine::gate::Gate;
use crate::engine::place::{Shop, Workplace};
use crate::network::{Connection, Ended, Inlet};
use crate::sync::Arc;
use crate::team::Job;

/// All tasks as the work of one thread of several.
pub(crate) struct FusedTasks<'env, C: Chain> {
    pub(crate) chain: &'env C,
    pub(crate) shop: Shop,
    pub(crate) gates: Arc<[Option<Gate>]>,
    pub(crate) inlet: Arc<Connection<'env, C::In>>,
    pub(crate) outlet: Arc<Connection<'env, C::Out>>,
}

impl<'env, C: Chain> Workplace<'env> for FusedTasks<'env, C> {
    fn replica(&self, replicas: &[u32]) -> Result<Job<'env>, Ended> {
        let mut outlet = self.outlet.outlet(replicas)?;
        let mut inlet: Inlet<'env, C::In> = self.inlet.inlet(replicas)?;
        let (chain, shop, gates) = (self.chain, self.shop.clone(), Arc::clone(&self.gates));
        let recorders = shop.monitors.line(C::TASKS);
        Ok(Box::new(move || {
            let line = Line { shop, gates, recorders };
            let mut tasks = chain.fuse(&line);
            while let Some((parcel, _)) = inlet.take() {
                if outlet.give(tasks.pass(parcel)).is_err() {
                    return;
                }
            }
        }))
    }

    fn dismiss(&self, replicas: &[u32]) {
        self.inlet.dismiss(replicas);
    }

    fn forget(&self, replicas: &[u32]) {
        self.inlet.forget(replicas);
    }

    fn has_ended(&self, replicas: &[u32]) -> bool {
        self.inlet.has_ended(replicas)
    }
}
