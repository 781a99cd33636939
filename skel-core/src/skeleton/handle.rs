//! Typed handles of stages.

use std::fmt;
use std::marker::PhantomData;

use crate::skeleton::tree::StageId;

/// The handle of a stage `Here` of the skeleton `Whole`; for a worker, of all its replicas together.
pub struct StageOf<Whole, Here> {
    id: StageId,
    types: PhantomData<fn() -> (Whole, Here)>,
}

impl<Whole, Here> StageOf<Whole, Here> {
    /// The handle of a number. Generated code calls it; a number of another stage gives wrong answers.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_generated_code(id: u32) -> Self {
        StageOf { id: StageId(id), types: PhantomData }
    }

    /// The node of the tree.
    #[must_use]
    pub const fn id(self) -> StageId {
        self.id
    }
}

impl<Whole, Here> Clone for StageOf<Whole, Here> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Whole, Here> Copy for StageOf<Whole, Here> {}

impl<Whole, Here> fmt::Debug for StageOf<Whole, Here> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StageOf({})", self.id.0)
    }
}
