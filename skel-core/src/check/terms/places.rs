//! Where activities are written.

use super::{Place, Term, Terms};
use crate::check::names::{Names, Symbol};
use crate::diagnostic::Span;
use crate::model::LocalStateId;
use crate::syntax::ast::{Body, Name, PrefixActivity, Process};

impl<S: Span> Terms<'_, S> {
    /// Where the activity of a prefix is written.
    pub(in crate::check) fn place(&self, prefix: LocalStateId, names: &Names<'_, S>) -> Option<S> {
        match self.places[prefix.index()] {
            Place::Nowhere => None,
            Place::Known(number) => Some(self.known_places[number as usize]),
            Place::Within(process) => {
                let tree = self.outline.tree(names.process_name(process as usize).at.0)?;
                let mut place = None;
                if let Body::Process(body) = &tree.body {
                    for_each_activity(body, &mut |written, behind| {
                        if place.is_none() && self.is_written(prefix, written, behind, names) {
                            place = Some(written[0].span());
                        }
                    });
                }
                place
            }
        }
    }

    /// Whether a prefix is the term of these activities and the constant behind them.
    fn is_written(
        &self,
        prefix: LocalStateId,
        written: &[PrefixActivity<S>],
        behind: &Name<S>,
        names: &Names<'_, S>,
    ) -> bool {
        let mut term = prefix;
        for one in written {
            let Term::Prefix(activity) = self.terms[term.index()] else { return false };
            let rate = self.outline.rate_number(&one.rate).and_then(|rate| self.coded_rates[rate as usize]);
            if self.actions[activity.action.index()] != one.action.text || rate != Some(activity.rate) {
                return false;
            }
            term = activity.target;
        }
        match (self.terms[term.index()], names.get(&behind.text)) {
            (Term::Constant(found), Some(Symbol::Process(id))) => found as usize == id,
            _ => false,
        }
    }
}

/// Every row of activities of a process that ends in a constant, from each of its activities on.
fn for_each_activity<S>(process: &Process<S>, visit: &mut impl FnMut(&[PrefixActivity<S>], &Name<S>)) {
    match process {
        Process::Choice(operands) => operands.iter().for_each(|operand| for_each_activity(operand, visit)),
        Process::Prefix { activities, then } => {
            if let Process::Constant(constant) = &**then {
                (0..activities.len()).rev().for_each(|first| visit(&activities[first..], constant));
            }
        }
        _ => {}
    }
}
