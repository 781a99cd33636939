//! Threads, locks and atomic numbers, for the whole crate: there is no other place that takes them from
//! elsewhere.
//!
//! They are those of the standard library. Under `--cfg shuttle` they are those of shuttle, which tries many
//! schedules of a program with threads; the queues have a form of their own then, made of the same parts.
//! [`parking`] is what the wait at a ring is made of. The tests under `--cfg loom` take it from loom, which
//! tries every schedule and every order in which a thread can see what others wrote.

#[cfg(feature = "affinity")]
mod processors;

#[cfg(feature = "affinity")]
pub(crate) use processors::{Berth, Processors};

#[cfg(not(shuttle))]
pub(crate) use std::{
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    sync::{Arc, Condvar, Mutex, MutexGuard, mpsc},
    thread,
};

#[cfg(shuttle)]
pub(crate) use shuttle::{
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    sync::{Arc, Condvar, Mutex, MutexGuard, mpsc},
    thread,
};

/// Starts a thread in a scope.
///
/// # Errors
/// Why the system refuses.
#[cfg(not(shuttle))]
pub(crate) fn start_thread<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    work: impl FnOnce() + Send + 'scope,
) -> std::io::Result<()> {
    thread::Builder::new().spawn_scoped(scope, work).map(drop)
}

/// Starts a thread in a scope. Shuttle never refuses one.
#[cfg(shuttle)]
pub(crate) fn start_thread<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    work: impl FnOnce() + Send + 'scope,
) -> std::io::Result<()> {
    scope.spawn(work);
    Ok(())
}

/// Locks a mutex. A thread that panicked with it has left its data whole, since no function of a user is
/// called with a lock of ours.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Waits on a condition; as [`lock`].
pub(crate) fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition.wait(guard).unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Waits on a condition, at most for so long; as [`lock`]. Shuttle never ends the wait early.
#[cfg(feature = "distribute")]
pub(crate) fn wait_at_most<'a, T>(
    condition: &Condvar,
    guard: MutexGuard<'a, T>,
    time: std::time::Duration,
) -> MutexGuard<'a, T> {
    condition.wait_timeout(guard, time).unwrap_or_else(std::sync::PoisonError::into_inner).0
}

/// Looks a few times whether something holds, for waits that are likely to be short.
pub(crate) fn spin(holds: impl Fn() -> bool) -> bool {
    (0..SPINS).any(|_| {
        std::hint::spin_loop();
        holds()
    })
}

/// To look again is of use only where threads run at the same time.
const SPINS: u32 = if cfg!(shuttle) { 0 } else { 64 };

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
