//! What is wrong with a model, where, and what to write instead.
//!
//! A diagnostic is made by the phase that finds the fault, and it is shown where the model came from:
//! as a place in a file, or at a token of a macro call. So [`Diagnostic`] is generic
//! over the kind of place, a [`Span`]. Each has a [`Code`], a stable word that tests, `--json` and
//! `allow(...)` use.

use std::fmt;

/// A place in the source of a model.
pub trait Span: Copy {
    /// The smallest place that covers both, or `self` where the source cannot tell.
    #[must_use]
    fn join(self, other: Self) -> Self;
}

/// A place in a text: the bytes from `start` up to, not including, `end`.
///
/// For a macro call it counts tokens instead of bytes, and for a model without a source it is always
/// [`TextSpan::NOWHERE`]. So the parser and the checks are compiled for this one type of span; each further
/// type would cost a user's build a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextSpan {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset after the last byte.
    pub end: usize,
}

impl TextSpan {
    /// The place of something that does not come from a source.
    pub const NOWHERE: TextSpan = TextSpan { start: 0, end: 0 };
}

impl Span for TextSpan {
    fn join(self, other: Self) -> Self {
        TextSpan { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// How grave a diagnostic is: an error means that there is no model to solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth a look; the model still has one meaning.
    Warning,
    /// The model has no meaning, or not the one that was meant.
    Error,
}

macro_rules! codes {
    ($($variant:ident $word:literal $severity:ident $allowable:literal $text:literal;)*) => {
        /// The stable name of a kind of diagnostic.
        ///
        /// # Examples
        /// ```
        /// use skel_core::diagnostic::Code;
        /// assert_eq!(Code::UndefinedRate.word(), "undefined_rate");
        /// assert_eq!(Code::from_word("undefined_rate"), Some(Code::UndefinedRate));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code { $(#[doc = $text] $variant,)* }

        impl Code {
            /// Every code, in the order in which the phases find them.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The word that stands for the code in `--json`, in `allow(...)` and in the manual.
            #[must_use]
            pub fn word(self) -> &'static str { match self { $(Code::$variant => $word,)* } }

            /// What the code means, in one sentence.
            #[must_use]
            pub fn summary(self) -> &'static str { match self { $(Code::$variant => $text,)* } }

            /// Whether the finding is an error or a warning, unless it says otherwise itself.
            #[must_use]
            pub fn severity(self) -> Severity { match self { $(Code::$variant => Severity::$severity,)* } }

            /// Whether `allow(...)` may silence it: every warning, and the errors that a modeller may mean.
            #[must_use]
            pub fn is_allowable(self) -> bool { match self { $(Code::$variant => $allowable,)* } }
        }
    };
}

codes! {
    UnexpectedCharacter "unexpected_character" Error false "A character that no PEPA model has.";
    UnreadableFile "unreadable_file" Error false "A file that cannot be read, or that is not a text.";
    Unclosed "unclosed" Error false "A bracket, a quoted name or a comment that is opened and never closed.";
    BadNumber "bad_number" Error false "A number that cannot be read, or that has too many digits.";
    Syntax "syntax" Error false "Something stands where the grammar needs something else.";
    NestingTooDeep "nesting_too_deep" Error false "More brackets or constants inside one another than the limit.";
    MissingSystem "missing_system" Error false "The model has no system equation.";
    BadDirective "bad_directive" Error false "An `allow(...)` or `check(...)` that says something unknown.";
    DuplicateDefinition "duplicate_definition" Error false "Two definitions of one name.";
    ReservedName "reserved_name" Error false "A definition of `infty` or `tau`, which have a meaning of their own.";
    UndefinedRate "undefined_rate" Error false "A rate that is not defined.";
    UndefinedSize "undefined_size" Error false "A size that is not defined.";
    UndefinedProcess "undefined_process" Error false "A process that is not defined.";
    UndefinedAction "undefined_action" Error false "An action that nothing in the model does.";
    WrongKind "wrong_kind" Error false "A process where a rate is needed, or a rate where a process is needed.";
    CircularRate "circular_rate" Error false "Rates that are defined by one another in a circle.";
    CircularProcess "circular_process" Error false "Composed processes that are defined by one another in a circle.";
    UnguardedRecursion "unguarded_recursion" Error false "A process that comes back to itself without an activity.";
    NotSequential "not_sequential" Error false "A choice or a prefix over a composition.";
    UnboundedGrowth "unbounded_growth" Error false "A process that puts a further copy of its operators around itself for ever.";
    DivisionByZero "division_by_zero" Error false "A rate that divides by zero.";
    RateNotPositive "rate_not_positive" Error false "A rate that is zero, negative, infinite or not a number.";
    WeightNotPositive "weight_not_positive" Error false "A passive weight that is not positive.";
    PassiveArithmetic "passive_arithmetic" Error false "`infty` in a place where only a constant times `infty` makes sense.";
    RateOutOfRange "rate_out_of_range" Error false "A rate that has too many digits or that a 64-bit float cannot hold.";
    BadSize "bad_size" Error false "A size that is not a whole number of at least 1.";
    EmptyArray "empty_array" Error false "An array of no copies.";
    SystemTooLarge "system_too_large" Error false "More components or activities than the limit.";
    MixedActivePassive "mixed_active_passive" Error false "Active and passive activities of one action in one apparent rate.";
    RepeatedAction "repeated_action" Error false "An action that a set names twice.";
    TauInSet "tau_in_set" Error false "`tau`, which never synchronises, in a cooperation set.";
    NeitherSide "neither_side" Error false "A cooperation set with an action that neither side can ever do.";
    BlockedAction "blocked_action" Error true "A cooperation set with an action that only one side can do: that side is blocked.";
    NeverDriven "never_driven" Error false "A passive activity that no active partner ever drives.";
    PatternShape "pattern_shape" Error false "A pattern that does not have the shape of the system equation.";
    PatternNeverMatches "pattern_never_matches" Error false "A pattern with a local state that its component never has.";
    UnsynchronisedAction "unsynchronised_action" Warning true "An action that both sides of a cooperation do, and that its set leaves out while it names others.";
    UnreachableDefinition "unreachable_definition" Warning true "A process that the system does not use.";
    UnusedRate "unused_rate" Warning true "A rate that nothing uses.";
    HiddenNeverDone "hidden_never_done" Warning true "A hidden action that nothing does.";
    UnreachableLocalState "unreachable_local_state" Warning true "A local state that no run can enter.";
    ComponentCanStop "component_can_stop" Warning true "A component that can come to a stop: a local state whose activities are all blocked for ever.";
    Deadlock "deadlock" Error false "A state that no activity leaves.";
    Reducible "reducible" Error false "States that a run leaves for ever.";
    TooManyStates "too_many_states" Error false "More states than the check was allowed to explore.";
    NoStage "no_stage" Error false "A pipe without a stage.";
    NoReplica "no_replica" Error false "A deal or farm without a replica, or a map without a worker.";
    NoMajority "no_majority" Error false "Fault-tolerant workers that are fewer than 3, or an even number.";
    NoItemsPerState "no_items_per_state" Error false "A map with state whose number of items for each state is not above 0.";
    CompositeWorker "composite_worker" Error false "Workers that serve one item together, and that are no tasks.";
    UnmappedTeam "unmapped_team" Error false "A stage whose workers serve one item together, where a mapping is asked for.";
    BadTaskName "bad_task_name" Error false "A name that no task can have.";
    DuplicateTask "duplicate_task" Error false "Two tasks of one name.";
    BadTime "bad_time" Error false "A distribution of times with a value that it cannot have.";
    NotPhaseType "not_phase_type" Error false "A time that no Markov chain can have, where one is asked for.";
    StageCount "stage_count" Error false "A count of stages that differs from the stages that follow.";
    SkeletonTooLarge "skeleton_too_large" Error false "A skeleton of more tasks or moves than the limit.";
    NegligibleCommunication "negligible_communication" Error false "A PEPA model asked for where moves take no time, which it cannot say.";
    MissingCommunication "missing_communication" Error false "A move between two tasks that has no communication rate.";
    BadBuffer "bad_buffer" Error false "A buffer where nothing moves or where several links share one, or a capacity that is no number of items.";
    UnequalLinks "unequal_links" Error false "Links with different communication rates that share one buffer or one sender.";
    IdleLink "idle_link" Warning false "A communication rate for two tasks between which nothing moves.";
    NoText "no_text" Error false "A program with something that no `.skel` text says.";
    BadProcessors "bad_processors" Error false "An assignment of tasks to processors that does not fit the skeleton.";
    MissingEntry "missing_entry" Error false "A description of machines or stages that leaves something out.";
    UnknownEntry "unknown_entry" Error false "An entry that no description has, or none of its type.";
    UnknownType "unknown_type" Error false "A description of a type of program that is not known.";
    OutOfRange "out_of_range" Error false "The number of a processor, a stage or a task that there is not, or two tasks between which nothing moves.";
    MissingLink "missing_link" Error false "A mapping between two processors that have no link.";
    BadLatency "bad_latency" Error false "A latency between two machines that is missing, negative, infinite, not a number or different in its two directions.";
    MappingLength "mapping_length" Error false "A mapping of more or fewer stages or tasks than there are.";
    QuantityNotPositive "quantity_not_positive" Error false "A quantity that is zero, negative, infinite or not a number.";
    BadTable "bad_table" Error false "A table of times by size of message that is empty or unsorted, or that has a size twice.";
    BadRow "bad_row" Error false "A row of comma-separated values that cannot be read, or a table of such rows.";
    UnknownMachine "unknown_machine" Error false "A machine or cluster that the network does not have.";
    NothingAsked "nothing_asked" Error false "A description without a mapping, where no search is asked for.";
    BadSweep "bad_sweep" Error false "A sweep without points or of too many, or one that does not say clearly what varies.";
    BadRule "bad_rule" Error false "A rule with a condition, an action or an entry that cannot be read.";
    UnknownMeasure "unknown_measure" Error false "A condition with a word that no measure has.";
    WrongUnit "wrong_unit" Error false "Quantities of different units that are added or compared, or a number where a condition is needed.";
    UnknownRule "unknown_rule" Error false "A rule that takes the place of one that there is not.";
    CircularOverride "circular_override" Error false "Rules that take the place of one another in a circle.";
    NeverFires "never_fires" Error false "A rule that can never fire.";
    RuleConflict "rule_conflict" Error false "Two rules of one priority that ask for opposite actions at once.";
    UnknownSchedule "unknown_schedule" Error false "A schedule of self-scheduling that there is not, or one with other parameters.";
    TooFewItems "too_few_items" Warning false "Fewer items than machines among which they are distributed.";
    AllMachinesLost "all_machines_lost" Error false "Machines that are all lost before the work can be done.";
    BadBound "bad_bound" Error false "A time, a probability or a reward in a property with a value that it cannot have.";
    BadProperty "bad_property" Error false "A property of a kind that there is not, or one that does not say what it asks for.";
    NestedPath "nested_path" Error false "A condition on runs where a property needs one on states.";
    UndefinedName "undefined_name" Error false "A name in a property that the model does not have.";
    AmbiguousName "ambiguous_name" Error false "A name in a property that stands for several things.";
    NotWellDefined "not_well_defined" Error false "A reachable state in which the semantics gives no rate.";
}

impl Code {
    /// The code of a word, as written in `allow(...)`.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.word() == word)
    }
}

/// One thing that is wrong, where it is, and what to write instead.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a diagnostic that nobody sees helps nobody"]
pub struct Diagnostic<S> {
    /// The kind of finding.
    pub code: Code,
    /// An error, or a warning.
    pub severity: Severity,
    /// One line that says what is wrong, with the names concerned.
    pub message: String,
    /// The token at fault.
    pub span: S,
    /// A few words beside the token; may be empty.
    pub label: String,
    /// Other places that explain this one.
    pub related: Vec<(S, String)>,
    /// What to write instead, or what to look at.
    pub help: Option<String>,
}

impl<S> Diagnostic<S> {
    /// A finding of the code's usual severity, without label, related places and help.
    pub fn new(code: Code, span: S, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: code.severity(),
            message: message.into(),
            span,
            label: String::new(),
            related: Vec::new(),
            help: None,
        }
    }

