//! Phase-type times: the time to absorption of a chain that begins in some phase, moves between phases, and
//! ends.
//!
//! In phase `i` the time is exponential. With the initial probabilities `alpha` and the sub-generator `T`,
//! whose row sums are minus the rates of ending, the moments are `E X = alpha x` and `E X^2 = 2 alpha y`,
//! where `-T x = 1` and `-T y = x`. Both systems are solved in exact fractions.
//!
//! Source: M. F. Neuts, *Matrix-Geometric Solutions in Stochastic Models*, 1981, section 2.2.

use num_traits::{One, Signed, Zero};

use crate::number::{Ratio, display_ratio};
use crate::time::linear::{is_too_long, solve};

/// A time of phases, each of which is exponential.
///
/// Every phase can be reached, and every phase leads to the end.
///
/// # Examples
/// ```
/// use skel_core::{number::ratio, time::PhaseType};
/// let erlang = PhaseType::erlang(4, &ratio(1, 2));
/// assert_eq!((erlang.phases(), erlang.mean(), erlang.scv()), (4, ratio(1, 2), ratio(1, 4)));
/// assert_eq!(erlang.moves().count(), 3);
/// assert_eq!(*erlang.exit(3), ratio(8, 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseType {
    initial: Vec<Ratio>,
    /// From each phase, in the order of the targets.
    moves: Vec<Vec<(usize, Ratio)>>,
    exits: Vec<Ratio>,
}

/// Where something is wrong with initial probabilities and a sub-generator. Phases are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseTypePlace {
    /// The list of initial probabilities, or one of them.
    Initial(Option<usize>),
    /// The matrix, or one of its rows, or the entry of a row and a column.
    Generator(Option<(usize, Option<usize>)>),
}

