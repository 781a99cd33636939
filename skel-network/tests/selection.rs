//! Which model and which algorithm are chosen: the figures of the reference, and how often the right model is
//! found in noise.

use serde_json::Value;
use skel_network::collective::{Algorithm, Collective, Operation};
use skel_network::file::{Experiment, Group};
use skel_network::partition::Rho;
use skel_network::select::{Basis, NoModel, NoSelection, poly_adapt};
use skel_network::{
    Bytes, CommunicationModel, GapTable, Hockney, Kind, LogGp, LogP, Measured, Measurement, Model, Network,
    PLogP, Time,
};

fn us(value: f64) -> Time {
    Time::microseconds(value)
}

fn reference() -> Value {
    let all: Value = serde_json::from_str(include_str!("seeds/communication_more.json")).unwrap();
    all["f_poly_adapt"].clone()
}

/// The models of the reference.
fn models(of: &Value) -> Vec<Model> {
    let time = |model: &str, key: &str| us(of["models"][model][key].as_f64().unwrap());
    let knots = of["models"]["pLogP"]["g"].as_array().unwrap().iter();
    let knots = knots.map(|knot| (Bytes::new(knot[0].as_u64().unwrap()), us(knot[1].as_f64().unwrap())));
    let hockney = Hockney::new(time("Hockney", "alpha"), of["models"]["Hockney"]["beta"].as_f64().unwrap());
    let packet = Bytes::new(of["models"]["LogP"]["w"].as_u64().unwrap());
    vec![
        hockney.unwrap().into(),
        LogP::new(time("LogP", "L"), time("LogP", "o"), time("LogP", "g"), packet).unwrap().into(),
        LogGp::new(time("LogGP", "L"), time("LogGP", "o"), time("LogGP", "g"), time("LogGP", "G"))
            .unwrap()
            .into(),
        PLogP::new(time("pLogP", "L"), GapTable::new(knots).unwrap()).unwrap().into(),
    ]
}

/// A row of the reference's bases.
fn experiment(row: &Value) -> Experiment {
    let segment = row[3].as_u64().filter(|segment| *segment > 0);
    Experiment {
        operation: Operation::Broadcast,
        algorithm: Algorithm::named(row[0].as_str().unwrap()).unwrap(),
        processes: row[1].as_u64().unwrap() as u32,
        size: Bytes::new(row[2].as_u64().unwrap()),
        segment: segment.map(Bytes::new),
        time: us(row[4].as_f64().unwrap()),
        at: None,
    }
}

fn close(value: f64, expected: &Value) {
    let expected = expected.as_f64().unwrap();
    assert!((value - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{value} {expected}");
}

fn broadcast(processes: u32, size: u64) -> Collective {
    Collective::new(Operation::Broadcast, processes, Bytes::new(size)).unwrap()
}

#[test]
fn every_selection_of_the_reference_is_made() {
    let reference = reference();
    let models = models(&reference);
    let mut cases = 0;
    for of in reference["bases"].as_array().unwrap() {
        let base: Vec<Experiment> = of["rows"].as_array().unwrap().iter().map(experiment).collect();
        for expected in of["selection"].as_array().unwrap() {
            let collective = broadcast(20, expected["m"].as_u64().unwrap());
            let selection = poly_adapt(&collective, &models, &base).unwrap();
            assert_eq!(selection.basis, Basis::Experiments(20));
            assert_eq!(selection.not_covered, []);
            assert_eq!(selection.best().predicted.algorithm.name(), expected["selected_algorithm"]);
            assert_eq!(selection.best().model.name(), expected["selected_model"]);
            close(selection.best().predicted.time.as_microseconds(), &expected["predicted"]);
            for expected in expected["per_algorithm"].as_array().unwrap() {
                let of = |case: &&skel_network::select::Case| {
                    case.predicted.algorithm.name() == expected["algorithm"]
                };
                let case = selection.cases.iter().find(of).unwrap();
                assert_eq!(case.predicted.segment.map(Bytes::get), expected["segment"].as_u64());
                assert_eq!((case.model.name(), case.runs), (expected["model"].as_str().unwrap(), 5));
                assert_eq!(case.errors.len(), expected["error"].as_object().unwrap().len());
                for (kind, error) in &case.errors {
                    close(*error, &expected["error"][kind.name()]);
                }
                close(case.margin().unwrap(), &expected["margin"]);
                close(case.predicted.time.as_microseconds(), &expected["predicted"]);
                cases += 1;
            }
        }
        let size = reference["not_covered"]["m"].as_u64().unwrap();
        let not_covered = poly_adapt(&broadcast(20, size), &models, &base).unwrap_err();
        assert_eq!(not_covered.sizes.len(), 5);
        assert_eq!(
            not_covered.to_string(),
            "the experiments have no broadcast of 1025 bytes over 20 processes; they have 64, 1024, 8192, 65536, 524288 bytes"
        );
        assert!(poly_adapt(&broadcast(19, 1024), &models, &base).unwrap_err().sizes.is_empty());
    }
    assert_eq!(cases, 80);
}

/// Random numbers: splitmix64.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.uniform()
    }

    /// By the method of Box and Muller.
    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.uniform()).ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// Four models of a link, whose parameters are in the range of the reference's.
