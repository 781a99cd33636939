//! The words of the stages whose workers serve one item together.

/// What says that a fault-tolerant stage passes on the majority's result early.
pub(super) const EARLY: &str = "early";

/// What says how a map with state takes its states.
pub(super) const STATE: &str = "state";

/// The word of such a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TeamWord {
    /// `map`
    Map,
    /// `fault_tolerant`
    FaultTolerant,
    /// `map_with_state`
    MapWithState,
}

impl TeamWord {
    /// Every word.
    pub const ALL: [TeamWord; 3] = [TeamWord::Map, TeamWord::FaultTolerant, TeamWord::MapWithState];

    /// The word itself.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            TeamWord::Map => "map",
            TeamWord::FaultTolerant => "fault_tolerant",
            TeamWord::MapWithState => "map_with_state",
        }
    }

    /// What it is called in a sentence: `map`, `fault-tolerant stage`, `map with state`.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            TeamWord::Map => "map",
            TeamWord::FaultTolerant => "fault-tolerant stage",
            TeamWord::MapWithState => "map with state",
        }
    }

    /// How one is written.
    #[must_use]
    pub fn example(self) -> &'static str {
        match self {
            TeamWord::Map => "map(3, \"name\", 1.0)",
            TeamWord::FaultTolerant => "fault_tolerant(3, \"name\", 1.0)",
            TeamWord::MapWithState => "map_with_state(3, \"name\", 1.0, state(0.5, 10))",
        }
    }

    /// The word of a text, if it is one.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        TeamWord::ALL.into_iter().find(|word| word.text() == text)
    }
}