/// What is wrong with initial probabilities and a sub-generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseTypeError {
    /// Where.
    pub place: PhaseTypePlace,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl PhaseType {
    /// One phase of this rate.
    ///
    /// # Panics
    /// If the rate is not positive.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn exponential(rate: &Ratio) -> Self {
        PhaseType::hyperexponential(&[Ratio::one()], std::slice::from_ref(rate))
    }

    /// So many phases, one after the other, of equal rates; `mean` is the mean of their sum.
    ///
    /// # Panics
    /// If there is no phase, or the mean is not positive.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn erlang(phases: u32, mean: &Ratio) -> Self {
        assert!(mean.is_positive(), "a mean time is above 0");
        PhaseType::erlang_mixture(phases, &Ratio::zero(), &(Ratio::from_integer(phases.into()) / mean))
    }

    /// `phases` phases one after the other, all of one rate, where the first is left out with the probability
    /// `fewer`: an Erlang time of `phases - 1` with that probability, else of `phases`.
    ///
    /// # Panics
    /// If there is no phase, `fewer` is not a probability below 1, it is above 0 where there is one phase, or
    /// the rate is not positive.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn erlang_mixture(phases: u32, fewer: &Ratio, rate: &Ratio) -> Self {
        assert!(rate.is_positive(), "a rate is above 0");
        assert!(phases > 0, "an Erlang time has at least one phase");
        assert!(!fewer.is_negative() && *fewer < Ratio::one(), "a probability is from 0 to 1");
        assert!(phases > 1 || fewer.is_zero(), "an Erlang time has at least one phase");
        let count = phases as usize;
        let mut initial = vec![Ratio::zero(); count];
        initial[0] = Ratio::one() - fewer;
        if !fewer.is_zero() {
            initial[1] = fewer.clone();
        }
        let next = |phase| if phase + 1 < count { vec![(phase + 1, rate.clone())] } else { Vec::new() };
        let mut exits = vec![Ratio::zero(); count];
        exits[count - 1] = rate.clone();
        PhaseType { initial, moves: (0..count).map(next).collect(), exits }
    }

    /// One of several phases, each with its probability and its rate.
    ///
    /// # Panics
    /// If there are not as many rates as probabilities, these are not positive or do not sum to 1, or a rate
    /// is not positive.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn hyperexponential(probabilities: &[Ratio], rates: &[Ratio]) -> Self {
        assert_eq!(probabilities.len(), rates.len(), "each phase has a probability and a rate");
        assert!(probabilities.iter().chain(rates).all(Signed::is_positive), "both are above 0");
        assert!(sum(probabilities).is_one(), "the probabilities sum to 1");
        PhaseType {
            initial: probabilities.to_vec(),
            moves: vec![Vec::new(); rates.len()],
            exits: rates.to_vec(),
        }
    }

    /// Phases with the initial probabilities `initial` and the sub-generator `generator`: off its diagonal
    /// the rates of moves, on it minus the rate at which a phase is left in all, so that minus the sum of a
    /// row is the rate of ending.
    ///
    /// # Errors
    /// Everything that is wrong: probabilities that are negative or do not sum to 1, sizes that differ, a
    /// rate that is negative, a diagonal that is not, a phase that is never entered, one that never leads to
    /// the end; numbers of so many digits that exact moments would take long.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, time::PhaseType};
    /// let (zero, one, two) = (ratio(0, 1), ratio(1, 1), ratio(2, 1));
    /// let rows = [vec![-&two, two.clone()], vec![one.clone(), -&two]];
    /// let phases = PhaseType::general(&[one, zero], &rows).unwrap();
    /// assert_eq!((phases.mean(), phases.exit(0), phases.exit(1)), (ratio(2, 1), &ratio(0, 1), &ratio(1, 1)));
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn general(initial: &[Ratio], generator: &[Vec<Ratio>]) -> Result<Self, Vec<PhaseTypeError>> {
        let mut errors = wrong_probabilities(initial);
        errors.extend(wrong_sizes(initial.len(), generator));
        if !errors.is_empty() {
            return Err(errors);
        }
        if is_too_long(generator) {
            let message = "the numbers of the matrix have too many digits".to_owned();
            let help = "its moments are computed in exact fractions: write numbers of up to 16 digits, or fewer phases";
            return Err(vec![error(PhaseTypePlace::Generator(None), message, help)]);
        }
        errors.extend(generator.iter().enumerate().flat_map(|(phase, row)| wrong_row(phase, row)));
        if !errors.is_empty() {
            return Err(errors);
        }
        let of_row = |(phase, row): (usize, &Vec<Ratio>)| {
            let entries = row.iter().cloned().enumerate();
            entries.filter(|(to, rate)| *to != phase && !rate.is_zero()).collect()
        };
        let found = PhaseType {
            initial: initial.to_vec(),
            moves: generator.iter().enumerate().map(of_row).collect(),
            exits: generator.iter().map(|row| -sum(row)).collect(),
        };
        let errors = found.wrong_paths();
        if errors.is_empty() { Ok(found) } else { Err(errors) }
    }

    /// The same time in another unit: every rate is so many times as high, and the mean is divided by that
    /// number.
    ///
    /// # Panics
    /// If the number is not positive.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, time::PhaseType};
    /// let erlang = PhaseType::erlang(4, &ratio(1, 2));
    /// assert_eq!(erlang.times_as_fast(&ratio(1, 2)), PhaseType::erlang(4, &ratio(1, 1)));
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn times_as_fast(&self, speed: &Ratio) -> Self {
        assert!(speed.is_positive(), "a speed is above 0");
        let of_row = |row: &Vec<(usize, Ratio)>| row.iter().map(|(to, rate)| (*to, rate * speed)).collect();
        PhaseType {
            initial: self.initial.clone(),
            moves: self.moves.iter().map(of_row).collect(),
            exits: self.exits.iter().map(|rate| rate * speed).collect(),
        }
    }

    /// How many phases there are.
    #[must_use]
    pub fn phases(&self) -> usize {
        self.exits.len()
    }

    /// The probability to begin in each phase.
    #[must_use]
    pub fn initial(&self) -> &[Ratio] {
        &self.initial
    }

    /// The moves between phases: from, to, and the rate, which is positive.
    #[cfg_attr(debug_assertions, inline)]
    pub fn moves(&self) -> impl Iterator<Item = (usize, usize, &Ratio)> {
        self.moves
            .iter()
            .enumerate()
            .flat_map(|(from, row)| row.iter().map(move |(to, rate)| (from, *to, rate)))
    }

    /// The moves from a phase: to, and the rate, which is positive.
    ///
    /// # Panics
    /// If there is no such phase.
    #[must_use]
    pub fn moves_from(&self, phase: usize) -> &[(usize, Ratio)] {
        &self.moves[phase]
    }

    /// The rate of ending in a phase; it may be 0.
    ///
    /// # Panics
    /// If there is no such phase.
    #[must_use]
    pub fn exit(&self, phase: usize) -> &Ratio {
        &self.exits[phase]
    }

    /// The rate at which a phase is left, to other phases or to the end.
    ///
    /// # Panics
    /// If there is no such phase.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn rate_out(&self, phase: usize) -> Ratio {
        self.moves[phase].iter().fold(self.exits[phase].clone(), |sum, (_, rate)| sum + rate)
    }

    /// The entry of the sub-generator.
    ///
    /// # Panics
    /// If there is no such phase.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn generator(&self, from: usize, to: usize) -> Ratio {
        if from == to {
            return -self.rate_out(from);
        }
        let entry = self.moves[from].iter().find(|(target, _)| *target == to);
        entry.map_or_else(Ratio::zero, |(_, rate)| rate.clone())
    }

    /// The mean, exactly.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn mean(&self) -> Ratio {
        self.expected(&self.times_to_end(vec![Ratio::one(); self.phases()]))
    }

    /// The squared coefficient of variation, the variance over the square of the mean, exactly.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn scv(&self) -> Ratio {
        let times = self.times_to_end(vec![Ratio::one(); self.phases()]);
        let mean = self.expected(&times);
        let half_second_moment = self.expected(&self.times_to_end(times));
        Ratio::from_integer(2.into()) * half_second_moment / (&mean * &mean) - Ratio::one()
    }

    /// `alpha x`
    #[cfg_attr(debug_assertions, inline)]
    fn expected(&self, values: &[Ratio]) -> Ratio {
        let begun = self.initial.iter().zip(values).filter(|(probability, _)| !probability.is_zero());
        begun.fold(Ratio::zero(), |sum, (probability, value)| sum + probability * value)
    }

    /// The solution of `-T x = values`: what is expected to be gained up to the end, from each phase, where
    /// time in a phase brings its value. Phases that lead forward alone, as those of an Erlang time, take one
    /// step for each move; others cubic time.
    #[cfg_attr(debug_assertions, inline)]
    fn times_to_end(&self, mut values: Vec<Ratio>) -> Vec<Ratio> {
        let count = self.phases();
        if self.moves().any(|(from, to, _)| to < from) {
            let row = |from| (0..count).map(|to| -self.generator(from, to)).collect();
            let matrix: Vec<Vec<Ratio>> = (0..count).map(row).collect();
            return solve(&matrix, &values);
        }
        for phase in (0..count).rev() {
            for (to, rate) in &self.moves[phase] {
                let gained = rate * &values[*to];
                values[phase] += gained;
            }
            values[phase] /= self.rate_out(phase);
        }
        values
    }

    /// Phases that are never entered, and phases from which there is no way to the end.
    #[cfg_attr(debug_assertions, inline)]
    fn wrong_paths(&self) -> Vec<PhaseTypeError> {
        let mut entered: Vec<bool> = self.initial.iter().map(Signed::is_positive).collect();
        let mut ending: Vec<bool> = self.exits.iter().map(Signed::is_positive).collect();
        // A path has at most as many steps as there are phases.
        for _ in 0..self.phases() {
            for (from, to, _) in self.moves() {
                entered[to] |= entered[from];
                ending[from] |= ending[to];
            }
        }
        let row = |phase| PhaseTypePlace::Generator(Some((phase, None)));
        let never_entered = entered.iter().enumerate().filter(|(_, is)| !**is).map(|(phase, _)| {
            let message = format!("phase {phase} is never entered");
            error(
                row(phase),
                message,
                "leave the phase out, or give it an initial probability; the rates of row \
                 i lead from phase i to the others",
            )
        });
        let never_ending = ending.iter().enumerate().filter(|(_, is)| !**is).map(|(phase, _)| {
            let message = format!("from phase {phase} there is no way to the end");
            error(
                row(phase),
                message,
                "minus the sum of a row is the rate of ending: make the diagonal larger",
            )
        });
        never_entered.chain(never_ending).collect()
    }
}

