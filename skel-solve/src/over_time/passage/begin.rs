//! In which states passages begin, and with what weights.

use skel_core::number::Number;

use super::observer::Observed;
use super::question::Event;
use super::way::Way;
use crate::chain::{Generator, classification_memory, classify_within, describe_classes};
use crate::error::{Classes, Error};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::over_time::absorption::beginnings::{Beginning, Weights};
use crate::over_time::absorption::stationary::Stationary;
use crate::space::{Labelled, StateSpace};

/// Where passages begin.
pub(super) struct Begin<N> {
    /// Per state of the space; they sum to one.
    pub(super) weights: Vec<N>,
    /// A bound on the sum of their errors.
    pub(super) error: f64,
    /// Passages per unit of time, and a bound on the error; none from the initial state.
    pub(super) frequency: Option<(N, f64)>,
    /// The states that runs are in, in the steady state; all of them from the initial state.
    pub(super) states: Vec<u32>,
}

/// A passage question in terms of a space.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) from: Event,
    pub(super) to: Event,
    pub(super) way: Way,
    /// What ends a passage, as a text.
    pub(super) to_text: String,
}

impl Asked {
    /// Why no passage has an end.
    pub(super) fn never_ends(&self) -> Error {
        let to = &self.to_text;
        Error::Unknown(match &self.to {
            Event::Actions(_) => {
                format!(
                    "no passage ever ends: `{to}` is never done once it has begun, so its probability is 0"
                )
            }
            _ => format!(
                "no passage ever ends: `{to}` holds in no state that is reached once it has begun, so its probability is 0"
            ),
        })
    }
}

/// Begins of passages as rates, into states of the space.
type Starts<N> = Vec<Beginning<N>>;

/// Where passages begin.
pub(super) fn begin<N: Stationary>(
    space: &StateSpace,
    asked: &Asked,
    budget: MemoryBudget,
    limits: &Limits,
    watch: &mut Watch<'_>,
) -> Result<Begin<N>, Error> {
    if asked.way == Way::Initial {
        let mut weights = vec![N::zero(); space.states()];
        weights[0] = N::one();
        let states = (0..space.states() as u32).collect();
        return Ok(Begin { weights, error: 0.0, frequency: None, states });
    }
    let class = recurrent_class(space, budget, watch)?;
    let (generator, starts) = match asked.way {
        Way::Probe => {
            let Observed { generator, starts } = Observed::new(space, &class, &asked.from, &asked.to, watch)?;
            (generator, starts)
        }
        _ => {
            let mut number = vec![u32::MAX; space.states()];
            class.iter().enumerate().for_each(|(place, &state)| number[state as usize] = place as u32);
            let generator = Generator::restricted(space, &class, &number, || watch.prepare())?;
            (generator, starts(space, asked, &class, watch)?)
        }
    };
    if starts.is_empty() {
        // An observer that nothing stops is not started again.
        let is_begun = asked.way == Way::Probe && !self::starts::<N>(space, asked, &class, watch)?.is_empty();
        return Err(if is_begun { asked.never_ends() } else { never_begun(space, asked, &class) });
    }
    let entries = generator.matrix().entries() as u64;
    let budget = budget.take(entries * (4 + size_of::<N>() as u64) + 24 * starts.len() as u64)?;
    let Weights { weights, error, frequency, frequency_error } =
        Weights::of(&generator, &starts, space.states(), budget, limits)?;
    Ok(Begin { weights, error, frequency: Some((frequency, frequency_error)), states: class })
}

/// The one recurrent class of a space.
fn recurrent_class(
    space: &StateSpace,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Vec<u32>, Error> {
    budget.check(classification_memory(space))?;
    let mut classes = classify_within(space, watch)?;
    if classes.recurrent.len() == 1 && space.lumping().is_some() && !classes.is_one_class_unlumped(space) {
        return Err(Error::Unknown(
            "there may be several recurrent classes, of which lumping made one; explore without lumping for it"
                .to_owned(),
        ));
    }
    if classes.recurrent.len() == 1 {
        return Ok(classes.recurrent.remove(0));
    }
    let lines = describe_classes(space, &classes);
    let explanation = Classes { count: classes.recurrent.len(), lines }.explanation();
    Err(Error::Unknown(format!(
        "passages of the steady state have no weights: {explanation}\nhelp: begin in the initial state, `From::initial()` or `--from initial`"
    )))
}

/// The begins of passages where no observer is needed.
fn starts<N: Number>(
    space: &StateSpace,
    asked: &Asked,
    class: &[u32],
    watch: &mut Watch<'_>,
) -> Result<Starts<N>, Error> {
    let (mut starts, mut place) = (Vec::new(), 0);
    let states = class.iter().map(|&state| state as usize);
    space.for_each_row_of::<N, Error>(
        states,
        || Ok(watch.prepare()?),
        |state, transitions| {
            for Labelled { target, action, rate } in transitions.drain(..) {
                let begins = match asked.way {
                    Way::Entries => asked.from.is_state(target as usize) && !asked.from.is_state(state),
                    Way::AllVisits => asked.from.is_state(target as usize) && target as usize != state,
                    _ => asked.from.is_action(action),
                };
                if begins {
                    starts.push((place, target, rate));
                }
            }
            place += 1;
            Ok(())
        },
    )?;
    Ok(starts)
}

/// Why no passage ever begins.
fn never_begun(space: &StateSpace, asked: &Asked, class: &[u32]) -> Error {
    let Event::States(states) = &asked.from else {
        return Error::Unknown(
            "no passage ever begins: its action is not done in the long run\nhelp: name an action that is done again and again, or begin in the initial state".to_owned(),
        );
    };
    let reachable = states.iter().filter(|&&is_in| is_in).count();
    let recurrent = class.iter().filter(|&&state| states[state as usize]).count();
    Error::Unknown(match (reachable, recurrent) {
        (0, _) => format!("no passage ever begins: its condition holds in none of the {} states", space.states()),
        (_, 0) => "no passage ever begins in the long run: its condition holds only in states that are left for ever\nhelp: begin in the initial state".to_owned(),
        _ => "no passage ever begins in the long run: its condition holds in every state that runs come back to, so none is entered from outside".to_owned(),
    })
}
