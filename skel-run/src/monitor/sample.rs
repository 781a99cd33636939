//! Which parcels are measured in all of their parts.

/// Distances between samples, at random from 8 to 23, by a xorshift generator (G. Marsaglia, *Xorshift RNGs*,
/// 2003).
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
