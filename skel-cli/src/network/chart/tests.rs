use skel::network::Time;
use skel::network::schedule::{Grid, Heuristic, Link};

use super::*;

fn us(value: f64) -> Time {
    Time::microseconds(value)
}

/// The clusters of the paper's Table 2, with a broadcast of 8 KiB over links of `g = 10 + m/125`.
fn grid() -> Grid {
    const LATENCIES: [[f64; 6]; 6] = [
        [48.39, 6577.49, 6586.49, 6592.51, 5211.94, 8602.73],
        [6577.49, 35.52, 59.96, 59.96, 5387.48, 2736.56],
        [6586.49, 59.96, 60.08, 79.51, 5393.98, 2740.26],
        [6592.51, 59.96, 79.51, 0.0, 5405.78, 2745.98],
        [5211.94, 5387.48, 5393.98, 5405.78, 26.94, 3630.51],
        [8602.73, 2736.56, 2740.26, 2745.98, 3630.51, 35.04],
    ];
    let link = |latency| Link { latency: us(latency), gap: us(4204.304) };
    let links = LATENCIES.map(|row| row.map(link).to_vec()).to_vec();
    let inside = [7166.18, 5109.47, 5809.37, 0.0, 6742.14, 6749.13].map(us);
    Grid::new(["C1", "C21", "C22", "C23", "C3", "C4"], links).unwrap().with_inside(inside).unwrap()
}

fn words(figure: &str, words: &[&str]) {
    assert!(figure.starts_with("<svg") && figure.trim_end().ends_with("</svg>"));
    for word in words {
        assert!(figure.contains(&format!("\n{word}\n")), "{word}\n{figure}");
    }
}

#[test]
fn a_schedule_has_a_row_for_each_cluster() {
    let grid = grid();
    let found = grid.schedule(Heuristic::EcefLAt);
    let gantt = Gantt {
        title: "broadcast of 512 KiB from C1, ECEF-LAt",
        names: grid.names(),
        schedule: &found,
        grid_unaware: Some(us(45_138.13)),
    };
    let figure = schedule(&gantt).unwrap();
    words(&figure, &["C1", "C23", "C4", "sends", "message", "local operation", "time (ms)"]);
    words(&figure, &["last arrival", "at 19.25 ms", "all are done", "grid-unaware tree", "at 45.14 ms"]);
    assert_eq!(figure.matches("<circle").count(), 5 + 1);
    insta::assert_snapshot!("schedule", figure);
    // Without local operations and without anything to compare with, there is less.
    let grid = grid.with_inside([Time::ZERO; 6]).unwrap();
    let found = grid.schedule(Heuristic::Ecef);
    let gantt = Gantt { title: "", names: grid.names(), schedule: &found, grid_unaware: None };
    let figure = schedule(&gantt).unwrap();
    assert!(
        !figure.contains("local operation")
            && !figure.contains("all are done")
            && !figure.contains("grid-unaware")
    );
}

fn curve(name: &str, look: Look, time: impl Fn(f64) -> f64) -> Curve {
    let sizes = [64.0, 1024.0, 16_384.0, 262_144.0];
    Curve { name: name.to_owned(), look, points: sizes.map(|size| (size, time(size))).to_vec() }
}

/// Times of a broadcast to 20 processes by two algorithms, as two models have them.
fn broadcasts() -> Curves {
    let gap = |size: f64| 10.0 + size / 125.0;
    let fastest = move |size: f64| 240.0 + 5.0 * gap(size);
    let panel = |title: &str, times: f64, latencies: f64| {
        let time = move |size: f64| latencies * 48.39 + times * gap(size);
        let hockney = move |size: f64| latencies * 52.0 + times * size / 124.0;
        Panel {
            title: title.to_owned(),
            curves: vec![
                curve("measured", Look::Measured, move |size| time(size) * 1.03),
                curve("Hockney", Look::Model, hockney),
                curve("pLogP", Look::Model, time),
                curve("Poly1, the model", Look::Chosen, time),
                curve("Poly2, the fastest", Look::Fastest, fastest),
            ],
        }
    };
    Curves {
        y_name: "time of a broadcast".to_owned(),
        panels: vec![panel("flat", 19.0, 1.0), panel("binomial", 5.0, 4.0)],
    }
}

#[test]
fn algorithms_stand_beside_each_other() {
    let figure = curves(&broadcasts()).unwrap();
    words(
        &figure,
        &["flat", "binomial", "measured", "Hockney", "pLogP", "Poly1, the model", "Poly2, the fastest"],
    );
    words(&figure, &["time of a broadcast", "size of a message", "4 KiB", "10 ms"]);
    // Four rings in each panel and one among the names.
    assert_eq!(figure.matches("<circle").count(), 2 * 4 + 1);
    insta::assert_snapshot!("broadcasts", figure);
}

#[test]
fn points_without_a_logarithm_are_left_out() {
    let with_zeros = |points: Vec<(f64, f64)>| {
        let curve = Curve { name: "measured".to_owned(), look: Look::Measured, points };
        let empty = Panel { title: "empty".to_owned(), curves: Vec::new() };
        Curves {
            y_name: "gap".to_owned(),
            panels: vec![empty, Panel { title: "C1".to_owned(), curves: vec![curve] }],
        }
    };
    let figure = curves(&with_zeros(vec![(0.0, 5.0), (1.0, 0.0), (8.0, f64::NAN), (8.0, 5.0)])).unwrap();
    assert_eq!(figure.matches("<circle").count(), 1 + 1);
    assert!(!figure.contains("empty"));
    let failure = curves(&with_zeros(vec![(0.0, 5.0)])).unwrap_err();
    assert_eq!(failure.exit, Exit::Limit);
}

#[test]
fn any_name_and_any_time_can_be_drawn() {
    let names = ["<&\">\u{7}".to_owned() + &"long".repeat(20)];
    let found = Grid::new(names.clone(), vec![vec![Link::default()]]).unwrap().schedule(Heuristic::Fef);
    let gantt = Gantt { title: "", names: &names, schedule: &found, grid_unaware: None };
    let figure = schedule(&gantt).unwrap();
    words(&figure, &["at 0 us", "&lt;&amp;&quot;&gt;\u{FFFD}lo…nglonglong"]);
    let curve = Curve { name: names[0].clone(), look: Look::Model, points: vec![(1e18, 1e-9), (1.0, 1e18)] };
    let panel = Panel { title: names[0].clone(), curves: vec![curve] };
    assert!(!curves(&Curves { y_name: "gap".to_owned(), panels: vec![panel] }).unwrap().contains('\u{7}'));
}
