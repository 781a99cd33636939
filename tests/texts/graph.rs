//! What holds of any text, read as a graph of a program: a graph or findings; what is read can be drawn, and
//! has a time or reasons why not.

use skel_fit::graph::Graph;

use super::places;

/// Holds for a text.
pub(crate) fn is_lawful(text: &str) {
    match Graph::from_text(text) {
        Ok(graph) => {
            is_drawn(&graph);
            [0.0, 2.0, 1e300].into_iter().for_each(|value| has_times(&graph, value));
        }
        Err(findings) => {
            assert!(!findings.is_empty(), "{text:?}");
            places::are_within(&findings, text);
        }
    }
}

fn is_drawn(graph: &Graph) {
    let svg = graph.to_svg();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{svg}");
}

fn has_times(graph: &Graph, value: f64) {
    let parameters: Vec<(&str, f64)> = graph.parameters().map(|name| (name, value)).collect();
    match graph.times_with(&parameters, |_| Some(0.5)) {
        Ok(times) => {
            assert!(times.seconds.is_finite(), "{graph:?}");
            assert!(times.parts.iter().all(|part| part.times >= 0.0), "{graph:?}");
        }
        Err(error) => assert!(!error.problems.is_empty() && !error.to_string().is_empty(), "{graph:?}"),
    }
    if !graph.fitted_segments().is_empty() {
        assert!(graph.times(&parameters).is_err(), "{graph:?}");
    }
}
