//! A family with many copies: K clients and S servers, the copies told apart and counted.
//!
//! The numbers of states follow from counting (`benches/peers/client_server.py` has the formulas). The mean
//! numbers of thinking clients are those of the chain of counted copies, written down by hand and eliminated
//! in 40 digits.

use skel::number::Number;
use skel::prelude::*;
use skel::steady::Options;

fn client_server(clients: usize, servers: usize) -> Model {
    let text = format!(
        "Client = (think, 1).Wait; Wait = (request, infty).Busy; Busy = (serve, infty).Client;
         Server = (request, 5).Work; Work = (serve, 3).Reset; Reset = (reset, 20).Server;
         Client[{clients}] <request, serve> Server[{servers}]"
    );
    Model::from_text(&text).unwrap()
}

#[test]
fn counted_copies_are_as_few_as_counting_says_and_give_the_known_answers() {
    let known =
        [(10, 2, 62, 3.426349362078492), (10, 4, 145, 6.143736626611053), (14, 2, 86, 3.428570149392373)];
    for (clients, servers, states, thinking) in known {
        let space = client_server(clients, servers).explorer().lumped().explore().unwrap();
        assert_eq!(space.states(), states, "{clients} and {servers}");
        let found = space.steady_state().unwrap().population_named("Client").unwrap();
        assert!((found - thinking).abs() < 1e-12, "{clients} and {servers}: {found}");
    }
}

#[test]
fn copies_that_are_told_apart_give_the_same_answers_as_counted_ones() {
    let model = client_server(10, 2);
    let whole = model.explore().unwrap();
    assert_eq!((whole.states(), whole.transitions()), (36_096, 306_176));
    let found = whole.steady_state().unwrap();
    let exact = model.explorer().lumped().explore().unwrap().steady_state_exact().unwrap();
    for state in ["Client", "Wait", "Busy", "Server", "Work", "Reset"] {
        let (found, exact) = (found.population_named(state).unwrap(), exact.population_named(state).unwrap());
        assert!((found / exact.to_float() - 1.0).abs() < 1e-12, "{state}: {found} for {}", exact.to_float());
    }
}

/// Holds the populations of copies that are told apart against those of counted ones, to twelve digits.
fn populations_agree(clients: usize, servers: usize) {
    let model = client_server(clients, servers);
    let options = Options { tolerance: 1e-12, ..Options::default() };
    let found = model.explore().unwrap().solver().options(&options).solve().unwrap();
    let counted = model.explorer().lumped().explore().unwrap().steady_state().unwrap();
    for state in ["Client", "Wait", "Busy", "Server", "Work", "Reset"] {
        let (found, counted) =
            (found.population_named(state).unwrap(), counted.population_named(state).unwrap());
        assert!((found / counted - 1.0).abs() < 1e-12, "{state}: {found} for {counted}");
    }
}

#[test]
fn populations_of_many_states_keep_their_digits() {
    populations_agree(8, 4);
}

#[test]
#[ignore = "half a million states: some seconds"]
fn populations_of_half_a_million_states_keep_their_digits() {
    populations_agree(10, 4);
}

/// No server waits for a client, but for once in `10^30` and less: each then serves once in
/// `1/5 + 1/3 + 1/20`, and as many clients think. With 400 clients the rarest states are below the range of
/// floats.
#[test]
fn hundreds_of_clients_keep_ten_servers_busy() {
    for (clients, states) in [(100, 6446), (400, 26_246)] {
        let space = client_server(clients, 10).explorer().lumped().explore().unwrap();
        assert_eq!(space.states(), states);
        let pi = space.steady_state().unwrap();
        let served = 10.0 / (1.0 / 5.0 + 1.0 / 3.0 + 1.0 / 20.0);
        for action in ["think", "request", "serve", "reset"] {
            let found = pi.throughput_named(action).unwrap();
            assert!((found / served - 1.0).abs() < 1e-12, "{clients}, {action}: {found}");
        }
        assert!(pi.report().defect < 1e-10, "{:?}", pi.report());
    }
}
