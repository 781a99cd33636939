//! Links with a latency: rates, sensitivities, searches and changes over links whose times are those of
//! communication models.

use std::collections::BTreeSet;
use std::sync::Arc;

use num_traits::One;
use skel_core::number::{Number, Ratio, ratio};
use skel_core::skeleton::text::parse;
use skel_network::{Bytes, CommunicationModel, Network, OutsideTable, Time};
use skel_plan::description::{parse_in, parse_toml_in};
use skel_plan::{
    Application, Bandwidth, Data, Description, Link, Links, Mapping, Migration, Planner, Platform, Power,
    Processor, ProcessorId, Replanner, Resource, Search, SearchMethod, Seconds, Stage, Work,
};

/// A message takes `latency + per_byte m` microseconds, up to a size.
#[derive(Clone, Debug)]
struct Affine {
    latency: f64,
    per_byte: f64,
    most: u64,
}

impl CommunicationModel for Affine {
    fn name(&self) -> &'static str {
        "affine"
    }

    fn time(&self, size: Bytes) -> Result<Time, OutsideTable> {
        Ok(Time::microseconds(self.latency) + self.gap(size)?)
    }

    fn gap(&self, size: Bytes) -> Result<Time, OutsideTable> {
        if size.get() > self.most {
            return Err(OutsideTable { size, least: Bytes::new(0), most: Bytes::new(self.most) });
        }
        Ok(Time::microseconds(self.per_byte * size.as_f64()))
    }

    fn sender_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.gap(size)
    }

    fn receiver_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.gap(size)
    }
}

/// A link of `latency` and `per_byte` milliseconds.
fn link(latency: f64, per_byte: f64) -> Link {
    Link::modelled(Arc::new(Affine { latency: 1e3 * latency, per_byte: 1e3 * per_byte, most: 1 << 20 }))
}

fn within() -> Bandwidth {
    Bandwidth::bytes_per_second(100_000)
}

fn processors(powers: &[u32]) -> Vec<Processor> {
    powers.iter().map(|&power| Processor::new(Power::per_second(power))).collect()
}

fn pipeline(stages: &[(u32, u32)], output: u32) -> Application {
    let stages =
        stages.iter().map(|&(work, data)| Stage::new(Work::units(work)).receiving(Data::bytes(data)));
    Application::pipeline(stages, Data::bytes(output)).unwrap()
}

#[test]
fn a_rate_is_one_over_latency_and_gap() {
    let links = Links::none().within(within()).between(1, 2, link(50.0, 0.25));
    let platform = Platform::new(processors(&[10, 10]), &links).unwrap();
    assert_eq!(platform.bandwidth(1.into(), 2.into()), None);
    assert!(platform.has_link(1.into(), 2.into()));
    let planner = Planner::new(pipeline(&[(1, 8), (1, 800)], 80), platform);
    let rates = planner.rates(&Mapping::new([1, 2])).unwrap();
    // 50 ms + 800 * 0.25 ms = 250 ms. Within a processor 8 and 80 bytes go at 100,000 bytes a second.
    assert_eq!(rates.moves, [ratio(100_000, 8), ratio(4, 1), ratio(100_000, 80)]);
    // A tenth of the data takes 70 ms, and not a tenth of the time.
    let small = Planner::new(pipeline(&[(1, 8), (1, 80)], 80), planner.platform().clone());
    assert_eq!(small.rates(&Mapping::new([1, 2])).unwrap().moves[1], ratio(100, 7));
}

#[test]
fn what_a_model_does_not_cover_is_said() {
    let short = Link::modelled(Arc::new(Affine { latency: 1.0, per_byte: 1.0, most: 100 }));
    let none = Link::modelled(Arc::new(Affine { latency: 0.0, per_byte: 0.0, most: 1000 }));
    let links = Links::none().within(within()).between(1, 2, short.clone()).one_way(1, 3, short);
    let links = links.one_way(3, 1, none).between(2, 3, link(1.0, 1.0));
    let platform = Platform::new(processors(&[1, 1, 1]), &links).unwrap();
    let planner = Planner::new(pipeline(&[(1, 8), (1, 101)], 8), platform.clone());
    let said = |application: Application, mapping| {
        Planner::new(application, platform.clone()).rates(&mapping).unwrap_err().to_string()
    };
    let outside = said(pipeline(&[(1, 8), (1, 101)], 8), Mapping::new([1, 2]));
    assert!(
        outside.contains("the link from processor 1 to processor 2: it covers 0 to 100 bytes"),
        "{outside}"
    );
    let broken = Application::pipeline(
        [Stage::new(Work::units(1)), Stage::new(Work::units(1)).receiving(Data::bytes(2.5))],
        Data::bytes(1),
    );
    let broken = said(broken.unwrap(), Mapping::new([1, 2]));
    assert!(broken.contains("an item of 2.5 bytes has no time"), "{broken}");
    let nothing = said(pipeline(&[(1, 8), (1, 8)], 8), Mapping::new([3, 1]));
    assert!(nothing.contains("an item of 8 bytes would take 0 us"), "{nothing}");
    // A search does not leave such links out: its answer would prove too much.
    for method in [SearchMethod::BranchAndBound, SearchMethod::Exhaustive, SearchMethod::Local] {
        let error = planner.search(&Search { method, ..Search::default() }).unwrap_err().to_string();
        assert!(error.contains("items of 101 bytes") && error.contains("one other kind of link"), "{error}");
    }
}

