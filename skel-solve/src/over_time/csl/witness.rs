//! Runs that show why a verdict is what it is: to a state with or without a property, where a single run can
//! show it.

use skel_core::csl::formula::{Condition, Path, Quantity, Query, Question};
use skel_core::csl::tree::{FilterKind, Relation};

use super::answer::{Verdict, Witness};
use super::chain::Chain;
use super::evaluate::{Numbers, states};
use super::filter::PerState;
use super::values::{Sets, Wanted};
use crate::error::Error;

/// The run that shows why a filter says so.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn of_filter(
    chain: &mut Chain<'_>,
    kind: FilterKind,
    of: &PerState,
    members: &Sets,
    verdict: Verdict,
) -> Result<Option<Witness>, Error> {
    let PerState::Conditions(sets) = of else { return Ok(None) };
    let is_wanted = |state: usize| {
        members.sure[state]
            && match (kind, verdict) {
                (FilterKind::Exists, Verdict::True) => sets.sure[state],
                (FilterKind::ForAll, Verdict::False) => !sets.possible[state],
                _ => false,
            }
    };
    nearest(chain, &is_wanted)
}

/// The run that shows why the initial state has a property or not: the way to a state that makes a
/// probability too large.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn of_initial(
    chain: &mut Chain<'_>,
    query: &Query,
    verdict: Verdict,
    numbers: Numbers,
) -> Result<Option<Witness>, Error> {
    let Question::Condition(Condition::Bounded(quantity, relation, _)) = &query.question else {
        return Ok(None);
    };
    let is_upper = matches!(relation, Relation::Less | Relation::AtMost);
    // That a probability is above something is shown by a run, that it is below by none.
    let is_above = match verdict {
        Verdict::True => !is_upper,
        Verdict::False => is_upper,
        Verdict::Undecided => return Ok(None),
    };
    match (&**quantity, is_above) {
        (Quantity::Probability(Path::Finally(_, then)), true) => {
            let goals = states(chain, then, Wanted::Every, numbers)?;
            nearest(chain, &|state| goals.sure[state])
        }
        (Quantity::Probability(Path::Globally(_, then)), false) => {
            let goals = states(chain, then, Wanted::Every, numbers)?;
            nearest(chain, &|state| !goals.possible[state])
        }
        _ => Ok(None),
    }
}

/// A shortest run from the initial state to a state that is wanted.
#[cfg_attr(debug_assertions, inline)]
fn nearest(chain: &mut Chain<'_>, is_wanted: &dyn Fn(usize) -> bool) -> Result<Option<Witness>, Error> {
    let Some(state) = chain.nearest(0, &|_| true, is_wanted)? else { return Ok(None) };
    let (path, reached) = chain.space.run_to(state);
    let model = chain.space.model();
    Ok(Some(Witness {
        path: path.iter().map(|&action| model.action(action).to_owned()).collect(),
        state: model.display_state(&reached),
    }))
}
