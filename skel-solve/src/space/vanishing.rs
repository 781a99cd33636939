//! States that immediate actions leave at once, which a space does not have.
//!
//! An immediate action is the limit of an action whose rate `c` grows without bound. A state in which an
//! immediate action is enabled is *vanishing*: in the limit it is left at once, and by immediate actions
//! alone, each with a probability in proportion to its rate in the model, which is its *weight*. The other
//! states are *tangible*. A run that comes into a vanishing state is in no time in one of some tangible
//! states, its *ends*. A space with immediate actions has the tangible states alone. A transition into a
//! vanishing state is replaced by one to each of its ends, at the rate of the transition times the
//! probability of the end. States that only a race between an immediate action and another one would lead to
//! are never met. This is how generalized stochastic Petri nets are reduced to Markov chains (M. Ajmone
//! Marsan, G. Conte and G. Balbo, A class of generalized stochastic Petri nets, 1984).
//!
//! The steady state of this chain is how runs go on in the long run where immediate actions take no time. It
//! is one distribution if no immediate actions can follow one another for ever and the chain has one
//! recurrent class. A model with the rate `c` has other states too, which a run comes to about `1 / c` times
//! as often. If runs come back from these to the recurrent class without another race, then the steady state
//! of that model converges to this one, with an error in proportion to `1 / c` (P.-J. Courtois,
//! Decomposability, 1977). If they do not, then what happens between the classes at the rate `1 / c` decides,
//! and the limit of the steady states is another one. The states in question are never met, so this is not
//! checked here. It holds for the models of skeletons, by `tests/skeleton_laws.rs`.
//!
//! Vanishing states have the probability 0, but the throughput of an immediate action is as large as that of
//! what leads to it: the throughput of each transition into a vanishing state, times the expected number of
//! times that the action is done before the next tangible state.
//!
//! Ends and expected numbers of a vanishing state follow from those of the states that its immediate actions
//! lead to. So they are found depth first, and kept for the next states, most of which lead to the same
//! vanishing states. What is kept is bounded by [`MOST_KEPT`]; beyond that everything is forgotten and found
//! again. Time: each vanishing state costs as much as a tangible one, once for each pass over the transitions
//! if they are all kept. Nothing is subtracted, so in `f64` a probability loses some digits at most, and
//! fractions are exact.
//!
//! If the initial state is vanishing, it is the one vanishing state of the space. It has the number 0, as an
//! initial state has, and weights in place of rates. No transition leads to it, so it is transient, and the
//! weights count for nothing in a steady state.

use skel_core::model::ActionId;
use skel_core::number::Number;

use crate::space::store::StateStore;
use crate::state::layout::make_moves;
use crate::symmetry::lumping::Lumping;
use crate::symmetry::sorted::SortBuffer;
use crate::transition::compile::{Buffers, Compiled, Transition};
use crate::transition::evaluate::Refusal;

/// The bytes of vanishing states, and of states that they lead to, that are kept for the next states.
const MOST_KEPT: u64 = 1 << 22;

/// What is known of a space and its model while vanishing states are skipped.
pub(crate) struct Known<'k, N> {
    pub(crate) compiled: &'k Compiled<N>,
    pub(crate) lumping: Option<&'k Lumping>,
    /// States of the space that were found before.
    pub(crate) store: &'k StateStore,
    /// Whether the first of them is vanishing.
    pub(crate) starts_vanishing: bool,
}

impl<'k, N: Number> Known<'k, N> {
    /// The number of a tangible state that was found before.
    pub(crate) fn find(&self, hash: u64, state: &[u64]) -> Option<u32> {
        self.store.find_hashed(hash, state).filter(|&number| number > 0 || !self.starts_vanishing)
    }

    /// The action that represents all actions equivalent to this one.
    pub(crate) fn representative(&self, action: ActionId) -> ActionId {
        self.lumping.map_or(action, |lumping| lumping.representative(action))
    }

