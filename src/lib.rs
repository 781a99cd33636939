//! `skel` predicts the performance of parallel programs. You write the structure of a program as a Rust
//! expression, which the compiler checks; `skel` computes how many items per second the program makes, where
//! its bottleneck is, and what one more replica would bring.
//!
//! The crate is not published yet, so a program depends on it by the path of a clone of its repository:
//!
//! ```toml
//! [dependencies]
//! skel = { path = "../skel" }
//!
//! # Optional. It optimises the part that computes, also in debug builds.
//! [profile.dev.package.skel-solve]
//! opt-level = 1
//! ```
//!
//! Once the crate is published, `cargo add skel` will take the place of the dependency line.
//!
//! # The structure of a program
//!
//! A *skeleton* is the structure alone: tasks with rates, in pipes, farms and deals, and maps.
//!
//! ```
//! use skel::prelude::*;
//!
//! let program = pipe!(task("read", 20.0), farm(3, "sharpen", 5.0), task("write", 30.0)).communicating(100.0);
//! let performance = program.performance()?;
//! println!("{:.2} images per second", performance.throughput());
//! println!("the bottleneck is `{}`", performance.bottleneck().name);
//! # assert_eq!(performance.bottleneck().name, "sharpen");
//! # Ok::<(), skel::Error>(())
//! ```
//!
//! # A model in PEPA
//!
//! A *model* says more: which components there are, what each of them does, and what they do together. Models
//! are written in the process algebra PEPA. Each skeleton stands for such a model.
//!
//! ```
//! use skel::prelude::*;
//!
//! pepa! {
//!     /// Two copies of a three-step process.
//!     pub model Tiny {
//!         r1 = 2; r2 = 10; r3 = 1;
//!         P1 = (start, r1).P2;
//!         P2 = (run, r2).P3;
//!         P3 = (stop, r3).P1;
//!         P1 || P1
//!     }
//! }
//!
//! let pi = Tiny::new().explore()?.steady_state_exact()?;
//! assert_eq!(pi.throughput_of(Tiny::run), ratio(5, 4)); // a misspelt action does not compile
//! # Ok::<(), skel::Error>(())
//! ```
//!
//! # Where to go on
//!
//! - The [`guide`] has chapters on [models](guide::models), on [skeletons](guide::skeletons), on [numbers of
//!   replicas](guide::dimensioning), on [how good an answer is](guide::trust), and with the feature `plan` on
//!   mappings of programs to machines.
//! - The macros are [`pepa!`], [`include_pepa!`], [`pipe!`], [`farm!`], [`deal!`], [`task!`], [`map!`],
//!   [`fault_tolerant!`] and [`map_with_state!`].
//! - Every model has the methods of [`Explore`], which find its states. They return a [`StateSpace`], from
//!   which `steady_state` computes a [`SteadyState`]. That has the [measures](measure): throughputs,
//!   utilisations and populations. Every skeleton whose communication is given has the methods of
//!   [`Perform`].
//! - [`Dimensioned`] finds the cheapest numbers of replicas that keep a [`Target`].
//! - A [`quotient`] joins all states that given measures cannot tell apart. The module [`sensitivity`]
//!   computes the derivatives of a measure by all rates.
//! - `program.dimension(..)`, of [`Dimensioned`], finds the cheapest numbers of replicas that keep a
//!   [`Target`]; see the module [`dimension`].
//! - A [`Sweep`] asks the same question for many values of rates, sizes and replicas; see the module
//!   [`sweep`].
//! - The feature `sprs` converts a generator's [`Matrix`](chain::Matrix) to a `CsMatI` of the crate `sprs`.
//!   It is on unless `default-features = false` turns it off, which makes the first build cheaper.
//! - The feature `distribute` adds the module `distribute`: how much work each machine gets, and in which
//!   pieces. The guide has a chapter on it. With `run` as well, `skel::run::distribute` is a loop over
//!   indices on threads.
//! - The feature `fit` adds the module `fit`: performance models fitted to timed runs. The guide has a
//!   chapter on it.
//! - The feature `network` adds the module `network`: what messages cost, measured and modelled. It is part
//!   of `plan`, and has a chapter of the guide.
//! - The feature `over-time` adds the modules `transient`, `passage`, `response` and `csl`: what happens at a
//!   moment, how long until something happens, and with what probability. Each has a chapter of the guide.
//! - The feature `plan` adds the module `plan`, which maps programs to machines.
//! - The feature `run` adds the module `run`: the tasks of a skeleton get functions, and the program runs on
//!   threads. With it the guide has a chapter on that. `affinity`, `chart`, `json`, `stream` and `tracing`
//!   add to it what their names say.
//! - The feature `manage` adds the module `manage`: a program that runs gets a contract, and a manager that
//!   keeps it. It has a chapter of its own.
//! - `ARCHITECTURE.md` in the repository says how the library is built, and why.

