//! Models that fall into parts of which none depends on another: `A || (B <a> C)` into `A` and `B <a> C`.
//!
//! A part behaves as if it were alone, whatever the others do. So it is explored and solved as a model of its
//! own, while all other parts stay as they are at first. The probability of a state is the product of those of
//! its parts: the balance of each part makes that of the whole. Which parts are independent is known from the
//! actions on which components cooperate, so that nothing has to be tried.
//!
//! Error: relative errors of factors add up in a product. A defect of the whole is a mean of those of the
//! parts, weighted with the rates at which they leave their states, and so no larger than the largest. Where
//! only the sums of a part are certified, so are those of the whole: an activity and a population belong to
//! one part each. A result line may ask for several parts at once, and then the space is solved as a whole.
//!
//! Time: that of the parts, and two passes over the states. A control system of 43,000 states has a part of
//! 600, and three of less than 10. Memory: 8 bytes a state, and what the parts take.

use super::choice::{self, Solved};
use super::drive::PROBED;
use super::former::{Traits, Way};
use super::{Certified, Method, Options, Report};
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limit, Limits, Stopped, Watch};
use crate::linear::MethodUsed;
use crate::operator::NEGLIGIBLE;
use crate::space::StateSpace;

/// For a larger part than this it pays to see first what an elimination would cost.
const LARGE: usize = PROBED;

/// The bytes for each state: its probability.
const PER_STATE: u64 = 8;

/// Solves a part alone, from some probabilities if they are given; adds to the report. `None` if it is not
/// irreducible.
pub(super) type SolveAlone = fn(
    (&StateSpace, Option<&[f64]>),
    MemoryBudget,
    &Limits,
    &Options,
    &mut Watch<'_>,
    &mut Report,
) -> Result<Option<Vec<f64>>, Error>;

/// How each part is solved, from what a space is, and within what.
#[derive(Clone, Copy)]
pub(super) struct Task<'t> {
    pub(super) solve_alone: SolveAlone,
    /// Probabilities to start from, at any scale.
    pub(super) start: Option<&'t [f64]>,
    pub(super) budget: MemoryBudget,
    pub(super) limits: &'t Limits,
    pub(super) options: &'t Options,
}

/// Some slots on which no others depend.
struct Part {
    slots: Vec<u32>,
    /// The bits of their fields, in each word of a packed state.
    mask: Vec<u64>,
    /// How many states have all other slots as they are at first.
    states: usize,
}

/// A part by itself: its space, the probabilities of its states, and how good they are.
struct Factor {
    space: StateSpace,
    pi: Vec<f64>,
    report: Report,
}

/// Solves a space part by part, and adds to the report. `None` if it has no independent parts, if one of them
/// has no answer or is not irreducible, or if a method is asked for.
pub(super) fn solve(
    space: &StateSpace,
    task: Task<'_>,
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Option<Solved>, Error> {
    let bytes = PER_STATE * space.states() as u64;
    if task.options.method != Method::Automatic || task.budget.check(bytes).is_err() {
        return Ok(None);
    }
    let Some(parts) = parts(space, watch)? else { return Ok(None) };
    let mut task = Task { budget: task.budget.beside(bytes), ..task };
    let mut factors = Vec::with_capacity(parts.len());
    for part in &parts {
        let Some(factor) = factor(space, (part, parts.len()), task, watch)? else { return Ok(None) };
        if factor.report.certified == Certified::Sums && is_asked_with_others(part, space) {
            return Ok(None);
        }
        task.budget = task.budget.beside(factor.space.memory() + 8 * factor.pi.len() as u64);
        factors.push(factor);
    }
    let Some(pi) = products(space, &parts, &factors, watch)? else { return Ok(None) };
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
        |_, packed| {
            for part in &mut parts {
                part.states += usize::from(part.is_alone_changed(packed, &first));
            }
        },
    )?;
    parts.retain(|part| part.states > 1);
    let combinations = parts.iter().try_fold(1_usize, |all, part| all.checked_mul(part.states));
    Ok((parts.len() > 1 && combinations == Some(space.states())).then_some(parts))
}

/// The parts by their slots, before their states are counted.
fn apart(space: &StateSpace) -> Vec<Part> {
    let words = space.layout().words();
    let mut parts: Vec<Part> = Vec::new();
    let mut of_slot: Vec<usize> = Vec::new();
    for (slot, first) in space.sets_of_slots().least().into_iter().enumerate() {
        if first as usize == slot {
            of_slot.push(parts.len());
            parts.push(Part { slots: Vec::new(), mask: vec![0; words], states: 0 });
        } else {
            of_slot.push(of_slot[first as usize]);
        }
        let part = &mut parts[of_slot[slot]];
        part.slots.push(slot as u32);
        for field in space.slots()[slot].fields() {
            space.layout().field(field).set(&mut part.mask, u32::MAX);
        }
    }
    parts
}

