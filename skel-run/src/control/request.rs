//! What a handle asks of the run that it is attached to.

use std::fmt;

use skel_core::skeleton::{Program, StageId, Tree};

use crate::engine::Refused;
use crate::monitor::Monitors;
use crate::progress::Progress;
use crate::sync::Arc;
use crate::sync::mpsc::Sender;

/// What a handle knows of its run.
#[derive(Debug)]
pub(crate) struct Attached {
    pub(crate) progress: Arc<Progress>,
    pub(crate) monitors: Arc<Monitors>,
    pub(crate) requests: Sender<Request>,
}

/// What a run can do at a handle's request.
pub(crate) trait Actuators {
    /// Sets how many replicas there are, or workers that serve an item together. The answer is how many there
    /// are then.
    fn set_replicas(&mut self, stage: StageId, wanted: Wanted) -> Result<u32, Refused>;

    /// Sets the weights of the workers of a map.
    fn set_shares(&mut self, stage: StageId, weights: Vec<u32>) -> Result<(), Refused>;

    /// The weights of the workers of a map.
    fn shares(&self, stage: StageId) -> Result<Vec<u32>, Refused>;

    /// Refuses so many workers of a stage, if the program would be too large.
    fn check_workers(&self, stage: StageId, workers: u64) -> Result<(), Refused>;

    /// Sets how many items travel together at most.
    fn set_batch(&mut self, items: usize) -> Result<(), Refused>;

    /// How many items travel together at most.
    fn batch(&self) -> usize;

    /// Sets the capacity of the buffer before a stage, or of all buffers.
    fn set_buffers(&mut self, before: Option<StageId>, capacity: u32) -> Result<(), Refused>;

    /// Has the thread of a replica move to another processor.
    #[cfg(feature = "affinity")]
    fn move_replica(&self, stage: StageId, replica: usize, processor: usize) -> Result<(), Refused>;

    /// The program as it is now.
    fn program(&self) -> Program<Tree>;
}

/// How many replicas there should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// So many.
    Exactly(u32),
    /// One more than there are.
    OneMore,
    /// One fewer than there are.
    OneFewer,
}

/// A request, which the run's own thread executes: nobody else asks for something meanwhile.
pub(crate) struct Request(Box<Act>);

type Act = dyn FnOnce(&mut dyn Actuators) + Send;

impl Request {
    /// A request to do this.
    pub(super) fn new(act: impl FnOnce(&mut dyn Actuators) + Send + 'static) -> Self {
        Request(Box::new(act))
    }

    /// Does it.
    pub(crate) fn execute(self, run: &mut dyn Actuators) {
        (self.0)(run);
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Request")
    }
}
