//! The macros as users see them: each passes its own `$crate` on, so that a renamed dependency works.

/// A PEPA model in Rust, checked at compile time.
///
/// As an item, `pub model Name { ... }`, it makes a type: its fields are the rates that do not depend on others,
/// its constants are typed handles for actions, local states and rates. A misspelt name does not compile, and
/// neither does a handle of another model.
///
/// ```
/// use skel::prelude::*;
///
/// pepa! {
///     /// A machine that breaks down and is repaired.
///     pub model Machine {
///         failure = 0.01; repair = 0.5;
///         Up = (fail, failure).Down;
///         Down = (mend, repair).Up;
///         Up
///     }
/// }
///
/// let pi = Machine::new().explore()?.steady_state_exact()?;
/// assert_eq!(pi.utilisation(Machine::Up), ratio(50, 51));
/// let better = Machine { repair: 1.into(), ..Machine::new() };
/// assert_eq!(better.explore()?.steady_state_exact()?.utilisation(Machine::Up), ratio(100, 101));
/// # Ok::<(), skel::Error>(())
/// ```
///
/// As an expression it is a model value, a [`Template`](crate::prelude::Template). A rate may be a Rust
/// expression in braces:
///
/// ```
/// use skel::prelude::*;
/// let arrivals = 3.0;
/// let queue = pepa! {
///     Empty = (arrive, { arrivals }).Full;
///     Full = (serve, 1).Empty;
///     Empty
/// };
/// let pi = queue.explore()?.steady_state()?;
/// assert!((pi.throughput_of("serve")? - 0.75).abs() < 1e-12);
/// # Ok::<(), skel::Error>(())
/// ```
///
/// Attributes ask for more, or less: `#[check(deadlock_free, irreducible, max_states = 10_000)]` explores at
/// compile time and reports a deadlock with the way that leads to it; `#[allow(unsynchronised_action)]` silences a
/// finding. In an expression they are written `#![check(...)]`.
///
/// ```compile_fail
/// use skel::prelude::*;
/// pepa! {
///     #[check(deadlock_free)]
///     model Stuck {
///         P = (a, 1).(b, 1).P;
///         Q = (b, 1).(a, 1).Q;
///         P <a, b> Q
///     }
/// }
/// ```
#[macro_export]
macro_rules! pepa {
    ($($model:tt)*) => { $crate::__private::pepa! { [$crate] $($model)* } };
}

/// A PEPA model from a `.pepa` file, checked at compile time; cargo builds again when the file changes.
///
/// The path is relative to the source file, or to the package. As an expression it is a model value; with a
/// name it is an item, as [`pepa!`] makes it.
///
/// ```
/// use skel::prelude::*;
///
/// include_pepa!(pub model Tiny = "models/tiny.pepa");
///
/// let pi = Tiny::new().explore()?.steady_state_exact()?;
/// assert_eq!(pi.throughput(Tiny::run), ratio(5, 4));
///
/// let pi = include_pepa!("models/tiny.pepa").explore()?.steady_state_exact()?;
/// assert_eq!(pi.result_of("run1")?, ratio(1, 16));
/// # Ok::<(), skel::Error>(())
/// ```
#[macro_export]
macro_rules! include_pepa {
    ($($file:tt)*) => { $crate::__private::include_pepa! { [$crate] $($file)* } };
}