    /// Calls `found` with the transitions of a state of the space, before vanishing states are skipped.
    pub(crate) fn for_each_transition(
        &self,
        number: usize,
        buffers: &mut Buffers<N>,
        found: impl FnMut(Transition<'_, N>),
    ) -> Result<(), Refusal> {
        let state = self.store.get(number);
        match self.starts_vanishing && number == 0 {
            true => self.compiled.for_each_immediate(state, buffers, found),
            false => self.compiled.for_each_transition(state, buffers, found),
        }
    }
}

/// What becomes of a state that was met.
#[derive(Clone, Debug)]
enum Fate {
    /// It is not known yet.
    Unknown,
    /// The states that it leads to are being followed.
    Open,
    Tangible,
    /// It ends in `ends[ends.0..ends.1]`, after doing `times[times.0..times.1]`.
    Vanishing {
        ends: (u32, u32),
        times: (u32, u32),
    },
}

/// An immediate transition.
#[derive(Clone, Debug)]
struct Edge<N> {
    target: u32,
    action: ActionId,
    weight: N,
}

/// A vanishing state whose targets are being followed.
#[derive(Clone, Copy, Debug)]
struct Frame {
    state: u32,
    /// Its first edge, and the next one to follow. Its edges are the last ones.
    first: usize,
    next: usize,
}

/// The vanishing states that were met, and the states that they lead to.
pub(crate) struct Vanishing<N> {
    states: StateStore,
    hashes: Vec<u64>,
    fates: Vec<Fate>,
    /// Tangible states, by their places in `states`, and their probabilities.
    ends: Vec<(u32, N)>,
    /// Actions, and how often each is done on average.
    times: Vec<(ActionId, N)>,
    /// Whether `times` are wanted.
    counts_actions: bool,
    edges: Vec<Edge<N>>,
    frames: Vec<Frame>,
    /// For each state its place among the ends that are being added up, if it is one of them.
    places: Vec<u32>,
    /// The most bytes that all this may take.
    most: u64,
    buffers: Buffers<N>,
    blocks: SortBuffer,
    source: Vec<u64>,
    target: Vec<u64>,
}

/// Stands for no place.
const NONE: u32 = u32::MAX;

impl<N: Number> Vanishing<N> {
    /// No states yet, of so many words.
    pub(crate) fn new(words: usize, counts_actions: bool) -> Self {
        Vanishing {
            states: StateStore::new(words),
            hashes: Vec::new(),
            fates: Vec::new(),
            ends: Vec::new(),
            times: Vec::new(),
            counts_actions,
            edges: Vec::new(),
            frames: Vec::new(),
            places: Vec::new(),
            most: u64::MAX,
            buffers: Buffers::new(),
            blocks: SortBuffer::default(),
            source: Vec::new(),
            target: Vec::new(),
        }
    }

    /// Sets the most bytes that this may take.
    pub(crate) fn set_most(&mut self, most: u64) {
        self.most = most;
        self.buffers.set_most(most / 4);
    }

    /// The bytes that this takes.
    pub(crate) fn memory(&self) -> u64 {
        let lists = self.hashes.capacity() * size_of::<u64>()
            + self.fates.capacity() * size_of::<Fate>()
            + self.ends.capacity() * size_of::<(u32, N)>()
            + self.times.capacity() * size_of::<(ActionId, N)>()
            + self.edges.capacity() * size_of::<Edge<N>>()
            + self.places.capacity() * size_of::<u32>();
        lists as u64 + self.states.memory() + self.buffers.memory()
    }

    /// Finds what becomes of a state, and returns the place where [`Self::ends`] and [`Self::times`] have it.
    ///
    /// # Panics
    /// If immediate actions can follow one another for ever.
    pub(crate) fn follow(&mut self, known: &Known<'_, N>, hash: u64, state: &[u64]) -> Result<u32, Refusal> {
        if self.memory() > MOST_KEPT.min(self.most / 2) {
            self.forget();
        }
        let place = met(&mut self.states, &mut self.hashes, &mut self.fates, hash, state);
        let outcome = self.follow_from(known, place);
        if outcome.is_err() {
            self.forget();
        }
        outcome.map(|()| place)
    }

    /// Follows immediate actions depth first.
    fn follow_from(&mut self, known: &Known<'_, N>, place: u32) -> Result<(), Refusal> {
        self.open(known, place)?;
        while let Some(frame) = self.frames.last_mut() {
            match self.edges.get(frame.next) {
                Some(edge) => {
                    let target = edge.target;
                    frame.next += 1;
                    self.open(known, target)?;
                }
                None => self.close(),
            }
        }
        Ok(())
    }

    /// The tangible states in which a run from a state ends, with their probabilities: places for
    /// [`Self::state`].
    pub(crate) fn ends(&self, place: u32) -> Option<&[(u32, N)]> {
        match &self.fates[place as usize] {
            Fate::Vanishing { ends, .. } => Some(&self.ends[ends.0 as usize..ends.1 as usize]),
            _ => None,
        }
    }

    /// How often each action is done on average by a run from a state until it ends.
    pub(crate) fn times(&self, place: u32) -> &[(ActionId, N)] {
        match &self.fates[place as usize] {
            Fate::Vanishing { times, .. } => &self.times[times.0 as usize..times.1 as usize],
            _ => &[],
        }
    }

    /// A state with its hash.
    pub(crate) fn state(&self, place: u32) -> (u64, &[u64]) {
        (self.hashes[place as usize], self.states.get(place as usize))
    }

