//! Programs with service times of phases, with buffers and with one port: the values that independent
//! programs found, exactly.

use serde_json::Value;
use skel::number::Number;
use skel::performance::Performance;
use skel::prelude::*;
use skel::skeleton::{Program, Tree, text};
use skel::time::Fit;

fn program(text: &str) -> Program<Tree> {
    let parsed = text::parse(text);
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    parsed.program().expect("a program")
}

fn solved(text: &str) -> Performance<Tree, f64> {
    program(text).performance().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn solved_exactly(text: &str) -> Performance<Tree, Ratio> {
    program(text).performance_exact().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn fraction(value: &Value) -> Ratio {
    value.as_str().expect("a text").parse().expect("a fraction")
}

fn close(found: f64, expected: f64, relative: f64) {
    assert!((found / expected - 1.0).abs() <= relative, "{found}, not {expected}");
}

fn seeds() -> Value {
    serde_json::from_str(include_str!("seeds/service_times.json")).expect("JSON")
}

/// The states without lumping.
fn states<N: Number>(performance: &Performance<Tree, N>) -> u128 {
    let space = performance.steady_state().space();
    space.lumping().map_or(Some(space.states() as u128), skel::space::Lumping::states).expect("a count")
}

/// The skeleton of a row of `phase_type`, by what the row says of its services.
fn pipe_of(services: &str) -> &'static str {
    match services {
        "exp" => "pipe(task(1), task(1), task(1));",
        "erlang-2" => "pipe(task(erlang(2, 1)), task(erlang(2, 1)), task(erlang(2, 1)));",
        "erlang-4" => "pipe(task(erlang(4, 1)), task(erlang(4, 1)), task(erlang(4, 1)));",
        "erlang-8" => "pipe(task(erlang(8, 1)), task(erlang(8, 1)), task(erlang(8, 1)));",
        "erlang-16 (two stages)" => "pipe(task(erlang(16, 1)), task(erlang(16, 1)));",
        "erlang-2, the middle one slower, mean 2" => {
            "pipe(task(erlang(2, 1)), task(erlang(2, 2)), task(erlang(2, 1)));"
        }
        "exp, erlang-4, exp" => "pipe(task(1), task(erlang(4, 1)), task(1));",
        "exp, hyperexponential(1/4 at 1/2, 3/4 at 3/2: mean 1, scv 5/3), exp" => {
            "pipe(task(1), task(hyperexponential([1/4, 3/4], [1/2, 3/2])), task(1));"
        }
        "erlang-2, two stages" => "pipe(task(erlang(2, 1)), task(erlang(2, 1)));",
        "erlang-4, two stages" => "pipe(task(erlang(4, 1)), task(erlang(4, 1)));",
        other => panic!("no pipe for `{other}`"),
    }
}

#[test]
fn pipes_of_phases_have_the_fractions_of_an_independent_program() {
    let seeds = seeds();
    let rows = seeds["phase_type"].as_array().expect("rows");
    assert_eq!(rows.len(), 12);
    for row in rows {
        let services = row["services"].as_str().expect("services");
        let communication = row["communication"].as_str().expect("a rate");
        let performance = solved_exactly(&format!("{} communication({communication});", pipe_of(services)));
        assert_eq!(*performance.throughput(), fraction(&row["throughput"]["exact"]), "{services}");
        assert_eq!(states(&performance), row["states"].as_u64().expect("a count").into(), "{services}");
    }
}

#[test]
fn two_moment_fits_have_every_digit() {
    let seeds = seeds();
    let rows = seeds["two_moment_fits"].as_array().expect("rows");
    assert_eq!(rows.len(), 6);
    for row in rows {
        let (mean, scv) = (&row["mean"], &row["scv"]);
        let exact =
            |value: &Value| Rate::from(value.as_f64().expect("a number")).exact().cloned().expect("a number");
        // The reference is in floats, which lose a digit in differences.
        let same = |found: &Ratio, expected: &Value| {
            let difference = found.to_float() - expected.as_f64().expect("a number");
            assert!(difference.abs() <= 1e-15, "{found} is not {expected}, by {difference:e}");
        };
        match Fit::of(&exact(mean), &exact(scv)).expect("a fit") {
            Fit::Erlang { phases, fewer, rate } => {
                assert_eq!(row["k"], phases);
                same(&fewer, &row["p"]);
                same(&rate, &row["rate"]);
            }
            Fit::Hyperexponential { probabilities, rates } => {
                for number in 0..2 {
                    same(&probabilities[number], &row["p"][number]);
                    same(&rates[number], &row["rates"][number]);
                }
            }
        }
        let text = format!("pipe(task(1), task(fitted({mean}, {scv})), task(1)); communication(1);");
        let expected = row["throughput_middle_of_three"].as_str().expect("digits");
        let found = solved_exactly(&text).throughput().to_float();
        assert_eq!(format!("{found:.13}"), expected, "{text}");
        close(*solved(&text).throughput(), found, 1e-12);
    }
}

#[test]
fn the_mean_time_of_an_item_is_that_of_a_chain_with_one_tagged_item() {
    let seeds = seeds();
    let rows = seeds["response"].as_array().expect("rows");
    assert_eq!(rows.len(), 5);
    for row in rows {
        let skeleton = row["skeleton"].as_str().expect("a text");
        let communication = row["communication"].as_str().expect("a rate");
        let performance = solved_exactly(&format!("{skeleton} communication({communication});"));
        assert_eq!(states(&performance), row["states"].as_u64().expect("a count").into(), "{skeleton}");
        assert_eq!(*performance.throughput(), fraction(&row["throughput"]["exact"]), "{skeleton}");
        assert_eq!(performance.items_inside(), fraction(&row["mean_items"]["exact"]), "{skeleton}");
        assert_eq!(performance.response_time(), fraction(&row["mean_response"]["exact"]), "{skeleton}");
    }
}

/// A row of the table of farms, and its three columns that a skeleton can say: no buffer, and buffers of 1
/// and of 4.
fn farms(mut check: impl FnMut(&Value, u32, &Value)) {
    let seeds: Value = serde_json::from_str(include_str!("seeds/farm_ctmc.json")).expect("JSON");
    let cells = seeds["cells"].as_array().expect("rows");
    assert_eq!(cells.len(), 24);
    for cell in cells {
        for (capacity, column) in [(0, "b0_X"), (1, "b1_X"), (4, "b4_X")] {
            check(cell, capacity, &cell[column]);
        }
    }
}

fn farm(cell: &Value, capacity: u32, rest: &str) -> String {
    let rate = |mean: &Value| fraction(mean).recip();
    let (source, workers, sink) = (rate(&cell["Ts"]), rate(&cell["Tw"]), rate(&cell["Tc"]));
    let n = &cell["n"];
    format!("pipe(task({source}), farm({n}, {workers}), task({sink})); buffers({capacity}); {rest}")
}

/// With or without one port, where that makes a difference: a buffer has one port on either side in any case.
fn ports(capacity: u32) -> &'static [&'static str] {
    if capacity == 0 { &["", "one_port;"] } else { &[""] }
}

