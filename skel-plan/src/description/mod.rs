//! Descriptions: a program, the machines and the mappings to compare, as a text.
//!
//! ```text
//! .des text -> read -\
//!                     Written -> check -> Description -> write -> .des text
//! TOML -> toml ------/
//! ```
//!
//! The `.des` form is the paper's (section 4.2), and skeletons:
//!
//! ```text
//! file     = { entry ";" }
//! entry    = "type" "=" ( "pipeline" | "skeleton" )
//!          | "nbproc" "=" count | "cp" i "=" number | "nl" i "-" j "=" number
//!          | "network" "=" file | "machine" i "=" name
//!          | pipeline | skeleton
//!          | "mappings" "=" mapping { "," mapping }
//!          | "throughput"
//! pipeline = "nbstage" "=" count | "w" i "=" ( number | distribution ) | "ds" i "=" number
//! skeleton = "skeleton" "=" "{" the text of a skeleton "}" | "ds" "=" number | "ds" i "-" j "=" number
//! mapping  = "[" input "," tuple "," output "]"      of a pipeline
//!          | tuple                                   of a skeleton
//! tuple    = "(" processor { "," processor } ")"
//! number   = digits, a decimal, or one over another: 1/3
//! ```
//! Entries may come in any order, each of them once. Comments are `//`, `/* */` and lines that begin with
//! `%`. `throughput` is the only result, so it may be left out. Processors, stages and tasks are numbered
//! from 1.
//!
//! - A *network* is a file as [`skel_network::file`] describes it, in quotation marks:
//!   `network = "grid.toml";`. It gives the links between all processors: an item of `ds` bytes takes the
//!   seconds `L + g(ds)` that the network says for the two machines. Then `ds` is a whole number of bytes,
//!   and the unit of time is the second. The first processor is on the first machine of the network and so
//!   on, unless `machine1 = "orsay-3";` and so on name the machine of each. How fast items move within a
//!   processor is written as without a network, `nl1-1 = 1e9;`, or measured between threads of its machine.
//! - In a *pipeline*, `w` is the work of a stage, and `ds` is the size of the items that it receives. The
//!   `ds` behind that of the last stage is the size of the output. With a number as work the time of the
//!   stage is exponential. Any other time is written as that of a task in a
//!   [skeleton](skel_core::skeleton::text), for a processor of power 1: `w1 = erlang(4, 2);`,
//!   `w1 = fitted(2, 0.3);`, `w1 = hyperexponential([0.9, 0.1], [5, 0.5]);`,
//!   `w1 = phases([1, 0], [[-2, 2], [0, -3]]);` or `w1 = measured("times.csv");`. Its mean is the work, and a
//!   mapping scales the time as it scales the work. A time that is not made of phases, such as
//!   `deterministic(2)`, is an error that names the nearest fit.
//! - A *skeleton* is written as in a file of its own, see [`text`](skel_core::skeleton::text), but without
//!   communication rates. How fast items move follows from their sizes and from the links. It has no buffers
//!   and no port either. The rate of a task, or its time, is that on a processor of power 1. Tasks are
//!   numbered in the order of the text, and each replica has a number of its own. `ds` is the size of all
//!   items that move from one task to another, and `ds1-2` is the size of those that move from task 1 to
//!   task 2. Items come in where the first task runs and go out where the last task runs, so the mappings of
//!   a skeleton have no input and no output.
//!
//! The TOML form says the same with defaults for links:
//!
//! ```toml
//! output = 100                     # the size of the output
//!
//! network = "grid.toml"            # instead of links between processors; each processor is on the machine of its name
//!
//! [[processor]]                    # one for each, numbered from 1
//! power = 10
//! availability = 0.5               # a part of the power; 1 unless given
//! name = "node-1"
//!
//! [links]
//! all = 1000                       # between two processors
//! within = 10000                   # from a processor to itself
//! "1-2" = 100                      # from processor 1 to processor 2
//!
//! [[stage]]
//! work = 1                         # or a distribution of this mean: "erlang(4, 1)"
//! data = 100                       # the size of what it receives
//!
//! [[mapping]]
//! input = 1                        # where the first stage is, unless given
//! stages = [1]
//! output = 1                       # where the last stage is, unless given
//! ```
//! and of a skeleton, in place of stages and output:
//!
//! ```toml
//! skeleton = """
//!     pipe(3); task("read", 1.0); farm(2, "work", 0.5); task("write", 1.0);
//! """
//!
//! [moves]
//! all = 100                        # from any task to the next
//! "1-2" = 10                       # from task 1 to task 2
//!
//! [[mapping]]
//! tasks = [1, 1, 2, 1]             # the same word as `stages`
//! ```

mod check;
mod contents;
mod des;
mod display;
mod network;
mod parsed;
mod time;
mod toml;
mod written;

pub use contents::Description;
pub use parsed::{Parsed, missing_mappings, parse, parse_in, parse_toml, parse_toml_in};
