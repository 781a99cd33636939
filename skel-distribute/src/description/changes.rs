//! What happens to machines: changes of their speed, and losses.

use std::collections::BTreeMap;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::number::{Ratio, display_ratio};
use skel_toml::{DeTable, Findings, Located};

use super::entries::Entries;
use super::machines::Machines;

/// Changes by machine and time, each with its factor; and the time at which each machine is lost.
#[derive(Debug, Default)]
pub(super) struct Happenings {
    pub(super) changes: BTreeMap<(usize, Ratio), (Ratio, TextSpan)>,
    pub(super) losses: BTreeMap<usize, (Ratio, TextSpan)>,
}

impl Happenings {
    pub(super) fn read(
        file: &Entries<'_, '_>,
        machines: &Machines,
        is_partial: bool,
        found: &mut Findings,
    ) -> Happenings {
        let mut happenings = Happenings::default();
        for (at, table) in limited(file, "change", found) {
            let entries = Entries::of(table, at, "a change", &["machine", "at", "factor"], found);
            let of = machines.of(&entries, "the change", found);
            let when = time(&entries, "change", is_partial, found);
            let factor = entries.positive("factor", "the factor of the change", found);
            if entries.value("factor").is_none() && !is_partial {
                let help = "write how many times its original seconds an item takes: `factor = 4`";
                found.report(Code::MissingEntry, at, "the change has no factor", help);
            }
            let (Some(of), Some(when), Some(factor)) = (of, when, factor) else { continue };
            for machine in of {
                let key = (machine, when.value.clone());
                let change = (factor.value.clone(), at);
                if let Some((_, first)) = happenings.changes.insert(key, change) {
                    let (name, when) = (&machines.names[machine], display_ratio(&when.value));
                    let message = format!("machine `{name}` has two changes at {when} s");
                    found.push(twice(message, first, at));
                    break;
                }
            }
        }
        for (at, table) in limited(file, "loss", found) {
            let entries = Entries::of(table, at, "a loss", &["machine", "at"], found);
            let of = machines.of(&entries, "the loss", found);
            let when = time(&entries, "loss", is_partial, found);
            let (Some(of), Some(when)) = (of, when) else { continue };
            for machine in of {
                if let Some((_, first)) = happenings.losses.insert(machine, (when.value.clone(), at)) {
                    let message = format!("machine `{}` is lost twice", machines.names[machine]);
                    found.push(twice(message, first, at));
                    break;
                }
            }
        }
        happenings
    }
}

fn twice(message: String, first: TextSpan, at: TextSpan) -> Diagnostic<TextSpan> {
    Diagnostic::new(Code::DuplicateDefinition, at, message)
        .related(first, "first here")
        .help("keep one of the two")
}

/// The tables of a name, up to the most that may be. Each may be about all machines.
fn limited<'v, 't>(
    file: &Entries<'v, 't>,
    name: &str,
    found: &mut Findings,
) -> Vec<(TextSpan, &'v DeTable<'t>)> {
    const MOST: usize = 1000;
    let mut tables = file.tables(name, found);
    if let Some((at, _)) = tables.get(MOST) {
        let message = format!("there are {} tables `[[{name}]]`", tables.len());
        found.report(Code::OutOfRange, *at, message, format!("there may be up to {MOST}"));
        tables.truncate(MOST);
    }
    tables
}

/// When it happens.
fn time(
    entries: &Entries<'_, '_>,
    what: &str,
    is_partial: bool,
    found: &mut Findings,
) -> Option<Located<Ratio>> {
    if entries.value("at").is_none() && !is_partial {
        let message = format!("the {what} has no time");
        found.report(
            Code::MissingEntry,
            entries.at,
            message,
            "write when it happens, in seconds: `at = 100`",
        );
    }
    entries.not_negative("at", &format!("the time of the {what}"), found)
}
