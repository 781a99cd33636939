use skel::prelude::*;

include_pepa!(pub model Fixture = "several_at_once.pepa");

fn main() {}
