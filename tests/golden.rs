//! Reference models, computed by an independent implementation, read from files.

use serde_json::Value;
use skel::prelude::*;

fn golden() -> Vec<Value> {
    serde_json::from_str(include_str!("seeds/golden.json")).unwrap()
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-10 * expected.abs()
}

#[test]
fn every_golden_model_has_its_chain_and_its_throughputs() {
    let all = golden();
    assert_eq!(all.len(), 32);
    for golden in all {
        let name = golden["name"].as_str().unwrap();
        let model = skel::text::parse(golden["text"].as_str().unwrap()).into_model().unwrap();
        let space = model.explore().unwrap();
        assert_eq!(space.states() as u64, golden["states"].as_u64().unwrap(), "{name}");
        assert_eq!(space.transitions() as u64, golden["arcs_labelled"].as_u64().unwrap(), "{name}");
        let exact = space.steady_state_exact().unwrap();
        let float = space.steady_state().unwrap();
        for (action, value) in golden["throughput"].as_object().unwrap() {
            let value = value.as_str().unwrap();
            assert_eq!(exact.throughput_named(action).unwrap().to_string(), value, "{name} {action}");
            let expected = golden["throughput_float"][action].as_f64().unwrap();
            assert!(close(float.throughput_named(action).unwrap(), expected), "{name} {action}");
        }
        for (result, value) in golden["results"].as_object().unwrap() {
            assert_eq!(
                exact.result_named(result).unwrap().to_string(),
                value.as_str().unwrap(),
                "{name} {result}"
            );
        }
    }
}

#[test]
fn the_reference_semantics_gives_the_golden_chains() {
    for golden in golden() {
        let name = golden["name"].as_str().unwrap();
        let model = skel::text::parse(golden["text"].as_str().unwrap()).into_model().unwrap();
        let graph = skel::explore::explore::<f64>(&model, 1000).unwrap();
        let arcs: usize = graph.transitions.iter().map(Vec::len).sum();
        assert_eq!(graph.states.len() as u64, golden["states"].as_u64().unwrap(), "{name}");
        assert_eq!(arcs as u64, golden["arcs_multi"].as_u64().unwrap(), "{name}");
    }
}

#[test]
fn iterative_methods_agree_with_the_golden_values() {
    let options = skel::steady::Options { direct_up_to: 0, ..Default::default() };
    for golden in golden() {
        let name = golden["name"].as_str().unwrap();
        let model = skel::text::parse(golden["text"].as_str().unwrap()).into_model().unwrap();
        let space = model.explore().unwrap();
        let pi = space.solver().options(&options).solve().unwrap();
        for (action, value) in golden["throughput_float"].as_object().unwrap() {
            let (found, expected) = (pi.throughput_named(action).unwrap(), value.as_f64().unwrap());
            assert!(close(found, expected), "{name} {action}: {found} for {expected}, {:?}", pi.report());
        }
    }
}

#[test]
fn every_model_of_the_repository_has_its_expected_values() {
    let expected: Vec<Value> = serde_json::from_str(include_str!("../models/expected.json")).unwrap();
    assert!(expected.len() >= 10);
    for entry in expected {
        let file = entry["file"].as_str().unwrap();
        let path = format!("{}/models/{file}", env!("CARGO_MANIFEST_DIR"));
        let parsed = skel::text::parse(&std::fs::read_to_string(path).unwrap());
        assert!(parsed.diagnostics.is_empty(), "{file}: {:?}", parsed.diagnostics);
        let space = parsed.into_model().unwrap().explore().unwrap();
        assert_eq!(space.states() as u64, entry["states"].as_u64().unwrap(), "{file}");
        assert_eq!(space.transitions() as u64, entry["transitions"].as_u64().unwrap(), "{file}");
        let float = space.steady_state().unwrap();
        let exact = space.steady_state_exact().unwrap();
        for (kind, values) in [("throughput", &entry["throughput"]), ("results", &entry["results"])] {
            for (name, value) in values.as_object().unwrap() {
                let text = value.as_str().unwrap();
                let wanted = skel::rate::Rate::parse(text).unwrap();
                let of_float = match kind {
                    "throughput" => float.throughput_named(name),
                    _ => float.result_named(name),
                };
                let wanted = skel::number::Number::to_float(wanted.exact().unwrap());
                assert!(close(of_float.unwrap(), wanted), "{file} {name}");
                let of_exact = match kind {
                    "throughput" => exact.throughput_named(name),
                    _ => exact.result_named(name),
                };
                assert_eq!(of_exact.unwrap().to_string(), text, "{file} {name}");
            }
        }
    }
}
