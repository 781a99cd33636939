//! The reference values, and the scenarios that they are for.

use serde_json::Value;
use skel_core::number::Ratio;
use skel_core::rate::Rate;
use skel_distribute::{RelativePerformance, Scenario};

/// Chunk sequences, simulations and shares that were computed independently in exact rationals.
pub(crate) fn balance() -> Value {
    serde_json::from_str(include_str!("../seeds/balance.json")).unwrap()
}

/// A list of the reference values.
pub(crate) fn list<'v>(values: &'v Value, key: &str) -> &'v [Value] {
    values[key].as_array().unwrap_or_else(|| panic!("no list `{key}`"))
}

/// An exact decimal or fraction.
pub(crate) fn rate(value: &Value) -> Rate {
    match value {
        Value::String(text) => Rate::parse(text).unwrap(),
        number => number.as_f64().unwrap().into(),
    }
}

pub(crate) fn exact(value: &Value) -> Ratio {
    rate(value).exact().unwrap().clone()
}

pub(crate) fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

pub(crate) fn rates(value: &Value) -> Vec<Rate> {
    value.as_array().unwrap().iter().map(rate).collect()
}

/// The scenario of an entry of `simulation`, `awf_sequences` or `loss`.
pub(crate) fn scenario(entry: &Value) -> Scenario {
    let items = entry["N"].as_u64().unwrap();
    let mut scenario =
        Scenario::new(items, rates(&entry["delta"])).unwrap().with_overhead(rate(&entry["h"])).unwrap();
    if !entry["phi"].is_null() {
        let performance = RelativePerformance::of_weights(rates(&entry["phi"])).unwrap();
        scenario = scenario.with_performance(performance).unwrap();
    }
    for change in entry["changes"].as_array().into_iter().flatten() {
        let machine = change[1].as_u64().unwrap() as usize;
        scenario = scenario.with_change(machine, rate(&change[0]), rate(&change[2])).unwrap();
    }
    for loss in entry["lost"].as_array().into_iter().flatten() {
        scenario = scenario.with_loss(loss[1].as_u64().unwrap() as usize, rate(&loss[0])).unwrap();
    }
    scenario
}
