//! Laws of clusters and of schedules between them, on generated platforms.

use std::cmp::Ordering;
use std::convert::Infallible;

use proptest::prelude::*;
use skel_network::Time;
use skel_network::partition::{LatencyMatrix, Partition, Rho};
use skel_network::schedule::{Goal, Grid, Heuristic, Link, Schedule, grid_unaware_binomial};

/// The latencies of all pairs, as a full table.
type Table = Vec<Vec<f64>>;

/// Latencies, few of which are equal or many.
fn tables(most: usize) -> impl Strategy<Value = Table> {
    let latency = || prop_oneof![(1..20_u32).prop_map(f64::from), 1.0..2000.0_f64];
    let pairs = move |count: usize| (Just(count), prop::collection::vec(latency(), count * (count - 1) / 2));
    let table = |(count, latencies): (usize, Vec<f64>)| {
        let below = |one: usize, other: usize| match one.cmp(&other) {
            Ordering::Less => latencies[other * (other - 1) / 2 + one],
            Ordering::Equal => 0.0,
            Ordering::Greater => latencies[one * (one - 1) / 2 + other],
        };
        (0..count).map(|one| (0..count).map(|other| below(one, other)).collect()).collect()
    };
    let few = (1..20_u32).prop_map(f64::from);
    let equal =
        move |count: usize| (Just(count), prop::collection::vec(few.clone(), count * (count - 1) / 2));
    prop_oneof![
        (1..=most).prop_flat_map(pairs).prop_map(table),
        (1..=most).prop_flat_map(equal).prop_map(table)
    ]
}

fn bounds() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(0.2), 0.0..2.0_f64]
}

fn matrix(table: &Table) -> LatencyMatrix {
    let rows: Vec<Vec<Option<Time>>> = table
        .iter()
        .map(|row| row.iter().map(|&latency| Some(Time::microseconds(latency))).collect())
        .collect();
    LatencyMatrix::new((0..table.len()).map(|machine| machine.to_string()), &rows).unwrap()
}

fn partition(table: &Table, rho: f64) -> Partition {
    matrix(table).partition(Rho::new(rho).unwrap())
}

/// The rule as it is stated, word by word.
fn by_the_rule(table: &Table, rho: f64) -> Vec<Vec<usize>> {
    let count = table.len();
    let least = |pairs: &mut dyn Iterator<Item = (usize, usize)>| {
        pairs.map(|(one, other)| table[one][other]).fold(f64::INFINITY, f64::min)
    };
    let mut links: Vec<(usize, usize)> =
        (0..count).flat_map(|first| (first + 1..count).map(move |second| (first, second))).collect();
    links.sort_by(|&(a, b), &(c, d)| table[a][b].total_cmp(&table[c][d]).then((a, b).cmp(&(c, d))));
    let mut clusters: Vec<Vec<usize>> = (0..count).map(|machine| vec![machine]).collect();
    for (first, second) in links {
        let at = |machine| clusters.iter().position(|cluster| cluster.contains(&machine)).unwrap();
        let (one, other) = (at(first), at(second));
        if one == other {
            continue;
        }
        let of_machine = |machine| least(&mut (0..count).filter(|&to| to != machine).map(|to| (machine, to)));
        let inside = |cluster: &Vec<usize>| {
            let pairs = cluster.iter().flat_map(|&one| cluster.iter().map(move |&other| (one, other)));
            least(&mut pairs.filter(|(one, other)| one < other))
        };
        let bound = of_machine(first)
            .min(of_machine(second))
            .min(inside(&clusters[one]))
            .min(inside(&clusters[other]));
        if table[first][second] <= (1.0 + rho) * bound {
            let goes = clusters.swap_remove(one.max(other));
            clusters[one.min(other)].extend(goes);
        }
    }
    clusters.iter_mut().for_each(|cluster| cluster.sort_unstable());
    clusters.sort_unstable();
    clusters
}

