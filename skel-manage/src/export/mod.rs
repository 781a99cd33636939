//! What a manager noted, for others: as text for people, as lines of JSON, and as events of the crate
//! `tracing`.

#[cfg(feature = "tracing")]
mod events;
#[cfg(feature = "json")]
mod json;
#[cfg(test)]
mod samples;
mod text;

#[cfg(feature = "json")]
pub use json::{LogError, LogErrors};
pub(crate) use text::in_words;