fn random_models(random: &mut Random) -> Vec<Model> {
    let mut time = |least, most| us(random.between(least, most));
    let hockney = Hockney::new(time(40.0, 80.0), 105.0).unwrap();
    let logp = LogP::new(time(25.0, 50.0), time(3.0, 7.0), time(8.0, 16.0), Bytes::new(1460)).unwrap();
    let loggp = LogGp::new(time(25.0, 50.0), time(3.0, 7.0), time(10.0, 18.0), time(0.006, 0.012)).unwrap();
    let knots = [(1, 13.0), (1024, 24.0), (8192, 130.0), (65536, 640.0), (1_048_576, 9700.0)];
    let knots = knots.map(|(size, gap)| (Bytes::new(size), time(0.7 * gap, 1.3 * gap)));
    let plogp = PLogP::new(time(25.0, 50.0), GapTable::new(knots).unwrap()).unwrap();
    vec![hockney.into(), logp.into(), loggp.into(), plogp.into()]
}

/// In how many of 1,000 trials the model is found that made the runs: times with a normal error of 5 %, of a
/// random algorithm and size at which all other models are more than 5 % away.
fn found(runs: usize, seed: u64) -> usize {
    let random = &mut Random(seed);
    let (mut trials, mut found) = (0, 0);
    while trials < 1000 {
        let models = random_models(random);
        let generator = (random.uniform() * 4.0) as usize;
        let algorithm = Operation::Broadcast.algorithms()[(random.uniform() * 4.0) as usize];
        let size = [64, 1024, 8192, 65536, 524_288][(random.uniform() * 5.0) as usize];
        let collective = broadcast(20, size);
        let segment = collective.time(algorithm, &models[generator]).unwrap().segment;
        let time = |model: &Model| match segment {
            Some(segment) => collective.time_with_segment(algorithm, model, segment).unwrap().time,
            None => collective.time(algorithm, model).unwrap().time,
        };
        let truth = time(&models[generator]);
        let is_near =
            |(at, model): (usize, &Model)| at != generator && (time(model) / truth - 1.0).abs() <= 0.05;
        if models.iter().enumerate().any(is_near) {
            continue;
        }
        trials += 1;
        let run = |random: &mut Random| Experiment {
            operation: Operation::Broadcast,
            algorithm,
            processes: 20,
            size: Bytes::new(size),
            segment,
            time: truth * (1.0 + 0.05 * random.normal()),
            at: None,
        };
        let base: Vec<Experiment> = (0..runs).map(|_| run(random)).collect();
        let selection = poly_adapt(&collective, &models, &base).unwrap();
        found += usize::from(selection.best().model == models[generator].kind());
    }
    found
}

#[test]
fn five_runs_in_noise_tell_the_model_that_made_them() {
    let [one, five] = [found(1, 15), found(5, 15)];
    println!("{one} of 1000 with one run, {five} with five");
    assert!(five >= 950, "{five}");
    assert!(one < five, "{one} {five}");
}

fn half_round_trip(from: &str, to: &str, size: u64, time: f64) -> Measurement {
    let measured = Measured::HalfRoundTrip;
    Measurement { from: from.into(), to: to.into(), measured, size: Bytes::new(size), time: us(time) }
}

/// Without experiments, single messages decide, and the answer says so.
#[test]
fn single_messages_decide_where_there_are_no_experiments() {
    let truth = Hockney::new(us(50.0), 100.0).unwrap();
    let mut runs = Vec::new();
    for size in [1_u64, 100, 1000, 10_000, 100_000] {
        for pair in [["a", "b"], ["b", "c"], ["a", "c"]] {
            runs.push(half_round_trip(
                pair[0],
                pair[1],
                size,
                truth.time(Bytes::new(size)).unwrap().as_microseconds(),
            ));
        }
    }
    let network = Network::measured(runs).unwrap();
    let clusters = network.clusters(Rho::default()).unwrap();
    assert_eq!(clusters.all().len(), 1);
    assert_eq!(clusters.all()[0].name, "a and 2 more");
    let links = clusters.links(0, 0).unwrap();
    assert_eq!(links.candidates().len() + links.unfitted().len(), 4);
    let chosen = links.model(Bytes::new(5000)).unwrap();
    assert_eq!(chosen.candidate.model.kind(), Kind::Hockney);
    assert!(chosen.errors[0].1 < 1e-9, "{:?}", chosen.errors);
    let selection = clusters.select(0, Operation::AllGather, Bytes::new(5000)).unwrap().unwrap();
    assert_eq!((selection.basis, selection.best().model), (Basis::Messages, Kind::Hockney));
    assert_eq!(selection.cases.len(), 2);
    assert!(selection.loss(&selection.cases[1]) >= 0.0);
}

