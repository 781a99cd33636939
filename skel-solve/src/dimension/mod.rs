//! How many replicas, and where: the cheapest numbers of replicas with which a program keeps a target.
//!
//! ```text
//! Program, Target -> problem: places, costs, what each stage needs alone
//!                 -> line: bounds from a few neighbouring stages, where they are proved
//!                 -> search: configurations by cost, from the best bound on -> Dimension
//!                 -> robustness: the same with other times
//! ```
//!
//! # Examples
//! Stages take 4, 12, 60 and 3 milliseconds, and 200 items a second are wanted. On average 0.8 + 2.4 + 12 +
//! 0.6 workers are busy then, so 1 + 3 + 12 + 1 = 17 are needed at least, and suffice if every item takes
//! equally long. With exponential times it is 21.
//! ```
//! use skel::prelude::*;
//! let (a, b) = (task!("a", every(4.ms())), task!("b", every(12.ms())));
//! let (c, d) = (task!("c", every(60.ms())), task!("d", every(3.ms())));
//! let program = skel::skeleton::pipe((a, b, c, d)).communicating(Communication::negligible());
//! let answer = program.dimension(Target::throughput(200.0))?;
//! println!("{answer}");
//! let best = answer.best.as_ref().expect("it can be reached");
//! assert_eq!((best.cost, &best.replicas[..]), (21, &[2, 4, 14, 1][..]));
//! assert!(answer.is_proved());
//! # Ok::<(), skel::Error>(())
//! ```

mod answer;
mod chains;
mod line;
mod obstacle;
mod problem;
mod request;
mod response;
mod robustness;
mod search;
mod services;
mod target;

pub use answer::{
    Alternative, Asked, Configuration, Dimension, Known, Longer, Needs, Obstacle, Place, Proof, Robustness,
    Stop, Times, Variation, Verdict,
};
pub use chains::Progress;
pub use request::{Dimensioned, Dimensioning};
pub use target::Target;