    /// Adds a few words beside the token at fault.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds another place that explains this one.
    pub fn related(mut self, span: S, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }

    /// Says what to write instead.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same finding as a warning.
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// The same finding with other places.
    pub fn at<T>(self, place: impl Fn(S) -> T) -> Diagnostic<T> {
        Diagnostic {
            code: self.code,
            severity: self.severity,
            message: self.message,
            span: place(self.span),
            label: self.label,
            related: self.related.into_iter().map(|(span, label)| (place(span), label)).collect(),
            help: self.help,
        }
    }

    /// Whether it is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl<S> fmt::Display for Diagnostic<S> {
    /// The message and the help, without the place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "; help: {help}"),
            None => Ok(()),
        }
    }
}

/// Puts diagnostics in the order of the text; those at one place stay as they were found.
pub(crate) fn sort_by_place(diagnostics: &mut [Diagnostic<TextSpan>]) {
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
}

/// Line and column, both from 1 and the column in characters, of a byte offset in a text.
///
/// # Examples
/// ```
/// assert_eq!(skel_core::diagnostic::line_and_column("r = 1;\nP = Q;", 11), (2, 5));
/// ```
#[must_use]
pub fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    Lines::new(text).at(offset)
}

/// Lines and columns of places in a text. Places that come in its order take time in its length, all
/// together.
pub(crate) struct Lines<'t> {
    text: &'t str,
    offset: usize,
    line: usize,
    column: usize,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Lines { text, offset: 0, line: 1, column: 1 }
    }

    /// Line and column of an offset; of the character that it is in, or of the end if it is beyond that.
    pub(crate) fn at(&mut self, offset: usize) -> (usize, usize) {
        if offset < self.offset {
            *self = Lines::new(self.text);
        }
        for character in self.text[self.offset..].chars() {
            if self.offset + character.len_utf8() > offset {
                break;
            }
            self.offset += character.len_utf8();
            (self.line, self.column) =
                if character == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        (self.line, self.column)
    }
}

