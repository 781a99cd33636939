//! Rates: from written expressions to expressions over the model's parameters, and their exact values.

use std::collections::HashMap;

use crate::check::findings::Findings;
use crate::check::names::{DefinedName, Names, RateBody};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::graph::{Adjacency, strongly_connected};
use crate::model::{ActivityRateEntry, Parameter, ParameterDefinition, ParameterId, RateId};
use crate::number::{Ratio, ratio};
use crate::rate::{ActivityRate, ProductOperator, RateExpression, RateProblem, SumOperator, positive};
use crate::size::{self, SizeProblem};
use crate::syntax::ast::{At, Expression, Name};
use crate::syntax::token::RustGroup;

/// The rates of a model while it is checked.
pub(in crate::check) struct Rates<S> {
    pub(in crate::check) parameters: Vec<Parameter>,
    pub(in crate::check) order: Vec<ParameterId>,
    pub(in crate::check) entries: Vec<ActivityRateEntry>,
    /// The groups of Rust code that give values, in the order of their parameters.
    pub(in crate::check) supplied: Vec<RustGroup>,
    values: Vec<Result<Ratio, RateProblem>>,
    /// Which parameters depend on a value that Rust gives later, in whose place there is a one.
    is_open: Vec<bool>,
    /// Which parameters something uses.
    pub(in crate::check) used: Vec<bool>,
    index: HashMap<ActivityRate<RateExpression>, RateId>,
    /// Per entry what was written, where first, and what is wrong with the value.
    written: Vec<(String, At<S>, Option<RateProblem>)>,
}

/// A written rate, without the names it could not find.
type Lowered = Option<ActivityRate<RateExpression>>;

impl<S: Span> Rates<S> {
    /// Lowers and evaluates the rate definitions.
    pub(in crate::check) fn from_definitions(names: &Names<'_, S>, findings: &mut Findings<'_, S>) -> Self {
        let mut rates = Rates {
            parameters: Vec::new(),
            order: Vec::new(),
            entries: Vec::new(),
            supplied: Vec::new(),
            values: Vec::new(),
            is_open: vec![false; names.rates.len()],
            used: vec![false; names.rates.len()],
            index: HashMap::new(),
            written: Vec::new(),
        };
        for definition in &names.rates {
            let lowered = match definition.body {
                RateBody::Expression(Expression::Rust(group, _)) => {
                    ParameterDefinition::Supplied(rates.supply(*group))
                }
                RateBody::Expression(expression) => {
                    let subject = definition.name.text;
                    let lowered = rates.active(expression, names, findings, |span| {
                        passive_definition(subject, names.is_size(subject), span)
                    });
                    ParameterDefinition::Expression(lowered.unwrap_or(RateExpression::Number(ratio(1, 1))))
                }
                RateBody::Names(process) => {
                    let mut terms = Vec::new();
                    process.for_each_name(&mut |name| {
                        let id = match names.is_size(definition.name.text) {
                            true => names.size(name, findings),
                            false => names.rate(name, findings),
                        };
                        if let Some(id) = id {
                            terms.push((SumOperator::Plus, RateExpression::Parameter(ParameterId::at(id))));
                        }
                    });
                    let sum = match terms.len() {
                        0 => RateExpression::Number(ratio(1, 1)),
                        1 => terms.remove(0).1,
                        _ => RateExpression::Sum(Box::new(terms.remove(0).1), terms),
                    };
                    ParameterDefinition::Expression(sum)
                }
            };
            rates.parameters.push(Parameter {
                name: definition.name.text.to_owned(),
                definition: lowered,
                value: ratio(1, 1),
                is_size: names.is_size(definition.name.text),
            });
        }
        rates.evaluate(names, findings);
        rates
    }

    fn supply(&mut self, group: RustGroup) -> u32 {
        self.supplied.push(group);
        self.supplied.len() as u32 - 1
    }

