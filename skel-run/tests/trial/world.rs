//! What is known of a run under trial before it, how its tasks fail and wait, and what they see.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use skel_core::skeleton::Replication;

use super::item::{Item, served};
use super::scramble;
use super::shape::{Around, Team};

/// What is known of a task before a run.
#[derive(Clone, Debug)]
pub struct Task {
    pub around: Vec<Around>,
    /// If several workers serve an item together.
    pub team: Option<Team>,
    /// Whether its results depend on how many items it, or its replica, has served.
    pub counts: bool,
    /// One item in so many fails; 0 for none.
    pub fails: u64,
    /// One item in so many takes long; 0 for none.
    pub waits: u64,
    pub retries: u32,
    pub skips: bool,
}

impl Task {
    /// Whether no deal and no farm is around it.
    pub fn is_alone(&self) -> bool {
        self.around.is_empty()
    }

    /// Whether its replicas are those of deals.
    pub fn is_dealt(&self) -> bool {
        self.around.iter().all(|around| around.kind == Replication::Deal)
    }

    /// Whether no item is tried again.
    pub fn sees_each_item_once(&self) -> bool {
        self.retries == 0
    }

    /// How an item fails here, and how often in a row.
    pub fn fault(&self, seed: u64, task: usize, place: u64) -> Option<(Fault, u32)> {
        let dice = scramble(seed ^ (task as u64) << 32 ^ place);
        if self.fails == 0 || !dice.is_multiple_of(self.fails) {
            return None;
        }
        let dice = scramble(dice);
        Some((if dice & 1 == 0 { Fault::Panics } else { Fault::Errs }, 1 + (dice >> 1) as u32 % 3))
    }

    /// Whether an item fails here for good.
    pub fn gives_up(&self, seed: u64, task: usize, place: u64) -> bool {
        self.fault(seed, task, place).is_some_and(|(_, times)| times > self.retries)
    }
}

/// How an item fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Panics,
    Errs,
}

/// What all functions of a run share.
#[derive(Debug)]
pub struct World {
    pub seed: u64,
    pub tasks: Vec<Task>,
    /// How often an item was tried.
    attempts: Mutex<HashMap<(usize, u64), u32>>,
    /// The first violation that a function saw.
    pub violation: Mutex<Option<String>>,
}

impl World {
    pub fn new(seed: u64, tasks: Vec<Task>) -> Arc<Self> {
        Arc::new(World { seed, tasks, attempts: Mutex::default(), violation: Mutex::default() })
    }

    pub fn serve(&self, task: usize, count: &mut u64, mut item: Item) -> Result<Item, String> {
        let known = &self.tasks[task];
        let dice = scramble(self.seed ^ 0xABCD ^ (task as u64) << 40 ^ item.place);
        if known.waits > 0 && dice.is_multiple_of(known.waits) {
            wait(scramble(dice));
        }
        if let Some((fault, times)) = known.fault(self.seed, task, item.place) {
            let mut attempts = self.attempts.lock().unwrap();
            let attempt = attempts.entry((task, item.place)).or_default();
            *attempt += 1;
            let still_fails = *attempt <= times;
            drop(attempts);
            match fault {
                _ if !still_fails => {}
                Fault::Panics => panic!("task {task} panics at item {}", item.place),
                Fault::Errs => return Err(format!("task {task} cannot serve item {}", item.place)),
            }
        }
        item.attempt = 0;
        item.value = served(item.value, task, if known.counts { *count } else { 0 });
        *count += 1;
        Ok(item)
    }

    /// Notes that a task, or one of its workers, sees an item. `next` is the place behind the one before.
    pub fn sees(&self, task: usize, place: u64, next: &mut u64, checks: bool) {
        if checks && place < *next {
            let what = format!("task {task} sees item {place} after item {}", *next - 1);
            self.violation.lock().unwrap().get_or_insert(what);
        }
        *next = place + 1;
    }
}

/// Waits in one of several ways.
pub fn wait(dice: u64) {
    match dice % 4 {
        0 => std::thread::yield_now(),
        1 => std::thread::sleep(Duration::from_micros(dice >> 8 & 0x1FF)),
        _ => (0..dice >> 8 & 0xFFF).for_each(|_| std::hint::spin_loop()),
    }
}
