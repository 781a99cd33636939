//! What a text takes while it is read, as the operating system counts it. Alone in its file: the peak is the process's.
#![cfg(target_os = "linux")]

use std::fmt::Write;

/// The most bytes that the process had in memory at any time.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes << 10
}

#[test]
fn a_long_text_takes_half_a_kilobyte_for_each_local_state() {
    const STATES: u64 = 50_000;
    const MOST_FOR_EACH: u64 = 500;
    // The tokens of a piece, and what the process needs besides.
    const BESIDE: u64 = 2 << 20;
    let mut text = String::from("P0 = (up, 1).P1;\n");
    for at in 1..STATES {
        let above = (at + 1) % STATES;
        writeln!(text, "P{at} = (up, 1).P{above} + (down, 2).P{};", at - 1).unwrap();
    }
    text += "P0";
    let before = peak();
    let model = skel::text::parse(&text).into_model().unwrap();
    let taken = peak() - before;
    assert_eq!(model.local_states().len() as u64, STATES);
    assert!(taken <= STATES * MOST_FOR_EACH + BESIDE, "{taken} bytes for {STATES} local states");
}