    /// Evaluates the parameters, each after those it uses; circles are reported.
    fn evaluate(&mut self, names: &Names<'_, S>, findings: &mut Findings<'_, S>) {
        let mut graph = Adjacency::new();
        for parameter in &self.parameters {
            let mut used = Vec::new();
            if let ParameterDefinition::Expression(expression) = &parameter.definition {
                expression.for_each_parameter(&mut |id| used.push(id.0));
            }
            for &id in &used {
                self.used[id as usize] = true;
            }
            graph.push(used);
        }
        let cycles = strongly_connected(&graph);
        self.values = vec![Err(RateProblem::Inherited); self.parameters.len()];
        for component in &cycles.components {
            let first = component[0] as usize;
            if cycles.is_on_cycle(first, &graph) {
                let circle: Vec<&str> =
                    component.iter().map(|&id| names.rates[id as usize].name.text).collect();
                let name = names.rates[first].name;
                let noun = if names.is_size(circle[0]) { "size" } else { "rate" };
                let message = match circle.as_slice() {
                    [alone] => format!("the {noun} `{alone}` is defined by itself"),
                    _ => format!("the {noun}s `{}` are defined by one another", circle.join("`, `")),
                };
                let mut diagnostic =
                    Diagnostic::new(Code::CircularRate, name.at.0, message).help("give one of them a number");
                for &other in &component[1..] {
                    diagnostic = diagnostic.related(names.rates[other as usize].name.at.0, "and here");
                }
                findings.push(diagnostic);
                continue;
            }
            self.order.push(ParameterId(component[0]));
            let definition = &self.parameters[first].definition;
            self.is_open[first] = match definition {
                ParameterDefinition::Supplied(_) => true,
                ParameterDefinition::Expression(expression) => self.is_open(expression),
            };
            let value = match definition {
                ParameterDefinition::Supplied(_) => Ok(ratio(1, 1)),
                ParameterDefinition::Expression(expression) => self.value(expression).and_then(positive),
            };
            let name = names.rates[first].name;
            let value = match value {
                Err(RateProblem::NotPositive(_) | RateProblem::DivisionByZero) if self.is_open[first] => {
                    Ok(ratio(1, 1))
                }
                value => value,
            };
            let is_whole = names.is_size(name.text) && definition.is_independent();
            let value = match value {
                Ok(value) if is_whole => size::whole(value),
                value => value.map_err(SizeProblem::from),
            };
            match value {
                Ok(value) => {
                    self.parameters[first].value = value.clone();
                    self.values[first] = Ok(value);
                }
                Err(problem) => report_definition(&problem, name, names, findings),
            }
        }
    }

    /// The value of an expression.
    pub(in crate::check) fn value(&self, expression: &RateExpression) -> Result<Ratio, RateProblem> {
        expression.evaluate(&|id| self.values[id.index()].clone())
    }

    /// Whether the value of an expression is known only when the program runs.
    pub(in crate::check) fn is_open(&self, expression: &RateExpression) -> bool {
        let mut is_open = false;
        expression.for_each_parameter(&mut |id| is_open |= self.is_open[id.index()]);
        is_open
    }

    /// A number of copies, without the names that could not be found; it has been reported what is wrong with
    /// it.
    pub(in crate::check) fn count(
        &mut self,
        written: &Expression<S>,
        names: &Names<'_, S>,
        findings: &mut Findings<'_, S>,
    ) -> Option<RateExpression> {
        let mut is_known = true;
        written.for_each_name(&mut |name| {
            is_known &= is_passive(name, names) || names.size(name, findings).is_some();
        });
        if !is_known {
            return None;
        }
        self.active(written, names, findings, |span| {
            Diagnostic::new(Code::PassiveArithmetic, span, "`infty` is no number of copies")
                .help("write a number, or the name of one: `n = 10;`")
        })
    }

