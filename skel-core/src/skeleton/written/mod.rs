//! What was said: a skeleton as written in a text, in a macro call or with constructors, each part with its
//! place. Nothing is checked yet.

mod team;
mod time;

use crate::diagnostic::Span;
use crate::skeleton::tree::{Replication, StageId};

pub use team::{WrittenState, WrittenTeam};
pub use time::{DistributionWord, TimeArgument, WrittenTime};

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<T, S> {
    /// A value that is known now.
    Known(T, S),
    /// A Rust expression in a macro call: its value is known when the program runs, and checked then.
    FromRust(S),
}

impl<T, S: Copy> Value<T, S> {
    /// The place.
    pub fn span(&self) -> S {
        match self {
            Value::Known(_, span) | Value::FromRust(span) => *span,
        }
    }
}

impl<T: Clone, S> Value<T, S> {
    /// The same at another place.
    pub(super) fn at<P>(&self, place: P) -> Value<T, P> {
        match self {
            Value::Known(value, _) => Value::Known(value.clone(), place),
            Value::FromRust(_) => Value::FromRust(place),
        }
    }
}

/// A skeleton as written.
#[derive(Clone, Debug)]
pub enum Written<S> {
    /// `task("name", time)`
    Task {
        /// The name, if there is one.
        name: Option<Value<String, S>>,
        /// How long it takes for an item: a rate or a distribution.
        time: WrittenTime<S>,
        /// The place of the whole.
        span: S,
    },
    /// `pipe(stage, ...)`
    Pipe {
        /// The stages.
        stages: Vec<Written<S>>,
        /// The place of the whole.
        span: S,
    },
    /// `deal(replicas, worker)` or `farm(replicas, worker)`
    Replicated {
        /// Deal or farm.
        replication: Replication,
        /// How many.
        replicas: Value<i128, S>,
        /// What is replicated.
        worker: Box<Written<S>>,
        /// The place of the whole.
        span: S,
    },
    /// Workers that serve one item together. They are one node, and the worker is none of its own.
    Team(Box<WrittenTeam<S>>),
    /// A Rust expression whose value is a skeleton.
    FromRust(S),
}

impl<S: Span> Written<S> {
    /// The place of the whole.
    pub fn span(&self) -> S {
        match self {
            Written::Task { span, .. }
            | Written::Pipe { span, .. }
            | Written::Replicated { span, .. }
            | Written::FromRust(span) => *span,
            Written::Team(team) => team.span,
        }
    }

    /// The places of the nodes, in the order of [`StageId`](super::StageId).
    pub fn spans(&self) -> Vec<S> {
        let mut spans = Vec::new();
        self.collect_spans(&mut spans);
        spans
    }

    fn collect_spans(&self, spans: &mut Vec<S>) {
        spans.push(self.span());
        match self {
            Written::Task { .. } | Written::Team(_) | Written::FromRust(_) => {}
            Written::Pipe { stages, .. } => stages.iter().for_each(|stage| stage.collect_spans(spans)),
            Written::Replicated { worker, .. } => worker.collect_spans(spans),
        }
    }
}

impl Written<StageId> {
    /// The way to a node in words, such as `stage 2, worker`; empty for the root.
    pub(super) fn path_to(&self, id: StageId) -> String {
        let mut steps = Vec::new();
        self.walk_to(id, &mut steps);
        steps.join(", ")
    }

    fn walk_to(&self, id: StageId, steps: &mut Vec<String>) -> bool {
        if self.span() == id {
            return true;
        }
        match self {
            Written::Task { .. } | Written::Team(_) | Written::FromRust(_) => false,
            Written::Pipe { stages, .. } => stages.iter().enumerate().any(|(place, stage)| {
                steps.push(format!("stage {place}"));
                stage.walk_to(id, steps) || steps.pop().is_none()
            }),
            Written::Replicated { worker, .. } => {
                steps.push("worker".to_owned());
                worker.walk_to(id, steps) || steps.pop().is_none()
            }
        }
    }
}
