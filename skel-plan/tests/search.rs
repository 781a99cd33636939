//! Searches against one another and against the plain list of all mappings, over random programs and
//! machines.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use skel_core::skeleton::text::parse;
use skel_core::skeleton::{Timing, erlang, fitted};
use skel_core::time::mean;
use skel_plan::{
    Application, Bandwidth, Data, Ends, Formula, Links, Mapping, Planner, Platform, Power, Processor,
    ProcessorId, Progress, Search, SearchMethod, Stage, Throughput, Work,
};
use skel_solve::limits::Limit;
use skel_solve::{Error, Limits};

/// Figures that occur several times, so that some processors are equal, and far apart, so that bounds have
/// work.
fn figure() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), Just(10.0), Just(0.1), 0.5..20.0_f64]
}

fn platform() -> impl Strategy<Value = Platform> {
    let size = 1..=3_usize;
    size.prop_flat_map(|count| {
        let powers = prop::collection::vec(prop_oneof![Just(10.0), figure()], count);
        let links = prop::collection::vec(((1..=count as u32), (1..=count as u32), figure()), 0..4);
        (powers, figure(), links).prop_map(|(powers, all, pairs)| {
            let bandwidth = Bandwidth::bytes_per_second;
            let mut links = Links::everywhere(bandwidth(all)).within(bandwidth(1000.0));
            for (from, to, value) in pairs {
                links = links.one_way(from, to, bandwidth(value));
            }
            let processors = powers.into_iter().map(|power| Processor::new(Power::per_second(power)));
            Platform::new(processors, &links).unwrap()
        })
    })
}

fn pipeline() -> impl Strategy<Value = Application> {
    let stages = prop::collection::vec((figure(), figure()), 1..=4);
    (stages, figure()).prop_map(|(stages, output)| {
        let stages =
            stages.into_iter().map(|(work, data)| Stage::new(Work::units(work)).receiving(Data::bytes(data)));
        Application::pipeline(stages, Data::bytes(output)).unwrap()
    })
}

const SKELETONS: [&str; 7] = [
    "pipe(task(1), farm(2, 3), task(2));",
    "pipe(task(1), deal(2, 3), task(2));",
    "pipe(deal(2, 1), farm(2, 3));",
    "farm(2, pipe(task(1), task(5)));",
    "pipe(task(4), deal(2, farm(2, 1)));",
    "deal(3, 2);",
    "pipe(deal(2, 1), deal(2, 3));",
];

/// Stages of which some have times with phases.
fn timed_pipeline() -> impl Strategy<Value = Application> {
    let time = (figure(), 0..4_usize).prop_map(|(work, shape)| match shape {
        0 => Timing::from(1.0 / work),
        1 => erlang(2, mean(work)),
        2 => erlang(3, mean(work)),
        _ => fitted(mean(work), 4),
    });
    let stages = prop::collection::vec((time, figure()), 4);
    (stages, figure()).prop_map(|(stages, output)| {
        let stages = stages.into_iter().map(|(time, data)| Stage::taking(time).receiving(Data::bytes(data)));
        Application::pipeline(stages, Data::bytes(output)).unwrap()
    })
}

const TIMED_SKELETONS: [&str; 4] = [
    "pipe(task(1), farm(2, erlang(2, 1/3)), task(2));",
    "pipe(deal(2, erlang(2, 1)), farm(2, 3));",
    "farm(2, pipe(task(hyperexponential([0.5, 0.5], [1, 3])), task(5)));",
    "pipe(task(erlang(2, 4)), deal(2, 1));",
];

fn timed_skeleton() -> impl Strategy<Value = Application> {
    (0..TIMED_SKELETONS.len(), figure()).prop_map(|(number, size)| {
        let tree = parse(TIMED_SKELETONS[number]).into_tree().unwrap();
        Application::skeleton(&tree, |_, _| Data::bytes(size)).unwrap()
    })
}

