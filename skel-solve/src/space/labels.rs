//! The action and the rate of each listed transition, as a number of 16 bits.
//!
//! A solution asks for all transitions several times. To evaluate the model in every state takes some 50 ns a
//! transition, to read a number and what it stands for takes two.
//!
//! Where every program of the model has a table, the numbers are those of its entries, and hold for any
//! rates. Otherwise distinct pairs of action and rate are numbered, which hold for the rates of the
//! exploration. With more than 65,536 of either there are no labels.

use std::any::Any;
use std::collections::HashMap;

use foldhash::fast::FixedState;
use skel_core::model::ActionId;
use skel_core::number::Number;

use crate::limits::memory::make_room;
use crate::transition::compile::Compiled;

/// The most labels that have numbers.
const MOST: usize = 1 << 16;

/// The labels of transitions as these are found.
#[derive(Default)]
pub(crate) struct FoundLabels {
    kind: Option<Kind>,
    entries: Vec<u16>,
    /// Pairs of action and rate, and how many transitions in a row have it: copies of a component often do
    /// the same one after the other.
    pairs: Vec<(ActionId, u32, f64)>,
}

/// How labels are numbered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Entries,
    Pairs,
}

impl FoundLabels {
    /// Begins anew; without a kind, no label is kept.
    pub(crate) fn clear(&mut self, kind: Option<Kind>) {
        self.kind = kind;
        self.entries.clear();
        self.pairs.clear();
    }

    /// Keeps the label of a transition: its entry in the tables, or its action and its rate.
    #[inline]
    pub(crate) fn push(&mut self, entry: u32, action: ActionId, rate: f64) {
        match self.kind {
            Some(Kind::Entries) => self.entries.push(entry as u16),
            Some(Kind::Pairs) => match self.pairs.last_mut() {
                Some((known, count, of_known)) if *known == action && *of_known == rate => *count += 1,
                _ => self.pairs.push((action, 1, rate)),
            },
            None => {}
        }
    }

    /// Keeps the first labels only.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.entries.truncate(count);
        let mut left = count as u32;
        for (_, in_a_row, _) in &mut self.pairs {
            *in_a_row = (*in_a_row).min(left);
            left -= *in_a_row;
        }
        self.pairs.retain(|(_, in_a_row, _)| *in_a_row > 0);
    }

    /// The most bytes of a label, in lists that double their capacity.
    pub(crate) const MOST_BYTES: u64 = 3 * size_of::<(ActionId, u32, f64)>() as u64;

    /// The number of bytes that the labels take.
    pub(crate) fn memory(&self) -> u64 {
        (self.entries.capacity() * size_of::<u16>()
            + self.pairs.capacity() * size_of::<(ActionId, u32, f64)>()) as u64
    }
}

/// The labels of listed transitions, in the order of the list.
pub(crate) struct Labels {
    numbers: Vec<u16>,
    numbering: Numbering,
}

/// What the numbers stand for.
enum Numbering {
    /// Entries of tables, of which there are so many.
    Entries(usize),
    Pairs(Pairs),
}

/// Distinct pairs of action and rate.
struct Pairs {
    all: Vec<(ActionId, f64)>,
    numbers: HashMap<(ActionId, u64), u16, FixedState>,
}

impl Pairs {
    /// The number of a pair; `None` if it is one too many.
    fn number(&mut self, action: ActionId, rate: f64) -> Option<u16> {
        let key = (action, rate.to_bits());
        if let Some(&number) = self.numbers.get(&key) {
            return Some(number);
        }
        let number = u16::try_from(self.all.len()).ok()?;
        self.all.push((action, rate));
        self.numbers.insert(key, number);
        Some(number)
    }

    fn memory(&self) -> u64 {
        (self.all.capacity() * 16 + self.numbers.capacity() * 32) as u64
    }
}

impl Labels {
    /// No labels yet, of transitions that a compiled model lists. `None` where they cannot be numbered:
    /// between two states there may be immediate actions, or the tables have too many entries.
    pub(crate) fn of(compiled: &Compiled<f64>) -> Option<Labels> {
        let numbering = match compiled.entries() {
            _ if compiled.has_immediate() => return None,
            Some(entries) => Numbering::Entries(Some(entries.count()).filter(|&count| count <= MOST)?),
            None => {
                let numbers = HashMap::with_hasher(FixedState::with_seed(0));
                Numbering::Pairs(Pairs { all: Vec::new(), numbers })
            }
        };
        Some(Labels { numbers: Vec::new(), numbering })
    }

    /// How they are numbered.
    pub(crate) fn kind(&self) -> Kind {
        match self.numbering {
            Numbering::Entries(_) => Kind::Entries,
            Numbering::Pairs(_) => Kind::Pairs,
        }
    }

