//! Schedules and scenarios for laws.

use proptest::prelude::*;
use skel_distribute::{Scenario, Schedule};

/// Any schedule, with small parameters.
pub(crate) fn any_schedule() -> impl Strategy<Value = Schedule> {
    let plain = prop::sample::select(Schedule::PLAIN.to_vec());
    let variants =
        ["LLVM-GSS", "LLVM-GSS(3)", "LLVM-TSS", "mFAC2", "FAC2-formula"].map(|name| name.parse().unwrap());
    prop_oneof![
        4 => plain,
        1 => prop::sample::select(variants.to_vec()),
        1 => (1_u64..50).prop_map(|items| Schedule::Chunked { items }),
        1 => (1_u64..50).prop_map(|least| Schedule::Guided { least }),
        1 => (1_u64..50, 0_u64..50).prop_map(|(last, more)| Schedule::Trapezoid { ends: Some((last + more, last)) }),
        1 => (1_u64..50).prop_map(|phases| Schedule::VrpSelfScheduling { phases }),
    ]
}

/// Weights of some machines: decimals of very different sizes, and some that are 0.
pub(crate) fn weights() -> impl Strategy<Value = Vec<f64>> {
    let weight = prop_oneof![
        1 => Just(0.0),
        3 => (1_u32..10).prop_map(f64::from),
        3 => (1_u32..1_000_000, -9..3).prop_map(|(digits, power)| f64::from(digits) * 10_f64.powi(power)),
    ];
    prop::collection::vec(weight, 1..30)
        .prop_filter("a weight is not 0", |weights| weights.iter().any(|&weight| weight > 0.0))
}

/// Times for an item, as decimals.
pub(crate) fn decimals() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((1_u32..5000).prop_map(|digits| f64::from(digits) / 1000.0), 1..8)
}

/// Machines of any speed, with changes, and with losses of all but the first.
pub(crate) fn scenario() -> impl Strategy<Value = Scenario> {
    let time = || (0_u32..4000).prop_map(|digits| f64::from(digits) / 100.0);
    let change =
        (any::<prop::sample::Index>(), time(), (1_u32..80).prop_map(|factor| f64::from(factor) / 10.0));
    let loss = (any::<prop::sample::Index>(), time());
    let happenings = (prop::collection::vec(change, 0..4), prop::collection::vec(loss, 0..3));
    (1_u64..300, decimals(), (0_u32..500), happenings).prop_map(
        |(items, seconds, overhead, (changes, losses))| {
            let machines = seconds.len();
            let mut scenario = Scenario::new(items, seconds).unwrap();
            scenario = scenario.with_overhead(f64::from(overhead) / 1000.0).unwrap();
            for (machine, at, factor) in changes {
                // Two changes at one time are none.
                let changed = scenario.clone().with_change(machine.index(machines), at, factor);
                scenario = changed.unwrap_or(scenario);
            }
            for (machine, at) in losses {
                match machine.index(machines) {
                    0 => {}
                    machine => scenario = scenario.clone().with_loss(machine, at).unwrap_or(scenario),
                }
            }
            scenario
        },
    )
}

/// A scenario in whole numbers, which a clock that ticks can simulate.
#[derive(Clone, Debug)]
pub(crate) struct Small {
    pub(crate) items: u64,
    /// 1, 2 or 4 s for an item.
    pub(crate) seconds: Vec<u64>,
    pub(crate) overhead: u64,
    /// For each machine perhaps a time from which on an item takes so many seconds, again 1, 2 or 4.
    pub(crate) changes: Vec<Option<(u64, u64)>>,
    pub(crate) losses: Vec<Option<u64>>,
}

impl Small {
    pub(crate) fn scenario(&self) -> Scenario {
        let exact = |number: u64| number as i64;
        let mut scenario =
            Scenario::new(self.items, self.seconds.iter().map(|&seconds| exact(seconds))).unwrap();
        scenario = scenario.with_overhead(exact(self.overhead)).unwrap();
        for (machine, change) in self.changes.iter().enumerate() {
            if let Some((at, seconds)) = change {
                let factor = skel_core::number::ratio(exact(*seconds), exact(self.seconds[machine]));
                scenario = scenario.with_change(machine, exact(*at), factor).unwrap();
            }
        }
        for (machine, loss) in self.losses.iter().enumerate() {
            if let Some(at) = loss {
                scenario = scenario.with_loss(machine, exact(*at)).unwrap();
            }
        }
        scenario
    }

    pub(crate) fn weights(&self) -> Vec<u64> {
        self.seconds.iter().map(|seconds| 4 / seconds).collect()
    }
}

pub(crate) fn small_scenario() -> impl Strategy<Value = Small> {
    let seconds = || prop::sample::select(vec![1_u64, 2, 4]);
    let machine = (
        seconds(),
        prop::option::weighted(0.4, (0_u64..30, seconds())),
        prop::option::weighted(0.25, 0_u64..30),
    );
    (1_u64..40, 0_u64..3, prop::collection::vec(machine, 1..=3)).prop_map(|(items, overhead, machines)| {
        Small {
            items,
            overhead,
            seconds: machines.iter().map(|machine| machine.0).collect(),
            changes: machines.iter().map(|machine| machine.1).collect(),
            losses: machines.iter().map(|machine| machine.2).collect(),
        }
    })
}
