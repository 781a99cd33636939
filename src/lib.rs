//! Structured parallel programs and PEPA models: said in Rust, checked by the compiler, solved exactly or fast.

pub use skel_core::{
    diagnostic, explore, graph, handle, model, number, rate, semantics, skeleton, syntax, text,
};
pub use skel_solve::{Error, Explore, Limits, Perform, StateSpace, SteadyState};
pub use skel_solve::{chain, classify, error, limits, measure, performance, space, steady};

pub mod prelude;

mod macros;

/// The result of building, exploring or solving a model.
pub type Result<T> = std::result::Result<T, Error>;

/// What the expansions of the macros refer to. Not part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use skel_core::handle::{ActionOf, LocalStateOf, Modelled, RateOf};
    pub use skel_core::image::{Image, NodeImage, ParameterImage, Step, Template};
    pub use skel_core::model::{BuildErrors, Model, ParameterId};
    pub use skel_core::rate::Rate;
    pub use skel_macros::{deal, farm, include_pepa, pepa, pipe, task};

    /// What the expansions of skeletons refer to.
    pub mod skeleton {
        pub use super::{literal_rate, not_compiled};
        pub use skel_core::skeleton::{
            Deal, Farm, HasStage, HasWorker, IntoSkeleton, Pipe, Skeleton, StageId, StageOf, Structured,
            Task, Tree, Written, deal, farm, pipe, task,
        };
    }

    /// The value of a literal that the macro has read before.
    #[must_use]
    pub fn literal_rate(text: &str) -> Rate {
        Rate::parse(text).expect("the macro has read the literal")
    }

    /// Stands where a model with errors would be; a program that contains it does not compile.
    #[must_use]
    pub fn not_compiled<T>() -> T {
        unreachable!("a model with errors does not compile")
    }
}
