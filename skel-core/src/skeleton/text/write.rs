//! A program as the text of a `.skel` file, which reads back as the same program.

use crate::diagnostic::{Code, Diagnostic};
use crate::model::BuildErrors;
use crate::skeleton::communication::{Communication, MoveTime};
use crate::skeleton::lowering::capacities::capacities;
use crate::skeleton::lowering::channel::Channel;
use crate::skeleton::lowering::graph::{Graph, Reading};
use crate::skeleton::program::{Program, Skeleton, build_errors};
use crate::skeleton::tree::{Stage, StageId, TeamStage, Tree};
use crate::syntax::literal::rate_text;

type Findings = Vec<Diagnostic<StageId>>;

impl<S: Skeleton> Program<S> {
    /// The program as the text of a `.skel` file: its skeleton, communication, buffers and ports.
    /// [`parse`](super::parse) reads it back as a program with the same model. Communication that is the same
    /// on all links is written once, and any other link by link.
    ///
    /// # Errors
    /// What is wrong with the program, or what no text says: processors that tasks share, the reading of the
    /// paper to the letter, or a buffer of its own before or behind the workers of a farm whose stage behind
    /// the buffer has no name of its own.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{farm, pipe, task, text::parse, Skeleton};
    /// let stages = pipe((task(20.0).named("read"), farm(3, task(5.0).named("sharpen"))));
    /// let program = stages.communicating(100.0).buffers(4);
    /// let text = program.to_skel()?;
    /// assert_eq!(
    ///     text,
    ///     "pipe(2);\ntask(\"read\", 20.0);\nfarm(3, \"sharpen\", 5.0);\ncommunication(100.0);\nbuffers(4);\n"
    /// );
    /// let read = parse(&text).program().unwrap();
    /// assert_eq!(read.lower()?.to_string(), program.lower()?.to_string());
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn to_skel(&self) -> Result<String, BuildErrors> {
        let tree = self.skeleton().tree()?;
        self.written(&tree).map_err(|findings| build_errors(findings, |id| tree.path_to(id)))
    }

    #[cfg_attr(debug_assertions, inline)]
    fn written(&self, tree: &Tree) -> Result<String, Findings> {
        let mut findings = self.unwritable();
        let graph = Graph::from_tree(tree, Reading::Corrected).map_err(|finding| vec![finding])?;
        let mut part = |part: Result<String, Findings>| {
            part.unwrap_or_else(|more| {
                findings.extend(more);
                String::new()
            })
        };
        let communication = part(communication(self.communication(), &graph));
        let buffers = part(self.buffer_statements(tree, &graph));
        if !findings.is_empty() {
            return Err(findings);
        }
        let times = if self.is_fitted() { tree.fitted() } else { tree.clone() };
        let port = if self.has_one_port() { "one_port;\n" } else { "" };
        Ok(format!("{times}{communication}{buffers}{port}"))
    }

    /// What no text says.
    #[cfg_attr(debug_assertions, inline)]
    fn unwritable(&self) -> Findings {
        let mut findings = Vec::new();
        if !self.processors().are_one_each() {
            findings.push(
                Diagnostic::new(Code::NoText, StageId(0), "the processors of the tasks have no place in a `.skel` text")
                    .help("leave them out by `.with_processors(Processors::one_each())`; a description of a mapping has them"),
            );
        }
        if self.reading() != Reading::Corrected {
            findings.push(
                Diagnostic::new(Code::NoText, StageId(0), "a `.skel` text does not say that the paper is read to the letter")
                    .help("leave it out by `.with_reading(Reading::Corrected)`; the command has the option `--literal` for it"),
            );
        }
        findings
    }

