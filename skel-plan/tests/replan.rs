//! Machines that change: what a replanner says is what a new search says, for fewer solutions.

use skel_core::skeleton::{erlang, fitted};
use skel_core::time::mean;
use skel_plan::{
    Application, Bandwidth, Data, Links, Mapping, Migration, Planner, Platform, Power, Processor, Replanner,
    Search, Seconds, Stage, Work,
};
use skel_solve::steady::Options;

fn platform() -> Platform {
    let processors = [10, 8, 6].map(|power| Processor::new(Power::per_second(power)));
    let bandwidth = Bandwidth::bytes_per_second;
    Platform::new(processors, &Links::everywhere(bandwidth(20)).within(bandwidth(10_000))).unwrap()
}

fn planner() -> Planner {
    let stages = [1, 3, 2, 1, 2].map(|work| Stage::new(Work::units(work)));
    Planner::new(Application::pipeline(stages, Data::bytes(1)).unwrap(), platform())
}

/// The same work, but two of the times have phases.
fn timed_planner() -> Planner {
    let work = |work| Stage::new(Work::units(work));
    let (steady, varying) = (Stage::taking(erlang(2, mean(3))), Stage::taking(fitted(mean(1), 3)));
    let stages = [work(1), steady, work(2), varying, work(2)];
    Planner::new(Application::pipeline(stages, Data::bytes(1)).unwrap(), platform())
}

/// A day of readings: a processor taken by others, a link that becomes slow, both back again.
fn readings() -> Vec<Platform> {
    let busy = platform().with_power(1.into(), &Power::per_second(2)).unwrap();
    let slow = busy.with_link(2.into(), 3.into(), Bandwidth::bytes_per_second(0.5)).unwrap();
    let slow = slow.with_link(3.into(), 2.into(), Bandwidth::bytes_per_second(0.5)).unwrap();
    vec![busy, slow, platform()]
}

#[test]
fn updates_are_what_a_new_search_finds() {
    updates_agree(&planner());
}

#[test]
fn updates_are_what_a_new_search_finds_with_times() {
    updates_agree(&timed_planner());
}

fn updates_agree(planner: &Planner) {
    let search = Search { top: 20, ..Search::default() };
    let mut replanner = Replanner::new(planner.clone(), search.clone()).unwrap();
    assert_eq!(replanner.candidates().mappings().len(), 20);
    for reading in readings() {
        let afresh = planner.with_platform(reading.clone()).search(&search).unwrap();
        let reassessed = replanner.reevaluate(reading.clone()).unwrap();
        assert!((20..=21).contains(&reassessed.solved) && !reassessed.is_proved);
        let update = replanner.search_again(reading).unwrap();
        assert!(update.is_proved);
        for (one, other) in afresh.ranking.mappings().iter().zip(update.ranking.mappings()) {
            assert_eq!(one.mapping, other.mapping);
        }
        assert!(
            reassessed.ranking.best().throughput.value()
                <= update.ranking.best().throughput.value() * (1.0 + 1e-9)
        );
        assert!(reassessed.running.throughput <= reassessed.ranking.best().throughput);
        assert_eq!(reassessed.running.mapping, *replanner.running());
        replanner.switch_to(update.ranking.best().mapping.clone()).unwrap();
    }
}

#[test]
fn a_good_start_leaves_less_to_solve() {
    let search = Search::default();
    let afresh = planner().search(&search).unwrap();
    let known = [afresh.ranking.best().mapping.clone()];
    let again = planner().search_from(&search, &known).unwrap();
    assert_eq!(again.ranking.best().mapping, afresh.ranking.best().mapping);
    assert!(again.is_proved && again.solved <= afresh.solved, "{} {}", again.solved, afresh.solved);
    assert!(planner().search_from(&search, &[Mapping::new([1, 9, 1, 1, 1])]).is_err());
}

/// Solutions that start from the last ones are the same: iterated, reading by reading.
#[test]
fn starts_change_nothing_but_the_time() {
    let options = Options { direct_up_to: 0, ..Options::default() };
    let planner = planner().with_options(options);
    let mut replanner = Replanner::new(planner.clone(), Search { top: 8, ..Search::default() }).unwrap();
    for reading in readings().into_iter().chain(readings()) {
        let reassessed = replanner.reevaluate(reading.clone()).unwrap();
        let mappings: Vec<Mapping> =
            reassessed.ranking.mappings().iter().map(|ranked| ranked.mapping.clone()).collect();
        let afresh = planner.with_platform(reading).rank(&mappings).unwrap();
        for (one, other) in reassessed.ranking.mappings().iter().zip(afresh.mappings()) {
            assert_eq!(one.mapping, other.mapping);
            assert!((one.throughput.value() / other.throughput.value() - 1.0).abs() < 1e-10);
        }
    }
}

/// A program that runs under a mapping which the search does not look at, with its output elsewhere.
#[test]
fn a_running_mapping_with_other_ends_is_not_taken_for_one_without() {
    let mut replanner = Replanner::new(planner(), Search::default()).unwrap();
    let best = replanner.running().clone();
    let other = planner().platform().processors().find(|&id| id != best.output()).unwrap();
    let elsewhere = best.clone().with_output(other);
    replanner.switch_to(elsewhere.clone()).unwrap();
    let change = replanner.search_again(platform()).unwrap();
    let [expected, running] =
        [&best, &elsewhere].map(|mapping| planner().evaluate(mapping).unwrap().throughput.value());
    assert_eq!((change.ranking.best().mapping.clone(), change.running.mapping.clone()), (best, elsewhere));
    assert!((change.ranking.best().throughput.value() / expected - 1.0).abs() < 1e-10);
    assert!((change.running.throughput.value() / running - 1.0).abs() < 1e-10);
    assert!(running < expected);
}

#[test]
fn moving_pays_when_it_makes_more_items() {
    let replanner = Replanner::new(planner(), Search::default()).unwrap();
    let busy = platform().with_power(1.into(), &Power::per_second(0.5)).unwrap();
    let mut replanner_of_busy = replanner.clone();
    let change = replanner_of_busy.search_again(busy).unwrap();
    let [stay, go] = [&change.running, change.ranking.best()].map(|ranked| ranked.throughput.value());
    assert!(go > stay);
    let standstill = Seconds::new(60);
    let break_even = change.break_even(&standstill).unwrap().unwrap();
    assert!((break_even - 60.0 * go / (go - stay)).abs() < 1e-9);
    for (part, is_worth) in [(0.99, false), (1.01, true)] {
        let migration =
            Migration { downtime: standstill.clone(), remaining: Seconds::new(part * break_even) };
        assert_eq!(change.is_worth_moving(&migration).unwrap(), is_worth);
        let expected = go * (part * break_even - 60.0) - stay * part * break_even;
        assert!((change.gain(&migration).unwrap() - expected).abs() < 1e-6);
    }
    let never = Migration { downtime: Seconds::new(0), remaining: Seconds::new(1) };
    assert_eq!(change.gain(&never).unwrap_err().0[0].message, "the time of a migration is 0");
}

#[test]
fn what_no_longer_fits_is_said() {
    let mut replanner = Replanner::new(planner(), Search::default()).unwrap();
    let one = Platform::new(
        [Processor::new(Power::per_second(1))],
        &Links::everywhere(Bandwidth::bytes_per_second(1)),
    );
    let error = replanner.reevaluate(one.unwrap()).unwrap_err().to_string();
    assert!(error.starts_with("there is no processor "), "{error}");
}
