//! How a state is packed into words. Each component has a field of bits for its local state; interchangeable
//! copies of a component have one field for each local state, which counts the copies in it.

pub(crate) mod layout;
pub(crate) mod local_numbers;
