//! Random chains of several kinds, for tests that hold what is said of an answer against the answer by
//! elimination.

use crate::chain::{Generator, Matrix};

/// Numbers by a linear congruence.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// From 0 to 1.
    pub(crate) fn share(&mut self) -> f64 {
        self.below(1 << 20) as f64 / f64::from(1 << 20)
    }

    /// So many decades around 1.
    pub(crate) fn rate(&mut self, decades: f64) -> f64 {
        10_f64.powf(decades * (self.share() - 0.5))
    }
}

/// The rates from each state.
pub(crate) type Lists = Vec<Vec<(u32, f64)>>;

fn add(rows: &mut Lists, from: usize, to: usize, rate: f64) {
    if from == to {
        return;
    }
    match rows[from].binary_search_by_key(&(to as u32), |&(target, _)| target) {
        Ok(at) => rows[from][at].1 += rate,
        Err(at) => rows[from].insert(at, (to as u32, rate)),
    }
}

/// A cycle with short cuts, at rates of many decades.
pub(crate) fn stiff(draw: &mut Draw) -> Lists {
    let states = 3 + draw.below(60);
    let decades = 12.0 * draw.share();
    let mut rows = vec![Vec::new(); states];
    for state in 0..states {
        add(&mut rows, state, (state + 1) % states, draw.rate(decades));
        for _ in 0..draw.below(4) {
            let (to, rate) = (draw.below(states), draw.rate(decades));
            add(&mut rows, state, to, rate);
        }
    }
    rows
}

/// A line with a drift, whose rare end may have a probability of `1e-200`.
pub(crate) fn queue(draw: &mut Draw) -> Lists {
    let states = 3 + draw.below(60);
    let (drift, decades) = (draw.rate(6.0), 2.0 * draw.share());
    let mut rows = vec![Vec::new(); states];
    for state in 1..states {
        let (up, down) = (drift * draw.rate(decades), draw.rate(decades));
        add(&mut rows, state - 1, state, up);
        add(&mut rows, state, state - 1, down);
    }
    rows
}

/// Parts that are joined by slow rates, and parts of parts.
pub(crate) fn in_parts(draw: &mut Draw) -> Lists {
    let (of_part, parts) = (2 + draw.below(6), 2 + draw.below(6));
    let states = of_part * parts;
    let slow = 10_f64.powi(-1 - draw.below(10) as i32);
    let mut rows = vec![Vec::new(); states];
    for state in 0..states {
        let part = state / of_part;
        let within = part * of_part + (state + 1) % of_part;
        let (rate, other, across) = (draw.rate(2.0), draw.below(states), draw.rate(2.0));
        add(&mut rows, state, within, rate);
        add(&mut rows, state, (state + of_part) % states, slow * across);
        add(&mut rows, state, other, slow * slow * across);
    }
    rows
}

/// Two queues in a line, into the first of which customers come at rates of four decades.
pub(crate) fn tandem(draw: &mut Draw) -> Lists {
    let places = [1 + draw.below(8), 1 + draw.below(8)];
    let rates = [draw.rate(4.0), draw.rate(1.0), draw.rate(1.0)];
    in_a_line(places, rates)
}

/// Two queues in a line, the first of which is nearly always full, so that most states are rare.
pub(crate) fn nearly_full(draw: &mut Draw) -> Lists {
    let places = [20 + draw.below(20), 2 + draw.below(8)];
    let rates = [300.0 * draw.rate(1.0), draw.rate(0.5), draw.rate(0.5)];
    in_a_line(places, rates)
}

