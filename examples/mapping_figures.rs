//! When to move a stage: Figs 5.1, 5.2 and 6.1 (Benoit, Cole, Gilmore, Hillston 2005).
//!
//! Fig. 5.1: three stages on three processors, of which the first two have a slow link. The more data the
//! first two stages pass on, the better it is to keep them together. Fig. 5.2: eight stages on one, two, four
//! or eight processors. The slower the links, the fewer processors are worth using. Where two curves cross
//! the best mapping changes; the crossings are found by bisection and marked. Fig. 6.1: the states and
//! transitions of the model, by the number of stages.
//!
//! The figures are written as SVG files to `target/figures`, or to the folder that is given as an argument.

mod figure;

use std::path::{Path, PathBuf};

use figure::{Curve, Figure, Kuva, Marker, STYLES, Style};
use skel::prelude::Explore;
use skel_plan::{
    Application, Bandwidth, Data, Links, Mapping, Planner, Platform, Power, Processor, Stage, Work,
};

const CROSSING: Style = Style { colour: "#CC0000", dashes: Some(""), marker: Some(Marker::Diamond) };

/// A pipeline of stages of work 1, with data of these sizes, on as many processors of power 10.
fn planner(sizes: &[f64], links: &Links) -> Result<Planner, skel::Error> {
    let (output, inputs) = sizes.split_last().expect("there is an output");
    let stages = inputs.iter().map(|&size| Stage::new(Work::units(1)).receiving(Data::bytes(size)));
    let processors = inputs.iter().map(|_| Processor::new(Power::per_second(10)));
    let links = links.clone().within(Bandwidth::bytes_per_second(10_000));
    let application = Application::pipeline(stages, Data::bytes(*output))?;
    Ok(Planner::new(application, Platform::new(processors, &links)?))
}

fn throughput(planner: &Planner, mapping: &Mapping) -> Result<f64, skel::Error> {
    Ok(planner.evaluate(mapping)?.throughput.value())
}

/// Where the difference of two functions changes its sign, to nine digits.
fn crossing(
    (mut low, mut high): (f64, f64),
    difference: impl Fn(f64) -> Result<f64, skel::Error>,
) -> Result<f64, skel::Error> {
    let sign = difference(low)?.signum();
    while high / low - 1.0 > 1e-9 {
        let middle = f64::midpoint(low, high);
        if difference(middle)?.signum() == sign { low = middle } else { high = middle }
    }
    Ok(low)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).map_or_else(default_folder, PathBuf::from);
    let figures = [
        ("mapping51", by_data_size()?, false),
        ("mapping52", by_link()?, false),
        ("mapping61", sizes()?, true),
    ];
    for (name, ([title, across, up], curves), is_logarithmic) in figures {
        let figure = Figure { title, across, up, is_logarithmic, curves: curves.iter().collect() };
        println!("{}", figure::write(&figure, &Kuva, &folder, name)?.display());
    }
    Ok(())
}

