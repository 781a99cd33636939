//! The definitions of a text in a few bytes each.
//!
//! The definition of a local state, `P1 = (up, 1).P2 + (down, 2).P0;`, takes more than a kilobyte as a syntax
//! tree, and a text may have a million of them. So those of this kind, choices of activities that lead to
//! constants, are kept as numbers: of names, and of rates. Where something is wrong with one, its tree is
//! made again from the text, since the tree has all the places. All other definitions are kept as trees.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use foldhash::fast::RandomState;

use super::ast::{At, Body, Definition, Expression, Name, PrefixActivity, Process};
use super::lex::Lexer;
use super::parse::parse_definition;
use super::plain::{Plain, PlainActivity};
use crate::diagnostic::{Span, TextSpan};
use crate::number::decimal;
use crate::table::Table;

/// A list with room for so many items by a guess. Long lists that grow beside one another without it are
/// copied again and again. Where there is no such room, it grows as it is filled.
pub(crate) fn with_room<T>(items: usize) -> Vec<T> {
    let mut list = Vec::new();
    let _ = list.try_reserve_exact(items);
    list
}

/// Names with numbers.
#[derive(Debug)]
pub(crate) struct Names<'t> {
    pub(crate) list: Vec<&'t str>,
    table: Table,
}

impl<'t> Names<'t> {
    pub(crate) fn new() -> Self {
        Names { list: Vec::new(), table: Table::new() }
    }

    /// The number of a name, a new one if it has none.
    pub(crate) fn number(&mut self, name: &'t str) -> u32 {
        self.table.number(name, &mut self.list).0
    }

    /// The number of a name that has one.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.table.find(&name, &self.list)
    }
}

/// Where the body of a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// In the list of trees, at this index.
    Tree(u32),
    /// In [`Outline::code`], from this index on.
    Code(u32),
}

/// One definition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlined<S> {
    /// The number of its name.
    pub(crate) name: u32,
    /// The place of its name.
    pub(crate) at: S,
    pub(crate) kept: Kept,
}

/// The definitions of a text, in its order.
#[derive(Debug)]
pub(crate) struct Outline<'t, S> {
    text: &'t str,
    pub(crate) names: Names<'t>,
    pub(crate) definitions: Vec<Outlined<S>>,
    /// For each definition that is kept so: its number of operands, which is 1 if it is no choice, then for
    /// each operand the number of its activities, an action and a rate for each of them, and the constant at
    /// its end. Words are numbers of names and of rates.
    pub(crate) code: Vec<u32>,
    /// How many activities that is.
    pub(crate) activities: usize,
    /// The rates, each as it is written first.
    pub(crate) rates: Vec<Expression<S>>,
    rate_numbers: HashMap<String, u32, RandomState>,
    /// The rates that are numbers, as they stand in the text: what is written most is found without being
    /// written out.
    literals: HashMap<&'t str, u32, RandomState>,
    /// The numbers of the rates of a definition that is being added.
    of_definition: Vec<u32>,
    /// For each place of a name in a definition the number of the last name there.
    guesses: Vec<u32>,
    /// Parses the definition whose name stands at a place.
    parse: fn(&str, S) -> Option<Definition<S>>,
    /// The trees that were made again and are kept, so that each name in them has an address of its own.
    again: RefCell<Vec<Rc<Definition<S>>>>,
}

/// One operand of a choice, or the whole body of a definition: activities and the constant behind them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand<'o> {
    /// Actions and rates, in turn.
    pub(crate) activities: &'o [u32],
    /// The number of the constant's name.
    pub(crate) constant: u32,
}

impl<'t> Outline<'t, TextSpan> {
    pub(crate) fn new(text: &'t str) -> Self {
        let count = |sign: u8, least: usize| {
            text.bytes().filter(|byte| *byte == sign).count().min(text.len() / least)
        };
        // The shortest definition is `P=Q;`, and the shortest activity `(a,1).`. Signs in comments count,
        // too.
        let (definitions, activities) = (count(b';', 4), count(b'(', 6));
        Outline {
            text,
            names: Names::new(),
            definitions: with_room(definitions),
            code: with_room(definitions + 4 * activities),
            activities: 0,
            rates: Vec::new(),
            rate_numbers: HashMap::default(),
            literals: HashMap::default(),
            of_definition: Vec::new(),
            guesses: Vec::new(),
            parse: |text, name| {
                let end = TextSpan { start: text.len(), end: text.len() };
                parse_definition(Lexer::starting_at(text, name.start).piece(0), end)
            },
            again: RefCell::new(Vec::new()),
        }
    }

