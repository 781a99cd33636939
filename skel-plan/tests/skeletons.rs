//! Skeletons with farms and deals: a mapping is the program on those processors, with the moves at the links'
//! rates.

use skel_core::number::{Number, Ratio, ratio};
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
    exact_by_hand(tree, hosts).to_float()
}

fn exact_by_hand(tree: &Tree, hosts: &[usize]) -> Ratio {
    let on: Vec<usize> = hosts.to_vec();
    let rate = move |from: usize, to: usize| Ratio::new(BANDWIDTHS[on[from]][on[to]].into(), 2.into());
    let program = tree
        .clone()
        .communicating(Communication::per_link(rate))
        .with_processors(Processors::assigned(POWERS, hosts.iter().copied()));
    program.performance_exact().unwrap().throughput().clone()
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

/// A program whose times are not exponential, put on processors by the lowering of skeletons, which writes
/// the phases into the tasks. Both models have the same throughput, to the last digit.
#[test]
fn times_come_with_the_tasks() {
    const HYPER: &str = "hyperexponential([1/3, 2/3], [1, 4])";
    // The second phase may lead back, and the service may begin in either and end in either.
    const PHASES: &str = "phases([1/2, 1/2], [[-3, 1], [1, -2]])";
    for (text, hosts) in [
        ("pipe(task(1), farm(2, erlang(2, 1/3)), task(2));".to_owned(), vec![0, 1, 2, 0]),
        ("pipe(task(1), farm(2, erlang(3, 2)), task(2));".to_owned(), vec![1, 1, 1, 2]),
        (format!("pipe(task({HYPER}), deal(2, {PHASES}));"), vec![2, 0, 1]),
        (format!("pipe(farm(2, {HYPER}), task({PHASES}));"), vec![0, 2, 1]),
        (format!("pipe(deal(2, {PHASES}), task({HYPER}));"), vec![0, 2, 1]),
        ("pipe(farm(2, erlang(2, 1)), deal(2, 1));".to_owned(), vec![0, 2, 1, 1]),
        (format!("farm(2, pipe(task({HYPER}), task(erlang(2, 1))));"), vec![0, 1, 1, 2]),
        ("pipe(task(fitted(1, 0.5)), task(fitted(2, 3)));".to_owned(), vec![0, 2]),
        (format!("task({HYPER});"), vec![1]),
        (format!("farm(2, {PHASES});"), vec![1, 2]),
    ] {
        let tree = tree(&text);
        let application = Application::skeleton(&tree, |_, _| Data::bytes(2)).unwrap();
        let planner = Planner::new(application, platform());
        let mapping = Mapping::new(hosts.iter().map(|&host| ProcessorId::from(host as u32 + 1)));
        assert_eq!(planner.exact_throughput(&mapping).unwrap(), exact_by_hand(&tree, &hosts), "{text}");
        let found = planner.evaluate(&mapping).unwrap().throughput.value();
        assert!((found / exact_by_hand(&tree, &hosts).to_float() - 1.0).abs() < 1e-9, "{text}");
    }
}

/// Three Erlang-2 stages of mean 1 on processors of power 1, with moves of rate 1, and an exponential one
/// before an Erlang-4 one: the throughputs of the reference, and those of the skeletons themselves.
#[test]
fn a_pipe_of_erlang_stages_is_as_fast_as_the_reference() {
    let ones = || (0..3).map(|_| Processor::new(Power::per_second(1)));
    let links = Links::everywhere(Bandwidth::bytes_per_second(1));
    let platform = Platform::new(ones(), &links).unwrap();
    for (text, hosts, expected) in [
        (
            "pipe(task(erlang(2, 1)), task(erlang(2, 1)), task(erlang(2, 1)));",
            vec![1, 2, 3],
            ratio(118_630_792, 387_530_357),
        ),
        ("pipe(task(1), task(erlang(4, 1)), task(1));", vec![1, 2, 3], ratio(15_625_000, 52_632_599)),
    ] {
        let tree = tree(text);
        let itself = tree.clone().communicating(1).performance_exact().unwrap().throughput().clone();
        let application = Application::skeleton(&tree, |_, _| Data::bytes(1)).unwrap();
        let planner = Planner::new(application, platform.clone());
        let mapped = planner.exact_throughput(&Mapping::new(hosts)).unwrap();
        assert_eq!((&mapped, &itself), (&expected, &expected), "{text}");
    }
}

/// What is busy follows from the means alone: the part of the time in which a task computes is its throughput
/// times its mean time.
#[test]
fn a_task_is_busy_for_its_mean_time() {
    let text = "pipe(task(erlang(3, 2)), farm(2, hyperexponential([1/3, 2/3], [1, 4])), task(2));";
    let tree = tree(text);
    let planner = Planner::new(Application::skeleton(&tree, |_, _| Data::bytes(2)).unwrap(), platform());
    let mapping = Mapping::new([1, 2, 3, 2]);
    let why = planner.evaluate(&mapping).unwrap().explain(&planner);
    let pi = planner.steady_state(&mapping).unwrap();
    let model = planner.application().model();
    // The processor of a task is in one of its phases while the task computes.
    for (task, phases) in [(0, 3), (1, 2), (2, 2)] {
        let in_phase = |phase| {
            let state = model.local_state_named(&format!("Processor_{task}_{phase}")).unwrap();
            pi.population_of(state.into())
        };
        let busy: f64 = (0..phases).map(in_phase).sum();
        let said = why.tasks()[task].busy;
        assert!((said / busy - 1.0).abs() < 1e-9, "{task}: {said} {busy}");
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

/// A mapping has a processor for each task, and says nothing of workers that share one item.
#[test]
fn workers_that_serve_one_item_together_are_refused() {
    let program =
        parse("pipe(task(1), farm(2, map(3, \"compare\", 1)), fault_tolerant(3, 1));").into_tree().unwrap();
    let errors = Application::skeleton(&program, |_, _| Data::bytes(1)).unwrap_err();
    let messages: Vec<&str> = errors.0.iter().map(|error| error.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "stage 1, worker: `compare` is a map, whose workers a mapping cannot place on processors yet",
            "stage 2: `fault_tolerant` is a fault-tolerant stage, whose workers a mapping cannot place on processors yet",
        ]
    );
}
