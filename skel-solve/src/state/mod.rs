//! How a state is packed into words: a field of bits for each component, or for copies that are alike a count for each local
//! state.

pub(crate) mod layout;
pub(crate) mod local_numbers;
