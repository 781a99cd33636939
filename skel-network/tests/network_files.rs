//! Networks as files: what is read, what is written again, and what is said of files that are wrong.

use proptest::prelude::*;
use skel_network::file::{GivenModel, Group, measurements_csv, parse, parse_in};
use skel_network::{Bytes, Kind, Measured, Measurement, Network, Time};

/// The platform of the paper, with the reference's gap table.
const PAPER: &str = r#"
latency = [
    [48.39, 6577.49, 6586.49, 6592.51, 5211.94, 8602.73],
    [6577.49, 35.52, 59.96, 59.96, 5387.48, 2736.56],
    [6586.49, 59.96, 60.08, 79.51, 5393.98, 2740.26],
    [6592.51, 59.96, 79.51, "-", 5405.78, 2745.98],
    [5211.94, 5387.48, 5393.98, 5405.78, 26.94, 3630.51],
    [8602.73, 2736.56, 2740.26, 2745.98, 3630.51, 35.04],
]
cluster = [
    { name = "C1", machines = 20 },
    { name = "C21", machines = 11 },
    { name = "C22", machines = 7 },
    { name = "C23", machines = 1 },
    { name = "C3", machines = 20 },
    { name = "C4", machines = 19 },
]
model = [{ kind = "pLogP", gap = [[0, "10us"], ["1MiB", "8398.608us"]] }]
"#;

/// Line, column and message of everything that is wrong with a text.
fn wrong(text: &str) -> Vec<String> {
    let parsed = parse(text);
    assert!(parsed.contents.is_none(), "{text}");
    let place = |at: usize| {
        let before = &text[..at];
        let line = before.matches('\n').count() + 1;
        (line, before.chars().rev().take_while(|c| *c != '\n').count() + 1)
    };
    let lines = parsed.diagnostics.iter().map(|found| {
        let (line, column) = place(found.span.start);
        format!("{line}:{column}: {}", found.message)
    });
    lines.collect()
}

#[test]
fn the_platform_of_the_paper_has_78_machines() {
    let network = Network::from_toml(PAPER).unwrap();
    assert_eq!((network.machine_count(), network.groups().len()), (78, 6));
    assert_eq!(network.machines().last(), Some("C4-19"));
    assert_eq!(network.latency("C4-3", "C1-20"), Some(Time::microseconds(8602.73)));
    assert_eq!(network.latency("C23", "C22-7"), Some(Time::microseconds(79.51)));
    assert_eq!(network.latency("C1-1", "C1-2"), Some(Time::microseconds(48.39)));
    assert_eq!(network.latency("C23", "C23"), None);
    assert_eq!(network.models()[0].model().kind(), Kind::PLogP);
    assert!(network.models()[0].follows_links());
    assert_eq!(network.latency_matrix().unwrap().names().len(), 78);
    assert_eq!(Network::from_toml(&network.to_toml()).unwrap(), network);
}

#[test]
fn every_kind_of_model_is_read_and_written() {
    let text = r#"
        machines = ["a", "b"]
        latency = [["-", "3us"], ["3us", "-"]]
        combine_per_byte = "0.8ns"
        [[model]]
        kind = "hockney"
        bandwidth = "1Gbit/s"
        [[model]]
        kind = "LogP"
        latency = "1ms"
        overhead = 5
        gap = "12us"
        packet = 1460
        [[model]]
        kind = "LogGP"
        between = ["b", "a"]
        overhead = "5us"
        gap = "14us"
        gap_per_byte = "8.9ns"
        [[model]]
        kind = "LoGPC"
        overhead = "5us"
        gap = "14us"
        gap_per_byte = "8.9ns"
        contention = 1.5
        [[model]]
        kind = "pLogP"
        gap = """
            bytes,us
            1,13
            # 24 us for a KiB, "as measured
            1KiB,24
        """
        send_overhead = [["1B", 3], [1024, 4.5]]
        receive_overhead = [[1, "3us"]]
    "#;
    let network = Network::from_toml(text).unwrap_or_else(|errors| panic!("{errors}"));
    let kinds: Vec<Kind> = network.models().iter().map(|given| given.model().kind()).collect();
    assert_eq!(kinds, [Kind::Hockney, Kind::LogP, Kind::LogGp, Kind::LoGpc, Kind::PLogP]);
    let texts: Vec<String> = network.models().iter().map(|given| given.model().to_string()).collect();
    assert_eq!(texts[0], "Hockney: alpha = 0 us, beta = 125 bytes/us");
    let follow: Vec<bool> = network.models().iter().map(GivenModel::follows_links).collect();
    assert_eq!(follow, [true, false, true, true, true]);
    assert_eq!(network.models()[2].ends(), Some(("a", "b")));
    assert_eq!(Network::from_toml(&network.to_toml()).unwrap(), network);
}

