//! Any text, read as properties.

#![no_main]

#[path = "../../tests/texts/csl.rs"]
mod csl;
#[path = "../../tests/texts/places.rs"]
mod places;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| csl::is_lawful(text));
