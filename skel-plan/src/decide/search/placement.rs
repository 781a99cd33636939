//! Mappings as lists of the indices of processors, task by task.

use super::bound::Bounds;
use super::request::Ends;
use super::symmetry::Symmetry;
use crate::platform::ProcessorId;
use crate::program::Mapping;

/// The processors of the tasks, by their indices.
pub(super) fn placement_of(mapping: &Mapping) -> Vec<usize> {
    mapping.processors().iter().map(|id| id.index()).collect()
}

/// The parts with one task more whose links are there.
pub(super) fn linked_extensions(
    placed: &[usize],
    bounds: &Bounds<'_>,
    symmetry: &Symmetry,
) -> Vec<Vec<usize>> {
    let longer = symmetry.choices(placed).map(|processor| [placed, &[processor]].concat());
    longer.filter(|placed| bounds.upper_bound(placed, None) > 0.0).collect()
}

/// The mapping that places the tasks so.
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