impl Part {
    /// Whether a state differs from the first one in this part alone, or not at all.
    fn is_alone_changed(&self, packed: &[u64], first: &[u64]) -> bool {
        packed.iter().zip(first).zip(&self.mask).all(|((word, first), mask)| (word ^ first) & !mask == 0)
    }

    fn has(&self, slot: u32) -> bool {
        self.slots.binary_search(&slot).is_ok()
    }
}

/// Whether a result line asks for a part and others at once.
fn is_asked_with_others(part: &Part, space: &StateSpace) -> bool {
    space.model().results().iter().any(|line| {
        let asked = line.pattern.iter().enumerate().filter(|(_, state)| state.is_some());
        let mut are_own = asked.map(|(position, _)| part.has(space.slot_of(position) as u32));
        let first = are_own.next();
        are_own.any(|is_own| Some(is_own) != first)
    })
}

/// The steady state of a part, of which there are so many; `None` if it is not irreducible, if no method has
/// an answer within its share of the tolerance, or if there is no room for it.
fn factor(
    space: &StateSpace,
    part: (&Part, usize),
    task: Task<'_>,
    watch: &mut Watch<'_>,
) -> Result<Option<Factor>, Error> {
    match solved_alone(space, part, task, watch) {
        Err(Error::NotConverged(_) | Error::Stopped(Stopped { limit: Limit::Memory(_), .. })) => Ok(None),
        outcome => outcome,
    }
}

fn solved_alone(
    space: &StateSpace,
    (part, parts): (&Part, usize),
    Task { solve_alone, start, budget, limits, options }: Task<'_>,
    watch: &mut Watch<'_>,
) -> Result<Option<Factor>, Error> {
    let within = Limits { memory: budget.left(), ..limits.clone() };
    let own = space.of_slots(&|slot| part.has(slot), &within, watch)?;
    let start = start.and_then(|start| of_part(start, space, &own));
    let budget = budget.beside(own.memory());
    let mut options = Options { tolerance: options.tolerance / parts as f64, ..options.clone() };
    if own.states() > LARGE && choice::is_part_eliminated(&own, space.states(), budget, watch)? {
        options.method = Method::Direct;
    }
    let mut report = Report::new(choice::DIRECT);
    let pi = solve_alone((&own, start.as_deref()), budget, limits, &options, watch, &mut report)?;
    Ok(pi.map(|pi| Factor { space: own, pi, report }))
}

/// What there is for the states of a part, with all others as they are at first. It is in the same proportions
/// as what there is for the part.
fn of_part(start: &[f64], space: &StateSpace, own: &StateSpace) -> Option<Vec<f64>> {
    let of_state = |state| own.with_packed(state, |packed| space.find_packed(packed));
    (0..own.states()).map(|state| of_state(state).map(|state| start[state as usize])).collect()
}

/// The products for all states; `None` if one of them is too small to be sure of, and all are to be.
fn products(
    space: &StateSpace,
    parts: &[Part],
    factors: &[Factor],
    watch: &mut Watch<'_>,
) -> Result<Option<Vec<f64>>, Stopped> {
    let least = |factor: &Factor| factor.pi.iter().copied().fold(1.0, f64::min);
    if !are_for_sums(factors) && factors.iter().map(least).product::<f64>() <= NEGLIGIBLE {
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
            let product: Option<f64> = values.iter_mut().map(|value| value.of(packed)).product();
            are_all_known &= product.is_some();
            pi.extend(product);
        },
    )?;
    Ok(are_all_known.then_some(pi))
}

/// Whether it is only sums that are certain of some factor.
fn are_for_sums(factors: &[Factor]) -> bool {
    factors.iter().any(|factor| factor.report.certified == Certified::Sums)
}

/// The probability of a part's state that was asked for last. States that follow one another differ in few
/// parts.
struct Value<'t> {
    part: &'t Part,
    factor: &'t Factor,
    /// The state of the part, with all others as they are at first.
    state: Vec<u64>,
    probability: f64,
}

