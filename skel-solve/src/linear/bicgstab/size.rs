//! How large a vector is.

use crate::vector::{StoredFloat, most, worst};

/// How residuals are measured.
#[derive(Clone, Copy)]
pub(crate) enum Size {
    /// By the largest magnitude.
    Worst,
    /// By the largest element, where those below zero do no harm.
    Above,
    /// By the sum of all magnitudes.
    Total,
}

impl Size {
    pub(crate) fn of<K: StoredFloat>(self, vector: &[K]) -> f64 {
        match self {
            Size::Worst => worst(vector),
            Size::Above => most(vector),
            Size::Total => vector.iter().map(|element| element.value().abs()).sum(),
        }
    }

    /// Whether residuals are those of balance equations, which add up to no flow. Those of a comparison
    /// function do not.
    pub(super) fn is_of_balance(self) -> bool {
        !matches!(self, Size::Above)
    }

    /// Of two parts of a vector, from the sizes of both.
    pub(super) fn and(self, one: f64, other: f64) -> f64 {
        match self {
            Size::Worst => worst(&[one, other]),
            Size::Above => most(&[one, other]),
            Size::Total => one + other,
        }
    }
}