fn error(place: PhaseTypePlace, message: String, help: &str) -> PhaseTypeError {
    PhaseTypeError { place, message, help: help.to_owned() }
}

#[cfg_attr(debug_assertions, inline)]
fn sum(values: &[Ratio]) -> Ratio {
    values.iter().fold(Ratio::zero(), |sum, value| sum + value)
}

/// What is wrong with probabilities that should sum to 1.
#[cfg_attr(debug_assertions, inline)]
fn wrong_probabilities(initial: &[Ratio]) -> Vec<PhaseTypeError> {
    let negative = initial.iter().enumerate().filter(|(_, probability)| probability.is_negative());
    let mut errors: Vec<PhaseTypeError> = negative
        .map(|(phase, probability)| {
            let message = format!("the initial probability {} is negative", display_ratio(probability));
            error(PhaseTypePlace::Initial(Some(phase)), message, "a probability is from 0 to 1")
        })
        .collect();
    if initial.is_empty() {
        let message = "there is no phase".to_owned();
        errors.push(error(
            PhaseTypePlace::Initial(None),
            message,
            "one phase of rate 2 is `phases([1], [[-2]])`",
        ));
    } else if errors.is_empty() && !sum(initial).is_one() {
        let message = format!("the initial probabilities sum to {}, not to 1", display_ratio(&sum(initial)));
        errors.push(error(PhaseTypePlace::Initial(None), message, "a third is written `1/3`, exactly"));
    }
    errors
}