#[test]
fn what_was_measured_gives_latencies() {
    let text = r#"
        machines = ["near", "far", "third"]
        measurements = """
            from, to, what, messages, bytes, seconds
            near, far, half_round_trip, , 1, 50e-6
            far, near, half_round_trip, , 1, 60e-6
            near, far, half_round_trip, , 1024, 90e-6
            near, far, burst, 10, 1, 1e-3
            near, third, half_round_trip, , 8, 70e-6
            third, far, half_round_trip, , 8, 80e-6
        """
        experiments = """
            operation,algorithm,processes,bytes,segment,at,time
            broadcast,chain,3,8KiB,1k,near,1.5ms
            all-gather,ring,3,8kB,,,2 ms
        """
    "#;
    let network = Network::from_toml(text).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(network.latency("far", "near"), Some(Time::microseconds(55.0)));
    assert_eq!(network.measurements()[3].measured, Measured::Burst { messages: 10 });
    assert_eq!(network.experiments()[0].segment, Some(Bytes::new(1024)));
    assert_eq!(network.experiments()[1].size, Bytes::new(8000));
    assert_eq!(Network::from_toml(&network.to_toml()).unwrap(), network);
    let again = Network::measured(network.measurements().to_vec()).unwrap();
    assert_eq!(again.latency_matrix().unwrap(), network.latency_matrix().unwrap());
}

