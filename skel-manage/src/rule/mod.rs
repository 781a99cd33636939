//! Rules: what a manager does, as data. A rule has a name, a priority, a condition over what was measured and predicted, and what is
//! done then.

use std::fmt;

/// What is measured, predicted or known, as the conditions of rules name it. Those of a stage are of the stage that the rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Measure {
    /// `service_time`: that of the program, measured. Seconds.
    ServiceTime,
    /// `contract`: the service time that is promised. Seconds.
    Contract,
    /// `limit`: the contract with its tolerance. Seconds.
    Limit,
    /// `predicted`: what the model says of the program as it is. Seconds.
    Predicted,
    /// `predicted_with_fewer`: what the model says of one worker fewer at this stage. Seconds.
    PredictedWithFewer,
    /// `arrival_time`: T_A, 0 where it is not known since the source does not set the pace. Seconds.
    ArrivalTime,
    /// `output_time`: T_D, 0 where it is not known. Seconds.
    OutputTime,
    /// `dispatch_time`: T_S, the time of the stage before this one for each item; 0 of the first. Seconds.
    DispatchTime,
    /// `collect_time`: T_C, the time of the stage behind this one for each item; 0 of the last. Seconds.
    CollectTime,
    /// `worker_time`: T_W, the mean time of a worker of this stage for an item or its part of one. Seconds.
    WorkerTime,
    /// `stage_time`: f(T_W, n), the time of this stage for each item: of a farm T_W by n, of a map that of its slowest worker. Seconds.
    StageTime,
    /// `slowest_time`: the largest stage time of the program. Seconds.
    SlowestTime,
    /// `workers`: n, the replicas or workers of this stage. A number.
    Workers,
    /// `all_workers`: the replicas and workers of the program. A number.
    AllWorkers,
    /// `variation`: the squared coefficient of variation of the worker time. A number.
    Variation,
    /// `imbalance`: the time of the slowest worker of a map by the mean of all; 1 of other stages. A number.
    Imbalance,
    /// `queue`: the items in front of this stage. A number.
    Queue,
    /// `buffer`: the capacity of the buffer in front of this stage. A number.
    Buffer,
    /// `batch`: how many items travel together. A number.
    Batch,
    /// `busy`, from 0 to 1.
    Busy,
    /// `starved`, from 0 to 1.
    Starved,
    /// `blocked`, from 0 to 1.
    Blocked,
    /// `waiting`, from 0 to 1.
    Waiting,
    /// `services`: how many were measured at this stage. A number.
    Services,
    /// `time_left`: how long the program is still to run; infinite where that is not known. Seconds.
    TimeLeft,
    /// `can_grow`: whether workers can be added to this stage. Yes or no.
    CanGrow,
    /// `is_map`: whether the workers of this stage each serve a part of an item. Yes or no.
    IsMap,
    /// `faster_processor`: whether a faster processor than that of this stage is free. Yes or no.
    FasterProcessor,
}

/// What a rule's condition is asked of: the values of all measures at one stage. Yes is 1, and no is 0.
pub trait Facts {
    /// The value of a measure.
    fn value(&self, measure: Measure) -> f64;
}

/// What a rule does.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Then {
    /// `grow`: the least numbers of workers, anywhere in the program, that keep the contract by the model.
    Grow,
    /// `shrink`: the same, where there are more than that.
    Shrink,
    /// `add N`: so many workers more at this stage, whatever the model says.
    Add(u32),
    /// `remove N`: so many workers fewer at this stage.
    Remove(u32),
    /// `migrate`: the slowest task moves to a faster processor that is free.
    Migrate,
    /// `repartition`: parts of items by the measured speeds of the workers of a map.
    Repartition,
    /// `nest N`: so many workers serve the part of the slowest worker of a map.
    Nest(u32),
    /// `buffers N`: another capacity of all buffers.
    Buffers(u32),
    /// `batch N`: so many items travel together.
    Batch(u32),
    /// `violate`: the violation is reported, once, with its reason.
    Violate,
    /// `report "text"`: this is noted.
    Report(String),
}

/// A rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// Rules of a higher priority are asked first.
    pub priority: i32,
    /// The stage that it looks at, by its task's name; all stages, the slowest first, if none is said.
    pub stage: Option<String>,
    /// When it fires.
    pub when: Condition,
    /// What is done then.
    pub then: Then,
}

/// When a rule fires.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition;

impl Condition {
    /// Reads a condition, such as `service_time > limit and stage_time >= slowest_time`.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse(text: &str) -> Result<Self, RuleErrors> {
        let _ = text;
        Ok(Condition)
    }

    /// Whether it holds.
    #[must_use]
    pub fn holds(&self, facts: &dyn Facts) -> bool {
        let _ = facts;
        false
    }
}

/// Rules that were checked together, in the order in which they are asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    rules: Vec<Rule>,
}

impl Rules {
    /// The predefined rules: `grow`, `repartition`, `migrate`, `violate` and `shrink`.
    #[must_use]
    pub fn predefined() -> Self {
        Rules { rules: Vec::new() }
    }

    /// These rules beside the others. A rule of the same name takes the place of the other.
    ///
    /// # Errors
    /// Everything that is wrong with them: see [`RuleErrors`].
    pub fn with(self, rules: impl IntoIterator<Item = Rule>) -> Result<Self, RuleErrors> {
        let _ = rules.into_iter();
        Ok(self)
    }

    /// The rules, those of the highest priority first.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }
}

/// Everything that is wrong with rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleErrors(Vec<String>);

impl fmt::Display for RuleErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for RuleErrors {}
