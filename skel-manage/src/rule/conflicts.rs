//! Rules of a set that never fire, and rules of one priority that contradict each other.

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};

use super::definition::Rule;
use super::file::Located;
use super::logic::{Literal, Reasoner};
use super::measure::{Measure, ORDERED, Unit};
use super::words::both;

/// All that is wrong with new rules among those that are asked in this order.
pub(super) fn find(rules: &[Located]) -> Vec<Diagnostic<TextSpan>> {
    let mut reasoner = Reasoner::new();
    let mut found = Vec::new();
    let mut can_fire = Vec::new();
    for located in rules {
        match located.is_new.then(|| never(located, &mut reasoner)).flatten() {
            Some(finding) => found.push(finding),
            None => can_fire.push(located),
        }
    }
    let mut shadows: Vec<(&Located, Vec<&Located>)> = Vec::new();
    for (index, later) in can_fire.iter().enumerate() {
        for earlier in can_fire[..index].iter().filter(|earlier| earlier.is_new || later.is_new) {
            if let Some(finding) = conflict(earlier, later, &mut reasoner) {
                found.push(finding);
            } else if is_shadowed(later, earlier, &mut reasoner) {
                match shadows.iter_mut().find(|(by, _)| by.rule.name == earlier.rule.name) {
                    Some((_, shadowed)) => shadowed.push(later),
                    None => shadows.push((earlier, vec![later])),
                }
                break;
            }
        }
    }
    found.extend(shadows.iter().map(|(earlier, later)| shadow(earlier, later)));
    found
}

/// The new rules whose conditions cannot hold, whatever other rules there are.
pub(super) fn never_firing(rules: &[Located]) -> Vec<Diagnostic<TextSpan>> {
    let mut reasoner = Reasoner::new();
    let new = rules.iter().filter(|located| located.is_new);
    new.filter_map(|located| never(located, &mut reasoner)).collect()
}

/// The finding that the condition of a rule cannot hold.
fn never(located: &Located, reasoner: &mut Reasoner) -> Option<Diagnostic<TextSpan>> {
    let contradictions = reasoner.contradictions(&located.rule.when);
    if contradictions.is_empty() {
        return None;
    }
    let mut reasons: Vec<String> = contradictions.iter().map(|literals| reason(literals)).collect();
    reasons.dedup();
    let message = format!("`{}` can never fire: {}", located.rule.name, reasons.join(", and "));
    let mut known: Vec<String> = contradictions.iter().flat_map(|literals| known_of(literals)).collect();
    known.sort_unstable();
    known.dedup();
    let help = match known.as_slice() {
        [] => "change a comparison, or write `or` in the place of `and`".to_owned(),
        known => format!("{}; change a comparison, or leave the rule out", known.join(", ")),
    };
    let at = located.place(|places| places.when);
    Some(Diagnostic::new(Code::NeverFires, at, message).help(help))
}

/// Why literals exclude each other.
fn reason(literals: &[Literal]) -> String {
    let shown: Vec<String> = literals.iter().map(ToString::to_string).collect();
    match shown.as_slice() {
        [one] => format!("`{one}` never holds"),
        several => format!("{} cannot hold at once", both(several)),
    }
}

/// What is known of the measures of literals, as far as it may be the reason.
fn known_of(literals: &[Literal]) -> Vec<String> {
    let measures: Vec<Measure> = literals.iter().flat_map(Literal::measures).collect();
    let ordered = ORDERED.iter().filter(|(less, more)| measures.contains(less) && measures.contains(more));
    let ordered = ordered.map(|(less, more)| format!("`{}` is never above `{}`", less.word(), more.word()));
    let is_alone = literals.len() == 1;
    let ranged = measures.iter().filter(|measure| is_alone && measure.unit() != Unit::YesNo).map(|measure| {
        let range = measure.range();
        let unit = if measure.unit() == Unit::SecondsTo(1) { " s" } else { "" };
        let least = match range.includes_least {
            true => format!("at least {}{unit}", range.least),
            false => format!("above {}{unit}", range.least),
        };
        let most = range.greatest.map(|greatest| format!(" and at most {greatest}")).unwrap_or_default();
        format!("`{}` is {least}{most}", measure.word())
    });
    ordered.chain(ranged).collect()
}

