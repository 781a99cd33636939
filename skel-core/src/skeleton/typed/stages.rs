//! The stages of a pipe, each of its own type: tuples of up to sixteen, and arrays of equal ones.
//!
//! The standard library shows and compares tuples of up to twelve, so what is done stage by stage is a trait
//! here.

use std::fmt;

use crate::skeleton::tree::StageId;
use crate::skeleton::typed::{HasStage, Structured};
use crate::skeleton::written::Written;

/// What the stages of a pipe can be: a tuple of up to sixteen skeletons, or an array.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the stages of a pipe",
    note = "a pipe has from 1 to 16 stages, each a skeleton; a longer one is a pipe of pipes"
)]
pub trait Stages: Clone {
    /// The number of nodes of all stages.
    const STAGES: u32;

    /// What was said, the nodes numbered from `here` on.
    fn written_from(&self, here: StageId) -> Vec<Written<StageId>>;
}

/// Stages that can be shown.
pub trait DebugStages {
    /// Shows each.
    fn show(&self, shown: &mut fmt::DebugTuple<'_, '_>);
}

/// Stages that can be compared.
pub trait EqualStages {
    /// Whether each is equal to its counterpart.
    fn are_equal(&self, other: &Self) -> bool;
}

impl<S: Structured, const N: usize> Stages for [S; N] {
    const STAGES: u32 = N as u32 * S::STAGES;

    fn written_from(&self, here: StageId) -> Vec<Written<StageId>> {
        let at = |place: usize| StageId(here.0 + place as u32 * S::STAGES);
        self.iter().enumerate().map(|(place, stage)| stage.written_from(at(place))).collect()
    }
}

impl<S: fmt::Debug, const N: usize> DebugStages for [S; N] {
    fn show(&self, shown: &mut fmt::DebugTuple<'_, '_>) {
        self.iter().for_each(|stage| {
            shown.field(stage);
        });
    }
}

impl<S: PartialEq, const N: usize> EqualStages for [S; N] {
    fn are_equal(&self, other: &Self) -> bool {
        self == other
    }
}

macro_rules! tuples {
    ([$($stage:ident $place:tt)*]) => {};
    ([$($stage:ident $place:tt)*] $next:ident $at:tt $($rest:tt)*) => {
        tuple! { $($stage $place)* $next $at }
        places! { [$($stage)* $next] [] $($stage $place)* $next $at }
        tuples! { [$($stage $place)* $next $at] $($rest)* }
    };
}

macro_rules! tuple {
    ($($stage:ident $place:tt)*) => {
        impl<$($stage: Structured),*> Stages for ($($stage,)*) {
            const STAGES: u32 = 0 $(+ $stage::STAGES)*;

            fn written_from(&self, here: StageId) -> Vec<Written<StageId>> {
                let mut at = here;
                let mut next = |stages: u32| {
                    let here = at;
                    at.0 += stages;
                    here
                };
                vec![$(self.$place.written_from(next($stage::STAGES))),*]
            }
        }

        impl<$($stage: fmt::Debug),*> DebugStages for ($($stage,)*) {
            fn show(&self, shown: &mut fmt::DebugTuple<'_, '_>) {
                $(shown.field(&self.$place);)*
            }
        }

        impl<$($stage: PartialEq),*> EqualStages for ($($stage,)*) {
            fn are_equal(&self, other: &Self) -> bool {
                true $(&& self.$place == other.$place)*
            }
        }
    };
}

macro_rules! places {
    ([$($all:ident)*] [$($before:ident)*]) => {};
    ([$($all:ident)*] [$($before:ident)*] $here:ident $place:tt $($rest:tt)*) => {
        impl<$($all: Structured),*> HasStage<$place> for ($($all,)*) {
            type Stage = $here;

            const BEFORE: u32 = 0 $(+ $before::STAGES)*;
        }

        places! { [$($all)*] [$($before)* $here] $($rest)* }
    };
}

tuples! { [] A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15 }
