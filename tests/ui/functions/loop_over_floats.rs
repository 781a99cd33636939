//! The indices of a loop are whole numbers.

fn main() {
    let _ = skel::run::distribute(0.0..10.0);
}