/// The longest name that is compared with others.
const LONGEST_COMPARED: usize = 40;

/// The candidate that `name` was probably meant to be.
///
/// The measure is the optimal string alignment distance, at most a third of the length (and at least one
/// edit), so that `satrt` finds `start` and `a` does not find `b`. Names over 40 characters and more than
/// 2000 candidates are not compared, which bounds the cost on any input.
///
/// # Examples
/// ```
/// use skel_core::diagnostic::did_you_mean;
/// assert_eq!(did_you_mean("satrt", ["stop", "start"]), Some("start"));
/// assert_eq!(did_you_mean("a", ["b"]), None);
/// ```
pub fn did_you_mean<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    nearest(name, &mut candidates.into_iter())
}

/// [`did_you_mean`], compiled once for all kinds of iterators.
fn nearest<'c>(name: &str, candidates: &mut dyn Iterator<Item = &'c str>) -> Option<&'c str> {
    const MOST: usize = 2000;
    if name.chars().count() > LONGEST_COMPARED {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.take(MOST) {
        match misspelling(name, candidate) {
            Some(distance) if best.is_none_or(|(least, _)| distance < least) => {
                best = Some((distance, candidate));
            }
            _ => {}
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The distance of two names, if one may be the other misspelt.
fn misspelling(name: &str, candidate: &str) -> Option<usize> {
    let (length, other) = (name.chars().count(), candidate.chars().count());
    let longer = length.max(other);
    let allowed = if longer < 2 { 0 } else { (longer / 3).max(1) };
    if candidate == name || longer > LONGEST_COMPARED || length.abs_diff(other) > allowed {
        return None;
    }
    let distance = if candidate.eq_ignore_ascii_case(name) { 1 } else { alignment_distance(name, candidate) };
    (distance <= allowed).then_some(distance)
}

/// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours, each at cost one.
fn alignment_distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let mut rows = vec![vec![0; right.len() + 1]; left.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=right.len()).collect();
    for i in 1..=left.len() {
        for j in 1..=right.len() {
            let substitution = rows[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
            let mut least = substitution.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[left.len()][right.len()]
}
