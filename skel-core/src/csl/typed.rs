//! Properties whose names were looked up in a model of Rust while a program was compiled.

use std::fmt;
use std::marker::PhantomData;

use super::parse::parse;
use super::tree::Property;

/// A property of the model `M`, as the macro `csl!` makes it. It does not compile on another model.
pub struct PropertyOf<M: ?Sized> {
    text: &'static str,
    model: PhantomData<fn() -> Box<M>>,
}

impl<M: ?Sized> PropertyOf<M> {
    /// A property that the macro has read. Generated code calls it.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_generated_code(text: &'static str) -> Self {
        PropertyOf { text, model: PhantomData }
    }

    /// The property as a text.
    #[must_use]
    pub fn text(&self) -> &'static str {
        self.text
    }
}

impl<M: ?Sized> Clone for PropertyOf<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: ?Sized> Copy for PropertyOf<M> {}

impl<M: ?Sized> fmt::Debug for PropertyOf<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PropertyOf({:?})", self.text)
    }
}

impl<M: ?Sized> fmt::Display for PropertyOf<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

/// The property of a literal that the macro has read before.
///
/// # Panics
/// If the text is no property.
#[doc(hidden)]
#[must_use]
pub fn of_literal(text: &'static str) -> Property {
    let read = parse(text).entries.into_iter().next().and_then(|entry| entry.property);
    read.expect("the macro has read the literal")
}
