//! Any text, read as a network.

#![no_main]

#[path = "../../tests/texts/network.rs"]
mod network;
#[path = "../../tests/texts/places.rs"]
mod places;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| network::is_lawful(&skel_network::file::parse(text), text));
