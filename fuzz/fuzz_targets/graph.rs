//! Any text, read as a graph of a program.

#![no_main]

#[path = "../../tests/texts/graph.rs"]
mod graph;
#[path = "../../tests/texts/places.rs"]
mod places;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| graph::is_lawful(text));
