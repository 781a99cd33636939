//! How a skeleton or a program is asked to run.

use crate::functions::{AnyItem, At, Attach, Outside, Start};
use crate::run::Run;
use skel_core::skeleton::{
    Communication, Deal, Farm, FaultTolerant, IsTask, Map, MapWithState, Pipe, Program, Skeleton, Stages,
    Structured, Task,
};

/// Something that can run once its tasks have functions: a skeleton, or a program.
///
/// A skeleton that is an item, `pipe! { skeleton Name { .. } }`, is given its functions behind `run()`, by
/// the names of its tasks.
pub trait Execute: Sized {
    /// Its skeleton.
    type Skeleton: Skeleton;

    /// It as a program. The moves of a skeleton alone are negligible.
    #[doc(hidden)]
    fn into_program(self) -> Program<Self::Skeleton>;

    /// Begins to give the tasks their functions or, where they have some, is ready to run.
    ///
    /// The rates of the moves are not needed. They are for a prediction.
    fn run<R>(self) -> R
    where
        Self::Skeleton: Runnable<R>,
    {
        Runnable::run_as(self.into_program())
    }
}

/// A skeleton whose tasks have functions, or names by which they are given one. `R` is what its program is
/// run as.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a skeleton that can run",
    label = "give it a name, and its functions behind `run()`",
    note = "`pipe! {{ skeleton Images {{ task(\"read\", 20.0), task(\"write\", 30.0) }} }}` makes \
            `Images::new().run().read(|path| ..).write(|picture| ..)`"
)]
pub trait Runnable<R>: Skeleton {
    /// The program, ready for its functions.
    #[doc(hidden)]
    fn run_as(program: Program<Self>) -> R;
}

impl<S: Skeleton> Execute for Program<S> {
    type Skeleton = S;

    fn into_program(self) -> Program<S> {
        self
    }
}

macro_rules! skeletons {
    ($([$parameter:ident: $bound:ident] $skeleton:ty;)*) => {$(
        impl<$parameter: $bound> Execute for $skeleton {
            type Skeleton = Self;

            fn into_program(self) -> Program<Self> {
                of_skeleton(self)
            }
        }
    )*};
}
skeletons! {
    [F: Clone] Task<F>;
    [T: Stages] Pipe<T>;
    [W: Structured] Deal<W>;
    [W: Structured] Farm<W>;
    [W: IsTask] Map<W>;
    [W: IsTask] FaultTolerant<W>;
    [W: IsTask] MapWithState<W>;
}

macro_rules! with_functions {
    ($([$parameter:ident: $bound:ident] $skeleton:ty;)*) => {$(
        impl<$parameter: $bound, C, X> Runnable<Run<Self, C>> for $skeleton
        where
            Self: Attach<At<Start, AnyItem>, Outside, To = At<C, X>>,
        {
            fn run_as(program: Program<Self>) -> Run<Self, C> {
                let functions = Attach::<_, Outside>::attach(program.skeleton(), At::start()).into_functions();
                Run::from_generated_code(program, functions)
            }
        }
    )*};
}
with_functions! {
    [F: Clone] Task<F>;
    [T: Stages] Pipe<T>;
    [W: Structured] Deal<W>;
    [W: Structured] Farm<W>;
    [W: IsTask] Map<W>;
    [W: IsTask] FaultTolerant<W>;
    [W: IsTask] MapWithState<W>;
}

/// A skeleton as a program whose moves take no time.
pub fn of_skeleton<S: Skeleton>(skeleton: S) -> Program<S> {
    skeleton.communicating(Communication::negligible())
}
