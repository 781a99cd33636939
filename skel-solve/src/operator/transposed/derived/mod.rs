//! Lists that are made from other chains: of some of their states, in another order, transposed, or without
//! what connects parts.

mod among;
mod arranged;
mod dual;
mod within_parts;
