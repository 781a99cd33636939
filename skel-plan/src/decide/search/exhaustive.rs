//! Every mapping, but for [equal](super::symmetry) ones.

use skel_solve::Error;

use super::best::Best;
use super::bound::Bounds;
use super::placement::{linked_parts, mapping_of};
use super::request::Search;
use super::symmetry::Equals;
use crate::evaluate::Planner;

/// Mappings that each thread solves before only the best are kept; what is under way is lost where the search is cancelled.
const EACH: usize = 16;

/// Solves every mapping whose links are there.
pub(super) fn try_all(
    planner: &Planner,
    search: &Search,
    bounds: &Bounds<'_>,
    equals: &Equals,
    best: &mut Best<'_>,
) -> Result<(), Error> {
    let tasks = planner.application().tasks();
    let (mut stack, mut batch) = (vec![Vec::new()], Vec::new());
    while let Some(placed) = stack.pop() {
        if placed.len() == tasks {
            batch.push(mapping_of(&placed, search.ends));
        } else {
            stack.extend(linked_parts(&placed, bounds, equals));
        }
        if batch.len() >= EACH * planner.threads() || stack.is_empty() {
            best.solve(&std::mem::take(&mut batch))?;
        }
    }
    Ok(())
}