/// The best link for small items need not be the best for large ones.
fn crossing() -> Platform {
    let (prompt, wide, far) = (link(20.0, 4.0), link(300.0, 0.1), link(900.0, 9.0));
    let links = Links::none().within(within()).between(1, 2, prompt).between(1, 3, wide.clone());
    let links = links.between(2, 3, far.clone()).one_way(1, 4, far).one_way(4, 1, wide.clone());
    Platform::new(processors(&[3, 4, 5, 4]), &links.between(2, 4, wide).between(3, 4, link(80.0, 2.0)))
        .unwrap()
}

fn programs() -> Vec<Application> {
    let skeleton = |text: &str| {
        let tree = parse(text).into_tree().unwrap();
        Application::skeleton(&tree, |from, to| Data::bytes([5_u32, 700, 90][(from + to) % 3])).unwrap()
    };
    vec![
        pipeline(&[(1, 5), (3, 900), (2, 40), (1, 2)], 300),
        pipeline(&[(2, 1), (2, 1), (2, 2000)], 1),
        skeleton("pipe(task(2), farm(2, 1), task(3));"),
        skeleton("pipe(task(erlang(2, 1)), farm(2, erlang(3, 1/3)));"),
    ]
}

/// All mappings, as if nothing were known of symmetry and of bounds.
fn all_mappings(planner: &Planner) -> Vec<Mapping> {
    let (tasks, count) = (planner.application().task_count(), planner.platform().processors().len() as u32);
    let longer = |placed: &Vec<u32>| {
        let placed = placed.clone();
        (1..=count).map(move |next| [placed.as_slice(), &[next]].concat())
    };
    let mut all = vec![Vec::new()];
    for _ in 0..tasks {
        all = all.iter().flat_map(longer).collect();
    }
    all.into_iter().map(Mapping::new).collect()
}

#[test]
fn searches_find_the_best_of_all_mappings() {
    for application in programs() {
        let planner = Planner::new(application, crossing());
        let all = all_mappings(&planner);
        let best = planner.rank(&all).unwrap().best().throughput.value();
        for method in [SearchMethod::BranchAndBound, SearchMethod::Exhaustive] {
            let found = planner.search(&Search { method, ..Search::default() }).unwrap();
            assert!(found.is_proved);
            let throughput = found.ranking.best().throughput.value();
            assert!((throughput / best - 1.0).abs() < 1e-8, "{method:?}: {throughput} {best}");
            if method == SearchMethod::BranchAndBound {
                assert!(found.solved < all.len() / 2, "{} of {}", found.solved, all.len());
            }
        }
    }
}

#[test]
fn machines_of_a_cluster_count_as_equals() {
    // Two clusters of three and four equal machines. Each link is a model of its own, as measurements give
    // them.
    let cluster = |id: u32| u32::from(id > 3);
    let mut links = Links::none().within(within());
    for (from, to) in
        (1..=7).flat_map(|from| (1..=7).map(move |to| (from, to))).filter(|(from, to)| from != to)
    {
        let (latency, per_byte) = match (cluster(from), cluster(to)) {
            (0, 0) => (10.0, 0.5),
            (1, 1) => (30.0, 0.25),
            _ => (200.0, 1.0),
        };
        links = links.one_way(from, to, link(latency, per_byte));
    }
    let platform = Platform::new(processors(&[8, 8, 8, 10, 10, 10, 10]), &links).unwrap();
    let planner = Planner::new(pipeline(&[(1, 8), (2, 64), (3, 512)], 8), platform);
    let all = all_mappings(&planner);
    assert_eq!(all.len(), 343);
    // What a mapping is if the machines of a cluster have no names: for each task its cluster, and the first
    // task on the same machine.
    let unnamed = |mapping: &Mapping| -> Vec<(u32, usize)> {
        let hosts = mapping.processors();
        let first = |host: &ProcessorId| hosts.iter().position(|other| other == host).unwrap();
        hosts.iter().map(|host| (cluster(host.number()), first(host))).collect()
    };
    let different: BTreeSet<Vec<(u32, usize)>> = all.iter().map(unnamed).collect();
    let search = Search { method: SearchMethod::Exhaustive, ..Search::default() };
    let found = planner.search(&search).unwrap();
    // Each of the 5 ways to share machines, with a cluster for each machine: 2 + 3 * 4 + 8.
    assert_eq!((different.len(), found.solved), (22, 22));
    let best = planner.rank(&all).unwrap().best().throughput.value();
    assert!((found.ranking.best().throughput.value() / best - 1.0).abs() < 1e-8);
    let bounded = planner.search(&Search::default()).unwrap();
    assert!(bounded.is_proved && bounded.solved <= found.solved);
    assert!((bounded.ranking.best().throughput.value() / best - 1.0).abs() < 1e-8);
}

