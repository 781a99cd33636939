//! The figures of the reference programs, to their digits.

mod links;

use std::collections::BTreeMap;

use links::plogp;
use serde_json::Value;
use skel_network::collective::{Algorithm, Collective, Operation, Predicted};
use skel_network::simulate::Plan;
use skel_network::{Bytes, CommunicationModel, Hockney, LogGp, LogP, PLogP, Time};

fn reference(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn paper() -> Value {
    reference(include_str!("seeds/broadcast.json"))
}

fn more() -> Value {
    reference(include_str!("seeds/communication_more.json"))["c_collectives"].clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn collective(operation: Operation, row: &Value) -> Collective {
    let processes = u32::try_from(whole(&row["P"])).unwrap();
    Collective::new(operation, processes, Bytes::new(whole(&row["m"]))).unwrap()
}

fn networks(more: &Value) -> Vec<PLogP> {
    more["networks"].as_array().unwrap().iter().map(network).collect()
}

/// A latency and a table of gaps.
fn network(written: &Value) -> PLogP {
    let knot = |knot: &Value| (whole(&knot[0]), number(&knot[1]));
    plogp(number(&written["L"]), written["g"].as_array().unwrap().iter().map(knot))
}

/// The gap of the file with the paper's clusters, `10 + m/125`.
fn paper_link(latency: f64) -> PLogP {
    plogp(latency, [(0, 10.0), (125 << 20, 10.0 + f64::from(1 << 20))])
}

#[track_caller]
fn equal(found: Predicted, expected: &Value, row: &Value) {
    let (found, expected) = (found.time.as_microseconds(), number(expected));
    assert!((found - expected).abs() <= 1e-13 * expected, "{found} is not {expected} in {row}");
}

/// The paper's clusters with gaps of `10 + m/125` us. The file has three digits after the point.
#[test]
fn broadcasts_of_the_papers_clusters_as_printed() {
    let paper = paper();
    let rows = paper["bcast"].as_array().unwrap();
    assert_eq!(rows.len(), 25);
    for row in rows {
        let link = paper_link(number(&row["L_us"]));
        let broadcast = collective(Operation::Broadcast, row);
        let names = ["linear", "chain", "binary", "binomial"];
        let printed =
            names.map(|name| broadcast.time_as_printed(Algorithm::named(name).unwrap(), &link).unwrap());
        for (name, printed) in names.into_iter().zip(&printed) {
            let rounded = (printed.time.as_microseconds() * 1e3).round() / 1e3;
            assert_eq!(rounded, number(&row[name]), "{name} in {row}");
        }
        assert_eq!(printed[1].segment, Some(Bytes::new(whole(&row["seg"]))), "in {row}");
        let least = (0..4).min_by(|a, b| printed[*a].time.total_cmp(&printed[*b].time)).unwrap();
        assert_eq!(row["best"], names[least], "in {row}");
    }
}

/// The printed form leaves out a gap: 17059 us where the messages take 21215 us.
#[test]
fn a_binomial_tree_over_twenty_processes_takes_longer_than_printed() {
    let link = paper_link(48.39);
    let broadcast = Collective::new(Operation::Broadcast, 20, Bytes::new(512 << 10)).unwrap();
    let exact = broadcast.time(Algorithm::Binomial, &link).unwrap().time.as_microseconds();
    let printed = broadcast.time_as_printed(Algorithm::Binomial, &link).unwrap().time.as_microseconds();
    assert_eq!((exact.round(), printed.round()), (21215.0, 17059.0));
}

#[test]
fn every_operation_of_the_reference() {
    use {Algorithm as A, Operation as O};
    let more = more();
    let (networks, rows) = (networks(&more), more["rows"].as_array().unwrap());
    assert_eq!(rows.len(), 72);
    let per_byte = Time::microseconds(number(&more["gamma_us_per_byte"]));
    for row in rows {
        let link = &networks[usize::try_from(whole(&row["net"])).unwrap()];
        let of = |operation| collective(operation, row);
        let exact = |operation, algorithm| of(operation).time(algorithm, link).unwrap();
        let printed = |algorithm| of(O::Broadcast).time_as_printed(algorithm, link).unwrap();
        for (name, operation, algorithm) in [
            ("flat", O::Broadcast, A::Flat),
            ("binary", O::Broadcast, A::Binary),
            ("binomial", O::Broadcast, A::Binomial),
            ("scatter_flat", O::Scatter, A::Flat),
            ("scatter_binomial", O::Scatter, A::Binomial),
            ("gather_flat", O::Gather, A::Flat),
            ("gather_binomial", O::Gather, A::Binomial),
            ("allgather_ring", O::AllGather, A::Ring),
            ("allgather_doubling_or_bruck", O::AllGather, A::Bruck),
            ("reduce_binomial_no_compute", O::Reduce, A::Binomial),
        ] {
            equal(exact(operation, algorithm), &row[name], row);
        }
        if of(O::AllGather).processes().is_power_of_two() {
            equal(exact(O::AllGather, A::RecursiveDoubling), &row["allgather_doubling_or_bruck"], row);
        }
        let reduce = of(O::Reduce).combining(per_byte).unwrap();
        equal(reduce.time(A::Binomial, link).unwrap(), &row["reduce_binomial"], row);
        equal(printed(A::Binary), &row["binary_bound_printed"], row);
        equal(printed(A::Binomial), &row["binomial_printed"], row);
        for (name, found) in [("chain", exact(O::Broadcast, A::Chain)), ("chain_printed", printed(A::Chain))]
        {
            equal(found, &row[name]["time"], row);
            assert_eq!(found.segment, Some(Bytes::new(whole(&row[name]["segment"]))), "{name} in {row}");
        }
        the_best_of_all_segments(of(O::Broadcast), link, row);
    }
}

/// The best of all segments, which the reference tried one by one, is at most 1.61 % faster than the best of
/// those that are tried.
fn the_best_of_all_segments(broadcast: Collective, link: &PLogP, row: &Value) {
    let any = &row["chain_any_segment"];
    let segment = Bytes::new(whole(&any["a_best_segment"]));
    equal(broadcast.time_with_segment(Algorithm::Chain, link, segment).unwrap(), &any["time"], row);
    let found = broadcast.time(Algorithm::Chain, link).unwrap().time.as_microseconds();
    assert!(found <= 1.0161 * number(&any["time"]), "in {row}");
}

/// The children of every process of a binomial tree, in the order in which they are sent to.
#[test]
fn the_binomial_tree_of_the_reference() {
    let more = more();
    for (processes, expected) in more["binomial_children"].as_object().unwrap() {
        let broadcast =
            Collective::new(Operation::Broadcast, processes.parse().unwrap(), Bytes::new(1)).unwrap();
        let plan = Plan::of(&broadcast, Algorithm::Binomial, None).unwrap();
        let mut children: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for message in plan.messages() {
            children.entry(message.from.to_string()).or_default().push(message.to);
        }
        assert_eq!(serde_json::to_value(children).unwrap(), *expected);
    }
}

fn model(name: &str, parameters: &Value) -> Box<dyn CommunicationModel> {
    let us = |of: &str| Time::microseconds(number(&parameters[of]));
    match name {
        "Hockney" => Box::new(Hockney::new(us("alpha"), number(&parameters["beta"])).unwrap()),
        "LogP" => {
            Box::new(LogP::new(us("L"), us("o"), us("g"), Bytes::new(whole(&parameters["w"]))).unwrap())
        }
        "LogGP" => Box::new(LogGp::new(us("L"), us("o"), us("g"), us("G")).unwrap()),
        _ => Box::new(network(parameters)),
    }
}

/// What the reference predicts by the model that it chose for each algorithm, from bases made by each of the
/// models.
#[test]
fn broadcasts_by_all_models() {
    let reference = reference(include_str!("seeds/communication_more.json"));
    let poly = &reference["f_poly_adapt"];
    let processes = u32::try_from(whole(&poly["P"])).unwrap();
    let mut seen = BTreeMap::new();
    for selection in
        poly["bases"].as_array().unwrap().iter().flat_map(|base| base["selection"].as_array().unwrap())
    {
        let size = Bytes::new(whole(&selection["m"]));
        let broadcast = Collective::new(Operation::Broadcast, processes, size).unwrap();
        for row in selection["per_algorithm"].as_array().unwrap() {
            let (name, algorithm) = (row["model"].as_str().unwrap(), row["algorithm"].as_str().unwrap());
            let (model, algorithm) =
                (model(name, &poly["models"][name]), Algorithm::named(algorithm).unwrap());
            let found = match row["segment"].as_u64() {
                None => broadcast.time(algorithm, &*model),
                Some(segment) => broadcast.time_with_segment(algorithm, &*model, Bytes::new(segment)),
            };
            equal(found.unwrap(), &row["predicted"], row);
            *seen.entry((name, algorithm)).or_insert(0) += 1;
        }
    }
    assert_eq!(seen.len(), 16);
}
