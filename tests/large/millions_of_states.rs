//! The running example of the paper on skeletons.
//!
//! In a debug build the measures of a chain are compiled by who asks for them. So this test is of a package
//! of its own, which is optimised.

use skel::performance::Performance;
use skel::prelude::*;
use skel::skeleton::{Program, Tree, text};
use skel::steady::Options;

#[test]
#[ignore = "3,435,648 states: more than a minute, and 1.6 GiB"]
fn the_running_example_of_the_paper() {
    let stages = "pipe(6); task(1); farm(3, 3); deal(2, 2); farm(3, 3); deal(3, 3); task(1);";
    let tree = text::parse(stages).into_tree().expect("a skeleton");
    let system = Program::new(tree, 1).lower().expect("a model");
    let performance: Performance<Tree, f64> =
        Performance::from_system(system, &Limits::default(), &Options::default()).expect("an answer");
    let space = performance.steady_state().space();
    let lumping = space.lumping().expect("the replicas of a farm are interchangeable");
    assert_eq!(space.states(), 3_435_648);
    assert_eq!((lumping.states(), lumping.transitions()), (Some(74_183_040), Some(483_618_600)));
    assert!(performance.steady_state().classification().is_irreducible());
    assert!((performance.throughput() - 0.462_601_446_2).abs() < 6e-11, "{}", performance.throughput());
}