    /// The rate of an activity, each distinct one once. A rate with an error is reported, and replaced by an
    /// active rate of one.
    pub(in crate::check) fn activity(
        &mut self,
        written: &Expression<S>,
        names: &Names<'_, S>,
        findings: &mut Findings<'_, S>,
    ) -> RateId {
        let lowered = self.lower(written, names, findings);
        let broken = lowered.is_none();
        let expression = lowered.unwrap_or(ActivityRate::Active(RateExpression::Number(ratio(1, 1))));
        if let Some(&id) = self.index.get(&expression) {
            return id;
        }
        let value = self.value(expression.magnitude());
        let value = if broken { Err(RateProblem::Inherited) } else { value.and_then(positive) };
        let problem = value.as_ref().err().cloned();
        let value = expression.map(|_| value.unwrap_or(ratio(1, 1)));
        let id = RateId::at(self.entries.len());
        self.written.push((written.to_string(), At(written.span()), problem));
        if !broken {
            self.index.insert(expression.clone(), id);
        }
        self.entries.push(ActivityRateEntry { expression, value });
        id
    }

    /// Makes this the place where a rate is written first.
    pub(in crate::check) fn set_first_place(&mut self, id: RateId, written: &Expression<S>) {
        let (text, at, _) = &mut self.written[id.index()];
        (*text, *at) = (written.to_string(), At(written.span()));
    }

    /// Whether nothing but its value can be wrong with the rate of an activity.
    pub(in crate::check) fn is_sound(&mut self, written: &Expression<S>, names: &Names<'_, S>) -> bool {
        let mut unheard = Findings::new(&[], true);
        self.lower(written, names, &mut unheard).is_some()
    }

    /// Reports the activities' rates that have no good value: last, so that definitions come first.
    pub(in crate::check) fn finish(&mut self, findings: &mut Findings<'_, S>) {
        for ((written, at, problem), entry) in self.written.iter().zip(&self.entries) {
            if let Some(problem) = problem {
                report(problem, &format!("`{written}`"), entry.expression.is_passive(), at.0, findings);
            }
        }
    }

    /// A rate as it was written.
    pub(in crate::check) fn written(&self, id: RateId) -> &str {
        &self.written[id.index()].0
    }

    /// The factor of a result line: any number, but not passive.
    pub(in crate::check) fn factor(
        &mut self,
        written: &Expression<S>,
        names: &Names<'_, S>,
        findings: &mut Findings<'_, S>,
    ) -> Option<RateExpression> {
        let lowered = self.active(written, names, findings, |span| {
            Diagnostic::new(Code::PassiveArithmetic, span, "the factor of a result is passive")
                .help("multiply by the rate at which the active partner works")
        })?;
        let value = self.value(&lowered);
        if let Err(problem) = value {
            report(&problem, &format!("`{written}`"), false, written.span(), findings);
        }
        Some(lowered)
    }

    fn active(
        &mut self,
        written: &Expression<S>,
        names: &Names<'_, S>,
        findings: &mut Findings<'_, S>,
        passive: impl FnOnce(S) -> Diagnostic<S>,
    ) -> Option<RateExpression> {
        match self.lower(written, names, findings)? {
            ActivityRate::Active(expression) => Some(expression),
            ActivityRate::Passive(_) => {
                findings.push(passive(written.span()));
                None
            }
        }
    }