/// A table follows the steps of a link, which no straight line does; and Hockney's model is left where the
/// table ends.
#[test]
fn the_model_depends_on_the_size() {
    let steps =
        [(1, 20.0), (512, 21.0), (1024, 22.0), (2048, 400.0), (4096, 410.0), (8192, 420.0), (16_384, 440.0)];
    let runs: Vec<Measurement> = steps
        .iter()
        .flat_map(|&(size, time)| ["b", "c"].map(|to| half_round_trip("a", to, size, time)))
        .collect();
    let mut network = Network::measured(runs).unwrap();
    let table = GapTable::new(steps.map(|(size, time)| (Bytes::new(size), us(time - 10.0)))).unwrap();
    let given = skel_network::file::GivenModel::everywhere(PLogP::new(us(10.0), table).unwrap());
    network = network.with_models([given]).unwrap();
    let links = network.between("a", "b").unwrap();
    let kind = |size| links.model(Bytes::new(size)).unwrap().candidate.model.kind();
    assert_eq!(kind(3000), Kind::PLogP);
    assert_eq!(kind(1 << 20), Kind::Hockney);
    assert_eq!(network.between("a", "a"), None);
    assert_eq!(network.between("a", "d"), None);
}

#[test]
fn what_the_experiments_leave_out_is_said() {
    let text = r#"
        latency = [["48us", "5ms"], ["5ms", "-"]]
        cluster = [{ name = "here", machines = 4 }, { name = "there", machines = 1 }]
        model = [
            { kind = "Hockney", bandwidth = "100MB/s" },
            { kind = "LogGP", between = ["here", "here"], overhead = "5us", gap = "14us", gap_per_byte = "9ns" },
            { kind = "LogGP", between = ["here-1", "here-2"], overhead = "4us", gap = "12us", gap_per_byte = "8ns" },
        ]
        experiments = """
            operation,algorithm,processes,bytes,segment,at,us
            broadcast,flat,4,1024,,here,120
            broadcast,binomial,4,1024,,here-2,100
            broadcast,flat,4,1024,,there,1
        """
    "#;
    let network = Network::from_toml(text).unwrap_or_else(|errors| panic!("{errors}"));
    let clusters = network.clusters(Rho::default()).unwrap();
    assert_eq!(clusters.names().collect::<Vec<_>>(), ["here", "there"]);
    // The model between two machines goes before that of the cluster.
    let gaps: Vec<f64> = clusters
        .links(0, 0)
        .unwrap()
        .candidates()
        .iter()
        .map(|one| one.model.gap(Bytes::new(1)).unwrap().as_microseconds())
        .collect();
    assert_eq!(gaps, [0.01, 12.0]);
    assert_eq!(clusters.links(0, 1).unwrap().candidates().len(), 1);
    assert_eq!(clusters.links(0, 1).unwrap().latency(), Some(us(5000.0)));
    let selection = clusters.select(0, Operation::Broadcast, Bytes::new(1024)).unwrap().unwrap();
    assert_eq!(selection.basis, Basis::Experiments(2));
    assert_eq!(selection.not_covered, [Algorithm::Chain, Algorithm::Binary]);
    // Another size is not covered: the given models are all that there is, and the answer says so.
    let selection = clusters.select(0, Operation::Broadcast, Bytes::new(1025)).unwrap().unwrap();
    assert_eq!(selection.basis, Basis::Given);
    assert_eq!((clusters.experiments(0).len(), clusters.experiments(1).len()), (2, 1));
    assert_eq!(clusters.select(1, Operation::Broadcast, Bytes::new(1024)).unwrap(), None);
}

#[test]
fn a_network_without_models_chooses_nothing() {
    let network = Network::new(vec![Group::equal("c", 3)], &[vec![Some(us(5.0))]]).unwrap();
    let clusters = network.clusters(Rho::default()).unwrap();
    let none = clusters.select(0, Operation::Broadcast, Bytes::new(1)).unwrap_err();
    assert_eq!(none, NoSelection::NoModel(None, NoModel::NothingKnown(Vec::new())));
    let text = "latency = [[5]]\ncluster = [{ name = 'c', machines = 3 }]\nmodel = [{ kind = 'pLogP', gap = [[10, 5]] }]";
    let network = Network::from_toml(text).unwrap();
    let clusters = network.clusters(Rho::default()).unwrap();
    let outside = clusters.select(0, Operation::Broadcast, Bytes::new(11)).unwrap_err();
    assert_eq!(
        outside.to_string(),
        "a message of 11 bytes is outside of the table, which covers 10 to 10 bytes"
    );
}
