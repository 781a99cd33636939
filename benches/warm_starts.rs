//! A steady state after a change of one rate by a thousandth: without a start, and from the solution before
//! the change. The quotient of both is what a sweep saves at each point. Items are solutions.

use std::fmt::Write as _;

use divan::Bencher;
use divan::counter::ItemsCount;
use skel::prelude::*;

use crate::models;

const FAMILIES: [&str; 5] = ["pipeline", "polling", "closed network", "cluster", "tandem"];

/// A model of a family, with `a = 1` for the rate that changes.
fn text(family: &str) -> String {
    let text = match family {
        "pipeline" => models::pipeline(10).replace("(process4, mu)", "(process4, 10 * a)"),
        "polling" => polling(12),
        "closed network" => closed(30),
        "cluster" => cluster(32),
        _ => tandem(127),
    };
    format!("a = 1;\n{text}")
}

/// A server that goes round stations, each with one place for a job.
fn polling(stations: usize) -> String {
    let mut text = format!("lambda = 1 / {stations};\n");
    for i in 1..=stations {
        let next = i % stations + 1;
        writeln!(
            text,
            "Empty{i} = (arrive{i}, lambda).Full{i} + (pass{i}, infty).Empty{i};\n\
             Full{i} = (find{i}, infty).Full{i} + (serve{i}, infty).Empty{i};\n\
             Look{i} = (pass{i}, 200).Look{next} + (find{i}, 200).Serve{i}; Serve{i} = (serve{i}, a).Look{next};"
        )
        .expect("a string takes everything");
    }
    let numbers = || (1..=stations).map(|i| i.to_string());
    let shared: Vec<String> = numbers().map(|i| format!("pass{i}, find{i}, serve{i}")).collect();
    let empty: Vec<String> = numbers().map(|i| format!("Empty{i}")).collect();
    text + &format!("Look1 <{}> ({})\n", shared.join(", "), empty.join(" || "))
}

/// Customers that go round five stations.
fn closed(customers: usize) -> String {
    format!(
        "At0 = (go1, infty).At1 + (go2, infty).At2 + (go3, infty).At3 + (go4, infty).At4;\n\
         At1 = (back1, infty).At0; At2 = (back2, infty).At0; At3 = (back3, infty).At0; At4 = (back4, infty).At0;\n\
         S = (go1, 0.4).S + (go2, 0.3).S + (go3, 0.2).S + (go4, 0.1).S\n  \
         + (back1, 0.5 * a).S + (back2, 0.25).S + (back3, 0.3).S + (back4, 0.15).S;\n\
         S <go1, go2, go3, go4, back1, back2, back3, back4> At0[{customers}]\n"
    )
}

/// Workstations in two groups that fail seldom, and one repairman.
fn cluster(stations: usize) -> String {
    let mut text = String::new();
    for (name, fail) in [
        ("Left", "0.002"),
        ("Right", "0.0019"),
        ("ToLeft", "0.00025"),
        ("ToRight", "0.00024"),
        ("Line", "0.0002"),
    ] {
        writeln!(
            text,
            "Up{name} = (fail{name}, {fail}).Down{name}; Down{name} = (start{name}, infty).Done{name};\n\
             Done{name} = (repair{name}, infty).Up{name};"
        )
        .expect("a string takes everything");
    }
    text += "Idle = (startLeft, 10).Busy + (startRight, 10).Busy + (startToLeft, 10).Busy + (startToRight, 10).Busy\n  \
             + (startLine, 10).Busy;\n\
             Busy = (repairLeft, 2 * a).Idle + (repairRight, 2).Idle + (repairToLeft, 0.25).Idle\n  \
             + (repairToRight, 0.25).Idle + (repairLine, 0.125).Idle;\n\
             Idle <startLeft, startRight, startToLeft, startToRight, startLine, repairLeft, repairRight, repairToLeft,\n  \
             repairToRight, repairLine> ";
    text + &format!("(UpLeft[{stations}] || UpRight[{stations}] || UpToLeft || UpToRight || UpLine)\n")
}

/// Two queues in a row, of which the first is nearly always full and has a service of one or two phases.
fn tandem(places: usize) -> String {
    let mut text = String::new();
    for count in 0..=places {
        let arrives = |phase: usize| match count < places {
            true => format!("(arrive, 4 * {places}).First{phase}x{} + ", count + 1),
            false => String::new(),
        };
        match count {
            0 => writeln!(text, "First1x0 = (arrive, 4 * {places}).First1x1;"),
            _ => writeln!(
                text,
                "First1x{count} = {}(route, 1.8 * a).First1x{} + (second_phase, 0.2).First2x{count};\n\
                 First2x{count} = {}(route, 2).First1x{};",
                arrives(1),
                count - 1,
                arrives(2),
                count - 1
            ),
        }
        .expect("a string takes everything");
        let enters = (count < places).then(|| format!("(route, infty).Second{}", count + 1));
        let leaves = (count > 0).then(|| format!("(serve, 4).Second{}", count.saturating_sub(1)));
        let activities: Vec<String> = enters.into_iter().chain(leaves).collect();
        writeln!(text, "Second{count} = {};", activities.join(" + ")).expect("a string takes everything");
    }
    text + "First1x0 <route> Second0\n"
}

/// The states with the rate before the change, and after it.
fn before_and_after(family: &str) -> (StateSpace, StateSpace) {
    let model = Model::from_text(&text(family)).unwrap_or_else(|error| panic!("{error}"));
    let before = model.explorer().lumped().explore().expect("it is small");
    let after = before.with_rates(&[("a", 1.001.into())]).expect("the rate is positive");
    (before, after)
}

#[divan::bench(args = FAMILIES, max_time = 3)]
fn solve_changed_without_start(bencher: Bencher<'_, '_>, family: &str) {
    let (_, after) = before_and_after(family);
    bencher.counter(ItemsCount::new(1_usize)).bench(|| after.steady_state());
}

#[divan::bench(args = FAMILIES, max_time = 3)]
fn solve_changed_from_before(bencher: Bencher<'_, '_>, family: &str) {
    let (before, after) = before_and_after(family);
    let start = before.steady_state().expect("it comes back");
    bencher.counter(ItemsCount::new(1_usize)).bench(|| after.solver().start_from(&start).solve());
}
