//! How much work each machine gets, and in which pieces.
//!
//! Reference: J. M. Laine and E. T. Midorikawa, *Uso de modelos analíticos na modelagem de aplicações paralelas distribuídas* (PEMPIs-Het).
