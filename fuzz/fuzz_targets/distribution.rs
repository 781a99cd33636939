//! Any text, read as a description of work that is distributed.

#![no_main]

#[path = "../../tests/texts/distribution.rs"]
mod distribution;
#[path = "../../tests/texts/places.rs"]
mod places;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| distribution::is_lawful(&skel_distribute::description::parse(text), text));
