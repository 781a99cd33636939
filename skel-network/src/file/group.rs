//! Machines that are written together, and their names.

/// Machines that are written together: a single one, or equal ones with one latency between any two of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    name: String,
    machines: Vec<String>,
}

impl Group {
    /// A single machine.
    pub fn machine(name: impl Into<String>) -> Group {
        let name = name.into();
        Group { machines: vec![name.clone()], name }
    }

    /// So many equal machines, named `NAME-1`, `NAME-2` and so on; a single one has the name of the group.
    ///
    /// # Examples
    /// ```
    /// use skel_network::file::Group;
    /// assert_eq!(Group::equal("C1", 2).machines(), ["C1-1", "C1-2"]);
    /// assert_eq!(Group::equal("C23", 1).machines(), ["C23"]);
    /// ```
    pub fn equal(name: impl Into<String>, count: usize) -> Group {
        let name = name.into();
        match count {
            1 => Group::machine(name),
            _ => Group { machines: (1..=count).map(|number| format!("{name}-{number}")).collect(), name },
        }
    }

    /// Equal machines with names of their own.
    pub fn named(name: impl Into<String>, machines: impl IntoIterator<Item = impl Into<String>>) -> Group {
        Group { name: name.into(), machines: machines.into_iter().map(Into::into).collect() }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of its machines.
    #[must_use]
    pub fn machines(&self) -> &[String] {
        &self.machines
    }

    /// Whether it is as [`Group::equal`] makes it.
    pub(super) fn is_numbered(&self) -> bool {
        *self == Group::equal(self.name.as_str(), self.machines.len())
    }
}

/// What a name has to be.
pub(super) const NAMES: &str =
    "a name has at least one character, no blanks around it and no control characters";

/// Whether a text can be the name of a machine or a cluster.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.trim() == text && !text.chars().any(char::is_control)
}

/// The name of a group and those of its machines; a machine alone has one name.
pub(super) fn names(group: &Group) -> impl Iterator<Item = &String> {
    let own = group.machines.iter().all(|machine| *machine != group.name).then_some(&group.name);
    own.into_iter().chain(&group.machines)
}
