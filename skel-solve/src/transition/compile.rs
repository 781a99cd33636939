//! A model compiled for the fast enumeration of transitions: its programs, most of them as tables, and an
//! index of the programs that a state may enable.
//!
//! A model may have as many actions as states, while a state enables only a few of them. So each program has
//! a set of slots of which at least one has to enable the action. A state runs a program only if a local
//! state of such a slot *wakes* it. Programs of immediate actions have an index of their own, since they are
//! asked for first.

use std::collections::{HashMap, HashSet};

use skel_core::model::{ActionId, Model};
use skel_core::number::Number;
use skel_core::rate::ActivityRate;

use crate::disjoint_sets::DisjointSets;
use crate::state::layout::{Field, Layout, Move};
use crate::state::local_numbers::LocalNumbers;
use crate::transition::evaluate::{Activities, Buffers as ProgramBuffers, Refusal};
use crate::transition::program::{Program, Step, programs};
use crate::transition::table::{MOST_BYTES, MOST_LOCAL_STATES, Table};

/// A transition that a state enables.
pub(crate) struct Transition<'t, N> {
    pub(crate) action: ActionId,
    pub(crate) rate: &'t N,
    /// How many different transitions of counted copies this one stands for, capped at `u64::MAX`.
    pub(crate) multiplicity: u64,
    pub(crate) moves: &'t [Move],
    /// The amount that is added to the number of the state. It is known after [`Compiled::set_strides`].
    pub(crate) jump: u64,
    /// The number of its entry among those of all tables; [`NO_ENTRY`] for a transition of a program without
    /// a table.
    pub(crate) entry: u32,
}

/// Stands for the number of an entry where there is none.
pub(crate) const NO_ENTRY: u32 = u32::MAX;

/// A program, and its table if it has one.
#[derive(Clone, Debug)]
struct Source<N> {
    program: Program,
    table: Option<Table<N>>,
    /// How many entries the tables before this one have.
    first_entry: u32,
}

/// The actions that take no time: none, by default.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImmediateActions(Vec<ActionId>);

impl ImmediateActions {
    pub(crate) fn new(mut actions: Vec<ActionId>) -> Self {
        actions.sort_unstable();
        ImmediateActions(actions)
    }

    pub(crate) fn contain(&self, action: ActionId) -> bool {
        self.0.binary_search(&action).is_ok()
    }
}

/// A model compiled for the fast enumeration of transitions.
#[derive(Clone, Debug)]
pub(crate) struct Compiled<N> {
    layout: Layout,
    activities: Activities<N>,
    sources: Vec<Source<N>>,
    /// The sources of activities that take time.
    timed: Index,
    /// The sources of activities that take none.
    immediate: Index,
}

/// Which sources a state may enable.
#[derive(Clone, Debug)]
struct Index {
    wakers: Vec<Waker>,
    /// Value `v` of a waker's field wakes the sources `wakes[woken[first + v]..woken[first + v + 1]]`.
    woken: Vec<u32>,
    wakes: Vec<Wake>,
}

/// A field whose value wakes programs.
#[derive(Clone, Copy, Debug)]
struct Waker {
    field: Field,
    first: u32,
    /// Larger values wake the same programs as this one. Of counted copies it matters only whether there are
    /// any.
    most: u32,
}

/// A source that a value of a field wakes.
#[derive(Clone, Copy, Debug)]
struct Wake {
    source: u32,
    /// Whether other fields may wake this source too.
    is_shared: bool,
}

/// Memory that is reused for every state.
#[derive(Debug)]
pub(crate) struct Buffers<N> {
    of_program: ProgramBuffers<N>,
    /// For each source the running number of the last state in which it was run.
    tried: Vec<u64>,
    state_number: u64,
}

impl<N> Buffers<N> {
    pub(crate) fn new() -> Self {
        Buffers { of_program: ProgramBuffers::new(), tried: Vec::new(), state_number: 0 }
    }

    /// The number of bytes that the buffers take.
    pub(crate) fn memory(&self) -> u64 {
        self.of_program.memory() + (self.tried.capacity() * size_of::<u64>()) as u64
    }

    /// Sets the largest number of bytes that the activities of one state may take.
    pub(crate) fn set_most(&mut self, most: u64) {
        self.of_program.most = most;
    }
}

impl<N: Number> Compiled<N> {
    /// Compiles a model, of which some actions are immediate.
    pub(crate) fn new(
        model: &Model,
        numbers: &LocalNumbers,
        layout: &Layout,
        immediate: &ImmediateActions,
    ) -> Self {
        Self::with_rates(&rates(model), model, numbers, layout, immediate)
    }

