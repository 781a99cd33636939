//! What both the report and the object say of a choice.

use skel::network::collective::CollectiveError;
use skel::network::select::{Basis, Case, Cluster, Selection};
use skel::network::{Kind, Time};

/// The time by the formula that the paper prints.
pub(super) fn printed(selection: &Selection, case: &Case, cluster: &Cluster) -> Option<Time> {
    let candidates = cluster.links.as_ref()?.candidates();
    let model = &candidates.iter().find(|candidate| candidate.model.kind() == case.model)?.model;
    let predicted: Result<_, CollectiveError> =
        selection.collective.time_as_printed(case.predicted.algorithm, model);
    predicted.ok().filter(|printed| printed.segment == case.predicted.segment).map(|printed| printed.time)
}

/// The errors by which the model was chosen: those at the timed runs of the algorithm, or those at timed
/// messages.
pub(super) fn errors(selection: &Selection, cluster: &Cluster) -> Vec<(Kind, f64)> {
    let best = selection.best();
    if !best.errors.is_empty() {
        return best.errors.clone();
    }
    let links = cluster.links.as_ref();
    let chosen = links.and_then(|links| links.model(selection.collective.size()).ok());
    chosen.map_or_else(Vec::new, |chosen| chosen.errors)
}

/// The word of what a choice goes by.
pub(super) fn basis_word(basis: Basis) -> &'static str {
    match basis {
        Basis::Experiments(_) => "experiments",
        Basis::Messages => "messages",
        Basis::Given => "given",
    }
}