/// A matrix that has not a row and a column for each phase.
#[cfg_attr(debug_assertions, inline)]
fn wrong_sizes(phases: usize, generator: &[Vec<Ratio>]) -> Vec<PhaseTypeError> {
    let help = "the matrix has a row and a column for each initial probability";
    let mut errors = Vec::new();
    if generator.len() != phases {
        let message =
            format!("there are {phases} initial probabilities, but the matrix has {} rows", generator.len());
        errors.push(error(PhaseTypePlace::Generator(None), message, help));
    }
    for (phase, row) in generator.iter().enumerate().filter(|(_, row)| row.len() != phases) {
        let entries = if row.len() == 1 { "entry" } else { "entries" };
        let message = format!("row {phase} of the matrix has {} {entries}, not {phases}", row.len());
        errors.push(error(PhaseTypePlace::Generator(Some((phase, None))), message, help));
    }
    errors
}

/// What is wrong with the signs of a row and with its sum.
#[cfg_attr(debug_assertions, inline)]
fn wrong_row(phase: usize, row: &[Ratio]) -> Vec<PhaseTypeError> {
    let at = |to| PhaseTypePlace::Generator(Some((phase, Some(to))));
    let mut errors = Vec::new();
    for (to, entry) in row.iter().enumerate() {
        if to == phase && !entry.is_negative() {
            let message =
                format!("the diagonal of row {phase} is {}, which is not negative", display_ratio(entry));
            let help = "on the diagonal stands minus the rate at which the phase is left";
            errors.push(error(at(to), message, help));
        } else if to != phase && entry.is_negative() {
            let message = format!(
                "the rate from phase {phase} to phase {to} is {}, which is negative",
                display_ratio(entry)
            );
            errors.push(error(at(to), message, "off the diagonal stand rates, which are 0 or more"));
        }
    }
    if errors.is_empty() && sum(row).is_positive() {
        let message = format!("row {phase} sums to {}, which is above 0", display_ratio(&sum(row)));
        let help =
            "minus the sum of a row is the rate of ending, which is 0 or more: make the diagonal larger";
        errors.push(error(PhaseTypePlace::Generator(Some((phase, None))), message, help));
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::PhaseType;
    use crate::number::{Ratio, ratio};

    /// Moments in closed form.
    #[test]
    fn moments() {
        let hyper = PhaseType::hyperexponential(&[ratio(1, 4), ratio(3, 4)], &[ratio(1, 2), ratio(3, 1)]);
        // E X = 1/4 * 2 + 3/4 / 3, E X^2 = 2 (1/4 * 4 + 3/4 / 9)
        assert_eq!((hyper.mean(), hyper.scv()), (ratio(3, 4), ratio(13, 6) / ratio(9, 16) - ratio(1, 1)));
        let mixture = PhaseType::erlang_mixture(3, &ratio(1, 2), &ratio(5, 1));
        // The number of phases K is 2 or 3: E X = E K / 5, Var X = (E K + Var K) / 25.
        assert_eq!((mixture.mean(), mixture.scv()), (ratio(1, 2), ratio(11, 25)));
        let many = PhaseType::erlang(1000, &ratio(7, 3));
        assert_eq!((many.mean(), many.scv()), (ratio(7, 3), ratio(1, 1000)));
    }

    /// A geometric number of exponential times is exponential, whichever phase comes first.
    #[test]
    fn phases_that_come_back() {
        let whole = |rows: &[[i64; 2]]| -> Vec<Vec<Ratio>> {
            rows.iter().map(|row| row.iter().map(|&entry| ratio(entry, 1)).collect()).collect()
        };
        for rows in [[[-6, 5], [5, -6]], [[-6, 0], [5, -6]]] {
            let phases = PhaseType::general(&[ratio(1, 2), ratio(1, 2)], &whole(&rows)).unwrap();
            if rows[0][1] == 5 {
                assert_eq!((phases.mean(), phases.scv()), (ratio(1, 1), ratio(1, 1)));
            }
            let copy = PhaseType::general(
                &[ratio(1, 2), ratio(1, 2)],
                &(0..2).map(|from| (0..2).map(|to| phases.generator(from, to)).collect()).collect::<Vec<_>>(),
            );
            assert_eq!(copy.as_ref(), Ok(&phases));
        }
    }

    #[test]
    fn everything_that_is_wrong() {
        let found = |initial: &[i64], rows: &[&[i64]]| -> Vec<String> {
            let initial: Vec<Ratio> = initial.iter().map(|&tenths| ratio(tenths, 10)).collect();
            let row = |row: &&[i64]| row.iter().map(|&entry| ratio(entry, 1)).collect();
            let rows: Vec<Vec<Ratio>> = rows.iter().map(row).collect();
            let errors = PhaseType::general(&initial, &rows).err().unwrap_or_default();
            errors.into_iter().map(|error| error.message).collect()
        };
        assert_eq!(found(&[10], &[&[-2]]), [""; 0]);
        assert_eq!(found(&[], &[]), ["there is no phase"]);
        assert_eq!(
            found(&[5, 4], &[&[-1], &[0, -1], &[1]]),
            [
                "the initial probabilities sum to 0.9, not to 1",
                "there are 2 initial probabilities, but the matrix has 3 rows",
                "row 0 of the matrix has 1 entry, not 2",
                "row 2 of the matrix has 1 entry, not 2",
            ]
        );
        assert_eq!(found(&[11, -1], &[&[-1, 2], &[-3, 0]]), ["the initial probability -0.1 is negative"]);
        assert_eq!(
            found(&[10, 0], &[&[-1, 2], &[-3, 0]]),
            [
                "row 0 sums to 1, which is above 0",
                "the rate from phase 1 to phase 0 is -3, which is negative",
                "the diagonal of row 1 is 0, which is not negative",
            ]
        );
        assert_eq!(
            found(&[10, 0, 0], &[&[-1, 1, 0], &[1, -1, 0], &[0, 0, -1]]),
            [
                "phase 2 is never entered",
                "from phase 0 there is no way to the end",
                "from phase 1 there is no way to the end",
            ]
        );
    }
}