    /// Compiles a model with other rates than its own. The rates are in the order of the model's.
    pub(crate) fn with_rates(
        rates: &[ActivityRate<N>],
        model: &Model,
        numbers: &LocalNumbers,
        layout: &Layout,
        immediate: &ImmediateActions,
    ) -> Self {
        Self::of_programs(programs(model, layout), true, (rates, model), numbers, layout, immediate)
    }

    /// Compiles what some slots of a model do without the others, with which they do not cooperate.
    pub(crate) fn of_slots(
        is_kept: &dyn Fn(u32) -> bool,
        model: &Model,
        numbers: &LocalNumbers,
        layout: &Layout,
        immediate: &ImmediateActions,
    ) -> Self {
        let programs = programs(model, layout).into_iter().filter_map(|program| program.of_slots(is_kept));
        Self::of_programs(programs.collect(), true, (&rates(model), model), numbers, layout, immediate)
    }

    /// Compiles a model without tables, which take longer to make than they save for a few states.
    pub(crate) fn for_few_states(
        model: &Model,
        numbers: &LocalNumbers,
        layout: &Layout,
        immediate: &ImmediateActions,
    ) -> Self {
        let programs = programs(model, layout);
        Self::of_programs(programs, false, (&rates(model), model), numbers, layout, immediate)
    }

    fn of_programs(
        programs: Vec<Program>,
        has_tables: bool,
        (rates, model): (&[ActivityRate<N>], &Model),
        numbers: &LocalNumbers,
        layout: &Layout,
        immediate: &ImmediateActions,
    ) -> Self {
        let activities = Activities::new(rates, model, numbers, layout);
        let mut buffers = ProgramBuffers::new();
        buffers.most = MOST_BYTES;
        let mut budget = MOST_LOCAL_STATES;
        let mut entries = 0;
        let sources: Vec<Source<N>> = programs
            .into_iter()
            .map(|mut program| {
                program.places = activities.places(&program, layout);
                let table = || Table::new(&program, &activities, layout, &mut buffers, &mut budget);
                let table = has_tables.then(table).flatten();
                let first_entry = entries;
                entries += table.as_ref().map_or(0, |table| table.entries_in_all() as u32);
                Source { program, table, first_entry }
            })
            .collect();
        let is_immediate = |source: &Source<N>| immediate.contain(source.program.label);
        let timed = index(&sources, &activities, layout, |source| !is_immediate(source));
        let immediate = index(&sources, &activities, layout, is_immediate);
        Compiled { layout: layout.clone(), activities, sources, timed, immediate }
    }

    /// Whether any action is immediate.
    pub(crate) fn has_immediate(&self) -> bool {
        !self.immediate.wakers.is_empty()
    }

    /// Joins the slots that cooperate. Slots that only take the same action each by itself don't.
    pub(crate) fn join_cooperating(&self, sets: &mut DisjointSets) {
        for source in self.sources.iter().filter(|source| source.program.synchronises()) {
            let mut slots = source.program.slots();
            let Some(first) = slots.next() else { continue };
            slots.for_each(|slot| {
                sets.join(first as usize, slot as usize);
            });
        }
    }

    /// Whether every program has a table.
    pub(crate) fn is_tabulated(&self) -> bool {
        self.sources.iter().all(|source| source.table.is_some())
    }

    /// The actions and the rates of the entries of all tables, in the order of their numbers; `None` if a
    /// program has no table.
    pub(crate) fn entries(&self) -> Option<impl Iterator<Item = (ActionId, &N)>> {
        self.is_tabulated().then(|| {
            self.sources.iter().flat_map(|source| {
                let rates = source.table.iter().flat_map(Table::rates);
                rates.map(|rate| (source.program.label, rate))
            })
        })
    }

    /// Computes the amount that each transition adds to the number of a state, given a stride for each slot.
    /// Every program must have a table.
    pub(crate) fn set_strides(&mut self, strides: &[u64]) {
        let words = self.layout.words();
        let tables = self.sources.iter_mut().filter_map(|source| source.table.as_mut());
        tables.for_each(|table| table.set_jumps(words, strides));
    }

    /// Whether a state may have two transitions of one action to one target. Every program must have a table.
    pub(crate) fn may_repeat(&self) -> bool {
        let mut known: HashMap<(ActionId, &[Move]), usize> = HashMap::new();
        self.sources.iter().enumerate().any(|(number, source)| {
            let Some(table) = &source.table else { return true };
            table.rows().any(|row| {
                let mut in_row = HashSet::new();
                row.map(|at| table.entry(at).1).any(|moves| {
                    let first = *known.entry((source.program.label, moves)).or_insert(number);
                    !in_row.insert(moves) || first != number
                })
            })
        })
    }

