//! Dixon's lifting: the unknowns digit by digit, in base `p`, from factors modulo `p`.
//!
//! With `M x = b` modulo `p` the rest `(b - M x) / p` is whole again, and no longer than `M`; its solution
//! has the digits from the next on. So a step costs a pair of substitutions and a product with the sparse
//! equations, however many digits there are, and with entries of one word all of it is done on words. J. D.
//! Dixon, Exact solution of linear equations using p-adic expansions, Numer. Math. 40 (1982).

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::chain::Matrix;
use crate::linear::modular::equations::Equations;
use crate::linear::modular::factors::Factors;
use crate::linear::modular::prime::Prime;

/// The unknowns, digit by digit.
pub(super) struct Lifting<'f> {
    factors: &'f Factors<'f>,
    rest: Rest,
    /// The digits of all places, the lowest first. That of the last place, whose unknown is 1, is kept as
    /// zero.
    pub(super) digits: Vec<Vec<u64>>,
}

impl<'f> Lifting<'f> {
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn new(equations: &Equations, factors: &'f Factors<'f>) -> Lifting<'f> {
        Lifting { factors, rest: Rest::new(&equations.matrix), digits: Vec::new() }
    }

    /// Finds one digit more of each unknown.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn lift(&mut self) {
        let prime = self.factors.prime();
        let mut digits = self.rest.residues(prime);
        self.factors.solve(&mut digits);
        self.rest.subtract(&digits, prime);
        self.digits.push(digits);
    }
}

/// What the digits so far leave of the right-hand sides. That of the last place is not asked for, and zero.
enum Rest {
    /// In words, where the entries of no equation add up to more than [`MOST`].
    Words(Matrix<i64>, Vec<i64>),
    Long(Matrix<BigInt>, Vec<BigInt>),
}

/// The rests stay below the sum of an equation's entries, and products with digits of 59 bits below 127 bits.
const MOST: u64 = 1 << 62;

impl Rest {
    #[cfg_attr(debug_assertions, inline)]
    fn new(equations: &Matrix<BigInt>) -> Rest {
        let last = equations.rows() - 1;
        let of_last = |row: usize| match equations.get(row, last) {
            Some(value) if row < last => -value,
            _ => BigInt::zero(),
        };
        let rests: Vec<BigInt> = (0..=last).map(of_last).collect();
        let sum = |row| equations.row(row).map(|(_, value)| value.abs()).sum::<BigInt>();
        if (0..=last).any(|row| sum(row) > BigInt::from(MOST)) {
            return Rest::Long(equations.clone(), rests);
        }
        let word = |value: &BigInt| value.to_i64().expect("it is within the sum of its equation");
        let (offsets, columns, values) = equations.parts();
        let words = Matrix::new(offsets.to_vec(), columns.to_vec(), values.iter().map(word).collect());
        Rest::Words(words, rests.iter().map(word).collect())
    }

    #[cfg_attr(debug_assertions, inline)]
    fn residues(&self, prime: Prime) -> Vec<u64> {
        match self {
            Rest::Words(_, rests) => rests.iter().map(|&rest| prime.residue_of_word(rest)).collect(),
            Rest::Long(_, rests) => rests.iter().map(|rest| prime.residue(rest)).collect(),
        }
    }

    /// Takes away what the next digits account for, and moves on to the digit behind them.
    #[cfg_attr(debug_assertions, inline)]
    fn subtract(&mut self, digits: &[u64], prime: Prime) {
        let last = digits.len() - 1;
        match self {
            Rest::Words(equations, rests) => {
                let modulus = i128::from(prime.modulus());
                for (row, rest) in rests[..last].iter_mut().enumerate() {
                    let products =
                        equations.row(row).map(|(at, &value)| i128::from(value) * i128::from(digits[at]));
                    *rest = ((i128::from(*rest) - products.sum::<i128>()) / modulus) as i64;
                }
            }
            Rest::Long(equations, rests) => {
                for (row, rest) in rests[..last].iter_mut().enumerate() {
                    for (at, value) in equations.row(row).filter(|&(at, _)| digits[at] != 0) {
                        *rest -= value * digits[at];
                    }
                    *rest /= prime.modulus();
                }
            }
        }
    }
}