    /// Forgets all states.
    fn forget(&mut self) {
        *self = Vanishing { most: self.most, ..Vanishing::new(self.states.words(), self.counts_actions) };
        self.set_most(self.most);
    }

    /// Lists the immediate transitions of a state, unless its fate is known.
    fn open(&mut self, known: &Known<'_, N>, place: u32) -> Result<(), Refusal> {
        match self.fates[place as usize] {
            Fate::Unknown => {}
            Fate::Open => panic!("immediate actions do not follow one another for ever"),
            Fate::Tangible | Fate::Vanishing { .. } => return Ok(()),
        }
        if self.memory() > self.most {
            return Err(Refusal::TooMany);
        }
        let first = self.edges.len();
        let Vanishing { states, hashes, fates, edges, buffers, blocks, source, target, .. } = self;
        source.clear();
        source.extend_from_slice(states.get(place as usize));
        if known.find(hashes[place as usize], source).is_none() {
            known.compiled.for_each_immediate(source, buffers, |transition| {
                target.clear();
                target.extend_from_slice(source);
                make_moves(target, transition.moves);
                if let Some(lumping) = known.lumping {
                    lumping.canonicalise_after(source, target, blocks);
                }
                let target = met(states, hashes, fates, known.store.hash(target), target);
                let action = known.representative(transition.action);
                edges.push(Edge { target, action, weight: transition.rate.clone() });
            })?;
        }
        if edges.len() == first {
            fates[place as usize] = Fate::Tangible;
        } else {
            fates[place as usize] = Fate::Open;
            self.frames.push(Frame { state: place, first, next: first });
        }
        Ok(())
    }

    /// Adds up the ends of the state whose targets have all been followed.
    fn close(&mut self) {
        let Some(Frame { state, first, .. }) = self.frames.pop() else { return };
        let begin = (self.ends.len(), self.times.len());
        self.places.resize(self.fates.len(), NONE);
        let edges: Vec<Edge<N>> = self.edges.drain(first..).collect();
        let total = edges.iter().fold(N::zero(), |sum, edge| sum + edge.weight.clone());
        for Edge { target, action, weight } in edges {
            let share = weight / total.clone();
            self.add_ends(target, &share, begin.0);
            if self.counts_actions {
                self.add_times(target, action, share, begin.1);
            }
        }
        for (end, _) in &self.ends[begin.0..] {
            self.places[*end as usize] = NONE;
        }
        let ends = (begin.0 as u32, self.ends.len() as u32);
        let times = (begin.1 as u32, self.times.len() as u32);
        self.fates[state as usize] = Fate::Vanishing { ends, times };
    }

    /// Adds a share of the ends of a state to those from `begin` on.
    fn add_ends(&mut self, state: u32, share: &N, begin: usize) {
        let Fate::Vanishing { ends, .. } = self.fates[state as usize] else {
            return add_end(&mut self.ends, &mut self.places, begin, state, share.clone());
        };
        for at in ends.0..ends.1 {
            let (end, probability) = self.ends[at as usize].clone();
            add_end(&mut self.ends, &mut self.places, begin, end, probability * share.clone());
        }
    }

    /// Adds that an action is done with some probability, and after it those of a state, to the times from
    /// `begin` on.
    fn add_times(&mut self, state: u32, action: ActionId, share: N, begin: usize) {
        if let Fate::Vanishing { times, .. } = self.fates[state as usize] {
            for at in times.0..times.1 {
                let (action, times) = self.times[at as usize].clone();
                add_time(&mut self.times, begin, action, times * share.clone());
            }
        }
        add_time(&mut self.times, begin, action, share);
    }
}

/// The place of a state, which is new if the state was not met before.
fn met(
    states: &mut StateStore,
    hashes: &mut Vec<u64>,
    fates: &mut Vec<Fate>,
    hash: u64,
    state: &[u64],
) -> u32 {
    states.find_hashed(hash, state).unwrap_or_else(|| {
        hashes.push(hash);
        fates.push(Fate::Unknown);
        states.insert_hashed(hash, state)
    })
}

fn add_end<N: Number>(ends: &mut Vec<(u32, N)>, places: &mut [u32], begin: usize, end: u32, share: N) {
    let place = &mut places[end as usize];
    match *place {
        NONE => {
            *place = (ends.len() - begin) as u32;
            ends.push((end, share));
        }
        place => {
            let sum = &mut ends[begin + place as usize].1;
            *sum = sum.clone() + share;
        }
    }
}

fn add_time<N: Number>(times: &mut Vec<(ActionId, N)>, begin: usize, action: ActionId, share: N) {
    match times[begin..].iter_mut().find(|(known, _)| *known == action) {
        Some((_, sum)) => *sum = sum.clone() + share,
        None => times.push((action, share)),
    }
}
