//! Choices drawn from a list of bytes, so that proptest can shrink whatever is generated from them.

/// Decisions, drawn from a list of bytes that proptest shrinks.
pub(crate) struct Draw<'b> {
    bytes: std::slice::Iter<'b, u8>,
}

impl<'b> Draw<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Draw { bytes: bytes.iter() }
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.bytes.next().map_or(0, |&byte| byte as usize % bound)
    }

    pub(crate) fn one_in(&mut self, chance: usize) -> bool {
        self.below(chance) == 1
    }
}
