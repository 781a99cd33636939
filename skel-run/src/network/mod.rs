//! How parcels move between the threads of a run: queues between tasks, turns at deals, and places where
//! order is restored.

mod connection;
mod in_order;
mod inlet;
mod junction;
mod layout;
mod outlet;
mod region;
mod registry;
mod shared_queue;
mod turns;

pub(crate) use connection::{Connection, Ended};
pub(crate) use inlet::{Inlet, Supply};
pub(crate) use layout::{Group, Layout, Place};
pub(crate) use outlet::Outlet;
pub(crate) use region::Region;
pub(crate) use registry::{Registry, Replicas};
