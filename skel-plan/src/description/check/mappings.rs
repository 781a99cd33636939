//! The check of the mappings: every task has a processor, and every move has a link.

use skel_core::diagnostic::Code;

use super::checker::Checker;
use super::program::Program;
use crate::description::written::{Form, Located, WrittenMapping};
use crate::platform::ProcessorId;
use crate::program::{Endpoint, Mapping};

/// The pairs of processors that are checked already. A skeleton may have hundreds of thousands of moves and a
/// file many mappings, so they are in a table.
struct Pairs {
    processors: usize,
    known: Vec<bool>,
}

impl Pairs {
    fn new(processors: u64) -> Pairs {
        let processors = processors as usize;
        Pairs { processors, known: vec![false; processors * processors] }
    }

    /// Whether the pair is new.
    fn insert(&mut self, from: ProcessorId, to: ProcessorId) -> bool {
        !std::mem::replace(&mut self.known[from.index() * self.processors + to.index()], true)
    }
}

impl Checker<'_, '_> {
    /// The mappings that fit the program and the machines.
    pub(super) fn mappings(&mut self, processors: u64, program: &Program) -> Vec<Mapping> {
        let (mut pairs, moves) = (Pairs::new(processors), program.moves());
        let written = self.written;
        let fitting = written.mappings.iter().filter_map(|located| {
            let mapping = self.mapping(located, processors, program)?;
            self.links_of(located, &mapping, &moves, &mut pairs);
            Some(mapping)
        });
        fitting.collect()
    }

    fn mapping(&mut self, located: &WrittenMapping, processors: u64, program: &Program) -> Option<Mapping> {
        let before = self.found.len();
        self.ends(located, program);
        let (given, tasks, noun) = (located.tasks.len() as u64, program.tasks(), program.noun());
        if given != tasks {
            let help = match program {
                Program::Pipeline(_) => "name the processor of every stage, in their order",
                Program::Skeleton(..) => "name the processor of every task, replicas counted, in their order",
            };
            let message =
                format!("the mapping places {}, but {}", noun.counted(given), noun.there_are(tasks));
            self.report(Code::MappingLength, located.at, message, help);
        }
        let places = located.input.iter().chain(&located.tasks).chain(&located.output);
        for place in places.filter(|located| !(1..=processors).contains(&located.value)) {
            let message = format!("there is no processor {}", place.value);
            let help = match processors {
                1 => "the one processor has the number 1".into(),
                _ => format!("processors are numbered from 1 to {processors}"),
            };
            self.report(Code::OutOfRange, place.at, message, help);
        }
        if self.found.len() > before {
            return None;
        }
        let id = |located: &Located<u64>| ProcessorId::from(located.value as u32);
        let mut mapping = Mapping::new(located.tasks.iter().map(id));
        if let Some(input) = &located.input {
            mapping = mapping.with_input(id(input));
        }
        if let Some(output) = &located.output {
            mapping = mapping.with_output(id(output));
        }
        Some(mapping)
    }

    /// The mapping of a pipeline has an input and an output, which may be left out in TOML. That of a
    /// skeleton has neither.
    fn ends(&mut self, located: &WrittenMapping, program: &Program) {
        let end = located.input.as_ref().or(located.output.as_ref());
        match (program, end, self.written.form) {
            (Program::Pipeline(_), None, Form::Des) => {
                let numbers: Vec<String> =
                    located.tasks.iter().map(|located| located.value.to_string()).collect();
                let (first, last) = (&numbers[0], &numbers[numbers.len() - 1]);
                let help = format!(
                    "write `[{first}, ({}), {last}]`, say: where the input comes from, the processor of each stage, \
                     and where the output is wanted",
                    numbers.join(",")
                );
                let message = "the mapping of a pipeline has an input and an output";
                self.report(Code::MissingEntry, located.at, message.into(), help);
            }
            (Program::Skeleton(..), Some(end), form) => {
                let help = match form {
                    Form::Des => "write the processors of the tasks alone, as `(1,1,2)`",
                    Form::Toml => "leave `input` and `output` out",
                };
                let message = "the mapping of a skeleton has no input and no output of its own";
                self.report(
                    Code::UnknownEntry,
                    end.at,
                    message.into(),
                    format!(
                        "{help}: items come in where the first task runs, and go out where the last does"
                    ),
                );
            }
            _ => {}
        }
    }

    /// Reports the links that a mapping needs and the description does not have, each of them once.
    fn links_of(
        &mut self,
        located: &WrittenMapping,
        mapping: &Mapping,
        moves: &[(Endpoint, Endpoint)],
        known: &mut Pairs,
    ) {
        let written = self.written;
        // What a network lacks is reported once for all mappings.
        if written.is_partial || written.network.is_some() {
            return;
        }
        for &(sender, receiver) in moves {
            let (from, to) = (mapping.processor_at(sender), mapping.processor_at(receiver));
            if !known.insert(from, to) {
                continue;
            }
            let (from, to) = (from.number().into(), to.number().into());
            let is_shared = written.other_links.is_some() || (from == to && written.within.is_some());
            if is_shared || written.links.contains_key(&(from, to)) {
                continue;
            }
            let place = match receiver {
                Endpoint::Task(task) => located.tasks.get(task),
                _ => located.output.as_ref(),
            };
            let name = written.form.link(from, to);
            let message =
                format!("items move from processor {from} to processor {to}, but {name} is missing");
            let help = match written.form {
                Form::Des => {
                    format!("write `nl{from}-{to} = 10;`, say: each direction has a link of its own")
                }
                Form::Toml => format!("give `\"{from}-{to}\" = 10` in `[links]`, say, or `all`"),
            };
            self.report(Code::MissingLink, place.map_or(located.at, |located| located.at), message, help);
        }
    }
}
