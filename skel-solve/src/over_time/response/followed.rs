//! An item followed through a skeleton or through a model: the time until it is done, in floats or in
//! fractions.

use skel_core::graph::Adjacency;
use skel_core::model::Model;
use skel_core::skeleton::{System, Tree};

use super::exchange::Exchanges;
use super::explore::{Explorer, Tagged, Untagged};
use super::flow::Flow;
use super::labelled::{Follower, Unfollowed};
use super::path::Path;
use crate::chain::{Generator, classification_memory, classify_graph, classify_within, describe_classes};
use crate::error::{Classes, Error};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::over_time::absorption::BeforeEnd;
use crate::over_time::absorption::beginnings::Weights;
use crate::over_time::absorption::stationary::Stationary;
use crate::over_time::passage::time_to_end::TimeToEnd;
use crate::performance::Performance;
use crate::space::{Explore, StateSpace, ToldApart};
use crate::steady::Options;

/// Through what an item is followed.
#[derive(Clone)]
pub(super) enum Subject {
    /// A skeleton, and whether replicas that may change places are lumped.
    Skeleton(Box<System>, bool),
    /// A space whose transitions have the actions of a path.
    Model(StateSpace, Path),
}

/// An item that is followed.
pub(super) struct Followed<N> {
    pub(super) time: TimeToEnd<N>,
    pub(super) throughput: N,
    pub(super) throughput_error: f64,
    /// The number of states without the item.
    pub(super) untagged: usize,
    /// The number of states with it.
    pub(super) tagged: usize,
}

impl Subject {
    /// A model with a path, explored so that no action of the path is taken for another.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn of_model(
        model: &Model,
        path: Path,
        is_lumped: bool,
        limits: &Limits,
    ) -> Result<Subject, Error> {
        let explorer = model.explorer().limits(limits);
        let told_apart = path.actions().fold(ToldApart::default(), |told, action| told.actions([action]));
        let explorer = if is_lumped { explorer.lumped().telling_apart(&told_apart) } else { explorer };
        let space = explorer.explore()?;
        Ok(Subject::Model(space, path))
    }

    /// What the states of the model take.
    pub(super) fn memory(&self) -> u64 {
        match self {
            Subject::Skeleton(..) => 0,
            Subject::Model(space, _) => space.memory(),
        }
    }

    /// Follows the item.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn follow<N: Stationary>(&self, limits: &Limits) -> Result<Followed<N>, Error> {
        let (untagged, tagged) = match self {
            Subject::Skeleton(system, is_lumped) => of_skeleton(system, *is_lumped, limits)?,
            Subject::Model(space, path) => of_model(space, path, limits)?,
        };
        let (states, entries) =
            (tagged.ends.len(), untagged.generator.matrix().entries() + tagged.rates.entries());
        let number = size_of::<N>() as u64;
        let bytes = entries as u64 * (4 + number) + (untagged.begun.len() + 2 * states) as u64 * (8 + number);
        let budget = MemoryBudget::new(limits).beside(self.memory()).take(bytes)?;
        let Untagged { generator, begun } = untagged;
        let Weights { weights, error, frequency, frequency_error } =
            Weights::of(&generator, &begun, states, budget, limits)?;
        let before = BeforeEnd { rates: tagged.rates, leaves: tagged.ends };
        let time = TimeToEnd::new(before, weights, N::zero(), error);
        Ok(Followed {
            time,
            throughput: frequency,
            throughput_error: frequency_error,
            untagged: generator.states(),
            tagged: states,
        })
    }
}

type Chains<N> = (Untagged<N>, Tagged<N>);

#[cfg_attr(debug_assertions, inline)]
fn of_skeleton<N: Stationary>(system: &System, is_lumped: bool, limits: &Limits) -> Result<Chains<N>, Error> {
    let items = system.item_flow();
    let exchanges = if is_lumped { Exchanges::of(&items) } else { Exchanges::none() };
    let flow = Flow::new(&items);
    let mut explorer = Explorer::new(&flow, &exchanges, limits);
    let untagged = explorer.untagged()?;
    if !is_irreducible(&untagged.generator, limits)? {
        return Err(not_irreducible(system, limits));
    }
    Ok((untagged, explorer.tagged()?))
}

fn is_irreducible<N: Stationary>(generator: &Generator<N>, limits: &Limits) -> Result<bool, Error> {
    let mut graph = Adjacency::with_capacity(generator.states(), generator.matrix().entries());
    (0..generator.states()).for_each(|row| graph.push(generator.rates_from(row).map(|(to, _)| to as u32)));
    let mut watch = Watch::start(limits);
    Ok(classify_graph(&graph, || watch.prepare())?.is_irreducible())
}

/// A skeleton that runs do not go on with for ever, in the words in which its performance is refused.
#[cfg_attr(debug_assertions, inline)]
fn not_irreducible(system: &System, limits: &Limits) -> Error {
    match Performance::<Tree, f64>::from_system(system.clone(), limits, &Options::default()) {
        Err(error) => error,
        Ok(_) => Error::Unknown(
            "runs of this skeleton do not come back to every state, so items have no response time in the long run".to_owned(),
        ),
    }
}

#[cfg_attr(debug_assertions, inline)]
fn of_model<N: Stationary>(space: &StateSpace, path: &Path, limits: &Limits) -> Result<Chains<N>, Error> {
    MemoryBudget::new(limits).beside(space.memory()).check(classification_memory(space))?;
    let mut watch = Watch::start(limits);
    let classes = classify_within(space, &mut watch)?;
    let [class] = &classes.recurrent[..] else {
        let lines = describe_classes(space, &classes);
        let explanation = Classes { count: classes.recurrent.len(), lines }.explanation();
        return Err(Error::Unknown(format!(
            "items of the steady state have no weights: {explanation}\nhelp: a response time needs a model that goes on in one way"
        )));
    };
    Follower { space, class, path, limits }.follow().map_err(|unfollowed| match unfollowed {
        Unfollowed::Stopped(error) => error,
        Unfollowed::Wrong(problem) => problem.into(),
    })
}
