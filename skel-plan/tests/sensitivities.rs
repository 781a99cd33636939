//! What a little more of a power or a bandwidth brings: against differences, exactly, and by Euler's theorem.

use num_traits::{One, Zero};
use skel_core::number::{Number, Ratio};
use skel_core::skeleton::text::parse;
use skel_plan::{
    Application, Bandwidth, Data, Links, Mapping, Planner, Platform, Power, Processor, Resource, Stage, Work,
};

fn platform() -> Platform {
    let processors = [4, 9, 6].map(|power| Processor::new(Power::per_second(power)));
    let rows = [[700, 5, 9], [4, 800, 3], [7, 6, 900]].map(|row| row.map(Bandwidth::bytes_per_second));
    Platform::new(processors, &Links::from_matrix(rows)).unwrap()
}

fn planners() -> Vec<(Planner, Mapping)> {
    let stages = [(1, 2), (3, 1), (2, 3), (1, 1)];
    let stages = stages.map(|(work, data)| Stage::new(Work::units(work)).receiving(Data::bytes(data)));
    let pipeline = Application::pipeline(stages, Data::bytes(2)).unwrap();
    let skeleton = |text: &str| {
        let tree = parse(text).into_tree().unwrap();
        Application::skeleton(&tree, |from, to| Data::bytes((1 + (from + to) % 3) as u32)).unwrap()
    };
    let planner = |application| Planner::new(application, platform());
    vec![
        (planner(pipeline.clone()), Mapping::new([1, 2, 2, 3])),
        (planner(pipeline), Mapping::new([2, 1, 2, 1]).with_output(3)),
        (planner(skeleton("pipe(task(1), farm(2, 3), task(2));")), Mapping::new([1, 2, 3, 1])),
        (planner(skeleton("pipe(task(2), farm(2, 1));")), Mapping::new([3, 2, 1])),
        (planner(skeleton("pipe(task(erlang(2, 1)), farm(2, erlang(3, 1/3)));")), Mapping::new([3, 2, 1])),
        (
            planner(skeleton("pipe(task(hyperexponential([1/4, 3/4], [1, 3])), task(2));")),
            Mapping::new([3, 3]),
        ),
    ]
}

/// The same machines with one value changed.
fn with(platform: &Platform, resource: Resource, value: Ratio) -> Platform {
    match resource {
        Resource::Processor(id) => platform.with_power(id, &Power::per_second(value)),
        Resource::Link(from, to) => platform.with_link(from, to, Bandwidth::bytes_per_second(value)),
        other => panic!("a test for {other} is missing"),
    }
    .unwrap()
}

#[test]
fn derivatives_are_what_differences_come_to() {
    for (planner, mapping) in planners() {
        for one in planner.sensitivities(&mapping).unwrap() {
            let step = &one.value / Ratio::from_integer(10_000.into());
            let at = |value: Ratio| {
                let changed = planner.with_platform(with(planner.platform(), one.resource, value));
                changed.exact_throughput(&mapping).unwrap()
            };
            let difference = at(&one.value + &step) - at(&one.value - &step);
            let slope = (difference / (step * Ratio::from_integer(2.into()))).to_float();
            assert!(
                (one.derivative / slope - 1.0).abs() < 1e-6,
                "{} {} {slope}",
                one.resource,
                one.derivative
            );
        }
    }
}

#[test]
fn floats_are_the_fractions() {
    for (planner, mapping) in planners() {
        let exact = planner.sensitivities_exact(&mapping).unwrap();
        let floats = planner.sensitivities(&mapping).unwrap();
        assert_eq!(exact.len(), floats.len());
        for one in floats {
            let same = exact.iter().find(|same| same.resource == one.resource).unwrap();
            assert!((one.derivative / same.derivative.to_float() - 1.0).abs() < 1e-9);
        }
        // The throughput doubles when all rates do.
        let sum = exact.iter().fold(Ratio::zero(), |sum, one| sum + &one.elasticity);
        assert_eq!(sum, Ratio::one());
        let throughput = planner.exact_throughput(&mapping).unwrap();
        for one in &exact {
            assert_eq!(one.elasticity, &one.derivative * &one.value / &throughput);
        }
    }
}

/// Links a thousand times as fast as others: where elimination loses its digits, iterations find them.
#[test]
fn rates_that_are_far_apart_lose_no_digits() {
    let bandwidth = Bandwidth::bytes_per_second;
    let processors = [1000.0, 1.0, 0.01].map(|power| Processor::new(Power::per_second(power)));
    let links = Links::everywhere(bandwidth(0.001)).within(bandwidth(1000.0)).one_way(1, 2, bandwidth(30.0));
    let stages = [1.0, 100.0, 0.01].map(|work| Stage::new(Work::units(work)));
    let application = Application::pipeline(stages, Data::bytes(1)).unwrap();
    let planner = Planner::new(application, Platform::new(processors, &links).unwrap());
    for number in 0..27 {
        let mapping = Mapping::new([number / 9, number / 3 % 3, number % 3].map(|index| index + 1));
        let exact = planner.sensitivities_exact(&mapping).unwrap();
        for one in planner.sensitivities(&mapping).unwrap() {
            let same = exact.iter().find(|same| same.resource == one.resource).unwrap();
            assert!(
                (one.elasticity - same.elasticity.to_float()).abs() < 1e-12,
                "{mapping} {}",
                one.resource
            );
        }
    }
}
