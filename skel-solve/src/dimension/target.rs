//! What is asked of a program.

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_core::number::Ratio;
use skel_core::rate::Rate;

/// What a program has to keep.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// let a_second = Target::throughput(200.0);
/// assert_eq!(a_second, Target::throughput(every(5.ms()))); // an item every 5 ms
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Target(Rate);

impl Target {
    /// At least so many items per unit of time: that of the rates of tasks and moves, which is a second where they are made of times.
    #[must_use]
    pub fn throughput(rate: impl Into<Rate>) -> Target {
        Target(rate.into())
    }

    /// The exact rate, if it is one.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn exact(&self) -> Result<Ratio, BuildErrors> {
        self.0.to_positive().map_err(|problem| {
            BuildErrors(vec![BuildError {
                code: Code::QuantityNotPositive,
                message: format!("the target {problem}"),
                help: "a target is a number of items per unit of time, above 0".into(),
            }])
        })
    }
}
