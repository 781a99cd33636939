//! What a rule that fires asks for, as actions.

use skel_core::skeleton::StageId;

use super::facts::{AtStage, Look, number_at, place_of};
use crate::action::Action;
use crate::contract::Contract;
use crate::measure::{Measures, StageMeasures};
use crate::model::{Consult, Goal, Model, Obstacle, Plan, Prediction};
use crate::quantity::ServiceTime;

/// Numbers of replicas or workers at places of a program.
pub(super) type Numbers = Vec<(StageId, u32)>;

/// What is to be done for a rule.
#[derive(Clone, Debug)]
pub(super) enum Choice {
    /// These actions.
    Act(Intent),
    /// It waits for another window to confirm this smaller program.
    Confirm(Numbers),
    /// Nothing.
    Nothing,
}

/// Actions, what is predicted of them, and why.
#[derive(Clone, Debug)]
pub(super) struct Intent {
    pub(super) actions: Vec<Action>,
    pub(super) then: Option<Prediction>,
    pub(super) reason: String,
}

impl Look<'_> {
    fn goal(&self, service_time: ServiceTime) -> Goal {
        Goal {
            service_time,
            consult: self.settings.consult,
            correction: self.correction,
            most: self.settings.most_workers,
        }
    }

    /// The least numbers that keep the contract. The times of tasks that can have more workers are taken to
    /// be longer than they were measured, by their standard error some times over, and at least to be those
    /// of its last half, since a load that rises is still to rise; in a window of few services those of the
    /// others are taken to be shorter, since nothing is known against it.
    pub(super) fn plan_to_grow(&self, is_full: bool) -> Plan {
        let tree = self.program.skeleton();
        let mut careful = self.measures.clone();
        for stage in &mut careful.stages {
            // Of few times the variation is not known either: it may be that of exponential ones.
            let least = if is_full { 0.0 } else { 1.0 };
            let error = (stage.scv.unwrap_or(1.0).max(least) / stage.services.max(1) as f64).sqrt();
            let can_grow = place_of(tree, stage.id).is_some();

            let factor = match (can_grow, is_full) {
                (true, _) => (1.0 + self.settings.careful * error) * self.rise(stage),
                (false, false) => 1.0 / (1.0 + self.settings.careful * error),
                (false, true) => 1.0,
            };
            stage.time *= factor;
            stage.worker_times.iter_mut().for_each(|time| *time *= factor);
        }
        Model::calibrated(self.program, &careful).plan(&self.goal(self.contract.goal()))
    }

    /// By what factor a stage takes longer in the last half of the window than in all of it, if it does.
    fn rise(&self, stage: &StageMeasures) -> f64 {
        let recent = self.recent.as_ref().and_then(|recent| recent.stage(stage.id));
        recent.map_or(1.0, |recent| (recent.time / stage.time).max(1.0))
    }

    /// More replicas or workers, none fewer.
    pub(super) fn grow(&self, is_full: bool) -> Choice {
        let planned = match self.plan_to_grow(is_full) {
            Plan::Replicas { replicas, .. } => replicas,
            Plan::Impossible(_) => return Choice::Nothing,
        };
        let tree = self.program.skeleton();
        let more: Numbers = planned.into_iter().filter(|&(place, to)| to > number_at(tree, place)).collect();
        if more.is_empty() {
            return Choice::Nothing;
        }
        let then = self.model.predict(&more);
        let reason = format!(
            "the service time is beyond {}; {}, {} {} the contract by {}",
            self.limit,
            in_words(self, &more),
            self.corrected(&then),
            if self.corrected(&then) <= self.contract.goal() { "keeps" } else { "is nearest to" },
            word(self.settings.consult),
        );
        Choice::Act(Intent { actions: self.set(&more), then: Some(then), reason })
    }

    /// Fewer replicas or workers, if the last block and the whole window agree with the window before.
    pub(super) fn shrink(&self, last_block: &Measures, before: Option<&Numbers>) -> Choice {
        let spared = self.contract.goal().times(1.0 - self.settings.spare);
        let Some(target) = self.least_with(last_block, spared) else { return Choice::Nothing };
        let Some(before) = before else { return Choice::Confirm(target) };
        let tree = self.program.skeleton();
        let both = larger_of(&target, before);
        let fewer: Numbers =
            both.into_iter().filter(|&(place, to)| is_worth_shrinking(number_at(tree, place), to)).collect();
        if fewer.is_empty() {
            return Choice::Confirm(target);
        }
        let then = self.model.predict(&fewer);
        let reason = format!(
            "two windows one after the other say so: {} would keep {} with {:.0} % to spare by {}",
            in_words(self, &fewer),
            self.contract.goal(),
            self.settings.spare * 100.0,
            word(self.settings.consult),
        );
        Choice::Act(Intent { actions: self.set(&fewer), then: Some(then), reason })
    }

    /// The least numbers for the window and for its last block. Most often nothing smaller is worth it, which
    /// a single prediction tells.
    fn least_with(&self, last_block: &Measures, spared: ServiceTime) -> Option<Numbers> {
        let tree = self.program.skeleton();
        let may_shrink = |place: StageId| {
            let from = number_at(tree, place);
            let to = if is_worth_shrinking(from, from.saturating_sub(1)) {
                from - 1
            } else {
                from.saturating_sub(2)
            };
            to > 0 && self.corrected(&self.model.predict(&[(place, to)])) <= spared
        };
        let mut places = tree.leaves().filter_map(|leaf| place_of(tree, leaf));
        if !places.any(may_shrink) {
            return None;
        }
        let whole = self.smaller(&self.model.plan(&self.goal(spared)))?;
        let of_block = Model::calibrated(self.program, last_block);
        let block = self.smaller(&of_block.plan(&self.goal(spared)))?;
        Some(larger_of(&whole, &block))
    }

    /// The numbers of a plan, if none is larger than now and one is smaller.
    fn smaller(&self, plan: &Plan) -> Option<Numbers> {
        let Plan::Replicas { replicas, .. } = plan else { return None };
        let tree = self.program.skeleton();
        let is_none_larger = replicas.iter().all(|&(place, to)| to <= number_at(tree, place));
        let is_worth = |&(place, to): &(StageId, u32)| is_worth_shrinking(number_at(tree, place), to);
        (is_none_larger && replicas.iter().any(is_worth)).then(|| replicas.clone())
    }

    /// So many more or fewer at one stage, whatever the model says.
    pub(super) fn change_by(&self, stage: usize, change: i64) -> Choice {
        let tree = self.program.skeleton();
        let Some(place) = place_of(tree, self.measures.stages[stage].id) else { return Choice::Nothing };
        let from = number_at(tree, place);
        let room = self.settings.most_workers.saturating_sub(self.all_workers());
        let to = i64::from(from) + change.min(i64::from(room));
        let Ok(to) = u32::try_from(to.max(1)) else { return Choice::Nothing };
        if to == from {
            return Choice::Nothing;
        }
        let numbers = vec![(place, to)];
        let then = Some(self.model.predict(&numbers));
        let reason = format!("the rule asks for {}", in_words(self, &numbers));
        Choice::Act(Intent { actions: self.set(&numbers), then, reason })
    }

    /// Another capacity of the buffers.
    pub(super) fn buffers(&self, stage: usize, to: u32) -> Choice {
        let facts = AtStage { look: self, stage };
        let from = crate::rule::Facts::value(&facts, crate::rule::Measure::Buffer) as u32;
        if from == to {
            return Choice::Nothing;
        }
        act(Action::SetBuffers { from, to }, format!("the rule asks for buffers of {to}"))
    }

    /// Another number of items that travel together.
    pub(super) fn batch(&self, to: u32) -> Choice {
        let from = self.measures.items_in_a_parcel.round() as u32;
        if from == to {
            return Choice::Nothing;
        }
        act(Action::SetBatch { from, to }, format!("the rule asks for {to} items at a time"))
    }

    fn set(&self, numbers: &Numbers) -> Vec<Action> {
        let tree = self.program.skeleton();
        let action = |&(stage, to)| Action::SetReplicas { stage, from: number_at(tree, stage), to };
        numbers.iter().map(action).collect()
    }
}

