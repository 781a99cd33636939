//! What a dimensioning says.

mod display;
mod stop;
mod words;

use skel_core::skeleton::{StageId, Tree};

pub use stop::Stop;
pub(super) use words::decimal;

/// A place where the number of replicas may vary.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Its node in the skeleton that was asked about.
    pub stage: StageId,
    /// What is replicated there.
    pub name: String,
    /// The way to it in words; empty for the root.
    pub path: String,
    /// `task`, `farm` or `deal`, as it is written. A task with several replicas is a farm.
    pub kind: &'static str,
    /// How many replicas are written.
    pub now: u32,
}

/// Numbers of replicas, with what they cost and bring.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// The number of replicas at each place, in the order of the places.
    pub replicas: Vec<u32>,
    /// What it costs.
    pub cost: u64,
    /// Items per unit of time.
    pub throughput: f64,
    /// The mean time that an item is inside.
    pub response_time: f64,
    /// The time within which the part of the items that was asked for is through; none where the mean or the
    /// throughput was asked for.
    pub quantile: Option<f64>,
}

impl Configuration {
    /// The response time that was asked for.
    pub(super) fn time(&self) -> f64 {
        self.quantile.unwrap_or(self.response_time)
    }

    /// The numbers of replicas with one fewer at a place, for each place that has several.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn with_one_fewer(&self) -> Vec<Vec<u32>> {
        let places = (0..self.replicas.len()).filter(|&place| self.replicas[place] > 1);
        let fewer = places.map(|place| {
            let mut replicas = self.replicas.clone();
            replicas[place] -= 1;
            replicas
        });
        fewer.collect()
    }
}

/// A configuration beside the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// The number of replicas at each place, in the order of the places.
    pub replicas: Vec<u32>,
    /// What it costs.
    pub cost: u64,
    /// What is known of its throughput, or of its response time if that is what was asked for.
    pub figure: Known,
}

/// What is known of a throughput, or of a response time.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// It was solved.
    Solved(f64),
    /// A bound, from a few neighbouring stages alone: a throughput is not higher, and a response time not
    /// shorter.
    Bound(f64),
    /// It was not solved, for the reason that is given, and has this bound.
    NotSolved(f64, String),
}

/// How a cheapest configuration is proved to be the cheapest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// In a pipe of farms of equal replicas with equal links, a few neighbouring stages alone are an upper
    /// bound on the whole. All cheaper configurations are ruled out by such bounds or are solved.
    Bounds,
    /// Each cheaper configuration is solved, or has a task that would have to be busy for more than all of
    /// the time. Here one more replica may lower the throughput, so nothing else rules a configuration out.
    Exhaustion,
}

/// The answer in one word.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The best configuration is the cheapest that keeps the target, and this is proved.
    Cheapest(Proof),
    /// The best configuration keeps the target, but whether a cheaper one does is open from this cost on.
    BestFound {
        /// All configurations that cost less are ruled out.
        least_cost: u64,
        /// Why the rest is open.
        why: Stop,
    },
    /// No configuration within the bound on the cost keeps the target, and this is proved.
    Unreachable(Obstacle),
    /// The search ended without a configuration that keeps the target.
    NothingFound {
        /// All configurations that cost less are ruled out.
        least_cost: u64,
        /// Why the search ended.
        why: Stop,
    },
}

/// Why a target cannot be reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// A bound for every configuration that is allowed: no throughput is higher, no response time shorter.
    /// None where there is no simple one.
    pub bound: Option<f64>,
    /// The stage that sets it.
    pub stage: String,
    /// The reason in a sentence.
    pub reason: String,
    /// What to change.
    pub advice: String,
}

/// The same question with other times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robustness {
    /// With times of the same means and another variation.
    pub variation: Vec<Variation>,
    /// With the mean time of one stage a tenth longer, for each stage.
    pub longer: Vec<Longer>,
}

/// How the time of a task varies from item to item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Times {
    /// Not at all. Moves take no time then.
    Constant,
    /// As the sum of so many exponential times.
    Erlang(u32),
    /// Exponentially.
    Exponential,
    /// As it is written.
    AsWritten,
}

