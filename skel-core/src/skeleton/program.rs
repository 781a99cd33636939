//! A skeleton with everything that its performance depends on.

use crate::diagnostic::Diagnostic;
use crate::handle::Modelled;
use crate::model::{BuildErrors, Model};
use crate::skeleton::graph::{Graph, Reading};
use crate::skeleton::rates::{Communication, Processors};
use crate::skeleton::system::System;
use crate::skeleton::tree::{StageId, Tree};
use crate::skeleton::typed::{Skeleton, build_errors};

/// A skeleton with the rates of its moves and the processors of its tasks: something that stands for a model.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{deal, pipe, task, Reading, Skeleton};
/// let program = pipe((task(1.0), deal(3, 1.0), deal(3, 1.0), task(1.0))).communicating(1.0);
/// // The paper's letter; it is there for comparison, and deadlocks here.
/// let literal = program.clone().read(Reading::Literal);
/// assert_ne!(program.lower()?.to_string(), literal.lower()?.to_string());
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program<S> {
    skeleton: S,
    communication: Communication,
    processors: Processors,
    reading: Reading,
}

impl<S: Skeleton> Program<S> {
    /// A skeleton with communication rates; every task on a processor of its own.
    #[must_use]
    pub fn new(skeleton: S, communication: impl Into<Communication>) -> Self {
        Program {
            skeleton,
            communication: communication.into(),
            processors: Processors::one_each(),
            reading: Reading::Corrected,
        }
    }

    /// The same on other processors.
    #[must_use]
    pub fn on(self, processors: Processors) -> Self {
        Program { processors, ..self }
    }

    /// The same with the paper's algorithms read in another way.
    #[must_use]
    pub fn read(self, reading: Reading) -> Self {
        Program { reading, ..self }
    }

    /// How the paper's algorithms are read.
    #[must_use]
    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// The same rates and processors for another skeleton.
    #[must_use]
    pub fn with_skeleton<T: Skeleton>(&self, skeleton: T) -> Program<T> {
        Program {
            skeleton,
            communication: self.communication.clone(),
            processors: self.processors.clone(),
            reading: self.reading,
        }
    }

    /// The skeleton.
    #[must_use]
    pub fn skeleton(&self) -> &S {
        &self.skeleton
    }

    /// The skeleton as a PEPA model: graph, task definitions and system.
    ///
    /// # Errors
    /// Everything that is wrong with the skeleton or, if nothing is, with its rates and processors.
    pub fn lower(&self) -> Result<System, BuildErrors> {
        let tree = self.skeleton.tree()?;
        self.lower_tree(&tree).map_err(|findings| build_errors(findings, |id| tree.path_to(id)))
    }

    /// As [`Self::lower`] on a checked tree, with places instead of words for them.
    #[inline]
    pub(super) fn lower_tree(&self, tree: &Tree) -> Result<System, Vec<Diagnostic<StageId>>> {
        let graph = Graph::of(tree, self.reading).map_err(|finding| vec![finding])?;
        System::of(tree.clone(), graph, &self.communication, &self.processors)
    }
}

impl<S: Skeleton> Modelled for Program<S> {
    fn build(&self) -> Result<Model, BuildErrors> {
        Ok(self.lower()?.into_model())
    }
}
