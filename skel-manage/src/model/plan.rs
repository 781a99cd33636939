//! The least numbers of replicas that reach a goal.
//!
//! With one place, the prediction falls with its number, so the least number is found by bisection from the
//! number below which even the formula misses the goal. With several places all of them are made so fast as
//! to take at most some time `θ` by the formula; the largest `θ` that reaches the goal is found by bisection,
//! and then each place is brought down to the least number that it can have beside the others. So no place
//! can have fewer in the end. It is not proved that no other numbers have a smaller sum.

use std::cell::Cell;

use super::leaf::Leaf;
use super::line::Budget;
use super::numbers::{Numbers, ancestors, places};
use super::{Consult, Goal, Model, Obstacle, Plan, Prediction};
use crate::quantity::ServiceTime;

use skel_core::skeleton::StageId;

/// Goals are reached within this part, for rounded numbers.
const ROUNDING: f64 = 1e-9;

/// How many neighbours are looked at together.
const MOST_NEIGHBOURS: usize = 4;

/// How many times are tried between that in which the goal is reached by the formula, and that which takes
/// the most workers.
const STEPS: u32 = 12;

impl Model {
    /// The least numbers of replicas that reach a goal.
    ///
    /// Farms, deals, maps and maps with state get other numbers, wherever they are in the tree. A plain task
    /// cannot get replicas in a program that runs, and the number of workers of a fault-tolerant stage is a
    /// choice of safety. What is predicted is told without the goal's correction.
    #[must_use]
    pub fn plan(&self, goal: &Goal) -> Plan {
        if let Some(obstacle) = self.obstacle(goal) {
            return Plan::Impossible(obstacle);
        }
        Search { model: self, goal, places: places(self.program.skeleton()).collect(), tried: Cell::new(0) }
            .plan()
    }

    /// What no number of workers makes faster, and is slower than the goal.
    fn obstacle(&self, goal: &Goal) -> Option<Obstacle> {
        let seconds = goal.service_time.seconds();
        let is_slow = |time: f64| time > seconds * (1.0 + ROUNDING) || seconds.is_nan();
        if is_slow(self.ends.arrival) {
            return Some(Obstacle::Arrival(ServiceTime::of_seconds(self.ends.arrival)));
        }
        if is_slow(self.ends.output) {
            return Some(Obstacle::Output(ServiceTime::of_seconds(self.ends.output)));
        }
        let is_fixed = |leaf: &&Leaf| self.is_fixed(leaf);
        let time = |leaf: &Leaf| {
            let workers = leaf.times.len() as u32;
            leaf.visits
                * if goal.consult == Consult::Formula { leaf.formula(workers) } else { leaf.least(workers) }
        };
        let slowest =
            self.leaves.iter().filter(is_fixed).max_by(|one, other| time(one).total_cmp(&time(other)))?;
        is_slow(time(slowest)).then(|| Obstacle::Task {
            name: slowest.name.clone(),
            time: ServiceTime::of_seconds(time(slowest)),
        })
    }

    /// Whether no number of workers changes a leaf.
    fn is_fixed(&self, leaf: &Leaf) -> bool {
        !leaf.may_have_other_workers() && ancestors(self.program.skeleton(), leaf.id).is_empty()
    }

    /// The fewest neighbours without replicas that miss a goal by their chain, even if they never wait for
    /// others.
    fn slow_neighbours(&self, goal: &Goal) -> Option<Obstacle> {
        let numbers = self.numbers(&[]);
        let reduction = self.reduction(&numbers);
        for count in 2..=self.leaves.len().min(MOST_NEIGHBOURS) {
            for leaves in
                self.leaves.windows(count).filter(|leaves| leaves.iter().all(|leaf| self.is_fixed(leaf)))
            {
                let ids: Vec<StageId> = leaves.iter().map(|leaf| leaf.id).collect();
                let Some(solved) = reduction.of_leaves(&ids).solve(Budget::OF_A_PREDICTION) else { continue };
                let visits = self.leaves.first().map_or(1.0, |leaf| leaf.visits);
                let time = ServiceTime::of_seconds(visits * solved.service_time).times(goal.correction);
                if time.seconds() > goal.service_time.seconds() * (1.0 + ROUNDING) {
                    let names = leaves.iter().map(|leaf| leaf.name.clone()).collect();
                    return Some(Obstacle::Neighbours { names, time });
                }
            }
        }
        None
    }
}

/// A search for numbers.
struct Search<'a> {
    model: &'a Model,
    goal: &'a Goal,
    places: Vec<StageId>,
    tried: Cell<u32>,
}

