//! Models that fall into parts of which none depends on another: `A || (B <a> C)` into `A` and `B <a> C`.
//!
//! A part behaves as if it were alone, whatever the others do. So its states are those in which all other
//! parts are as they are at first, and they have a chain of their own. The probability of a state is the
//! product of those of its parts: the balance of each part makes that of the whole. Which parts are
//! independent is known from the actions on which components cooperate, so that nothing has to be tried.
//!
//! Error: relative errors of factors add up in a product. A defect of the whole is a mean of those of the
//! parts, weighted with the rates at which they leave their states, and so no larger than the largest.
//!
//! Time: that of the parts, two passes over the states, and none over the transitions. A control system of
//! 43,000 states has a part of 600, and three of less than 10. Memory: 14 bytes a state, and what the parts
//! take.

use skel_core::graph::{Adjacency, strongly_connected_unless};

use super::choice::{self, Solved};
use super::drive::PROBED;
use super::former::{Traits, Way};
use super::{Certified, Method, Options, Report};
use crate::chain::Generator;
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Stopped, Watch};
use crate::linear::MethodUsed;
use crate::operator::NEGLIGIBLE;
use crate::space::StateSpace;

/// A larger part than this is solved by [one method](choice::quick_method), or not at all. Others for so many
/// states look at what is asked of a space, and a part is none.
const LARGE: usize = PROBED;

/// The most iterations for a large part. Where more are needed, as for tandem queues, other methods solve the
/// whole space, and these were in vain.
const MOST_FOR_LARGE: u64 = 60;

/// The bytes for each state: its probability and its number in a part, and a part has half of the states at
/// most, which are listed.
const PER_STATE: u64 = 8 + 4 + 2;

/// From what a space is solved, and within what.
#[derive(Clone, Copy)]
pub(super) struct Task<'t> {
    /// Probabilities to start from, at any scale.
    pub(super) start: Option<&'t [f64]>,
    /// Whether all states are known to lead to the first.
    pub(super) is_irreducible: bool,
    pub(super) budget: MemoryBudget,
    pub(super) limits: &'t Limits,
    pub(super) options: &'t Options,
}

/// Some slots on which no others depend.
struct Part {
    /// The bits of their fields, in each word of a packed state.
    mask: Vec<u64>,
    /// The states in which all other slots are as they are at first, in ascending order.
    states: Vec<u32>,
}

/// The probabilities of a part's states, and how good they are.
struct Factor {
    pi: Vec<f64>,
    report: Report,
}

