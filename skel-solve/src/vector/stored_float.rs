//! The types in which the elements of long vectors are stored.

/// The type in which the elements of a method's vectors are stored.
///
/// All arithmetic is in `f64`. With vectors in `f32`, a method takes half the memory, and each of its cycles
/// reduces the defects by about six digits. The next cycle starts from the true defects in `f64`, so the
/// answer loses no digits. But each start discards the Krylov space built so far, so that it takes more
/// iterations.
pub(crate) trait StoredFloat: Copy + Send + Sync {
    /// The factor by which one cycle can reduce the defects.
    const REDUCTION: f64;

    fn of(value: f64) -> Self;

    fn value(self) -> f64;
}

impl StoredFloat for f64 {
    const REDUCTION: f64 = 1e-12;

    fn of(value: f64) -> f64 {
        value
    }

    fn value(self) -> f64 {
        self
    }
}

impl StoredFloat for f32 {
    const REDUCTION: f64 = 1e-6;

    fn of(value: f64) -> f32 {
        value as f32
    }

    fn value(self) -> f64 {
        f64::from(self)
    }
}
