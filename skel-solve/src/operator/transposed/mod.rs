//! The rates of a chain, stored by target state, in little memory.
//!
//! The rates into a state are in two lists: from earlier states, which a forward substitution uses, and from
//! later states. An entry is a 32-bit column and a rate. Models have few distinct rates, so the rate is
//! stored as its number in a table, in 8 or 16 bits. With more than 65,536 distinct rates each entry holds
//! the rate itself. For each row two counts are stored.
//!
//! Time: two passes over the transitions, one to count the entries and one to fill the lists. If memory
//! allows, the rows of the first pass are stored for the second, in 6 bytes a rate, since computing them
//! takes longer than all else here. Memory, in addition to the entries: 8 bytes for the counts of each state,
//! 8 for its exit rate, and 16 more during the construction.

mod codes;
mod copied;
mod derived;
mod exactly;
mod factors;
mod irreducible;
mod levels;
mod nearby;
mod of_space;
mod onward;
mod together;
mod triangles;
mod two_passes;

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::error::Error;
use crate::limits::{Stop, Watch};
use crate::operator::{RateOperator, SharedPass, TriangularSweep, VisitRates};
use crate::team::{chunk_ends, share};
use codes::{Numbered, RateCode, Table};
pub(crate) use of_space::Survey;
use together::{Schedule, SharedFactors, SharedList};
use triangles::{Cut, Lists, TriangularParts};

/// States after which a product sees whether the work is to stop.
const BETWEEN_STOPS: usize = 1 << 13;

/// Calls a function with each state in ascending order and the rates out of it, in any order and without
/// those to the state itself. Rates to the same target are added.
pub(crate) type Rows<'r> = &'r dyn Fn(&mut Watch<'_>, Visit<'_>) -> Result<(), Error>;

/// Receives a state and its row.
type Visit<'v> = &'v mut dyn FnMut(usize, &[(u32, f64)]);

/// The rates into each state.
pub(crate) struct TransposedRates {
    exits: Vec<f64>,
    table: Arc<Numbered>,
    rates: Rates,
    bytes: u64,
    /// The numbers that states have where they come from, if these are other ones.
    order: Option<Vec<u32>>,
    /// How the work is divided; none where it is short.
    schedule: Option<Schedule>,
    /// Ends products.
    stop: Stop,
}

enum Rates {
    Byte(TriangularParts<u8>),
    Short(TriangularParts<u16>),
    Float(TriangularParts<f64>),
}

impl Rates {
    /// The bytes of a stored rate, beside its column.
    fn bytes_of_value(&self) -> u64 {
        match self {
            Rates::Byte(_) => size_of::<u8>() as u64,
            Rates::Short(_) => size_of::<u16>() as u64,
            Rates::Float(_) => size_of::<f64>() as u64,
        }
    }
}

impl TransposedRates {
    /// The same rates with other exit rates: of states that are also left for states which are not among
    /// them.
    #[cfg(feature = "over-time")]
    pub(crate) fn with_exits(self, exits: Vec<f64>) -> TransposedRates {
        TransposedRates { exits, ..self }
    }

    /// The chain of the rates from each state, for tests.
    #[cfg(test)]
    pub(crate) fn of_lists(lists: &[Vec<(u32, f64)>], watch: &mut Watch<'_>) -> TransposedRates {
        let rows: Rows<'_> = &|_, visit| {
            lists.iter().enumerate().for_each(|(state, row)| visit(state, row));
            Ok(())
        };
        let budget = crate::limits::memory::MemoryBudget::new(&crate::limits::Limits::default());
        TransposedRates::new(lists.len(), rows, budget, watch).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A list of rates whose states keep their numbers, and which one thread passes over.
    fn of_rates(
        exits: Vec<f64>,
        table: Arc<Numbered>,
        (rates, bytes): (Rates, u64),
        watch: &Watch<'_>,
    ) -> TransposedRates {
        TransposedRates { exits, table, rates, bytes, order: None, schedule: None, stop: watch.stop() }
    }

    /// A sweep of Gauss-Seidel from the last state to the first.
    pub(crate) fn sweep_backwards(&self, pi: &mut [f64]) {
        self.do_with(SweepBackwards { pi });
    }

    /// The number of bytes that the rates take.
    pub(crate) fn memory(&self) -> u64 {
        self.bytes
    }

