//! Passes over a list for [incomplete factors](crate::linear::dilu) `(E - L) E^-1 (E - U)`, whose entries
//! beside the diagonal are the rates: `L` has those from earlier states, `U` those from later ones, and `E`
//! the *pivots*.

use super::codes::RateCode;
use super::triangles::{TriangularParts, sum};
use super::{BETWEEN_STOPS, Context, Pass, SharedFactors, TransposedRates};
use crate::operator::SharedPass;

impl TransposedRates {
    /// The pivots with which the product of the factors has the exit rates on its diagonal. One that
    /// vanishes, where the matrix is singular, is replaced by the exit rate.
    pub(crate) fn pivots(&self) -> Vec<f64> {
        let mut pivots = self.exits.clone();
        self.do_with(Pivots(&mut pivots));
        pivots
    }

    /// `x := E (E - L)^-1 x`
    pub(crate) fn substitute_forwards(&self, pivots: &[f64], x: &mut [f64]) {
        self.do_with(Forwards { pivots, x });
    }

    /// `x := (E - L) E^-1 x`
    pub(crate) fn multiply_forwards(&self, pivots: &[f64], x: &mut [f64]) {
        self.do_with(Product { pivots, x });
    }

    /// `x := (E - U)^-1 x`
    pub(crate) fn substitute_backwards(&self, pivots: &[f64], x: &mut [f64]) {
        self.do_with(Backwards { pivots, x });
    }

    /// `x := x - E (E - L)^-1 A (E - U)^-1 x`
    pub(crate) fn rest_of_factors(&self, pivots: &[f64], x: &mut [f64], half: &mut [f64]) {
        self.do_with(Rest { pivots, x, half });
    }

    /// How several threads share [`Self::rest_of_factors`]; none where one does it.
    pub(crate) fn shared_factors<'r>(&'r self, pivots: &'r [f64]) -> Option<Box<dyn SharedPass + 'r>> {
        SharedFactors::of(self, pivots).map(|factors| Box::new(factors) as Box<dyn SharedPass>)
    }
}

struct Pivots<'x>(&'x mut [f64]);

impl Pass for Pivots<'_> {
    /// A rate counts where there is one back, which is looked for in the row of its source. States come there
    /// in ascending order, so each row is read once.
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        const VANISHING: f64 = 1e-10;
        let (Pivots(pivots), table, later) = (self, context.table, &rates.later);
        let mut end = 0;
        let ranges = later.counts.iter().map(|&count| {
            end += count as usize;
            end - count as usize..end
        });
        let mut unread: Vec<_> = ranges.collect();
        for (state, (sources, values)) in rates.earlier.rows().enumerate() {
            if state.is_multiple_of(BETWEEN_STOPS) && context.stop.is_due() {
                return;
            }
            let mut pivot = pivots[state];
            for (&source, rate) in sources.iter().zip(values) {
                let unread = &mut unread[source as usize];
                while unread.start < unread.end && (later.columns[unread.start] as usize) < state {
                    unread.start += 1;
                }
                if unread.start < unread.end && later.columns[unread.start] as usize == state {
                    let back = later.values[unread.start].rate(table);
                    pivot -= rate.rate(table) * back / pivots[source as usize];
                }
            }
            if pivot > VANISHING * pivots[state] {
                pivots[state] = pivot;
            }
        }
    }
}

struct Forwards<'x> {
    pivots: &'x [f64],
    x: &'x mut [f64],
}

impl Pass for Forwards<'_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        let Forwards { pivots, x } = self;
        rates.substitute(context.table, pivots, x, context.stop);
        x.iter_mut().zip(pivots).for_each(|(value, pivot)| *value *= pivot);
    }
}

struct Product<'x> {
    pivots: &'x [f64],
    x: &'x mut [f64],
}

impl Pass for Product<'_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        let Product { pivots, x } = self;
        x.iter_mut().zip(pivots).for_each(|(value, pivot)| *value /= pivot);
        let rows = rates.earlier.rows_backwards().enumerate();
        for ((from_last, row), (at, pivot)) in rows.zip(pivots.iter().enumerate().rev()) {
            if from_last.is_multiple_of(BETWEEN_STOPS) && context.stop.is_due() {
                return;
            }
            x[at] = pivot * x[at] - sum(0.0, row, context.table, x);
        }
    }
}

struct Backwards<'x> {
    pivots: &'x [f64],
    x: &'x mut [f64],
}

impl Pass for Backwards<'_> {
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        let Backwards { pivots, x } = self;
        substitute_back(rates, context, pivots, x, |state, x| x[state]);
    }
}

/// Sets `x := (E - U)^-1 b`, from the last state to the first. A function gives `b`, which may be what `x`
/// still has in that state.
fn substitute_back<V: RateCode>(
    rates: &TriangularParts<V>,
    context: &Context<'_>,
    pivots: &[f64],
    x: &mut [f64],
    right: impl Fn(usize, &[f64]) -> f64,
) {
    let mut rows = rates.later.rows_backwards();
    let mut end = x.len();
    for pivots in pivots.rchunks(BETWEEN_STOPS) {
        if context.stop.is_due() {
            return;
        }
        for (pivot, row) in pivots.iter().rev().zip(&mut rows) {
            end -= 1;
            x[end] = sum(right(end, x), row, context.table, x) * (1.0 / pivot);
        }
    }
}

struct Rest<'x> {
    pivots: &'x [f64],
    x: &'x mut [f64],
    half: &'x mut [f64],
}

impl Pass for Rest<'_> {
    /// Back, `t = (E - U)^-1 x`; forth, `s = (E - L)^-1 (x - (2 E - D) t)`; and what is left is
    /// `x - E (t + s)`. Of `t`, a state needs its own value alone on the way forth, so that `s` takes its
    /// place.
    fn run<V: RateCode>(self, rates: &TriangularParts<V>, context: &Context<'_>) {
        let (Rest { pivots, x, half }, table) = (self, context.table);
        substitute_back(rates, context, pivots, half, |state, _| x[state]);
        let mut rows = rates.earlier.rows().enumerate();
        for (pivots, exits) in pivots.chunks(BETWEEN_STOPS).zip(context.exits.chunks(BETWEEN_STOPS)) {
            if context.stop.is_due() {
                return;
            }
            for ((pivot, exit), (state, row)) in pivots.iter().zip(exits).zip(&mut rows) {
                let (value, back) = (x[state], half[state]);
                let forth = sum(value - (2.0 * pivot - exit) * back, row, table, half) * (1.0 / pivot);
                half[state] = forth;
                x[state] = value - pivot * (back + forth);
            }
        }
    }
}
