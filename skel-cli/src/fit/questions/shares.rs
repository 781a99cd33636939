//! The relative performance of machine types, and what each machine gets of so many items.

use skel::distribute::RelativePerformance;
use skel::number::Number;

use super::place::Place;
use super::predict::distinct;
use super::subject::Subject;
use crate::arguments::FitArguments;
use crate::errors::Problem;

/// The shares of the machine types at one place, by the models of one segment.
pub(in crate::fit) struct Shared {
    pub(in crate::fit) segment: String,
    pub(in crate::fit) place: Place,
    pub(in crate::fit) machines: Vec<Machine>,
    /// When the last machine ends, in seconds, by these shares.
    pub(in crate::fit) end: f64,
    /// The same by the shares of the first place: relative performance that is fixed for all sizes.
    pub(in crate::fit) end_if_fixed: f64,
    /// The same by equal shares.
    pub(in crate::fit) end_if_equal: f64,
}

/// A machine type.
pub(in crate::fit) struct Machine {
    pub(in crate::fit) name: String,
    /// How many machines there are of it.
    pub(in crate::fit) count: usize,
    /// What one machine takes for the whole.
    pub(in crate::fit) seconds: f64,
    /// How many times faster than the slowest it is.
    pub(in crate::fit) performance: f64,
    /// The items of each.
    pub(in crate::fit) items: Vec<u64>,
}

/// The shares at all places, and why some have none.
pub(in crate::fit) fn shares(
    subjects: &[Subject<'_>],
    places: &[Place],
    arguments: &FitArguments,
) -> (Vec<Shared>, Vec<Problem>) {
    let Some(items) = arguments.items else { return (Vec::new(), Vec::new()) };
    let groups = groups(subjects);
    let mut problems = unknown_types(&groups, arguments);
    if groups.is_empty() {
        let message = "`--items` needs models of one segment on two machine types at least";
        problems.push(
            Problem::error("no_shares", message)
                .help("time the segment on each type, and name the types in the column `machine`"),
        );
    }
    let mut all = Vec::new();
    for (segment, group) in &groups {
        let mut fixed = None;
        for place in places {
            let question = Question { segment, group, place, items, arguments };
            match question.answer(fixed.as_ref()) {
                Ok((shared, performance)) => {
                    all.push(shared);
                    fixed.get_or_insert(performance);
                }
                Err(mut wrong) => problems.append(&mut wrong),
            }
        }
    }
    (all, distinct(problems))
}

/// The subjects on machine types by their segment, where there are several types.
fn groups<'s>(subjects: &'s [Subject<'s>]) -> Vec<(&'s str, Vec<&'s Subject<'s>>)> {
    let mut groups: Vec<(&str, Vec<&Subject<'_>>)> = Vec::new();
    for subject in subjects.iter().filter(|subject| !subject.segment_and_machine().1.is_empty()) {
        let segment = subject.segment_and_machine().0;
        match groups.iter_mut().find(|(known, _)| *known == segment) {
            Some((_, group)) => group.push(subject),
            None => groups.push((segment, vec![subject])),
        }
    }
    groups.retain(|(_, group)| group.len() > 1);
    groups
}

fn unknown_types(groups: &[(&str, Vec<&Subject<'_>>)], arguments: &FitArguments) -> Vec<Problem> {
    let has = |name: &str| {
        groups.iter().flat_map(|(_, group)| group).any(|subject| subject.segment_and_machine().1 == name)
    };
    let unknown = arguments.count.iter().filter(|count| !groups.is_empty() && !has(&count.machine));
    let problem = |count: &crate::quantity::Count| {
        let message =
            format!("`--count {}={}`: no model is of the machine type `{0}`", count.machine, count.machines);
        Problem::error("unknown_name", message).help("name a machine type of the runs")
    };
    unknown.map(problem).collect()
}

/// The machine types of a segment at a place.
struct Question<'q> {
    segment: &'q str,
    group: &'q [&'q Subject<'q>],
    place: &'q Place,
    items: u64,
    arguments: &'q FitArguments,
}

impl Question<'_> {
    /// The shares, with the relative performance of all machines.
    fn answer(
        &self,
        fixed: Option<&RelativePerformance>,
    ) -> Result<(Shared, RelativePerformance), Vec<Problem>> {
        let times = self.times()?;
        let each = || times.iter().flat_map(|&(_, count, seconds)| std::iter::repeat_n(seconds, count));
        let machines = each().count();
        let performance =
            RelativePerformance::of_times(each()).map_err(|errors| self.refused(&errors.to_string()))?;
        let equal =
            RelativePerformance::equal(machines).map_err(|errors| self.refused(&errors.to_string()))?;
        let end = |performance: &RelativePerformance| {
            let ends = performance.shares(self.items).into_iter().zip(each());
            ends.map(|(share, seconds)| share as f64 / self.items as f64 * seconds).fold(0.0, f64::max)
        };
        let (shares, mut first) = (performance.shares(self.items), 0);
        let mut machine = |(name, count, seconds): &(String, usize, f64)| {
            let own = first..first + count;
            first = own.end;
            Machine {
                name: name.clone(),
                count: *count,
                seconds: *seconds,
                performance: performance.weights()[own.start].to_float(),
                items: shares[own].to_vec(),
            }
        };
        let shared = Shared {
            segment: self.segment.to_owned(),
            place: self.place.clone(),
            machines: times.iter().map(&mut machine).collect(),
            end: end(&performance),
            end_if_fixed: end(fixed.unwrap_or(&performance)),
            end_if_equal: end(&equal),
        };
        Ok((shared, performance))
    }

    /// The name of each type, how many there are, and the seconds of one.
    fn times(&self) -> Result<Vec<(String, usize, f64)>, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut times = Vec::new();
        for subject in self.group {
            let machine = subject.segment_and_machine().1;
            let count = self.arguments.count.iter().rev().find(|count| count.machine == machine);
            match subject.estimate(self.place, self.arguments.probability) {
                Ok(estimate) if estimate.seconds > 0.0 => {
                    times.push((
                        machine.to_owned(),
                        count.map_or(1, |count| count.machines),
                        estimate.seconds,
                    ));
                }
                Ok(estimate) => problems
                    .extend(self.refused(&format!("`{machine}` takes {} seconds there", estimate.seconds))),
                // A prediction was asked for at the same place, and has said it.
                Err(_) => {}
            }
        }
        if problems.is_empty() && times.len() == self.group.len() { Ok(times) } else { Err(problems) }
    }

    fn refused(&self, why: &str) -> Vec<Problem> {
        let at: Vec<String> = self.place.0.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let message = format!("`{}` has no shares at {}: {why}", self.segment, at.join(", "));
        vec![Problem::error("no_shares", message).help("take a size at which all models hold")]
    }
}
