//! The machines of a description.

use std::collections::BTreeMap;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};
use skel_core::number::Ratio;
use skel_toml::{DeValue, Findings, Located, kind, place, shortened};

use super::entries::Entries;
use crate::simulate::MOST_MACHINES;

/// Equal machines that are described together.
#[derive(Clone, Debug)]
struct Group {
    name: Option<Located<String>>,
    /// How many there are.
    count: usize,
    seconds: Option<Ratio>,
    weight: Option<Ratio>,
    /// Whether a weight is written, be it right or wrong.
    has_weight: bool,
    at: TextSpan,
}

/// Everything that is said of machines.
#[derive(Debug, Default)]
pub(super) struct Machines {
    /// Each machine's name and time for an item. A time that was not said or is wrong is left out.
    pub(super) names: Vec<String>,
    pub(super) seconds: Vec<Option<Ratio>>,
    /// Each machine's weight, if they have some.
    pub(super) weights: Option<Vec<Ratio>>,
    /// The numbers of the machines of each name, and of each group.
    by_name: BTreeMap<String, std::ops::Range<usize>>,
}

impl Machines {
    pub(super) fn read(file: &Entries<'_, '_>, is_partial: bool, found: &mut Findings) -> Machines {
        let tables = file.tables("machine", found);
        let value = file.value("machine");
        let has_none =
            value.is_none_or(|value| value.get_ref().as_array().is_some_and(|list| list.is_empty()));
        if has_none && !is_partial {
            let at = value.map_or(file.at, |value| place(value.span()));
            let help = "write `[[machine]]` for each, with the `seconds` that it takes for an item";
            found.report(Code::MissingEntry, at, "the description has no machine", help);
        }
        let mut groups: Vec<Group> = Vec::new();
        let mut total = 0;
        for (at, table) in tables {
            let names = ["name", "count", "seconds", "weight"];
            let entries = Entries::of(table, at, "a machine", &names, found);
            let group = Group::read(&entries, total + 1, is_partial, found);
            total += group.count;
            groups.push(group);
            if total > MOST_MACHINES {
                let message = format!("there are more than {MOST_MACHINES} machines");
                let help = format!("there may be from 1 to {MOST_MACHINES}");
                found.report(Code::OutOfRange, at, message, help);
                break;
            }
        }
        let mut machines = Machines { weights: weights(&groups, found), ..Machines::default() };
        groups.into_iter().for_each(|group| machines.add(group, found));
        machines
    }

    fn add(&mut self, group: Group, found: &mut Findings) {
        let first = self.names.len();
        let range = first..first + group.count;
        let at = group.name.as_ref().map_or(group.at, |name| name.at);
        let names: Vec<String> = match &group.name {
            Some(name) if group.count == 1 => vec![name.value.clone()],
            Some(name) => (1..=group.count).map(|number| format!("{}-{number}", name.value)).collect(),
            None => range.clone().map(|machine| format!("machine-{}", machine + 1)).collect(),
        };
        let mut repeated = None;
        for (machine, name) in range.clone().zip(&names) {
            if self.by_name.insert(name.clone(), machine..machine + 1).is_some() {
                repeated.get_or_insert(name.clone());
            }
        }
        if let Some(name) = group.name.filter(|_| group.count > 1)
            && self.by_name.insert(name.value.clone(), range.clone()).is_some()
        {
            repeated.get_or_insert(name.value);
        }
        if let Some(name) = repeated {
            let message = format!("two machines have the name `{}`", shortened(&name));
            found.report(Code::DuplicateDefinition, at, message, "give one of them another name");
        }
        self.seconds.extend(range.map(|_| group.seconds.clone()));
        self.names.extend(names);
    }

    /// The machines that an entry `machine` is about, by their name or their number.
    pub(super) fn of(
        &self,
        entries: &Entries<'_, '_>,
        owner: &str,
        found: &mut Findings,
    ) -> Option<std::ops::Range<usize>> {
        let Some(value) = entries.value("machine") else {
            let message = format!("{owner} has no machine");
            found.report(
                Code::MissingEntry,
                entries.at,
                message,
                "write its name, `machine = \"node-1\"`, or its number",
            );
            return None;
        };
        let at = place(value.span());
        let wanted = match value.get_ref() {
            DeValue::String(name) => name.clone().into_owned(),
            DeValue::Integer(number) => number.to_string(),
            other => {
                let message = format!("the machine of {owner} is {}", kind(other));
                found.report(
                    Code::Syntax,
                    at,
                    message,
                    "write a name in quotation marks, or a number from 1",
                );
                return None;
            }
        };
        let number = value.get_ref().as_integer().and_then(|number| number.as_str().parse::<usize>().ok());
        let machines = match number {
            Some(number) => (1..=self.names.len()).contains(&number).then(|| number - 1..number),
            None => self.by_name.get(&wanted).cloned(),
        };
        if machines.is_none() && !self.names.is_empty() {
            let near = did_you_mean(&wanted, self.by_name.keys().map(String::as_str));
            let help = match (number, near) {
                (None, Some(near)) => format!("did you mean `{near}`?"),
                _ => format!(
                    "they are numbered from 1 to {}, and `{}` is the name of the first",
                    self.names.len(),
                    self.names[0]
                ),
            };
            found.report(Code::OutOfRange, at, format!("there is no machine `{}`", shortened(&wanted)), help);
        }
        machines
    }
}

impl Group {
    /// The first of its machines has a number.
    fn read(entries: &Entries<'_, '_>, number: usize, is_partial: bool, found: &mut Findings) -> Group {
        let name = entries.name("name", found);
        let subject = match &name {
            Some(name) => format!("machine `{}`", shortened(&name.value)),
            None => format!("machine {number}"),
        };
        let seconds = entries.positive("seconds", &format!("the time of {subject}"), found);
        if seconds.is_none() && entries.value("seconds").is_none() && !is_partial {
            let message = format!("{subject} has no time for an item");
            found.report(Code::MissingEntry, entries.at, message, "write how long it takes: `seconds = 0.5`");
        }
        let count = entries.count("count", &format!("the count of {subject}"), MOST_MACHINES as u64, found);
        let weight = entries.not_negative("weight", &format!("the weight of {subject}"), found);
        Group {
            name,
            count: count.map_or(1, |count| count.value as usize),
            seconds: seconds.map(|seconds| seconds.value),
            weight: weight.map(|weight| weight.value),
            has_weight: entries.value("weight").is_some(),
            at: entries.at,
        }
    }
}

/// The weight of each machine, if machines have weights.
fn weights(groups: &[Group], found: &mut Findings) -> Option<Vec<Ratio>> {
    let with = groups.iter().find(|group| group.has_weight)?;
    if let Some(first) = groups.iter().find(|group| !group.has_weight) {
        let finding =
            Diagnostic::new(Code::MissingEntry, first.at, "this machine has no weight, and others have one");
        let help = "give every machine a weight, or leave them all out: they then follow from the seconds";
        found.push(finding.related(with.at, "one with a weight").help(help));
        return None;
    }
    if groups.iter().all(|group| group.weight == Some(Ratio::default())) {
        let help = "give at least one machine a weight above 0";
        found.report(Code::QuantityNotPositive, groups[0].at, "every machine has the weight 0", help);
        return None;
    }
    let of_group = |group: &Group| vec![group.weight.clone().unwrap_or_default(); group.count];
    Some(groups.iter().flat_map(of_group).collect())
}
