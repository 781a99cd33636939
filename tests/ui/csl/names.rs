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
    let _ = csl!(Machine, "S=? [ Dwon = 1 ]");
    let _ = csl!(Machine, "P=? [ F<=1 \"brokn\" ]");
    let _ = csl!(Machine, "R{\"mnd\"}=? [ S ]");
    let _ = csl!(Machine, "S=? [ \"Down\" ]");
    let _ = csl!(Machine, "S=? [ {Dwon} ]");
}
