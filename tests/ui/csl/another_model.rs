use skel::prelude::*;

pepa! { model Machine { Up = (fail, 3 / 10).Down; Down = (mend, 2).Up; Up } }
pepa! { model Other { Up = (fail, 3 / 10).Down; Down = (mend, 2).Up; Up } }

fn main() {
    let space = Machine::new().explore().unwrap();
    let _ = space.check(csl!(Other, "S=? [ Down = 1 ]"));
}
