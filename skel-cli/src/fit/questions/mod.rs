//! What models are asked for: predictions, their errors beside measured times, crossovers, and shares of
//! work.

pub(super) mod compare;
pub(super) mod overtake;
pub(super) mod place;
pub(super) mod predict;
pub(super) mod shares;
pub(super) mod subject;
