//! What has seconds: a model, or a program that is composed of models by a graph.

use skel::fit::graph::{Graph, Times};

use super::place::Place;
use crate::fit::model::{Caution, Estimate, Model};

/// What has seconds at a place.
pub(in crate::fit) enum Subject<'a> {
    Model(&'a Model),
    Program(Program<'a>),
}

/// A graph whose segments take the times of models on one machine type.
pub(in crate::fit) struct Program<'a> {
    pub(in crate::fit) name: String,
    pub(in crate::fit) graph: &'a Graph,
    /// Empty where it is the same on all.
    machine: &'a str,
    models: &'a [Model],
}

/// All models, and the program on each machine type for which it has models.
pub(in crate::fit) fn subjects<'a>(models: &'a [Model], graph: Option<&'a Graph>) -> Vec<Subject<'a>> {
    let programs = graph.into_iter().flat_map(|graph| programs(models, graph));
    models.iter().map(Subject::Model).chain(programs.map(Subject::Program)).collect()
}

fn programs<'a>(models: &'a [Model], graph: &'a Graph) -> Vec<Program<'a>> {
    let segments = graph.fitted_segments();
    let mut machines: Vec<&str> = Vec::new();
    let used = models.iter().filter(|model| segments.contains(&model.segment.as_str()));
    for machine in used.map(|model| model.machine.as_str()).filter(|machine| !machine.is_empty()) {
        if !machines.contains(&machine) {
            machines.push(machine);
        }
    }
    match machines.as_slice() {
        [] => vec![Program { name: graph.name().to_owned(), graph, machine: "", models }],
        [machine] => vec![Program { name: graph.name().to_owned(), graph, machine, models }],
        several => {
            let on = |machine: &&'a str| Program {
                name: format!("{} on {machine}", graph.name()),
                graph,
                machine,
                models,
            };
            several.iter().map(on).collect()
        }
    }
}

impl Subject<'_> {
    pub(in crate::fit) fn name(&self) -> &str {
        match self {
            Subject::Model(model) => &model.name,
            Subject::Program(program) => &program.name,
        }
    }

    /// The part of a program that it is, and the machine type. The whole program has the name of its graph.
    pub(in crate::fit) fn segment_and_machine(&self) -> (&str, &str) {
        match self {
            Subject::Model(model) => (&model.segment, &model.machine),
            Subject::Program(program) => (program.graph.name(), program.machine),
        }
    }

    /// Whether measured times of a segment on a machine type are times of it. Whoever times a whole program
    /// need not name it.
    pub(super) fn is_of(&self, segment: &str, machine: &str) -> bool {
        const UNNAMED: &str = "program";
        let (own, of_machine) = self.segment_and_machine();
        let is_whole = matches!(self, Subject::Program(_)) && segment == UNNAMED;
        (segment == own || is_whole) && (of_machine == machine || of_machine.is_empty())
    }

    /// The seconds at a place.
    pub(in crate::fit) fn estimate(&self, place: &Place, probability: f64) -> Result<Estimate, String> {
        match self {
            Subject::Model(model) => Ok(model.estimate(of_model(model, place)?, probability)),
            Subject::Program(program) => {
                let times = program.times(place)?;
                let cautions =
                    times.warnings.iter().map(|text| Caution { word: "negative", text: text.clone() });
                let mut cautions: Vec<Caution> = cautions.collect();
                cautions.extend(program.extrapolated(place));
                Ok(Estimate { seconds: times.seconds, interval: None, cautions })
            }
        }
    }
}

/// The n and p of a model at a place.
fn of_model(model: &Model, place: &Place) -> Result<[f64; 2], String> {
    let value = |at: usize, name: &str| {
        let missing = || {
            format!("`{}` depends on {name}, which has no value; help: write `{name}=..` as well", model.name)
        };
        place.value(name).or_else(|| model.implied(at)).ok_or_else(missing)
    };
    Ok([value(0, "n")?, value(1, "p")?])
}

impl Program<'_> {
    /// The seconds of the program and of its parts.
    pub(in crate::fit) fn times(&self, place: &Place) -> Result<Times, String> {
        let parameters: Vec<(&str, f64)> =
            self.graph.parameters().filter_map(|name| Some((name, place.value(name)?))).collect();
        let unusable = self.used().find_map(|model| of_model(model, place).err());
        if let Some(problem) = unusable {
            return Err(problem);
        }
        let times = self.graph.times_with(&parameters, |segment| {
            let model = self.used().find(|model| model.segment == segment)?;
            Some(model.estimate(of_model(model, place).ok()?, 0.5).seconds)
        });
        times.map_err(|error| error.to_string())
    }

    /// The models of its segments.
    fn used(&self) -> impl Iterator<Item = &Model> {
        let segments = self.graph.fitted_segments();
        let is_here = |model: &&Model| model.machine.is_empty() || model.machine == self.machine;
        self.models.iter().filter(is_here).filter(move |model| segments.contains(&model.segment.as_str()))
    }

    /// What models of its segments say of the place.
    fn extrapolated(&self, place: &Place) -> Vec<Caution> {
        let mut found: Vec<Caution> = Vec::new();
        for model in self.used() {
            let Ok(at) = of_model(model, place) else { continue };
            for caution in
                model.estimate(at, 0.5).cautions.into_iter().filter(|caution| caution.word == "extrapolated")
            {
                found.push(Caution { text: format!("`{}`: {}", model.name, caution.text), ..caution });
            }
        }
        found
    }
}
