//! Schedules against the paper's platform and against an independent program (`tests/seeds`).

use std::convert::Infallible;

use serde_json::Value;
use skel_network::Time;
use skel_network::schedule::{Goal, Grid, Heuristic, Link, Schedule, grid_unaware_binomial};

fn broadcast() -> Value {
    serde_json::from_str(include_str!("seeds/broadcast.json")).unwrap()
}

fn more() -> Value {
    serde_json::from_str(include_str!("seeds/communication_more.json")).unwrap()
}

/// A number of a table, or 0 on the diagonal.
fn entry(table: &Value, row: usize, column: usize) -> Time {
    Time::microseconds(table[row][column].as_f64().unwrap_or(0.0))
}

/// The six clusters of the paper's Table 2. The gap of all links is that of one size, and the time inside of
/// each cluster that of its best broadcast.
fn grid_of_table_2(size: Option<u64>) -> Grid {
    let table = broadcast();
    let gap = Time::microseconds(size.map_or(0.0, |bytes| 10.0 + bytes as f64 / 125.0));
    let link = |from, to| Link { latency: entry(&table["latency_us"], from, to), gap };
    let links = (0..6).map(|from| (0..6).map(|to| link(from, to)).collect()).collect();
    let names: Vec<String> = serde_json::from_value(table["names"].clone()).unwrap();
    let inside = names.iter().map(|name| Time::microseconds(inside(&table, name, size)));
    Grid::new(names.clone(), links).unwrap().with_inside(inside).unwrap()
}

fn inside(table: &Value, cluster: &str, size: Option<u64>) -> f64 {
    let rows = table["bcast"].as_array().unwrap();
    let row = rows.iter().find(|row| row["cluster"] == cluster && row["m"].as_u64() == size);
    row.map_or(0.0, |row| row[row["best"].as_str().unwrap()].as_f64().unwrap())
}

fn near(found: Time, expected: &Value) -> bool {
    let expected = expected.as_f64().unwrap();
    (found.as_microseconds() - expected).abs() <= 1e-12 * expected.max(1.0)
}

/// Whether a number is right that is printed with two digits after the point.
fn near_printed(found: Time, expected: &Value) -> bool {
    (found.as_microseconds() - expected.as_f64().unwrap()).abs() <= 0.005 + 1e-9
}

const HEURISTICS: [(&str, Heuristic); 5] = [
    ("FEF", Heuristic::Fef),
    ("ECEF", Heuristic::Ecef),
    ("LA", Heuristic::EcefLookAhead),
    ("LAt", Heuristic::EcefLAt),
    ("LAT", Heuristic::EcefLAT),
];

#[test]
fn schedules_of_table_2() {
    let table = broadcast();
    for (word, size) in [("g=0", None), ("m=8k", Some(8192)), ("m=512k", Some(524_288))] {
        let grid = grid_of_table_2(size);
        for (name, heuristic) in HEURISTICS {
            let expected = &table["schedules"][format!("{word}/{name}")];
            let schedule = grid.schedule(heuristic);
            let case = format!("{word} {heuristic}: {schedule:?}");
            let transfers = expected[0].as_array().unwrap();
            assert_eq!(schedule.transfers.len(), transfers.len());
            for (found, expected) in schedule.transfers.iter().zip(transfers) {
                assert_eq!(grid.names()[found.from], expected[0].as_str().unwrap(), "{case}");
                assert_eq!(grid.names()[found.to], expected[1].as_str().unwrap(), "{case}");
                assert!(near_printed(found.start, &expected[2]), "{case}");
                assert!(near_printed(found.arrival, &expected[3]), "{case}");
            }
            assert!(near_printed(schedule.last_arrival, &expected[1]), "{case}");
            assert!(near_printed(schedule.completion, &expected[2]), "{case}");
        }
        let expected = &table["schedules"][format!("{word}/opt")];
        let best = |goal| grid.optimum(goal).unwrap();
        assert!(near(best(Goal::LastArrival).last_arrival, &expected[0][0]), "{word}");
        assert!(near(best(Goal::Completion).completion, &expected[1][0]), "{word}");
    }
}

