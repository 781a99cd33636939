//! Where one program structure overtakes another: all sizes at which two functions are equal.

mod roots;

use std::fmt;
use std::ops::RangeInclusive;

use crate::function::Function;
use roots::{ExponentialSum, bisect};

/// How two functions meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrossingKind {
    /// The cheaper of the two changes.
    Cross,
    /// They are equal, and the same one is cheaper on both sides, as far as the rounding of floats lets one
    /// see.
    Touch,
    /// They are equal at an end of the range.
    EndOfRange,
}

impl fmt::Display for CrossingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CrossingKind::Cross => "cross",
            CrossingKind::Touch => "touch",
            CrossingKind::EndOfRange => "end of the range",
        })
    }
}

/// A size at which two functions are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The size.
    pub at: f64,
    /// How they meet there.
    pub kind: CrossingKind,
}

/// Why a range has no crossovers to find.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RangeError {
    /// The range does not begin above 0, or it is empty or not finite.
    Range {
        /// Where it begins.
        from: f64,
        /// Where it ends.
        to: f64,
    },
    /// A function has a value that is not finite in the range.
    NotFinite {
        /// The function, as text.
        function: String,
    },
    /// The functions are identical, so that every size is a crossover.
    Identical,
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RangeError::Range { from, to } => {
                write!(
                    f,
                    "the range from {from} to {to} has no sizes; help: it begins above 0 and ends at a larger, finite size"
                )
            }
            RangeError::NotFinite { function } => {
                write!(
                    f,
                    "`{function}` is not finite in the range; help: take a smaller range or smaller exponents"
                )
            }
            RangeError::Identical => {
                f.write_str("the two functions are identical; help: compare programs of different times")
            }
        }
    }
}

impl std::error::Error for RangeError {}

/// Differences of this part of the terms that they are made of are taken for rounding errors.
const ROUNDING: f64 = 1e-13;

/// All sizes in a closed range at which two functions are equal, in order.
///
/// No size is missed, since no grid of points is used: with `u = ln x` the difference is a sum of polynomials
/// times exponentials, and the zeros of its repeatedly divided derivative cut the range into pieces with one
/// zero at most. A difference below 1e-13 of the terms that it is made of counts as zero where the functions
/// touch and at the ends of the range.
///
/// # Errors
/// The range does not begin above 0 or is empty, a value is not finite, or the functions are identical.
///
/// # Examples
/// ```
/// use skel_fit::{CrossingKind, Function, crossovers};
/// let (square, line): (Function, Function) = ("9 + x^2".parse()?, "6 x".parse()?);
/// let crossings = crossovers(&square, &line, 1.0..=10.0)?;
/// assert_eq!(crossings.len(), 1);
/// assert_eq!((crossings[0].at.round(), crossings[0].kind), (3.0, CrossingKind::Touch));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn crossovers(
    one: &Function,
    other: &Function,
    range: RangeInclusive<f64>,
) -> Result<Vec<Crossing>, RangeError> {
    let (from, to) = range.into_inner();
    check([one, other], from, to)?;
    let difference = one.minus(other);
    if difference.terms().next().is_none() {
        return Err(RangeError::Identical);
    }
    Ok(Meeting { difference, from, to }.all())
}

/// Which of several functions is the least on a part of a range.
#[derive(Clone, Debug, PartialEq)]
pub struct Cheapest {
    /// Where this part begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// The place of the function among those that were given. Of identical ones it is the first.
    pub function: usize,
}