#[test]
fn links_are_equal_if_they_carry_every_item_in_equal_times() {
    // The links differ, but items of 10 bytes, the only ones there are, take 30 ms on each of them.
    let links = Links::none().within(within()).between(1, 2, link(20.0, 1.0));
    let links =
        links.between(1, 3, link(10.0, 2.0)).between(2, 3, Bandwidth::bytes_per_second(ratio(1000, 3)));
    let platform = Platform::new(processors(&[1, 1, 1]), &links).unwrap();
    let search = Search { method: SearchMethod::Exhaustive, ..Search::default() };
    let solved = |size: u32| {
        let planner = Planner::new(pipeline(&[(1, 10), (1, size), (1, 10)], 10), platform.clone());
        planner.search(&search).unwrap().solved
    };
    assert_eq!(solved(10), 5);
    assert_eq!(solved(11), 27);
}

#[test]
fn sensitivities_are_what_differences_come_to() {
    for application in programs() {
        let (latency, per_byte) = (40.0, 0.75);
        let at = |latency: f64, per_byte: f64| {
            let links = Links::everywhere(link(55.0, 0.5)).within(within());
            let links = links.one_way(1, 2, link(latency, per_byte));
            Planner::new(application.clone(), Platform::new(processors(&[3, 5]), &links).unwrap())
        };
        let tasks: Vec<u32> = (0..application.task_count() as u32).map(|task| 1 + task % 2).collect();
        let mapping = Mapping::new(tasks);
        let all = at(latency, per_byte).sensitivities(&mapping).unwrap();
        let whole: f64 = all.iter().map(|one| one.elasticity).sum();
        assert!((whole - 1.0).abs() < 1e-9, "{whole}");
        let of_link = all.iter().find(|one| one.resource == Resource::Link(1.into(), 2.into())).unwrap();
        assert!(of_link.value.is_one() && (of_link.derivative > 0.0));
        let throughput =
            |latency, per_byte| at(latency, per_byte).evaluate(&mapping).unwrap().throughput.value();
        let step = 1e-4;
        let [faster, slower] = [1.0 - step, 1.0 + step];
        let difference = |low: f64, high: f64| (low - high) / (2.0 * step) / throughput(latency, per_byte);
        let of_both = difference(
            throughput(latency * faster, per_byte * faster),
            throughput(latency * slower, per_byte * slower),
        );
        assert!((of_link.elasticity - of_both).abs() < 1e-6, "{} {of_both}", of_link.elasticity);
        let of_latency =
            difference(throughput(latency * faster, per_byte), throughput(latency * slower, per_byte));
        assert!((of_link.of_latency - of_latency).abs() < 1e-6, "{} {of_latency}", of_link.of_latency);
        let others = all.iter().filter(|one| matches!(one.resource, Resource::Processor(_)));
        assert!(others.into_iter().all(|one| one.of_latency == 0.0));
    }
}

#[test]
fn exact_sensitivities_are_fractions() {
    // One stage on a processor of its own: 1 / (0.05 + 0.1 + 0.2), where 0.2 is a latency of 0.15 and 0.05 of
    // the data.
    let links = Links::none().one_way(1, 2, Bandwidth::bytes_per_second(20)).one_way(2, 1, link(150.0, 50.0));
    let platform = Platform::new(processors(&[1, 10]), &links).unwrap();
    let planner = Planner::new(pipeline(&[(1, 1)], 1), platform);
    let mapping = Mapping::new([2]).with_input(1).with_output(1);
    let all = planner.sensitivities_exact(&mapping).unwrap();
    let of_link = all.iter().find(|one| one.resource == Resource::Link(2.into(), 1.into())).unwrap();
    assert_eq!((&of_link.elasticity, &of_link.of_latency), (&ratio(4, 7), &ratio(3, 7)));
    assert_eq!(planner.exact_throughput(&mapping).unwrap(), ratio(20, 7));
    let total: Ratio = all.iter().map(|one| one.elasticity.clone()).sum();
    assert_eq!(total.to_float(), 1.0);
}