/// The figures that the documentation names.
#[test]
fn earliest_completing_edge_first_on_table_2() {
    let last = |size, heuristic| grid_of_table_2(size).schedule(heuristic).last_arrival.as_microseconds();
    let best = |size| grid_of_table_2(size).optimum(Goal::LastArrival).unwrap();
    assert_eq!(last(None, Heuristic::Ecef), 8602.73);
    assert_eq!(best(None).last_arrival.as_microseconds(), 8602.73);
    assert!((last(None, Heuristic::Fef) - 11_638.97).abs() < 1e-9);
    assert!((last(Some(8192), Heuristic::Ecef) - 8904.87).abs() < 0.005);
    assert!((best(Some(8192)).last_arrival.as_microseconds() - 8678.27).abs() < 0.005);
    assert_eq!(best(Some(8192)).transfers[0].to, 5);
}

fn grid_of(case: &Value) -> Grid {
    let count = case["clusters"].as_u64().unwrap() as usize;
    let link =
        |from, to| Link { latency: entry(&case["latency"], from, to), gap: entry(&case["gap"], from, to) };
    let links = (0..count).map(|from| (0..count).map(|to| link(from, to)).collect()).collect();
    let inside =
        case["intra"].as_array().unwrap().iter().map(|time| Time::microseconds(time.as_f64().unwrap()));
    let names = (0..count).map(|cluster| format!("c{cluster}"));
    let grid = Grid::new(names, links).unwrap().with_inside(inside).unwrap();
    grid.with_root(case["root"].as_u64().unwrap() as usize).unwrap()
}

fn assert_transfers(schedule: &Schedule, expected: &Value, case: &str) {
    let expected = expected.as_array().unwrap();
    assert_eq!(schedule.transfers.len(), expected.len(), "{case}");
    for (found, expected) in schedule.transfers.iter().zip(expected) {
        assert_eq!(found.from as u64, expected[0].as_u64().unwrap(), "{case}");
        assert_eq!(found.to as u64, expected[1].as_u64().unwrap(), "{case}");
        assert!(near(found.start, &expected[2]) && near(found.arrival, &expected[3]), "{case}");
    }
}

#[test]
fn schedules_of_an_independent_program() {
    let more = more();
    let cases = more["e_schedules"].as_array().unwrap();
    assert_eq!(cases.len(), 10);
    for case in cases {
        let grid = grid_of(case);
        for heuristic in Heuristic::ALL {
            let expected = &case["heuristics"][heuristic.name()];
            let schedule = grid.schedule(heuristic);
            let name = format!("{} of {} clusters, {heuristic}", case["kind"], grid.len());
            assert_transfers(&schedule, &expected["events"], &name);
            assert!(near(schedule.last_arrival, &expected["last_arrival"]), "{name}");
            assert!(near(schedule.completion, &expected["completion"]), "{name}");
        }
        let best = |goal| grid.optimum(goal).unwrap();
        assert!(near(best(Goal::LastArrival).last_arrival, &case["optimal_last_arrival"]["value"]), "{case}");
        assert!(near(best(Goal::Completion).completion, &case["optimal_completion"]["value"]), "{case}");
    }
}

#[test]
fn the_binomial_tree_over_all_machines() {
    let more = more();
    let case = &more["e_grid_unaware_binomial"];
    let groups = case["machines_of_rank_order"].as_array().unwrap().iter().enumerate();
    let cluster_of: Vec<usize> = groups
        .flat_map(|(cluster, group)| std::iter::repeat_n(cluster, group[1].as_u64().unwrap() as usize))
        .collect();
    let (a, b) = (case["a"].as_f64().unwrap(), case["b"].as_f64().unwrap());
    for row in case["rows"].as_array().unwrap() {
        let size = row["m"].as_u64().unwrap();
        let gap = Time::microseconds(a + size as f64 / b);
        let link = |from: usize, to: usize| {
            let latency = entry(&case["cluster_latency"], cluster_of[from], cluster_of[to]);
            Ok::<_, Infallible>(Link { latency, gap })
        };
        let Ok(schedule) = grid_unaware_binomial(cluster_of.len(), 0, link);
        assert!(near(schedule.completion, &row["completion"]), "{size}: {:?}", schedule.completion);
        assert_eq!(schedule.transfers.len(), 77);
        if size > 1024 {
            let aware = grid_of_table_2(Some(size)).schedule(Heuristic::Ecef).completion;
            let times = schedule.completion / aware;
            assert!((1.725..1.805).contains(&times), "{size}: {times}");
        }
    }
}
