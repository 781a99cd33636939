//! All candidates, in the order of how well they predict points that they have not seen.

use super::OTHERS;
use super::basis::Basis;
use crate::function::product_at;
use crate::power::Power;

/// A choice of terms, with the sum of squared relative errors of points that are left out.
#[derive(Clone, Debug)]
pub(super) struct Candidate<const VARIABLES: usize> {
    pub(super) terms: Vec<[Power; VARIABLES]>,
    pub(super) left_out: f64,
}

/// The best candidates so far.
struct Best<const VARIABLES: usize>(Vec<Candidate<VARIABLES>>);

impl<const VARIABLES: usize> Best<VARIABLES> {
    /// Beyond this error, a candidate is not among the best.
    fn most(&self) -> f64 {
        self.0.get(2 * OTHERS).map_or(f64::INFINITY, |last| last.left_out)
    }

    /// Takes a candidate in if it is among the best.
    fn offer(&mut self, left_out: Option<f64>, terms: impl FnOnce() -> Vec<[Power; VARIABLES]>) {
        let Some(left_out) = left_out.filter(|error| error.is_finite()) else { return };
        let at = self.0.partition_point(|known| known.left_out <= left_out);
        // A few more than are shown, since some may turn out to be determined too badly for a fit.
        if at <= 2 * OTHERS {
            self.0.insert(at, Candidate { terms: terms(), left_out });
            self.0.truncate(2 * OTHERS + 1);
        }
    }
}

/// Points as rows of relative errors: each is divided by its time, so that all values are 1.
struct Rows<'p, const VARIABLES: usize>(&'p [([f64; VARIABLES], f64)]);

impl<const VARIABLES: usize> Rows<'_, VARIABLES> {
    /// Of the constant.
    fn basis(&self) -> Basis {
        let constant = self.column(&[Power::ONE; VARIABLES]);
        let basis = Basis::new(vec![1.0; self.0.len()]);
        basis.with(&constant).expect("no time is 0 or infinite")
    }

    fn column(&self, powers: &[Power; VARIABLES]) -> Vec<f64> {
        self.0.iter().map(|(point, value)| product_at(powers, *point) / value).collect()
    }
}

/// All candidates of one parameter.
pub(super) fn one(terms: &[Power], points: &[([f64; 1], f64)]) -> Vec<Candidate<1>> {
    let rows = Rows(points);
    let (constant, mut rest, mut best) = (rows.basis(), Vec::new(), Best(Vec::new()));
    best.offer(Some(constant.left_out()), || vec![[Power::ONE]]);
    for &term in terms {
        let left_out = constant.left_out_with(&rows.column(&[term]), best.most(), &mut rest);
        best.offer(left_out, || vec![[Power::ONE], [term]]);
    }
    best.0
}

/// All candidates of two parameters: with terms `a` of one and `b` of the other, the forms `a b`, `a + b`,
/// `a b + a`, `a b + b`, `a` and `b`.
pub(super) fn two(terms: &[Vec<Power>; 2], points: &[([f64; 2], f64)]) -> Vec<Candidate<2>> {
    const ONE: [Power; 2] = [Power::ONE; 2];
    let rows = Rows(points);
    let (constant, mut rest, mut best) = (rows.basis(), Vec::new(), Best(Vec::new()));
    best.offer(Some(constant.left_out()), || vec![ONE]);
    let first: Vec<Side> = terms[0].iter().map(|&a| Side::new(&rows, &constant, [a, Power::ONE])).collect();
    let second: Vec<Side> = terms[1].iter().map(|&b| Side::new(&rows, &constant, [Power::ONE, b])).collect();
    for side in first.iter().chain(&second) {
        best.offer(side.basis.as_ref().map(Basis::left_out), || vec![ONE, side.powers]);
    }
    let mut product = vec![0.0; points.len()];
    for a in &first {
        for b in &second {
            let both = [a.powers[0], b.powers[1]];
            for ((product, value), (a, b)) in
                product.iter_mut().zip(points).zip(a.column.iter().zip(&b.column))
            {
                *product = a * b * value.1;
            }
            let mut offer = |basis: &Basis, column, terms: &[[Power; 2]]| {
                best.offer(basis.left_out_with(column, best.most(), &mut rest), || terms.to_vec());
            };
            offer(&constant, &product, &[ONE, both]);
            if let Some(basis) = &a.basis {
                offer(basis, &b.column, &[ONE, a.powers, b.powers]);
                offer(basis, &product, &[ONE, a.powers, both]);
            }
            if let Some(basis) = &b.basis {
                offer(basis, &product, &[ONE, b.powers, both]);
            }
        }
    }
    best.0
}

/// A term of one of two parameters.
struct Side {
    powers: [Power; 2],
    column: Vec<f64>,
    /// Of the constant and this term, unless they depend on each other.
    basis: Option<Basis>,
}

impl Side {
    fn new(rows: &Rows<'_, 2>, constant: &Basis, powers: [Power; 2]) -> Self {
        let column = rows.column(&powers);
        Side { powers, basis: constant.with(&column), column }
    }
}
