//! The tagged chain against known numbers of states.

use skel_core::skeleton::{Program, Tree, text};

use super::ResponseTimes;

fn program(text: &str) -> Program<Tree> {
    let parsed = text::parse(text);
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    parsed.program().expect("a program")
}

#[test]
fn numbers_of_states() {
    for (text, untagged, tagged) in [
        ("pipe(3); task(1); task(1); task(1); communication(1);", 12, 26),
        ("pipe(2); task(2.0); task(3.0); communication(5);", 4, 6),
        ("pipe(5); task(1); task(3); task(1); task(2); task(1); communication(1);", 108, 378),
        ("pipe(3); task(1); farm(2, 1); task(1); communication(1);", 36, 102),
        ("pipe(3); task(1); deal(2, 1); task(1); communication(1);", 56, 164),
    ] {
        let system = program(text).lower().unwrap();
        let response = ResponseTimes::of_system(&system).unlumped().solve().unwrap();
        assert_eq!((response.states_without_item(), response.states()), (untagged, tagged), "{text}");
    }
    // Of ten workers the nine others stay lumped.
    let farm = program("pipe(3); task(1); farm(10, 1); task(1); communication(none); buffers(3);");
    let response = ResponseTimes::of_system(&farm.lower_with_immediate_moves().unwrap()).solve().unwrap();
    assert_eq!((response.states_without_item(), response.states()), (170, 1081));
}
