//! The same work on many things, on several threads.
//!
//! Each thread takes the next thing that no thread has taken. After a failure no thread takes another. Of
//! several failures, the one of the first thing is returned.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// How many threads work at the same time: as many as are wanted, or as there are processors.
pub(crate) fn thread_count(wanted: Option<NonZeroUsize>) -> usize {
    wanted.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}

/// The result for each thing, in their order.
pub(crate) fn map_in_parallel<I: Sync, O: Send, E: Send>(
    things: &[I],
    threads: usize,
    work: impl Fn(&I) -> Result<O, E> + Sync,
) -> Result<Vec<O>, E> {
    let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let done = Mutex::new(Vec::with_capacity(things.len()));
    let take = || {
        while !has_failed.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(thing) = things.get(number) else { break };
            let outcome = work(thing);
            has_failed.fetch_or(outcome.is_err(), Ordering::Relaxed);
            done.lock().expect("no thread panics while it holds the list").push((number, outcome));
        }
    };
    thread::scope(|scope| {
        (1..threads.min(things.len())).for_each(|_| {
            scope.spawn(take);
        });
        take();
    });
    let mut done = done.into_inner().expect("no thread panics while it holds the list");
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order() {
        let things: Vec<u32> = (0..100).collect();
        for threads in [1, 2, 7, 200] {
            let squares = map_in_parallel(&things, threads, |&thing| Ok::<u32, ()>(thing * thing)).unwrap();
            assert!(squares.iter().enumerate().all(|(number, &square)| square as usize == number * number));
        }
        assert_eq!(map_in_parallel(&[0; 0], 3, |_| Ok::<(), ()>(())), Ok(vec![]));
    }

    #[test]
    fn the_first_failure_is_the_answer() {
        let things: Vec<u32> = (0..100).collect();
        let refuse = |&thing: &u32| if thing < 5 { Ok(thing) } else { Err(thing) };
        assert_eq!(map_in_parallel(&things, 1, refuse), Err(5));
        assert!(map_in_parallel(&things, 4, refuse).is_err_and(|thing| thing >= 5));
    }
}
