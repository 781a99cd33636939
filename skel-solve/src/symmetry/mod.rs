//! Finds interchangeable parts of a model, and lumps the states that differ only by an exchange of such
//! parts.
//!
//! - `automorphism` finds and verifies the exchanges. It compares how actions are composed (`composition`)
//!   and which activities the components have (`activities`).
//! - `told_apart` says which exchanges a question forbids.
//! - `lumping` gives each state its canonical form, and counts the states that this form stands for
//!   (`arrangements`).

pub(crate) mod activities;
mod arrangements;
pub(crate) mod automorphism;
pub(crate) mod composition;
pub(crate) mod lumping;
pub(crate) mod sorted;
pub(crate) mod told_apart;
