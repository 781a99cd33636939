use skel::prelude::*;

include_pepa!(pub model Fixture = "no_such_file.pepa");

fn main() {}
