//! The check of the program: the stages of a pipeline, or a skeleton and the sizes of its moves.

use skel_core::diagnostic::{Code, TextSpan, did_you_mean};
use skel_core::model::BuildErrors;
use skel_core::rate::Rate;
use skel_core::skeleton::{Graph, Reading, Tree};

use super::checker::{Checker, Counted};
use super::words::{Noun, PIPELINE, SKELETON, STAGE, TASK, listed};
use crate::description::written::{Form, Located, Written};
use crate::program::{Application, Endpoint, MOST_STAGES, Stage};
use crate::quantity::{Data, Work};

const STAGES: Counted = Counted { key: "nbstage", noun: STAGE, most: MOST_STAGES };

/// What kind of program it is, and how large.
pub(super) enum Program<'w> {
    /// A pipeline of so many stages.
    Pipeline(u64),
    /// A skeleton with its data flow.
    Skeleton(&'w Tree, Graph),
}

impl Program<'_> {
    pub(super) fn noun(&self) -> Noun {
        match self {
            Program::Pipeline(_) => STAGE,
            Program::Skeleton(..) => TASK,
        }
    }

    /// How many places a mapping has.
    pub(super) fn tasks(&self) -> u64 {
        match self {
            Program::Pipeline(stages) => *stages,
            Program::Skeleton(_, graph) => graph.tasks() as u64,
        }
    }

    /// The two ends of each move.
    pub(super) fn moves(&self) -> Vec<(Endpoint, Endpoint)> {
        match self {
            &Program::Pipeline(stages) => {
                let stages = stages as usize;
                let from = |number: usize| number.checked_sub(1).map_or(Endpoint::Input, Endpoint::Task);
                let to =
                    |number: usize| if number == stages { Endpoint::Output } else { Endpoint::Task(number) };
                (0..=stages).map(|number| (from(number), to(number))).collect()
            }
            Program::Skeleton(_, graph) => graph
                .moves()
                .map(|(from, to)| (Endpoint::Task(from as usize), Endpoint::Task(to as usize)))
                .collect(),
        }
    }

    /// The program. Everything that is written of it has been checked.
    pub(super) fn application(&self, written: &Written) -> Result<Application, BuildErrors> {
        match self {
            &Program::Pipeline(stages) => pipeline(written, stages),
            Program::Skeleton(tree, _) => Application::skeleton(*tree, |from, to| {
                // One of the two is there, since a move without a size has been reported.
                let pair = written.pair_sizes.get(&(from as u64 + 1, to as u64 + 1));
                Data::bytes(
                    pair.or(written.common_size.as_ref()).map_or(0.into(), |located| located.value.clone()),
                )
            }),
        }
    }
}

fn pipeline(written: &Written, count: u64) -> Result<Application, BuildErrors> {
    let size = |number: u64| Data::bytes(written.sizes[&number].value.clone());
    let stages = (1..=count).map(|number| {
        let stage = match written.times.get(&number) {
            Some(time) => Stage::taking_checked(time.clone()),
            None => Stage::new(Work::units(written.works[&number].value.clone())),
        };
        let stage = stage.receiving(size(number));
        match written.stage_names.get(&number) {
            Some(name) => stage.named(name),
            None => stage,
        }
    });
    Application::pipeline(stages, size(count + 1))
}