    /// Adds transitions as they were found, in at most `left` bytes; `false` if there is no room or no number
    /// left.
    pub(crate) fn add(&mut self, found: &FoundLabels, left: u64) -> bool {
        let FoundLabels { entries, pairs: found, .. } = found;
        let in_rows: usize = found.iter().map(|(_, in_a_row, _)| *in_a_row as usize).sum();
        if !make_room(&mut self.numbers, entries.len() + in_rows, left) {
            return false;
        }
        match &mut self.numbering {
            Numbering::Entries(_) => self.numbers.extend_from_slice(entries),
            Numbering::Pairs(pairs) => {
                for &(action, in_a_row, rate) in found {
                    let Some(number) = pairs.number(action, rate) else { return false };
                    self.numbers.extend(std::iter::repeat_n(number, in_a_row as usize));
                }
            }
        }
        true
    }

    /// The number of bytes that the labels take.
    pub(crate) fn memory(&self) -> u64 {
        let of_pairs = if let Numbering::Pairs(pairs) = &self.numbering { pairs.memory() } else { 0 };
        (self.numbers.capacity() * size_of::<u16>()) as u64 + of_pairs
    }

    /// The label of each listed transition.
    pub(crate) fn numbers(&self) -> &[u16] {
        &self.numbers
    }

