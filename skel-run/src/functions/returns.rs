//! What a function returns: what it makes, or that or an error.

use std::error::Error;
use std::thread::Result as Attempt;

use super::cause::Cause;
use super::leaf::{Answer, Fallible, Plain};

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
    let reply = |(number, reply): (usize, Attempt<Result<B, Cause>>)| {
        let failed = |cause| Cause::Worker { number, workers, cause: Box::new(cause) };
        made(reply).map_err(failed)
    };
    replies.into_iter().enumerate().map(reply).collect()
}

/// What one worker made.
pub(super) fn made<B>(reply: Attempt<Result<B, Cause>>) -> Result<B, Cause> {
    reply.unwrap_or_else(|thrown| Err(Cause::of_panic(&*thrown)))
}
