//! Numbers of replicas and of items, of any type of whole numbers.

/// A number of replicas or of items from Rust: any whole number. Whether it is one that makes sense is
/// checked when the program is lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count(pub(super) i128);

macro_rules! counts {
    ($($whole:ty)*) => {$(
        impl From<$whole> for Count {
            fn from(count: $whole) -> Self {
                Count(count as i128)
            }
        }
    )*};
}
counts! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 usize }
