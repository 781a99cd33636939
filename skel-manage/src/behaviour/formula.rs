//! `f(T_W, n)`: the service time of workers side by side, where times do not vary, for floats and for exact
//! fractions.
//!
//! | skeleton | `f` |
//! |---|---|
//! | farm, deal | `T_W / n` |
//! | map | `max T_Wi` |
//! | fault-tolerant | `max T_Wi`; if it passes on early, the time of the worker that makes the majority |
//! | map with state | `T_W + (T_I + T_W) / m` |
//!
//! Source: D.NFCF.03, sections 4.2, 4.3 and 5.1; it has none for a fault-tolerant stage. `T_W / m` in the
//! last one is the time in which the workers finish what they have before they take a new state: "at most
//! `T_W`".

use skel_core::number::Number;

/// Of a farm or deal of so many workers: `T_W / n`.
///
/// # Examples
/// ```
/// use skel_core::number::ratio;
/// assert_eq!(skel_manage::behaviour::formula::farm(&ratio(4, 1), &ratio(7, 1)), ratio(4, 7));
/// ```
#[must_use]
pub fn farm<N: Number>(worker: &N, workers: &N) -> N {
    worker.clone() / workers.clone()
}

/// Of a map, or of a fault-tolerant stage that waits for all replies: the longest of its workers' times; 0
/// without workers.
#[must_use]
pub fn map<N: Number>(workers: &[N]) -> N {
    longest(workers)
}

/// Of a fault-tolerant stage that passes a result on as soon as so many workers have replied: the time of the
/// last one of these.
///
/// # Examples
/// ```
/// use skel_core::number::ratio;
/// let times = [ratio(9, 1), ratio(1, 1), ratio(2, 1)];
/// assert_eq!(skel_manage::behaviour::formula::majority(&times, 2), ratio(2, 1));
/// ```
#[must_use]
pub fn majority<N: Number>(workers: &[N], replies: usize) -> N {
    let mut times = workers.to_vec();
    times.sort_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
    times.truncate(replies);
    longest(&times)
}

/// Of a map with state: `T_W + (T_I + T_W) / m`, where a worker takes `T_I` for a state, and there are `m`
/// items for each.
///
/// # Examples
/// ```
/// use skel_core::number::ratio;
/// use skel_manage::behaviour::formula::map_with_state;
/// assert_eq!(map_with_state(&ratio(5, 1), &ratio(2, 1), &ratio(10, 1)), ratio(57, 10));
/// ```
#[must_use]
pub fn map_with_state<N: Number>(worker: &N, state: &N, items: &N) -> N {
    worker.clone() + (state.clone() + worker.clone()) / items.clone()
}

fn longest<N: Number>(times: &[N]) -> N {
    times.iter().fold(N::zero(), |longest, time| if *time > longest { time.clone() } else { longest })
}
