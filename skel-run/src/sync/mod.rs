//! Threads, locks and atomic numbers, for the whole crate: there is no other place that takes them from elsewhere.
//!
//! They are those of the standard library. Under `--cfg shuttle` they are those of shuttle, which tries many schedules
//! of a program with threads; the queues have a form of their own then, made of the same parts. [`parking`] is what the
//! wait at a ring is made of. The tests under `--cfg loom` take it from loom, which tries every schedule and every order
//! in which a thread can see what others wrote.

#[cfg(not(shuttle))]
pub(crate) use std::{sync::*, thread};

#[cfg(shuttle)]
pub(crate) use shuttle::{sync::*, thread};

/// What a thread needs to sleep until another one wakes it.
#[cfg(not(shuttle))]
pub(crate) mod parking {
    #[cfg(all(test, loom))]
    pub(crate) use loom::{
        hint::spin_loop,
        sync::atomic::{AtomicBool, Ordering, fence},
        thread::{Thread, current, park, yield_now},
    };
    #[cfg(not(all(test, loom)))]
    pub(crate) use std::{
        hint::spin_loop,
        sync::atomic::{AtomicBool, Ordering, fence},
        thread::{Thread, current, park, yield_now},
    };
}
