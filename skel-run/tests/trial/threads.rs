//! Which threads are still there, by what the system says of each.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Threads that were seen at work.
#[derive(Debug, Default)]
pub struct Seen(Mutex<HashSet<PathBuf>>);

impl Seen {
    /// This thread is at work. Nothing where the system has no file for each thread.
    pub fn is_here(&self) {
        if let Ok(thread) = std::fs::read_link("/proc/thread-self") {
            self.0.lock().unwrap().insert(Path::new("/proc").join(thread));
        }
    }

    /// How many of them have not ended, as soon as no more than this many are left, or after ten seconds.
    pub fn left(&self, expected: usize) -> usize {
        let began = Instant::now();
        loop {
            let left = self.0.lock().unwrap().iter().filter(|thread| thread.exists()).count();
            if left <= expected || began.elapsed() > Duration::from_secs(10) {
                return left;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// How many were seen.
    pub fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}