/// The column `held` is another discipline, which no skeleton says; these are the 72 other cells.
#[test]
fn farms_with_buffers_have_the_values_of_an_independent_program() {
    let mut fractions = 0;
    farms(|cell, capacity, expected| {
        for ports in ports(capacity) {
            let text = farm(cell, capacity, &format!("communication(none); {ports}"));
            match expected.as_f64() {
                Some(expected) => close(*solved(&text).throughput(), expected, 2e-14),
                None => {
                    let expected = fraction(expected);
                    close(*solved(&text).throughput(), expected.to_float(), 1e-12);
                    if ports.is_empty() {
                        assert_eq!(*solved_exactly(&text).throughput(), expected, "{text}");
                        fractions += 1;
                    }
                }
            }
        }
    });
    assert_eq!(fractions, 48);
}

#[test]
fn fast_moves_tend_to_the_values_of_an_independent_program() {
    farms(|cell, capacity, expected| {
        let expected = expected.as_f64().unwrap_or_else(|| fraction(expected).to_float());
        for ports in ports(capacity) {
            let text = farm(cell, capacity, &format!("communication(1000000); {ports}"));
            let found = *solved(&text).throughput();
            close(found, expected, 1e-5);
            assert!(found < expected, "{text}: moves take time");
        }
    });
}

#[test]
fn farms_with_buffers_are_lumped_to_counts() {
    for (workers, capacity, expected) in [(4, 1, 240), (4, 4, 1_500), (8, 4, 4_500)] {
        let stages = format!("pipe(task(1), farm({workers}, 1/4), task(1));");
        let performance = solved(&format!("{stages} buffers({capacity}); communication(100);"));
        assert_eq!(performance.steady_state().space().states(), expected);
    }
}

#[test]
fn one_port_serves_one_worker_at_a_time() {
    let service_time = |ports: &str| {
        let text = format!("pipe(task(2), farm(11, 1/4), task(2)); communication(10); {ports}");
        1.0 / solved(&text).throughput()
    };
    assert!((service_time("one_port;") - 0.681).abs() < 5e-4);
    assert!((service_time("") - 0.627).abs() < 5e-4);
    let two = |ports: &str| {
        *solved(&format!("pipe(task(1), farm(2, 1), task(1)); communication(1); {ports}")).throughput()
    };
    assert!((two("one_port;") - 0.38517).abs() < 5e-6, "{}", two("one_port;"));
    assert!((two("") - 0.443_932_486_8).abs() < 5e-11);
}

#[test]
fn two_stages_of_other_times_have_the_closed_form_of_the_larger_of_two() {
    // Both begin an item together: `E max + 1/c`. For two Erlang times of two phases at rate 2, E max is
    // 11/8.
    let two = |time: &str, rest: &str| solved_exactly(&format!("pipe(task({time}), task({time})); {rest}"));
    assert_eq!(*two("erlang(2, 1)", "communication(1);").throughput(), ratio(8, 19));
    assert_eq!(*two("erlang(2, 1)", "communication(none);").throughput(), ratio(8, 11));
    // With a buffer of c, the items that the first has computed and the second has not are a queue of at most
    // c + 2.
    assert_eq!(*two("1", "communication(none); buffers(1);").throughput(), ratio(3, 4));
    assert_eq!(*two("1", "communication(none); buffers(16);").throughput(), ratio(18, 19));
}