    /// Whether a state, reachable or not, may have two transitions of one action to one target: as far as
    /// local states tell.
    pub(crate) fn may_repeat_anywhere(&self) -> bool {
        let is_hidden = |source: &&Source<N>| source.program.label == ActionId::TAU;
        let hidden: HashSet<ActionId> =
            self.sources.iter().filter(is_hidden).map(|source| source.program.action).collect();
        self.activities.may_repeat(|action| hidden.contains(&action))
    }

    /// Whether an activity may have no well-defined rate in some combination of local states, reachable or
    /// not. Every program must have a table.
    pub(crate) fn may_refuse(&self) -> bool {
        self.sources.iter().any(|source| source.table.as_ref().is_none_or(Table::may_refuse))
    }

    /// Calls `found` for each activity of each table in every combination of the local states of its slots:
    /// the action, the slots, each with its local state before and after, and the rate. Returns `false` if
    /// `found` did, if a program has no table, or if a table has too many combinations.
    pub(crate) fn for_each_firing(
        &self,
        mut found: impl FnMut(ActionId, &[(u32, u32, u32)], &N) -> bool,
    ) -> bool {
        const MOST_COMBINATIONS: usize = 1 << 16;
        let words = self.layout.words();
        self.sources.iter().all(|source| {
            let Some(table) = &source.table else { return false };
            let action = source.program.label;
            table.for_each_firing(words, MOST_COMBINATIONS, |slots, rate| found(action, slots, rate))
        })
    }

