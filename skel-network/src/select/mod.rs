//! Which model each link has, and which algorithm each cluster takes.
//!
//! ```text
//! timed messages, given models -> Links: candidates, the nearest for each size -\
//!                                                                                Selection: model, algorithm, segment
//! experiments, candidates -> poly_adapt ----------------------------------------/
//! ```
//!
//! [`poly_adapt`] chooses by timed runs of an operation. Where there are none, the model is chosen by single
//! messages, and the algorithm that ends first under it; a [`Selection`] says which of the two it goes by.

mod clusters;
mod links;
mod poly_adapt;

pub use clusters::{Cluster, Clusters, NoSelection};
pub use links::{Candidate, Chosen, Links, NoModel};
pub use poly_adapt::{Basis, Case, NotCovered, Selection, poly_adapt};
