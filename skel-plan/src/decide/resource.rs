//! Processors and links, as what can be busy and what can be bought.

use std::fmt;

use crate::platform::ProcessorId;

/// A processor or a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Resource {
    /// A processor.
    Processor(ProcessorId),
    /// The link from one processor to another, or to itself.
    Link(ProcessorId, ProcessorId),
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Resource::Processor(id) => write!(f, "processor {id}"),
            Resource::Link(from, to) => write!(f, "link {from}-{to}"),
        }
    }
}
