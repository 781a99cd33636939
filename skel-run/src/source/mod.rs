//! Where items come from.

mod channel;
mod items;
mod reader;
#[cfg(feature = "stream")]
mod stream;

pub use channel::{FromChannel, from_channel};
pub use items::{Items, Iterated, Source};
pub(crate) use reader::{Reader, Shelf, Taken};
#[cfg(feature = "stream")]
pub use stream::{FromStream, from_stream};