    #[cfg_attr(debug_assertions, inline)]
    fn buffer_statements(&self, tree: &Tree, graph: &Graph) -> Result<String, Findings> {
        let capacities = capacities(self.buffer_capacities(), tree, graph);
        let capacities = capacities
            .map_err(|problems| problems.into_iter().map(|(_, problem)| problem).collect::<Findings>())?;
        let everywhere = of_all(self.buffer_capacities().of_all(), &capacities);
        let mut text = if everywhere > 0 { format!("buffers({everywhere});\n") } else { String::new() };
        let mut findings = Vec::new();
        let mut stages: Vec<StageId> = Vec::new();
        for channel in graph.channels() {
            if !stages.contains(&channel.into_stage()) {
                stages.push(channel.into_stage());
            }
        }
        for stage in stages {
            let of_stage = graph.channels().iter().zip(&capacities);
            let of_stage: Vec<(&Channel, u32)> = of_stage
                .filter(|(channel, _)| channel.into_stage() == stage)
                .map(|(channel, &capacity)| (channel, capacity))
                .collect();
            match before_stage(tree, stage, &of_stage, everywhere) {
                Ok(statements) => text += &statements,
                Err(finding) => findings.push(finding),
            }
        }
        if findings.is_empty() { Ok(text) } else { Err(findings) }
    }
}

/// The statements about the buffers before one stage: by its name where they are equal and it has one, else
/// link by link.
#[cfg_attr(debug_assertions, inline)]
fn before_stage(
    tree: &Tree,
    stage: StageId,
    channels: &[(&Channel, u32)],
    everywhere: u32,
) -> Result<String, Diagnostic<StageId>> {
    if channels.iter().all(|&(_, capacity)| capacity == everywhere) {
        return Ok(String::new());
    }
    let first = channels[0].1;
    if let (Some(name), true) =
        (name_before(tree, stage), channels.iter().all(|&(_, capacity)| capacity == first))
    {
        return Ok(format!("buffers(\"{name}\", {first});\n"));
    }
    let mut text = String::new();
    for &(channel, capacity) in channels.iter().filter(|&&(_, capacity)| capacity != everywhere) {
        match (channel.senders(), channel.receivers()) {
            ([from], [to]) => text += &format!("buffers({from}, {to}, {capacity});\n"),
            _ => {
                let message = format!(
                    "the buffer of {capacity} before `{}` has no place in a `.skel` text, since no task there has a name of its own",
                    tree.name(stage)
                );
                let help = "give the stage behind the buffer a name: `task(1.0).named(\"write\")`";
                return Err(Diagnostic::new(Code::NoText, stage, message).help(help));
            }
        }
    }
    Ok(text)
}

/// The name of the task by which items enter a stage, if no other task has it.
#[cfg_attr(debug_assertions, inline)]
fn name_before(tree: &Tree, stage: StageId) -> Option<&str> {
    match tree.stage(stage) {
        Stage::Task(task) | Stage::Team(TeamStage { worker: task, .. }) => {
            let name = task.name.as_deref()?;
            (tree.task_named(name) == Some(stage)).then_some(name)
        }
        Stage::Pipe(stages) => name_before(tree, *stages.first()?),
        Stage::Replicated { worker, .. } => name_before(tree, *worker),
    }
}

/// The capacity that is written for all buffers: that which was said of all, or if none has it, that which
/// most of them have.
#[cfg_attr(debug_assertions, inline)]
fn of_all(said: i128, capacities: &[u32]) -> u32 {
    let count = |capacity: u32| capacities.iter().filter(|&&other| other == capacity).count();
    let most = |best, other| if count(other) > count(best) { other } else { best };
    let as_said = capacities.iter().copied().find(|&capacity| i128::from(capacity) == said);
    as_said.or_else(|| capacities.iter().copied().reduce(most)).unwrap_or(0)
}

