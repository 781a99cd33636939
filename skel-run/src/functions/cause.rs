//! Why an item could not be served.

use std::any::Any;
use std::error::Error;
use std::fmt;

/// Why an item could not be served.
#[derive(Debug)]
pub enum Cause {
    /// The function returned an error.
    Error(Box<dyn Error + Send + Sync>),
    /// The function panicked, with this message.
    Panic(String),
    /// One of several workers could not serve its part of the item.
    Worker {
        /// Its number, from 0.
        number: usize,
        /// How many workers there were.
        workers: usize,
        /// Why.
        cause: Box<Cause>,
    },
}

impl Cause {
    /// A panic by what it threw.
    pub(crate) fn of_panic(thrown: &(dyn Any + Send)) -> Self {
        let text = thrown.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| thrown.downcast_ref::<String>().cloned());
        Cause::Panic(text.unwrap_or_else(|| "a value that is no text".to_owned()))
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Error(error) => error.fmt(f),
            Cause::Panic(message) => write!(f, "it panicked: {message}"),
            Cause::Worker { number, workers, cause } => {
                write!(f, "worker {number} of {workers}, counted from 0, failed: {cause}")
            }
        }
    }
}

impl Error for Cause {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Cause::Error(error) => Some(&**error),
            Cause::Panic(_) => None,
            Cause::Worker { cause, .. } => cause.source(),
        }
    }
}
