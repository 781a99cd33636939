//! Names that the generated type has too: nothing that it can do is lost to an action of the same name.

use skel::prelude::*;

pepa! {
    #[allow(unsynchronised_action)]
    pub model Taken {
        from = 1; other = 2;
        P = (default, from).(new, other).(clone, 2).(build, 2).(eq, 2).(fmt, 2).(explore, 2).(explore_within, 2).P;
        Q = (ne, 1).(into, 1).(to_owned, 1).(clone_into, 1).(drop, 1).Q;
        P || Q
    }
}

#[test]
fn actions_may_be_called_as_the_type_s_own_functions() -> skel::Result<()> {
    let model = Taken::default();
    assert_eq!(model.clone(), Taken::new());
    assert!(format!("{model:?}").starts_with("Taken"));
    let changed = Taken { from: 2.into(), ..Taken::default() };
    assert_ne!(changed, model);
    assert_eq!(changed.build()?.positions(), 2);
    let pi = model.explore()?.steady_state_exact()?;
    assert_eq!(pi.throughput_of(Taken::default_action), pi.throughput_of(Taken::explore));
    assert_eq!(pi.throughput_of(Taken::new_action), pi.throughput_of(Taken::build));
    Ok(())
}

#[test]
fn a_rate_that_a_template_does_not_have_is_an_error_when_it_is_built() {
    let model = pepa! { rate = 1; P = (go, rate).P; P };
    assert!(model.clone().with("rate", 2).build().is_ok());
    let errors = model.with("raet", 2).with("rate", 0).explore().unwrap_err().to_string();
    let expected = "the model has no rate `raet`; help: did you mean `rate`?\nthe rate `rate` is 0; help: ";
    assert!(errors.starts_with(expected), "{errors}");
}
