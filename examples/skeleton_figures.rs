//! What a slow stage costs, and what replicas of it give back: Figs 5 and 6 (Yaikhom, Cole, Gilmore, Hillston
//! 2007).
//!
//! Five stages compute at the same rate, from 100 to 500 items per second. Then the middle one is held at 50,
//! and the whole hardly gains from the others' speed; then it is replicated, by a deal or by a farm, two or
//! three times. The paper does not print its communication rate; with 10000 moves per second the curves are
//! those of its figures.
//!
//! The figures are written as SVG files to `target/figures`, or to the folder that is given as an argument.

mod figure;

use std::path::{Path, PathBuf};

use figure::{Curve, Figure, Kuva, STYLES};
use skel::prelude::*;

/// Moves per second.
const COMMUNICATION: f64 = 10_000.0;

/// The rate of the slow stage, and of each replica of it.
const SLOW: f64 = 50.0;

/// A skeleton of five stages as a function of their rate.
type Throughput = fn(f64) -> skel::Result<f64>;

/// The skeletons, with their throughputs at the rates 100, 200, 300, 400 and 500 by an independent
/// implementation.
const SKELETONS: [(&str, Throughput, [f64; 5]); 6] = [
    (
        "uniform",
        |rate| throughput(around(task!(rate), rate)),
        [48.176511, 95.553421, 142.141240, 187.950484, 232.991680],
    ),
    (
        "bottleneck",
        |rate| throughput(around(task!(SLOW), rate)),
        [36.768237, 45.024900, 47.329712, 48.237329, 48.678992],
    ),
    (
        "deal 2",
        |rate| throughput(around(deal!(2, SLOW), rate)),
        [46.152923, 62.342116, 67.703956, 70.003217, 71.201619],
    ),
    (
        "deal 3",
        |rate| throughput(around(deal!(3, SLOW), rate)),
        [51.476104, 74.806365, 83.542213, 87.467327, 89.569536],
    ),
    (
        "farm 2",
        |rate| throughput(around(farm!(2, SLOW), rate)),
        [51.508678, 77.971902, 88.307008, 92.749173, 94.952111],
    ),
    (
        "farm 3",
        |rate| throughput(around(farm!(3, SLOW), rate)),
        [56.581824, 98.222003, 120.752889, 131.927876, 137.760164],
    ),
];

/// Five stages, of which the middle one is given.
fn around(middle: impl Structured, rate: f64) -> impl Skeleton {
    pipe!(task(rate), task(rate), middle, task(rate), task(rate))
}

fn throughput(skeleton: impl Skeleton) -> skel::Result<f64> {
    Ok(*skeleton.communicating(COMMUNICATION).performance()?.throughput())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut curves = Vec::new();
    println!("throughput in items per second; below it the expected value");
    println!("              r=100        200        300        400        500");
    let mut furthest = 0.0_f64;
    for ((name, throughput, expected), style) in SKELETONS.into_iter().zip(STYLES) {
        let rates = (100..=500).step_by(25).map(f64::from);
        let points = rates.map(|rate| Ok((rate, throughput(rate)?))).collect::<skel::Result<Vec<_>>>()?;
        let found = points.iter().step_by(4).map(|(_, value)| *value);
        println!("{name:10}{}", row(found.clone()));
        println!("{:10}{}", "", row(expected.into_iter()));
        furthest =
            found.zip(expected).map(|(found, expected)| (found - expected).abs()).fold(furthest, f64::max);
        curves.push(Curve { name, style, points });
    }
    println!("largest difference: {furthest:.1e}\n");
    assert!(furthest < 1e-6);

    let folder = std::env::args().nth(1).map_or_else(default_folder, PathBuf::from);
    plot(&curves[..2], "Fig. 5: a bottleneck in a pipe of five stages", &folder, "fig5")?;
    plot(&curves[1..], "Fig. 6: the bottleneck replicated by a deal or a farm", &folder, "fig6")?;
    plot(&curves, "Figs 5 and 6 together", &folder, "fig56")?;
    Ok(())
}

fn row(values: impl Iterator<Item = f64>) -> String {
    values.map(|value| format!("{value:11.6}")).collect()
}

fn default_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/figures")
}

fn plot(curves: &[Curve], title: &str, folder: &Path, name: &str) -> std::io::Result<()> {
    let figure = Figure {
        title,
        across: "rate of the fast stages (items per second)",
        up: "throughput of the whole (items per second)",
        is_logarithmic: false,
        curves: curves.iter().collect(),
    };
    println!("{}", figure::write(&figure, &Kuva, folder, name)?.display());
    Ok(())
}
