//! Any text, read as a `.skel` program.

#![no_main]

#[path = "../../tests/texts/places.rs"]
mod places;
#[path = "../../tests/texts/skeleton.rs"]
mod skeleton;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| skeleton::is_lawful(text));
