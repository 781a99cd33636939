//! From a space to its steady state: classify the chain, choose what solves it, and put the answers together.

use std::time::Instant;

use skel_core::model::Model;
use skel_core::number::Ratio;

use super::choice::Solved;
use super::drive::{self, Given};
use super::former::Former;
use super::long_run::ClassifiedChain;
use super::{Method, Options, Report, SteadyState, choice, independent_parts};
use crate::chain::{Classification, classification_memory, classify_within, deadlock, describe_classes};
use crate::error::{Classes, Error, NotConverged};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::linear::MethodUsed;
use crate::linear::modular;
use crate::measure::Probabilities;
use crate::measure::throughputs::{are_in_range, of_representatives, throughputs};
use crate::measure::weights::{Proportions, Weights};
use crate::operator::kronecker::KroneckerRates;
use crate::operator::kronecker::descriptor::Descriptor;
use crate::operator::transposed::{Survey, TransposedRates};
use crate::space::StateSpace;

/// What is asked of a chain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    /// The steady state, of which there is none with several recurrent classes, and none of use in a
    /// deadlock.
    SteadyState {
        /// Whether the state of a deadlock is an answer nevertheless.
        allow_deadlock: bool,
    },
    /// The distribution in the long run, from the initial state.
    LongRun,
}

/// What iterative methods start from.
#[derive(Clone, Copy)]
pub(crate) struct Start<'s> {
    /// Positive probabilities, or zeros, at any scale.
    pub(crate) probabilities: &'s [f64],
    /// What the solution that they are from left, if it is one for the same states.
    pub(crate) former: Option<&'s Former>,
}

/// Solves in `f64`; iterative methods start from some probabilities, where they are given.
pub(crate) fn in_floats(
    question: Question,
    space: &StateSpace,
    start: Option<Start<'_>>,
    limits: &Limits,
    options: &Options,
) -> Result<SteadyState<Model, f64>, Error> {
    let started = Instant::now();
    let mut watch = Watch::start(limits);
    let mut report = Report::new(choice::DIRECT);
    if space.states() > options.eliminated_up_to() {
        space.label_again(MemoryBudget::new(limits).beside(space.memory()), &mut watch)?;
    }
    let budget = MemoryBudget::new(limits).beside(space.memory());
    let found = distribution(question, (space, start), budget, limits, options, &mut watch, &mut report)?;
    let Distribution { classification, probabilities, former } = found;
    let left = budget.beside(8 * space.states() as u64).left();
    let pause = || Ok(watch.prepare()?);
    let (throughputs, lost) = throughputs(space, &classification, &probabilities, left, pause)?;
    if !are_in_range(&lost, &probabilities, &throughputs) {
        let beyond = NotConverged::beyond_range(report.method);
        let tried = report.handed_over.into_iter().chain([beyond]).collect();
        return Err(Error::NotConverged(NotConverged { tolerance: options.tolerance, tried }));
    }
    // Whoever stops the work gets no answer, however late that is.
    watch.prepare()?;
    report.solved_in = started.elapsed();
    let probabilities = Probabilities::new(space, Weights::Numbers(probabilities), throughputs);
    Ok(SteadyState { probabilities, classification, report, former })
}

/// The probabilities of a chain's states, its classes, and what is left for the solution of a chain nearby.
struct Distribution {
    classification: Classification,
    probabilities: Vec<f64>,
    former: Option<Former>,
}

