//! Random numbers: the same on every platform, for a seed.

/// A generator of random numbers. G. Steele, D. Lea and C. Flood, *Fast splittable pseudorandom number
/// generators*, 2014 (SplitMix64).
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// One of several independent streams of a seed.
    pub(super) fn stream(seed: u64, number: u64) -> Self {
        let mut random = Random(seed);
        let start = random.bits() ^ number.wrapping_mul(0xd134_2543_de82_ef95);
        Random(Random(start).bits())
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// From 0 on, below 1.
    pub(super) fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Exponential with mean 1, by comparisons alone, so that no platform's logarithm has a part in it. J.
    /// von Neumann, *Various techniques used in connection with random digits*, 1951.
    pub(super) fn exponential(&mut self) -> f64 {
        let mut whole = 0.0;
        loop {
            let first = self.uniform();
            if self.falls_odd_times(first) {
                return whole + first;
            }
            whole += 1.0;
        }
    }

    /// Whether a run of falling numbers that begins with this one has an odd length.
    fn falls_odd_times(&mut self, first: f64) -> bool {
        let (mut last, mut is_odd) = (first, true);
        loop {
            let next = self.uniform();
            if next >= last {
                return is_odd;
            }
            (last, is_odd) = (next, !is_odd);
        }
    }

    /// Normal with mean 0 and variance 1. G. Box and M. Muller, *A note on the generation of random normal
    /// deviates*, 1958.
    pub(super) fn normal(&mut self) -> f64 {
        let radius = (2.0 * self.exponential()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn moments_are_those_of_the_distributions() {
        let mut random = Random::stream(1, 0);
        let moments = |values: Vec<f64>| {
            let count = values.len() as f64;
            let mean = values.iter().sum::<f64>() / count;
            (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count)
        };
        let (mean, variance) = moments((0..200_000).map(|_| random.exponential()).collect());
        assert!((mean - 1.0).abs() < 0.01 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
        let (mean, variance) = moments((0..200_000).map(|_| random.normal()).collect());
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
    }

    #[test]
    fn a_seed_gives_the_same_numbers_for_ever() {
        let mut random = Random::stream(7, 3);
        let first: Vec<f64> = (0..3).map(|_| random.exponential()).collect();
        let mut again = Random::stream(7, 3);
        assert_eq!(first, (0..3).map(|_| again.exponential()).collect::<Vec<f64>>());
        let mut other = Random::stream(7, 4);
        assert_ne!(first[0], other.exponential());
    }
}