/// What is needed with other times.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// How they vary.
    pub times: Times,
    /// What keeps the target then.
    pub needs: Needs,
}

/// What keeps a target.
#[derive(Clone, Debug, PartialEq)]
pub enum Needs {
    /// This configuration, which was solved; whether it is proved to be the cheapest.
    Configuration(Configuration, bool),
    /// These numbers of replicas, by a closed form.
    Closed {
        /// The number of replicas at each place, in the order of the places.
        replicas: Vec<u32>,
        /// What it costs.
        cost: u64,
        /// Items per unit of time.
        throughput: f64,
    },
    /// A configuration that costs at least so much, and at most so much if that is known.
    Between(u64, Option<u64>),
    /// Nothing that is allowed.
    Nothing,
    /// This was not found out, for the reason that is given.
    NotKnown(String),
}

/// What happens where one stage takes longer than it is said to.
#[derive(Clone, Debug, PartialEq)]
pub struct Longer {
    /// The task in the skeleton that was asked about.
    pub stage: StageId,
    /// Its name.
    pub name: String,
    /// The throughput of the best configuration then, or its response time if that is what was asked for.
    pub figure: Known,
    /// What keeps the target then; none where the best configuration still does.
    pub needs: Option<Needs>,
}

/// The figure that is to be kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Asked {
    /// At least so many items per unit of time.
    Throughput(f64),
    /// At most so long in the mean from the first stage to the last.
    ResponseTime(f64),
    /// For a part of the items at most so long.
    ResponseTimeOf {
        /// The part, above 0 and below 1.
        part: f64,
        /// The time.
        time: f64,
    },
}

/// The answer to "how many replicas, and where?".
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Dimension {
    /// The skeleton that was asked about.
    pub(super) tree: Tree,
    /// What is to be kept.
    pub asked: Asked,
    /// The most that a configuration may cost, and whether that was asked for.
    pub at_most: (u64, bool),
    /// The places where the number of replicas may vary.
    pub places: Vec<Place>,
    /// The answer in one word.
    pub verdict: Verdict,
    /// The cheapest configuration found that keeps the target; of equally cheap ones, the best that was
    /// solved: that with the highest throughput, or with the shortest response time.
    pub best: Option<Configuration>,
    /// The others of the same cost that keep the target, or that may as far as it is known.
    pub ties: Vec<Alternative>,
    /// The best of the next cheaper configurations. It misses the target.
    pub next_cheaper: Option<Configuration>,
    /// The best that is allowed, where the target cannot be reached.
    pub closest: Option<Configuration>,
    /// The same question with other times.
    pub robustness: Robustness,
    /// How many chains of whole programs were solved, for everything here.
    pub solved: usize,
    /// How many chains of a few neighbouring stages were solved.
    pub windows: usize,
    /// What the model assumes of the program.
    pub assumptions: Vec<String>,
}

impl Dimension {
    /// The skeleton with the numbers of replicas that were found, for
    /// [`Program::with_skeleton`](skel_core::skeleton::Program::with_skeleton).
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let program = pipe!(task("read", 20.0), task("sharpen", 5.0)).communicating(100.0);
    /// let answer = program.dimension(Target::throughput(12.0))?;
    /// let found = program.with_skeleton(answer.skeleton().expect("it can be reached"));
    /// assert!(*found.performance()?.throughput() >= 12.0);
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn skeleton(&self) -> Option<Tree> {
        let best = self.best.as_ref()?;
        let stages = self.places.iter().map(|place| place.stage);
        Some(self.tree.with_replicas(&stages.zip(best.replicas.iter().copied()).collect::<Vec<_>>()))
    }

    /// How many replicas were found for a node of the skeleton that was asked about; none if nothing was
    /// found, or if its number could not vary.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn replicas_at(&self, stage: StageId) -> Option<u32> {
        let place = self.places.iter().position(|place| place.stage == stage)?;
        Some(self.best.as_ref()?.replicas[place])
    }

    /// Whether the best configuration is proved to be the cheapest.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        matches!(self.verdict, Verdict::Cheapest(_))
    }
}
