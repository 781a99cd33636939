//! Where seconds are asked for: values of n, p and the parameters of a graph.

/// Values by names.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::fit) struct Place(pub(in crate::fit) Vec<(String, f64)>);

impl Place {
    /// The n and p of a measured point, with the parameters of a graph.
    pub(super) fn of_point(n: f64, p: u32, others: &[(String, f64)]) -> Place {
        let measured = [("n".to_owned(), n), ("p".to_owned(), f64::from(p))];
        Place(measured.into_iter().chain(others.iter().cloned()).collect())
    }

    /// The value of a name: that of exactly this name, else of one that differs in capital letters alone.
    pub(in crate::fit) fn value(&self, name: &str) -> Option<f64> {
        let exact = self.0.iter().find(|(known, _)| known == name);
        let near = || self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        exact.or_else(near).map(|(_, value)| *value)
    }
}