/// An entry of the other type: its place, its name, and what to write instead.
type Misplaced = (TextSpan, String, &'static str);

impl<'w> Checker<'w, '_> {
    /// Whether the description is that of a skeleton. If no type is written, it is one if there is a
    /// skeleton, or if there are sizes of moves and no stages.
    pub(super) fn is_skeleton(&mut self) -> bool {
        let written = self.written;
        let has_sizes = written.common_size.is_some() || !written.pair_sizes.is_empty();
        let has_skeleton = written.skeleton.is_some() || (has_sizes && written.stages.is_none());
        match &written.kind {
            Some(kind) if [PIPELINE, SKELETON].contains(&kind.value.as_str()) => {
                return kind.value == SKELETON;
            }
            Some(kind) => {
                let help = match did_you_mean(&kind.value, [PIPELINE, SKELETON]) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the types are `{PIPELINE}` and, with farms and deals, `{SKELETON}`"),
                };
                let message = format!("there is no type `{}` of descriptions", kind.value);
                self.report(Code::UnknownType, kind.at, message, help);
            }
            None if written.form == Form::Des => {
                let kind = if has_skeleton { SKELETON } else { PIPELINE };
                self.missing("`type`", written.end, format!("write `type = {kind};`"));
            }
            None => {}
        }
        has_skeleton
    }

    pub(super) fn pipeline(&mut self) -> Option<Program<'w>> {
        let written = self.written;
        self.misplaced(of_skeletons(written), PIPELINE);
        if written.skeleton.is_some() && written.stages.is_none() {
            return None;
        }
        let count = self.count(written.stages.as_ref(), STAGES);
        let at = written.stages.as_ref().map_or(written.end, |located| located.at);
        self.list(&written.works, count, count, STAGE, at, &|number| written.form.work(number));
        let entries = count.map(|count| count + 1);
        let located = written.stages.as_ref().map_or(0, |located| located.value);
        self.list(&written.sizes, entries, count, STAGE, at, &|number| written.form.size(number, located));
        count.map(Program::Pipeline)
    }

    pub(super) fn skeleton(&mut self) -> Option<Program<'w>> {
        let written = self.written;
        self.misplaced(of_pipelines(written), SKELETON);
        let Some(located) = &written.skeleton else {
            if written.stages.is_none() {
                let text = in_form(
                    written.form,
                    "{ pipe(2); task(1); farm(3, 1); };",
                    "\"pipe(2); task(1); farm(3, 1);\"",
                );
                self.missing("`skeleton`", written.end, format!("write one: `skeleton = {text}`, say"));
            }
            return None;
        };
        let tree = located.value.as_ref()?;
        match Graph::from_tree(tree, Reading::Corrected) {
            Ok(graph) => {
                self.sizes(&graph, located.key);
                Some(Program::Skeleton(tree, graph))
            }
            Err(finding) => {
                self.found.push(finding.at(|_| located.key));
                None
            }
        }
    }

    fn misplaced(&mut self, entries: Vec<Misplaced>, kind: &str) {
        for (at, name, help) in entries {
            self.report(Code::UnknownEntry, at, format!("{name} is no entry of the type `{kind}`"), help);
        }
    }

    /// Reports moves without a size, and sizes without a move. `key` is the place of the skeleton.
    fn sizes(&mut self, graph: &Graph, key: TextSpan) {
        let written = self.written;
        written.common_size.iter().for_each(|located| {
            self.positive(located, written.form.common_size());
        });
        for (&pair, located) in &written.pair_sizes {
            let name = written.form.pair_size(pair.0, pair.1);
            self.positive(located, &format!("{}{name}", in_form(written.form, "", "the size of ")));
            self.pair(graph, pair, located);
        }
        if written.common_size.is_none() {
            self.missing_sizes(graph, key);
        }
    }

    /// Reports a size for two tasks between which nothing moves.
    fn pair(&mut self, graph: &Graph, (from, to): (u64, u64), located: &Located<Rate>) {
        let (tasks, name) = (graph.tasks() as u64, self.written.form.pair_size(from, to));
        if let Some(wrong) = [from, to].into_iter().find(|number| !(1..=tasks).contains(number)) {
            let message = format!("there is no task {wrong} for {name}");
            let help = format!("{}, replicas counted", TASK.there_are(tasks));
            self.report(Code::OutOfRange, located.key, message, help);
        } else if !graph.has_move(from as usize - 1, to as usize - 1) {
            let message = format!("nothing moves from task {from} to task {to}, so {name} has no meaning");
            self.report(Code::OutOfRange, located.key, message, receivers(graph, from));
        }
    }

    fn missing_sizes(&mut self, graph: &Graph, key: TextSpan) {
        let written = self.written;
        let has_size = |pair: &(u64, u64)| written.pair_sizes.contains_key(pair);
        let moves = graph.moves().map(|(from, to)| (u64::from(from) + 1, u64::from(to) + 1));
        let missing: Vec<String> =
            moves.filter(|pair| !has_size(pair)).map(|(from, to)| written.form.pair_size(from, to)).collect();
        if missing.is_empty() || written.is_partial {
            return;
        }
        let all = in_form(written.form, "`ds = 100;`", "`all = 100` in `[moves]`");
        let (message, help) = if written.pair_sizes.is_empty() {
            ("no item that moves between two tasks has a size".to_owned(), format!("write {all}, say"))
        } else {
            let verb = if missing.len() == 1 { "is" } else { "are" };
            let message = format!("{} {verb} missing", listed(&missing));
            (message, format!("give each its size, or all that have none of their own: {all}, say"))
        };
        self.report(Code::MissingEntry, key, message, help);
    }
}

