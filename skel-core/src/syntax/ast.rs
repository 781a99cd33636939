//! The syntax tree: definitions, a system equation and result lines as they are written, with names that are
//! not looked up yet.
//!
//! Chains (`a.b.c.P`, `P + Q + R`, `P <a> Q <b> R`) are lists, so that only brackets nest and every walk over
//! a syntax tree is bounded by [`MAX_DEPTH`](super::MAX_DEPTH). Two trees are equal if they have the same
//! content, at whatever places: see [`At`].

use std::collections::HashMap;

use super::token::RustGroup;
use crate::diagnostic::Span;
use crate::number::Ratio;
use crate::rate::{ProductOperator, SumOperator};

/// The place of something in the source. Any two are equal, so that trees can be compared without their
/// places.
#[derive(Clone, Copy, Debug)]
pub struct At<S>(pub S);

impl<S> PartialEq for At<S> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A name and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Name<S> {
    /// The name, without quotes.
    pub text: String,
    /// Whether it stood in quotes: `"T"` is a name, `T` may be the passive rate.
    pub is_quoted: bool,
    /// Its place.
    pub at: At<S>,
}

/// A whole model as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Ast<S> {
    /// The definitions, in the order in which they stand.
    pub definitions: Vec<Definition<S>>,
    /// The system equation, if there is one.
    pub system: Option<Process<S>>,
    /// The result lines.
    pub results: Vec<ResultLine<S>>,
    /// The names of definitions that could not be read, so that their uses are not reported as undefined.
    pub unread: Vec<String>,
}

/// `name = body;`
#[derive(Clone, Debug, PartialEq)]
pub struct Definition<S> {
    /// The name that is defined.
    pub name: Name<S>,
    /// What it stands for.
    pub body: Body<S>,
}

/// The right-hand side of a definition.
#[derive(Clone, Debug, PartialEq)]
pub enum Body<S> {
    /// It has numbers or arithmetic.
    Rate(Expression<S>),
    /// It has activities, cooperation, hiding or an array.
    Process(Process<S>),
    /// One name, or several joined by `+`. Whether it is a rate or a process depends on what the names are.
    Undecided(Process<S>),
}

/// A process term.
#[derive(Clone, Debug, PartialEq)]
pub enum Process<S> {
    /// A constant.
    Constant(Name<S>),
    /// `**`, in a pattern.
    Anything(At<S>),
    /// `(a, r).(b, s). ... .then`
    Prefix {
        /// The activities, at least one.
        activities: Vec<PrefixActivity<S>>,
        /// What follows them; never itself a prefix.
        then: Box<Process<S>>,
    },
    /// `P + Q + ...`, at least two.
    Choice(Vec<Process<S>>),
    /// `P <a> Q <b> ...`, from left to right.
    Cooperation {
        /// The leftmost operand.
        first: Box<Process<S>>,
        /// The sets and the operands to their right, at least one.
        rest: Vec<(CooperationSet<S>, Process<S>)>,
    },
    /// `P / {a}`
    Hiding {
        /// The operand.
        of: Box<Process<S>>,
        /// The hidden actions.
        set: Vec<Name<S>>,
    },
    /// `P[count, {a}]`
    Array {
        /// The copied process.
        of: Name<S>,
        /// The number of copies: a literal, the name of a size, or an expression over both.
        count: Expression<S>,
        /// The actions on which the copies synchronise.
        set: Vec<Name<S>>,
        /// The place of all of it.
        at: At<S>,
    },
}

/// `(action, rate)`
#[derive(Clone, Debug, PartialEq)]
pub struct PrefixActivity<S> {
    /// The action type.
    pub action: Name<S>,
    /// The rate: an expression in which `infty` (or `T`) stands for passive.
    pub rate: Expression<S>,
}

/// What stands between two operands of a cooperation.
#[derive(Clone, Debug, PartialEq)]
pub struct CooperationSet<S> {
    /// Which actions.
    pub kind: SetKind<S>,
    /// The place of the whole operator.
    pub at: At<S>,
}

/// Which actions two operands synchronise on.
#[derive(Clone, Debug, PartialEq)]
pub enum SetKind<S> {
    /// Those named; none for `||` and `<>`.
    Named(Vec<Name<S>>),
    /// `<*>`: every action that both sides can do.
    Shared,
}