#[test]
fn a_program_moves_when_a_link_becomes_slow() {
    let links = Links::none().within(within()).between(1, 2, link(10.0, 1.0)).between(1, 3, link(12.0, 1.0));
    let platform = Platform::new(processors(&[10, 10, 10]), &links.between(2, 3, link(400.0, 1.0))).unwrap();
    let planner = Planner::new(pipeline(&[(3, 1), (3, 20)], 1), platform.clone());
    let mut replanner = Replanner::new(planner, Search { top: 9, ..Search::default() }).unwrap();
    assert_eq!(replanner.running().to_string(), "[1, (1,2), 2]");
    let slow = platform.with_link(1.into(), 2.into(), link(500.0, 1.0)).unwrap();
    let slow = slow.with_link(2.into(), 1.into(), link(500.0, 1.0)).unwrap();
    let change = replanner.search_again(slow).unwrap();
    assert!(change.is_proved);
    assert_eq!(change.ranking.best().mapping.to_string(), "[1, (1,3), 3]");
    let migration = Migration { downtime: Seconds::new(1), remaining: Seconds::new(3600) };
    assert!(change.is_worth_moving(&migration).unwrap());
}

/// The platform of two clusters that `models/mappings` has, and its figures, worked out from the network by
/// hand.
fn two_clusters() -> Description {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/mappings");
    let text = std::fs::read_to_string(format!("{folder}/two_clusters.toml")).unwrap();
    parse_toml_in(&text, folder.as_ref()).into_contents().unwrap()
}

#[test]
fn the_example_has_the_rates_that_its_network_says() {
    let description = two_clusters();
    let planner = Planner::new(description.application().clone(), description.platform().clone());
    // Microseconds: latency, gap of an empty item, and of each byte; orsay is processors 1 to 3, sophia 4
    // to 7.
    let link = |from: u32, to: u32| match (from <= 3, to <= 3) {
        (true, true) => (50, 10, ratio(1, 125)),
        (false, false) => (40, 10, ratio(1, 125)),
        _ => (6000, 20, ratio(10, 125)),
    };
    for mapping in description.mappings() {
        let rates = planner.rates(mapping).unwrap();
        let hosts: Vec<u32> = mapping.processors().iter().map(|host| host.number()).collect();
        let ends = [mapping.input().number()].into_iter().chain(hosts.clone());
        let ends: Vec<u32> = ends.chain([mapping.output().number()]).collect();
        for (number, size) in [500_000, 500_000, 5000, 5000, 5000].into_iter().enumerate() {
            let (from, to) = (ends[number], ends[number + 1]);
            let expected = if from == to {
                ratio(1_000_000_000, size)
            } else {
                let (latency, gap, per_byte) = link(from, to);
                ratio(1_000_000, 1) / (ratio(latency + gap, 1) + per_byte * ratio(size, 1))
            };
            let error = (&rates.moves[number] / &expected).to_float() - 1.0;
            assert!(error.abs() < 1e-12, "{mapping}: move {number} from {from} to {to}");
        }
    }
    // 500,000 bytes to the other cluster: 6 ms + 0.02 ms + 40 ms. 5,000 bytes: 6.42 ms, and not a hundredth.
    let far = planner.rates(&Mapping::new([1, 4, 1, 1])).unwrap();
    assert!((far.moves[1].to_float() - 1e6 / 46_020.0).abs() < 1e-9);
    assert!((far.moves[2].to_float() - 1e6 / 6420.0).abs() < 1e-9);
}

#[test]
fn the_machines_of_a_measured_cluster_are_equals() {
    let description = two_clusters();
    let planner = Planner::new(description.application().clone(), description.platform().clone());
    let search = Search { method: SearchMethod::Exhaustive, ..Search::default() };
    let found = planner.search(&search).unwrap();
    // Four tasks in two clusters: the ways to share machines, with a cluster for each. 15 sets of sets, of
    // which the one of four single tasks cannot all be in orsay, which has three machines.
    assert_eq!(found.solved, 2 + 7 * 4 + 6 * 8 + 16 - 1);
    assert_eq!(found.mapping_count, Some(2401));
    let all = planner.rank(&all_mappings(&planner)).unwrap();
    let [best, searched] = [&all, &found.ranking].map(|ranking| ranking.best().throughput.value());
    assert!((searched / best - 1.0).abs() < 1e-8);
    let bounded = planner.search(&Search::default()).unwrap();
    assert!(bounded.is_proved && bounded.solved < found.solved);
    assert!((bounded.ranking.best().throughput.value() / best - 1.0).abs() < 1e-8);
}

