//! All zeros of a sum of exponentials with polynomials as coefficients, in a range.
//!
//! With `u = ln x`, a function `sum c x^a log2(x)^j` is `sum P_k(u) e^(a_k u)`, where each `P_k` is a
//! polynomial. Divided by one of the exponentials it has the same zeros, and the derivative of what remains
//! has one coefficient less: a zero of that derivative lies between any two zeros. So the zeros of the
//! derivative, which are found in the same way, cut the range into pieces on each of which the function is
//! monotone and has one zero at most. No grid of points is needed, and no zero is missed.

/// `sum P_k(u) e^(a_k u)`.
#[derive(Clone, Debug)]
pub(super) struct ExponentialSum {
    parts: Vec<Part>,
}

/// A polynomial times an exponential.
#[derive(Clone, Debug)]
struct Part {
    exponent: f64,
    /// From the constant on. The last one is not zero.
    coefficients: Vec<f64>,
}

impl ExponentialSum {
    /// A sum of `c u^j e^(a u)`, given as triples of `a`, `j` and `c` with their exponents in order.
    pub(super) fn new(terms: impl IntoIterator<Item = (f64, u32, f64)>) -> Self {
        let mut parts: Vec<Part> = Vec::new();
        for (exponent, degree, coefficient) in terms {
            if parts.last().is_none_or(|part| part.exponent != exponent) {
                parts.push(Part { exponent, coefficients: Vec::new() });
            }
            let coefficients = &mut parts.last_mut().expect("one was just added").coefficients;
            coefficients.resize(coefficients.len().max(degree as usize + 1), 0.0);
            coefficients[degree as usize] += coefficient;
        }
        ExponentialSum { parts }.without_zeros()
    }

    /// The zeros in a range, and the ends of the range, in order. Between two of them the function is
    /// monotone after it was divided by an exponential, so that it changes its sign at most once there.
    pub(super) fn pieces(&self, from: f64, to: f64) -> Vec<f64> {
        let Some(divided) = self.divided() else { return vec![from, to] };
        let slope = divided.derivative();
        let mut cuts = vec![from];
        let bounds = slope.pieces(from, to);
        for piece in bounds.windows(2) {
            cuts.extend(slope.zero_between(piece[0], piece[1]));
            cuts.push(piece[1]);
        }
        cuts.sort_by(f64::total_cmp);
        cuts.dedup();
        cuts
    }

    /// A change of sign strictly between two places, to the precision of floats.
    fn zero_between(&self, from: f64, to: f64) -> Option<f64> {
        bisect(|u| self.at(u), from, to)
    }

    fn at(&self, u: f64) -> f64 {
        self.parts.iter().map(|part| part.polynomial(u) * (part.exponent * u).exp()).sum()
    }

    /// The sum divided by its first exponential, unless it is that exponential times a constant, or nothing.
    fn divided(&self) -> Option<ExponentialSum> {
        let first = self.parts.first()?;
        if self.parts.len() == 1 && first.coefficients.len() == 1 {
            return None;
        }
        let by = first.exponent;
        let parts = self.parts.iter().map(|part| Part { exponent: part.exponent - by, ..part.clone() });
        Some(ExponentialSum { parts: parts.collect() })
    }

    fn derivative(&self) -> ExponentialSum {
        let parts = self.parts.iter().map(|part| Part { coefficients: part.slope(), ..*part }).collect();
        ExponentialSum { parts }.without_zeros()
    }

    fn without_zeros(mut self) -> Self {
        for part in &mut self.parts {
            let length = part.coefficients.iter().rposition(|&value| value != 0.0).map_or(0, |last| last + 1);
            part.coefficients.truncate(length);
        }
        self.parts.retain(|part| !part.coefficients.is_empty());
        self
    }
}

impl Part {
    fn polynomial(&self, u: f64) -> f64 {
        self.coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * u + coefficient)
    }

    /// The coefficients of `P' + a P`.
    fn slope(&self) -> Vec<f64> {
        let next = self.coefficients.iter().enumerate().skip(1).map(|(degree, value)| value * degree as f64);
        let slopes = next.chain([0.0]);
        self.coefficients.iter().zip(slopes).map(|(value, slope)| self.exponent * value + slope).collect()
    }
}

/// Where a function that is monotone between two places changes its sign, to the precision of floats.
pub(super) fn bisect(value: impl Fn(f64) -> f64, from: f64, to: f64) -> Option<f64> {
    let (mut low, mut high) = (from, to);
    let begins_negative = match (value(from), value(to)) {
        (begin, end) if begin < 0.0 && end > 0.0 => true,
        (begin, end) if begin > 0.0 && end < 0.0 => false,
        _ => return None,
    };
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return Some(middle);
        }
        let here = value(middle);
        if here == 0.0 {
            return Some(middle);
        }
        if (here < 0.0) == begins_negative {
            low = middle;
        } else {
            high = middle;
        }
    }
}
