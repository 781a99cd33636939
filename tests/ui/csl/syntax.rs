use skel::prelude::*;

pepa! {
    model Machine {
        Up = (fail, 3 / 10).Down;
        Down = (mend, 2).Up;
        Up;
        Down = {Down};
        broken = {Down};
    }
}

fn main() {
    let _ = csl!("P=? [ F<=1 \"broken\"");
    let _ = csl!("P>=1.5 [ true U[2,1] Down = 1 ]");
    let _ = csl!("S=? [ true ]; S=? [ true ]");
    let _ = csl!("");
    let _ = csl!();
    let _ = csl!(Machine "S=? [ true ]");
}
