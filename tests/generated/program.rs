//! Programs for the laws: any list of bytes makes a well-formed `.skel` text with service times of phases,
//! buffers and ports.

use std::fmt;

use crate::draw::Draw;

/// A skeleton. Its tasks have the names `n0`, `n1`, ..., and their service times are texts.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Task(usize, String),
    Pipe(Vec<Shape>),
    Replicated(&'static str, usize, Box<Shape>),
    Team(Team),
}

/// Workers that serve one item together.
#[derive(Clone, Debug)]
pub(crate) struct Team {
    pub(crate) word: &'static str,
    workers: usize,
    number: usize,
    time: String,
    early: bool,
    /// The time for a state, and the items for each.
    state: Option<(String, &'static str)>,
}

/// A program as it is said in a text.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) shape: Shape,
    pub(crate) communication: String,
    /// The capacity of all buffers.
    pub(crate) buffers: u32,
    /// The capacity before the task of a number.
    pub(crate) before: Option<(usize, u32)>,
    pub(crate) one_port: bool,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Task(number, time) => write!(f, "task(\"n{number}\", {time})"),
            Shape::Pipe(stages) => {
                let stages: Vec<String> = stages.iter().map(ToString::to_string).collect();
                write!(f, "pipe({})", stages.join(", "))
            }
            Shape::Replicated(word, replicas, worker) => write!(f, "{word}({replicas}, {worker})"),
            Shape::Team(Team { word, workers, number, time, early, state }) => {
                write!(f, "{word}({workers}, \"n{number}\", {time}")?;
                if *early {
                    write!(f, ", early")?;
                }
                if let Some((time, items)) = state {
                    write!(f, ", state({time}, {items})")?;
                }
                write!(f, ")")
            }
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; communication({}); buffers({});", self.shape, self.communication, self.buffers)?;
        if let Some((task, capacity)) = self.before {
            write!(f, " buffers(\"n{task}\", {capacity});")?;
        }
        if self.one_port { write!(f, " one_port;") } else { Ok(()) }
    }
}

impl Shape {
    /// The number of tasks, replicas counted.
    pub(crate) fn tasks(&self) -> usize {
        match self {
            Shape::Task(..) | Shape::Team(_) => 1,
            Shape::Pipe(stages) => stages.iter().map(Shape::tasks).sum(),
            Shape::Replicated(_, replicas, worker) => replicas * worker.tasks(),
        }
    }

    pub(crate) fn has_farm(&self) -> bool {
        match self {
            Shape::Task(..) | Shape::Team(_) => false,
            Shape::Pipe(stages) => stages.iter().any(Shape::has_farm),
            Shape::Replicated(word, _, worker) => *word == "farm" || worker.has_farm(),
        }
    }

    /// The times of its tasks, a worker's once.
    pub(crate) fn times(&mut self) -> Vec<&mut String> {
        match self {
            Shape::Task(_, time) => vec![time],
            Shape::Team(team) => {
                let of_state = team.state.as_mut().map(|(time, _)| time);
                [&mut team.time].into_iter().chain(of_state).collect()
            }
            Shape::Pipe(stages) => stages.iter_mut().flat_map(Shape::times).collect(),
            Shape::Replicated(_, _, worker) => worker.times(),
        }
    }

    /// The counts of its replicas.
    pub(crate) fn counts(&mut self) -> Vec<&mut usize> {
        match self {
            Shape::Task(..) | Shape::Team(_) => Vec::new(),
            Shape::Pipe(stages) => stages.iter_mut().flat_map(Shape::counts).collect(),
            Shape::Replicated(_, count, worker) => [count].into_iter().chain(worker.counts()).collect(),
        }
    }

    /// The counts of its farms that are in no deal or farm, and have none in them.
    pub(crate) fn farms(&mut self) -> Vec<&mut usize> {
        match self {
            Shape::Task(..) | Shape::Team(_) => Vec::new(),
            Shape::Pipe(stages) => stages.iter_mut().flat_map(Shape::farms).collect(),
            Shape::Replicated(word, count, worker) => {
                let is_plain = *word == "farm" && worker.counts().is_empty();
                is_plain.then_some(count).into_iter().collect()
            }
        }
    }

