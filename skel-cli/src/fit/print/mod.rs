//! The answer in its three forms.

mod columns;
pub(super) mod csv;
mod fitted;
pub(super) mod json;
pub(super) mod text;

pub(super) use fitted::percent;
