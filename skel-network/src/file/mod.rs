//! Networks as files: TOML, with tables of comma-separated values beside it.
//!
//! ```toml
//! machines = ["orsay-1", "orsay-2", "sophia-1"]     # machines, each with latencies of its own
//! latency = [                                        # between each two of them: a row for each machine, in their order
//!     ["-", "48.39us", "6.58ms"],                    # times in ns, us, ms or s; a number without a unit is in microseconds
//!     ["48.39us", "-", "6.58ms"],
//!     ["6.58ms", "6.58ms", "-"],
//! ]
//! measurements = "runs.csv"                          # timed messages
//! experiments = "base.csv"                           # timed collective operations
//! combine_per_byte = "0.8ns"                         # of a reduction; 0 unless given
//! ```
//! Equal machines need not be written one by one. A matrix of latencies then has a row for each cluster, with
//! the latency inside of it on the diagonal. Machines and clusters may stand side by side: first all
//! `machines`, then the clusters.
//!
//! ```toml
//! latency = [["48.39us", "6577.49us"], ["6577.49us", "35.52us"]]
//!
//! [[cluster]]
//! name = "C1"
//! machines = 20                                      # C1-1 to C1-20, or a list of names
//!
//! [[cluster]]
//! name = "C2"
//! machines = 11
//! latency = "35.52us"                                # here, or on the diagonal of the matrix
//!
//! [[model]]                                          # given in place of measured
//! kind = "pLogP"                                     # Hockney, LogP, LogGP, LoGPC or pLogP
//! between = ["C1", "C2"]                             # machines or clusters; the same cluster twice is its inside; all links without it
//! gap = [[1, "10us"], ["1MiB", "8.4ms"]]             # sizes and times; linear between them, and not known elsewhere
//! ```
//!
//! # The keys of models
//!
//! | kind | keys |
//! |---|---|
//! | Hockney | `latency` (alpha), `bandwidth` (beta) |
//! | LogP | `latency`, `overhead`, `gap`, `packet` |
//! | LogGP | `latency`, `overhead`, `gap`, `gap_per_byte` |
//! | LoGPC | those of LogGP, `contention` |
//! | pLogP | `latency`, `gap`, and unless left out `send_overhead`, `receive_overhead`: tables |
//!
//! A model without a `latency` has that of the link: of the matrix, or as it was measured.
//!
//! # Tables
//! A string that has several lines holds the rows of a table; any other is the name of a file, whose place is
//! relative to that of this file. The first row names the columns. Rows that begin with `#` are comments.
//!
//! | table | columns |
//! |---|---|
//! | `latency` | names of machines or clusters, in the first row and the first column; `-` where there is none |
//! | `measurements` | `from`, `to`, `what`, `messages` (of a burst), `bytes`, a time; `spread` and `repetitions`, which nothing depends on |
//! | `experiments` | `operation`, `algorithm`, `processes`, `bytes`, `segment` (of a chain), `at` (a machine or cluster; any if it is empty), a time |
//! | `gap`, `send_overhead`, `receive_overhead` | `bytes`, a time |
//!
//! The column of a time is named by its unit, `seconds`, `ms`, `us` or `ns`; in a column `time` each time has
//! a unit of its own. `what` is `half_round_trip`, `empty_reply`, `send_overhead`, `receive_overhead`,
//! `burst` or `gap`, see [`Measured`](crate::Measured). A message from a machine to itself is one between two
//! of its threads.
//!
//! # Sizes
//! `8192`, `8KiB` and, as benchmarks of MPI have it, `8k` and `8K` are 8192 bytes. `8kB` is 8000.
//!
//! Pairs of machines without a written latency have the median time of the smallest message that was timed by
//! a round trip between them.

mod experiment;
mod given;
mod group;
mod latencies;
mod network;
mod read;
mod words;
mod write;

pub use experiment::Experiment;
pub use given::GivenModel;
pub use group::Group;
pub use network::{MOST_MACHINES, Network};
pub use read::{Parsed, parse, parse_in};
pub use words::of_measured as word_of;
pub use write::{experiments_csv, measurements_csv};
