//! The numbers by which the parts of a model refer to one another: a type for each kind of part, so that none
//! can stand for another.

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $id(pub u32);

        impl $id {
            /// The position in the model's table.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of a position in the model's table.
            ///
            /// # Panics
            /// If the position is beyond `u32`; the checks bound every table far below that.
            #[must_use]
            pub fn at(index: usize) -> Self {
                $id(u32::try_from(index).expect("tables of a model are bounded"))
            }
        }
    )*};
}

ids! {
    /// An action type.
    ActionId;
    /// A named rate.
    ParameterId;
    /// The rate of an activity: an expression, active or passive.
    RateId;
    /// A local state (derivative) of a sequential component.
    LocalStateId;
    /// A sequential component: the local states that can be reached from one of them.
    ComponentId;
    /// A node of the system's tree.
    NodeId;
    /// A place in the state vector: one occurrence of a component in the system equation, from left to right.
    Position;
}

impl ActionId {
    /// The hidden action type, which never synchronises.
    pub const TAU: ActionId = ActionId(0);
}