/// Solves a space part by part, and adds to the report. `None` if it has no independent parts, if one of them
/// is hard to solve or not irreducible, or if a method is asked for.
pub(super) fn solve(
    space: &StateSpace,
    task: Task<'_>,
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Option<Solved>, Error> {
    let states = space.states() as u64;
    if task.options.method != Method::Automatic || task.budget.check(PER_STATE * states).is_err() {
        return Ok(None);
    }
    let Some(parts) = parts(space, watch)? else { return Ok(None) };
    let task = Task { budget: task.budget.beside(PER_STATE * states), ..task };
    let numbers = numbers(space.states(), &parts);
    let mut factors = Vec::with_capacity(parts.len());
    for part in &parts {
        let generator = Generator::<f64>::restricted(space, &part.states, &numbers, || watch.prepare())?;
        if !task.is_irreducible && !leads_everywhere(&generator, watch)? {
            return Ok(None);
        }
        // What there is for the states of a part is in the same proportions as what there is for the part.
        let start = task.start.map(|start| part.states.iter().map(|&state| start[state as usize]).collect());
        let of_part = Whole { states: space.states(), parts: parts.len(), start };
        let Some(factor) = factor(&generator, &of_part, task, watch)? else { return Ok(None) };
        factors.push(factor);
    }
    let Some(pi) = products(space, (&parts, &numbers), &factors, watch)? else { return Ok(None) };
    add_to(report, factors);
    let traits = Traits { trial: None, is_by_level: false, direction: None };
    Ok(Some(Solved { pi, way: Way::ByParts, traits }))
}

/// The independent parts that have more than one state. `None` if there is only one, or if not all combinations
/// of their states are reached, as where lumping has exchanged parts.
fn parts(space: &StateSpace, watch: &mut Watch<'_>) -> Result<Option<Vec<Part>>, Stopped> {
    if space.has_immediate_actions() {
        return Ok(None);
    }
    let mut parts = apart(space);
    if parts.len() < 2 {
        return Ok(None);
    }
    let first = space.with_packed(0, <[u64]>::to_vec);
    space.for_each_packed_unless(
        || watch.prepare(),
        |state, packed| {
            for part in &mut parts {
                if part.is_alone_changed(packed, &first) {
                    part.states.push(state as u32);
                }
            }
        },
    )?;
    parts.retain(|part| part.states.len() > 1);
    let combinations = parts.iter().try_fold(1_usize, |all, part| all.checked_mul(part.states.len()));
    Ok((parts.len() > 1 && combinations == Some(space.states())).then_some(parts))
}

/// The parts by their slots, without any states.
fn apart(space: &StateSpace) -> Vec<Part> {
    let words = space.layout().words();
    let mut parts: Vec<Part> = Vec::new();
    let mut of_slot: Vec<usize> = Vec::new();
    for (slot, first) in space.sets_of_slots().least().into_iter().enumerate() {
        if first as usize == slot {
            of_slot.push(parts.len());
            parts.push(Part { mask: vec![0; words], states: Vec::new() });
        } else {
            of_slot.push(of_slot[first as usize]);
        }
        for field in space.slots()[slot].fields() {
            space.layout().field(field).set(&mut parts[of_slot[slot]].mask, u32::MAX);
        }
    }
    parts
}

impl Part {
    /// Whether a state differs from the first one in this part alone, or not at all.
    fn is_alone_changed(&self, packed: &[u64], first: &[u64]) -> bool {
        packed.iter().zip(first).zip(&self.mask).all(|((word, first), mask)| (word ^ first) & !mask == 0)
    }
}

/// For each state of a part its number in it. The first state is in all parts, and is the first in each.
fn numbers(states: usize, parts: &[Part]) -> Vec<u32> {
    let mut numbers = vec![0; states];
    for part in parts {
        for (number, &state) in part.states.iter().enumerate() {
            numbers[state as usize] = number as u32;
        }
    }
    numbers
}

/// Whether every state leads to every other.
fn leads_everywhere(generator: &Generator<f64>, watch: &mut Watch<'_>) -> Result<bool, Stopped> {
    let mut graph = Adjacency::new();
    for state in 0..generator.states() {
        graph.push(generator.rates_from(state).map(|(target, _)| target as u32));
    }
    Ok(strongly_connected_unless(&graph, || watch.prepare())?.components.len() == 1)
}

/// What a part has from the space.
struct Whole {
    /// The states of the space.
    states: usize,
    /// How many parts it has.
    parts: usize,
    /// What the states of the part start from.
    start: Option<Vec<f64>>,
}

/// The steady state of a part; `None` if no method has one within its share of the tolerance.
fn factor(
    generator: &Generator<f64>,
    whole: &Whole,
    Task { budget, limits, options, .. }: Task<'_>,
    watch: &mut Watch<'_>,
) -> Result<Option<Factor>, Error> {
    let mut options = Options { tolerance: options.tolerance / whole.parts as f64, ..options.clone() };
    let mut limits = limits.clone();
    if generator.states() > LARGE {
        options.method = choice::quick_method(generator, whole.states, budget, watch)?;
        limits.iterations = limits.iterations.min(MOST_FOR_LARGE);
    }
    let mut report = Report::new(choice::DIRECT);
    match choice::solve(generator, whole.start.as_deref(), budget, &limits, &options, watch, &mut report) {
        Ok(pi) => Ok((report.certified == Certified::Probabilities).then_some(Factor { pi, report })),
        Err(Error::NotConverged(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The products for all states; `None` if one of them is too small to be sure of.
fn products(
    space: &StateSpace,
    (parts, numbers): (&[Part], &[u32]),
    factors: &[Factor],
    watch: &mut Watch<'_>,
) -> Result<Option<Vec<f64>>, Stopped> {
    let least = |factor: &Factor| factor.pi.iter().copied().fold(1.0, f64::min);
    if factors.iter().map(least).product::<f64>() <= NEGLIGIBLE {
        return Ok(None);
    }
    let first = space.with_packed(0, <[u64]>::to_vec);
    let mut values: Vec<Value<'_>> =
        parts.iter().zip(factors).map(|(part, factor)| Value::of_first(part, factor, &first)).collect();
    let mut pi = Vec::with_capacity(space.states());
    let mut are_all_known = true;
    space.for_each_packed_unless(
        || watch.prepare(),
        |_, packed| {
            let of_parts = values.iter_mut().map(|value| value.of(packed, space, numbers));
            let product: Option<f64> = of_parts.product();
            are_all_known &= product.is_some();
            pi.extend(product);
        },
    )?;
    Ok(are_all_known.then_some(pi))
}

/// The probability of a part's state that was asked for last. States that follow one another differ in few
/// parts.
struct Value<'t> {
    part: &'t Part,
    pi: &'t [f64],
    /// The state of the part, with all others as they are at first.
    state: Vec<u64>,
    probability: f64,
}

impl Value<'_> {
    fn of_first<'t>(part: &'t Part, factor: &'t Factor, first: &[u64]) -> Value<'t> {
        Value { part, pi: &factor.pi, state: first.to_vec(), probability: factor.pi[0] }
    }

    /// That of the part in a state of the space; `None` if the part has no such state.
    fn of(&mut self, packed: &[u64], space: &StateSpace, numbers: &[u32]) -> Option<f64> {
        let words = packed.iter().zip(&mut self.state).zip(&self.part.mask);
        let mut is_another = false;
        for ((word, known), mask) in words {
            let changed = word & mask | *known & !mask;
            is_another |= changed != *known;
            *known = changed;
        }
        if is_another {
            let number = space.find_packed(&self.state)?;
            self.probability = self.pi[numbers[number as usize] as usize];
        }
        Some(self.probability)
    }
}

/// Adds how good products are.
fn add_to(report: &mut Report, factors: Vec<Factor>) {
    let reports = || factors.iter().map(|factor| &factor.report);
    let residual = reports().map(|report| report.residual).sum();
    reports().for_each(|of_part| report.add(residual, of_part.defect));
    let error = reports().map(|report| report.error).sum::<f64>() + factors.len() as f64 * f64::EPSILON;
    report.error = report.error.max(error);
    report.method = MethodUsed::ProductForm;
    for Factor { report: of_part, .. } in factors {
        report.iterations += of_part.iterations;
        report.clipped = report.clipped.max(of_part.clipped);
        report.handed_over.extend(of_part.handed_over);
    }
}

#[cfg(test)]
mod tests {
    use super::{LARGE, Task, parts, solve};
    use crate::limits::memory::MemoryBudget;
    use crate::limits::{Limits, Watch};
    use crate::linear::MethodUsed;
    use crate::random_model::random_model;
    use crate::space::{Explore, StateSpace, Storage};
    use crate::steady::{Options, Report, choice};

    fn explored(text: &str, storage: Storage, is_lumped: bool) -> StateSpace {
        let model = skel_core::text::parse(text).into_model().unwrap_or_else(|_| panic!("{text}"));
        let explorer = model.explorer().storage(storage);
        let explorer = if is_lumped { explorer.lumped() } else { explorer };
        explorer.explore().unwrap_or_else(|error| panic!("{error}: {text}")).untyped()
    }

    /// How many states the parts of a model have.
    fn sizes(text: &str, is_lumped: bool) -> Vec<usize> {
        let limits = Limits::default();
        let space = explored(text, Storage::Explicit, is_lumped);
        let parts = parts(&space, &mut Watch::start(&limits)).unwrap().unwrap_or_default();
        parts.iter().map(|part| part.states.len()).collect()
    }

    /// The products for a space, if it has independent parts, with the report.
    fn solved(space: &StateSpace) -> Option<(Vec<f64>, Report)> {
        let (limits, options) = (Limits::default(), Options::default());
        let mut report = Report::new(choice::DIRECT);
        let budget = MemoryBudget::new(&limits);
        let task = Task { start: None, is_irreducible: false, budget, limits: &limits, options: &options };
        let solved = solve(space, task, &mut Watch::start(&limits), &mut report).unwrap();
        solved.map(|solved| (solved.pi, report))
    }

    const RING: &str = "P = (a, 1).Q; Q = (b, 2).R; R = (c, 3).P; ";
    const SWITCH: &str = "On = (off, 1).Off; Off = (on, 2).On; ";

    #[test]
    fn parts_are_told_by_the_actions_on_which_components_cooperate() {
        let sizes = |system: &str| sizes(&format!("{RING}{SWITCH}{system}"), false);
        assert_eq!(sizes("P || On"), [3, 2]);
        assert_eq!(sizes("P || On || P"), [3, 2, 3]);
        // The same action without cooperation.
        assert_eq!(sizes("(P || P) || On"), [3, 3, 2]);
        // Two that each cooperate with a third.
        assert_eq!(sizes("((P || P) <a> P) || On"), [27, 2]);
        assert_eq!(sizes("On || (P <a> P)"), [2, 9]);
        // What is hidden is not shared.
        assert_eq!(sizes("(P <a> P)/{a} || P"), [9, 3]);
        assert_eq!(sizes("P <a> P"), []);
    }

    #[test]
    fn counted_copies_are_a_part_and_exchanged_parts_are_none() {
        let sizes = |system: &str| sizes(&format!("{RING}{SWITCH}{system}"), true);
        assert_eq!(sizes("P[4] || On"), [15, 2]);
        assert_eq!(sizes("P[4] || On[2]"), [15, 3]);
        // Two pairs that lumping exchanges are one part: of six states each, pairs of them in either order.
        assert_eq!(sizes("((P <a> P) || (P <a> P)) || On[3]"), [21, 4]);
    }

    /// Queues in a line, of which each hands on to the next, and a switch beside them.
    fn line_and_switch(queues: usize, places: usize) -> StateSpace {
        let mut text = SWITCH.to_owned();
        for queue in 0..queues {
            let into = if queue == 0 { "1" } else { "infty" };
            for count in 0..=places {
                let come = (count < places).then(|| format!("(m{queue}, {into}).Q{queue}x{}", count + 1));
                let go = count.checked_sub(1).map(|less| format!("(m{}, 1.01).Q{queue}x{less}", queue + 1));
                let ways: Vec<String> = come.into_iter().chain(go).collect();
                text.push_str(&format!("Q{queue}x{count} = {}; ", ways.join(" + ")));
            }
        }
        let hands_on = |line: String, queue: usize| format!("({line} <m{queue}> Q{queue}x0)");
        let line = (1..queues).fold("Q0x0".to_owned(), hands_on);
        explored(&format!("{text}{line} || On"), Storage::Explicit, false)
    }

    /// A single queue is eliminated, however long it is. Three take more iterations than are tried.
    #[test]
    fn a_large_part_is_solved_if_that_is_quick() {
        let space = line_and_switch(1, 2 * LARGE);
        let (pi, report) = solved(&space).expect("it is eliminated");
        assert!(report.iterations == 0 && report.error < 1e-10, "{report:?}");
        let empty = (1.0 - 1.0 / 1.01) / (1.0 - 1.01_f64.powi(-(2 * LARGE as i32 + 1)));
        assert!((pi[0] / (empty * 2.0 / 3.0) - 1.0).abs() < report.error, "{} for {empty}", pi[0]);
        assert!(solved(&line_and_switch(3, 24)).is_none());
    }

    /// Products against elimination of all states, in all ways to keep them.
    #[test]
    fn products_are_the_steady_state() {
        let mut found = 0;
        let ways = [(Storage::Explicit, false), (Storage::Bitset, false), (Storage::Explicit, true)];
        for (seed, (storage, is_lumped)) in (0..40).flat_map(|seed| ways.map(|way| (seed, way))) {
            let text = random_model(seed);
            let space = explored(&text, storage, is_lumped);
            let Some((pi, report)) = solved(&space) else { continue };
            found += 1;
            assert_eq!(report.method, MethodUsed::ProductForm);
            let options = Options { direct_up_to: usize::MAX, ..Options::default() };
            let all = space.solver().options(&options).solve();
            let all = all.unwrap_or_else(|error| panic!("{error}: {text}"));
            for (product, expected) in pi.iter().zip(all.probabilities()) {
                let error = (product / expected - 1.0).abs();
                assert!(error <= report.error + all.report().error, "{error:e}: {text}");
            }
            assert!(report.residual < 1e-14 && report.defect < 1e-13, "{report:?}");
        }
        assert!(found > 90, "{found}");
    }

    /// Where a part begins in a state that it never comes back to, probabilities of zero are for others to
    /// find.
    #[test]
    fn a_part_that_is_not_irreducible_has_no_factor() {
        let space =
            explored(&format!("{RING}{SWITCH}Start = (a, 1).P; Start || On"), Storage::Explicit, false);
        assert_eq!(space.states(), 8);
        assert!(solved(&space).is_none());
    }

    /// The probability that all are busy is `1e-300` and more, of which no sum is certain.
    #[test]
    fn products_that_are_too_small_are_left_to_other_methods() {
        let text =
            |rate: &str| format!("Idle = (a, {rate}).Busy; Busy = (b, 1).Idle; {SWITCH}Idle[30] || On");
        let solved = |rate| solved(&explored(&text(rate), Storage::Explicit, true));
        assert!(solved("1e-12").is_none());
        assert!(solved("1e-8").is_some());
    }
}