#[test]
fn a_network_is_saved_with_its_tables_and_read_again() {
    let folder = std::env::temp_dir().join(format!("skel_network_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let timed = Measurement {
        from: "#1".into(),
        to: "say \"b\", \\n".into(),
        measured: Measured::HalfRoundTrip,
        size: Bytes::new(1),
        time: Time::microseconds(0.1 + 0.2),
    };
    let network = Network::measured(vec![timed]).unwrap();
    network.save(folder.join("pair.toml")).unwrap();
    assert_eq!(Network::from_file(folder.join("pair.toml")).unwrap(), network);
    assert!(!folder.join("pair_experiments.csv").exists());
    let latencies = "from,b,a\na,3,-\nb,-,3us\n";
    std::fs::write(folder.join("latency.csv"), latencies).unwrap();
    let parsed = parse_in("machines = ['a', 'b']\nlatency = 'latency.csv'", &folder);
    assert_eq!(parsed.into_contents().unwrap().latency("a", "b"), Some(Time::microseconds(3.0)));
    std::fs::remove_dir_all(&folder).unwrap();
    let missing = Network::from_file(folder.join("pair.toml")).unwrap_err();
    assert!(missing.to_string().contains("cannot be read"), "{missing}");
}

#[test]
fn everything_that_is_wrong_with_latencies_is_said_with_its_pair() {
    let text = "machines = ['a', 'b', 'c', 'd']\nlatency = [\n    ['-', 1, -2, nan],\n    [1.5, '-', '-', 4],\n    [-2, 5, 7, 1],\n    [nan, 4, '-', '-'],\n]";
    assert_eq!(
        wrong(text),
        [
            "3:11: the latency from `a` to `b` is 1 us, and that from `b` to `a` is 1.5 us",
            "3:14: the latency from `a` to `c` is -2 us",
            "3:18: the latency from `a` to `d` is NaN us",
            "5:6: the latency from `c` to `a` is -2 us",
            "5:10: the latency from `c` to `b` is 5 us, and that from `b` to `c` is missing",
            "5:13: `c` is one machine, so there is no latency inside `c`",
            "5:16: the latency from `c` to `d` is 1 us, and that from `d` to `c` is missing",
            "6:6: the latency from `d` to `a` is NaN us",
        ]
    );
    assert_eq!(
        wrong("machines = ['a', 'b', 'c']"),
        [
            "1:13: the latency from `a` to `b` is missing",
            "1:13: the latency from `a` to `c` is missing",
            "1:18: the latency from `b` to `c` is missing",
        ]
    );
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let text = r#"
machine = ["a"]
machines = ["a", "b", "a", ""]
measurements = """
from,to,what,bytes,us
a,x,half_round_trip,1,3
a,b,ping,1,3
a,b,burst,1k2,0

a,a,gap,1,1
a,b,gap,1,fast
"""
experiments = "base.csv"
[[model]]
kind = "pLogp"
gap = [[10, 3], [5, "3 weeks"], [7]]
[[model]]
kind = "LogP"
between = ["a", "e"]
"#;
    assert_eq!(
        wrong(text),
        [
            "2:1: a network has no key `machine`",
            "3:23: two machines or clusters have the name `a`",
            "3:28: the name of a machine is \"\"",
            "6:1: there is no machine `x`",
            "7:1: `ping` is nothing that is measured",
            "8:1: the row has no `messages`",
            "8:1: `bytes`: `1k2` is not a size: there is no unit `k2`",
            "8:1: `us`: the time is 0",
            "11:1: `us`: `fast` is not a number",
            "13:15: the file `base.csv` cannot be read: nothing says in which folder it is",
            "16:21: a time of `gap`: `3 weeks` is not a time: there is no unit `weeks`",
            "16:33: an entry of `gap` has 1 value",
            "17:1: the LogP model has no `overhead` and no `gap` and no `packet`",
            "19:17: there is no machine or cluster `e`",
        ]
    );
}

proptest! {
    /// What is written is read as what it was.
    #[test]
    fn networks_are_read_as_they_were_written(
        counts in prop::collection::vec(1_usize..4, 1..5),
        times in prop::collection::vec(0.0..1e6, 25),
        sizes in prop::collection::vec((0_u64..1 << 40, 1e-3..1e9), 0..5),
    ) {
        let groups: Vec<Group> = counts.iter().enumerate().map(|(at, &count)| Group::equal(format!("g{at}"), count)).collect();
        let count = groups.len();
        let at = |row: usize, column: usize| times[row.min(column) * 5 + row.max(column)];
        let cell = |row: usize, column: usize| (row != column || counts[row] > 1).then(|| Time::microseconds(at(row, column)));
        let rows: Vec<Vec<Option<Time>>> = (0..count).map(|row| (0..count).map(|column| cell(row, column)).collect()).collect();
        let mut network = Network::new(groups, &rows).unwrap();
        let names: Vec<String> = network.machines().map(str::to_owned).collect();
        if names.len() > 1 {
            let timed = sizes.iter().map(|&(size, time)| Measurement {
                from: names[0].clone(), to: names[names.len() - 1].clone(), measured: Measured::Gap,
                size: Bytes::new(size), time: Time::microseconds(time),
            });
            network = network.with_measurements(timed.collect()).unwrap();
        }
        let text = network.to_toml();
        prop_assert_eq!(Network::from_toml(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}")), network.clone());
        prop_assert!(measurements_csv(network.measurements()).lines().count() == network.measurements().len() + 1);
    }
}
