//! The command `skel`.
fn main() {}
