use std::cell::Cell;

use skel::prelude::*;

pipe! {
    skeleton Roots { task("read", 1.0), fault_tolerant(3, "root", 1.0) }
}

fn main() {
    // There are three workers.
    let _ = Roots::new().run().read(|number: u32| number).root(|number| *number, |number| *number);
    // Results are compared.
    let _ = Roots::new().run().read(|number: f64| number).root(|number| *number, |number| *number, |number| *number);
    // The workers look at the item at the same time.
    let _ = Roots::new().run().read(|number: u32| Cell::new(number)).root(Cell::get, Cell::get, Cell::get);
}
