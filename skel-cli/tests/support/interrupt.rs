//! A command that is interrupted while it works.

use std::fs;
use std::process::{Child, Command, Output};
use std::thread::sleep;
use std::time::Duration;

/// Interrupts a command that has worked for so long, and waits for its end.
pub(crate) fn after(at_work: Duration, mut child: Child) -> Output {
    until_it_listens(&mut child);
    sleep(at_work);
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    child.wait_with_output().unwrap()
}

/// Waits until the command has an answer of its own to an interrupt. Before that, for how long depends on
/// what else the machine does, the signal itself would end it.
fn until_it_listens(child: &mut Child) {
    if cfg!(not(target_os = "linux")) {
        return sleep(Duration::from_millis(500));
    }
    let status = format!("/proc/{}/status", child.id());
    while !fs::read_to_string(&status).is_ok_and(|status| catches_interrupts(&status)) {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        sleep(Duration::from_millis(1));
    }
}

/// Whether Linux counts the signal 2 among those that are caught.
fn catches_interrupts(status: &str) -> bool {
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.is_some_and(|signals| u64::from_str_radix(signals.trim(), 16).unwrap() & 0b10 != 0)
}
