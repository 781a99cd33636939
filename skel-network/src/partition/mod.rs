//! Which machines of a platform form homogeneous clusters, found from the latencies between them.
//!
//! ```text
//! latencies of all pairs -> LatencyMatrix -> partition -> clusters -> mean latencies between clusters -> partition -> ..
//! ```
//!
//! # The rule
//! The links are taken in the order of their latencies. The clusters `A` and `B` of the two ends `i` and `j`
//! of a link merge when its latency is at most
//!
//! ```text
//! (1 + rho) min(least of machine i, least of machine j, least inside A, least inside B)
//! ```
//!
//! The least latency of a machine is that of its nearest link. The least inside of a cluster is that of the
//! nearest link between two of its machines, and there is none inside of a single machine. A link that was
//! refused is not asked again.
//!
//! # What is peculiar about it
//! - *A friend of a friend belongs.* Not all pairs of a cluster are compared. Where 1 and 2, and 2 and 3, are
//!   near each other, 1 and 3 are in one cluster however far apart they are. [`Spread::most`] shows this.
//! - *Two lone machines far away can merge*, since each may be the nearest to the other: nearness is
//!   relative.
//! - *The order of the machines does not matter*, not even among links of equal latency (`merge.rs` has the
//!   proof). So equal machines are treated alike.
//! - *A greater bound can take a cluster apart.* A link that only the greater bound accepts can bring a small
//!   latency into a cluster, which then refuses links that it accepted before.
//! - Levels are found by the same rule on the mean latencies between clusters, the mean over all links
//!   between their machines. The paper leaves open how.
//!
//! References: B. Lowekamp and A. Beguelin, *ECO: efficient collective operations for communication on
//! heterogeneous networks*, IPPS 1996; L. Barchet-Steffenel and G. Mounié, *Identifying logical homogeneous
//! clusters for efficient wide-area communication*, Euro PVM/MPI 2004; and the rule as above from W. Nasri,
//! L. A. Steffenel and D. Trystram, CCGrid 2007, section 3.3.

mod bound;
mod cluster;
mod equal;
mod faults;
mod levels;
mod matrix;
mod merge;

pub use bound::Rho;
pub use cluster::{Cluster, Partition, Spread};
pub use equal::EqualMachines;
pub use matrix::LatencyMatrix;
