//! Clusters against the tables of the paper and against an independent program (`tests/seeds`).

use serde_json::Value;
use skel_network::Time;
use skel_network::partition::{EqualMachines, LatencyMatrix, Partition, Rho};

fn seed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn broadcast() -> Value {
    seed(include_str!("seeds/broadcast.json"))
}

fn partitions() -> Vec<Value> {
    seed(include_str!("seeds/communication_more.json"))["d_partition"].as_array().unwrap().clone()
}

fn rows(table: &Value) -> Vec<Vec<Option<Time>>> {
    let row = |row: &Value| {
        row.as_array().unwrap().iter().map(|latency| latency.as_f64().map(Time::microseconds)).collect()
    };
    table.as_array().unwrap().iter().map(row).collect()
}

/// The six clusters of the paper's Table 2 as their 78 machines.
fn machines_of_table_2() -> (Vec<EqualMachines>, LatencyMatrix) {
    let table = broadcast();
    let groups: Vec<EqualMachines> = (0..6)
        .map(|at| {
            let count = table["sizes"][at].as_u64().unwrap() as usize;
            EqualMachines::new(table["names"][at].as_str().unwrap(), count)
        })
        .collect();
    let matrix = LatencyMatrix::of_equal(&groups, &rows(&table["latency_us"])).unwrap();
    (groups, matrix)
}

/// For each cluster how many machines of which groups it has.
fn groups_of_clusters(matrix: &LatencyMatrix, rho: f64) -> Vec<(Vec<String>, usize)> {
    let partition = matrix.partition(Rho::new(rho).unwrap());
    let groups = |machines: &Vec<usize>| {
        let mut groups: Vec<String> = machines
            .iter()
            .map(|&machine| matrix.names()[machine].split('-').next().unwrap().to_owned())
            .collect();
        groups.dedup();
        (groups, machines.len())
    };
    partition.machines().iter().map(groups).collect()
}

#[test]
fn the_six_clusters_of_table_2() {
    let (groups, matrix) = machines_of_table_2();
    assert_eq!(matrix.names().len(), 78);
    let printed: Vec<(Vec<String>, usize)> =
        groups.into_iter().map(|group| (vec![group.name], group.count)).collect();
    for step in 21..=3250 {
        let rho = f64::from(step) / 10_000.0;
        assert_eq!(groups_of_clusters(&matrix, rho), printed, "rho = {rho}");
    }
    for rho in [0.0, 0.001, 0.002, 0.3265, 0.33, 0.5, 1.0] {
        assert_ne!(groups_of_clusters(&matrix, rho), printed, "rho = {rho}");
    }
}

/// C22 is one cluster as soon as 60.08 us is within the bound of 59.96 us, its machines' least latency, and
/// takes C23 in as soon as 79.51 us is.
#[test]
fn the_bounds_between_which_table_2_is_found() {
    let (_, matrix) = machines_of_table_2();
    let clusters = |rho| groups_of_clusters(&matrix, rho).len();
    let (least, most) = (60.08 / 59.96 - 1.0, 79.51 / 59.96 - 1.0);
    assert!((0.002..0.0021).contains(&least) && (0.326..0.3261).contains(&most));
    assert_eq!([clusters(least - 1e-9), clusters(least + 1e-9)], [12, 6]);
    assert_eq!([clusters(most - 1e-9), clusters(most + 1e-9)], [6, 5]);
}

#[test]
fn clusters_of_table_2_at_other_bounds() {
    let (_, matrix) = machines_of_table_2();
    let table = broadcast();
    let cases = table["eco"].as_object().unwrap();
    assert_eq!(cases.len(), 3);
    for (rho, clusters) in cases {
        let expected: Vec<(Vec<String>, usize)> = clusters
            .as_array()
            .unwrap()
            .iter()
            .map(|cluster| {
                let (count, groups) = cluster.as_array().unwrap().split_last().unwrap();
                let groups = groups.iter().map(|group| group.as_str().unwrap().to_owned()).collect();
                (groups, count.as_u64().unwrap() as usize)
            })
            .collect();
        assert_eq!(groups_of_clusters(&matrix, rho.parse().unwrap()), expected, "rho = {rho}");
    }
}

fn lists(value: &Value) -> Vec<Vec<usize>> {
    serde_json::from_value(value.clone()).unwrap()
}

fn matrix_of(case: &Value) -> LatencyMatrix {
    let rows = rows(&case["latency"]);
    LatencyMatrix::new((0..rows.len()).map(|machine| format!("m{machine}")), &rows).unwrap()
}

#[test]
fn clusters_of_an_independent_program() {
    let cases = partitions();
    assert_eq!(cases.len(), 12);
    for case in &cases {
        let matrix = matrix_of(case);
        for result in case["results"].as_array().unwrap() {
            let rho = result["rho"].as_f64().unwrap();
            let partition = matrix.partition(Rho::new(rho).unwrap());
            assert_eq!(partition.machines(), lists(&result["clusters"]), "{}, rho = {rho}", case["name"]);
        }
    }
}

#[test]
fn levels_of_an_independent_program() {
    let mut checked = 0;
    for case in &partitions() {
        let Some(expected) = case.get("levels_rho_0.2_mean_link") else { continue };
        let expected: Vec<Vec<Vec<usize>>> = expected.as_array().unwrap().iter().map(lists).collect();
        let levels = matrix_of(case).levels(Rho::default());
        let found: Vec<Vec<Vec<usize>>> = levels.iter().map(Partition::machines).collect();
        assert_eq!(found, expected, "{}", case["name"]);
        checked += 1;
    }
    assert_eq!(checked, 2);
}

/// A cluster can be wider than the bound, and its latencies show it.
#[test]
fn a_friend_of_a_friend_shows_in_the_spread() {
    let case =
        partitions().into_iter().find(|case| case["name"].as_str().unwrap().starts_with("friend")).unwrap();
    let partition = matrix_of(&case).partition(Rho::default());
    let spread = partition.clusters[0].latency.unwrap();
    assert_eq!(partition.clusters[0].machines, [0, 1, 2]);
    assert!(spread.most / spread.least > 1.2, "{spread:?}");
}

/// The mean latencies between the clusters of Table 2 are those of the table.
#[test]
fn latencies_between_clusters() {
    let (_, matrix) = machines_of_table_2();
    let partition = matrix.partition(Rho::default());
    let between = matrix.between_clusters(&partition);
    assert_eq!(between.names(), ["C1-1", "C21-1", "C22-1", "C23-1", "C3-1", "C4-1"]);
    let table = rows(&broadcast()["latency_us"]);
    for (one, row) in table.iter().enumerate() {
        for (other, latency) in row.iter().enumerate() {
            let expected = latency.unwrap().as_microseconds();
            let inside = || partition.clusters[one].latency.map(|spread| spread.mean);
            match if one == other { inside() } else { between.latency(one, other) } {
                Some(found) => assert!((found.as_microseconds() - expected).abs() < 1e-9 * expected),
                None => assert_eq!((one, other), (3, 3)),
            }
        }
    }
}
