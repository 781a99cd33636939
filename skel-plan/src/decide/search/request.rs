//! What is searched for, and how.

use crate::platform::ProcessorId;

/// How to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchMethod {
    /// Branch and bound. If it reaches the limit of solutions, a local search goes on from the best mapping
    /// found.
    #[default]
    BranchAndBound,
    /// Every mapping is solved. Mappings that are equal by symmetry, since they differ only in which of
    /// several equal processors or of a farm's equal workers is used, are solved once; occasionally a
    /// duplicate remains.
    Exhaustive,
    /// Local search without branch and bound. Its answer has no proof.
    Local,
}

/// Where the input comes from and where the output is wanted, in every mapping of a pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// Where the input comes from. Without it, that is the processor of the first stage.
    pub input: Option<ProcessorId>,
    /// Where the output is wanted. Without it, that is the processor of the last stage.
    pub output: Option<ProcessorId>,
}

/// What to search for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// How many of the best mappings are wanted. Mappings that are equal by symmetry count once; occasionally
    /// a duplicate remains.
    pub top: usize,
    /// The method of the search.
    pub method: SearchMethod,
    /// The places of input and output.
    pub ends: Ends,
    /// The number of solutions after which branch and bound ends without a proof. The local search behind it
    /// ends after as many more. The default is 10,000.
    pub most_solved: usize,
}

impl Default for Search {
    fn default() -> Self {
        Search { top: 1, method: SearchMethod::default(), ends: Ends::default(), most_solved: 10_000 }
    }
}