/// The statements about communication: one for all links, or one for each.
#[cfg_attr(debug_assertions, inline)]
fn communication(communication: &Communication, graph: &Graph) -> Result<String, Findings> {
    let mut times = Vec::new();
    let mut findings = Vec::new();
    for (from, to) in graph.moves() {
        match communication.time(from, to, graph.flow(to).stage) {
            Ok(MoveTime::Negligible) => times.push(((from, to), "none".to_owned())),
            Ok(MoveTime::Exponential(rate)) => times.push(((from, to), rate_text(&rate))),
            Err(finding) => findings.push(finding),
        }
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    Ok(match times.first() {
        None => String::new(),
        Some((_, first)) if times.iter().all(|(_, time)| time == first) => {
            format!("communication({first});\n")
        }
        Some(_) => {
            let statement =
                |((from, to), time): &((u32, u32), String)| format!("communication({from}, {to}, {time});\n");
            times.iter().map(statement).collect()
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::skeleton::text::parse;
    use crate::skeleton::{Buffers, Communication, Processors, Program, Reading, StageId, Tree};

    fn program(text: &str) -> Program<Tree> {
        parse(text).program().unwrap_or_else(|| panic!("{text}"))
    }

    /// What is written, and whether it is read as the same model.
    fn written(program: &Program<Tree>) -> String {
        let text = program.to_skel().unwrap();
        let read = parse(&text).program().unwrap_or_else(|| panic!("{text}"));
        let system = |program: &Program<Tree>| program.lower_with_immediate_moves().unwrap().to_string();
        assert_eq!(system(&read), system(program), "{text}");
        text
    }

    #[test]
    fn statements() {
        for (said, expected) in [
            ("task(1);", "task(1.0);\n"),
            (
                "pipe(task(1), task(2)); communication(none);",
                "pipe(2);\ntask(1.0);\ntask(2.0);\ncommunication(none);\n",
            ),
            (
                "pipe(task(a, 1), farm(2, w, 2), task(b, 3)); communication(5); buffers(4); buffers(w, 1); one_port;",
                "pipe(3);\ntask(\"a\", 1.0);\nfarm(2, \"w\", 2.0);\ntask(\"b\", 3.0);\ncommunication(5.0);\nbuffers(4);\n\
                 buffers(\"w\", 1);\none_port;\n",
            ),
            (
                "pipe(task(1), deal(2, 2)); communication(0, 1, 5); communication(0, 2, 1/3); buffers(0, 1, 4);",
                "pipe(2);\ntask(1.0);\ndeal(2, 2.0);\ncommunication(0, 1, 5.0);\ncommunication(0, 2, 1 / 3);\n\
                 buffers(0, 1, 4);\n",
            ),
        ] {
            assert_eq!(written(&program(said)), expected, "{said}");
        }
    }

    #[test]
    fn times_are_written_as_they_are_lowered() {
        let program = program("pipe(task(uniform(1, 5)), task(erlang(4, 12ms))); communication(1);").fitted();
        assert!(
            written(&program).starts_with("pipe(2);\ntask(fitted(3.0, 4 / 27));\ntask(erlang(4, 0.012));\n")
        );
    }

    #[test]
    fn what_no_text_says() {
        let plain = program("pipe(task(1), farm(2, 2), task(3)); communication(5);");
        let buffers = Buffers::everywhere(1).before(StageId(2), 4);
        for (program, messages) in [
            (
                plain.clone().with_processors(Processors::assigned([1.0], [0, 0, 0, 0])),
                &["the processors of the tasks have no place in a `.skel` text"] as &[&str],
            ),
            (
                plain.clone().with_reading(Reading::Literal).with_buffers(buffers.clone()),
                &[
                    "a `.skel` text does not say that the paper is read to the letter",
                    "stage 1: the buffer of 4 before `farm of 2 × task` has no place in a `.skel` text, since no task there has a name of its own",
                ],
            ),
            (
                plain.with_communication(Communication::links([((0, 1), 1.into())], None)),
                &[
                    "stage 1, worker: the move from task 0 to task 2 has no communication rate",
                    "stage 2: the move from task 1 to task 3 has no communication rate",
                    "stage 2: the move from task 2 to task 3 has no communication rate",
                ],
            ),
        ] {
            let errors = program.to_skel().unwrap_err();
            let found: Vec<&str> = errors.0.iter().map(|error| error.message.as_str()).collect();
            assert_eq!(found, messages);
        }
    }
}
