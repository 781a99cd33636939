//! Any text, read as a description in TOML.

#![no_main]

#[path = "../../tests/texts/description.rs"]
mod description;
#[path = "../../tests/texts/places.rs"]
mod places;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| description::is_lawful(&skel_plan::description::parse_toml(text), text));