    fn lower(
        &mut self,
        written: &Expression<S>,
        names: &Names<'_, S>,
        findings: &mut Findings<'_, S>,
    ) -> Lowered {
        match written {
            Expression::Number(value, _) => Some(ActivityRate::Active(RateExpression::Number(value.clone()))),
            Expression::Name(name) => {
                if is_passive(name, names) {
                    return Some(ActivityRate::Passive(RateExpression::Number(ratio(1, 1))));
                }
                let id = names.rate(name, findings)?;
                self.used[id] = true;
                Some(ActivityRate::Active(RateExpression::Parameter(ParameterId::at(id))))
            }
            Expression::Rust(group, _) => {
                let index = self.supply(*group);
                self.parameters.push(Parameter {
                    name: format!("{{expression {}}}", index + 1),
                    definition: ParameterDefinition::Supplied(index),
                    value: ratio(1, 1),
                    is_size: false,
                });
                self.used.push(true);
                self.is_open.push(true);
                self.values.push(Ok(ratio(1, 1)));
                let id = ParameterId::at(self.parameters.len() - 1);
                self.order.push(id);
                Some(ActivityRate::Active(RateExpression::Parameter(id)))
            }
            Expression::Negative(inner, _) => match self.lower(inner, names, findings)? {
                ActivityRate::Active(inner) => {
                    Some(ActivityRate::Active(RateExpression::Negative(Box::new(inner))))
                }
                ActivityRate::Passive(_) => misplaced(written, findings),
            },
            Expression::Sum(first, rest) => {
                let mut passive = false;
                let mut lower = |expression: &Expression<S>| {
                    self.lower(expression, names, findings).map(|lowered| {
                        passive |= lowered.is_passive();
                        lowered.magnitude().clone()
                    })
                };
                let first = lower(first);
                let rest: Vec<_> = rest.iter().map(|(operator, term)| (*operator, lower(term))).collect();
                if passive {
                    return misplaced(written, findings);
                }
                let rest: Option<Vec<_>> =
                    rest.into_iter().map(|(operator, term)| Some((operator, term?))).collect();
                Some(ActivityRate::Active(RateExpression::Sum(Box::new(first?), rest?)))
            }
            Expression::Product(first, rest) => self.product(written, first, rest, names, findings),
        }
    }

    /// A product with at most one passive factor; that factor's own weight of one is left out.
    fn product(
        &mut self,
        written: &Expression<S>,
        first: &Expression<S>,
        rest: &[(ProductOperator, Expression<S>)],
        names: &Names<'_, S>,
        findings: &mut Findings<'_, S>,
    ) -> Lowered {
        let mut factors = vec![(ProductOperator::Times, self.lower(first, names, findings))];
        for (operator, factor) in rest {
            factors.push((*operator, self.lower(factor, names, findings)));
        }
        let mut passive = 0;
        let mut kept: Vec<(ProductOperator, RateExpression)> = Vec::new();
        for (operator, factor) in factors {
            match factor? {
                ActivityRate::Passive(_) if operator == ProductOperator::Over => {
                    return misplaced(written, findings);
                }
                ActivityRate::Passive(weight) => {
                    passive += 1;
                    if weight != RateExpression::Number(ratio(1, 1)) {
                        kept.push((operator, weight));
                    }
                }
                ActivityRate::Active(factor) => kept.push((operator, factor)),
            }
        }
        if passive > 1 {
            return misplaced(written, findings);
        }
        if kept.first().is_none_or(|(operator, _)| *operator == ProductOperator::Over) {
            kept.insert(0, (ProductOperator::Times, RateExpression::Number(ratio(1, 1))));
        }
        let (_, first) = kept.remove(0);
        let product = if kept.is_empty() { first } else { RateExpression::Product(Box::new(first), kept) };
        Some(if passive == 1 { ActivityRate::Passive(product) } else { ActivityRate::Active(product) })
    }
}

/// Whether a name stands for the passive rate.
fn is_passive<S: Span>(name: &Name<S>, names: &Names<'_, S>) -> bool {
    !name.is_quoted && (name.text == "infty" || (name.text == "T" && names.get("T").is_none()))
}

/// A definition that is passive.
fn passive_definition<S: Span>(name: &str, is_size: bool, span: S) -> Diagnostic<S> {
    let (message, help) = match is_size {
        true => (format!("the size `{name}` is passive"), "a size is a whole number, such as 10"),
        false => (
            format!("the named rate `{name}` is passive"),
            "a named rate is a number; write `infty` in the activity: `(a, infty).P`",
        ),
    };
    Diagnostic::new(Code::PassiveArithmetic, span, message).help(help)
}

