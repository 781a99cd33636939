//! The response time of an item.
#![allow(dead_code)]
mod exchange;
mod explore;
mod flow;
mod labelled;
mod path;

pub use path::{ItemPath, PathFault, PathProblem};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use skel_core::skeleton::{text, Program, Tree};

    fn program(text: &str) -> Program<Tree> {
        let parsed = text::parse(text);
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        parsed.program().unwrap()
    }

    #[test]
    fn numbers_of_states() {
        for (text, untagged, tagged) in [
            ("pipe(3); task(1); task(1); task(1); communication(1);", 12, 26),
            ("pipe(2); task(2.0); task(3.0); communication(5);", 4, 6),
            ("pipe(5); task(1); task(3); task(1); task(2); task(1); communication(1);", 108, 378),
            ("pipe(3); task(1); farm(2, 1); task(1); communication(1);", 36, 102),
            ("pipe(3); task(1); deal(2, 1); task(1); communication(1);", 56, 164),
            ("pipe(3); task(1); farm(10, 1); task(1); communication(none); buffers(3);", 0, 0),
        ] {
            let system = program(text).lower_with_immediate_moves().unwrap();
            let items = system.item_flow();
            for exchanges in [exchange::Exchanges::none(), exchange::Exchanges::of(&items)] {
            if untagged == 0 && exchanges.is_none() { continue; }
            let flow = flow::Flow::<f64>::new(&items);
            let limits = Limits::default();
            let mut explorer = explore::Explorer::new(&flow, &exchanges, &limits);
            let u = explorer.untagged().unwrap();
            let t = explorer.tagged().unwrap();
            println!("{text} {} {} expected {untagged} {tagged}", u.generator.states(), t.ends.len());
            }
        }
    }
}
