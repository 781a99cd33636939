//! The macros as users see them. Each passes its own `$crate` on, so that a program may rename the
//! dependency.

/// A PEPA model in Rust, checked at compile time.
///
/// As an item, `pub model Name { ... }`, it makes a type: its fields are the rates and sizes that do not
/// depend on others, its constants are typed handles for actions, local states and rates. A misspelt name
/// does not compile, and neither does a handle of another model. A `///` comment before a definition is part
/// of the documentation of its field and its constant.
///
/// ```
/// use skel::prelude::*;
///
/// pepa! {
///     /// A machine that breaks down and is repaired.
///     pub model Machine {
///         /// How often it breaks down, per hour.
///         failure = 0.01;
///         repair = 0.5;
///         Up = (fail, failure).Down;
///         Down = (mend, repair).Up;
///         Up
///     }
/// }
///
/// let pi = Machine::new().explore()?.steady_state_exact()?;
/// assert_eq!(pi.utilisation_of(Machine::Up), ratio(50, 51));
/// let better = Machine { repair: 1.into(), ..Machine::new() };
/// assert_eq!(better.explore()?.steady_state_exact()?.utilisation_of(Machine::Up), ratio(100, 101));
/// # Ok::<(), skel::Error>(())
/// ```
///
/// A *size* is a named number of copies of an array. It is defined like a rate, may be part of an expression
/// (`Client[2 * n]`), and may be used in rates too. Its field is a `usize`. A model with another size has
/// other states, and the same handles. The compiler checks the model with the sizes that are written; a size
/// that is 0 or too large is an error when the model is built.
///
/// ```
/// use skel::prelude::*;
///
/// pepa! {
///     model Shop {
///         n = 10; think = 0.5;
///         Client = (think, think).Waiting;
///         Waiting = (serve, infty).Client;
///         Server = (serve, 3).Server;
///         Client[n] <serve> Server
///     }
/// }
///
/// for n in [5, 10, 20] {
///     let pi = Shop { n, ..Shop::new() }.explorer().lumped().explore()?.steady_state()?;
///     println!("{n} clients: {:.3} served, {:.3} waiting", pi.throughput_of(Shop::serve), pi.population_of(Shop::Waiting));
/// }
/// assert!(Shop { n: 0, ..Shop::new() }.explore().is_err());
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
/// assert!((pi.throughput_named("serve")? - 0.75).abs() < 1e-12);
/// # Ok::<(), skel::Error>(())
/// ```
///
/// Attributes change what is checked. `#[check(deadlock_free, irreducible, max_states = 10_000)]` explores
/// the model at compile time, and reports a deadlock with the activities that lead to it.
/// `#[allow(unsynchronised_action)]` silences a finding. In an expression they are written `#![check(...)]`.
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
/// assert_eq!(pi.throughput_of(Tiny::run), ratio(5, 4));
///
/// let pi = include_pepa!("models/tiny.pepa").explore()?.steady_state_exact()?;
/// assert_eq!(pi.result_named("run1")?, ratio(1, 16));
/// # Ok::<(), skel::Error>(())
/// ```
#[macro_export]
macro_rules! include_pepa {
    ($($file:tt)*) => { $crate::__private::include_pepa! { [$crate] $($file)* } };
}

