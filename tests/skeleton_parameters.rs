//! Skeletons with parameters: one set of handles for every size, and the words of the expression form for
//! wrong values.

use skel::prelude::*;
use skel::rate::Rate;
use skel::skeleton::Skeleton;

pipe! {
    /// Reads images, sharpens them, writes them.
    pub skeleton Images(n: usize) { task("read", 20.0), farm(n, "sharpen", 5.0), task("write", 30.0) }
}

pipe! {
    skeleton Rates(n: u8, deals: i32, mu: f64, nu: impl Into<Rate>,) {
        task("first", mu), farm(n, mu), deal(deals + 1, "last", nu)
    }
}

farm! { skeleton Farm1(n: usize) { n, "worker", 2.0 } }

pipe! { skeleton Nothing() { task("only", 1.0) } }

#[test]
fn a_sweep_keeps_its_handles() -> skel::Result<()> {
    let mut before = 0.0;
    for n in 1..5 {
        let performance = Images::new(n).communicating(100.0).performance()?;
        let expected = pipe!(task("read", 20.0), farm(n, "sharpen", 5.0), task("write", 30.0));
        assert_eq!(Images::new(n).tree().unwrap(), expected.tree().unwrap());
        let throughput = *performance.throughput();
        assert!(throughput > before, "{n}");
        let sharpened = performance.throughput_of(Images::sharpen);
        assert!((sharpened - throughput).abs() < 1e-9);
        before = throughput;
    }
    Ok(())
}

#[test]
fn rates_may_be_parameters_too() {
    let tree = Rates::new(2, 1, 3.5, 4).tree().unwrap();
    assert_eq!(tree, pipe!(task("first", 3.5), farm(2, 3.5), deal(2, "last", 4)).tree().unwrap());
    assert_eq!(Farm1::new(3).tree().unwrap(), farm!(3, "worker", 2.0).tree().unwrap());
    assert_eq!(Nothing::new(), Nothing::default());
}

#[test]
fn wrong_values_are_told_when_it_is_built() {
    let errors = |tree: Result<skel::skeleton::Tree, skel::model::BuildErrors>| tree.unwrap_err().to_string();
    let expression =
        |n: usize| pipe!(task("read", 20.0), farm(n, "sharpen", 5.0), task("write", 30.0)).tree();
    assert_eq!(errors(Images::new(0).tree()), errors(expression(0)));
    assert_eq!(
        errors(Images::new(0).tree()),
        "stage 1: the farm has 0 replicas; help: a farm has at least one replica"
    );
    assert_eq!(errors(Images::new(5_000).tree()), errors(expression(5_000)));
    assert!(errors(Images::new(usize::MAX).tree()).contains("more than 2000"));
    assert_eq!(Rates::new(0, -3, f64::NAN, 0).tree().unwrap_err().0.len(), 5);
}
