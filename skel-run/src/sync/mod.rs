//! Locks, atomic numbers and threads: the one place that the crate takes them from.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard};
pub(crate) use std::thread;

/// Locks a mutex. A thread that panicked with it has left its data whole, since no function of a user is called with a lock of ours.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Waits on a condition; as [`lock`].
pub(crate) fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition.wait(guard).unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Looks a few times whether something holds, for waits that are likely to be short.
pub(crate) fn spin(holds: impl Fn() -> bool) -> bool {
    (0..SPINS).any(|_| {
        std::hint::spin_loop();
        holds()
    })
}

const SPINS: u32 = 64;
