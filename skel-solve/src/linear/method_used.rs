//! The methods, as reports name them.

use std::fmt;

/// The method that gave an answer. It prints as its name.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::steady::{Method, MethodUsed};
/// let space = Model::from_text("E = (arrive, 1).F; F = (serve, 3).E; E[3]")?.explore()?;
/// let pi = space.solver().method(Method::Power).solve()?;
/// assert_eq!(pi.report().method, MethodUsed::Power);
/// assert_eq!(space.steady_state()?.report().method.to_string(), "direct (GTH elimination)");
/// # Ok::<(), skel::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MethodUsed {
    /// Probabilities that are products: one factor for each component, or for the count of copies in each
    /// local state. The factors solve the balance equations of some states, and the balance of all states was
    /// checked. The iterations in a report are those that estimated the error, and those that improved the
    /// products where that was needed. Or one factor for each part of the model, where parts do not cooperate
    /// with one another: each was solved by itself, and the iterations are theirs.
    ProductForm,
    /// Elimination without subtraction, by Grassmann, Taksar and Heyman, in `f64`.
    Direct,
    /// BiCGSTAB, preconditioned by a forward sweep of Gauss-Seidel.
    BiCgStab,
    /// BiCGSTAB, preconditioned by incomplete factors.
    BiCgStabIlu,
    /// BiCGSTAB, preconditioned by incomplete factors whose diagonal alone differs from that of the matrix.
    BiCgStabDilu,
    /// BiCGSTAB, preconditioned by block Gauss-Seidel. Transitions from block to block are slow, and each block
    /// is eliminated.
    BiCgStabBlocks,
    /// GMRES, restarted after thirty iterations, preconditioned by a forward sweep of Gauss-Seidel.
    Gmres,
    /// GMRES, restarted after thirty iterations, preconditioned by incomplete factors.
    GmresIlu,
    /// Multilevel aggregation.
    Multilevel,
    /// Gauss-Seidel, damped.
    GaussSeidel,
    /// The power method on the uniformised chain.
    Power,
    /// The same elimination in exact fractions, for derivatives.
    ExactElimination,
    /// LU modulo a prime and p-adic lifting, verified in exact fractions.
    Exact,
}

impl fmt::Display for MethodUsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MethodUsed::ProductForm => "product form",
            MethodUsed::Direct => "direct (GTH elimination)",
            MethodUsed::BiCgStab => "BiCGSTAB with Gauss-Seidel",
            MethodUsed::BiCgStabIlu => "BiCGSTAB with ILU(0)",
            MethodUsed::BiCgStabDilu => "BiCGSTAB with DILU",
            MethodUsed::BiCgStabBlocks => "BiCGSTAB with block Gauss-Seidel",
            MethodUsed::Gmres => "GMRES(30) with Gauss-Seidel",
            MethodUsed::GmresIlu => "GMRES(30) with ILU(0)",
            MethodUsed::Multilevel => "multilevel aggregation",
            MethodUsed::GaussSeidel => "damped Gauss-Seidel",
            MethodUsed::Power => "power method",
            MethodUsed::ExactElimination => "exact (elimination)",
            MethodUsed::Exact => "exact (LU modulo a prime, p-adic lifting)",
        })
    }
}