pub use skel_core::model::{brief, handle};
pub use skel_core::semantics::explore;
pub use skel_core::{diagnostic, graph, model, number, rate, semantics, size, skeleton, syntax, text, time};
#[cfg(feature = "distribute")]
pub use skel_distribute as distribute;
#[cfg(feature = "fit")]
pub use skel_fit as fit;
#[cfg(feature = "manage")]
pub use skel_manage as manage;
#[cfg(feature = "network")]
pub use skel_network as network;
#[cfg(feature = "plan")]
pub use skel_plan as plan;
#[cfg(feature = "run")]
pub use skel_run as run;
#[cfg(feature = "over-time")]
pub use skel_solve::over_time::transient;
pub use skel_solve::{Dimensioned, Error, Explore, Limits, Perform, StateSpace, SteadyState, Sweep, Target};
pub use skel_solve::{
    chain, dimension, error, limits, measure, performance, quotient, sensitivity, space, steady, sweep,
};

#[cfg(feature = "over-time")]
pub mod csl;
#[cfg(feature = "over-time")]
pub use skel_solve::over_time::passage;
#[cfg(feature = "over-time")]
pub use skel_solve::over_time::response;
pub mod guide;
pub mod prelude;

mod macros;

/// The result of reading, building, exploring or solving a model.
///
/// # Examples
/// ```
/// use skel::prelude::*;
///
/// fn throughput(text: &str) -> skel::Result<f64> {
///     Model::from_text(text)?.explore()?.steady_state()?.throughput_named("go")
/// }
///
/// assert_eq!(throughput("P = (go, 1).Q; Q = (back, 1).P; P")?, 0.5);
/// assert_eq!(throughput("P = (go, 0).P; P").unwrap_err().to_string(),
///     "1:10: the rate is 0; help: a rate is a number of events per unit of time: it must be above 0");
/// # Ok::<(), skel::Error>(())
/// ```
pub type Result<T> = std::result::Result<T, Error>;

/// What the expansions of the macros refer to. Not part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use core::option::Option::{None, Some};

    pub use skel_core::model::handle::{ActionOf, LocalStateOf, Modelled, Names, RateOf};
    pub use skel_core::model::image::{Image, ParameterImage, Step, SystemImage, Template};
    pub use skel_core::model::{BuildErrors, Model, ParameterId};
    pub use skel_core::rate::Rate;
    #[cfg(feature = "over-time")]
    pub use skel_macros::csl;
    #[cfg(not(feature = "run"))]
    pub use skel_macros::{deal, farm, fault_tolerant, map, map_with_state, pipe, task};
    #[cfg(feature = "run")]
    pub use skel_macros::{
        deal_that_runs as deal, farm_that_runs as farm, fault_tolerant_that_runs as fault_tolerant,
        map_that_runs as map, map_with_state_that_runs as map_with_state, pipe_that_runs as pipe,
        task_that_runs as task,
    };
    pub use skel_macros::{include_pepa, pepa};

    /// What the expansions of properties refer to.
    #[cfg(feature = "over-time")]
    pub mod property {
        pub use skel_core::csl::{PropertyOf, is_ambiguous, is_known, of_literal};
    }

    /// What the expansions of skeletons refer to where they are run.
    #[cfg(feature = "run")]
    pub mod run {
        pub use skel_core::skeleton::Program;
        pub use skel_run::functions::*;
        pub use skel_run::{Execute, Functions, Run, Runnable, Unfinished, of_skeleton};
    }

    /// What the expansions of skeletons refer to.
    pub mod skeleton {
        pub use super::{literal_rate, not_compiled};
        pub use skel_core::skeleton::{
            Deal, Farm, FaultTolerant, HasStage, HasWorker, IntoSkeleton, Map, MapWithState, Pipe, Skeleton,
            StageId, StageOf, Structured, Task, Tree, Written, deal, farm, fault_tolerant, map,
            map_with_state, pipe, state, task,
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

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
