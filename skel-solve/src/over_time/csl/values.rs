//! Sets of states that are known in part, and numbers that are known up to an error.

use skel_core::csl::tree::Relation;
use skel_core::number::{Number, Ratio};

/// For which states something is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// For each of them.
    Every,
    /// For this one alone: what there is then has one entry.
    Only(usize),
}

impl Wanted {
    /// How many entries there are, of so many states.
    pub(super) fn count(self, states: usize) -> usize {
        match self {
            Wanted::Every => states,
            Wanted::Only(_) => 1,
        }
    }

    /// What is wanted of the entries for all states.
    fn of<T>(self, mut entries: Vec<T>) -> Vec<T> {
        match self {
            Wanted::Every => entries,
            Wanted::Only(state) => vec![entries.swap_remove(state)],
        }
    }
}

/// A set of states of which some are members for certain and some perhaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sets {
    /// Per state whether it is a member for certain.
    pub(super) sure: Vec<bool>,
    /// Per state whether it may be a member.
    pub(super) possible: Vec<bool>,
}

impl Sets {
    pub(super) fn definite(states: Vec<bool>) -> Sets {
        Sets { possible: states.clone(), sure: states }
    }

    /// Those of the states that are wanted.
    pub(super) fn only(self, wanted: Wanted) -> Sets {
        Sets { sure: wanted.of(self.sure), possible: wanted.of(self.possible) }
    }

    pub(super) fn is_definite(&self) -> bool {
        self.sure == self.possible
    }

    /// Whether the state is a member; `None` where that is not known.
    pub(super) fn get(&self, state: usize) -> Option<bool> {
        (self.sure[state] == self.possible[state]).then_some(self.sure[state])
    }

    pub(super) fn not(self) -> Sets {
        let not = |states: Vec<bool>| states.into_iter().map(|holds| !holds).collect();
        Sets { sure: not(self.possible), possible: not(self.sure) }
    }

    pub(super) fn and(mut self, other: &Sets) -> Sets {
        join(&mut self.sure, &other.sure, |left, right| left && right);
        join(&mut self.possible, &other.possible, |left, right| left && right);
        self
    }

    pub(super) fn or(mut self, other: &Sets) -> Sets {
        join(&mut self.sure, &other.sure, |left, right| left || right);
        join(&mut self.possible, &other.possible, |left, right| left || right);
        self
    }

    /// What two ways to find the same set know together.
    pub(super) fn known_to_either(mut self, other: &Sets) -> Sets {
        join(&mut self.sure, &other.sure, |left, right| left || right);
        join(&mut self.possible, &other.possible, |left, right| left && right);
        self
    }
}

fn join(left: &mut [bool], right: &[bool], join: impl Fn(bool, bool) -> bool) {
    left.iter_mut().zip(right).for_each(|(left, &right)| *left = join(*left, right));
}

/// A number for each state that lies between two others.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Values {
    pub(super) low: Vec<f64>,
    pub(super) high: Vec<f64>,
    /// The exact values, if they are known; `None` for an infinite one.
    pub(super) exact: Option<Vec<Option<Ratio>>>,
    /// For probabilities, what the graph alone tells.
    pub(super) certain: Option<Certain>,
    /// Whether the interval is as wide as it is because a set is known in part only.
    pub(super) is_undecided: bool,
}

/// What the graph alone tells of probabilities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Certain {
    /// Per state whether the probability is above 0 for certain.
    pub(super) above_zero: Vec<bool>,
    /// Per state whether it is below 1 for certain.
    pub(super) below_one: Vec<bool>,
}

/// Values for all states, with a bound on the error of each; exact ones have none.
pub(super) struct Solved<N> {
    pub(super) values: Vec<N>,
    pub(super) errors: Vec<f64>,
}

/// The exact form of a value; `None` for an infinite one.
fn exact_of<N: Number>(value: &N) -> Option<Option<Ratio>> {
    value.to_exact().map(Some)
}

impl Values {
    /// Between the values and their errors.
    pub(super) fn of<N: Number>(solved: &Solved<N>) -> Values {
        let exact: Option<Vec<_>> = solved.values.iter().map(exact_of).collect();
        let is_exact = exact.is_some() && !solved.values.is_empty();
        let bounds = solved.values.iter().zip(&solved.errors).map(|(value, error)| {
            let value = value.to_float();
            match *error == 0.0 && !is_exact {
                true => (value, value),
                false => ((value - error).next_down(), (value + error).next_up()),
            }
        });
        let (low, high) = bounds.unzip();
        Values { low, high, exact: exact.filter(|_| is_exact), certain: None, is_undecided: false }
    }

