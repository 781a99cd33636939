//! Any text, read as a file of rules.

#![no_main]

#[path = "../../tests/texts/places.rs"]
mod places;
#[path = "../../tests/texts/rules.rs"]
mod rules;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| rules::is_lawful(text));