/// Two queues with so many places, and the rates into them, from one to the other, and out.
fn in_a_line([first, second]: [usize; 2], rates: [f64; 3]) -> Lists {
    let mut rows = vec![Vec::new(); (first + 1) * (second + 1)];
    let number = |one: usize, other: usize| one * (second + 1) + other;
    for one in 0..=first {
        for other in 0..=second {
            if one < first {
                add(&mut rows, number(one, other), number(one + 1, other), rates[0]);
            }
            if one > 0 && other < second {
                add(&mut rows, number(one, other), number(one - 1, other + 1), rates[1]);
            }
            if other > 0 {
                add(&mut rows, number(one, other), number(one, other - 1), rates[2]);
            }
        }
    }
    rows
}

/// Two or three queues side by side with nearly even loads, over all of whose states probability is spread.
pub(crate) fn lattice(draw: &mut Draw) -> Lists {
    let sides: Vec<usize> = (0..2 + draw.below(2)).map(|_| 3 + draw.below(6)).collect();
    lattice_of(&sides, draw)
}

/// The same with so many places for each.
pub(crate) fn lattice_of(sides: &[usize], draw: &mut Draw) -> Lists {
    let rates: Vec<(f64, f64)> = sides.iter().map(|_| (draw.rate(1.0), draw.rate(1.0))).collect();
    let mut rows = vec![Vec::new(); sides.iter().product()];
    for state in 0..rows.len() {
        let mut stride = 1;
        for (side, (up, down)) in sides.iter().zip(&rates) {
            let place = state / stride % side;
            if place + 1 < *side {
                add(&mut rows, state, state + stride, *up);
            }
            if place > 0 {
                add(&mut rows, state, state - stride, *down);
            }
            stride *= side;
        }
    }
    rows
}

/// A grid of so many columns and rows, without the values of its entries.
pub(crate) fn grid(columns: usize, rows: usize) -> Matrix<f64> {
    let (mut offsets, mut targets) = (vec![0], Vec::new());
    for state in 0..columns * rows {
        let (column, row) = (state % columns, state / columns);
        let near = [
            (row > 0, state.wrapping_sub(columns)),
            (column > 0, state.wrapping_sub(1)),
            (column + 1 < columns, state + 1),
            (row + 1 < rows, state + columns),
        ];
        targets.extend(near.iter().filter(|(is_there, _)| *is_there).map(|&(_, to)| to as u32));
        offsets.push(targets.len());
    }
    let values = vec![1.0; targets.len()];
    Matrix::new(offsets, targets, values)
}

/// A line with two likely ends, and rare states between them.
pub(crate) fn two_modes(draw: &mut Draw) -> Lists {
    let half = 3 + draw.below(20);
    let drift = 10_f64.powf(draw.share());
    let mut rows = vec![Vec::new(); 2 * half];
    for state in 1..2 * half {
        let (up, down) = if state < half { (1.0, drift) } else { (drift, 1.0) };
        let (up, down) = (up * draw.rate(0.2), down * draw.rate(0.2));
        add(&mut rows, state - 1, state, up);
        add(&mut rows, state, state - 1, down);
    }
    rows
}

/// A walk over so many states in a row, with the rates up and down of each.
pub(crate) fn walk(states: u32, rates: impl Fn(u32) -> [f64; 2]) -> Lists {
    let row = |state: u32| {
        let [up, down] = rates(state);
        let below = state.checked_sub(1).map(|below| (below, down));
        let above = (state + 1 < states).then_some((state + 1, up));
        below.into_iter().chain(above).collect()
    };
    (0..states).map(row).collect()
}

/// The generator matrix.
pub(crate) fn generator(rows: &Lists) -> Generator<f64> {
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for (state, row) in rows.iter().enumerate() {
        let exit: f64 = row.iter().map(|(_, rate)| rate).sum();
        let mut entries: Vec<(u32, f64)> = row.clone();
        entries.push((state as u32, -exit));
        entries.sort_by_key(|&(column, _)| column);
        columns.extend(entries.iter().map(|&(column, _)| column));
        values.extend(entries.iter().map(|&(_, value)| value));
        offsets.push(columns.len());
    }
    Generator::new(Matrix::new(offsets, columns, values))
}