    /// Adds the next definition of the text, to `trees` where it is of another kind than those kept here.
    pub(crate) fn add(&mut self, definition: Definition<TextSpan>, trees: &mut Vec<Definition<TextSpan>>) {
        let at = definition.name.at.0;
        let name = self.names.number(self.slice(&definition.name));
        let (start, before) = (self.code.len(), self.activities);
        let kept = match &definition.body {
            Body::Process(process) if self.encode(process) => Kept::Code(start as u32),
            body => {
                self.code.truncate(start);
                self.activities = before;
                if let Body::Process(process) = body {
                    process.for_each_prefix(&mut |activities| self.activities += activities.len());
                }
                trees.push(definition);
                Kept::Tree(trees.len() as u32 - 1)
            }
        };
        self.definitions.push(Outlined { name, at, kept });
    }

    /// Adds the next definition of the text, of which the parts are known, unless one of its numbers cannot
    /// be read.
    pub(crate) fn add_plain(&mut self, plain: &Plain) -> bool {
        let mut rates = std::mem::take(&mut self.of_definition);
        rates.clear();
        rates.extend(plain.activities.iter().map_while(|activity| self.plain_rate(activity)));
        let is_readable = rates.len() == plain.activities.len();
        if is_readable {
            self.add_readable(plain, &rates);
        }
        self.of_definition = rates;
        is_readable
    }

    fn add_readable(&mut self, plain: &Plain, rates: &[u32]) {
        let mut place = 0;
        let name = self.guessed(&mut place, &plain.name);
        let start = self.code.len() as u32;
        self.code.push(plain.operands.len() as u32);
        let mut activities = plain.activities.iter().zip(rates);
        for operand in &plain.operands {
            self.code.push(operand.activities as u32);
            for (activity, &rate) in activities.by_ref().take(operand.activities) {
                let action = self.guessed(&mut place, &activity.action);
                self.code.extend([action, rate]);
            }
            let constant = self.guessed(&mut place, &operand.constant);
            self.code.push(constant);
        }
        self.activities += plain.activities.len();
        self.definitions.push(Outlined { name, at: span(&plain.name), kept: Kept::Code(start) });
    }

    /// The number of the name in a range of the text, at a place of its definition. In a long text most
    /// definitions are like the one before, so the name is compared with the one that stood at this place and
    /// with the one whose number comes next. To find it in a table of a million waits for the memory.
    fn guessed(&mut self, place: &mut usize, range: &Range<usize>) -> u32 {
        let name = &self.text[range.clone()];
        let guess = self.guesses.get_mut(*place);
        *place += 1;
        let list = &self.names.list;
        let known = guess.as_deref().and_then(|&last| {
            [last, last + 1].into_iter().find(|&number| list.get(number as usize) == Some(&name))
        });
        let number = match known {
            Some(known) => known,
            None => self.names.number(name),
        };
        match guess {
            Some(guess) => *guess = number,
            None => self.guesses.push(number),
        }
        number
    }

    /// The number of a rate, if it can be read.
    fn plain_rate(&mut self, activity: &PlainActivity) -> Option<u32> {
        let written = &self.text[activity.rate.clone()];
        let known = match activity.is_number {
            true => self.literals.get(written),
            false => self.rate_numbers.get(written),
        };
        if let Some(&known) = known {
            return Some(known);
        }
        let at = At(span(&activity.rate));
        Some(self.rate(&match activity.is_number {
            true => Expression::Number(decimal(written).ok()?, at),
            false => Expression::Name(Name { text: written.to_owned(), is_quoted: false, at }),
        }))
    }

    /// The name of the last definition and its place.
    pub(crate) fn last(&self) -> Option<(&'t str, TextSpan)> {
        self.definitions.last().map(|last| (self.names.list[last.name as usize], last.at))
    }