    /// Exact values, of which `None` is infinite.
    pub(super) fn exact(values: Vec<Option<Ratio>>) -> Values {
        let bounds = values.iter().map(|value| match value {
            None => (f64::INFINITY, f64::INFINITY),
            Some(value) => {
                let float = value.to_float();
                (float.next_down(), float.next_up())
            }
        });
        let (low, high) = bounds.unzip();
        Values { low, high, exact: Some(values), certain: None, is_undecided: false }
    }

    /// Those of the states that are wanted.
    pub(super) fn only(self, wanted: Wanted) -> Values {
        let certain = self.certain.map(|Certain { above_zero, below_one }| Certain {
            above_zero: wanted.of(above_zero),
            below_one: wanted.of(below_one),
        });
        Values {
            low: wanted.of(self.low),
            high: wanted.of(self.high),
            exact: self.exact.map(|exact| wanted.of(exact)),
            certain,
            ..self
        }
    }

    /// The probabilities, of which the graph tells which are 0 and which are 1.
    pub(super) fn with_certain(mut self, zero: &[bool], one: &[bool]) -> Values {
        for state in 0..zero.len() {
            let (low, high) = (&mut self.low[state], &mut self.high[state]);
            (*low, *high) = match (zero[state], one[state]) {
                (true, _) => (0.0, 0.0),
                (_, true) => (1.0, 1.0),
                _ => (low.clamp(0.0, 1.0), high.clamp(0.0, 1.0)),
            };
        }
        let not = |states: &[bool]| states.iter().map(|holds| !holds).collect();
        self.certain = Some(Certain { above_zero: not(zero), below_one: not(one) });
        self
    }

    /// Between the low ends of these values and the high ends of others.
    pub(super) fn up_to(self, high: Values) -> Values {
        let certain = match (self.certain, high.certain) {
            (Some(low), Some(high)) => {
                Some(Certain { above_zero: low.above_zero, below_one: high.below_one })
            }
            _ => None,
        };
        Values { low: self.low, high: high.high, exact: None, certain, is_undecided: true }
    }

    /// The same, where no value is negative.
    pub(super) fn not_negative(mut self) -> Values {
        self.low.iter_mut().for_each(|low| *low = low.max(0.0));
        self
    }

    /// The values with the other sign.
    pub(super) fn negative(self) -> Values {
        let negative = |ends: Vec<f64>| ends.into_iter().map(|end| -end).collect();
        // Infinite values have no exact form with a sign.
        let exact = self.exact.filter(|exact| exact.iter().all(Option::is_some));
        let exact = exact.map(|exact| exact.into_iter().map(|value| value.map(|value| -value)).collect());
        Values { low: negative(self.high), high: negative(self.low), exact, certain: None, ..self }
    }

    /// One minus probabilities.
    pub(super) fn complement(self) -> Values {
        let one = num_traits::one::<Ratio>();
        let take = |values: Vec<f64>, outwards: fn(f64) -> f64| -> Vec<f64> {
            let rest =
                |value: f64| if value == 0.0 || value == 1.0 { 1.0 - value } else { outwards(1.0 - value) };
            values.into_iter().map(|value| rest(value).clamp(0.0, 1.0)).collect()
        };
        let exact =
            self.exact.map(|exact| exact.into_iter().map(|value| value.map(|value| &one - value)).collect());
        let certain = self.certain.map(|Certain { above_zero, below_one }| Certain {
            above_zero: below_one,
            below_one: above_zero,
        });
        Values {
            low: take(self.high, f64::next_down),
            high: take(self.low, f64::next_up),
            exact,
            certain,
            ..self
        }
    }

    /// The states in which the value compares so with a bound.
    pub(super) fn compare(&self, relation: Relation, bound: &Ratio) -> Sets {
        if let Some(exact) = &self.exact {
            let holds = |value: &Option<Ratio>| match value {
                None => matches!(relation, Relation::More | Relation::AtLeast | Relation::Unequal),
                Some(value) => relation.holds(value.partial_cmp(bound)),
            };
            return Sets::definite(exact.iter().map(holds).collect());
        }
        let ends = Ends::of(bound);
        let negated = matches!(relation, Relation::Less | Relation::AtMost);
        // `v < c` is `!(v >= c)`, and `v <= c` is `!(v > c)`.
        let is_strict = matches!(relation, Relation::More | Relation::AtMost);
        let verdicts = (0..self.low.len()).map(|state| self.above(state, is_strict, &ends));
        let (sure, possible) = verdicts.unzip();
        let sets = Sets { sure, possible };
        if negated { sets.not() } else { sets }
    }

