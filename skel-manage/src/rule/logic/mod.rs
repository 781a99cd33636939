//! What follows from conditions: that one can never hold, that one holds wherever another does, or that two
//! can hold at once.
//!
//! ```text
//! Test -> normal: alternatives of literals -> linear: cases of constraints -> eliminate: can they hold together?
//! ```
//!
//! An answer is given only where it is sure. Nothing is said beyond the bounds, or where products of measures
//! leave it open.

mod eliminate;
mod linear;
mod normal;

use std::collections::{BTreeMap, BTreeSet};

use skel_core::number::{Number, Ratio};

pub(super) use normal::Literal;

use super::condition::Condition;
use super::measure::{Facts, Measure, Unit};
use eliminate::{Answer, Budget, solve};
use linear::{Case, Constraint, known, single};
use normal::alternatives;

/// How much work may be done for one set of rules. It takes some tenths of a second, and a second or two
/// without optimisation.
const WORK: u32 = 20_000;

/// What reasons about the conditions of a set, with a bound on all of its work.
pub(super) struct Reasoner {
    budget: Budget,
}

/// Values of measures with which two conditions hold.
pub(super) struct Example(BTreeMap<Measure, f64>);

impl Reasoner {
    pub(super) fn new() -> Self {
        Reasoner { budget: Budget(WORK) }
    }

    /// For each alternative of a condition that can never hold, the literals of it that exclude each other.
    /// Empty if it may hold.
    pub(super) fn contradictions(&mut self, condition: &Condition) -> Vec<Vec<Literal>> {
        let Some(all) = self.alternatives(condition) else { return Vec::new() };
        match all.iter().all(|literals| self.can_hold(literals) == Some(false)) {
            true => all.into_iter().map(|literals| self.core(literals)).collect(),
            false => Vec::new(),
        }
    }

    /// Literals that exclude each other, without those that are not needed for it.
    fn core(&mut self, mut literals: Vec<Literal>) -> Vec<Literal> {
        for index in (0..literals.len()).rev() {
            let mut fewer = literals.clone();
            fewer.remove(index);
            if self.can_hold(&fewer) == Some(false) {
                literals = fewer;
            }
        }
        literals
    }

    /// Whether the second condition surely holds wherever the first does. What is not known makes a
    /// comparison neither true nor false, so the second may ask only for what the first has asked for, and
    /// for what is always known.
    pub(super) fn implies(&mut self, first: &Condition, second: &Condition) -> bool {
        let Some(all) = self.alternatives(first) else { return false };
        all.iter().all(|literals| {
            let known: BTreeSet<Measure> = literals.iter().flat_map(Literal::measures).collect();
            let refuted = alternatives(second.test(), false, &|literal| literal.is_certain(&known));
            refuted.is_some_and(|refuted| {
                refuted.into_iter().all(|further| {
                    let both: Vec<Literal> = literals.iter().cloned().chain(further).collect();
                    self.can_hold(&both) == Some(false)
                })
            })
        })
    }

    /// Values with which both conditions hold, if some are found.
    pub(super) fn example(&mut self, one: &Condition, other: &Condition) -> Option<Example> {
        let (first, second) = (self.alternatives(one)?, self.alternatives(other)?);
        for literals in &first {
            for further in &second {
                let both: Vec<Literal> = literals.iter().chain(further).cloned().collect();
                let found = self.values(&both).map(|values| Example::new(&both, &values));
                let holds = |example: &Example| one.holds(example) && other.holds(example);
                if let Some(example) = found.filter(holds) {
                    return Some(example);
                }
            }
        }
        None
    }

    /// The alternatives in which a condition holds; none if that is beyond the bounds.
    fn alternatives(&mut self, condition: &Condition) -> Option<Vec<Vec<Literal>>> {
        let all = self.budget.spend(1).then(|| alternatives(condition.test(), true, &|_| true))??;
        self.budget.spend(all.iter().map(Vec::len).sum()).then_some(all)
    }

    /// Whether literals can hold together; none if the work is beyond the bound.
    fn can_hold(&mut self, literals: &[Literal]) -> Option<bool> {
        if are_opposite(literals) {
            return Some(false);
        }
        match self.first_case(&cases(literals), &mut Vec::new()) {
            Answer::No => Some(false),
            Answer::Yes(_) => Some(true),
            Answer::TooLong => None,
        }
    }

    /// Values of the unknowns with which literals hold.
    fn values(&mut self, literals: &[Literal]) -> Option<BTreeMap<linear::Unknown, Ratio>> {
        match self.first_case(&cases(literals), &mut Vec::new()) {
            Answer::Yes(values) if !are_opposite(literals) => Some(values),
            _ => None,
        }
    }

    /// The answer for the first choice of cases, one of each literal, that can hold together with what was
    /// assumed.
    fn first_case(&mut self, literals: &[Vec<Case>], assumed: &mut Vec<Constraint>) -> Answer {
        let Some((cases, rest)) = literals.split_first() else {
            let all: Vec<Constraint> = assumed.iter().cloned().chain(known(assumed)).collect();
            return solve(&all, &mut self.budget);
        };
        for case in cases {
            let before = assumed.len();
            assumed.extend(case.iter().cloned());
            let answer = self.first_case(rest, assumed);
            assumed.truncate(before);
            if answer != Answer::No {
                return answer;
            }
        }
        Answer::No
    }
}

/// The cases of each literal.
fn cases(literals: &[Literal]) -> Vec<Vec<Case>> {
    literals.iter().map(Literal::cases).collect()
}

/// Whether one of the literals says yes where another says no.
fn are_opposite(literals: &[Literal]) -> bool {
    literals.iter().any(|literal| match literal {
        Literal::Is(measure, answer) => literals.contains(&Literal::Is(*measure, !answer)),
        Literal::Compare(..) => false,
    })
}

impl Example {
    /// The values of the measures that literals ask for. One that is a factor of an unknown alone is 1.
    fn new(literals: &[Literal], values: &BTreeMap<linear::Unknown, Ratio>) -> Self {
        let asked = literals.iter().flat_map(Literal::measures);
        let mut example: BTreeMap<Measure, f64> = asked.map(|measure| (measure, 1.0)).collect();
        for literal in literals {
            if let Literal::Is(measure, answer) = literal {
                example.insert(*measure, if *answer { 1.0 } else { 0.0 });
            }
        }
        let singles = values.iter().filter_map(|(unknown, value)| Some((single(unknown)?, value.to_float())));
        example.extend(singles);
        Example(example)
    }
}

/// `service_time = 2 s, queue = 11 and can_grow`.
impl std::fmt::Display for Example {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |(measure, value): (&Measure, &f64)| match measure.unit() {
            Unit::YesNo if *value == 0.0 => format!("not {}", measure.word()),
            Unit::YesNo => measure.word().to_owned(),
            Unit::SecondsTo(0) => format!("{} = {value}", measure.word()),
            Unit::SecondsTo(_) => format!("{} = {value} s", measure.word()),
        };
        let all: Vec<String> = self.0.iter().map(shown).collect();
        match all.split_last() {
            Some((last, [])) => f.write_str(last),
            Some((last, rest)) => write!(f, "{} and {last}", rest.join(", ")),
            None => f.write_str("always"),
        }
    }
}

impl Facts for Example {
    fn value(&self, measure: Measure) -> f64 {
        self.0.get(&measure).copied().unwrap_or(f64::NAN)
    }
}
