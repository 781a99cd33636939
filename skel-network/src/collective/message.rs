//! What the messages of one operation cost.

use super::cost::Cost;
use super::error::Problem;
use crate::model::CommunicationModel;
use crate::quantity::Bytes;

/// A model, and the size of a message or of one process's block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Messages<'m> {
    pub(super) model: &'m dyn CommunicationModel,
    pub(super) size: Bytes,
}

impl Messages<'_> {
    /// One message of the size.
    pub(super) fn one(self) -> Result<Cost, Problem> {
        self.of(self.size)
    }

    /// A message of another size.
    pub(super) fn of(self, size: Bytes) -> Result<Cost, Problem> {
        Ok(Cost::of(self.model, size)?)
    }

    /// The blocks of several processes in one message.
    pub(super) fn blocks(self, blocks: u32) -> Result<Cost, Problem> {
        self.of(bytes_of_blocks(self.size, blocks)?)
    }
}

/// The size of several blocks.
pub(crate) fn bytes_of_blocks(block: Bytes, blocks: u32) -> Result<Bytes, Problem> {
    let bytes = block.get().checked_mul(u64::from(blocks));
    bytes.map(Bytes::new).ok_or(Problem::TooManyBytes { blocks })
}
