//! `--states`: the probabilities of states, the most probable first.

use skel::brief::brief_state;
use skel::model::Model;
use skel::number::Number;
use skel::{StateSpace, SteadyState};

use crate::report::figure::Figure;

/// The states that are shown, and what is said of the others.
#[derive(Clone, Debug)]
pub(crate) struct States {
    pub(crate) shown: Vec<StateFigure>,
    /// How many are left out.
    pub(crate) left_out: usize,
    /// The probability of those together.
    pub(crate) rest: f64,
}

/// A state and its probability.
#[derive(Clone, Debug)]
pub(crate) struct StateFigure {
    pub(crate) number: usize,
    /// The local state of each component.
    pub(crate) local_states: Vec<String>,
    /// The same for people, with equal copies counted.
    pub(crate) in_brief: String,
    /// How many states without lumping it stands for, where some are lumped; none beyond 128 bits.
    pub(crate) stands_for: Option<Option<u128>>,
    pub(crate) probability: Figure,
}

impl States {
    /// At most so many of the states; of equally probable ones those with smaller numbers.
    pub(super) fn of<N: Number>(solution: &SteadyState<Model, N>, most: usize) -> States {
        let space = solution.space();
        let probabilities = solution.probabilities();
        let floats: Vec<f64> = probabilities.iter().map(N::to_float).collect();
        let mut order: Vec<u32> = (0..floats.len() as u32).collect();
        let by_probability = |left: &u32, right: &u32| {
            floats[*right as usize].total_cmp(&floats[*left as usize]).then(left.cmp(right))
        };
        if most < order.len() {
            order.select_nth_unstable_by(most, by_probability);
        }
        let (shown, left_out) = order.split_at_mut(most.min(floats.len()));
        shown.sort_unstable_by(by_probability);
        let figure = |&number: &u32| state_figure(space, number as usize, &probabilities[number as usize]);
        States {
            shown: shown.iter().map(figure).collect(),
            left_out: left_out.len(),
            rest: left_out.iter().map(|&number| floats[number as usize]).sum(),
        }
    }
}

fn state_figure<N: Number>(space: &StateSpace<Model>, number: usize, probability: &N) -> StateFigure {
    let (model, state) = (space.model(), space.state(number));
    StateFigure {
        number,
        local_states: state.iter().map(|&local| model.local_state(local).name.clone()).collect(),
        in_brief: brief_state(model, &state),
        stands_for: space.lumping().map(|_| space.stands_for(number)),
        probability: Figure::of(probability),
    }
}