/// The same machines in another order, and the clusters with the numbers that they had before.
fn partition_in_order(table: &Table, rho: f64, order: &[usize]) -> Vec<Vec<usize>> {
    let reordered = order.iter().map(|&one| order.iter().map(|&other| table[one][other]).collect()).collect();
    let mut clusters = partition(&reordered, rho).machines();
    for cluster in &mut clusters {
        cluster.iter_mut().for_each(|machine| *machine = order[*machine]);
        cluster.sort_unstable();
    }
    clusters.sort_unstable();
    clusters
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn clusters_are_those_of_the_rule(table in tables(14), rho in bounds()) {
        prop_assert_eq!(partition(&table, rho).machines(), by_the_rule(&table, rho));
    }

    #[test]
    fn every_machine_is_in_one_cluster(table in tables(20), rho in bounds()) {
        let partition = partition(&table, rho);
        let mut machines = partition.machines().concat();
        machines.sort_unstable();
        prop_assert_eq!(machines, (0..table.len()).collect::<Vec<_>>());
        let cluster_of = partition.cluster_of_each();
        for (number, cluster) in partition.clusters.iter().enumerate() {
            prop_assert!(cluster.machines.iter().all(|&machine| cluster_of[machine] == number));
            prop_assert_eq!(cluster.latency.is_some(), cluster.machines.len() > 1);
            if let Some(spread) = cluster.latency {
                prop_assert!(spread.least <= spread.mean && spread.mean <= spread.most);
            }
        }
    }

    #[test]
    fn the_order_of_machines_does_not_matter(
        (table, order) in tables(12).prop_flat_map(|table| {
            let order = Just((0..table.len()).collect::<Vec<_>>()).prop_shuffle();
            (Just(table), order)
        }),
        rho in bounds(),
    ) {
        prop_assert_eq!(partition_in_order(&table, rho, &order), partition(&table, rho).machines());
    }

    #[test]
    fn the_unit_of_latencies_does_not_matter(table in tables(14), rho in bounds()) {
        let larger: Table = table.iter().map(|row| row.iter().map(|latency| latency * 1024.0).collect()).collect();
        prop_assert_eq!(partition(&larger, rho).machines(), partition(&table, rho).machines());
    }

    #[test]
    fn levels_unite_whole_clusters_until_one_has_all(table in tables(14), rho in bounds()) {
        let levels = matrix(&table).levels(Rho::new(rho).unwrap());
        prop_assert_eq!(&levels[0], &partition(&table, rho));
        prop_assert_eq!(levels.last().unwrap().clusters.len(), 1);
        for pair in levels.windows(2) {
            prop_assert!(pair[1].clusters.len() < pair[0].clusters.len());
            let above = pair[1].cluster_of_each();
            for cluster in &pair[0].clusters {
                prop_assert!(cluster.machines.iter().all(|&machine| above[machine] == above[cluster.machines[0]]));
            }
        }
    }
}

/// Times in which some are equal.
fn times() -> impl Strategy<Value = Time> {
    prop_oneof![(0..10_u32).prop_map(f64::from), 0.0..1000.0_f64].prop_map(Time::microseconds)
}

fn grids(most: usize) -> impl Strategy<Value = Grid> {
    let link = || (times(), times()).prop_map(|(latency, gap)| Link { latency, gap });
    (1..=most).prop_flat_map(move |count| {
        let links = prop::collection::vec(prop::collection::vec(link(), count), count);
        (links, prop::collection::vec(times(), count), 0..count).prop_map(|(links, inside, root)| {
            let names = (0..links.len()).map(|cluster| cluster.to_string());
            Grid::new(names, links).unwrap().with_inside(inside).unwrap().with_root(root).unwrap()
        })
    })
}

/// The least last arrival and the least completion, by every sequence of messages.
fn by_enumeration(grid: &Grid, ready: &mut Vec<Option<f64>>, last: f64) -> (f64, f64) {
    let inside = |cluster: usize| grid.inside()[cluster].as_microseconds();
    let mut best = (f64::INFINITY, f64::INFINITY);
    if ready.iter().all(Option::is_some) {
        let ends = ready.iter().enumerate().map(|(cluster, ready)| ready.unwrap() + inside(cluster));
        return (last, ends.fold(0.0, f64::max));
    }
    for from in 0..ready.len() {
        let Some(start) = ready[from] else { continue };
        for to in 0..ready.len() {
            if ready[to].is_some() {
                continue;
            }
            let link = grid.link(from, to);
            let free = start + link.gap.as_microseconds();
            let arrival = free + link.latency.as_microseconds();
            (ready[from], ready[to]) = (Some(free), Some(arrival));
            let found = by_enumeration(grid, ready, last.max(arrival));
            best = (best.0.min(found.0), best.1.min(found.1));
            (ready[from], ready[to]) = (Some(start), None);
        }
    }
    best
}