/// A pipe: stages one behind the other, each of which processes every item.
///
/// The type of the value is the structure, so referring to a stage that does not exist does not compile.
/// Literals are checked at compile time: there must be a stage and a replica, rates must be positive, and
/// names must differ. Rates, counts and names may also be Rust expressions. These are checked when the
/// skeleton is built, with the same messages.
///
/// The performance of a pipe rests on three assumptions:
/// - service times are exponential: a rate of 20 is a mean time of 1/20, which [`every`](crate::time::every)
///   also says as a time;
/// - there is no buffer between stages: a sender waits until its receiver is free;
/// - `communicating(r)` is a rate for *each link*: with three idle workers, a sender passes on items at
///   `3 r`. If moves take no time, write
///   [`Communication::negligible()`](crate::skeleton::Communication::negligible).
///
/// ```
/// use skel::prelude::*;
///
/// let program: Pipe<(Task, Farm<Task>, Deal<Pipe<(Task, Task)>>)> =
///     pipe!(task("read", 1.0), farm(3, "filter", 3.0), deal(2, pipe(task(4.0), task(4.0))));
/// let filter = program.stage::<1>().worker();
/// let performance = program.communicating(10.0).performance()?;
/// assert!((performance.throughput() - performance.throughput_of(filter)).abs() < 1e-12);
/// println!("{} items per second; the bottleneck is {}", performance.throughput(), performance.bottleneck().name);
/// # Ok::<(), skel::Error>(())
/// ```
///
/// A stage may also be a Rust expression whose value is a skeleton:
///
/// ```
/// # use skel::prelude::*;
/// let worker = pipe!(task(1.0), task(2.0));
/// let replicas = std::thread::available_parallelism().map_or(1, usize::from);
/// let program = pipe!(task(1.0), farm(replicas.min(2), worker.clone()), worker);
/// assert!(program.communicating(1).performance().is_ok());
/// ```
///
/// As an item it makes a type that stands for the skeleton, with a handle for each named task; a misspelt
/// name does not compile.
///
/// ```
/// use skel::prelude::*;
///
/// pipe! {
///     /// Reads images, sharpens them, writes them.
///     pub skeleton Images { task("read", 20.0), farm(3, "sharpen", 5.0), task("write", 30.0) }
/// }
///
/// let performance = Images::new().communicating(100.0).performance()?;
/// assert!(performance.busy_of(Images::sharpen) > performance.busy_of(Images::read));
/// # Ok::<(), skel::Error>(())
/// ```
///
/// An item may have parameters, for its counts and its rates. They are the arguments of `new`, and the
/// handles are the same for all of their values, which are checked when the skeleton is built:
///
/// ```
/// use skel::prelude::*;
///
/// pipe! {
///     skeleton Images(n: usize, mu: f64) { task("read", 20.0), farm(n, "sharpen", mu), task("write", 30.0) }
/// }
///
/// let throughput = |n| Images::new(n, 5.0).communicating(100.0).performance().map(|found| *found.throughput());
/// assert!(throughput(1)? < throughput(3)?);
/// assert!(throughput(0).is_err()); // the farm has 0 replicas
/// # Ok::<(), skel::Error>(())
/// ```
///
/// ```compile_fail
/// # use skel::prelude::*;
/// pipe!(task(1.0), farm(0, 3.0)); // the farm has 0 replicas
/// ```
///
/// # Running it
///
/// With the feature `run` the same skeleton is executed, on threads. An item is given a function for each
/// task behind `run()`, in the order of the tasks and by their names. A function takes what the task before
/// makes, so that only the first closure has to say its type.
///
/// ```
/// # #[cfg(feature = "run")] {
/// use skel::prelude::*;
///
/// pipe! {
///     skeleton Words { task("read", 20.0), farm(3, "count", 5.0), task("add", 30.0) }
/// }
///
/// let mut sum = 0;
/// Words::new()
///     .run()
///     .read(|line: &str| line.trim().to_owned())
///     .count(|line| line.split(' ').count())
///     .add(|words| sum += words)
///     .over(["to be or", "not to be"])?;
/// assert_eq!(sum, 6);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// - The function of a task may change what it captures (`FnMut`). The workers of a farm or a deal share
///   theirs, which may not (`Fn`).
/// - `try_count` takes a function that may fail: it returns a `Result`. Behind it, `.retry(3)` tries an item
///   again, and `.skip_failures()` leaves it out and counts it. Otherwise the first failure ends the run.
/// - `count_with` takes a function that makes a state, and one that uses it:
///   `.count_with(Vec::new, |scratch, line| ..)`. Each worker has a state of its own. `try_count_with` is
///   both.
/// - The methods have the names of the handles. If one of them is there already, `_` is behind the name: a
///   task `retry` is given its function by `.retry_(..)`, and a task `try_load` beside a task `load` by
///   `.try_load_(..)`.
///
/// A stage without a function, functions in another order, and types that do not meet do not compile:
///
/// ```compile_fail
/// # use skel::prelude::*;
/// # pipe! { skeleton Words { task("read", 20.0), farm(3, "count", 5.0), task("add", 30.0) } }
/// Words::new().run().read(|line: &str| line.len()).over(["to be"]); // the stage `count` has no function yet
/// ```
///
/// In an expression, a function is the last argument of a task:
///
/// ```
/// # #[cfg(feature = "run")] {
/// use skel::prelude::*;
///
/// let program = pipe!(
///     task("read", 20.0, |line: &str| line.trim().to_owned()),
///     farm(3, 5.0, |line| line.split(' ').count()),
/// );
/// let (counts, _report) = program.run().collect(["to be or", "not to be"])?;
/// assert_eq!(counts, [3, 3]);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It is a closure or, if the task has a name, any function. A [`map!`](crate::map), a
/// [`fault_tolerant!`](crate::fault_tolerant) and a [`map_with_state!`](crate::map_with_state) inside of a
/// pipe have their functions as last arguments, too. Functions that may fail, `reduce`, and states that
/// workers make belong to an item.
#[macro_export]
macro_rules! pipe {
    ($($stages:tt)*) => { $crate::__private::pipe! { [$crate] $($stages)* } };
}

