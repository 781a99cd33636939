//! Any text, read as a function.

#![no_main]

#[path = "../../tests/texts/function.rs"]
mod function;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| function::is_lawful(text));
