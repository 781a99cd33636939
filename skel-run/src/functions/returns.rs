//! What a function returns: what it makes, or that or an error.

use std::error::Error;
use std::thread::Result as Attempt;

use super::cause::Cause;
use super::leaf::{Answer, Fallible, Plain};
use crate::parcel::drop_safely;

/// How a function returns what it makes.
pub trait Returns: Answer<Made: Send> {
    /// What it returns.
    type Returned;

    /// What it made, or why it could not.
    ///
    /// # Errors
    /// What the function returned.
    fn value(returned: Self::Returned) -> Result<Self::Made, Cause>;
}

impl<B: Send> Returns for Plain<B> {
    type Returned = B;

    fn value(returned: B) -> Result<B, Cause> {
        Ok(returned)
    }
}

impl<B: Send, E: Into<Box<dyn Error + Send + Sync>>> Returns for Fallible<B, E> {
    type Returned = Result<B, E>;

    fn value(returned: Result<B, E>) -> Result<B, Cause> {
        returned.map_err(|error| Cause::Error(error.into()))
    }
}

/// What all workers made, or why the first of those that could not failed.
pub(super) fn all<B>(replies: Vec<Attempt<Result<B, Cause>>>) -> Result<Vec<B>, Cause> {
    let workers = replies.len();
    let (mut all, mut failed) = (Vec::with_capacity(workers), None);
    for (number, reply) in replies.into_iter().enumerate() {
        match made(reply) {
            Ok(made) => all.push(made),
            Err(cause) if failed.is_none() => {
                failed = Some(Cause::Worker { number, workers, cause: Box::new(cause) });
            }
            Err(cause) => drop_safely(cause),
        }
    }
    let Some(cause) = failed else { return Ok(all) };
    all.into_iter().for_each(drop_safely);
    Err(cause)
}

/// What one worker made.
pub(super) fn made<B>(reply: Attempt<Result<B, Cause>>) -> Result<B, Cause> {
    reply.unwrap_or_else(|thrown| {
        let cause = Cause::of_panic(&*thrown);
        drop_safely(thrown);
        Err(cause)
    })
}
