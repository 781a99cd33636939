//! Values that a text gives to names: of rates, and of the sizes of arrays.

pub(super) mod rates;
pub(super) mod sizes;
