//! The relative performance of machine types, and what each machine gets of so many items.

use skel::fit::{Environment, MachineModel, MetaModel, Warning};
use skel::model::BuildErrors;

use super::place::Place;
use super::predict::distinct;
use crate::arguments::FitArguments;
use crate::errors::Problem;
use crate::fit::model::Model;

/// The shares of the machines at one n, by the models of one segment on each machine type.
pub(in crate::fit) struct Shared {
    pub(in crate::fit) segment: String,
    pub(in crate::fit) n: f64,
    /// How many machines there are together.
    pub(in crate::fit) machines: u32,
    pub(in crate::fit) types: Vec<Type>,
    /// When the last machine ends, in seconds, by these shares.
    pub(in crate::fit) end: f64,
    /// The same by the shares of the first n: relative performance that is fixed for all sizes.
    pub(in crate::fit) end_if_fixed: f64,
    /// The same by equal shares.
    pub(in crate::fit) end_if_equal: f64,
    /// Why this may be far off.
    pub(in crate::fit) cautions: Vec<String>,
}

/// A machine type.
pub(in crate::fit) struct Type {
    pub(in crate::fit) name: String,
    /// How many machines there are of it.
    pub(in crate::fit) count: u32,
    /// What as many machines as there are together would take if all were of this type.
    pub(in crate::fit) seconds: f64,
    /// How many times faster than the slowest it is.
    pub(in crate::fit) performance: f64,
    /// The items of each.
    pub(in crate::fit) items: Vec<u64>,
}

/// The shares at all n, and why some have none.
pub(in crate::fit) fn shares(
    models: &[Model],
    places: &[Place],
    arguments: &FitArguments,
) -> (Vec<Shared>, Vec<Problem>) {
    let Some(items) = arguments.items else { return (Vec::new(), Vec::new()) };
    let groups = groups(models);
    let (mut all, mut problems) = (Vec::new(), Vec::new());
    if groups.is_empty() {
        let message = "`--items` needs models of one segment on two machine types at least";
        let help = "time the segment on each type, and name the types in the column `machine`";
        problems.push(Problem::error("no_shares", message).help(help));
    }
    for (segment, group) in groups {
        let shared = meta_model(&group).and_then(|meta| {
            let environment = meta.environment(counts(&group, arguments))?;
            of_environment(segment, &environment, &sizes(places), items)
        });
        match shared {
            Ok(shared) => all.extend(shared),
            Err(errors) => problems.extend(refused(segment, &errors)),
        }
    }
    (all, distinct(problems))
}

/// The models on machine types by their segment, where there are several types.
fn groups(models: &[Model]) -> Vec<(&str, Vec<&Model>)> {
    let mut groups: Vec<(&str, Vec<&Model>)> = Vec::new();
    for model in models.iter().filter(|model| !model.machine.is_empty()) {
        match groups.iter_mut().find(|(segment, _)| *segment == model.segment) {
            Some((_, group)) => group.push(model),
            None => groups.push((&model.segment, vec![model])),
        }
    }
    groups.retain(|(_, group)| group.len() > 1);
    groups
}

fn meta_model(group: &[&Model]) -> Result<MetaModel, BuildErrors> {
    MetaModel::new(group.iter().map(|model| (model.machine.clone(), of_type(model))))
}

/// The model of a type; what was timed with one process alone is taken to divide wholly.
fn of_type(model: &Model) -> MachineModel {
    let ranges = [0, 1].map(|variable| model.range(variable).unwrap_or((0.0, f64::INFINITY)));
    match ranges[1] {
        (1.0, 1.0) => MachineModel::of_one_machine(&model.function().with(1, 1.0))
            .measured(ranges[0].0..=ranges[0].1, 1.0..=f64::INFINITY),
        (least, most) => {
            MachineModel::from(model.function().clone()).measured(ranges[0].0..=ranges[0].1, least..=most)
        }
    }
}

/// How many machines there are of each type: one where nothing is said. A type without a model is refused by
/// the environment.
fn counts(group: &[&Model], arguments: &FitArguments) -> Vec<(String, u32)> {
    let given = |name: &str| arguments.count.iter().any(|count| count.machine == name);
    let others = group.iter().filter(|model| !given(&model.machine)).map(|model| (model.machine.clone(), 1));
    arguments.count.iter().map(|count| (count.machine.clone(), count.machines)).chain(others).collect()
}

/// The different n.
fn sizes(places: &[Place]) -> Vec<f64> {
    let mut sizes: Vec<f64> = Vec::new();
    for n in places.iter().filter_map(|place| place.value("n")) {
        if !sizes.contains(&n) {
            sizes.push(n);
        }
    }
    sizes
}

fn of_environment(
    segment: &str,
    environment: &Environment<'_>,
    sizes: &[f64],
    items: u64,
) -> Result<Vec<Shared>, BuildErrors> {
    let mut fixed: Option<Vec<u64>> = None;
    let of_size = |&n: &f64| {
        let (time, work) = (environment.predict(n)?, environment.share(n, items)?);
        let fixed = fixed.get_or_insert_with(|| work.shares.clone());
        let equal = skel::distribute::RelativePerformance::equal(work.shares.len())?.shares(items);
        let mut first = 0;
        let types = time.types.iter().map(|one| {
            let own = first..first + one.count as usize;
            first = own.end;
            Type {
                name: one.name.clone(),
                count: one.count,
                seconds: one.seconds,
                performance: one.relative_performance,
                items: work.shares[own].to_vec(),
            }
        });
        Ok(Shared {
            segment: segment.to_owned(),
            n,
            machines: environment.machines(),
            types: types.collect(),
            end: work.seconds,
            end_if_fixed: environment.seconds_of(n, fixed)?,
            end_if_equal: environment.seconds_of(n, &equal)?,
            cautions: time
                .warnings
                .iter()
                .filter(|one| !is_of_size(&one.warning))
                .map(ToString::to_string)
                .collect(),
        })
    };
    sizes.iter().map(of_size).collect()
}

/// Whether a warning is of n: the predictions at the same n have said it.
fn is_of_size(warning: &Warning) -> bool {
    matches!(warning, Warning::Extrapolated { variable, .. } if variable == "n")
}

fn refused(segment: &str, errors: &BuildErrors) -> Vec<Problem> {
    let problem = |error: &skel::model::BuildError| {
        let message = format!("`{segment}` has no shares: {}", error.message);
        Problem::error("no_shares", message).help(error.help.clone())
    };
    errors.0.iter().map(problem).collect()
}
