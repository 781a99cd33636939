//! Schedules of self-scheduling: in which chunks a number of items is given to machines that ask for work.
//!
//! ```text
//! Schedule (which, and its parameters) -> Scheduler: next(machine) -> Chunk, finished(machine, items, time), lost(machine, chunk)
//!                                      -> Requests: the chunks in turn, as an iterator
//! ```
//!
//! A [`Scheduler`] is the state of a master. It has no clock and no thread, so that a simulation and a
//! program that runs use the same code. In the definitions, R is how many items are left, P how many machines
//! there are, N how many items there are in all, and every chunk is clipped to R.
//!
//! | schedule | the next chunk | source |
//! |---|---|---|
//! | `VRP` | the whole share by relative performance, one for each machine | Laine and Midorikawa, section 3.2 |
//! | `SS` | 1 | self-scheduling |
//! | `CSS(k)` | k | chunk self-scheduling; Kruskal and Weiss 1985 |
//! | `GSS(k)` | `max(k, ceil(R/P))`, k = 1 unless given | Polychronopoulos and Kuck 1987 |
//! | `TSS(f,l)` | the j-th is `max(l, f - j d)` with `d = floor((f-l)/(C-1))` and `C = ceil(2N/(f+l))`; `f = ceil(N/2P)` and l = 1 unless given | Tzen and Ni 1993 |
//! | `FAC2` | a batch is P requests, each of `ceil(R/2P)` with R at the first of them | Hummel, Schonberg and Flynn 1992 |
//! | `WF2` | `max(1, ceil(R w_i / (2 sum w)))` with the relative performance w | weighted factoring, Hummel, Schmidt, Uma and Wein 1996, without batches |
//! | `AWF-B` | `max(1, ceil(w_i base))` of a batch of `P base` items with `base = ceil(R/2P)`; w is measured | Banicescu, Velusamy and Devaprasad 2003; Cariño and Banicescu 2008 |
//! | `AWF-C` | `max(1, ceil(w_i ceil(R/2P)))` with w measured | Cariño and Banicescu 2008 |
//! | `VRP-SS(K)` | `max(1, ceil(N w_i / (K sum w)))` with the relative performance w: K phases | Laine and Midorikawa, section 3.3 |
//!
//! The measured weight of machine i is 1 until it has finished a chunk. Then it is
//! `|Q| (1/pi_i) / sum_Q 1/pi_q`, where Q are the machines that have finished one and
//! `pi_i = sum_j j t_ij / sum_j j n_ij` over the chunks j = 1, 2, .. that machine i finished, of `n_ij` items
//! in a time `t_ij` of work. On equal machines AWF-B is FAC2.
//!
//! # Where libraries differ
//!
//! Schedules of one name are not the same everywhere. [`LibraryVariant`] has those that differ in their
//! chunks alone:
//!
//! | variant | the next chunk | where |
//! |---|---|---|
//! | `LLVM-GSS(k)` | `floor(R/2P)` while `R >= 2P(k+1)`, then k | `schedule(guided)` of the OpenMP library of LLVM, which iterates |
//! | `LLVM-TSS` | as TSS with `f = floor(N/2P)` | the same library |
//! | `mFAC2` | half of the last batch's chunk, rounded up | LB4OMP |
//! | `FAC2-formula` | `ceil(N/P 2^-(b+1))` in batch b = 0, 1, .. | FAC2 of LB4OMP |
//!
//! The `guided` of GNU's OpenMP library is `GSS`. In LB4OMP a batch of AWF-B is P requests and its base is
//! half of the last one. DLS4LB gives each machine one small chunk until it has reported, and rounds by
//! `floor(x + 0.55)`. The schedules AWF-D and AWF-E of both libraries are AWF-B and AWF-C with the overhead
//! counted as work.

mod chunk;
mod definition;
mod names;
mod requests;
mod scheduler;
mod size;

pub use chunk::Chunk;
pub use definition::{LibraryVariant, Schedule};
pub use names::UnknownSchedule;
pub use requests::Requests;
pub use scheduler::Scheduler;
