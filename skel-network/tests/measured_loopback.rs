//! How well the chosen model predicts messages that it has not seen: on the recorded loopback, and on that of
//! the machine that runs this.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use skel_network::measure::{Control, Listener, Peer, Plan, Series};
use skel_network::select::Links;
use skel_network::{Bytes, CommunicationModel, Measured, Measurement, Network, Time};

/// The relative errors of the times that the chosen model predicts for some messages.
fn errors(links: &Links, unseen: &[(Bytes, Time)]) -> Vec<f64> {
    let error = |&(size, time): &(Bytes, Time)| {
        let predicted = links.model(size).unwrap().candidate.model.time(size).unwrap();
        (predicted - time).as_microseconds().abs() / time.as_microseconds()
    };
    unseen.iter().map(error).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}

fn recorded() -> Network {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/networks/loopback.toml");
    Network::from_file(path).unwrap()
}

/// Every second size of the recorded loopback is left out, and then predicted from the others.
#[test]
fn the_recorded_loopback_is_predicted() {
    let network = recorded();
    assert_eq!(network.machines().collect::<Vec<_>>(), ["here", "there"]);
    let is_link = |one: &&Measurement| one.from != one.to;
    let runs: Vec<Measurement> = network.measurements().iter().filter(is_link).cloned().collect();
    assert_eq!(runs.len(), 22 * 6);
    // 2, 8, 32, ... and 512 KiB: all between the smallest and the largest that are left.
    let is_unseen = |size: Bytes| size.get() > 1 && size.get().trailing_zeros() % 2 == 1;
    let (unseen, seen): (Vec<Measurement>, Vec<Measurement>) =
        runs.into_iter().partition(|one| is_unseen(one.size));
    let unseen: Vec<(Bytes, Time)> = unseen
        .iter()
        .filter(|one| one.measured == Measured::HalfRoundTrip)
        .map(|one| (one.size, one.time))
        .collect();
    assert_eq!(unseen.len(), 10);
    let errors = errors(&Links::new(None, Vec::new(), &seen), &unseen);
    assert!(median(errors.clone()) < 0.25, "{errors:?}");
}

/// Messages between two threads cost less than those over TCP, and have a model of their own.
#[test]
fn the_recorded_threads_are_a_link_of_their_own() {
    let network = recorded();
    let (threads, loopback) = (network.within("here").unwrap(), network.between("here", "there").unwrap());
    assert!(network.within("there").is_none() && network.between("here", "here").is_none());
    for size in [1, 1000, 300_000].map(Bytes::new) {
        let [inside, between] =
            [&threads, &loopback].map(|links| links.model(size).unwrap().candidate.model.time(size).unwrap());
        assert!(inside < between, "{size}: {inside} {between}");
    }
}

/// The loopback of this machine: 20 sizes half-way between those that were fitted. Run it with
/// `--ignored --nocapture`.
#[test]
#[ignore = "times messages, so it depends on what else the machine does"]
fn this_loopback_is_predicted() {
    let listener = Listener::bind("127.0.0.1:0", "there").unwrap();
    let address = listener.address().to_string();
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&is_over);
    let control = Control::default().stopping_when(move || over.load(Ordering::Relaxed));
    let other = std::thread::spawn(move || listener.serve(&control, &|_| {}));
    let plan = Plan::default().up_to(Bytes::new(2 << 20)).unwrap().repeated(200, 40).unwrap();
    let measure = |plan: &Plan| -> Vec<Series> {
        let peer = Peer::connect(&address, plan, &Control::default()).unwrap();
        peer.measure(plan, &Control::default()).unwrap()
    };
    let seen: Vec<Measurement> = measure(&plan).iter().map(|one| one.between("here", "there")).collect();
    let unseen: Vec<(Bytes, Time)> = measure(&plan.between_sizes())
        .iter()
        .filter(|one| one.measured == Measured::HalfRoundTrip)
        .map(|one| (one.size, one.median))
        .collect();
    is_over.store(true, Ordering::Relaxed);
    other.join().unwrap().unwrap();
    assert_eq!(unseen.len(), 20);
    let links = Links::new(None, Vec::new(), &seen);
    let errors = errors(&links, &unseen);
    for ((size, time), error) in unseen.iter().zip(&errors) {
        let chosen = links.model(*size).unwrap().candidate.model.kind();
        println!("{:>8} bytes: {time:.2}, {chosen} is {:.1} % off", size.get(), 100.0 * error);
    }
    println!("median {:.1} %", 100.0 * median(errors.clone()));
    assert!(median(errors.clone()) < 0.25, "{errors:?}");
}