/// The help that says to which tasks a task sends.
fn receivers(graph: &Graph, task: u64) -> String {
    let flow = graph.flow(task as u32 - 1);
    let numbers: Vec<String> = flow.destinations.iter().map(|to| (to + 1).to_string()).collect();
    match numbers.len() {
        0 => format!("task {task} is in the last stage: it sends to no task"),
        1 => format!("task {task} sends to task {}", numbers[0]),
        _ => format!("task {task} sends to tasks {}", listed(&numbers)),
    }
}

/// The first entry of each kind that only pipelines have. If there is no skeleton, the type is wrong instead.
fn of_pipelines(written: &Written) -> Vec<Misplaced> {
    const IN_TOML: &str = "the stages are those of `skeleton = \"...\"`, with their rates";
    const OF_WORK: &str = "the work of a task is one over its rate, which the skeleton says: `task(0.5)`";
    let form = written.form;
    let name = in_form(form, "`nbstage`", "`[[stage]]`").to_owned();
    if let (Some(located), None) = (&written.stages, &written.skeleton) {
        let des = "write `type = pipeline;`, or the stages as `skeleton = { ... };`";
        let toml = "write `type = \"pipeline\"`, or the stages as `skeleton = \"...\"`";
        return vec![(located.key, name, in_form(form, des, toml))];
    }
    let help = in_form(form, "the stages are those of `skeleton = { ... };`, with their rates", IN_TOML);
    let stages = written.stages.as_ref().map(|located| (located.key, name, help));
    let behind = written.stages.as_ref().map_or(1, |located| located.value + 1);
    let (works, sizes) = match form {
        Form::Des => (written.works.iter().next(), written.sizes.iter().next()),
        Form::Toml => (None, written.sizes.get_key_value(&behind)),
    };
    let works = works.map(|(&number, located)| (located.key, form.work(number), OF_WORK));
    let sizes = sizes.map(|(&number, located)| match form {
        Form::Des => (
            located.key,
            form.size(number, 0),
            "write `ds = 100;` for all that moves, and `ds1-2 = 10;` for what moves from task 1 to task 2",
        ),
        Form::Toml => (
            located.key,
            "`output`".to_owned(),
            "what leaves the last task takes no time; sizes stand in `[moves]`",
        ),
    });
    [stages, works, sizes].into_iter().flatten().collect()
}

/// The first entry of each kind that only skeletons have. If there is no stage, the type is wrong instead.
fn of_skeletons(written: &Written) -> Vec<Misplaced> {
    const OF_SIZES: &str =
        "a pipeline has a size for what each stage receives, `ds1 = 100;`, and one for its output";
    let form = written.form;
    let help = in_form(form, "write `type = skeleton;`", "write `type = \"skeleton\"`, or no type");
    let skeleton = written.skeleton.as_ref().map(|located| (located.key, "`skeleton`".to_owned(), help));
    if skeleton.is_some() && written.stages.is_none() {
        return skeleton.into_iter().collect();
    }
    let (common, pair) = (written.common_size.as_ref(), written.pair_sizes.iter().next());
    let sizes = match form {
        Form::Des => [
            common.map(|located| (located.key, form.common_size().to_owned(), OF_SIZES)),
            pair.map(|(&(from, to), located)| (located.key, form.pair_size(from, to), OF_SIZES)),
        ],
        Form::Toml => {
            let help = "give each `[[stage]]` its `data`, and the pipeline its `output`";
            let first = common.or(pair.map(|(_, located)| located));
            [first.map(|located| (located.key, "`[moves]`".to_owned(), help)), None]
        }
    };
    skeleton.into_iter().chain(sizes.into_iter().flatten()).collect()
}

/// Chooses between the words for the two forms.
fn in_form(form: Form, des: &'static str, toml: &'static str) -> &'static str {
    match form {
        Form::Des => des,
        Form::Toml => toml,
    }
}