impl Search<'_> {
    fn plan(&self) -> Plan {
        let Some((too_few, enough)) = self.enough() else { return Plan::Impossible(self.unreached()) };
        let least = self.trimmed(too_few, enough);
        let predicted = self.model.prediction(&least);
        Plan::Replicas { replicas: least.of_places(&self.places), predicted, tried: self.tried.get() }
    }

    /// Numbers that reach the goal, with which every place takes at most about the same time by the formula.
    /// Before them, if there are any, the last numbers that miss it.
    fn enough(&self) -> Option<(Option<Numbers>, Numbers)> {
        let goal = self.goal.service_time.seconds() / self.goal.correction;
        let mut missed = goal;
        let mut too_few = self.numbers_for(goal)?;
        if self.reaches(&too_few) {
            return Some((None, too_few));
        }
        let mut part = 1.0 / 32.0;
        let mut found = loop {
            let time = goal * (1.0 - part);
            let numbers = (part < 1.0).then(|| self.numbers_for(time)).flatten();
            match numbers {
                Some(numbers) if numbers != too_few && self.reaches(&numbers) => break (time, numbers),
                Some(numbers) => (missed, too_few) = (time, numbers),
                None => {
                    let (time, numbers) = self.most(time.max(0.0), missed);
                    if !self.reaches(&numbers) {
                        return None;
                    }
                    break (time, numbers);
                }
            }
            part *= 2.0;
        };
        // The numbers of one place are few enough to look among them alone.
        let steps = if self.places.len() > 1 { STEPS } else { 0 };
        for _ in 0..steps {
            let time = (found.0 + missed) / 2.0;
            let Some(numbers) = self.numbers_for(time).filter(|numbers| *numbers != found.1) else { break };
            match numbers != too_few && self.reaches(&numbers) {
                true => found = (time, numbers),
                false => (missed, too_few) = (time, numbers),
            }
        }
        Some((Some(too_few), found.1))
    }

    /// The numbers with which every place takes at most this time by the formula; none if that is too many
    /// workers.
    fn numbers_for(&self, time: f64) -> Option<Numbers> {
        let tree = self.model.program.skeleton();
        let mut numbers = self.model.numbers(&[]);
        for leaf in &self.model.leaves {
            let above = ancestors(tree, leaf.id);
            let Some(&place) = above.last().or(leaf.may_have_other_workers().then_some(&leaf.id)) else {
                continue;
            };
            let others: f64 = above
                .iter()
                .filter(|&&other| other != place)
                .map(|&other| f64::from(numbers.at(other)))
                .product();
            // The parts of an item of a map are the shorter, the more workers there are.
            let parts = if place == leaf.id { leaf.times.len() as f64 } else { 1.0 };
            let one = if place == leaf.id { leaf.times.len() as u32 } else { numbers.at(leaf.id) };
            let needed = leaf.visits * leaf.formula(one) * parts / (time * others);
            let needed = (needed * (1.0 - ROUNDING)).ceil().max(1.0);
            if needed > f64::from(self.goal.most) {
                return None;
            }
            let several = self.model.leaves.iter().take_while(|other| other.id != leaf.id);
            let before = several.filter(|other| ancestors(tree, other.id).last() == Some(&place)).count();
            let number = if before == 0 { needed as u32 } else { numbers.at(place).max(needed as u32) };
            numbers = numbers.with(tree, &[(place, number)]);
        }
        (numbers.workers(tree) <= u64::from(self.goal.most)).then_some(numbers)
    }

    /// The numbers of the shortest time that do not take too many workers.
    fn most(&self, mut too_many: f64, mut time: f64) -> (f64, Numbers) {
        let mut found = self.numbers_for(time).unwrap_or_else(|| self.model.numbers(&[]));
        for _ in 0..40 {
            let middle = (too_many + time) / 2.0;
            match self.numbers_for(middle) {
                Some(numbers) => (time, found) = (middle, numbers),
                None => too_many = middle,
            }
        }
        (time, found)
    }

    /// Each place with the least number that it can have beside the others. Too few for all places together
    /// may be enough for one of several.
    fn trimmed(&self, too_few: Option<Numbers>, mut numbers: Numbers) -> Numbers {
        let tree = self.model.program.skeleton();
        let too_few = too_few.filter(|_| self.places.len() == 1);
        for &place in &self.places {
            let too_few = too_few.as_ref().map_or(0, |numbers| numbers.at(place));
            let (mut misses, mut reaches) = (too_few, numbers.at(place));
            // Most often not even one fewer reaches it.
            let mut middle = reaches - 1;
            while reaches - misses > 1 {
                let fewer = numbers.clone().with(tree, &[(place, middle)]);
                match self.reaches(&fewer) {
                    true => reaches = middle,
                    false => misses = middle,
                }
                middle = misses + (reaches - misses) / 2;
            }
            numbers = numbers.with(tree, &[(place, reaches)]);
        }
        numbers
    }

    /// Whether the goal is reached. Where the formula misses it, the chain does so as well.
    fn reaches(&self, numbers: &Numbers) -> bool {
        let correction = self.goal.correction;
        let is_enough = |time: f64| time * correction <= self.goal.service_time.seconds() * (1.0 + ROUNDING);
        match self.goal.consult {
            Consult::Formula => {
                self.tried.set(self.tried.get() + 1);
                is_enough(self.model.formula(numbers))
            }
            Consult::Chain if !is_enough(self.model.least(numbers)) => false,
            Consult::Chain => {
                self.tried.set(self.tried.get() + 1);
                is_enough(self.model.prediction(numbers).chain.seconds())
            }
        }
    }

    /// Why no numbers reach the goal.
    fn unreached(&self) -> Obstacle {
        let neighbours = match self.goal.consult {
            Consult::Chain => self.model.slow_neighbours(self.goal),
            Consult::Formula => None,
        };
        neighbours.unwrap_or_else(|| self.too_many())
    }

    fn too_many(&self) -> Obstacle {
        let goal = self.goal.service_time.seconds() / self.goal.correction;
        let far = goal * 1e6;
        let (_, numbers) = self.most(0.0, far);
        let reached: Prediction = self.model.prediction(&numbers);
        let reached = reached.by(self.goal.consult).times(self.goal.correction);
        Obstacle::TooMany { reached, most: self.goal.most }
    }
}