    /// Calls `found` with every transition of a state that takes time.
    #[inline]
    pub(crate) fn for_each_transition(
        &self,
        state: &[u64],
        buffers: &mut Buffers<N>,
        found: impl FnMut(Transition<'_, N>),
    ) -> Result<(), Refusal> {
        self.for_each_in(&self.timed, state, buffers, found)
    }

    /// Calls `found` with every immediate transition of a state. Its rate is a weight.
    #[inline]
    pub(crate) fn for_each_immediate(
        &self,
        state: &[u64],
        buffers: &mut Buffers<N>,
        found: impl FnMut(Transition<'_, N>),
    ) -> Result<(), Refusal> {
        self.for_each_in(&self.immediate, state, buffers, found)
    }

    /// Whether immediate actions leave a state. If they have no well-defined rate, they do.
    pub(crate) fn is_vanishing(&self, state: &[u64]) -> bool {
        let mut is_left = false;
        let outcome = self.for_each_immediate(state, &mut Buffers::new(), |_| is_left = true);
        is_left || outcome.is_err()
    }

    /// Calls `found` with what may happen next in a state: its immediate transitions, or all others if it has
    /// none.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn for_each_next(
        &self,
        state: &[u64],
        buffers: &mut Buffers<N>,
        mut found: impl FnMut(Transition<'_, N>),
    ) -> Result<(), Refusal> {
        let mut is_vanishing = false;
        self.for_each_immediate(state, buffers, |transition| {
            is_vanishing = true;
            found(transition);
        })?;
        if is_vanishing { Ok(()) } else { self.for_each_transition(state, buffers, found) }
    }

    #[inline]
    fn for_each_in(
        &self,
        index: &Index,
        state: &[u64],
        buffers: &mut Buffers<N>,
        mut found: impl FnMut(Transition<'_, N>),
    ) -> Result<(), Refusal> {
        buffers.tried.resize(self.sources.len(), 0);
        buffers.state_number += 1;
        // Slices and comparisons are compiled in place in debug builds too, and methods of the standard
        // library are not.
        let (sources, wakers) = (&self.sources[..], &index.wakers[..]);
        let (woken, wakes) = (&index.woken[..], &index.wakes[..]);
        for waker in wakers {
            let value = waker.field.get(state);
            let at = (waker.first + if value < waker.most { value } else { waker.most }) as usize;
            let (mut next, end) = (woken[at] as usize, woken[at + 1] as usize);
            while next < end {
                let wake = wakes[next];
                next += 1;
                if wake.is_shared {
                    let tried = &mut buffers.tried[wake.source as usize];
                    if *tried == buffers.state_number {
                        continue;
                    }
                    *tried = buffers.state_number;
                }
                self.try_source(&sources[wake.source as usize], state, buffers, &mut found)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn try_source(
        &self,
        source: &Source<N>,
        state: &[u64],
        buffers: &mut Buffers<N>,
        found: &mut impl FnMut(Transition<'_, N>),
    ) -> Result<(), Refusal> {
        let action = source.program.label;
        if let Some(table) = &source.table
            && let Some(entries) = table.entries(state)
        {
            for at in entries {
                let (rate, moves) = table.entry(at);
                let multiplicity = table.multiplicity(at);
                let entry = source.first_entry + at as u32;
                found(Transition { action, rate, multiplicity, moves, jump: table.jump(at), entry });
            }
            return Ok(());
        }
        let of_program = &mut buffers.of_program;
        self.activities.run(&source.program, &self.layout, state, of_program)?;
        for enabled in &of_program.enabled {
            let (rate, moves) = (enabled.rate.magnitude(), of_program.moves_of(enabled));
            let multiplicity = enabled.multiplicity;
            found(Transition { action, rate, multiplicity, moves, jump: 0, entry: NO_ENTRY });
        }
        Ok(())
    }
}

/// The rates of a model.
pub(crate) fn rates<N: Number>(model: &Model) -> Vec<ActivityRate<N>> {
    model.rates().iter().map(|entry| entry.value.map(N::from_ratio)).collect()
}

/// The index of some of the sources.
fn index<N: Number>(
    sources: &[Source<N>],
    activities: &Activities<N>,
    layout: &Layout,
    is_in: impl Fn(&Source<N>) -> bool,
) -> Index {
    let chosen: Vec<bool> = sources.iter().map(is_in).collect();
    let mut index = Index { wakers: Vec::new(), woken: vec![0], wakes: Vec::new() };
    for (field, by_value) in wakes_by_field(sources, &chosen, activities, layout) {
        let (first, most) = (index.woken.len() as u32 - 1, by_value.len() as u32 - 1);
        index.wakers.push(Waker { field, first, most });
        for sources in by_value {
            index.wakes.extend(sources);
            index.woken.push(index.wakes.len() as u32);
        }
    }
    index
}

/// For each field that wakes any chosen programs, and for each of its values, the sources that this value
/// wakes.
fn wakes_by_field<N: Number>(
    sources: &[Source<N>],
    chosen: &[bool],
    activities: &Activities<N>,
    layout: &Layout,
) -> Vec<(Field, Vec<Vec<Wake>>)> {
    let mut by_slot: Vec<Vec<Vec<Wake>>> =
        layout.slots().iter().map(|slot| vec![Vec::new(); slot.local_states() as usize]).collect();
    for (number, source) in sources.iter().enumerate().filter(|&(number, _)| chosen[number]) {
        let needed = needed(&source.program, activities, layout);
        for &slot_number in &needed {
            let slot = &layout.slots()[slot_number as usize];
            let wake = Wake { source: number as u32, is_shared: needed.len() > 1 || slot.is_counted() };
            for &local in activities.enabling(slot.component(), source.program.action) {
                by_slot[slot_number as usize][local as usize].push(wake);
            }
        }
    }
    let mut by_field = Vec::new();
    for (slot, by_local) in layout.slots().iter().zip(by_slot) {
        match slot.is_counted() {
            true => {
                let fields = slot.fields().map(|field| layout.field(field));
                by_field.extend(fields.zip(by_local).map(|(field, wakes)| (field, vec![Vec::new(), wakes])));
            }
            false => by_field.push((layout.field(slot.fields().start), by_local)),
        }
    }
    by_field.retain(|(_, by_value)| by_value.iter().any(|wakes| !wakes.is_empty()));
    by_field
}

/// A set of slots of which at least one has to enable the action. Of two operands that synchronise either
/// would do; those of the operand that is less likely to enable the action are taken.
fn needed<N: Number>(program: &Program, activities: &Activities<N>, layout: &Layout) -> Vec<u32> {
    let mut stack: Vec<(Vec<u32>, f64)> = Vec::new();
    let of_slot = |number: u32| {
        let slot = &layout.slots()[number as usize];
        let enabling = activities.enabling(slot.component(), program.action).len();
        let share = enabling as f64 / f64::from(slot.local_states());
        (vec![number], share * slot.positions.len() as f64)
    };
    for step in &program.steps {
        let right = match *step {
            Step::Leaf(number) => {
                stack.push(of_slot(number));
                continue;
            }
            Step::Another(number) => Some(of_slot(number)),
            Step::Interleave | Step::Synchronise => stack.pop(),
        };
        let (Some(right), Some(left)) = (right, stack.pop()) else { return Vec::new() };
        stack.push(match step {
            Step::Synchronise if right.1 < left.1 => right,
            Step::Synchronise => left,
            _ => {
                let (mut large, small) =
                    if left.0.len() < right.0.len() { (right, left) } else { (left, right) };
                large.0.extend(small.0);
                (large.0, large.1 + small.1)
            }
        });
    }
    stack.pop().map(|(slots, _)| slots).unwrap_or_default()
}