    /// The numbers that states have where they come from, if these are other ones.
    pub(crate) fn order(&self) -> Option<&[u32]> {
        self.order.as_deref()
    }

    /// The most rates into a state, or out of one.
    pub(crate) fn longest(&self) -> u32 {
        let [(counts, columns), (later_counts, later)] = self.lists();
        let mut out_of = vec![0_u32; counts.len()];
        columns.iter().chain(later).for_each(|&from| out_of[from as usize] += 1);
        let into = counts.iter().zip(later_counts).map(|(earlier, later)| earlier + later);
        into.chain(out_of).max().unwrap_or_default()
    }

    /// The first state to which each is joined by a rate, or itself if it is joined to none before it.
    pub(crate) fn first_joined(&self) -> Vec<u32> {
        let [(counts, columns), (later_counts, later)] = self.lists();
        let (mut columns, mut later) = (columns, later);
        let mut first: Vec<u32> = (0..counts.len() as u32).collect();
        for (state, (&count, &later_count)) in counts.iter().zip(later_counts).enumerate() {
            let sources = columns.split_off(..count as usize).unwrap_or_default();
            first[state] = sources.first().copied().unwrap_or(u32::MAX).min(first[state]);
            let sources = later.split_off(..later_count as usize).unwrap_or_default();
            sources.iter().for_each(|&from| first[from as usize] = first[from as usize].min(state as u32));
        }
        first
    }

    fn lists(&self) -> Lists<'_> {
        fn of<V>(parts: &TriangularParts<V>) -> Lists<'_> {
            [&parts.earlier, &parts.later].map(|triangle| (&triangle.counts[..], &triangle.columns[..]))
        }
        match &self.rates {
            Rates::Byte(parts) => of(parts),
            Rates::Short(parts) => of(parts),
            Rates::Float(parts) => of(parts),
        }
    }
}

/// The number of bytes for each state: counts, exit rate, and the positions and the last source while lists
/// are filled or searched.
const PER_STATE: u64 = 2 * 4 + 8 + 2 * 8 + 4;

impl RateOperator for TransposedRates {
    fn exits(&self) -> &[f64] {
        &self.exits
    }

    fn rates(&self) -> u64 {
        self.lists().iter().map(|(_, columns)| columns.len() as u64).sum()
    }

    fn least_rate(&self) -> f64 {
        let least =
            |rates: &[f64]| rates.iter().copied().filter(|&rate| rate > 0.0).fold(f64::INFINITY, f64::min);
        match &self.rates {
            Rates::Byte(_) | Rates::Short(_) => least(&self.table.0[..]),
            Rates::Float(parts) => least(&parts.earlier.values).min(least(&parts.later.values)),
        }
    }

    fn list(&self) -> Option<&TransposedRates> {
        Some(self)
    }

    fn threads(&self) -> usize {
        self.schedule.as_ref().map_or(1, Schedule::threads)
    }

    fn number_of(&self, state: usize) -> usize {
        self.order.as_ref().map_or(state, |order| order[state] as usize)
    }

    fn inflow(&self, x: &[f64], inflow: &mut [f64]) {
        self.do_with(Inflow { x, inflow });
    }

    fn for_each_rate(&self, visit: &mut dyn FnMut(usize, usize, f64) -> ControlFlow<()>) {
        self.for_each_rates_in((0, 1), &mut |to, sources, rates| {
            sources.iter().zip(rates).try_for_each(|(&from, &rate)| visit(from as usize, to, rate))
        });
    }

    fn for_each_rates_in(&self, (part, parts): (usize, usize), visit: VisitRates<'_>) {
        let rows = match &self.schedule {
            Some(schedule) if parts > 1 && parts == schedule.threads() => schedule.states_in(part),
            _ => {
                let states = share(self.exits.len(), part, parts);
                (states.clone(), Cut::at(states.start, self.lists()))
            }
        };
        let _ = match &self.rates {
            Rates::Byte(parts) => parts.for_each(&self.table.0, rows, visit, &self.stop),
            Rates::Short(parts) => parts.for_each(&self.table.0, rows, visit, &self.stop),
            Rates::Float(parts) => parts.for_each(&self.table.0, rows, visit, &self.stop),
        };
    }

