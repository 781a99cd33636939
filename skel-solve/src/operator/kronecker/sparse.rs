//! Small sparse matrices of rates: the factors of the products in a [descriptor](super::descriptor).

use super::diagonals::Diagonals;

/// A small matrix of rates, with a row for each target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sparse {
    /// The rows that are not empty, sorted by target.
    pub(crate) rows: Vec<Row>,
    sources: Vec<u32>,
    rates: Vec<f64>,
    /// The same entries, as products use them.
    pub(super) diagonals: Diagonals,
}

/// A row of a small matrix. Its entries are sorted by source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) target: u32,
    pub(crate) start: u32,
    /// The first entry whose source is not smaller than the target.
    pub(crate) middle: u32,
    pub(crate) end: u32,
}

impl Sparse {
    /// A matrix from entries `(target, source, rate)`, of which those of an activity come one after the
    /// other. Entries with the same target and source are added up.
    pub(super) fn from_entries(mut entries: Vec<(u32, u32, f64)>) -> Sparse {
        let diagonals = Diagonals::new(&entries);
        entries.sort_by_key(|&(target, source, _)| (target, source));
        entries.dedup_by(|later, first| {
            let is_same = (later.0, later.1) == (first.0, first.1);
            if is_same {
                first.2 += later.2;
            }
            is_same
        });
        let mut rows: Vec<Row> = Vec::new();
        for (at, &(target, source, _)) in entries.iter().enumerate() {
            let at = at as u32;
            if rows.last().is_none_or(|row| row.target != target) {
                rows.push(Row { target, start: at, middle: at, end: at });
            }
            if let Some(row) = rows.last_mut() {
                row.end = at + 1;
                row.middle += u32::from(source < target);
            }
        }
        let sources = entries.iter().map(|entry| entry.1).collect();
        let rates = entries.iter().map(|entry| entry.2).collect();
        Sparse { rows, sources, rates, diagonals }
    }

    /// The least rate; infinite for an empty matrix.
    pub(super) fn least_rate(&self) -> f64 {
        self.rates.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The number of entries.
    pub(crate) fn entries(&self) -> usize {
        self.rates.len()
    }

    /// The sources and rates of a range of entries.
    #[inline]
    pub(crate) fn range(&self, from: u32, to: u32) -> impl Iterator<Item = (usize, f64)> {
        let range = from as usize..to as usize;
        let sources = self.sources[range.clone()].iter().map(|&source| source as usize);
        sources.zip(self.rates[range].iter().copied())
    }

    /// The inflow by a range of entries.
    #[inline]
    pub(crate) fn sum(&self, from: u32, to: u32, values: &[f64]) -> f64 {
        self.range(from, to).map(|(source, rate)| rate * values[source]).sum()
    }
}
