//! A model for each type of machine.

use std::ops::RangeInclusive;

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};

use crate::function::Function;
use crate::linear::{LinearModel, TwoSteps, Warning};
use crate::normal_form::Fitted;
use crate::power::Power;

/// The seconds that a program, or a segment of it, takes on `p` machines of one type: a function of the size
/// `n` and of `p`.
///
/// It is made from a [`Function`] or from what was fitted. Fitted models know between which sizes and numbers
/// of processes they were timed, and a prediction outside of them has a warning; of a function one says so by
/// [`measured`](MachineModel::measured).
///
/// # Examples
/// ```
/// use skel_fit::{Function, MachineModel};
/// let model = MachineModel::from(Function::read("0.2 + 1e-6 n^2 p^-1", ["n", "p"])?).measured(500.0..=2000.0, 2.0..=4.0);
/// assert_eq!(model.seconds(1000.0, 4.0), 0.45);
/// let warnings: Vec<String> = model.warnings(4000.0, 4.0).iter().map(ToString::to_string).collect();
/// assert_eq!(warnings, ["extrapolated: n = 4000 lies outside of what was measured, from 500 to 2000"]);
/// # Ok::<(), skel_fit::FunctionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MachineModel {
    function: Function<2>,
    /// The least and the largest size and number of processes that were timed.
    measured: Option<[(f64, f64); 2]>,
}

impl MachineModel {
    /// The model of a type that was timed on one machine alone: `p` machines are taken to divide the work
    /// wholly, so that they need `1/p` of the time.
    #[must_use]
    pub fn of_one_machine(function: &Function) -> Self {
        let variable = function.variables()[0];
        let processes = if variable == "p" { "processes" } else { "p" };
        let terms = function.terms().map(|([power], coefficient)| ([power, Power::new(-1, 1)], coefficient));
        Function::of([variable, processes], terms).into()
    }

    /// The same, where sizes and numbers of processes were timed from the least to the largest of these.
    #[must_use]
    pub fn measured(self, n: RangeInclusive<f64>, p: RangeInclusive<f64>) -> Self {
        MachineModel { measured: Some([n.into_inner(), p.into_inner()]), ..self }
    }

    /// The function of the size and the number of processes.
    #[must_use]
    pub fn function(&self) -> &Function<2> {
        &self.function
    }

    /// The seconds for a size on so many machines of this type. Where the model does not hold they may be
    /// negative.
    #[must_use]
    pub fn seconds(&self, n: f64, p: f64) -> f64 {
        self.function.at_point([n, p])
    }

    /// Why the seconds may be far off: the size or the number of processes lies outside of what was measured.
    #[must_use]
    pub fn warnings(&self, n: f64, p: f64) -> Vec<Warning> {
        let variables = self.function.variables();
        self.measured.map_or(Vec::new(), |measured| Warning::of_ranges(variables, [n, p], measured))
    }

    /// Whether the function has the two variables the other way round, as far as their names say.
    fn is_turned_round(&self) -> bool {
        let [first, second] = self.function.variables();
        first == "p" || second == "n"
    }
}

impl From<Function<2>> for MachineModel {
    /// A function of the size first, and of the number of processes second.
    fn from(function: Function<2>) -> Self {
        MachineModel { function, measured: None }
    }
}

impl From<&LinearModel<2>> for MachineModel {
    fn from(model: &LinearModel<2>) -> Self {
        MachineModel { function: model.function.clone(), measured: Some(model.ranges()) }
    }
}

impl From<&TwoSteps> for MachineModel {
    fn from(model: &TwoSteps) -> Self {
        MachineModel { function: model.function.clone(), measured: Some(model.joint.ranges()) }
    }
}

impl From<&Fitted<2>> for MachineModel {
    fn from(model: &Fitted<2>) -> Self {
        MachineModel { function: model.function.clone(), measured: Some(model.ranges) }
    }
}

/// The models of one program, or one segment of it, on each type of machine: the paper's meta-model, which
/// fixes no numbers of machines.
///
/// See the [module](crate::machines) for what follows from it.
#[derive(Clone, Debug, PartialEq)]
pub struct MetaModel {
    pub(super) types: Vec<(String, MachineModel)>,
}

impl MetaModel {
    /// The names of the types with their models.
    ///
    /// # Errors
    /// If there is no type, if two have one name, and for each model whose variables have the names of the
    /// other order: a function of `p` first, or of `n` second.
    ///
    /// # Examples
    /// ```
    /// use skel_fit::{Function, MetaModel};
    /// let wrong = Function::read("2 n p^-1", ["p", "n"])?;
    /// let problem = MetaModel::new([("bio", wrong)]).unwrap_err();
    /// assert_eq!(problem.to_string(), "the model of `bio` is a function of `p` and `n`; help: give it as a function of the size, `n`, and then of the number of processes, `p`");
    /// # Ok::<(), skel_fit::FunctionError>(())
    /// ```
    pub fn new<N: Into<String>, M: Into<MachineModel>>(
        types: impl IntoIterator<Item = (N, M)>,
    ) -> Result<Self, BuildErrors> {
        let types: Vec<(String, MachineModel)> =
            types.into_iter().map(|(name, model)| (name.into(), model.into())).collect();
        let mut errors = Vec::new();
        if types.is_empty() {
            errors.push(error(
                Code::MissingEntry,
                "there is no type of machine".into(),
                "give at least one with its model",
            ));
        }
        for (index, (name, model)) in types.iter().enumerate() {
            if types[..index].iter().any(|(known, _)| known == name) {
                let message = format!("the type of machine `{name}` has two models");
                errors.push(error(Code::DuplicateDefinition, message, "keep one of the two"));
            }
            if model.is_turned_round() {
                let [first, second] = model.function.variables();
                let message = format!("the model of `{name}` is a function of `{first}` and `{second}`");
                let help = "give it as a function of the size, `n`, and then of the number of processes, `p`";
                errors.push(error(Code::UnknownEntry, message, help));
            }
        }
        if errors.is_empty() { Ok(MetaModel { types }) } else { Err(BuildErrors(errors)) }
    }

    /// The names of the types with their models, in the order in which they were given.
    pub fn types(&self) -> impl ExactSizeIterator<Item = (&str, &MachineModel)> {
        self.types.iter().map(|(name, model)| (name.as_str(), model))
    }

    /// The model of a type.
    #[must_use]
    pub fn of(&self, name: &str) -> Option<&MachineModel> {
        self.types.iter().find(|(known, _)| known == name).map(|(_, model)| model)
    }
}

pub(super) fn error(code: Code, message: String, help: &str) -> BuildError {
    BuildError { code, message, help: help.to_owned() }
}
