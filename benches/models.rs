//! The models that are measured, of any size, as texts.

use std::fmt::Write as _;

use skel::prelude::*;

/// The names of a list, separated by commas.
fn names(name: impl Fn(usize) -> String, numbers: std::ops::Range<usize>) -> String {
    numbers.map(name).collect::<Vec<_>>().join(", ")
}

/// The pipeline of Fig. B.1 with as many stages as one wants, all rates 10: `3^stages` states.
pub(crate) fn pipeline(stages: usize) -> String {
    let mut text = String::from("mu = 10; la = 10;\n");
    for stage in 1..=stages {
        let next = stage + 1;
        writeln!(
            text,
            "Stage{stage} = (move{stage}, infty).(process{stage}, infty).(move{next}, infty).Stage{stage};\n\
             Processor{stage} = (process{stage}, mu).Processor{stage};"
        )
        .expect("a string takes everything");
    }
    let offers: Vec<String> = (1..=stages + 1).map(|link| format!("(move{link}, la).Network")).collect();
    let mut line = "Stage1".to_owned();
    for stage in 2..=stages {
        write!(line, " <move{stage}> Stage{stage}").expect("a string takes everything");
    }
    let processors: Vec<String> = (1..=stages).map(|stage| format!("Processor{stage}")).collect();
    let moves = names(|link| format!("move{link}"), 1..stages + 2);
    let processes = names(|stage| format!("process{stage}"), 1..stages + 1);
    text += &format!("Network = {};\n", offers.join("\n  + "));
    text + &format!("Network <{moves}>\n  ({line})\n  <{processes}> ({})\n", processors.join(" || "))
}

/// A task, a farm of so many workers, and a task, all rates 1: `4 * 3^workers` states.
pub(crate) fn farm(workers: usize) -> String {
    let last = workers + 1;
    let to = |worker: usize| format!("move_0_{worker}");
    let from = |worker: usize| format!("move_{worker}_{last}");
    let mut text = String::new();
    for worker in 1..=workers {
        writeln!(
            text,
            "t_{worker} = ({}, infty).(comp_{worker}, infty).({}, infty).t_{worker};",
            to(worker),
            from(worker)
        )
        .expect("a string takes everything");
    }
    for task in 0..=last {
        writeln!(text, "Processor_{task} = (comp_{task}, 1).Processor_{task};")
            .expect("a string takes everything");
    }
    let choice =
        |activity: &dyn Fn(usize) -> String| (1..=workers).map(activity).collect::<Vec<_>>().join(" + ");
    let gives = choice(&|worker| format!("({}, infty).t_0", to(worker)));
    let takes = choice(&|worker| format!("({}, infty).t_{last}_1", from(worker)));
    let offers = choice(&|worker| format!("({}, 1).Network + ({}, 1).Network", to(worker), from(worker)));
    text += &format!("t_0 = (comp_0, infty).t_01;\nt_01 = {gives};\n");
    text +=
        &format!("t_{last} = {takes};\nt_{last}_1 = (comp_{last}, infty).t_{last};\nNetwork = {offers};\n");
    let parallel = |name: &str, numbers: std::ops::Range<usize>| {
        numbers.map(|number| format!("{name}{number}")).collect::<Vec<_>>().join(" || ")
    };
    let (into, out) = (names(to, 1..last), names(from, 1..last));
    let computes = names(|task| format!("comp_{task}"), 0..last + 1);
    text + &format!(
        "Network <{into}, {out}> (t_0 <{into}> ({}) <{out}> t_{last}) <{computes}> ({})\n",
        parallel("t_", 1..last),
        parallel("Processor_", 0..last + 1),
    )
}

/// Clients that ask servers, as many of each as wanted; `benches/peers/client_server.py` says how many
/// states.
pub(crate) fn client_server((clients, servers): (usize, usize)) -> String {
    format!(
        "Client = (think, 1).Wait; Wait = (request, infty).Busy; Busy = (serve, infty).Client;\n\
         Server = (request, 5).Work; Work = (serve, 3).Reset; Reset = (reset, 20).Server;\n\
         Client[{clients}] <request, serve> Server[{servers}]\n"
    )
}

/// The model of a text.
pub(crate) fn model(text: &str) -> Model {
    skel::text::parse(text).into_model().expect("the text is a model")
}

/// The state space of a text's model.
pub(crate) fn space(text: &str) -> StateSpace {
    model(text).explore().expect("the space is within the limits")
}

/// A birth-death chain with so many local states, and a definition for each.
pub(crate) fn birth_death(states: usize) -> String {
    let last = states - 1;
    let mut text = String::from("C0 = (up, 1).C1;\n");
    for at in 1..last {
        text += &format!("C{at} = (up, 1).C{} + (down, 2).C{};\n", at + 1, at - 1);
    }
    text + &format!("C{last} = (down, 2).C{};\nC0\n", last - 1)
}
