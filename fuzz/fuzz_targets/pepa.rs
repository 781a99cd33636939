//! Any text, read as a `.pepa` model.

#![no_main]

#[path = "../../tests/texts/model.rs"]
mod model;
#[path = "../../tests/texts/places.rs"]
mod places;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| model::is_lawful(text));