/// The title, what the axes show, and the curves.
type Drawn = ([&'static str; 3], Vec<Curve>);

const MAPPINGS: [(&str, [u32; 3]); 9] = [
    ("(1,1,1)", [1, 1, 1]),
    ("(1,1,2)", [1, 1, 2]),
    ("(1,1,3)", [1, 1, 3]),
    ("(1,2,1)", [1, 2, 1]),
    ("(1,2,2)", [1, 2, 2]),
    ("(1,2,3)", [1, 2, 3]),
    ("(1,3,1)", [1, 3, 1]),
    ("(1,3,2)", [1, 3, 2]),
    ("(1,3,3)", [1, 3, 3]),
];

/// Fig. 5.1.
fn by_data_size() -> Result<Drawn, skel::Error> {
    let bandwidth = Bandwidth::bytes_per_second;
    let links = Links::everywhere(bandwidth(1000)).between(1, 2, bandwidth(100));
    let at = |size: f64, stages: [u32; 3]| {
        throughput(&planner(&[100.0, size, 100.0, 100.0], &links)?, &Mapping::new(stages))
    };
    let mut curves = Vec::new();
    for ((name, stages), style) in MAPPINGS.into_iter().zip(STYLES) {
        let sizes = (0..=20).map(|step| f64::from(25 * step).max(1.0));
        let points = sizes.map(|size| Ok((size, at(size, stages)?))).collect::<Result<_, skel::Error>>()?;
        curves.push(Curve { name, style, points });
    }
    let size = crossing((100.0, 200.0), |size| Ok(at(size, [1, 3, 2])? - at(size, [1, 1, 3])?))?;
    println!("(1,3,2) and (1,1,3) cross at a size of {size:.6}");
    assert!((size - 159.528892).abs() < 1e-5);
    curves.push(Curve { name: "crossing", style: CROSSING, points: vec![(size, at(size, [1, 1, 3])?)] });
    let axes = [
        "Fig. 5.1: three stages, by the data between the first two",
        "size of the data that the second stage receives (bytes)",
        "throughput (items per second)",
    ];
    Ok((axes, curves))
}

/// Fig. 5.2.
fn by_link() -> Result<Drawn, skel::Error> {
    let at = |link: f64, processors: u32| {
        let planner = planner(&[1.0; 9], &Links::everywhere(Bandwidth::bytes_per_second(link)))?;
        throughput(&planner, &Mapping::new((0..8).map(|stage| stage * processors / 8 + 1)))
    };
    let counts = [("8 processors", 8), ("4 processors", 4), ("2 processors", 2), ("1 processor", 1)];
    let mut curves = Vec::new();
    for ((name, processors), style) in counts.into_iter().zip(STYLES) {
        let links = [0.1, 0.5, 1.0, 2.0, 3.5, 5.0, 7.0, 10.0, 14.0, 20.0].into_iter();
        let points =
            links.map(|link| Ok((link, at(link, processors)?))).collect::<Result<_, skel::Error>>()?;
        curves.push(Curve { name, style, points });
    }
    let crossings = [
        ("1 and 2 cross", 1, 2, 0.873_624_29),
        ("2 and 4 cross", 2, 4, 1.747_136_18),
        ("4 and 8 cross", 4, 8, 6.723_998_40),
    ];
    for (name, few, many, expected) in crossings {
        let between = (expected * 0.9, expected * 1.1);
        let link = crossing(between, |link| Ok(at(link, few)? - at(link, many)?))?;
        println!("{few} and {many} processors cross at links of {link:.6}");
        assert!((link / expected - 1.0).abs() < 1e-7);
        curves.push(Curve { name, style: CROSSING, points: vec![(link, at(link, few)?)] });
    }
    let axes = [
        "Fig. 5.2: eight stages, by the links between processors",
        "bandwidth of each link (bytes per second)",
        "throughput (items per second)",
    ];
    Ok((axes, curves))
}

/// Fig. 6.1.
fn sizes() -> Result<Drawn, skel::Error> {
    let (mut states, mut transitions) = (Vec::new(), Vec::new());
    for stages in 1..=10_i32 {
        let alike = (0..stages).map(|_| Stage::new(Work::units(1)));
        let space = Application::pipeline(alike, Data::bytes(1))?.model().explore()?;
        let (found, moves) = (space.states() as f64, space.transitions() as f64);
        let noun = if stages == 1 { "stage" } else { "stages" };
        println!("{stages} {noun}: {found} states, {moves} transitions");
        // One stage alone is a ring of three states.
        let expected = if stages == 1 { 3.0 } else { 3.0_f64.powi(stages - 2) * f64::from(4 * stages + 5) };
        assert_eq!((found, moves), (3.0_f64.powi(stages), expected));
        states.push((f64::from(stages), found));
        transitions.push((f64::from(stages), moves));
    }
    let curves = vec![
        Curve { name: "states", style: STYLES[0], points: states },
        Curve { name: "transitions", style: STYLES[1], points: transitions },
    ];
    Ok((["Fig. 6.1: the size of the model", "stages", "how many there are"], curves))
}

fn default_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/figures")
}