#[test]
fn a_description_keeps_its_network() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/mappings");
    let description = two_clusters();
    let text = description.to_string();
    assert!(
        text.contains("network = \"../networks/two_clusters.toml\";\nmachine1 = \"orsay-1\";\n"),
        "{text}"
    );
    let again = parse_in(&text, folder.as_ref()).into_contents().unwrap();
    assert_eq!(again.to_string(), text);
    assert_eq!(again.platform(), description.platform());
    // Without names the processors are on the machines in their order.
    let unnamed: String =
        text.lines().filter(|line| !line.starts_with("machine")).map(|line| format!("{line}\n")).collect();
    let unnamed = parse_in(&unnamed, folder.as_ref()).into_contents().unwrap();
    let mapping = Mapping::new([1, 2, 4, 4]);
    let rates = |description: &Description| {
        Planner::new(description.application().clone(), description.platform().clone())
            .rates(&mapping)
            .unwrap()
    };
    assert_eq!(rates(&unnamed), rates(&description));
}

#[test]
fn threads_of_a_machine_are_its_link_to_itself() {
    let network = Network::from_toml(
        "machines = ['one', 'other']
        measurements = '''
from, to, what, bytes, ms
one, one, half_round_trip, 1, 1
one, one, half_round_trip, 101, 2
one, one, half_round_trip, 201, 3
one, other, half_round_trip, 1, 10
one, other, half_round_trip, 101, 20
one, other, half_round_trip, 201, 30
'''",
    );
    let network = network.unwrap();
    // Two processors are on the first machine.
    let named = |links: &Links| {
        let processors = ["one", "other", "one"].map(|name| Processor::new(Power::per_second(1)).named(name));
        Platform::from_network(processors, &network, links).unwrap()
    };
    let platform = named(&Links::none());
    let has_link = |from: u32, to: u32| platform.has_link(from.into(), to.into());
    assert!(has_link(1, 1) && has_link(1, 3) && has_link(3, 1) && has_link(1, 2) && !has_link(2, 2));
    let rates = |platform: Platform, hosts: [u32; 3]| {
        let planner = Planner::new(pipeline(&[(1, 1), (1, 51), (1, 151)], 1), platform);
        planner.rates(&Mapping::new(hosts)).unwrap().moves.iter().map(Number::to_float).collect::<Vec<f64>>()
    };
    let close = |rates: Vec<f64>, milliseconds: [f64; 4]| {
        for (rate, time) in rates.into_iter().zip(milliseconds) {
            assert!((rate * time / 1000.0 - 1.0).abs() < 1e-6, "{rate} {time}");
        }
    };
    close(rates(platform, [1, 3, 1]), [1.0, 1.5, 2.5, 1.0]);
    // What is given comes before what was measured.
    let given = named(&Links::none().within(Bandwidth::bytes_per_second(1000)));
    close(rates(given, [1, 3, 2]), [1.0, 51.0, 25.0, 1.0]);
}

#[test]
fn what_a_network_lacks_is_said() {
    let network = Network::from_toml("machines = ['one', 'other']\nlatency = [['-', 5], [5, '-']]").unwrap();
    let named = |name: &str| Processor::new(Power::per_second(1)).named(name);
    let wrong = |processors: Vec<Processor>, links: &Links| {
        Platform::from_network(processors, &network, links).unwrap_err().to_string()
    };
    let both = Links::none().between(1, 2, within());
    for (error, expected) in [
        (wrong(vec![named("one"), named("other")], &Links::none()), "no model of the links inside of"),
        (wrong(vec![named("won")], &Links::none()), "processor 1 is on the machine `won`"),
        (
            wrong(vec![named("one"), Processor::new(Power::per_second(1))], &both),
            "on which machine processor 2 is",
        ),
        (wrong(processors(&[1, 1, 1]), &both), "no machine for processor 3: the network has 2 machines"),
        (wrong(processors(&[1, 1]), &both), "the network gives the link from processor 1 to processor 2"),
        (
            wrong(processors(&[1]), &Links::everywhere(within())),
            "the network gives the links between processors",
        ),
    ] {
        assert!(error.contains(expected), "{error}");
    }
    // One machine needs no links of the network.
    assert!(Platform::from_network([named("one")], &network, &Links::none().within(within())).is_ok());
}