    /// The words of its teams.
    pub(crate) fn teams(&self) -> Vec<&'static str> {
        match self {
            Shape::Task(..) => Vec::new(),
            Shape::Team(team) => vec![team.word],
            Shape::Pipe(stages) => stages.iter().flat_map(Shape::teams).collect(),
            Shape::Replicated(_, _, worker) => worker.teams(),
        }
    }

    /// Puts a team in the place of some tasks.
    fn with_teams(&mut self, draw: &mut Draw) {
        match self {
            Shape::Team(_) => {}
            Shape::Pipe(stages) => stages.iter_mut().for_each(|stage| stage.with_teams(draw)),
            Shape::Replicated(_, _, worker) => worker.with_teams(draw),
            Shape::Task(number, time) => {
                let word = ["", "map", "fault_tolerant", "map_with_state"][draw.below(4)];
                let workers = match word {
                    "" => return,
                    "fault_tolerant" => 3,
                    _ => 1 + draw.below(3),
                };
                let state =
                    (word == "map_with_state").then(|| (draw_time(draw), ["10", "1", "5/2"][draw.below(3)]));
                let early = word == "fault_tolerant" && draw.one_in(2);
                let (number, time) = (*number, time.clone());
                *self = Shape::Team(Team { word, workers, number, time, early, state });
            }
        }
    }

    /// The same with each task as the one worker of a farm or a deal.
    pub(crate) fn with_workers(&self, word: &'static str) -> Shape {
        match self {
            Shape::Task(..) | Shape::Team(_) => Shape::Replicated(word, 1, Box::new(self.clone())),
            Shape::Pipe(stages) => Shape::Pipe(stages.iter().map(|stage| stage.with_workers(word)).collect()),
            Shape::Replicated(of, replicas, worker) => {
                Shape::Replicated(of, *replicas, Box::new(worker.with_workers(word)))
            }
        }
    }
}

pub(crate) const RATES: [&str; 5] = ["1", "1/2", "2", "3", "1/10"];
const WORDS: [&str; 2] = ["farm", "deal"];

/// A service time: half of them exponential, the others of phases that come one after the other, or that
/// branch.
fn draw_time(draw: &mut Draw) -> String {
    let rate = RATES[draw.below(RATES.len())];
    match draw.below(10) {
        5 => format!("erlang(2, {rate})"),
        6 => format!("erlang(3, {rate})"),
        7 => format!("hyperexponential([1/4, 3/4], [{rate}, 5])"),
        8 => format!("phases([1/3, 2/3, 0], [[-3, 1, 1], [{rate}, -4, 0], [0, 1/2, -1]])"),
        9 => "phases([0, 1], [[-2, 0], [3/2, -2]])".to_owned(),
        _ => rate.to_owned(),
    }
}

/// A skeleton of at most `most` tasks.
fn draw_shape(draw: &mut Draw, most: usize, numbers: &mut std::ops::RangeFrom<usize>) -> Shape {
    match draw.below(5) {
        1..3 if most > 1 => {
            let mut left = most;
            let mut stages = Vec::new();
            for open in (0..2 + draw.below(2)).rev() {
                let most = 1 + draw.below(left.saturating_sub(open).max(1));
                let stage = draw_shape(draw, most, numbers);
                left = left.saturating_sub(stage.tasks());
                stages.push(stage);
                if left == 0 {
                    break;
                }
            }
            Shape::Pipe(stages)
        }
        at @ 3.. if most > 1 => {
            let replicas = 1 + draw.below(most.min(3));
            let worker = draw_shape(draw, most / replicas, numbers);
            Shape::Replicated(WORDS[at - 3], replicas, Box::new(worker))
        }
        _ => Shape::Task(numbers.next().unwrap_or_default(), draw_time(draw)),
    }
}

/// A program of a pipe of at most `most` tasks.
pub(crate) fn draw_program(draw: &mut Draw, most: usize) -> Program {
    let communication = if draw.one_in(3) { "none" } else { RATES[draw.below(RATES.len())] };
    let buffers = draw.below(3) as u32;
    let one_port = draw.one_in(2);
    let mut numbers = 0..;
    let stages = 2 + draw.below(2);
    let mut left = most;
    let mut drawn = Vec::new();
    for open in (0..stages).rev() {
        let most = 1 + draw.below(left.saturating_sub(open).max(1));
        let stage = draw_shape(draw, most, &mut numbers);
        left = left.saturating_sub(stage.tasks()).max(1);
        drawn.push(stage);
    }
    let shape = Shape::Pipe(drawn);
    let before = draw.one_in(2).then(|| (last_task(&shape), draw.below(4) as u32));
    Program { shape, communication: communication.to_owned(), buffers, before, one_port }
}

/// A program as [`draw_program`] makes it, with maps, fault-tolerant stages and maps with state in the place
/// of some tasks.
pub(crate) fn draw_program_with_teams(draw: &mut Draw, most: usize) -> Program {
    let mut program = draw_program(draw, most);
    program.shape.with_teams(draw);
    program
}

/// The first task of the last stage: there is a buffer before it.
fn last_task(shape: &Shape) -> usize {
    fn first_of(shape: &Shape) -> usize {
        match shape {
            Shape::Task(number, _) => *number,
            Shape::Team(team) => team.number,
            Shape::Pipe(stages) => first_of(&stages[0]),
            Shape::Replicated(_, _, worker) => first_of(worker),
        }
    }
    match shape {
        Shape::Pipe(stages) => first_of(stages.last().unwrap_or(&stages[0])),
        other => first_of(other),
    }
}
