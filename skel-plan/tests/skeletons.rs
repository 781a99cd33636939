//! Skeletons with farms and deals: a mapping is the program on those processors, with the moves at the links' rates.

use skel_core::number::{Number, Ratio};
use skel_core::skeleton::text::parse;
use skel_core::skeleton::{Communication, Processors, Skeleton, Tree};
use skel_plan::{
    Application, Bandwidth, Data, Links, Mapping, Planner, Platform, Power, Processor, ProcessorId, Resource,
    Search,
};
use skel_solve::Perform;

const POWERS: [i64; 3] = [1, 3, 2];
const BANDWIDTHS: [[i64; 3]; 3] = [[1000, 4, 9], [5, 1000, 7], [2, 3, 1000]];

fn platform() -> Platform {
    let processors = POWERS.map(|power| Processor::new(Power::per_second(power)));
    let rows = BANDWIDTHS.map(|row| row.map(Bandwidth::bytes_per_second));
    Platform::new(processors, &Links::from_matrix(rows)).unwrap()
}

fn tree(text: &str) -> Tree {
    parse(text).into_tree().unwrap()
}

/// The program, put on processors as one does without a planner.
fn by_hand(tree: &Tree, hosts: &[usize]) -> f64 {
    let on: Vec<usize> = hosts.to_vec();
    let rate = move |from: usize, to: usize| Ratio::new(BANDWIDTHS[on[from]][on[to]].into(), 2.into());
    let program = tree
        .clone()
        .communicating(Communication::per_link(rate))
        .with_processors(Processors::assigned(POWERS, hosts.iter().copied()));
    program.performance_exact().unwrap().throughput().to_float()
}

#[test]
fn mappings_are_programs_on_processors() {
    for (text, hosts) in [
        ("pipe(task(1), farm(2, 3), task(2));", vec![0, 1, 2, 0]),
        ("pipe(task(1), farm(2, 3), task(2));", vec![1, 1, 1, 2]),
        ("pipe(task(1), deal(2, 3), task(2));", vec![2, 0, 1, 1]),
        ("pipe(farm(2, 1), deal(2, 2));", vec![0, 2, 1, 1]),
        ("farm(2, pipe(task(1), task(2)));", vec![0, 1, 1, 2]),
        ("task(3);", vec![1]),
    ] {
        let tree = tree(text);
        let application = Application::skeleton(&tree, |_, _| Data::bytes(2)).unwrap();
        let planner = Planner::new(application, platform());
        let mapping = Mapping::new(hosts.iter().map(|&host| ProcessorId::from(host as u32 + 1)));
        let evaluation = planner.evaluate(&mapping).unwrap();
        let expected = by_hand(&tree, &hosts);
        assert!((evaluation.throughput.value() / expected - 1.0).abs() < 1e-9, "{text} {hosts:?}");
        let exact = planner.exact_throughput(&mapping).unwrap().to_float();
        assert!((exact / expected - 1.0).abs() < 1e-12, "{text} {hosts:?}");
    }
}

/// The best mapping of a farm gives its workers the strong processors.
#[test]
fn a_farm_is_searched() {
    let application =
        Application::skeleton(&tree("pipe(task(20), farm(2, 1), task(20));"), |_, _| Data::bytes(1));
    let processors = [10, 10, 1].map(|power| Processor::new(Power::per_second(power)));
    let links = Links::everywhere(Bandwidth::bytes_per_second(1000));
    let planner = Planner::new(application.unwrap(), Platform::new(processors, &links).unwrap());
    let found = planner.search(&Search::default()).unwrap();
    assert!(found.is_proved);
    let mapping = &found.ranking.best().mapping;
    let strong = [1, 2].map(ProcessorId::from);
    assert_eq!(mapping.processors()[1..3], strong, "{mapping}");
    let why = planner.evaluate(mapping).unwrap().explain(&planner);
    let busy = strong.map(|id| why.utilisation(Resource::Processor(id)));
    assert!(busy.iter().all(|&busy| busy > 0.4 && busy <= 1.0), "{busy:?}");
}

#[test]
fn a_mapping_that_does_not_fit_is_named_as_in_a_description() {
    let application =
        Application::skeleton(&tree("pipe(task(1), farm(2, 3));"), |_, _| Data::bytes(1)).unwrap();
    let processors = POWERS.map(|power| Processor::new(Power::per_second(power)));
    let links = Links::none().within(Bandwidth::bytes_per_second(1));
    let planner = Planner::new(application, Platform::new(processors, &links).unwrap());
    for (hosts, message) in [
        (vec![1, 1], "the mapping (1,1) has 2 tasks, but there are 3"),
        (vec![1, 1, 2], "the mapping (1,1,2) needs a link from processor 1 to processor 2"),
    ] {
        assert_eq!(planner.rates(&Mapping::new(hosts)).unwrap_err().0[0].message, message);
    }
}