/// A farm: replicas of a worker; a replica that is free receives the next item. The worker is a rate (a
/// task), or any skeleton. See [`pipe!`] for what is checked when, and for the form as an item.
///
/// ```
/// use skel::prelude::*;
/// let performance = farm!(3, "render", 2.0).communicating(1.0).performance_exact()?;
/// assert_eq!(*performance.throughput(), ratio(6, 1));
/// # Ok::<(), skel::Error>(())
/// ```
#[macro_export]
macro_rules! farm {
    ($($arguments:tt)*) => { $crate::__private::farm! { [$crate] $($arguments)* } };
}

/// A deal: replicas of a worker that receive items in turn and pass them on in turn. The worker is a rate (a
/// task), or any skeleton. See [`pipe!`] for what is checked when, and for the form as an item.
///
/// ```
/// use skel::prelude::*;
/// let program = pipe!(task(1.0), deal(2, 1.0), task(1.0)).communicating(1.0);
/// assert_eq!(*program.performance_exact()?.throughput(), ratio(52324, 138973));
/// let alone: Deal<Task> = deal!(2, 1.0);
/// # Ok::<(), skel::Error>(())
/// ```
#[macro_export]
macro_rules! deal {
    ($($arguments:tt)*) => { $crate::__private::deal! { [$crate] $($arguments)* } };
}

/// A task: processes one item after another, at a rate in items per unit of time; a name may stand before it.
///
/// ```
/// use skel::prelude::*;
/// let performance = task!("compress", 2.0).communicating(1.0).performance_exact()?;
/// assert_eq!(*performance.throughput(), ratio(2, 1));
/// # Ok::<(), skel::Error>(())
/// ```
#[macro_export]
macro_rules! task {
    ($($arguments:tt)*) => { $crate::__private::task! { [$crate] $($arguments)* } };
}

/// A map: each item is scattered over all workers, and gathered when all are done. The rate or the time is
/// that of one worker for its part of an item; a name may stand before it. See [`pipe!`] for what is checked
/// when, and for the form as an item.
///
/// ```
/// use skel::prelude::*;
/// // The longest of eight exponential times of mean 1 is 1 + 1/2 + .. + 1/8 on average.
/// let performance = map!(8, "match", 1.0).communicating(Communication::negligible()).performance_exact()?;
/// assert_eq!(*performance.throughput(), ratio(280, 761));
/// # Ok::<(), skel::Error>(())
/// ```
///
/// With the feature `run` it is executed. The function is the last argument. All workers call it, each with
/// its part of an item, and the map makes the `Vec` of their results, in the order of the workers. A `Vec`, a
/// slice and a range of integers have parts, and so has what implements
/// [`Scatter`](crate::run::functions::Scatter). The form as an item has the same function behind `run()`, and
/// more forms of it.
///
/// ```
/// # #[cfg(feature = "run")] {
/// use skel::prelude::*;
///
/// let program = pipe!(
///     task("read", 1e6, |length: u64| 0..length),
///     map(3, "square", 1e6, |part| part.map(|number| number * number).sum::<u64>()),
///     task("add", 1e6, |sums| sums.into_iter().sum::<u64>()),
/// );
/// let (sums, _report) = program.run().collect([0, 4, 100])?;
/// assert_eq!(sums, [0, 14, 328_350]);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! map {
    ($($arguments:tt)*) => { $crate::__private::map! { [$crate] $($arguments)* } };
}

