//! What is searched for, and how.

use crate::platform::ProcessorId;

/// How to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchMethod {
    /// Branch and bound, and a local search where that comes to no end.
    #[default]
    BranchAndBound,
    /// Every mapping; of those that differ only in which of several equal processors is used, or in which of a farm's equal
    /// workers is where, one, now and then a few.
    Exhaustive,
    /// Local search alone, without a proof.
    Local,
}

/// Where the input comes from and where the output is wanted, in every mapping of a pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// Where the input comes from; where the first stage is, if nothing is said.
    pub input: Option<ProcessorId>,
    /// Where the output is wanted; where the last stage is, if nothing is said.
    pub output: Option<ProcessorId>,
}

/// What to search for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// How many of the best mappings are wanted; of equal ones under an exchange of equal processors or of a farm's equal
    /// workers one, now and then a few.
    pub top: usize,
    /// The method.
    pub method: SearchMethod,
    /// The places of input and output.
    pub ends: Ends,
    /// After so many solutions branch and bound ends without a proof, and after as many more the climb; 10,000 unless set.
    pub most_solved: usize,
}

impl Default for Search {
    fn default() -> Self {
        Search { top: 1, method: SearchMethod::default(), ends: Ends::default(), most_solved: 10_000 }
    }
}
