//! Skeletons as items: the longest pipe, and a handle for every name.

use skel::prelude::*;
use skel::skeleton::{Skeleton, Structured};

pipe! {
    pub skeleton Sixteen {
        task(1.0),
        task(2.0),
        task(3.0),
        task(4.0),
        task(5.0),
        task(6.0),
        task(7.0),
        task(8.0),
        task(9.0),
        task(10.0),
        task(11.0),
        task(12.0),
        task(13.0),
        task(14.0),
        task(15.0),
        task(16.0),
    }
}

#[test]
fn a_pipe_of_sixteen_is_shown_and_compared() {
    let expression = pipe!(
        task(1.0),
        task(2.0),
        task(3.0),
        task(4.0),
        task(5.0),
        task(6.0),
        task(7.0),
        task(8.0),
        task(9.0),
        task(10.0),
        task(11.0),
        task(12.0),
        task(13.0),
        task(14.0),
        task(15.0),
        task(16.0)
    );
    let item = Sixteen::new();
    assert_eq!(item, Sixteen::default());
    assert_eq!(expression, expression.clone());
    let mut other = expression.clone();
    other.stages.15 = skel::skeleton::task(17.0);
    assert_ne!(expression, other);
    let shown = format!("{expression:?}");
    assert!(shown.starts_with("Pipe(Task {"), "{shown}");
    assert_eq!(shown.matches("Task {").count(), 16);
    assert!(format!("{item:?}").contains(&shown));
    assert_eq!(item.tree().unwrap(), expression.tree().unwrap());
    assert_eq!(item.stage::<15>().id().0, 16);
}

pipe! {
    pub skeleton Named {
        task("new", 1.0),
        task("read it", 2.0),
        farm(2, "type", 3.0),
        task("2nd", 4.0),
        task("-", 5.0),
        task("self", 6.0),
        task("default_task", 7.0),
    }
}

#[test]
fn every_name_has_a_handle_of_its_own() {
    let tree = Named::new().tree().unwrap();
    for (handle, name) in [
        (Named::new_task.id(), "new"),
        (Named::read_it.id(), "read it"),
        (Named::r#type.id(), "type"),
        (Named::_2nd.id(), "2nd"),
        (Named::__task.id(), "-"),
        (Named::self_task.id(), "self"),
        (Named::default_task.id(), "default_task"),
    ] {
        assert_eq!(tree.task_named(name), Some(handle), "{name}");
    }
}

pipe! {
    pub skeleton Methods {
        task("clone", 1.0), task("eq", 2.0), task("fmt", 3.0), task("tree", 4.0), task("communicating", 5.0), task("stage", 6.0),
    }
}

#[test]
fn a_task_named_like_a_method_is_addressed_by_its_name() -> skel::Result<()> {
    let methods = Methods::new();
    assert_eq!(methods.clone(), methods);
    assert!(format!("{methods:?}").starts_with("Methods"));
    assert_eq!(methods.stage::<5>().id(), Methods::stage.id());
    let tree = methods.tree()?;
    for (handle, name) in [
        (Methods::clone.id(), "clone"),
        (Methods::eq.id(), "eq"),
        (Methods::fmt.id(), "fmt"),
        (Methods::tree.id(), "tree"),
        (Methods::communicating.id(), "communicating"),
    ] {
        assert_eq!(tree.task_named(name), Some(handle), "{name}");
    }
    let performance = methods.communicating(1.0).performance()?;
    assert!(performance.busy_of(Methods::clone) > performance.busy_of(Methods::fmt));
    Ok(())
}
