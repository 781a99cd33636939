//! A thread that ends the process, and says what was running, when a trial does not end.

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use skel_run::Control;

/// How long a trial may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The trials that run, by number.
type Trials = BTreeMap<u64, (Instant, String, Option<Control>)>;

fn running() -> &'static Mutex<Trials> {
    static RUNNING: OnceLock<Mutex<Trials>> = OnceLock::new();
    RUNNING.get_or_init(|| {
        std::thread::spawn(|| {
            loop {
                std::thread::sleep(Duration::from_millis(500));
                let late = lock().values().find(|(began, ..)| began.elapsed() > PATIENCE).cloned();
                if let Some((_, what, control)) = late {
                    eprintln!("a trial does not end: {what}");
                    dump(control.as_ref());
                    std::process::abort();
                }
            }
        });
        Mutex::default()
    })
}

fn lock() -> MutexGuard<'static, Trials> {
    running().lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Watches until it is dropped.
pub struct Watched(u64);

/// Watches over a trial.
pub fn watch(what: impl Into<String>, control: Option<&Control>) -> Watched {
    let mut trials = lock();
    let number = trials.keys().last().map_or(0, |last| last + 1);
    trials.insert(number, (Instant::now(), what.into(), control.cloned()));
    Watched(number)
}

impl Drop for Watched {
    fn drop(&mut self) {
        lock().remove(&self.0);
    }
}

fn dump(control: Option<&Control>) {
    for thread in fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let read = |name: &str| fs::read_to_string(thread.path().join(name)).unwrap_or_default();
        let state = read("status").lines().find(|line| line.starts_with("State")).map(str::to_owned);
        eprintln!("thread {:?} {} {}", thread.file_name(), state.unwrap_or_default(), read("wchan"));
    }
    // Locks of the run may be held for ever, so another thread asks.
    let control = control.cloned();
    std::thread::spawn(move || {
        let snapshot = control.and_then(|control| control.snapshot());
        for task in snapshot.into_iter().flat_map(|snapshot| snapshot.tasks) {
            eprintln!("task `{}`, before it {:?}", task.name, task.queue);
            for replica in task.replicas.iter() {
                eprintln!(
                    "  taken {} given {} waits for {:?} left {:?}",
                    replica.taken, replica.given, replica.waiting, replica.left
                );
            }
        }
    });
    std::thread::sleep(Duration::from_secs(1));
}

/// How many threads the process has.
pub fn threads() -> usize {
    fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}
