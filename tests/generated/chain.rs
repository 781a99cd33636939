//! Random chains in continuous time of a single component, with their generators as dense matrices.

use skel::prelude::*;

/// Numbers without an obvious pattern.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

/// A chain with its rates, self-loops included.
pub(crate) struct Chain {
    pub(crate) rates: Vec<Vec<i64>>,
    pub(crate) space: StateSpace,
    /// The number of each local state in the space.
    pub(crate) number: Vec<usize>,
}

/// Per local state whether it is a member.
pub(crate) type Set = Vec<bool>;

impl Chain {
    pub(crate) fn random(random: &mut Random) -> Chain {
        let count = 2 + random.below(5);
        let mut rates = vec![vec![0; count]; count];
        let mut text = String::new();
        for (state, row) in rates.iter_mut().enumerate() {
            let mut activities = Vec::new();
            for _ in 0..1 + random.below(3) {
                let (target, rate) = (random.below(count), 1 + random.below(9) as i64);
                row[target] += rate;
                activities.push(format!("(a{target}, {rate}).S{target}"));
            }
            text += &format!("S{state} = {};\n", activities.join(" + "));
        }
        text += "S0";
        let model = Model::from_text(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let space = model.explore().unwrap();
        // Only what is reached counts: the others have no number.
        let number = (0..count).map(|state| {
            let id = model.local_state_named(&format!("S{state}"));
            id.and_then(|id| space.number_of(&[id])).unwrap_or(usize::MAX)
        });
        Chain { rates, number: number.collect(), space }
    }

    pub(crate) fn states(&self) -> usize {
        self.rates.len()
    }

    pub(crate) fn exit(&self, state: usize) -> i64 {
        (0..self.states()).filter(|&other| other != state).map(|other| self.rates[state][other]).sum()
    }

    pub(crate) fn set(&self, random: &mut Random) -> (Set, String) {
        let members: Set = (0..self.states()).map(|_| random.below(3) == 0).collect();
        let terms: Vec<String> =
            (0..self.states()).filter(|&state| members[state]).map(|state| self.term(state)).collect();
        let text = if terms.is_empty() { "false".to_owned() } else { format!("({})", terms.join(" | ")) };
        (members, text)
    }

    pub(crate) fn term(&self, state: usize) -> String {
        // A local state that is never entered is not part of the model.
        if self.number[state] == usize::MAX { "false".to_owned() } else { format!("S{state} = 1") }
    }

    /// The generator, where states of a set are not left.
    pub(crate) fn generator(&self, ended: &Set) -> Vec<Vec<f64>> {
        let count = self.states();
        let mut q = vec![vec![0.0; count]; count];
        for state in (0..count).filter(|&state| !ended[state]) {
            for other in (0..count).filter(|&other| other != state) {
                q[state][other] = self.rates[state][other] as f64;
            }
            q[state][state] = -(self.exit(state) as f64);
        }
        q
    }
}

pub(crate) fn times(left: &[Vec<f64>], right: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let count = right.len();
    let row = |row: &Vec<f64>| {
        (0..count).map(|column| (0..count).map(|at| row[at] * right[at][column]).sum()).collect()
    };
    left.iter().map(row).collect()
}

/// The exponential of a matrix whose entries off the diagonal are not negative.
pub(crate) fn exponential(matrix: &[Vec<f64>], time: f64) -> Vec<Vec<f64>> {
    let count = matrix.len();
    let rate = (0..count).map(|at| -matrix[at][at]).fold(1.0, f64::max);
    let mut squarings = 0;
    while rate * time / f64::powi(2.0, squarings) > 0.5 {
        squarings += 1;
    }
    let step = time / f64::powi(2.0, squarings);
    let shifted: Vec<Vec<f64>> = (0..count)
        .map(|row| {
            (0..count).map(|at| (matrix[row][at] + if at == row { rate } else { 0.0 }) * step).collect()
        })
        .collect();
    let identity: Vec<Vec<f64>> =
        (0..count).map(|row| (0..count).map(|at| if at == row { 1.0 } else { 0.0 }).collect()).collect();
    let (mut sum, mut term) = (identity.clone(), identity);
    for power in 1..40 {
        term = times(&term, &shifted);
        term.iter_mut().flatten().for_each(|value| *value /= f64::from(power));
        sum.iter_mut().flatten().zip(term.iter().flatten()).for_each(|(sum, term)| *sum += term);
    }
    sum.iter_mut().flatten().for_each(|value| *value *= f64::exp(-rate * step));
    for _ in 0..squarings {
        sum = times(&sum, &sum);
    }
    sum
}