    /// Whether the value is above the bound, or at least as large: for certain, and perhaps.
    fn above(&self, state: usize, is_strict: bool, ends: &Ends) -> (bool, bool) {
        let (low, high) = (self.low[state], self.high[state]);
        let (mut sure, mut possible) = match is_strict {
            true => (low > ends.below, high > ends.below),
            false => (low >= ends.above, high >= ends.above),
        };
        if let Some(certain) = &self.certain {
            sure |= is_strict && ends.is_zero && certain.above_zero[state];
            possible &= !(!is_strict && ends.is_one && certain.below_one[state]);
        }
        (sure, possible)
    }
}

/// A bound between floats.
struct Ends {
    /// The largest float that is not above it.
    below: f64,
    /// The smallest float that is not below it.
    above: f64,
    is_zero: bool,
    is_one: bool,
}

impl Ends {
    fn of(bound: &Ratio) -> Ends {
        let near = bound.to_float();
        let is_zero = num_traits::Zero::is_zero(bound);
        let is_one = num_traits::One::is_one(bound);
        let order = Ratio::from_float(near).map(|near| near.cmp(bound));
        let (below, above) = match order {
            Some(std::cmp::Ordering::Equal) => (near, near),
            Some(std::cmp::Ordering::Less) => (near, near.next_up()),
            Some(std::cmp::Ordering::Greater) => (near.next_down(), near),
            // Beyond the range of floats.
            None => (f64::MAX, f64::INFINITY),
        };
        Ends { below, above, is_zero, is_one }
    }
}

#[cfg(test)]
mod tests {
    use skel_core::number::ratio;

    use super::*;

    fn between(low: f64, high: f64) -> Values {
        Values { low: vec![low], high: vec![high], exact: None, certain: None, is_undecided: false }
    }

    fn compared(values: &Values, relation: Relation, bound: &Ratio) -> Option<bool> {
        values.compare(relation, bound).get(0)
    }

    #[test]
    fn comparisons_with_intervals_have_three_values() {
        let third = ratio(1, 3);
        let wide = between(0.3, 0.4);
        for relation in [Relation::Less, Relation::AtMost, Relation::More, Relation::AtLeast] {
            assert_eq!(compared(&wide, relation, &third), None);
        }
        // The float nearest to a third is below it.
        let near = between(1.0 / 3.0, 1.0 / 3.0);
        assert_eq!(compared(&near, Relation::Less, &third), Some(true));
        assert_eq!(compared(&near, Relation::AtLeast, &third), Some(false));
        assert_eq!(compared(&between(0.5, 0.5), Relation::AtLeast, &ratio(1, 2)), Some(true));
        assert_eq!(compared(&between(0.5, 0.5), Relation::More, &ratio(1, 2)), Some(false));
        assert_eq!(compared(&between(0.5, 0.6), Relation::AtLeast, &ratio(1, 2)), Some(true));
        assert_eq!(compared(&between(0.5, 0.6), Relation::More, &ratio(1, 2)), None);
        assert_eq!(
            compared(&between(f64::INFINITY, f64::INFINITY), Relation::More, &ratio(1, 2)),
            Some(true)
        );
    }

    #[test]
    fn the_graph_decides_what_an_interval_does_not() {
        let values = between(0.0, 1.0).with_certain(&[false], &[false]);
        assert_eq!(compared(&values, Relation::More, &ratio(0, 1)), Some(true));
        assert_eq!(compared(&values, Relation::AtMost, &ratio(0, 1)), Some(false));
        assert_eq!(compared(&values, Relation::AtLeast, &ratio(1, 1)), Some(false));
        assert_eq!(compared(&values, Relation::Less, &ratio(1, 1)), Some(true));
        assert_eq!(compared(&values, Relation::AtLeast, &ratio(0, 1)), Some(true));
        assert_eq!(compared(&values, Relation::More, &ratio(1, 1)), Some(false));
        let other = values.complement();
        assert_eq!(compared(&other, Relation::More, &ratio(0, 1)), Some(true));
        assert_eq!(compared(&other, Relation::More, &ratio(1, 2)), None);
    }
}