/// Whether no message is sent before its sender has it, no port sends two at once, every cluster gets the
/// message once, and all times follow from the links.
fn check(
    schedule: &Schedule,
    root: usize,
    link: impl Fn(usize, usize) -> Link,
    inside: &[Time],
) -> Result<(), TestCaseError> {
    let clusters = inside.len();
    let mut has = vec![None; clusters];
    has[root] = Some(Time::ZERO);
    for transfer in &schedule.transfers {
        prop_assert!(has[transfer.to].is_none());
        has[transfer.to] = Some(transfer.arrival);
        let link = link(transfer.from, transfer.to);
        prop_assert_eq!(transfer.sender_free, transfer.start + link.gap);
        prop_assert_eq!(transfer.arrival, transfer.sender_free + link.latency);
    }
    prop_assert!(has.iter().all(Option::is_some));
    for cluster in 0..clusters {
        let mut sent: Vec<_> =
            schedule.transfers.iter().filter(|transfer| transfer.from == cluster).collect();
        sent.sort_by(|one, other| {
            one.start.total_cmp(&other.start).then(one.sender_free.total_cmp(&other.sender_free))
        });
        let mut free = has[cluster].unwrap();
        for transfer in sent {
            prop_assert!(transfer.start >= free, "{} sends too early", cluster);
            free = transfer.sender_free;
        }
        prop_assert_eq!(schedule.inside[cluster].start, free);
        prop_assert_eq!(schedule.inside[cluster].end, free + inside[cluster]);
    }
    let last = |times: &mut dyn Iterator<Item = Time>| times.fold(Time::ZERO, Time::max);
    prop_assert_eq!(schedule.last_arrival, last(&mut schedule.transfers.iter().map(|one| one.arrival)));
    prop_assert_eq!(schedule.completion, last(&mut schedule.inside.iter().map(|span| span.end)));
    Ok(())
}

fn near(one: Time, other: f64) -> bool {
    (one.as_microseconds() - other).abs() <= 1e-9 * other.max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn schedules_are_consistent(grid in grids(9)) {
        let check = |schedule: &Schedule| check(schedule, grid.root(), |from, to| grid.link(from, to), grid.inside());
        for heuristic in Heuristic::ALL {
            check(&grid.schedule(heuristic))?;
        }
        check(&grid.optimum(Goal::LastArrival).unwrap())?;
        check(&grid.optimum(Goal::Completion).unwrap())?;
    }

    #[test]
    fn no_heuristic_is_better_than_the_optimum(grid in grids(8)) {
        let arrival = grid.optimum(Goal::LastArrival).unwrap();
        let completion = grid.optimum(Goal::Completion).unwrap();
        let slack = 1.0 + 1e-12;
        for schedule in Heuristic::ALL.map(|heuristic| grid.schedule(heuristic)).iter().chain([&arrival, &completion]) {
            prop_assert!(schedule.last_arrival * slack >= arrival.last_arrival);
            prop_assert!(schedule.completion * slack >= completion.completion);
        }
    }

    #[test]
    fn without_times_inside_both_goals_are_one(grid in grids(7)) {
        let none = vec![Time::ZERO; grid.len()];
        let grid = grid.with_inside(none).unwrap();
        let best = |goal| grid.optimum(goal).unwrap();
        prop_assert_eq!(best(Goal::LastArrival).last_arrival, best(Goal::Completion).completion);
        prop_assert_eq!(grid.schedule(Heuristic::EcefLookAhead), grid.schedule(Heuristic::EcefLAt));
    }

    #[test]
    fn the_binomial_tree_reaches_all(machines in 1..200_usize, root in 0..200_usize, latency in times(), gap in times()) {
        let root = root % machines;
        let link = |from: usize, to: usize| Link { latency: latency * (1.0 + from as f64), gap: gap * (1.0 + to as f64) };
        let Ok(schedule) = grid_unaware_binomial(machines, root, |from, to| Ok::<_, Infallible>(link(from, to)));
        check(&schedule, root, link, &vec![Time::ZERO; machines])?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_optimum_is_that_of_enumeration(grid in grids(6)) {
        let mut ready = vec![None; grid.len()];
        ready[grid.root()] = Some(0.0);
        let (arrival, completion) = by_enumeration(&grid, &mut ready, 0.0);
        prop_assert!(near(grid.optimum(Goal::LastArrival).unwrap().last_arrival, arrival));
        prop_assert!(near(grid.optimum(Goal::Completion).unwrap().completion, completion));
    }
}
