//! Which parcels are measured in all of their parts, and what is typical of those that were.

/// Distances between samples, at random from 8 to 23, by a xorshift generator (G. Marsaglia, *Xorshift RNGs*, 2003).
#[derive(Debug)]
pub(super) struct Distances(u32);

impl Distances {
    pub(super) fn seeded(seed: u64) -> Self {
        Distances(seed as u32 | 1)
    }

    pub(super) fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        8 + (self.0 >> 28)
    }
}

/// An estimate of the median of what was measured, in two words: a step up for each measurement above it, and one down for each below.
/// So it does not notice that a thread lost its processor now and then.
///
/// Source: Q. Ma, S. Muthukrishnan and M. Sandler, *Frugal streaming for estimating quantiles*, 2013; steps of a sixteenth.
#[derive(Debug, Default)]
pub(super) struct Median(Option<u64>);

impl Median {
    /// None before the first measurement.
    #[inline]
    pub(super) fn get(&self) -> Option<u64> {
        self.0
    }

    pub(super) fn add(&mut self, measured: u64) {
        let median = self.0.unwrap_or(measured);
        let step = (median / 16).max(1);
        self.0 = Some(median.saturating_add_signed(step as i64 * (measured.cmp(&median) as i64)));
    }
}