fn skeleton() -> impl Strategy<Value = Application> {
    (0..SKELETONS.len(), figure()).prop_map(|(number, size)| {
        let tree = parse(SKELETONS[number]).into_tree().unwrap();
        Application::skeleton(&tree, |_, _| Data::bytes(size)).unwrap()
    })
}

/// All mappings, whether equal or not.
fn all(tasks: usize, platform: &Platform, ends: Ends) -> Vec<Mapping> {
    let mut all: Vec<Vec<ProcessorId>> = vec![Vec::new()];
    for _ in 0..tasks {
        let longer = |placed: &Vec<ProcessorId>| {
            let placed = placed.clone();
            platform.processors().map(move |id| [placed.clone(), vec![id]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    let place = |placed: Vec<ProcessorId>| {
        let mapping = Mapping::new(placed);
        let mapping = match ends.input {
            Some(input) => mapping.with_input(input),
            None => mapping,
        };
        match ends.output {
            Some(output) => mapping.with_output(output),
            None => mapping,
        }
    };
    all.into_iter().map(place).collect()
}

/// All methods that prove their answer agree with the list of all mappings, and none is above a bound.
fn agree(planner: &Planner, ends: Ends) {
    let tasks = planner.application().task_count();
    let every = planner.rank(&all(tasks, planner.platform(), ends)).unwrap();
    let best = every.best().throughput.value();
    for top in [1, 3] {
        let search = Search { top, ends, ..Search::default() };
        let by = |method| planner.search(&Search { method, ..search.clone() }).unwrap();
        let (exhaustive, branched) = (by(SearchMethod::Exhaustive), by(SearchMethod::BranchAndBound));
        assert!(exhaustive.is_proved && branched.is_proved);
        assert_eq!(exhaustive.mapping_count, Some(every.mappings().len() as u128));
        assert!(branched.solved <= exhaustive.solved + 1);
        let (one, other) = (exhaustive.ranking.mappings(), branched.ranking.mappings());
        assert_eq!(one.len(), other.len());
        for (one, other) in one.iter().zip(other) {
            assert_eq!(one.mapping, other.mapping);
        }
        assert!((one[0].throughput.value() / best - 1.0).abs() < 1e-9);
        let climbed = by(SearchMethod::Local);
        let reached = climbed.ranking.best().throughput.value();
        assert!(reached <= best * (1.0 + 1e-9));
        assert!(best <= climbed.bound.value() * (1.0 + 1e-9), "{best} {}", climbed.bound);
    }
    // With little allowed, what is left is still a bound.
    let hurried = planner.search(&Search { most_solved: 1, ends, ..Search::default() }).unwrap();
    assert!(best <= hurried.bound.value() * (1.0 + 1e-9));
    assert!(hurried.ranking.best().throughput.value() * (1.0 + hurried.gap()) >= best * (1.0 - 1e-9));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    #[test]
    fn searches_agree_on_pipelines(
        application in pipeline(),
        platform in platform(),
        is_printed in any::<bool>(),
        has_input in any::<bool>(),
        has_output in any::<bool>(),
    ) {
        let formula = if is_printed { Formula::Printed } else { Formula::Divided };
        let planner = Planner::new(application, platform).with_formula(formula);
        let first = planner.platform().processors().next();
        agree(&planner, Ends { input: first.filter(|_| has_input), output: first.filter(|_| has_output) });
    }

    #[test]
    fn searches_agree_on_pipelines_with_times(application in timed_pipeline(), platform in platform()) {
        agree(&Planner::new(application, platform), Ends::default());
    }

    #[test]
    fn searches_agree_on_skeletons_with_times(application in timed_skeleton(), platform in platform()) {
        agree(&Planner::new(application, platform), Ends::default());
    }

    #[test]
    fn searches_agree_on_skeletons(application in skeleton(), platform in platform()) {
        agree(&Planner::new(application, platform), Ends::default());
    }
}

/// Eight stages on three processors, of which two are equal: far fewer solutions than mappings, and a proof.
#[test]
fn eight_stages() {
    let bandwidth = Bandwidth::bytes_per_second;
    let processors = [10, 10, 4].map(|power| Processor::new(Power::per_second(power)));
    let links = Links::everywhere(bandwidth(5)).within(bandwidth(10_000));
    let stages = [1, 2, 1, 1, 3, 1, 1, 2].map(|work| Stage::new(Work::units(work)));
    let application = Application::pipeline(stages, Data::bytes(1)).unwrap();
    let planner = Planner::new(application, Platform::new(processors, &links).unwrap());
    let found = planner.search(&Search { top: 3, ..Search::default() }).unwrap();
    assert_eq!(found.mapping_count, Some(6561));
    assert!(found.is_proved && found.solved < 600, "{}", found.solved);
    let climbed = planner.search(&Search { method: SearchMethod::Local, ..Search::default() }).unwrap();
    assert!(climbed.ranking.best().throughput <= found.ranking.best().throughput);
}

/// Windows have the stages with their times: those of exponential stages would be slower than the best
/// mapping, and no bounds.
#[test]
fn steady_stages_are_searched_by_their_own_windows() {
    let bandwidth = Bandwidth::bytes_per_second;
    let processors = [10, 10, 4].map(|power| Processor::new(Power::per_second(power)));
    let links = Links::everywhere(bandwidth(50)).within(bandwidth(10_000));
    let stages = [1, 2, 1, 1].map(|work| Stage::taking(erlang(4, mean(work))));
    let application = Application::pipeline(stages, Data::bytes(1)).unwrap();
    let planner = Planner::new(application, Platform::new(processors, &links).unwrap());
    let by = |method| planner.search(&Search { top: 3, method, ..Search::default() }).unwrap();
    let (found, every) = (by(SearchMethod::BranchAndBound), by(SearchMethod::Exhaustive));
    assert!(found.is_proved && found.solved < every.solved, "{} of {}", found.solved, every.solved);
    assert_eq!(found.ranking.mappings(), every.ranking.mappings());
    let exponential = [1, 2, 1, 1].map(|work| Stage::new(Work::units(work)));
    let application = Application::pipeline(exponential, Data::bytes(1)).unwrap();
    let slower = Planner::new(application, planner.platform().clone()).search(&Search::default()).unwrap();
    assert!(slower.ranking.best().throughput.value() < 0.9 * found.ranking.best().throughput.value());
}

#[test]
fn links_that_are_missing_are_not_used() {
    let bandwidth = Bandwidth::bytes_per_second;
    let processors = [1, 10, 10].map(|power| Processor::new(Power::per_second(power)));
    let own = |links: Links, id: u32| links.one_way(id, id, bandwidth(100));
    let links = [1, 2, 3].into_iter().fold(Links::none().one_way(1, 2, bandwidth(100)), own);
    let stages = [1, 1].map(|work| Stage::new(Work::units(work)));
    let application = Application::pipeline(stages, Data::bytes(1)).unwrap();
    let planner = Planner::new(application, Platform::new(processors, &links).unwrap());
    for method in [SearchMethod::BranchAndBound, SearchMethod::Exhaustive] {
        let found = planner.search(&Search { top: 9, method, ..Search::default() }).unwrap();
        let shown: Vec<String> =
            found.ranking.mappings().iter().map(|ranked| ranked.mapping.to_string()).collect();
        assert_eq!(shown, ["[2, (2,2), 2]", "[3, (3,3), 3]", "[1, (1,2), 2]", "[1, (1,1), 1]"]);
    }
    let none = Platform::new([Processor::new(Power::per_second(1))], &Links::none()).unwrap();
    let error = planner.with_platform(none).search(&Search::default()).unwrap_err();
    assert!(error.to_string().starts_with("the links allow no mapping"), "{error}");
}

fn three_by_three() -> Planner {
    let bandwidth = Bandwidth::bytes_per_second;
    let processors = [10, 7, 4].map(|power| Processor::new(Power::per_second(power)));
    let links = Links::everywhere(bandwidth(5)).within(bandwidth(10_000));
    let stages = [1, 2, 1].map(|work| Stage::new(Work::units(work)));
    let application = Application::pipeline(stages, Data::bytes(1)).unwrap();
    Planner::new(application, Platform::new(processors, &links).unwrap())
}

#[test]
fn work_that_is_cancelled_stops() {
    let limits = Limits::default();
    limits.cancellation.cancel();
    let planner = three_by_three().with_limits(limits);
    for method in [SearchMethod::BranchAndBound, SearchMethod::Exhaustive, SearchMethod::Local] {
        let error = planner.search(&Search { method, ..Search::default() }).unwrap_err();
        assert!(matches!(error, Error::Stopped(stopped) if stopped.limit == Limit::Cancelled), "{method:?}");
    }
}

/// What a search has found when it is cancelled is not lost, and no mapping is above its bound.
#[test]
fn work_that_is_cancelled_says_what_it_found() {
    let best = three_by_three().search(&Search::default()).unwrap().ranking.best().throughput.value();
    for method in [SearchMethod::BranchAndBound, SearchMethod::Exhaustive, SearchMethod::Local] {
        for solved in 1..=3 {
            let limits = Limits { threads: std::num::NonZeroUsize::new(1), ..Limits::default() };
            let cancellation = limits.cancellation.clone();
            let report = move |progress: Progress| {
                if progress.solved >= solved {
                    cancellation.cancel();
                }
            };
            let planner = three_by_three().with_limits(limits).with_progress(report);
            // Some equal ones are to be found, so that no search is over at once.
            let found = planner.search(&Search { top: 27, method, ..Search::default() });
            match found {
                Ok(found) => {
                    assert_eq!(found.stopped, Some(Limit::Cancelled), "{method:?}");
                    assert!(!found.is_proved && found.solved == solved);
                    assert!(best <= found.bound.value() * (1.0 + 1e-9));
                }
                // All mappings are of one batch, of which nothing is kept until it is solved.
                Err(Error::Stopped(stopped)) => {
                    assert_eq!(method, SearchMethod::Exhaustive);
                    assert_eq!(stopped.to_string(), format!("cancelled: {} solved", models(solved)));
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

/// Links lead to processors of higher numbers alone, so that there is a way for each set of processors, but
/// none that is as long as the program: nothing is ever solved, and the search has to stop in between.
#[test]
fn time_is_looked_at_where_nothing_is_solved() {
    let processors = (0..24).map(|_| Processor::new(Power::per_second(1)));
    let ascending = (1..=24_u32).flat_map(|from| (from + 1..=24).map(move |to| (from, to)));
    let links = ascending
        .fold(Links::none(), |links, (from, to)| links.one_way(from, to, Bandwidth::bytes_per_second(1)));
    let stages = (0..25).map(|_| Stage::new(Work::units(1)));
    let application = Application::pipeline(stages, Data::bytes(1)).unwrap();
    let ends = Ends { input: Some(1.into()), output: Some(24.into()) };
    let time = Some(Duration::from_millis(100));
    let planner = Planner::new(application, Platform::new(processors, &links).unwrap())
        .with_limits(Limits { time, ..Limits::default() });
    for method in [SearchMethod::BranchAndBound, SearchMethod::Exhaustive, SearchMethod::Local] {
        let started = Instant::now();
        let error = planner.search(&Search { method, ends, ..Search::default() }).unwrap_err();
        assert_eq!(error.to_string(), "stopped at the limit of 0.1 s: 0 models solved", "{method:?}");
        // The whole search has no end that one could wait for.
        assert!(started.elapsed() < Duration::from_secs(20), "{method:?}: {:?}", started.elapsed());
    }
}

fn models(count: usize) -> String {
    if count == 1 { "1 model".into() } else { format!("{count} models") }
}

#[test]
fn time_is_that_of_all_solutions() {
    let limits = Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() };
    let planner = three_by_three().with_limits(limits);
    let mappings = all(3, planner.platform(), Ends::default());
    let errors = [planner.rank(&mappings).unwrap_err(), planner.search(&Search::default()).unwrap_err()];
    for error in errors {
        assert_eq!(error.to_string(), "stopped at the limit of 0 s: 0 models solved");
    }
}

/// Bounds fall, and meet the best where it is proved.
#[test]
fn bounds_are_told() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&told);
    let planner = three_by_three().with_progress(move |progress| list.lock().unwrap().push(progress));
    let found = planner.search(&Search::default()).unwrap();
    let told = told.lock().unwrap();
    let bounds: Vec<f64> = told.iter().filter_map(|progress| progress.bound).map(Throughput::value).collect();
    assert!(bounds.is_sorted_by(|before, after| before >= after), "{bounds:?}");
    let last = told.last().unwrap();
    assert_eq!(last.best, Some(found.ranking.best().throughput));
    assert!(last.bound.unwrap().value() >= found.bound.value() && found.stopped.is_none());
}

#[test]
fn every_solution_is_told() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&told);
    let planner = three_by_three().with_progress(move |progress| list.lock().unwrap().push(progress));
    let mappings = all(3, planner.platform(), Ends::default());
    planner.rank(&mappings).unwrap();
    let mut solved: Vec<usize> = told.lock().unwrap().iter().map(|progress| progress.solved).collect();
    solved.sort_unstable();
    assert_eq!(solved, (1..=27).collect::<Vec<_>>());
    assert!(told.lock().unwrap().iter().all(|progress| progress.total == Some(27)));
}

/// A skeleton on three unequal processors.
fn skeleton_on_three(text: &str) -> Planner {
    let bandwidth = Bandwidth::bytes_per_second;
    let processors = [10, 7, 4].map(|power| Processor::new(Power::per_second(power)));
    let links = Links::everywhere(bandwidth(5)).within(bandwidth(100)).one_way(1, 2, bandwidth(2));
    let tree = parse(text).into_tree().unwrap();
    let application = Application::skeleton(&tree, |_, _| Data::bytes(1)).unwrap();
    Planner::new(application, Platform::new(processors, &links).unwrap())
}

/// Which of a farm's workers is where makes no difference, so a search looks at multisets.
#[test]
fn workers_of_a_farm_are_equal() {
    let planner = skeleton_on_three("pipe(task(1), farm(3, 2));");
    let places = [[1, 1, 2, 3], [1, 3, 1, 2], [1, 2, 3, 1], [1, 3, 2, 1]].map(Mapping::new);
    let ranked = planner.rank(&places).unwrap();
    let best = ranked.best().throughput.value();
    for one in ranked.mappings() {
        assert!((one.throughput.value() / best - 1.0).abs() < 1e-12, "{one:?}");
    }
    let search = Search { top: 30, method: SearchMethod::Exhaustive, ..Search::default() };
    let found = planner.search(&search).unwrap();
    // Of 81 mappings, three places times ten multisets.
    assert_eq!((found.solved, found.mapping_count), (30, Some(81)));
    // A known mapping is solved as the equal of it that is looked at: once.
    let again = planner.search_from(&search, &places[1..3]).unwrap();
    assert_eq!((again.ranking, again.solved), (found.ranking, 30));
}

/// Who goes through a deal's workers in turn may tell them apart: none is left out.
#[test]
fn workers_of_a_deal_are_not() {
    let planner = skeleton_on_three("pipe(task(1), deal(3, 2), task(1));");
    let found = planner.search(&Search { method: SearchMethod::Exhaustive, ..Search::default() }).unwrap();
    assert_eq!((found.solved, found.mapping_count), (243, Some(243)));
}

/// Of two deals of as many workers each sender has a receiver of its own, so a slow pair holds the fast one
/// back no more.
#[test]
fn deals_behind_deals_go_at_their_own_paces() {
    let bandwidth = Bandwidth::bytes_per_second;
    let processors = [10, 1].map(|power| Processor::new(Power::per_second(power)));
    let platform = Platform::new(processors, &Links::everywhere(bandwidth(1000))).unwrap();
    let tree = parse("pipe(deal(2, 1), deal(2, 1));").into_tree().unwrap();
    let application = Application::skeleton(&tree, |_, _| Data::bytes(1)).unwrap();
    let planner = Planner::new(application, platform);
    let found = planner.search(&Search::default()).unwrap();
    assert!(found.is_proved && found.ranking.best().mapping == Mapping::new([1, 2, 1, 2]));
    agree(&planner, Ends::default());
}

/// A mapping with a worker that no link leads to is none, however fast the other workers are.
#[test]
fn every_worker_of_a_farm_needs_its_links() {
    let bandwidth = Bandwidth::bytes_per_second;
    let processors = [10, 5].map(|power| Processor::new(Power::per_second(power)));
    let links = [1, 2].into_iter().fold(Links::none(), |links, id| links.one_way(id, id, bandwidth(100)));
    let tree = parse("pipe(task(1), farm(2, 1), task(1));").into_tree().unwrap();
    let application = Application::skeleton(&tree, |_, _| Data::bytes(1)).unwrap();
    let planner = Planner::new(application, Platform::new(processors, &links).unwrap());
    for method in [SearchMethod::BranchAndBound, SearchMethod::Exhaustive, SearchMethod::Local] {
        let found = planner.search(&Search { top: 3, method, ..Search::default() }).unwrap();
        assert_eq!(found.ranking.best().mapping, Mapping::new([1, 1, 1, 1]), "{method:?}");
        assert!(found.ranking.mappings().len() <= 2);
    }
}

/// A climb begins at a mapping whose links are there, also where no processor has one to itself.
#[test]
fn a_climb_needs_no_link_within_a_processor() {
    let bandwidth = Bandwidth::bytes_per_second;
    let processors = [10, 5, 1].map(|power| Processor::new(Power::per_second(power)));
    let links =
        Links::none().one_way(3, 1, bandwidth(1)).one_way(1, 3, bandwidth(1)).one_way(2, 1, bandwidth(9));
    let tree = parse("pipe(task(1), task(1));").into_tree().unwrap();
    let application = Application::skeleton(&tree, |_, _| Data::bytes(1)).unwrap();
    let planner = Planner::new(application, Platform::new(processors, &links).unwrap());
    let found = planner.search(&Search { method: SearchMethod::Local, ..Search::default() }).unwrap();
    assert_eq!(found.ranking.best().mapping, Mapping::new([2, 1]));
}

/// With any number of threads, also where nothing is proved.
#[test]
fn answers_do_not_depend_on_threads() {
    for method in [SearchMethod::BranchAndBound, SearchMethod::Local] {
        for most_solved in [2, 5, 1000] {
            let [one, others @ ..] = [1, 2, 7].map(|threads| {
                let limits = Limits { threads: std::num::NonZeroUsize::new(threads), ..Limits::default() };
                let planner = skeleton_on_three("pipe(task(1), farm(2, 2), task(3));").with_limits(limits);
                let search = Search { top: 4, method, most_solved, ..Search::default() };
                let found = planner.search(&search).unwrap();
                (found.ranking, found.bound, found.solved, found.is_proved)
            });
            assert!(others.iter().all(|other| *other == one), "{method:?} {most_solved}");
        }
    }
}

/// A rate that no float can hold is told by what it is the rate of.
#[test]
fn rates_beyond_floats_are_named() {
    let processors = [1e300, 1.0].map(|power| Processor::new(Power::per_second(power)));
    let links = Links::everywhere(Bandwidth::bytes_per_second(1));
    let stage = Stage::new(Work::units(1e-300));
    let application = Application::pipeline([stage], Data::bytes(1)).unwrap();
    let planner = Planner::new(application, Platform::new(processors, &links).unwrap());
    assert!(planner.evaluate(&Mapping::new([2])).is_ok());
    let error = planner.evaluate(&Mapping::new([1])).unwrap_err().to_string();
    assert!(
        error.starts_with("the rate of a task on processor 1 is beyond the range of a 64-bit float"),
        "{error}"
    );
}