impl Value<'_> {
    fn of_first<'t>(part: &'t Part, factor: &'t Factor, first: &[u64]) -> Value<'t> {
        Value { part, factor, state: first.to_vec(), probability: factor.pi[0] }
    }

    /// That of the part in a state of the whole space; `None` if the part has no such state.
    fn of(&mut self, packed: &[u64]) -> Option<f64> {
        let words = packed.iter().zip(&mut self.state).zip(&self.part.mask);
        let mut is_another = false;
        for ((word, known), mask) in words {
            let changed = word & mask | *known & !mask;
            is_another |= changed != *known;
            *known = changed;
        }
        if is_another {
            let number = self.factor.space.find_packed(&self.state)?;
            self.probability = self.factor.pi[number as usize];
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
    if are_for_sums(&factors) {
        report.certified = Certified::Sums;
    }
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
    use crate::steady::{Certified, Method, Options, Report, choice};

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
        parts.iter().map(|part| part.states).collect()
    }

    /// The products for a space, if it has independent parts, with the report.
    fn solved(space: &StateSpace) -> Option<(Vec<f64>, Report)> {
        let (limits, options) = (Limits::default(), Options::default());
        let mut report = Report::new(choice::DIRECT);
        let budget = MemoryBudget::new(&limits);
        let solve_alone = crate::steady::solution::alone;
        let task = Task { solve_alone, start: None, budget, limits: &limits, options: &options };
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

    /// A single queue is eliminated, however long it is.
    #[test]
    fn a_large_part_is_eliminated_if_that_is_quick() {
        let mut text = SWITCH.to_owned();
        for count in 0..=2 * LARGE {
            let come = (count < 2 * LARGE).then(|| format!("(come, 1).Q{}", count + 1));
            let go = count.checked_sub(1).map(|less| format!("(go, 1.01).Q{less}"));
            let ways: Vec<String> = come.into_iter().chain(go).collect();
            text.push_str(&format!("Q{count} = {}; ", ways.join(" + ")));
        }
        let (pi, report) = solved(&explored(&format!("{text}Q0 || On"), Storage::Explicit, false)).unwrap();
        assert!(report.iterations == 0 && report.error < 1e-10, "{report:?}");
        let empty = (1.0 - 1.0 / 1.01) / (1.0 - 1.01_f64.powi(-(2 * LARGE as i32 + 1)));
        assert!((pi[0] / (empty * 2.0 / 3.0) - 1.0).abs() < report.error, "{} for {empty}", pi[0]);
    }

    /// The places of each of two queues. The first is nearly always full, so that most states are rare.
    const PLACES: usize = 127;

    /// These queues, in the first of which service has two phases, and a switch beside them.
    fn queues_and_switch(switch: &str, results: &str) -> StateSpace {
        let mut text = switch.to_owned();
        for count in 0..=PLACES {
            let come = |to: &str| (count < PLACES).then(|| format!("(come, 508).{to}x{}", count + 1));
            let less = count.checked_sub(1);
            let go = |rate: &str| less.map(|less| format!("(hand, {rate}).Ax{less}"));
            let later = (count > 0).then(|| format!("(later, 0.2).Lx{count}"));
            let into = (count < PLACES).then(|| format!("(hand, infty).Bx{}", count + 1));
            let out = less.map(|less| format!("(go, 4).Bx{less}"));
            for (name, ways) in [
                ("A", vec![come("A"), go("1.8"), later]),
                ("L", vec![come("L").filter(|_| count > 0), go("2")]),
                ("B", vec![into, out]),
            ] {
                let ways: Vec<String> = ways.into_iter().flatten().collect();
                if !ways.is_empty() {
                    text.push_str(&format!("{name}x{count} = {}; ", ways.join(" + ")));
                }
            }
        }
        explored(&format!("{text}(Ax0 <hand> Bx0) || On {results}"), Storage::Explicit, false)
    }

    /// Sums of a part are certain, though not all its probabilities are: against elimination of all states.
    #[test]
    fn sums_of_a_part_are_those_of_the_whole() {
        // An action that several parts take is theirs together.
        for off in ["off", "go"] {
            let space = queues_and_switch(&SWITCH.replace("off", off), "");
            let (_, report) = solved(&space).expect("it has two parts");
            assert!(report.certified == Certified::Sums && report.error < 1e-10, "{report:?}");
            let by_parts = space.solver().solve().unwrap();
            assert_eq!(by_parts.report().method, MethodUsed::ProductForm);
            let direct = Options { method: Method::Direct, ..Options::default() };
            let all = space.solver().options(&direct).solve().unwrap();
            for action in ["come", "hand", "later", "go", off] {
                let [found, expected] = [&by_parts, &all].map(|of| of.throughput_named(action).unwrap());
                let error = (found / expected - 1.0).abs();
                assert!(error <= report.error + all.report().error, "{action}: {found} for {expected}");
            }
        }
    }

    /// A line that asks for a part and another at once is a sum of neither.
    #[test]
    fn sums_of_several_parts_at_once_are_not_certain() {
        for (queues, switch, is_solved) in
            [("Ax127 <hand> Bx2", "**", true), ("** <hand> **", "On", true), ("** <hand> Bx2", "On", false)]
        {
            let space = queues_and_switch(SWITCH, &format!("; asked = {{({queues}) || {switch}}};"));
            assert_eq!(space.model().results().len(), 1);
            assert_eq!(solved(&space).is_some(), is_solved, "{queues}, {switch}");
        }
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