    /// What the numbers stand for with the rates of a compiled model, which are `explored` if they are those
    /// of the exploration. `None` if that is not known.
    pub(crate) fn meaning<N: Number>(
        &self,
        compiled: &Compiled<N>,
        are_explored: bool,
    ) -> Option<Vec<(ActionId, N)>> {
        match &self.numbering {
            Numbering::Entries(count) => {
                let entries = compiled.entries()?.map(|(action, rate)| (action, rate.clone()));
                Some(entries.collect::<Vec<_>>()).filter(|entries| entries.len() == *count)
            }
            Numbering::Pairs(pairs) if are_explored => {
                (&pairs.all as &dyn Any).downcast_ref::<Vec<(ActionId, N)>>().cloned()
            }
            Numbering::Pairs(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use skel_core::model::Model;
    use skel_core::number::Number;

    use super::{FoundLabels, Kind, Labels, MOST, Numbering};
    use crate::limits::memory::MemoryBudget;
    use crate::limits::{Limits, Watch};
    use crate::random_model::random_model;
    use crate::space::{Explore, Options, StateSet, StateSpace, Storage};
    use crate::transition::compile::{Buffers, Compiled, NO_ENTRY};

    /// Two queues of so many local states, which share an action: from 65 on the programs of that have no
    /// table.
    fn queues(states: usize) -> String {
        let queue = |name: &str, [up, down]: [&str; 2]| -> String {
            let last = states - 1;
            let state = |at: usize| match at {
                0 => format!("{name}0 = ({up}, 3).{name}1;"),
                at if at == last => format!("{name}{last} = ({down}, 2).{name}{};", last - 1),
                at => format!("{name}{at} = ({up}, 3).{name}{} + ({down}, 2).{name}{};", at + 1, at - 1),
            };
            (0..states).map(state).collect()
        };
        let (one, other) = (queue("A", ["come", "move"]), queue("B", ["move", "go"]));
        format!("{one} {other} A0 <move> B0")
    }

    fn list(text: &str) -> StateSpace {
        let model = Model::from_text(text).expect("a model");
        let options = Options { storage: Storage::Explicit, is_lumped: true, ..Options::default() };
        model.explorer().options(&options).explore().expect("a space")
    }

    /// The transitions of all states by their labels, and as they are evaluated.
    fn both(space: &StateSpace, compiled: &Compiled<f64>) -> Option<[Vec<(u32, u64)>; 2]> {
        let StateSet::Explicit(explicit) = space.kept() else { panic!("a list") };
        let labels = explicit.labels.as_ref().expect("labels");
        let meaning = labels.meaning(compiled, true)?;
        let of_labels = labels.numbers().iter().map(|&label| {
            let (action, rate) = &meaning[usize::from(label)];
            (action.0, rate.to_bits())
        });
        let representative =
            |action| space.lumping().map_or(action, |lumping| lumping.representative(action));
        let mut evaluated = Vec::new();
        for state in 0..space.states() {
            let listing =
                compiled.for_each_transition(explicit.store.get(state), &mut Buffers::new(), |transition| {
                    evaluated.push((representative(transition.action).0, transition.rate.to_bits()));
                });
            assert!(listing.is_ok());
        }
        let represented =
            of_labels.map(|(action, rate)| (representative(skel_core::model::ActionId(action)).0, rate));
        Some([represented.collect(), evaluated])
    }

    #[test]
    fn labels_mean_what_the_model_evaluates_to() {
        let texts = (0..60).map(random_model).chain([queues(10), queues(70)]);
        for text in texts {
            let space = list(&text);
            let [by_labels, evaluated] = both(&space, &space.inner.compiled).expect("a meaning");
            assert_eq!(by_labels, evaluated, "{text}");
            assert!(by_labels.len() >= space.transitions(), "{text}");
        }
    }

    #[test]
    fn entries_hold_for_other_rates_and_numbers_and_pairs_for_their_own() {
        let text = "r = 3; P = (go, r).Q; Q = (back, 2).P; P[9]";
        let space = list(text);
        let faster = space.with_rates(&[("r", 5.into())]).expect("other rates");
        let [by_labels, evaluated] = both(&faster, &faster.inner.compiled).expect("a meaning");
        assert_eq!(by_labels, evaluated);
        let fractions = faster.steady_state_exact().expect("a steady state");
        let exact = f64::from_ratio(&fractions.throughput_named("go").expect("an action"));
        let numbers = faster.steady_state().expect("a steady state");
        let approximate = numbers.throughput_named("go").expect("an action");
        assert!((approximate / exact - 1.0).abs() < 1e-12, "{approximate} and {exact}");

        let wide = list(&queues(70));
        let StateSet::Explicit(explicit) = wide.kept() else { panic!("a list") };
        let labels = explicit.labels.as_ref().expect("labels");
        assert!(matches!(labels.numbering, Numbering::Pairs(_)));
        assert!(labels.meaning(&wide.inner.compiled, true).is_some());
        assert!(labels.meaning(&wide.inner.compiled, false).is_none());
    }

    #[test]
    fn pairs_are_found_again_for_other_rates() {
        let wide = list(&format!("slow = 2; {}", queues(70).replace("(go, 2)", "(go, slow)")));
        let slower = wide.with_rates(&[("slow", 1.into())]).expect("other rates");
        let rows =
            |space: &StateSpace| -> Vec<_> { (0..space.states()).map(|state| space.row(state)).collect() };
        let evaluated = rows(&slower);
        assert_ne!(evaluated, rows(&wide));
        let limits = Limits::default();
        let (budget, mut watch) = (MemoryBudget::new(&limits), Watch::start(&limits));
        assert!(slower.inner.labelled(&slower.inner.compiled).is_none());
        slower.label_again(budget, &mut watch).expect("no limit");
        assert!(slower.memory() > wide.memory());
        let mut by_labels = Vec::new();
        let all = 0..slower.states();
        let found = slower.for_each_row_of::<f64, ()>(
            all,
            || Ok(()),
            |_, row| {
                by_labels.push(row.clone());
                Ok(())
            },
        );
        assert!(found.is_ok() && slower.inner.labelled(&slower.inner.compiled).is_some());
        assert_eq!(by_labels, evaluated);

        // Where there is no room, transitions are evaluated as before.
        let slower = wide.with_rates(&[("slow", 1.into())]).expect("other rates");
        slower.label_again(budget.beside(limits.memory - 100), &mut watch).expect("no limit");
        assert!(slower.inner.labelled(&slower.inner.compiled).is_none());
        assert_eq!(rows(&slower), evaluated);
    }

    #[test]
    fn labels_end_where_they_find_no_room_or_no_number() {
        let wide = list(&queues(70));
        let found = |rates: std::ops::Range<usize>| {
            let mut found = FoundLabels::default();
            found.clear(Some(Kind::Pairs));
            rates.for_each(|rate| found.push(NO_ENTRY, skel_core::model::ActionId(0), rate as f64));
            found
        };
        let mut labels = Labels::of(&wide.inner.compiled).expect("labels");
        assert!(labels.kind() == Kind::Pairs);
        assert!(labels.add(&found(1..3), 1 << 20) && labels.add(&found(1..2), 1 << 20));
        assert_eq!(labels.numbers(), [0, 1, 0]);
        let mut cut = FoundLabels::default();
        cut.clear(Some(Kind::Pairs));
        [7, 7, 7, 8, 8]
            .into_iter()
            .for_each(|rate| cut.push(NO_ENTRY, skel_core::model::ActionId(0), f64::from(rate)));
        cut.truncate(4);
        cut.truncate(2);
        assert!(labels.add(&cut, 1 << 20));
        assert_eq!(labels.numbers(), [0, 1, 0, 2, 2]);
        assert!(labels.add(&found(0..MOST), 1 << 20));
        assert!(!labels.add(&found(MOST..MOST + 1), 1 << 20));
        assert!(!Labels::of(&wide.inner.compiled).expect("labels").add(&found(0..MOST), 100));
    }
}
