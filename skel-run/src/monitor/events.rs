//! Figures as events of the crate `tracing`.

use super::figures::Snapshot;

impl Snapshot {
    /// An event for each task, at the level INFO, with the target `skel::run`: how many replicas ran, how
    /// many items per second they served, which parts of their time they were busy, starved and blocked,
    /// their mean service time in seconds, and what is in the queue before them.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::StageId;
    /// use skel_run::monitor::Monitors;
    ///
    /// let monitors = Monitors::of([(StageId(0), "sharpen".to_owned())]);
    /// monitors.snapshot().trace();
    /// ```
    pub fn trace(&self) {
        for task in &self.tasks {
            tracing::info!(
                target: "skel::run",
                at = self.at.as_secs_f64(),
                span = self.span().as_secs_f64(),
                task = task.name,
                replicas = task.running(),
                items = task.items(),
                throughput = task.throughput(self.span()),
                busy = task.busy_fraction(),
                starved = task.starved_fraction(),
                blocked = task.blocked_fraction(),
                mean_service_time = task.mean_service_time().map(|time| time.as_secs_f64()),
                queue = task.queue,
                "figures of a task"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::{Debug, Write};
    use std::sync::{Arc, Mutex};

    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use crate::monitor::tests::{ended, task};

    /// Writes down what it hears.
    #[derive(Clone, Default)]
    struct Listener(Arc<Mutex<String>>);

    struct Fields<'t>(&'t mut String);

    impl Visit for Fields<'_> {
        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            write!(self.0, " {field}={value:?}").unwrap();
        }
    }

    impl Subscriber for Listener {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.target() == "skel::run"
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, event: &Event<'_>) {
            let mut heard = self.0.lock().unwrap();
            write!(heard, "{}:", event.metadata().level()).unwrap();
            event.record(&mut Fields(&mut heard));
            heard.push('\n');
        }

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn each_task_is_an_event() {
        let listener = Listener::default();
        let snapshot = ended(&[task("read", &[(40, 60, 0)]), task("sharpen", &[(25, 25, 50)])]);
        tracing::subscriber::with_default(listener.clone(), || snapshot.trace());
        insta::assert_snapshot!(listener.0.lock().unwrap(), @r#"
        INFO: message=figures of a task at=1e-7 span=1e-7 task="read" replicas=0 items=0 throughput=0.0 busy=0.4 starved=0.6 blocked=0.0
        INFO: message=figures of a task at=1e-7 span=1e-7 task="sharpen" replicas=0 items=0 throughput=0.0 busy=0.25 starved=0.25 blocked=0.5
        "#);
    }
}
