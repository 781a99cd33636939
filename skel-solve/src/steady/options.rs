//! How to solve, and by which method.

/// How to solve in `f64`.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::steady::{Method, Options};
/// let space = Model::from_text("E = (arrive, 1).F; F = (serve, 3).E; E[5]")?.explore()?;
/// let options = Options { tolerance: 1e-9, method: Method::BiCgStab, ..Options::default() };
/// let pi = space.solver().options(&options).solve()?;
/// assert!(pi.report().iterations > 0 && pi.report().residual < 1e-8);
/// # Ok::<(), skel::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The worst relative error that the answer of an iterative method may have in a probability, and so in a
    /// throughput, as far as it can be estimated. Where the probabilities of rare states are not to be had,
    /// the worst relative error in a throughput, a result line or a population, which is proved then; see
    /// [`Certified`](super::Certified).
    pub tolerance: f64,
    /// Chains up to this many states are solved directly; larger ones only where iterating gives no answer
    /// within the tolerance, or would take longer. With 0 none is. Only [`Method::Automatic`] looks at it.
    pub direct_up_to: usize,
    /// Which method, where it is not for the size of the chain and the methods themselves to say.
    pub method: Method,
    /// Whether there is an answer where every run ends in one deadlock: the figures of that state, whose
    /// throughputs are all zero. Unless this is set, such a model is refused with
    /// [`Error::Deadlock`](crate::Error::Deadlock).
    pub allow_deadlock: bool,
}

impl Options {
    /// Up to how many states a chain is eliminated at once.
    pub(super) fn eliminated_up_to(&self) -> usize {
        match self.method {
            Method::Automatic => self.direct_up_to,
            Method::Direct => usize::MAX,
            _ => 0,
        }
    }
}

/// A method for the steady state in `f64`. One that is chosen gets no help from the others: where it has no
/// answer within the tolerance, there is [`Error::NotConverged`](crate::Error::NotConverged).
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::steady::{Method, Options};
/// let space = Model::from_text("E = (arrive, 1).F; F = (serve, 3).E; E[5]")?.explore()?;
/// for method in [Method::Direct, Method::Gmres, Method::Power] {
///     let pi = space.solver().method(method).solve()?;
///     assert!((pi.utilisation_named("F")? - 0.25).abs() < 1e-10);
/// }
/// # Ok::<(), skel::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Small chains are eliminated, and those that are much longer than wide; for others the iterative
    /// methods are tried in turn, and elimination again. Where that is known to be cheap, iterating gets a
    /// fourth of its time.
    #[default]
    Automatic,
    /// Elimination, whatever work that is.
    Direct,
    /// BiCGSTAB, preconditioned by a forward sweep of Gauss-Seidel.
    BiCgStab,
    /// BiCGSTAB, preconditioned by incomplete factors.
    BiCgStabIlu,
    /// BiCGSTAB, preconditioned by incomplete factors whose diagonal alone differs from that of the matrix.
    /// It takes nearly as few iterations as with other incomplete factors, and each costs no more than with a
    /// sweep. The rates are kept as a list.
    BiCgStabDilu,
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
}

impl Default for Options {
    fn default() -> Self {
        Options { tolerance: 1e-10, direct_up_to: 400, method: Method::Automatic, allow_deadlock: false }
    }
}
