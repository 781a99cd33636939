//! How fast the parts are: `cargo bench`, or `cargo bench -- explore` for some of them.
//!
//! Each bench counts what it works on (transitions, states, bytes) and so prints its throughput; `machine`
//! has what the machine can do at best. Measured runs are kept in `record/`. `benches/peers/run` measures
//! skel beside another tool.

mod distribute;
mod distribute_loop;
mod engine;
mod fit;
mod machine;
mod manage;
mod manage_loop;
mod models;
mod monitor;
mod network;
mod network_grid;
mod network_select;
mod passage;
mod plan;
mod quotient;
mod reading;
mod rerating;
mod timer;
mod transient;
mod warm_starts;

fn main() {
    divan::main();
}
