//! Answers have the same bits whatever the number of threads, where threads share the work: chains of more
//! than a hundred thousand states as a Kronecker descriptor, and of more than fifty thousand as a list of
//! rates.

use std::num::NonZeroUsize;

use skel::prelude::*;
use skel::space::Storage;
use skel::steady::Method;

fn limits(threads: usize) -> Limits {
    Limits { threads: NonZeroUsize::new(threads), ..Limits::default() }
}

/// The bits of all probabilities, and of the throughputs.
fn bits(model: &Model, storage: Storage, method: Method, threads: usize) -> (usize, Vec<u64>, Vec<u64>) {
    let limits = limits(threads);
    let space = model.explorer().limits(&limits).storage(storage).explore().expect("a space");
    let options = skel::steady::Options { method, tolerance: 1e-8, ..skel::steady::Options::default() };
    let steady = space.solver().limits(&limits).options(&options).solve().expect("a steady state");
    let of = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
    let throughputs: Vec<f64> = steady.throughputs().into_iter().map(|(_, value)| value).collect();
    (space.states(), of(steady.probabilities()), of(&throughputs))
}

fn assert_same(text: &str, storage: Storage, method: Method, least_states: usize) {
    let model = skel::text::parse(text).into_model().expect("a model");
    let one = bits(&model, storage, method, 1);
    assert!(one.0 >= least_states, "{} states", one.0);
    for threads in [2, 3, 8] {
        assert!(bits(&model, storage, method, threads) == one, "{threads} threads: {text}");
    }
}

/// A pipeline: three states for each of its stages.
fn pipeline(stages: usize) -> String {
    let stage = |at: usize| {
        let next = at + 1;
        format!(
            "Stage{at} = (move{at}, infty).(process{at}, infty).(move{next}, infty).Stage{at};
             Processor{at} = (process{at}, {}).Processor{at};\n",
            2 + at % 3
        )
    };
    let stages_text: String = (1..=stages).map(stage).collect();
    let mut system = String::from("Stage1");
    for at in 2..=stages {
        system = format!("({system} <move{at}> Stage{at})");
    }
    let processors: Vec<String> = (1..=stages).map(|at| format!("Processor{at}")).collect();
    let processes: Vec<String> = (1..=stages).map(|at| format!("process{at}")).collect();
    let moves: Vec<String> = (1..=stages + 1).map(|at| format!("(move{at}, 10).Network")).collect();
    let moved: Vec<String> = (1..=stages + 1).map(|at| format!("move{at}")).collect();
    format!(
        "{stages_text}Network = {};\n(({system}) <{}> ({})) <{}> Network",
        moves.join(" + "),
        processes.join(", "),
        processors.join(" || "),
        moved.join(", ")
    )
}

/// A server that goes round so many queues. Arrivals are rare beside its steps, so that probability flows in
/// a direction.
fn polling(stations: usize) -> String {
    let station = |at: usize| {
        let next = at % stations + 1;
        format!(
            "Empty{at} = (arrive{at}, 0.08).Full{at} + (pass{at}, infty).Empty{at};
             Full{at} = (find{at}, infty).Full{at} + (serve{at}, infty).Empty{at};
             Look{at} = (pass{at}, 200).Look{next} + (find{at}, 200).Serve{at};
             Serve{at} = (serve{at}, 1).Look{next};\n"
        )
    };
    let texts: String = (1..=stations).map(station).collect();
    let queues: Vec<String> = (1..=stations).map(|at| format!("Empty{at}")).collect();
    let actions = |name: &str| (1..=stations).map(|at| format!("{name}{at}")).collect::<Vec<_>>().join(", ");
    let shared = [actions("pass"), actions("find"), actions("serve")].join(", ");
    format!("{texts}Look1 <{shared}> ({})", queues.join(" || "))
}

#[test]
fn sweeps_in_the_order_of_the_flow_have_the_bits_of_one_thread() {
    assert_same(&polling(12), Storage::Automatic, Method::Automatic, 50_000);
}

#[test]
fn sweeps_over_blocks_have_the_bits_of_one_thread() {
    assert_same(&pipeline(11), Storage::Bitset, Method::Automatic, 1 << 17);
}

#[test]
fn sweeps_over_levels_have_the_bits_of_one_thread() {
    for method in [Method::Automatic, Method::GaussSeidel] {
        assert_same(&pipeline(10), Storage::Explicit, method, 50_000);
    }
}

#[test]
fn explored_states_have_the_same_numbers() {
    let text = "Client = (think, 1).Wait; Wait = (request, infty).Busy; Busy = (serve, infty).Client;
        Server = (request, 5).Work; Work = (serve, 3).Reset; Reset = (reset, 20).Server;
        Client[10] <request, serve> Server[2]";
    let model = skel::text::parse(text).into_model().expect("a model");
    let space = |threads| {
        let space = model.explorer().limits(&limits(threads)).explore().expect("a space");
        let states: Vec<String> = (0..space.states()).step_by(7).map(|at| space.display_state(at)).collect();
        (space.transitions(), states)
    };
    let one = space(1);
    for threads in [2, 3, 8] {
        assert!(space(threads) == one, "{threads} threads");
    }
}
