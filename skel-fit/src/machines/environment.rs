//! So many machines of each type, and how long they take together.

use std::fmt;

use skel_core::diagnostic::{Code, did_you_mean};
use skel_core::model::BuildErrors;

use super::model::{MachineModel, MetaModel, error};
use crate::linear::Warning;

/// So many machines of each type of a [`MetaModel`].
#[derive(Clone, Debug, PartialEq)]
pub struct Environment<'m> {
    types: Vec<Type<'m>>,
    machines: u32,
}

#[derive(Clone, Debug, PartialEq)]
struct Type<'m> {
    name: &'m str,
    model: &'m MachineModel,
    count: u32,
}

/// How long a program takes in an environment.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EnvironmentTime {
    /// Seconds if each machine gets a share by its relative performance, in parts as small as one likes.
    pub balanced: f64,
    /// Seconds if all machines get equal shares: the slowest type decides.
    pub equal: f64,
    /// What each type contributes, in the order of the environment.
    pub types: Vec<TypeTime>,
    /// Why the seconds may be far off.
    pub warnings: Vec<TypeWarning>,
}

/// One type of machine in an environment.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TypeTime {
    /// The name of the type.
    pub name: String,
    /// How many machines of it there are.
    pub count: u32,
    /// Seconds that as many machines as the environment has would take if all were of this type.
    pub seconds: f64,
    /// How many times as fast as the slowest type it is.
    pub relative_performance: f64,
    /// The part of the work that each machine of the type gets by its relative performance.
    pub share: f64,
}

/// Why the model of a type may be far off.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeWarning {
    /// The name of the type.
    pub name: String,
    /// What is uncertain.
    pub warning: Warning,
}

impl fmt::Display for TypeWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.name, self.warning)
    }
}

impl MetaModel {
    /// An environment of so many machines of each of some types. A type with no machine drops out.
    ///
    /// # Errors
    /// If there is no machine, or more than 2^32 - 1, and for each type that the meta-model does not have or
    /// that is named twice.
    ///
    /// # Examples
    /// ```
    /// use skel_fit::{Function, MachineModel, MetaModel};
    /// let line: Function = "n".parse()?;
    /// let rows = MetaModel::new([("intel", MachineModel::of_one_machine(&line))])?;
    /// let problem = rows.environment([("intl", 4)]).unwrap_err();
    /// assert_eq!(problem.to_string(), "there is no model of machines of type `intl`; help: did you mean `intel`?");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn environment<N: AsRef<str>>(
        &self,
        counts: impl IntoIterator<Item = (N, u32)>,
    ) -> Result<Environment<'_>, BuildErrors> {
        let mut types: Vec<Type<'_>> = Vec::new();
        let mut errors = Vec::new();
        for (name, count) in counts {
            let name = name.as_ref();
            let Some((name, model)) = self.types().find(|(known, _)| *known == name) else {
                let help = match did_you_mean(name, self.types().map(|(known, _)| known)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => {
                        let names: Vec<&str> = self.types().map(|(known, _)| known).collect();
                        format!("there are models of `{}`", names.join("`, `"))
                    }
                };
                let message = format!("there is no model of machines of type `{name}`");
                errors.push(error(Code::UnknownMachine, message, &help));
                continue;
            };
            if types.iter().any(|known| known.name == name) {
                let message = format!("machines of type `{name}` are counted twice");
                errors.push(error(Code::DuplicateDefinition, message, "give their number once"));
            }
            types.push(Type { name, model, count });
        }
        types.retain(|one| one.count > 0);
        let machines = types.iter().try_fold(0_u32, |sum, one| sum.checked_add(one.count));
        match machines {
            Some(0) if errors.is_empty() => {
                let message = "there is no machine".into();
                errors.push(error(Code::MissingEntry, message, "give at least one machine"));
            }
            None => {
                let message = format!("there are more than {} machines", u32::MAX);
                errors.push(error(Code::UnknownEntry, message, "take fewer of them"));
            }
            _ => {}
        }
        match machines.filter(|_| errors.is_empty()) {
            Some(machines) => Ok(Environment { types, machines }),
            None => Err(BuildErrors(errors)),
        }
    }
}

