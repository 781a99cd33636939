//! What conditions may ask for: the words of the measures, their units and the values that they can have.

/// The unit of a quantity, as far as conditions tell units apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Seconds to this power: 1 for a time, 0 for a number.
    SecondsTo(i32),
    /// No quantity: it holds, or it does not.
    YesNo,
}

/// The least and the greatest value of a measure, where it has them.
pub(super) struct Range {
    pub(super) least: i32,
    pub(super) greatest: Option<i32>,
    /// Whether it can have its least value.
    pub(super) includes_least: bool,
}

/// How the values of a measure are bounded.
#[derive(Clone, Copy)]
enum Kind {
    Time,
    PositiveTime,
    Number,
    FromOne,
    Share,
    YesNo,
}

macro_rules! measures {
    ($($(#[doc = $doc:literal])+ $name:ident $word:literal $kind:ident;)*) => {
        /// What is measured, predicted or known, as the conditions of rules name it. Those of a stage are of
        /// the stage that the rule looks at.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Measure { $($(#[doc = $doc])+ $name,)* }

        impl Measure {
            /// All measures.
            pub const ALL: &'static [Measure] = &[$(Measure::$name,)*];

            /// The word that stands for it in a condition.
            ///
            /// # Examples
            /// ```
            /// use skel_manage::rule::Measure;
            /// assert_eq!(Measure::StageTime.word(), "stage_time");
            /// ```
            #[must_use]
            pub fn word(self) -> &'static str { match self { $(Measure::$name => $word,)* } }

            fn kind(self) -> Kind { match self { $(Measure::$name => Kind::$kind,)* } }
        }
    };
}

measures! {
    /// `service_time`: that of the program, measured. Seconds.
    ServiceTime "service_time" Time;
    /// `contract`: the service time that is promised. Seconds.
    Contract "contract" PositiveTime;
    /// `limit`: the contract with its tolerance, less of it in longer windows; after a violation the contract
    /// alone, until it is kept again. Seconds.
    Limit "limit" PositiveTime;
    /// `predicted`: what the model says of the program as it is. Seconds.
    Predicted "predicted" Time;
    /// `predicted_with_fewer`: what the model says of one worker fewer at this stage; infinite if it has but
    /// one. Seconds.
    PredictedWithFewer "predicted_with_fewer" Time;
    /// `arrival_time`: T_A, 0 where it is not known since the source does not set the pace. Seconds.
    ArrivalTime "arrival_time" Time;
    /// `output_time`: T_D, 0 where it is not known. Seconds.
    OutputTime "output_time" Time;
    /// `dispatch_time`: T_S, the time of the stage before this one for each item; 0 of the first. Seconds.
    DispatchTime "dispatch_time" Time;
    /// `collect_time`: T_C, the time of the stage behind this one for each item; 0 of the last. Seconds.
    CollectTime "collect_time" Time;
    /// `worker_time`: T_W, the mean time of a worker of this stage for an item or its part of one. Seconds.
    WorkerTime "worker_time" Time;
    /// `stage_time`: f(T_W, n), the time of this stage for each item: of a farm T_W by n, of a map that of
    /// its slowest worker. Seconds.
    StageTime "stage_time" Time;
    /// `slowest_time`: the largest stage time of the program. Seconds.
    SlowestTime "slowest_time" Time;
    /// `workers`: n, the replicas or workers of this stage. A number.
    Workers "workers" FromOne;
    /// `all_workers`: the replicas and workers of the program. A number.
    AllWorkers "all_workers" FromOne;
    /// `variation`: the squared coefficient of variation of the worker time. A number.
    Variation "variation" Number;
    /// `imbalance`: the time of the slowest worker of a map by the mean of all; 1 of other stages. A number.
    Imbalance "imbalance" FromOne;
    /// `queue`: the items in front of this stage. A number.
    Queue "queue" Number;
    /// `buffer`: the capacity of the buffer in front of this stage. A number.
    Buffer "buffer" Number;
    /// `batch`: how many items travel together. A number.
    Batch "batch" FromOne;
    /// `busy`, from 0 to 1.
    Busy "busy" Share;
    /// `starved`, from 0 to 1.
    Starved "starved" Share;
    /// `blocked`, from 0 to 1.
    Blocked "blocked" Share;
    /// `waiting`, from 0 to 1.
    Waiting "waiting" Share;
    /// `services`: how many were measured at this stage. A number.
    Services "services" Number;
    /// `time_left`: how long the program is still to run; infinite where that is not known. Seconds.
    TimeLeft "time_left" Time;
    /// `can_grow`: whether workers can be added to this stage. Yes or no.
    CanGrow "can_grow" YesNo;
    /// `is_map`: whether the workers of this stage each serve a part of an item. Yes or no.
    IsMap "is_map" YesNo;
    /// `faster_processor`: whether a faster processor than that of this stage is free. Yes or no.
    FasterProcessor "faster_processor" YesNo;
}

/// What a rule's condition is asked of: the values of all measures at one stage. Yes is 1, no is 0, and what
/// is not known is NaN.
///
/// Always known are the service time, the contract, its limit, the numbers of workers and services, and what
/// is yes or no.
pub trait Facts {
    /// The value of a measure.
    fn value(&self, measure: Measure) -> f64;
}

/// The pairs of which the first is never greater than the second.
pub(super) const ORDERED: [(Measure, Measure); 3] = [
    (Measure::Contract, Measure::Limit),
    (Measure::StageTime, Measure::SlowestTime),
    (Measure::Workers, Measure::AllWorkers),
];

impl Measure {
    /// The measure of a word.
    ///
    /// # Examples
    /// ```
    /// use skel_manage::rule::Measure;
    /// assert_eq!(Measure::from_word("queue"), Some(Measure::Queue));
    /// assert_eq!(Measure::from_word("length"), None);
    /// ```
    #[must_use]
    pub fn from_word(word: &str) -> Option<Measure> {
        Measure::ALL.iter().copied().find(|measure| measure.word() == word)
    }

    pub(super) fn unit(self) -> Unit {
        match self.kind() {
            Kind::Time | Kind::PositiveTime => Unit::SecondsTo(1),
            Kind::Number | Kind::FromOne | Kind::Share => Unit::SecondsTo(0),
            Kind::YesNo => Unit::YesNo,
        }
    }

    pub(super) fn range(self) -> Range {
        let (least, greatest) = match self.kind() {
            Kind::Time | Kind::PositiveTime | Kind::Number => (0, None),
            Kind::FromOne => (1, None),
            Kind::Share | Kind::YesNo => (0, Some(1)),
        };
        Range { least, greatest, includes_least: !matches!(self.kind(), Kind::PositiveTime) }
    }

    /// Whether all facts have a value of it.
    pub(super) fn is_always_known(self) -> bool {
        use Measure::{AllWorkers, Contract, Limit, ServiceTime, Services, Workers};
        let is_known = [ServiceTime, Contract, Limit, Workers, AllWorkers, Services].contains(&self);
        is_known || self.unit() == Unit::YesNo
    }

    /// Whether its value may be 0.
    pub(super) fn may_be_zero(self) -> bool {
        let range = self.range();
        range.least == 0 && range.includes_least
    }

    /// Whether its value may be infinite.
    pub(super) fn may_be_infinite(self) -> bool {
        matches!(self, Measure::TimeLeft | Measure::Predicted | Measure::PredictedWithFewer)
    }
}