    /// A name as it stands in the text, without its quotes.
    fn slice(&self, name: &Name<TextSpan>) -> &'t str {
        const PASSIVE: &str = "infty";
        let TextSpan { start, end } = name.at.0;
        let quotes = usize::from(name.is_quoted);
        // The text may have a symbol in its place.
        if name.text == PASSIVE { PASSIVE } else { &self.text[start + quotes..end - quotes] }
    }

    /// Whether the body is of the kind that is kept here; if so, it is added.
    fn encode(&mut self, process: &Process<TextSpan>) -> bool {
        match process {
            Process::Choice(operands) => {
                self.code.push(operands.len() as u32);
                operands.iter().all(|operand| self.encode_operand(operand))
            }
            process => {
                self.code.push(1);
                self.encode_operand(process)
            }
        }
    }

    fn encode_operand(&mut self, process: &Process<TextSpan>) -> bool {
        let (activities, constant): (&[PrefixActivity<TextSpan>], _) = match process {
            Process::Constant(name) => (&[], name),
            Process::Prefix { activities, then } => match &**then {
                Process::Constant(name) => (activities, name),
                _ => return false,
            },
            _ => return false,
        };
        self.code.push(activities.len() as u32);
        self.activities += activities.len();
        for activity in activities {
            let action = self.names.number(self.slice(&activity.action));
            let rate = self.rate(&activity.rate);
            self.code.extend([action, rate]);
        }
        let constant = self.names.number(self.slice(constant));
        self.code.push(constant);
        true
    }

    fn rate(&mut self, rate: &Expression<TextSpan>) -> u32 {
        let literal = match rate {
            Expression::Number(_, at) => Some(&self.text[at.0.start..at.0.end]),
            _ => None,
        };
        if let Some(&known) = literal.and_then(|literal| self.literals.get(literal)) {
            return known;
        }
        let number = self.rate_number(rate).unwrap_or_else(|| {
            self.rates.push(rate.clone());
            let number = self.rates.len() as u32 - 1;
            self.rate_numbers.insert(rate.to_string(), number);
            number
        });
        if let Some(literal) = literal {
            self.literals.insert(literal, number);
        }
        number
    }
}

fn span(range: &Range<usize>) -> TextSpan {
    TextSpan { start: range.start, end: range.end }
}

impl<'t, S: Copy> Outline<'t, S> {
    /// The outline of definitions that are all trees.
    pub(crate) fn of_trees(trees: &'t [Definition<S>]) -> Self {
        let mut names = Names::new();
        let outlined = |(index, definition): (usize, &'t Definition<S>)| Outlined {
            name: names.number(&definition.name.text),
            at: definition.name.at.0,
            kept: Kept::Tree(index as u32),
        };
        let definitions = trees.iter().enumerate().map(outlined).collect();
        Outline {
            text: "",
            names,
            definitions,
            code: Vec::new(),
            activities: 0,
            rates: Vec::new(),
            rate_numbers: HashMap::default(),
            literals: HashMap::default(),
            of_definition: Vec::new(),
            guesses: Vec::new(),
            parse: |_, _| None,
            again: RefCell::new(Vec::new()),
        }
    }

    /// The number of a rate that is written so somewhere in a definition that is kept here.
    pub(crate) fn rate_number(&self, rate: &Expression<S>) -> Option<u32>
    where
        S: Span,
    {
        let written;
        let key = match rate {
            Expression::Name(name) if !name.is_quoted => &name.text,
            other => {
                written = other.to_string();
                &written
            }
        };
        self.rate_numbers.get(key).copied()
    }

    /// The operands of the body that is kept from this index on; one if it is no choice.
    pub(crate) fn operands(&self, start: u32) -> impl Iterator<Item = Operand<'_>> + Clone {
        let count = self.code[start as usize];
        let mut at = start as usize + 1;
        (0..count).map(move |_| {
            let end = at + 1 + 2 * self.code[at] as usize;
            let operand = Operand { activities: &self.code[at + 1..end], constant: self.code[end] };
            at = end + 1;
            operand
        })
    }

    /// The tree of the definition whose name stands at this place.
    pub(crate) fn tree(&self, name: S) -> Option<Definition<S>> {
        (self.parse)(self.text, name)
    }

    /// As [`Self::tree`], for a tree that is kept as long as the outline.
    pub(crate) fn kept_tree(&self, name: S) -> Option<Rc<Definition<S>>> {
        let tree = Rc::new(self.tree(name)?);
        self.again.borrow_mut().push(Rc::clone(&tree));
        Some(tree)
    }
}