/// A fault-tolerant stage: each item goes to all workers, which compute the same from it in different ways,
/// and the result of the majority is passed on. Their number is odd, and at least 3. All replies are waited
/// for, so that an item on which the workers differ is noticed whoever is late; with `early` behind the rate,
/// the result is passed on as soon as the majority have replied.
///
/// ```
/// use skel::prelude::*;
/// let all = fault_tolerant!(3, "vote", 1.0).communicating(1.0).performance_exact()?;
/// let early = fault_tolerant!(3, "vote", 1.0, early).communicating(1.0).performance_exact()?;
/// assert_eq!((all.throughput(), early.throughput()), (&ratio(6, 11), &ratio(9, 10)));
/// # Ok::<(), skel::Error>(())
/// ```
///
/// With the feature `run` it is executed. A tuple with a function for each worker is the last argument. All
/// workers are shown the item, and the stage makes what the majority of them return, by `Eq`. More than 9
/// functions, or a number that is not known here, are an array or a `Vec` of functions of one type. A worker
/// that panics agrees with nobody.
///
/// ```
/// # #[cfg(feature = "run")] {
/// use skel::prelude::*;
///
/// let roots = fault_tolerant!(3, "root", 1e6, early, (
///     |number: &u64| number.isqrt(),
///     |number| (1..).take_while(|root| root * root <= *number).count() as u64,
///     |number| if *number < 50 { number.isqrt() } else { panic!("too large for me") },
/// ));
/// assert_eq!(roots.run().collect([16, 49, 90])?.0, [4, 7, 9]);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! fault_tolerant {
    ($($arguments:tt)*) => { $crate::__private::fault_tolerant! { [$crate] $($arguments)* } };
}

/// A map whose workers keep a state, which a second input replaces now and then: `state(rate, items)` has the
/// rate at which a worker takes a new state, or the time for it, and how many items there are for each state
/// on average. Items stop while the workers take a state.
///
/// ```
/// use skel::prelude::*;
/// // One worker takes 5 s for an item, and 2 s for a state, which comes after 10 items on average.
/// let identify = map_with_state!(1, "identify", every(5.s()), state(every(2.s()), 10));
/// let performance = identify.communicating(1.0).performance_exact()?;
/// assert_eq!(performance.throughput().recip(), ratio(52, 10));
/// # Ok::<(), skel::Error>(())
/// ```
///
/// With the feature `run` it is executed. It takes [`StateOr`](crate::run::StateOr)s. A state is scattered
/// over the workers, and an item is shown to all of them. The function is the last argument: it takes a
/// worker's part of the state and the item, and the map makes the `Vec` of the workers' results.
///
/// ```
/// # #[cfg(feature = "run")] {
/// use skel::prelude::*;
/// use skel::run::StateOr;
///
/// let find = map_with_state!(2, "find", 1e6, state(1e5, 10), |part: &Vec<&str>, name: &&str| part.contains(name));
/// let names = [StateOr::State(vec!["Ada", "Grace", "Alan"]), StateOr::Item("Alan"), StateOr::Item("Ada")];
/// assert_eq!(find.run().collect(names)?.0, [[false, true], [true, false]]);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! map_with_state {
    ($($arguments:tt)*) => { $crate::__private::map_with_state! { [$crate] $($arguments)* } };
}

/// A property in CSL, read while the program is compiled. [`StateSpace::check`](crate::StateSpace::check)
/// answers it.
///
/// With a type that [`pepa!`] or [`include_pepa!`] made, its names are looked up, too: those of local states,
/// result lines and actions. The property then belongs to this model, and does not compile on the states of
/// another.
///
/// ```
/// use skel::prelude::*;
///
/// pepa! {
///     model Machine {
///         Up = (fail, 3 / 10).Down;
///         Down = (mend, 2).Up;
///         Up;
///         broken = {Down};
///     }
/// }
///
/// let space = Machine::new().explore()?;
/// let found = space.check_exact(csl!(Machine, "S=? [ \"broken\" ]"))?;
/// assert_eq!(found.figure().unwrap().exact(), Some(&ratio(3, 23)));
/// // Without a model, names are looked up when the property is checked.
/// assert!(space.check(csl!("R{\"mend\"}<=1 [ C<=1 ]"))?.verdict().is_some());
/// # Ok::<(), skel::Error>(())
/// ```
///
/// ```compile_fail
/// # use skel::prelude::*;
/// # pepa! { model Machine { Up = (fail, 3 / 10).Down; Down = (mend, 2).Up; Up } }
/// let property = csl!(Machine, "S=? [ Dwon = 1 ]");
/// ```
#[cfg(feature = "over-time")]
#[macro_export]
macro_rules! csl {
    ($($property:tt)*) => { $crate::__private::csl! { [$crate] $($property)* } };
}
