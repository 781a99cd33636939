//! What a loop has learned from its earlier iterations.

/// What a loop has learned from its earlier iterations: a value that is kept between them, see [`Loop::learning`](super::Loop::learning).
#[derive(Clone, Debug, Default)]
pub struct Learned {}

impl Learned {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Learned {
        Learned::default()
    }
}
