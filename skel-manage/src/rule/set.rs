//! Sets of rules: what takes the place of what, and what does not fit together.

use std::fmt;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};
use skel_core::graph::{Adjacency, strongly_connected};

use super::definition::Rule;
use super::errors::RuleErrors;
use super::file::{self, Located};
use super::words::{both, listed};
use super::{conflicts, predefined};

/// The most rules of a set. Each is compared with all others.
const MOST_RULES: usize = 1000;

/// Rules that were checked together, in the order in which they are asked: those of a higher priority first,
/// and of one priority those that came first.
///
/// # Examples
/// ```
/// use skel_manage::rule::Rules;
///
/// let rules = Rules::predefined().with_toml(r#"
///     [[rule]]
///     name = "long_queue"
///     priority = 130
///     when = "queue > 100 and workers < 8"
///     then = "add 2"
///     overrides = ["nest"]
/// "#)?;
/// let names: Vec<&str> = rules.rules().iter().map(|rule| rule.name.as_str()).collect();
/// assert_eq!(names, ["long_queue", "repartition", "migrate", "grow", "shrink", "violate"]);
/// # Ok::<(), skel_manage::rule::RuleErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    rules: Vec<Rule>,
}

impl Rules {
    /// No rules.
    #[must_use]
    pub fn none() -> Self {
        Rules { rules: Vec::new() }
    }

    /// The predefined rules. [`Self::to_toml`] shows them as a user would write them.
    ///
    /// A service time above the limit has one of these causes, in the order in which the rules are asked:
    ///
    /// | rule | when | then |
    /// |---|---|---|
    /// | `repartition` | a map is the slowest stage, its workers take different times, and equal ones would keep the contract | other parts |
    /// | `nest` | the same, but equal times would not keep it, and one worker is much slower than the others | two workers in its place |
    /// | `migrate` | a task that cannot have more workers is the slowest stage, or takes longer than the contract alone; a faster processor is free | it moves there |
    /// | `grow` | a stage that can have more workers is the slowest, or no stage alone takes longer than the contract | the least numbers that keep it |
    /// | `violate` | the service time is above the limit, and none of these helps | it is reported, once |
    ///
    /// `shrink` is for the other side: the model says that with one worker fewer the contract is kept with 3
    /// % to spare.
    ///
    /// # The rules of the paper
    /// They differ in two places from those that the deliverable prints (section 5.1, step 5), which do not
    /// work:
    /// - It adds workers where `T_W > T_S`. But the term of its formula is `T_W / n`, the time of the stage.
    ///   So where dispatch is the bottleneck, its rule adds workers for ever.
    /// - It migrates the workers where `T_W <= T_S`. But dispatch is the bottleneck then, and faster workers
    ///   do not change the largest of the times. It is the task in front that has to move.
    ///
    /// `grow` also goes beyond its formula. Where no stage alone takes longer than the contract, it is the
    /// variation of the times that makes the program slower than its slowest stage, and more workers help
    /// against that, as the Markov chain says.
    #[must_use]
    pub fn predefined() -> Self {
        Rules { rules: predefined::rules() }
    }

    /// The rules of a text in TOML, each of which is right by itself.
    ///
    /// # Errors
    /// Everything that is wrong with them, all at once: the syntax, fields that are unknown, missing or of a
    /// wrong type, conditions and actions.
    ///
    /// # Examples
    /// ```
    /// use skel_manage::rule::{Rules, Then};
    /// let text = "[[rule]]\nname = 'more'\npriority = 10\nwhen = 'queue > 10'\nthen = 'add 1'";
    /// assert_eq!(Rules::from_toml(text)?[0].then, Then::Add(1));
    /// # Ok::<(), skel_manage::rule::RuleErrors>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Vec<Rule>, RuleErrors> {
        let (rules, found) = file::read(text);
        match found.is_empty() {
            true => Ok(rules.into_iter().map(|located| located.rule).collect()),
            false => Err(RuleErrors::new(found, text)),
        }
    }

    /// These rules beside the others. A rule takes the place of one with the same name, and of those that it
    /// overrides.
    ///
    /// # Errors
    /// Everything that is wrong with them:
    /// - more than 1000 rules;
    /// - two of one name;
    /// - an override of a rule that there is not, or overrides in a circle;
    /// - a rule that can never fire, since its condition cannot hold;
    /// - a rule that never has anything to do, since another with the same action is asked before it and
    ///   fires wherever it would;
    /// - two rules of one priority that can fire at once and ask for opposite actions. Rules of different
    ///   stages do so only if an action is about the whole program, such as `grow` or `buffers`.
    ///
    /// Where names are wrong it is not known which rules stay, so only those are looked for that can never
    /// fire by themselves.
    ///
    /// What follows from conditions is found where they are linear, or nearly so. Where it would take too
    /// long, nothing is said.
    ///
    /// # Examples
    /// ```
    /// use skel_manage::rule::{Rule, Rules, Then};
    /// let wider = Rule::new("wider", 200, "service_time > contract", Then::Grow)?;
    /// let errors = Rules::predefined().with([wider]).unwrap_err();
    /// assert_eq!(errors.to_string(), "\
    /// `grow` never fires, since `wider` is asked before it, does the same, and fires wherever it would; \
    /// help: write `overrides = [\"grow\"]` in `wider` if that is meant, or give it a lower priority or a narrower condition");
    /// # Ok::<(), skel_manage::rule::RuleErrors>(())
    /// ```
    pub fn with(self, rules: impl IntoIterator<Item = Rule>) -> Result<Self, RuleErrors> {
        let rules = rules.into_iter().map(|rule| Located { rule, places: None, is_new: true }).collect();
        self.joined(rules, "")
    }

    /// As [`Self::with`], for rules in TOML. What is wrong with them is found with its places in the text.
    ///
    /// # Errors
    /// Those of [`Self::from_toml`] and of [`Self::with`].
    pub fn with_toml(self, text: &str) -> Result<Self, RuleErrors> {
        let (rules, mut found) = file::read(text);
        if !found.is_empty() {
            found.extend(conflicts::never_firing(&rules));
            return Err(RuleErrors::new(found, text));
        }
        self.joined(rules, text)
    }

    /// The rules, in the order in which they are asked.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rules as a text in TOML. [`Self::none`] with that text is the same set.
    #[must_use]
    pub fn to_toml(&self) -> String {
        file::write(&self.rules)
    }

    fn joined(self, new: Vec<Located>, text: &str) -> Result<Self, RuleErrors> {
        let count = self.rules.len() + new.len();
        if count > MOST_RULES {
            let message = format!("a set of {count} rules; the most is {MOST_RULES}");
            return Err(RuleErrors::new(
                vec![Diagnostic::new(Code::BadRule, TextSpan::NOWHERE, message)],
                text,
            ));
        }
        let mut found = named_wrongly(&self.rules, &new);
        if !found.is_empty() {
            found.extend(conflicts::never_firing(&new));
            return Err(RuleErrors::new(found, text));
        }
        let active = without_overridden(self.rules, new);
        let found = conflicts::find(&active);
        if !found.is_empty() {
            return Err(RuleErrors::new(found, text));
        }
        let rules =
            active.into_iter().map(|located| Rule { overrides: Vec::new(), ..located.rule }).collect();
        Ok(Rules { rules })
    }
}