/// Reports a definition without a good value, in words for a size or for a rate.
fn report_definition<S: Span>(
    problem: &SizeProblem,
    name: DefinedName<'_, S>,
    names: &Names<'_, S>,
    findings: &mut Findings<'_, S>,
) {
    let subject = format!("`{}`", name.text);
    let Some(&used) = names.sizes.get(name.text) else {
        if let SizeProblem::NotPositive(problem) = problem {
            report(problem, &subject, false, name.at.0, findings);
        }
        return;
    };
    if let Some((code, message, help)) = problem.explain(&subject) {
        findings
            .push(Diagnostic::new(code, name.at.0, message).related(used, "used as a size here").help(help));
    }
}

fn misplaced<S: Span>(written: &Expression<S>, findings: &mut Findings<'_, S>) -> Lowered {
    findings.push(
        Diagnostic::new(
            Code::PassiveArithmetic,
            written.span(),
            format!("`{written}` is neither a rate nor a passive weight"),
        )
        .help("a passive rate is `infty`, or a positive constant times `infty`: `3 * infty`"),
    );
    None
}

fn report<S: Span>(
    problem: &RateProblem,
    subject: &str,
    is_weight: bool,
    span: S,
    findings: &mut Findings<'_, S>,
) {
    if let Some((code, message, help)) = problem.explain(subject, is_weight) {
        findings.push(Diagnostic::new(code, span, message).help(help));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::models;

    #[test]
    fn findings() {
        models(&[
            ("r = 0; P = (a, r).P; P", &["rate_not_positive `r`: the rate `r` is 0"]),
            ("P = (a, -1).P; P", &["rate_not_positive `-`: the rate is -1, which is negative"]),
            ("P = (a, 1 - 1).P; P", &["rate_not_positive `1 - 1`: the rate `1 - 1` is 0"]),
            ("r = 1 / 0; P = (a, r).P; P", &["division_by_zero `r`: the rate `r` divides by zero"]),
            ("r = 2 * r; P = (a, r).P; P", &["circular_rate `r`: the rate `r` is defined by itself"]),
            (
                "r = s; s = 2 * r; P = (a, s).P; P",
                &["circular_rate `r`: the rates `r`, `s` are defined by one another"],
            ),
            ("r = infty; P = (a, r).P; P", &["passive_arithmetic `infty`: the named rate `r` is passive"]),
            (
                "P = (a, 1 + infty).P; P",
                &["passive_arithmetic `1 + infty`: `1 + infty` is neither a rate nor a passive weight"],
            ),
            (
                "P = (a, infty * infty).P; P",
                &[
                    "passive_arithmetic `infty * infty`: `infty * infty` is neither a rate nor a passive weight",
                ],
            ),
            (
                "P = (a, 1 / infty).P; P",
                &["passive_arithmetic `1 / infty`: `1 / infty` is neither a rate nor a passive weight"],
            ),
            (
                "P = (a, 0 * infty).P; Q = (a, 1).Q; P <a> Q",
                &["weight_not_positive `0 * infty`: the weight `0 * infty` is 0"],
            ),
            (
                "r = 1e308; P = (a, r * r).P; P",
                &["rate_out_of_range `r * r`: the rate `r * r` is beyond the range of a 64-bit float"],
            ),
            (
                "P = (a, 1).P; P; x = infty * {P};",
                &["passive_arithmetic `infty`: the factor of a result is passive"],
            ),
            (
                "P = (a, 1).P; P; x = 1 / 0 * {P};",
                &["division_by_zero `1 / 0`: the rate `1 / 0` divides by zero"],
            ),
            (
                "r = -2; s = r + 3; P = (a, s).P; P",
                &["rate_not_positive `r`: the rate `r` is -2, which is negative"],
            ),
        ]);
    }
}
