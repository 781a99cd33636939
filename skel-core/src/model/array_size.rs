//! The number of copies of an array as a size that can be given other values, also where the model writes it
//! as a number.

use crate::diagnostic::{Code, did_you_mean};
use crate::model::{BuildError, BuildErrors, Model, Parameter, ParameterDefinition, ParameterId, SystemStep};
use crate::number::Ratio;
use crate::rate::RateExpression;

impl Model {
    /// The model and the size that is the number of copies in the one array of a component. Where that is
    /// written as a number, the size has the name of the component with `[]` behind it.
    ///
    /// # Errors
    /// The component is in no array or in several, the number is made of several sizes, or a result line
    /// names one of the copies.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// let model = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P[3]")?;
    /// let (model, copies) = model.with_named_copies("P").unwrap();
    /// assert_eq!(model.parameters()[copies.index()].name, "P[]");
    /// assert_eq!(model.with_rates(&[(copies, 5.into())]).unwrap().positions(), 5);
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn with_named_copies(&self, component: &str) -> Result<(Model, ParameterId), BuildErrors> {
        let arrays = self.arrays_of_components();
        let of_component: Vec<usize> =
            arrays.iter().filter(|(name, _)| *name == component).map(|&(_, step)| step).collect();
        let step = match of_component[..] {
            [step] => step,
            [] => return Err(no_array(component, &arrays)),
            _ => {
                let message = format!("`{component}` is in several arrays");
                return Err(refused(
                    message,
                    "give their numbers of copies different names, as in `n = 3;`".into(),
                ));
            }
        };
        let SystemStep::Array { count, .. } = &self.system[step] else {
            unreachable!("only arrays were collected")
        };
        match count {
            RateExpression::Parameter(id) => Ok((self.clone(), *id)),
            RateExpression::Number(copies) if !self.names_a_copy(step) => {
                Ok(self.with_named_size(step, &format!("{component}[]"), copies))
            }
            RateExpression::Number(_) => {
                let message = format!("a result line names one of the copies of `{component}`");
                Err(refused(
                    message,
                    "write `**` in its place: with another number it may not be there".into(),
                ))
            }
            _ => {
                let message = format!("the number of copies of `{component}` is made of other numbers");
                Err(refused(message, "change the sizes that it is made of".into()))
            }
        }
    }

    /// The arrays whose copies are single components: the component's name, and the step.
    #[cfg_attr(debug_assertions, inline)]
    fn arrays_of_components(&self) -> Vec<(&str, usize)> {
        let pairs = self.system.windows(2).enumerate();
        let array = |(before, steps): (usize, &[SystemStep])| match steps {
            [SystemStep::Component(of), SystemStep::Array { .. }] => {
                Some((self.component_name(*of), before + 1))
            }
            _ => None,
        };
        pairs.filter_map(array).collect()
    }

    /// Whether a result line asks for a local state of a copy of an array.
    #[cfg_attr(debug_assertions, inline)]
    fn names_a_copy(&self, step: usize) -> bool {
        let mut named = self.clone();
        named.name_copies(step, ParameterId(0));
        let is_fixed = named.fixed_positions();
        let was_fixed = self.fixed_positions();
        let freed = was_fixed.iter().filter(|at| is_fixed.binary_search(at).is_err());
        let mut freed = freed.copied();
        freed.any(|at| self.results.iter().any(|line| line.pattern[at].is_some()))
    }

    #[cfg_attr(debug_assertions, inline)]
    fn name_copies(&mut self, step: usize, size: ParameterId) {
        if let SystemStep::Array { count, .. } = &mut self.system[step] {
            *count = RateExpression::Parameter(size);
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn with_named_size(&self, step: usize, name: &str, copies: &Ratio) -> (Model, ParameterId) {
        let mut model = self.clone();
        let id = ParameterId::at(model.parameters.len());
        model.name_copies(step, id);
        model.evaluation_order.push(id);
        model.parameters.push(Parameter {
            name: name.to_owned(),
            definition: ParameterDefinition::Expression(RateExpression::Number(copies.clone())),
            value: copies.clone(),
            is_size: true,
        });
        (model, id)
    }
}

#[cfg_attr(debug_assertions, inline)]
fn no_array(component: &str, arrays: &[(&str, usize)]) -> BuildErrors {
    let names = arrays.iter().map(|&(name, _)| name);
    let help = match did_you_mean(component, names) {
        Some(near) => format!("did you mean `{near}[]`?"),
        None => format!("write an array in the system equation, as in `{component}[3]`"),
    };
    refused(format!("the model has no array of `{component}`"), help)
}

#[cfg_attr(debug_assertions, inline)]
fn refused(message: String, help: String) -> BuildErrors {
    BuildErrors(vec![BuildError { code: Code::UndefinedSize, message, help }])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str, component: &str) -> Result<usize, String> {
        let (model, id) =
            Model::from_text(text).unwrap().with_named_copies(component).map_err(|e| e.to_string())?;
        Ok(model.with_rates(&[(id, 4.into())]).unwrap().positions())
    }

    #[test]
    fn copies_get_a_name_unless_they_are_told_apart() {
        const P: &str = "P = (go, 1).Q; Q = (back, 2).P; ";
        let with = |rest: &str| format!("{P}{rest}");
        assert_eq!(named(&with("P[3]"), "P"), Ok(4));
        assert_eq!(named(&format!("n = 2; {P} P[n] || Q"), "P"), Ok(5));
        assert_eq!(named(&with("P[2] || Q; a = {** || Q};"), "P"), Ok(5));
        let refused = |text: &str, component: &str| named(text, component).unwrap_err();
        assert!(refused(&with("P[2] || Q; a = {(P || **) || Q};"), "P").contains("names one of the copies"));
        assert!(refused(&with("P[2] || P[3]"), "P").contains("several arrays"));
        assert!(refused(&with("P || Q"), "P").contains("no array of `P`"));
        assert!(refused(&format!("n = 2; {P} P[2 * n]"), "P").contains("made of other numbers"));
    }

    #[test]
    fn result_lines_follow_another_number_of_copies() {
        let text = "P = (go, 1).Q; Q = (back, 2).P; P[2] || Q || P; a = {** || Q || P};";
        let (model, id) = Model::from_text(text).unwrap().with_named_copies("P").unwrap();
        let more = model.with_rates(&[(id, 3.into())]).unwrap();
        let asked: Vec<usize> = (0..5).filter(|&at| more.results[0].pattern[at].is_some()).collect();
        assert_eq!(asked, [3, 4]);
    }
}
