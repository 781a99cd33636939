//! What the conductor of a run and those who ask it for something share.

use skel_core::skeleton::{StageId, Tree};

use crate::engine::Crew;
use crate::execution::present::Present;
use crate::monitor::Monitors;
use crate::network::Layout;
use crate::progress::Progress;
use crate::report::Execution;
use crate::settings::Settings;
use crate::sync::Arc;
use crate::tuning::Tuning;

/// What the engines of a run have in common.
pub(crate) struct Common {
    pub(crate) settings: Settings,
    /// The skeleton as it was in the beginning.
    pub(crate) tree: Tree,
    pub(crate) monitors: Arc<Monitors>,
    pub(crate) progress: Arc<Progress>,
    /// The processors of the machine.
    pub(crate) cores: usize,
}

/// The engine at work.
pub(super) struct State<'scope, 'env> {
    /// The threads, if there is one for each replica.
    pub(super) crew: Option<Crew<'scope, 'env>>,
    pub(super) execution: Execution,
    pub(super) tuning: Arc<Tuning>,
    pub(super) present: Present,
}

impl Common {
    /// What stands between the tasks.
    pub(super) fn layout(&self, present: &Present) -> Layout {
        let tree = present.tree();
        Layout::new(&tree, present.capacities(), &|farm| self.settings.is_unordered(&tree, farm))
    }

    /// The tasks that get items in order, although those before them pass them on in any order.
    pub(super) fn in_order(&self, present: &Present) -> Vec<StageId> {
        let layout = self.layout(present);
        let places = self.tree.leaves().zip(&layout.between);
        places.filter(|(_, before)| before.is_ordered).map(|(id, _)| id).collect()
    }
}
