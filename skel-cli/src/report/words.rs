//! Numbers of things in words.

use std::fmt::Display;

/// `1 state`, `2 states`
pub(crate) fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let is_one = number == N::from(1);
    let ending = match noun.strip_suffix("ss") {
        Some(_) if !is_one => "es",
        _ if !is_one => "s",
        _ => "",
    };
    format!("{number} {noun}{ending}")
}
