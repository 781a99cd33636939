//! The macros where the library has another name, in every place where a call may stand.

use another_name::prelude::*;

pepa! {
    /// A machine that breaks down and is repaired.
    model Machine {
        failure = 1; repair = 3;
        Up = (fail, failure).Down;
        Down = (mend, repair).Up;
        Up
    }
}

include_pepa!(model Tiny = "../../models/tiny.pepa");

#[test]
fn an_item() -> another_name::Result<()> {
    let pi = Machine::new().explore()?.steady_state_exact()?;
    assert_eq!(pi.utilisation_of(Machine::Up), ratio(3, 4));
    Ok(())
}

#[test]
fn an_expression() -> another_name::Result<()> {
    let arrivals = 3.0;
    let queue = another_name::pepa! {
        Empty = (arrive, { arrivals }).Full;
        Full = (serve, 1).Empty;
        Empty
    };
    assert_eq!(queue.explore()?.steady_state_exact()?.throughput_named("serve")?, ratio(3, 4));
    Ok(())
}

#[test]
fn an_included_item() -> another_name::Result<()> {
    let pi = Tiny::new().explore()?.steady_state_exact()?;
    assert_eq!(pi.throughput_of(Tiny::run), ratio(5, 4));
    Ok(())
}

#[test]
fn an_included_expression() -> another_name::Result<()> {
    let tiny = another_name::include_pepa!("../../models/tiny.pepa");
    assert_eq!(tiny.explore()?.steady_state_exact()?.result_named("run1")?, ratio(1, 16));
    Ok(())
}

#[test]
fn an_item_in_a_function() -> another_name::Result<()> {
    pepa! { model Clock { Tick = (tick, 2).Tick; Tick } }
    include_pepa!(model Tiny = "../../models/tiny.pepa");
    let clock = Clock::default().explore()?.steady_state_exact()?;
    let tiny = Tiny { r2: 1.into(), ..Tiny::new() }.explore()?.steady_state_exact()?;
    assert_eq!(clock.throughput_of(Clock::tick), ratio(2, 1));
    assert_eq!(tiny.utilisation_of(Tiny::P2), ratio(2, 5));
    Ok(())
}

#[test]
fn an_expression_as_an_argument() {
    let states = |model: Template| model.explore().unwrap().states();
    let sizes = [states(pepa!(P = (a, 1).Q; Q = (b, 1).P; P[3])), states(pepa!(< P = (a, 1).P; P >))];
    assert_eq!(sizes, [8, 1]);
}

mod outer {
    pub(super) mod inner {
        another_name::pepa! {
            pub(in crate::outer) model Hidden { P = (a, 1).P; P }
        }
        another_name::pepa! {
            pub(crate) model One { rate = 2; P = (a, rate).Q; Q = (b, 2 * rate).P; P }
        }
        another_name::pepa! {
            pub(crate) model Other { rate = 2; P = (a, rate).Q; Q = (b, 2 * rate).P; P }
        }
    }

    pub(super) fn hidden() -> usize {
        use another_name::prelude::*;
        inner::Hidden::new().explore().unwrap().states()
    }
}

#[test]
fn two_models_in_a_nested_module() -> another_name::Result<()> {
    use outer::inner::{One, Other};
    let one = One::new().explore()?.steady_state_exact()?;
    let other = Other { rate: 4.into() }.explore()?.steady_state_exact()?;
    assert_eq!((one.throughput_of(One::a), other.throughput_of(Other::b)), (ratio(4, 3), ratio(8, 3)));
    assert_eq!(outer::hidden(), 1);
    Ok(())
}

macro_rules! queue {
    ($name:ident, $rate:expr, $capacity:literal) => {
        pepa! {
            model $name {
                Idle = (arrive, { $rate }).Busy;
                Busy = (serve, 1).Idle;
                Idle[$capacity]
            }
        }
    };
}

queue!(Pair, 1 + 1, 2);

#[test]
fn a_call_in_a_macro_of_the_user() -> another_name::Result<()> {
    let pi = Pair::new().explore()?.steady_state_exact()?;
    assert_eq!(pi.population_of(Pair::Busy), ratio(4, 3));
    Ok(())
}

mod runs {
    use another_name::prelude::*;

    pipe! { pub(super) skeleton Lengths { task("read", 20.0), farm(2, "measure", 5.0) } }
}

#[test]
fn a_skeleton_that_runs() {
    pipe! { skeleton Local { task("read", 20.0), farm(2, "measure", 5.0) } }
    let lengths = runs::Lengths::new().run().read(str::trim).measure(str::len).collect(["a ", " bc"]);
    assert_eq!(lengths.unwrap().0, [1, 2]);
    let lengths =
        Local::new().communicating(1.0).run().read(str::trim).measure(str::len).collect(["a ", " bc"]);
    assert_eq!(lengths.unwrap().0, [1, 2]);
    let inline = pipe!(task("read", 20.0, str::trim), farm(2, 5.0, |text| text.chars().count())).run();
    assert_eq!(inline.collect(["a ", " bc"]).unwrap().0, [1, 2]);
}

macro_rules! doubled {
    ($name:ident, $task:literal, $method:ident, $input:expr) => {{
        pipe! { skeleton $name { task($task, 1.0), task("double", 2.0) } }
        let inline = pipe!(task($task, 1.0, |number: u32| number), task("double", 2.0, |number| 2 * number));
        let named = $name::new().run().$method(|number: u32| number).double(|number| 2 * number);
        (named.collect($input).unwrap().0, inline.run().collect($input).unwrap().0)
    }};
}

#[test]
fn functions_in_a_macro_of_the_user() {
    assert_eq!(doubled!(Doubled, "read", read, [1, 2]), (vec![2, 4], vec![2, 4]));
}
