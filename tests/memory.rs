//! The budget of memory against what the operating system counts. Alone in its file: the peak is the
//! process's.
#![cfg(target_os = "linux")]

mod process;

use skel::limits::Limit;
use skel::prelude::*;

use process::peak_memory;

#[test]
fn an_exploration_stays_within_its_memory() {
    const BUDGET: u64 = 64 << 20;
    // The model, and what the process needs besides.
    const BESIDE: u64 = 4 << 20;
    let model = skel::text::parse("P = (on, 1).Q; Q = (off, 2).P; P[100]").into_model().unwrap();
    let before = peak_memory();
    match model.explorer().limits(&Limits { memory: BUDGET, ..Limits::default() }).explore() {
        Err(skel::Error::Stopped(stopped)) => assert_eq!(stopped.limit, Limit::Memory(BUDGET)),
        other => panic!("{other:?}"),
    }
    let taken = peak_memory() - before;
    assert!(taken <= BUDGET + BESIDE, "{taken} bytes for a budget of {BUDGET}");
    assert!(taken >= BUDGET / 2, "{taken} bytes for a budget of {BUDGET}: stopped too early");
}
