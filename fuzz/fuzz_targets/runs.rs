//! Any text, read as timed runs, in CSV and in JSON.

#![no_main]

#[path = "../../tests/texts/runs.rs"]
mod runs;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| runs::is_lawful(text));