/// As TOML.
impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_toml())
    }
}

/// The rules that stay, in the order in which they are asked.
fn without_overridden(old: Vec<Rule>, new: Vec<Located>) -> Vec<Located> {
    let gone: Vec<String> = new.iter().flat_map(|located| located.rule.overrides.clone()).collect();
    let named_anew: Vec<String> = new.iter().map(|located| located.rule.name.clone()).collect();
    let old = old.into_iter().filter(|rule| !named_anew.contains(&rule.name));
    let old = old.map(|rule| Located { rule, places: None, is_new: false });
    let mut active: Vec<Located> =
        old.chain(new).filter(|located| !gone.contains(&located.rule.name)).collect();
    active.sort_by_key(|located| std::cmp::Reverse(located.rule.priority));
    active
}

/// Two rules of one name, overrides of rules that there are not, and circles of overrides.
fn named_wrongly(old: &[Rule], new: &[Located]) -> Vec<Diagnostic<TextSpan>> {
    let mut found = of_one_name(new);
    let known = old.iter().chain(new.iter().map(|located| &located.rule)).map(|rule| rule.name.as_str());
    let known: Vec<&str> = known.collect();
    for located in new {
        let Rule { name, overrides, .. } = &located.rule;
        for (index, other) in
            overrides.iter().enumerate().filter(|(_, other)| !known.contains(&other.as_str()))
        {
            let message = format!("`{name}` takes the place of `{other}`, and there is no such rule");
            let help = match did_you_mean(other, known.iter().copied().filter(|known| known != name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => others(&known, name),
            };
            let at = located.place(|places| places.overrides[index]);
            found.push(Diagnostic::new(Code::UnknownRule, at, message).help(help));
        }
    }
    found.extend(circles(new));
    found
}

/// The names of the rules beside one.
fn others(known: &[&str], name: &str) -> String {
    let others: Vec<&str> = known.iter().copied().filter(|known| *known != name).collect();
    match others.as_slice() {
        [] => "there is no other rule".to_owned(),
        others => format!("the other rules are {}", listed(others)),
    }
}

fn of_one_name(new: &[Located]) -> Vec<Diagnostic<TextSpan>> {
    let first = |name: &str| new.iter().position(|located| located.rule.name == name);
    let second = |(index, located): (usize, &Located)| {
        let name = &located.rule.name;
        let first = first(name).filter(|first| *first < index)?;
        let finding = Diagnostic::new(
            Code::DuplicateDefinition,
            located.place(|places| places.name),
            format!("two rules are called `{name}`"),
        );
        let finding = match &new[first].places {
            Some(places) => finding.related(places.name, "first here"),
            None => finding,
        };
        Some(finding.help("give one of them another name"))
    };
    new.iter().enumerate().filter_map(second).collect()
}

/// One finding for each circle.
fn circles(new: &[Located]) -> Vec<Diagnostic<TextSpan>> {
    let number = |name: &String| new.iter().position(|located| located.rule.name == *name);
    let mut graph = Adjacency::new();
    for located in new {
        graph.push(located.rule.overrides.iter().filter_map(number).map(|number| number as u32));
    }
    let components = strongly_connected(&graph).components;
    let is_circle = |component: &&Vec<u32>| component.len() > 1 || graph.has_loop(component[0] as usize);
    components.iter().filter(is_circle).map(|component| circle(component, new)).collect()
}

fn circle(component: &[u32], new: &[Located]) -> Diagnostic<TextSpan> {
    let mut members: Vec<&Located> = component.iter().map(|&number| &new[number as usize]).collect();
    members.sort_by_key(|located| located.place(|places| places.name).start);
    let names: Vec<&str> = members.iter().map(|located| located.rule.name.as_str()).collect();
    let message = match names.as_slice() {
        [name] => format!("`{name}` takes the place of itself"),
        _ => format!(
            "{} take the place of one another in a circle, so none of them would be left",
            both(&names)
        ),
    };
    let at = members[0].place(|places| places.overrides.first().copied().unwrap_or(places.name));
    Diagnostic::new(Code::CircularOverride, at, message).help("leave out one of the `overrides`")
}
