//! Which processor runs which stage: Table 5.1 (Benoit, Cole, Gilmore, Hillston 2005).
//!
//! Three stages of equal work on up to three processors, the first stage on the first. Links and powers
//! differ from row to row: where links are slow the stages stay together, and where a processor is slow it is
//! left out. Beside each of the paper's figures stands ours, over the same nine mappings, and what a search
//! over all twenty-seven finds: a mapping that begins elsewhere is often better.

use skel_plan::{
    Application, Bandwidth, Data, Links, Mapping, Planner, Platform, Power, Processor, Search, Stage, Work,
};

/// Bandwidths 1-2, 2-3, 1-3; powers 1, 2, 3; the paper's mapping and throughput.
type Row = ([f64; 3], [f64; 3], [u32; 3], f64);

const ROWS: [Row; 7] = [
    ([10_000.0, 10_000.0, 10_000.0], [10.0, 10.0, 10.0], [1, 2, 3], 5.63467),
    ([10_000.0, 10_000.0, 10_000.0], [5.0, 5.0, 5.0], [1, 2, 3], 2.81892),
    ([10_000.0, 10_000.0, 10_000.0], [10.0, 10.0, 1.0], [1, 2, 1], 3.36671),
    ([10.0, 10.0, 10.0], [10.0, 10.0, 1.0], [1, 1, 2], 2.59914),
    ([1.0, 1.0, 1.0], [10.0, 10.0, 1.0], [1, 1, 1], 1.87963),
    ([10.0, 1.0, 1.0], [10.0, 10.0, 10.0], [1, 1, 2], 2.59914),
    ([10.0, 1.0, 1.0], [1.0, 1.0, 100.0], [1, 3, 3], 0.49988),
];

fn planner(links: [f64; 3], powers: [f64; 3]) -> Result<Planner, skel::Error> {
    let [between_1_2, between_2_3, between_1_3] = links.map(Bandwidth::bytes_per_second);
    let links = Links::none()
        .within(Bandwidth::bytes_per_second(10_000))
        .between(1, 2, between_1_2)
        .between(2, 3, between_2_3)
        .between(1, 3, between_1_3);
    let processors = powers.map(|power| Processor::new(Power::per_second(power)));
    let stages = [1, 1, 1].map(|work| Stage::new(Work::units(work)));
    let platform = Platform::new(processors, &links)?;
    Ok(Planner::new(Application::pipeline(stages, Data::bytes(1))?, platform))
}

fn main() -> Result<(), skel::Error> {
    println!("nl1-2  nl2-3  nl1-3  cp1  cp2  cp3   paper               here                    of all 27");
    let from_the_first: Vec<Mapping> =
        (0..9).map(|number| Mapping::new([1, number / 3 + 1, number % 3 + 1])).collect();
    for (links, powers, mapping, printed) in ROWS {
        let planner = planner(links, powers)?;
        let best = planner.rank(&from_the_first)?.best().clone();
        let of_all = planner.search(&Search::default())?.ranking.best().clone();
        let parameters: Vec<String> = links.iter().map(|link| format!("{link:5}")).collect();
        let powers: Vec<String> = powers.iter().map(|power| format!("{power:3}")).collect();
        println!(
            "{}  {}   {} {printed:.5}   {} {:.8}   {} {:.5}",
            parameters.join("  "),
            powers.join("  "),
            digits(&Mapping::new(mapping)),
            digits(&best.mapping),
            best.throughput.value(),
            digits(&of_all.mapping),
            of_all.throughput.value(),
        );
        assert_eq!(best.mapping, Mapping::new(mapping));
        // The third row is cut off in the paper, not rounded.
        assert!((best.throughput.value() - printed).abs() < 1e-5);
        assert!(of_all.throughput.value() > best.throughput.value() * (1.0 - 1e-9));
    }
    Ok(())
}

/// `(1,2,3)`
fn digits(mapping: &Mapping) -> String {
    let tasks: Vec<String> = mapping.processors().iter().map(ToString::to_string).collect();
    format!("({})", tasks.join(","))
}
