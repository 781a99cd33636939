//! From a description to its `.des` text.

use std::fmt;

use skel_core::number::{Ratio, display_ratio};
use skel_core::skeleton::Tree;

use super::contents::Description;
use crate::platform::Platform;
use crate::program::{Application, Endpoint};

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Description { platform, application, mappings, network } = self;
        let tree = application.as_skeleton().map(|(tree, _)| tree);
        let kind = if tree.is_some() { "skeleton" } else { "pipeline" };
        writeln!(f, "type = {kind};\n")?;
        machines(platform, network.as_deref(), f)?;
        match tree {
            Some(tree) => skeleton(tree, application, f)?,
            None => pipeline(application, f)?,
        }
        if !mappings.is_empty() {
            let mappings: Vec<String> =
                mappings.iter().map(|mapping| application.mapping_text(mapping)).collect();
            writeln!(f, "mappings = {};", mappings.join(",\n    "))?;
        }
        writeln!(f, "throughput;")
    }
}

fn machines(platform: &Platform, network: Option<&str>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "nbproc = {};", platform.processors().len())?;
    match network {
        Some(file) => {
            writeln!(f, "network = \"{file}\";")?;
            for (id, machine) in platform.processors().filter_map(|id| Some((id, platform.given_name(id)?))) {
                writeln!(f, "machine{id} = \"{machine}\";")?;
            }
        }
        None if platform.has_models() => writeln!(f, "// Some links are those of communication models.")?,
        None => {}
    }
    for id in platform.processors() {
        writeln!(f, "cp{id} = {};", display_ratio(platform.power(id)))?;
    }
    for from in platform.processors() {
        let row = platform.processors().filter_map(|to| Some((to, platform.bandwidth(from, to)?)));
        let row: Vec<String> =
            row.map(|(to, value)| format!("nl{from}-{to} = {};", display_ratio(value))).collect();
        if !row.is_empty() {
            writeln!(f, "{}", row.join(" "))?;
        }
    }
    writeln!(f)
}

fn pipeline(application: &Application, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "nbstage = {};", application.task_count())?;
    for (stage, task) in application.tasks.iter().enumerate() {
        let (number, time) = (stage + 1, task.service.time());
        let work = if time.is_exponential() { display_ratio(time.mean()) } else { time.to_string() };
        writeln!(f, "w{number} = {work}; ds{number} = {};", display_ratio(&application.moves[stage].size))?;
    }
    let output = application.moves.len();
    writeln!(f, "ds{output} = {};\n", display_ratio(&application.moves[output - 1].size))
}

/// The skeleton and the sizes of its moves, which are one entry if they are all equal.
fn skeleton(tree: &Tree, application: &Application, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "skeleton = {{")?;
    tree.to_string().lines().try_for_each(|line| writeln!(f, "    {line}"))?;
    writeln!(f, "}};")?;
    let sizes: Vec<&Ratio> = application.moves.iter().map(|one| &one.size).collect();
    match sizes.first() {
        Some(first) if sizes.iter().all(|size| size == first) => {
            writeln!(f, "ds = {};", display_ratio(first))?;
        }
        _ => {
            for (ends, size) in application.moves().zip(sizes) {
                if let (Endpoint::Task(from), Endpoint::Task(to)) = ends {
                    writeln!(f, "ds{}-{} = {};", from + 1, to + 1, display_ratio(size))?;
                }
            }
        }
    }
    writeln!(f)
}
