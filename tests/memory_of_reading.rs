//! What a text takes while it is read, as the operating system counts it. Alone in its file: the peak is the
//! process's.
#![cfg(target_os = "linux")]

mod process;

use std::fmt::Write;

use process::peak_memory;

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
    let before = peak_memory();
    let model = skel::text::parse(&text).into_model().unwrap();
    let taken = peak_memory() - before;
    assert_eq!(model.local_states().len() as u64, STATES);
    assert!(taken <= STATES * MOST_FOR_EACH + BESIDE, "{taken} bytes for {STATES} local states");
}