/// Whether an action is worth it: one worker fewer of more than three is not.
fn is_worth_shrinking(from: u32, to: u32) -> bool {
    to < from && (from - to > 1 || from <= 3)
}

pub(super) fn act(action: Action, reason: String) -> Choice {
    Choice::Act(Intent { actions: vec![action], then: None, reason })
}

/// At each place the larger number of two.
fn larger_of(one: &Numbers, other: &Numbers) -> Numbers {
    let in_one = |place| one.iter().find(|(of, _)| *of == place).map_or(0, |&(_, number)| number);
    other.iter().map(|&(place, number)| (place, number.max(in_one(place)))).collect()
}

/// `8 of sharpen` and so on.
fn in_words(look: &Look<'_>, numbers: &Numbers) -> String {
    let tree = look.program.skeleton();
    let leaf = |place: StageId| {
        tree.leaves().find(|leaf| *leaf >= place).map_or_else(String::new, |leaf| tree.name(leaf))
    };
    let words: Vec<String> = numbers
        .iter()
        .map(|&(place, number)| format!("{number} of `{}` (now {})", leaf(place), number_at(tree, place)))
        .collect();
    words.join(" and ")
}

fn word(consult: Consult) -> &'static str {
    match consult {
        Consult::Chain => "the chain",
        Consult::Formula => "the formula",
    }
}

/// `` `a`, `b` and `c` ``.
fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => quoted.concat(),
    }
}

/// Why a contract cannot be kept, as a sentence.
pub(super) fn reason(contract: &Contract, obstacle: &Obstacle) -> String {
    let goal = contract.goal();
    match obstacle {
        Obstacle::Task { name, time } => format!(
            "the contract of {goal} cannot be kept by any number of workers: `{name}` takes {time} for each item and has no replicas"
        ),
        Obstacle::Neighbours { names, time } => format!(
            "the contract of {goal} cannot be kept by any number of workers: {} have no replicas and follow one another, and as their times vary they take {time} for each item together",
            listed(names)
        ),
        Obstacle::Arrival(time) => {
            format!(
                "the contract of {goal} cannot be kept by any number of workers: an item comes every {time}"
            )
        }
        Obstacle::Output(time) => format!(
            "the contract of {goal} cannot be kept by any number of workers: the output takes {time} for each item"
        ),
        Obstacle::TooMany { reached, most } => {
            format!(
                "the contract of {goal} takes more than the {most} workers that there may be; with them it is {reached}"
            )
        }
    }
}
