use std::cell::Cell;

use skel::prelude::*;

fn vote(number: &u32) -> f64 {
    f64::from(*number)
}

fn main() {
    // Results are compared.
    let _ = fault_tolerant!(3, "root", 1.0, (|number: &f64| *number, |number| *number, |number| *number));
    let _ = fault_tolerant!(3, "root", 1.0, [vote, vote, vote]);
    // The workers look at the item at the same time.
    let _ = pipe!(task(1.0, |number: u32| Cell::new(number)), fault_tolerant(3, 1.0, (Cell::get, Cell::get, Cell::get)));
    // A function of the wrong item.
    let _ = pipe!(task(1.0, |number: u32| number), fault_tolerant(3, 1.0, (|n| *n, |n| *n, |text: &String| 1)));
    // A function alone, where a list is expected.
    let _ = fault_tolerant!(3, "root", 1.0, vote);
}