    fn for_each_rates_into(&self, states: &[u32], visit: VisitRates<'_>) {
        let _ = match &self.rates {
            Rates::Byte(parts) => parts.for_each_into(&self.table.0, states, visit),
            Rates::Short(parts) => parts.for_each_into(&self.table.0, states, visit),
            Rates::Float(parts) => parts.for_each_into(&self.table.0, states, visit),
        };
    }
}

impl TriangularSweep for TransposedRates {
    fn substitute(&self, x: &mut [f64]) {
        self.do_with(Substitution { x, is_for_later: false });
    }

    fn later_inflow(&self, x: &mut [f64]) {
        self.do_with(LaterInflow { x });
    }

    fn chunk_ends(&self) -> Vec<usize> {
        match &self.schedule {
            Some(schedule) => schedule.chunk_ends(),
            None => chunk_ends(self.states()),
        }
    }

    fn substitute_for_later(&self, x: &mut [f64]) {
        self.do_with(Substitution { x, is_for_later: true });
    }

    fn sweep(&self, pi: &mut [f64], weight: f64) {
        self.do_with(Sweep { pi, weight });
    }

    fn shared(&self) -> Option<Box<dyn SharedPass + '_>> {
        SharedList::of(self).map(|list| Box::new(list) as Box<dyn SharedPass>)
    }
}

/// What a pass over the rates needs beside its vectors.
struct Context<'c> {
    table: &'c Table,
    exits: &'c [f64],
    schedule: Option<&'c Schedule>,
    stop: &'c Stop,
}

impl<'c> Context<'c> {
    /// The schedule, if several threads work.
    fn together(&self) -> Option<&'c Schedule> {
        self.schedule.filter(|schedule| schedule.threads() > 1)
    }

    /// The schedule, if several threads share sweeps.
    fn sharing_sweeps(&self) -> Option<&'c Schedule> {
        self.schedule.filter(|schedule| schedule.shares_sweeps())
    }
}

/// The order of the states of one level.
#[derive(Clone, Copy)]
pub(crate) enum WithinLevels {
    /// That in which they are passed over.
    AsPassed,
    /// That of their numbers. Values that are read one after the other then lie closer together.
    ByNumber,
}

/// A pass over the rates, in whatever form these are stored.
trait Pass {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>);
}

impl TransposedRates {
    fn context(&self) -> Context<'_> {
        let TransposedRates { exits, table, schedule, stop, .. } = self;
        Context { table: &table.0, exits, schedule: schedule.as_ref(), stop }
    }

    fn do_with(&self, pass: impl Pass) {
        let context = self.context();
        match &self.rates {
            Rates::Byte(parts) => pass.run(parts, &context),
            Rates::Short(parts) => pass.run(parts, &context),
            Rates::Float(parts) => pass.run(parts, &context),
        }
    }
}

struct Inflow<'x> {
    x: &'x [f64],
    inflow: &'x mut [f64],
}

impl Pass for Inflow<'_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        match context.together() {
            Some(schedule) => rates.inflow_together(schedule, context, self.x, self.inflow),
            None => rates.inflow(context.table, self.x, self.inflow, context.stop),
        }
    }
}

struct Substitution<'x> {
    x: &'x mut [f64],
    /// Whether the inflow from later states follows.
    is_for_later: bool,
}

impl Pass for Substitution<'_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        if let Some(schedule) = context.sharing_sweeps() {
            return rates.substitute_together(schedule, context, self.x, self.is_for_later);
        }
        rates.substitute(context.table, context.exits, self.x, context.stop);
        if self.is_for_later {
            LaterInflow { x: self.x }.run(rates, context);
        }
    }
}

struct LaterInflow<'x> {
    x: &'x mut [f64],
}

impl Pass for LaterInflow<'_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        match context.together() {
            Some(schedule) => rates.later_inflow_together(schedule, context, self.x),
            None => rates.later_inflow(context.table, self.x, context.stop),
        }
    }
}

struct SweepBackwards<'x> {
    pi: &'x mut [f64],
}

impl Pass for SweepBackwards<'_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        rates.sweep_backwards(context.table, context.exits, self.pi, context.stop);
    }
}

struct Sweep<'x> {
    pi: &'x mut [f64],
    weight: f64,
}

impl Pass for Sweep<'_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        match context.sharing_sweeps() {
            Some(schedule) => rates.sweep_together(schedule, context, self.pi, self.weight),
            None => rates.sweep(context.table, context.exits, self.pi, self.weight, context.stop),
        }
    }
}
