//! Methods for the balance equations of an irreducible chain, iterative and direct, in `f64` and exact.

pub(crate) mod bicgstab;
pub(crate) mod blocks;
pub(crate) mod dilu;
pub(crate) mod elimination;
pub(crate) mod gauss_seidel;
pub(crate) mod gmres;
pub(crate) mod ilu;
pub(crate) mod iteration;
pub(crate) mod krylov;
mod method_used;
pub(crate) mod modular;
pub(crate) mod multilevel;
pub(crate) mod power;
pub(crate) mod preconditioner;

pub use method_used::MethodUsed;