/// Which of some functions is the least, for every size of a range.
///
/// # Errors
/// As for [`crossovers`], except that some of the functions may be identical.
///
/// # Examples
/// ```
/// use skel_fit::{Function, cheapest};
/// let functions: [Function; 2] = ["10 + x".parse()?, "2 x".parse()?];
/// let parts = cheapest(&functions, 1.0..=100.0)?;
/// assert_eq!((parts[0].function, parts[0].to, parts[1].function), (1, 10.0, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cheapest(functions: &[Function], range: RangeInclusive<f64>) -> Result<Vec<Cheapest>, RangeError> {
    let (from, to) = range.into_inner();
    check(functions, from, to)?;
    let mut cuts = vec![from, to];
    for (index, one) in functions.iter().enumerate() {
        for other in &functions[index + 1..] {
            match crossovers(one, other, from..=to) {
                Ok(crossings) => cuts.extend(crossings.iter().map(|crossing| crossing.at)),
                Err(RangeError::Identical) => {}
                Err(error) => return Err(error),
            }
        }
    }
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    let mut parts: Vec<Cheapest> = Vec::new();
    for piece in cuts.windows(2) {
        let function = least_at(functions, middle(piece[0], piece[1]));
        match parts.last_mut().filter(|last| last.function == function) {
            Some(last) => last.to = piece[1],
            None => parts.push(Cheapest { from: piece[0], to: piece[1], function }),
        }
    }
    Ok(parts)
}

fn least_at(functions: &[Function], x: f64) -> usize {
    let values = functions.iter().map(|function| function.at(x)).enumerate();
    values.min_by(|one, other| one.1.total_cmp(&other.1)).map_or(0, |(index, _)| index)
}

/// A size between two others, in the middle of their logarithms.
fn middle(from: f64, to: f64) -> f64 {
    (from.sqrt() * to.sqrt()).clamp(from, to)
}

fn check<'f>(
    functions: impl IntoIterator<Item = &'f Function>,
    from: f64,
    to: f64,
) -> Result<(), RangeError> {
    if !(from > 0.0 && from < to && to.is_finite()) {
        return Err(RangeError::Range { from, to });
    }
    let mut functions = functions.into_iter();
    // A power is monotone in the size, so the ends are enough.
    let wrong = functions.find(|function| ![from, to].iter().all(|&x| function.magnitude([x]).is_finite()));
    wrong.map_or(Ok(()), |function| Err(RangeError::NotFinite { function: function.to_string() }))
}

/// A difference of two functions, and a range of sizes.
struct Meeting {
    difference: Function,
    from: f64,
    to: f64,
}

impl Meeting {
    fn all(&self) -> Vec<Crossing> {
        let mut crossings = Vec::new();
        let cuts = self.cuts();
        for (index, piece) in cuts.windows(2).enumerate() {
            if self.is_zero(piece[0]) {
                crossings.push(Crossing { at: piece[0], kind: self.kind_at(&cuts, index) });
            } else if !self.is_zero(piece[1]) {
                let zero = bisect(|x| self.difference.at(x), piece[0], piece[1]);
                crossings.extend(zero.map(|at| Crossing { at, kind: CrossingKind::Cross }));
            }
        }
        if self.is_zero(self.to) {
            crossings.push(Crossing { at: self.to, kind: CrossingKind::EndOfRange });
        }
        crossings
    }

    /// The ends of the range and the places between which the difference changes its sign at most once.
    fn cuts(&self) -> Vec<f64> {
        let mut terms: Vec<(f64, u32, f64)> = Vec::new();
        for ([power], coefficient) in self.difference.terms() {
            let per_logarithm = std::f64::consts::LOG2_E.powi(power.logarithms() as i32);
            terms.push((power.exponent(), power.logarithms(), coefficient * per_logarithm));
        }
        let pieces = ExponentialSum::new(terms).pieces(self.from.ln(), self.to.ln());
        let inside = pieces.iter().map(|u| u.exp()).filter(|&x| x > self.from && x < self.to);
        let mut cuts: Vec<f64> = [self.from].into_iter().chain(inside).chain([self.to]).collect();
        cuts.dedup();
        cuts
    }

    fn is_zero(&self, x: f64) -> bool {
        self.difference.at(x).abs() <= ROUNDING * self.difference.magnitude([x])
    }

    /// How the functions meet at a cut where their difference is zero.
    fn kind_at(&self, cuts: &[f64], index: usize) -> CrossingKind {
        if index == 0 {
            return CrossingKind::EndOfRange;
        }
        let before = self.difference.at(middle(cuts[index - 1], cuts[index]));
        let after = self.difference.at(middle(cuts[index], cuts[index + 1]));
        if (before < 0.0) == (after < 0.0) { CrossingKind::Touch } else { CrossingKind::Cross }
    }
}
