//! Skeletons: the structure of a parallel program as a tree of tasks, pipes, deals and farms, and the PEPA
//! model that it stands for.
//!
//! ```text
//! pipe!(...) -> typed ---\
//!                         Written -> check -> Tree -> Graph -> definitions -> System -> Model
//! .skel text -> text ----/                    Fig. 2  Alg. 1   Alg. 2         Alg. 3
//! ```
//!
//! A *task* processes one item after another, at a rate. A *pipe* passes items from stage to stage. A *deal*
//! hands items to its replicas in turn (round robin), a *farm* to whichever replica is free. They nest to any
//! depth. The workers of a *map* each work on a part of every item, those of a *fault-tolerant* stage compute
//! the same in different ways, and those of a *map with state* keep a state that a second input replaces.
//! Such workers serve one item together: they are a *team*. Each phase is a value that prints and, where a
//! picture helps, draws itself as a DOT graph.
//!
//! Source: G. Yaikhom, M. Cole, S. Gilmore and J. Hillston, *A structural approach for modelling performance
//! of systems using skeletons*, ENTCS 190 (2007). Its three algorithms are here in a corrected form.
//! [`Reading`] says what was corrected and why, and can still choose the algorithms as they are printed.
//!
//! # Examples
//! ```
//! use skel_core::skeleton::{pipe, task, farm, Communication, Skeleton};
//!
//! let program = pipe((task(1.0), farm(2, 3.0), task(1.0))).communicating(Communication::everywhere(10.0));
//! let system = program.lower()?;
//! assert_eq!(system.graph().tasks(), 4);
//! assert!(system.to_string().contains("t_1 = (move_0_1, infty).(comp_1, infty).(move_1_3, infty).t_1;"));
//! # Ok::<(), skel_core::model::BuildErrors>(())
//! ```

mod bounds;
mod buffers;
mod check;
mod communication;
mod count;
mod dot;
mod handle;
mod lowering;
mod processors;
mod program;
pub mod text;
mod tree;
mod typed;
mod variants;
mod word;
mod written;

pub use bounds::{MOST_ERLANG_PHASES, MOST_MOVES, MOST_PHASES, MOST_TASKS};
pub use buffers::Buffers;
pub use check::{TaskNames, check};
pub use communication::Communication;
pub use count::Count;
pub use handle::StageOf;
pub use lowering::channel::Channel;
pub use lowering::graph::{Graph, Pattern, Reading, TaskFlow};
pub use lowering::process::definitions;
pub use lowering::states::items::{ItemActivity, ItemFlow, ItemMove, ItemState, ItemStep, ItemTask};
pub use lowering::states::{BufferPlaces, Occupation, TaskState};
pub use lowering::system::System;
pub use processors::Processors;
pub use program::{Program, Skeleton};
pub use tree::{Replication, Stage, StageId, StateInput, TaskStage, TeamKind, TeamStage, Tree};
pub use typed::{
    Deal, Farm, FaultTolerant, HasStage, HasWorker, IntoSkeleton, IsTask, Map, MapWithState, Pipe, Stages,
    States, Structured, Task, Timing, deal, deterministic, erlang, exponential, farm, fault_tolerant, fitted,
    hyperexponential, lognormal, map, map_with_state, measured, phases, pipe, state, task, uniform, weibull,
};
pub use word::TeamWord;
pub use written::{DistributionWord, TimeArgument, Value, Written, WrittenState, WrittenTeam, WrittenTime};