impl Environment<'_> {
    /// How many machines there are together: the `p` of the models.
    #[must_use]
    pub fn machines(&self) -> u32 {
        self.machines
    }

    /// How long the program takes for a problem of size `n`.
    ///
    /// # Errors
    /// For each type whose model gives a time that is zero, negative or not finite.
    ///
    /// # Examples
    /// The models of the paper's section 6 are of whole environments. As if they were of types, the first has
    /// no time at 250:
    /// ```
    /// use skel_fit::{Function, MachineModel, MetaModel};
    /// let model: Function = "-2.14494 + 7.445e-3 n - 5.2e-6 n^2 + 3.008e-9 n^3".parse()?;
    /// let meta = MetaModel::new([("bio", MachineModel::of_one_machine(&model))])?;
    /// let problem = meta.environment([("bio", 1)])?.predict(250.0).unwrap_err();
    /// assert!(problem.to_string().starts_with("the model of `bio` gives -0.56"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn predict(&self, n: f64) -> Result<EnvironmentTime, BuildErrors> {
        let seconds = self.seconds_of_types(n)?;
        let slowest = seconds.iter().copied().fold(0.0, f64::max);
        // Speeds as parts of the fastest, so that none is too large for a float.
        let fastest = seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let of_all = self.types.iter().zip(&seconds).map(|(one, own)| f64::from(one.count) * (fastest / own));
        let of_all: f64 = of_all.sum();
        let of_type = |(one, &seconds): (&Type<'_>, &f64)| TypeTime {
            name: one.name.to_owned(),
            count: one.count,
            seconds,
            relative_performance: slowest / seconds,
            share: fastest / seconds / of_all,
        };
        Ok(EnvironmentTime {
            balanced: fastest * (self.p() / of_all),
            equal: slowest,
            types: self.types.iter().zip(&seconds).map(of_type).collect(),
            warnings: self.warnings(n),
        })
    }

    fn p(&self) -> f64 {
        f64::from(self.machines)
    }

    /// The number of machines and the seconds of each type.
    #[cfg(feature = "distribute")]
    pub(super) fn counted_seconds(&self, n: f64) -> Result<Vec<(u32, f64)>, BuildErrors> {
        let seconds = self.seconds_of_types(n)?;
        Ok(self.types.iter().map(|one| one.count).zip(seconds).collect())
    }

    fn seconds_of_types(&self, n: f64) -> Result<Vec<f64>, BuildErrors> {
        let of = |one: &Type<'_>| {
            let seconds = one.model.seconds(n, self.p());
            if seconds > 0.0 && seconds.is_finite() {
                return Ok(seconds);
            }
            let message =
                format!("the model of `{}` gives {seconds} s at n = {n} and p = {}", one.name, self.machines);
            let help =
                "a time is above 0 and finite: take values within the range that the model was made for";
            Err(error(Code::QuantityNotPositive, message, help))
        };
        let (seconds, errors): (Vec<_>, Vec<_>) = self.types.iter().map(of).partition(Result::is_ok);
        match errors.is_empty() {
            true => Ok(seconds.into_iter().flatten().collect()),
            false => Err(BuildErrors(errors.into_iter().filter_map(Result::err).collect())),
        }
    }

    fn warnings(&self, n: f64) -> Vec<TypeWarning> {
        let of = |one: &Type<'_>| {
            let name = one.name.to_owned();
            let warnings = one.model.warnings(n, self.p()).into_iter();
            warnings.map(move |warning| TypeWarning { name: name.clone(), warning }).collect::<Vec<_>>()
        };
        self.types.iter().flat_map(of).collect()
    }
}
