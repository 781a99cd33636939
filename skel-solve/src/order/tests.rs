use super::{Order, by_flow};
