//! The schedules that a description asks for.

use std::collections::HashSet;

use skel_core::diagnostic::{Code, TextSpan};
use skel_toml::{DeValue, Findings, kind, place};

use super::entries::Entries;
use crate::schedule::Schedule;

/// The most schedules of a description.
const MOST: usize = 1000;
const LIMIT: &str = "there may be up to 1000";

/// Schedules in the order of the text, each once.
#[derive(Default)]
struct Wanted {
    list: Vec<Schedule>,
    known: HashSet<Schedule>,
}

/// The schedules, each once in the order of the text, if the text asks for some.
pub(super) fn read(file: &Entries<'_, '_>, found: &mut Findings) -> Option<Vec<Schedule>> {
    let value = file.value("schedules")?;
    let at = place(value.span());
    let mut schedules = Wanted::default();
    match value.get_ref() {
        DeValue::String(text) => add(text, at, &mut schedules, found),
        DeValue::Array(list) if list.len() > MOST => {
            found.report(Code::OutOfRange, at, format!("{} schedules are asked for", list.len()), LIMIT);
        }
        DeValue::Array(list) => {
            for value in list.iter() {
                let at = place(value.span());
                match value.get_ref().as_str() {
                    Some(text) => add(text, at, &mut schedules, found),
                    None => {
                        let message = format!("a schedule is {}", kind(value.get_ref()));
                        found.report(Code::Syntax, at, message, "write its name in quotation marks: \"GSS\"");
                    }
                }
            }
            if list.is_empty() {
                let help = "name some, or leave the entry out for those that are usual";
                found.report(Code::MissingEntry, at, "no schedule is asked for", help);
            }
        }
        other => {
            let message = format!("`schedules` is {}", kind(other));
            found.report(
                Code::Syntax,
                at,
                message,
                "write a list of names: `schedules = [\"SS\", \"VRP-SS(10)\"]`",
            );
        }
    }
    if schedules.list.len() > MOST {
        let message = format!("{} schedules are asked for", schedules.list.len());
        found.report(Code::OutOfRange, at, message, LIMIT);
    }
    Some(schedules.list)
}

fn add(text: &str, at: TextSpan, schedules: &mut Wanted, found: &mut Findings) {
    let list = match Schedule::parse_list(text) {
        Ok(list) => list,
        Err(unknown) => return found.report(Code::UnknownSchedule, at, unknown.message, unknown.help),
    };
    for schedule in list {
        match schedule.check() {
            Ok(()) if schedules.known.insert(schedule) => schedules.list.push(schedule),
            Ok(()) => {}
            Err(errors) => {
                errors
                    .0
                    .into_iter()
                    .for_each(|error| found.report(error.code, at, error.message, error.help));
            }
        }
    }
}
