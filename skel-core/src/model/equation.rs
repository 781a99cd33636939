//! The system equation: with its arrays as they are written, and with their copies.
//!
//! A model keeps the equation as [`SystemStep`]s in postfix order, in which an array is one step however many
//! copies it has. [`expand`] makes the tree over positions of it, once the number of copies of each array is
//! known. So another size is another tree, while actions, local states and rates stay what they are.

use std::ops::Range;

use crate::id::{ActionId, ComponentId, NodeId, Position};
use crate::rate::RateExpression;

/// A sorted set of action types.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ActionSet(Vec<ActionId>);

impl ActionSet {
    /// Whether the action is in the set; logarithmic time.
    #[must_use]
    pub fn contains(&self, action: ActionId) -> bool {
        self.0.binary_search(&action).is_ok()
    }

    /// The actions in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = ActionId> + '_ {
        self.0.iter().copied()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<ActionId> for ActionSet {
    fn from_iter<I: IntoIterator<Item = ActionId>>(actions: I) -> Self {
        let mut actions: Vec<ActionId> = actions.into_iter().collect();
        actions.sort_unstable();
        actions.dedup();
        ActionSet(actions)
    }
}

/// A node of the system's tree. Children come before their parents in
/// [`Model::nodes`](crate::model::Model::nodes).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// One occurrence of a sequential component.
    Leaf(Position),
    /// `left <set> right`.
    Cooperation {
        /// The left operand.
        left: NodeId,
        /// The right operand.
        right: NodeId,
        /// The actions on which the two synchronise.
        set: ActionSet,
    },
    /// `of / set`.
    Hiding {
        /// The operand.
        of: NodeId,
        /// The actions that become `tau`.
        set: ActionSet,
    },
}

/// An array `P[n]` or `P[n, {a}]` of the system equation: equal, interchangeable copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The node that stands for the whole array.
    pub node: NodeId,
    /// The position of the first copy.
    pub first: Position,
    /// How many copies there are.
    pub copies: u32,
    /// How many positions one copy takes.
    pub width: u32,
}

/// A step of the system equation in postfix order: operands come before what is made of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SystemStep {
    /// One occurrence of a sequential component.
    Component(ComponentId),
    /// The last two operands with one another, `left <set> right`.
    Cooperation(ActionSet),
    /// The last operand with hidden actions, `of / set`.
    Hiding(ActionSet),
    /// Copies of the last operand, `of[count, set]`.
    Array {
        /// How many steps before this one make the operand.
        steps: u32,
        /// How many copies there are: a number, or an expression over sizes.
        count: RateExpression,
        /// The actions on which the copies synchronise.
        set: ActionSet,
    },
}

impl SystemStep {
    /// Whether the step is an array whose number of copies is made of sizes that have names.
    #[must_use]
    pub fn is_variable(&self) -> bool {
        let mut has_name = false;
        if let SystemStep::Array { count, .. } = self {
            count.for_each_parameter(&mut |_| has_name = true);
        }
        has_name
    }
}

/// The tree of an equation over positions.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    pub(crate) nodes: Vec<Node>,
    /// Per position its component.
    pub(crate) leaves: Vec<ComponentId>,
    pub(crate) arrays: Vec<Array>,
    /// The positions of each array of variable size that is in no other, in ascending order.
    pub(crate) variable: Vec<Range<usize>>,
}

impl Expansion {
    /// Per position whether it is in no array of variable size.
    pub(crate) fn is_fixed(&self) -> Vec<bool> {
        let mut is_fixed = vec![true; self.leaves.len()];
        self.variable.iter().for_each(|range| is_fixed[range.clone()].fill(false));
        is_fixed
    }
}

/// How many positions an equation has, if its arrays have so many copies: a number for each step, which
/// arrays alone look at.
pub(crate) fn positions(steps: &[SystemStep], copies: &[u32]) -> u64 {
    let mut sizes: Vec<u64> = Vec::new();
    for (step, &copies) in steps.iter().zip(copies) {
        match step {
            SystemStep::Component(_) => sizes.push(1),
            SystemStep::Hiding(_) => {}
            SystemStep::Cooperation(_) => {
                let right = sizes.pop().unwrap_or(0);
                sizes.iter_mut().last().into_iter().for_each(|left| *left = left.saturating_add(right));
            }
            SystemStep::Array { .. } => {
                sizes.iter_mut().last().into_iter().for_each(|of| *of = of.saturating_mul(u64::from(copies)));
            }
        }
    }
    sizes.pop().unwrap_or(0)
}

/// The tree of an equation whose arrays have so many copies. The copies of an array are composed as a
/// balanced tree: cooperation over one set is associative. Linear in the positions.
pub(crate) fn expand(steps: &[SystemStep], copies: &[u32]) -> Expansion {
    let mut builder = Builder { steps, copies, expansion: Expansion::default(), operands: Vec::new() };
    builder.run(0..steps.len());
    builder.expansion
}

struct Builder<'s> {
    steps: &'s [SystemStep],
    copies: &'s [u32],
    expansion: Expansion,
    /// The nodes that are still to be composed, each with its first position.
    operands: Vec<(NodeId, Position)>,
}

impl Builder<'_> {
    fn run(&mut self, range: Range<usize>) {
        for at in range {
            match &self.steps[at] {
                SystemStep::Component(component) => self.leaf(*component),
                SystemStep::Cooperation(set) => {
                    let right = self.pop();
                    self.cooperation(right, set);
                }
                SystemStep::Hiding(set) => {
                    let (of, first) = self.pop();
                    self.push(Node::Hiding { of, set: set.clone() }, first);
                }
                SystemStep::Array { steps, set, .. } => self.array(at, *steps as usize, set),
            }
        }
    }

    /// The first copy has been made; this makes the others, and composes them all.
    fn array(&mut self, at: usize, steps: usize, set: &ActionSet) {
        let copies = self.copies[at];
        for _ in 1..copies {
            self.run(at - steps..at);
        }
        let mut row = self.operands.split_off(self.operands.len() - copies as usize);
        let first = row[0].1;
        let width = (self.expansion.leaves.len() - first.index()) / row.len();
        while row.len() > 1 {
            let mut composed = Vec::with_capacity(row.len().div_ceil(2));
            for pair in row.chunks(2) {
                self.operands.push(pair[0]);
                if let [_, right] = *pair {
                    self.cooperation(right, set);
                }
                composed.push(self.pop());
            }
            row = composed;
        }
        let array = Array { node: row[0].0, first, copies, width: width as u32 };
        self.expansion.arrays.push(array);
        self.operands.push(row[0]);
        if self.steps[at].is_variable() {
            let variable = &mut self.expansion.variable;
            variable.retain(|inner| inner.start < first.index());
            variable.push(first.index()..self.expansion.leaves.len());
        }
    }

    fn leaf(&mut self, component: ComponentId) {
        let position = Position::at(self.expansion.leaves.len());
        self.expansion.leaves.push(component);
        self.push(Node::Leaf(position), position);
    }

    /// The last operand with one to its right.
    fn cooperation(&mut self, (right, _): (NodeId, Position), set: &ActionSet) {
        let (left, first) = self.pop();
        self.push(Node::Cooperation { left, right, set: set.clone() }, first);
    }

    fn push(&mut self, node: Node, first: Position) {
        self.operands.push((NodeId::at(self.expansion.nodes.len()), first));
        self.expansion.nodes.push(node);
    }

    /// # Panics
    /// If a step lacks its operands, which no equation of a model does.
    fn pop(&mut self) -> (NodeId, Position) {
        self.operands.pop().expect("operands stand before what is made of them")
    }
}