/// An expression over numbers and names.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression<S> {
    /// A literal.
    Number(Ratio, At<S>),
    /// A named rate, `infty` or `T`.
    Name(Name<S>),
    /// `{ expression }`: a value from Rust.
    Rust(RustGroup, At<S>),
    /// `-e`
    Negative(Box<Expression<S>>, At<S>),
    /// A sum, from left to right; at least one in the list.
    Sum(Box<Expression<S>>, Vec<(SumOperator, Expression<S>)>),
    /// A product, from left to right; at least one in the list.
    Product(Box<Expression<S>>, Vec<(ProductOperator, Expression<S>)>),
}

/// `name = factor * {pattern};`
#[derive(Clone, Debug, PartialEq)]
pub struct ResultLine<S> {
    /// The name of the result.
    pub name: Name<S>,
    /// The factor, if there is one.
    pub factor: Option<Expression<S>>,
    /// The pattern, of the shape of the system equation.
    pub pattern: Process<S>,
}

impl<S: Copy> Ast<S> {
    /// The names that the sizes of arrays are made of, also by way of other definitions, each with a place
    /// where it is used so.
    ///
    /// # Examples
    /// ```
    /// let ast = skel_core::text::parse("n = 2; m = 3 * n; r = 1; P = (a, r).P; P[m]").ast();
    /// let mut sizes: Vec<&str> = ast.sizes().into_keys().collect();
    /// sizes.sort_unstable();
    /// assert_eq!(sizes, ["m", "n"]);
    /// ```
    #[must_use]
    pub fn sizes(&self) -> HashMap<&str, S> {
        let mut work = Vec::new();
        let processes = self.definitions.iter().filter_map(|definition| match &definition.body {
            Body::Rate(_) => None,
            Body::Process(process) | Body::Undecided(process) => Some(process),
        });
        for process in processes.chain(&self.system) {
            process.for_each_array(&mut |_, count| count.for_each_name(&mut |name| work.push(name)));
        }
        let mut sizes = HashMap::new();
        if work.is_empty() {
            return sizes;
        }
        let mut bodies: HashMap<&str, &Body<S>> = HashMap::new();
        for definition in &self.definitions {
            bodies.entry(&definition.name.text).or_insert(&definition.body);
        }
        while let Some(name) = work.pop() {
            if sizes.contains_key(name.text.as_str()) {
                continue;
            }
            sizes.insert(name.text.as_str(), name.at.0);
            match bodies.get(name.text.as_str()) {
                Some(Body::Rate(expression)) => expression.for_each_name(&mut |name| work.push(name)),
                Some(Body::Undecided(names)) => names.for_each_name(&mut |name| work.push(name)),
                Some(Body::Process(_)) | None => {}
            }
        }
        sizes
    }
}

impl<S> Expression<S> {
    /// Calls `visit` with every name in the expression, from left to right.
    pub fn for_each_name<'a>(&'a self, visit: &mut impl FnMut(&'a Name<S>)) {
        match self {
            Expression::Number(..) | Expression::Rust(..) => {}
            Expression::Name(name) => visit(name),
            Expression::Negative(inner, _) => inner.for_each_name(visit),
            Expression::Sum(first, rest) => {
                first.for_each_name(visit);
                rest.iter().for_each(|(_, term)| term.for_each_name(visit));
            }
            Expression::Product(first, rest) => {
                first.for_each_name(visit);
                rest.iter().for_each(|(_, factor)| factor.for_each_name(visit));
            }
        }
    }
}

impl<S> Process<S> {
    /// Calls `visit` with the names of a body that has nothing else, from left to right.
    pub(crate) fn for_each_name<'a>(&'a self, visit: &mut impl FnMut(&'a Name<S>)) {
        match self {
            Process::Constant(name) => visit(name),
            Process::Choice(operands) => operands.iter().for_each(|operand| operand.for_each_name(visit)),
            _ => {}
        }
    }

    /// Calls `visit` with every constant, guarded or not.
    pub(crate) fn for_each_constant<'a>(&'a self, visit: &mut impl FnMut(&'a Name<S>)) {
        match self {
            Process::Constant(name) => visit(name),
            Process::Array { of, .. } => visit(of),
            Process::Anything(_) => {}
            Process::Prefix { then, .. } => then.for_each_constant(visit),
            Process::Choice(operands) => operands.iter().for_each(|operand| operand.for_each_constant(visit)),
            Process::Cooperation { first, rest } => {
                first.for_each_constant(visit);
                rest.iter().for_each(|(_, operand)| operand.for_each_constant(visit));
            }
            Process::Hiding { of, .. } => of.for_each_constant(visit),
        }
    }