/// Whether the first of two rules is asked of all stages of which the second is.
fn is_asked_wherever(earlier: &Rule, later: &Rule) -> bool {
    earlier.stage.is_none() || earlier.stage == later.stage
}

/// Whether a rule never has anything to do: another is asked before it and fires wherever it would, and what
/// that one leaves undone, this one cannot do either.
///
/// A rule is only asked about the slowest stage at which it fires. So if their actions are about a stage,
/// both rules have to fire at the same.
fn is_shadowed(later: &Located, earlier: &Located, reasoner: &mut Reasoner) -> bool {
    let (first, second) = (&earlier.rule, &later.rule);
    if !second.then.is_spent_with(&first.then) || !is_asked_wherever(first, second) {
        return false;
    }
    let is_at_one_stage =
        second.then.is_of_program() || (first.stage.is_some() && first.stage == second.stage);
    reasoner.implies(&second.when, &first.when)
        && (is_at_one_stage || (first.stage == second.stage && reasoner.implies(&first.when, &second.when)))
}

/// The finding that rules never fire because of one that is asked before them.
fn shadow(earlier: &Located, later: &[&Located]) -> Diagnostic<TextSpan> {
    let by = &earlier.rule.name;
    let names: Vec<&str> = later.iter().map(|located| located.rule.name.as_str()).collect();
    let (them, they) = if names.len() == 1 { ("it", "it") } else { ("them", "they") };
    let fire = if names.len() == 1 { "fires" } else { "fire" };
    let message = format!(
        "{} never {fire}, since `{by}` is asked before {them}, does the same, and fires wherever {they} would",
        both(&names)
    );
    let help = match earlier.is_new {
        true => {
            let overrides: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
            let overrides = overrides.join(", ");
            format!(
                "write `overrides = [{overrides}]` in `{by}` if that is meant, or give it a lower priority or a narrower condition"
            )
        }
        false => format!(
            "give {them} a priority above {}, or write `overrides = [\"{by}\"]`",
            earlier.rule.priority
        ),
    };
    let at = match earlier.is_new {
        true => earlier.place(|places| places.when),
        false => later[0].place(|places| places.when),
    };
    let mut finding = Diagnostic::new(Code::NeverFires, at, message).help(help);
    for located in later.iter().filter(|_| earlier.is_new) {
        if let Some(places) = &located.places {
            finding = finding.related(places.when, "never fires");
        }
    }
    finding
}

/// The finding that two rules of one priority contradict each other. Rules of different stages do so if one
/// of their actions is about the whole program; that both can fire is shown by measures which both stages
/// have.
fn conflict(one: &Located, other: &Located, reasoner: &mut Reasoner) -> Option<Diagnostic<TextSpan>> {
    let (first, second) = (&one.rule, &other.rule);
    let is_one_stage = is_asked_wherever(first, second) || is_asked_wherever(second, first);
    let meet = is_one_stage || first.then.is_of_program() || second.then.is_of_program();
    if first.priority != second.priority || !meet {
        return None;
    }
    let why = first.then.contradicts(&second.then)?;
    let example = reasoner.example(&first.when, &second.when)?;
    let there = if is_one_stage { "" } else { " at both stages" };
    let message = format!(
        "`{}` and `{}` have the same priority, {}, and can fire at once, where {why}; both fire with {example}{there}, for example",
        first.name, second.name, first.priority
    );
    let at = other.place(|places| places.then);
    let finding = Diagnostic::new(Code::RuleConflict, at, message);
    let finding = match &one.places {
        Some(places) => finding.related(places.then, format!("`{}` of the same priority", first.name)),
        None => finding,
    };
    Some(finding.help("give one of them a higher priority, or conditions that exclude each other"))
}