/// The distribution that a question is about; adds to the report.
fn distribution(
    question: Question,
    (space, start): (&StateSpace, Option<Start<'_>>),
    budget: MemoryBudget,
    limits: &Limits,
    options: &Options,
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Distribution, Error> {
    if let Some(Solved { pi, way, traits }) = whole(space, start, budget, limits, options, watch, report)? {
        let before = start.and_then(|start| start.former);
        let former = Some(Former::new(way, traits, space.model(), before));
        let classification = Classification::irreducible(space.states());
        return Ok(Distribution { classification, probabilities: pi, former });
    }
    let classification = classified(question, space, budget, watch)?;
    let direct_up_to = options.eliminated_up_to();
    let chain = ClassifiedChain { space, classification: &classification, budget, direct_up_to };
    let start = start.map(|start| start.probabilities);
    let probabilities = in_classes(&chain, start, limits, options, watch, report)?;
    Ok(Distribution { classification, probabilities, former: None })
}

/// The steady state of an [independent part](independent_parts) alone, if it is irreducible.
pub(super) fn alone(
    (space, start): (&StateSpace, Option<&[f64]>),
    budget: MemoryBudget,
    limits: &Limits,
    options: &Options,
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Option<Vec<f64>>, Error> {
    let start = start.map(|probabilities| Start { probabilities, former: None });
    let found = distribution(Question::LongRun, (space, start), budget, limits, options, watch, report)?;
    Ok(found.classification.is_irreducible().then_some(found.probabilities))
}

/// The steady state of a chain that is to be iterated, if it is irreducible.
fn whole(
    space: &StateSpace,
    start: Option<Start<'_>>,
    budget: MemoryBudget,
    limits: &Limits,
    options: &Options,
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Option<Solved>, Error> {
    if space.states() == 1 || space.states() <= options.eliminated_up_to() {
        return Ok(None);
    }
    let former = start.and_then(|start| start.former);
    let former = former.map(|former| (former, former.has_rates_near(space.model())));
    let given = Given {
        start: start.map(|start| start.probabilities),
        asked: Some(space),
        former,
        ..Given::default()
    };
    // Rates are positive, so other rates leave the chain as irreducible as it was.
    let is_irreducible = former.is_some();
    let task = independent_parts::Task { solve_alone: alone, start: given.start, budget, limits, options };
    if let Some(solved) = independent_parts::solve(space, task, watch, report)? {
        return Ok(Some(solved));
    }
    if let Some(terms) = Descriptor::of_space(space, budget.left()) {
        if !is_irreducible && !space.all_are_seen_to_lead_to_the_first(watch)? {
            return Ok(None);
        }
        let whole_budget = budget;
        let budget = budget.take(KroneckerRates::memory(&terms))?;
        watch.prepare()?;
        let kronecker = KroneckerRates::new(terms, limits.threads(), watch)?;
        let list = match kronecker.is_slow() || options.method == Method::BiCgStabDilu {
            true => TransposedRates::copied(&kronecker, budget, watch)?,
            false => None,
        };
        if let Some(list) = list {
            drop(kronecker);
            return choice::solve_list(list, given, whole_budget, limits, options, watch, report).map(Some);
        }
        let given =
            Given { direction: drive::direction(&given, (&kronecker, limits.threads()), options), ..given };
        return choice::solve_large(&kronecker, given, budget, limits, options, watch, report).map(Some);
    }
    let incoming = match Survey::of(space, budget, watch)? {
        Some(survey) if is_irreducible || survey.all_lead_to_earlier_states() => {
            return choice::solve_surveyed(survey, given, budget, limits, options, watch, report).map(Some);
        }
        Some(survey) => survey.list(None, budget, watch)?,
        None => TransposedRates::by_rows(space, budget, watch)?,
    };
    if !is_irreducible && !incoming.all_lead_to_the_first(watch)? {
        return Ok(None);
    }
    choice::solve_list(incoming, given, budget, limits, options, watch, report).map(Some)
}

/// The distribution of a classified chain, class by class.
fn in_classes(
    chain: &ClassifiedChain<'_>,
    start: Option<&[f64]>,
    limits: &Limits,
    options: &Options,
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Vec<f64>, Error> {
    let classes = &chain.classification.recurrent;
    let of_class = |start: &[f64]| match &classes[..] {
        [class] => Some(class.iter().map(|&state| start[state as usize]).collect()),
        _ => None,
    };
    let start: Option<Vec<f64>> = start.and_then(of_class);
    let (ends, mut probabilities) = chain.proportions(watch, |generator, budget, watch| {
        choice::solve(generator, start.as_deref(), budget, limits, options, watch, report)
    })?;
    let of_ends: f64 = ends.iter().sum();
    for (class, end) in classes.iter().zip(&ends) {
        class.iter().for_each(|&state| probabilities[state as usize] *= end / of_ends);
    }
    Ok(probabilities)
}

/// Solves in exact fractions, which are verified; see [`modular`].
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn in_fractions(
    question: Question,
    space: &StateSpace,
    limits: &Limits,
) -> Result<SteadyState<Model, Ratio>, Error> {
    let started = Instant::now();
    let mut watch = Watch::start(limits);
    let budget = MemoryBudget::new(limits).beside(space.memory());
    let classification = classified(question, space, budget, &mut watch)?;
    let chain = ClassifiedChain { space, classification: &classification, budget, direct_up_to: usize::MAX };
    let (ends, parts) = chain.proportions(&mut watch, modular::solve)?;
    let proportions = Proportions::of_classes(&classification.recurrent, &ends, parts);
    let throughputs = proportions.throughputs(space, &classification, || Ok(watch.prepare()?))?;
    let throughputs = of_representatives(space, throughputs);
    let report = Report { solved_in: started.elapsed(), ..Report::new(MethodUsed::Exact) };
    let probabilities = Probabilities::new(space, Weights::Proportions(proportions), throughputs);
    Ok(SteadyState { probabilities, classification, report, former: None })
}

/// The classification of a chain, if the question has an answer.
fn classified(
    question: Question,
    space: &StateSpace,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Classification, Error> {
    budget.check(classification_memory(space))?;
    let classification = classify_within(space, watch)?;
    let is_one_class = classification.recurrent.len() == 1;
    match question {
        Question::LongRun => return Ok(classification),
        Question::SteadyState { allow_deadlock: true } if is_one_class => return Ok(classification),
        Question::SteadyState { allow_deadlock: true } => {}
        Question::SteadyState { allow_deadlock: false } => match deadlock(space, &classification) {
            Some(deadlock) => return Err(Error::Deadlock(deadlock)),
            None if is_one_class => return Ok(classification),
            None => {}
        },
    }
    Err(Error::SeveralRecurrentClasses(Classes {
        count: classification.recurrent.len(),
        lines: describe_classes(space, &classification),
    }))
}
