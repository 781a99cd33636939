//! Mappings: how fast they are solved, searched and solved again when a link has changed. Items are mappings.

use std::num::NonZeroUsize;

use divan::Bencher;
use divan::counter::ItemsCount;
use skel::Limits;
use skel_plan::{
    Application, Bandwidth, Data, Links, Mapping, Planner, Platform, Power, Processor, Replanner, Search,
    SearchMethod, Stage, Work,
};

/// Stages of unequal work on three unequal processors; one thread.
fn planner(stages: usize) -> Planner {
    let bandwidth = Bandwidth::bytes_per_second;
    let processors = [10, 9, 7].map(|power| Processor::new(Power::per_second(power)));
    let links = Links::everywhere(bandwidth(20)).within(bandwidth(10_000)).between(1, 2, bandwidth(8));
    let stages = (0..stages).map(|stage| Stage::new(Work::units(1 + stage as u32 % 3)));
    let application = Application::pipeline(stages, Data::bytes(1)).unwrap();
    let limits = Limits { threads: Some(NonZeroUsize::MIN), ..Limits::default() };
    Planner::new(application, Platform::new(processors, &links).unwrap()).with_limits(limits)
}

fn mappings(stages: usize, most: usize) -> Vec<Mapping> {
    let digit = move |number: usize, stage: usize| (number / 3_usize.pow(stage as u32) % 3) as u32 + 1;
    let all = 3_usize.pow(stages as u32);
    (0..all.min(most)).map(|number| Mapping::new((0..stages).map(|stage| digit(number, stage)))).collect()
}

/// Nine mappings, as in a row of the paper's Table 5.1, from the description of the program on.
#[divan::bench]
fn nine_of_three_stages(bencher: Bencher<'_, '_>) {
    let mappings = mappings(3, 9);
    bencher.counter(ItemsCount::new(mappings.len())).bench(|| planner(3).rank(&mappings));
}

/// The paper's claim is of twenty models of up to 20,000 states: here 6,561 and 19,683.
#[divan::bench(args = [8, 9], max_time = 5)]
fn twenty_of(bencher: Bencher<'_, '_>, stages: usize) {
    let mappings = mappings(stages, 20);
    bencher.counter(ItemsCount::new(mappings.len())).bench(|| planner(stages).rank(&mappings));
}

/// All mappings of eight stages, 6,561 states each.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn every_of_eight_stages(bencher: Bencher<'_, '_>) {
    let mappings = mappings(8, usize::MAX);
    bencher.counter(ItemsCount::new(mappings.len())).bench(|| planner(8).rank(&mappings));
}

/// The best of all mappings, proved.
#[divan::bench(args = [6, 8], max_time = 10)]
fn search(bencher: Bencher<'_, '_>, stages: usize) {
    let search = Search { method: SearchMethod::BranchAndBound, ..Search::default() };
    bencher.counter(ItemsCount::new(3_usize.pow(stages as u32))).bench(|| planner(stages).search(&search));
}

/// The twenty best of eight stages again, when a link has changed: it comes and goes.
#[divan::bench(max_time = 5)]
fn reevaluate_at_a_changed_link(bencher: Bencher<'_, '_>) {
    let planner = planner(8);
    let link = |bandwidth: u32| {
        let bandwidth = Bandwidth::bytes_per_second(bandwidth);
        planner.platform().with_link(1.into(), 3.into(), bandwidth).unwrap()
    };
    let mut readings = [link(2), link(20)].into_iter().cycle();
    let mut replanner = Replanner::new(planner.clone(), Search { top: 20, ..Search::default() }).unwrap();
    let reevaluate = || replanner.reevaluate(readings.next().expect("they come again and again"));
    bencher.counter(ItemsCount::new(20_usize)).bench_local(reevaluate);
}
