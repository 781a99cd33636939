//! Exhaustive search: every mapping is solved, once where several are [equal by symmetry](super::symmetry).

use skel_solve::Error;

use super::best::Best;
use super::bound::Bounds;
use super::placement::{linked_extensions, mapping_of};
use super::request::Search;
use super::symmetry::Symmetry;
use crate::evaluate::Planner;

/// How many mappings each thread solves before the best of them are kept. If the search is cancelled in
/// between, they are lost.
const EACH: usize = 16;

/// Solves every mapping whose links are all there.
pub(super) fn try_all(
    planner: &Planner,
    search: &Search,
    bounds: &Bounds<'_>,
    symmetry: &Symmetry,
    best: &mut Best<'_>,
) -> Result<(), Error> {
    let tasks = planner.application().task_count();
    let (mut stack, mut batch) = (vec![Vec::new()], Vec::new());
    while let Some(placed) = stack.pop() {
        if placed.len() == tasks {
            batch.push(mapping_of(&placed, search.ends));
        } else {
            stack.extend(linked_extensions(&placed, bounds, symmetry, best.job)?);
        }
        if batch.len() >= EACH * planner.thread_count() || stack.is_empty() {
            best.solve(&std::mem::take(&mut batch))?;
        }
    }
    Ok(())
}
