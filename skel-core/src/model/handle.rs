//! Typed handles. A handle stands for an action, a local state or a named rate of one model, and does not
//! compile on another model.

use std::fmt;
use std::marker::PhantomData;

use crate::model::{ActionId, BuildErrors, LocalStateId, Model, ParameterId};

/// Names of a model by their kind.
#[doc(hidden)]
pub type Names = &'static [&'static [&'static str]];

/// Something that stands for a model: the types that `pepa!` makes, a [`Model`] itself.
///
/// # Examples
/// ```
/// use skel_core::{model::{handle::Modelled, BuildErrors, Model}, rate::Rate};
///
/// /// A queue.
/// struct Queue { model: Model, arrivals: Rate }
///
/// impl Modelled for Queue {
///     fn build(&self) -> Result<Model, BuildErrors> {
///         let arrivals = self.model.parameter_named("arrivals").expect("the text defines it");
///         self.model.with_rates(&[(arrivals, self.arrivals.clone())])
///     }
/// }
///
/// let text = "arrivals = 1; E = (arrive, arrivals).F; F = (serve, 2).E; E";
/// let queue = Queue { model: Model::from_text(text)?, arrivals: 3.into() };
/// assert!(queue.build().unwrap().to_string().starts_with("arrivals = 3;"));
/// assert!(Queue { arrivals: 0.into(), ..queue }.build().is_err());
/// # Ok::<(), skel_core::text::Rejected>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    note = "a skeleton is one once its moves have rates: `.communicating(10.0)`"
)]
pub trait Modelled {
    /// The names of actions, of local states and of result lines, for macros that speak of them; empty where
    /// they are not known to the compiler.
    #[doc(hidden)]
    const NAMES: Names = &[];

    /// The checked model, with the rates and sizes as they are now.
    ///
    /// # Errors
    /// Every rate that is not positive, and every size that is no whole number from 1 to its limit.
    fn build(&self) -> Result<Model, BuildErrors>;
}

impl Modelled for Model {
    fn build(&self) -> Result<Model, BuildErrors> {
        Ok(self.clone())
    }
}

macro_rules! handles {
    ($($(#[$doc:meta])* $handle:ident($id:ident);)*) => {$(
        $(#[$doc])*
        pub struct $handle<M: ?Sized> {
            id: $id,
            model: PhantomData<fn() -> Box<M>>,
        }

        impl<M: ?Sized> $handle<M> {
            /// The handle of an id. Generated code calls it; an id of another model gives wrong answers.
            #[doc(hidden)]
            #[must_use]
            pub const fn from_generated_code(id: u32) -> Self {
                $handle { id: $id(id), model: PhantomData }
            }

            /// The untyped id.
            #[must_use]
            pub const fn id(self) -> $id {
                self.id
            }
        }

        impl<M: ?Sized> Clone for $handle<M> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<M: ?Sized> Copy for $handle<M> {}

        impl<M: ?Sized> fmt::Debug for $handle<M> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($handle), self.id.0)
            }
        }

        impl<M: ?Sized> PartialEq for $handle<M> {
            fn eq(&self, other: &Self) -> bool {
                self.id == other.id
            }
        }

        impl<M: ?Sized> Eq for $handle<M> {}
    )*};
}

/// For a model whose type says nothing of its local states.
impl From<LocalStateId> for LocalStateOf<Model> {
    fn from(id: LocalStateId) -> Self {
        LocalStateOf::from_generated_code(id.0)
    }
}

impl From<ActionId> for ActionOf<Model> {
    /// The action of a model that has no type of its own. An id of another model gives wrong answers.
    fn from(id: ActionId) -> Self {
        ActionOf::from_generated_code(id.0)
    }
}

handles! {
    /// An action type of the model `M`.
    ActionOf(ActionId);
    /// A local state of the model `M`: one of its constants.
    LocalStateOf(LocalStateId);
    /// A named rate of the model `M`.
    RateOf(ParameterId);
}
