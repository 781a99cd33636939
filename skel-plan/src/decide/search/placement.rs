//! Placements: mappings as lists that have the index of a processor for each task.

use skel_solve::Error;

use super::bound::Bounds;
use super::request::Ends;
use super::symmetry::Symmetry;
use crate::evaluate::Job;
use crate::platform::ProcessorId;
use crate::program::Mapping;

/// The placement of a mapping.
pub(super) fn placement_of(mapping: &Mapping) -> Vec<usize> {
    mapping.processors().iter().map(|id| id.index()).collect()
}

/// The placements with one task more whose links are all there.
pub(super) fn linked_extensions(
    placed: &[usize],
    bounds: &Bounds<'_>,
    symmetry: &Symmetry,
    job: &Job<'_>,
) -> Result<Vec<Vec<usize>>, Error> {
    let mut linked = Vec::new();
    for processor in symmetry.choices(placed) {
        job.check_limits()?;
        let longer = [placed, &[processor]].concat();
        if bounds.upper_bound(&longer, None) > 0.0 {
            linked.push(longer);
        }
    }
    Ok(linked)
}

/// The mapping of a placement.
pub(super) fn mapping_of(placed: &[usize], ends: Ends) -> Mapping {
    let mut mapping = Mapping::new(placed.iter().map(|&processor| ProcessorId::from_index(processor)));
    if let Some(input) = ends.input {
        mapping = mapping.with_input(input);
    }
    if let Some(output) = ends.output {
        mapping = mapping.with_output(output);
    }
    mapping
}