    /// Calls `visit` with the activities of every prefix.
    pub(crate) fn for_each_prefix<'a>(&'a self, visit: &mut impl FnMut(&'a [PrefixActivity<S>])) {
        match self {
            Process::Constant(_) | Process::Anything(_) | Process::Array { .. } => {}
            Process::Prefix { activities, then } => {
                visit(activities);
                then.for_each_prefix(visit);
            }
            Process::Choice(operands) => operands.iter().for_each(|operand| operand.for_each_prefix(visit)),
            Process::Cooperation { first, rest } => {
                first.for_each_prefix(visit);
                rest.iter().for_each(|(_, operand)| operand.for_each_prefix(visit));
            }
            Process::Hiding { of, .. } => of.for_each_prefix(visit),
        }
    }

    /// Calls `visit` with what every array copies and how often, from left to right.
    pub(crate) fn for_each_array<'a>(&'a self, visit: &mut impl FnMut(&'a Name<S>, &'a Expression<S>)) {
        match self {
            Process::Constant(_) | Process::Anything(_) => {}
            Process::Array { of, count, .. } => visit(of, count),
            Process::Prefix { then, .. } => then.for_each_array(visit),
            Process::Choice(operands) => operands.iter().for_each(|operand| operand.for_each_array(visit)),
            Process::Cooperation { first, rest } => {
                first.for_each_array(visit);
                rest.iter().for_each(|(_, operand)| operand.for_each_array(visit));
            }
            Process::Hiding { of, .. } => of.for_each_array(visit),
        }
    }
}

impl<S: Span> Expression<S> {
    /// The place of the whole expression.
    pub fn span(&self) -> S {
        match self {
            Expression::Number(_, at) | Expression::Rust(_, at) | Expression::Negative(_, at) => at.0,
            Expression::Name(name) => name.at.0,
            Expression::Sum(first, rest) => join_last(first.span(), rest.last()),
            Expression::Product(first, rest) => join_last(first.span(), rest.last()),
        }
    }
}

fn join_last<S: Span, O>(first: S, last: Option<&(O, Expression<S>)>) -> S {
    last.map_or(first, |(_, expression)| first.join(expression.span()))
}

impl<S: Span> PrefixActivity<S> {
    /// The place from the action to the rate.
    pub fn span(&self) -> S {
        self.action.at.0.join(self.rate.span())
    }
}

impl<S: Span> Process<S> {
    /// The place of the whole term.
    pub fn span(&self) -> S {
        match self {
            Process::Constant(name) => name.at.0,
            Process::Anything(at) => at.0,
            Process::Prefix { activities, then } => activities[0].action.at.0.join(then.span()),
            Process::Choice(operands) => operands[0].span().join(operands[operands.len() - 1].span()),
            Process::Cooperation { first, rest } => match rest.last() {
                Some((_, last)) => first.span().join(last.span()),
                None => first.span(),
            },
            Process::Hiding { of, set } => match set.last() {
                Some(last) => of.span().join(last.at.0),
                None => of.span(),
            },
            Process::Array { at, .. } => at.0,
        }
    }

    /// The operands of all cooperations, from left to right: the entries of a pattern.
    pub fn entries(&self) -> Vec<&Process<S>> {
        let mut entries = Vec::new();
        self.add_entries(&mut entries);
        entries
    }

    fn add_entries<'p>(&'p self, entries: &mut Vec<&'p Process<S>>) {
        match self {
            Process::Cooperation { first, rest } => {
                first.add_entries(entries);
                rest.iter().for_each(|(_, operand)| operand.add_entries(entries));
            }
            Process::Hiding { of, .. } => of.add_entries(entries),
            other => entries.push(other),
        }
    }

    /// Whether the term, or a part that is not below a prefix, composes components.
    pub fn is_composition(&self) -> bool {
        match self {
            Process::Constant(_) | Process::Anything(_) | Process::Prefix { .. } => false,
            Process::Choice(operands) => operands.iter().any(Process::is_composition),
            Process::Cooperation { .. } | Process::Hiding { .. } | Process::Array { .. } => true,
        }
    }

    /// Whether it has nothing but names joined by `+`, which may be rates as well as processes.
    pub(super) fn is_names(&self) -> bool {
        match self {
            Process::Constant(_) => true,
            Process::Choice(operands) => operands.iter().all(Process::is_names),
            _ => false,
        }
    }
}
