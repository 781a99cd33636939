//! From the command line to a model: the file is read and checked, and its rates and sizes get the values of
//! `--set`.

pub(crate) mod foreign;
pub(crate) mod load;
pub(crate) mod read;
pub(crate) mod settings;
