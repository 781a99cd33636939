//! How numbers and tables of answers are written.

pub(crate) mod csv;
pub(crate) mod figure;
pub(crate) mod object;
pub(crate) mod table;
pub(crate) mod words;
