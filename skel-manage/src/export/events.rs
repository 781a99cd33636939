//! What a manager notes, as events of the crate `tracing`.

use crate::action::Action;
use crate::decision::{Decision, Event, Outcome};
use crate::export::text::in_words;

/// The level is part of what the macro of `tracing` makes static.
macro_rules! decided {
    ($level:ident, $decision:expr) => {{
        let decision: &Decision = $decision;
        let then = decision.then.as_ref();
        tracing::event!(
            target: "skel::manage",
            tracing::Level::$level,
            at = decision.at.as_secs_f64(),
            rule = decision.rule,
            actions = actions(decision),
            reason = decision.reason,
            measured = decision.measures.service_time.seconds(),
            error = decision.measures.error,
            formula = decision.now.formula.seconds(),
            chain = decision.now.chain.seconds(),
            formula_then = then.map(|then| then.formula.seconds()),
            chain_then = then.map(|then| then.chain.seconds()),
            cost = decision.cost.as_secs_f64(),
            decided_in = decision.decided_in.as_secs_f64(),
            outcome = outcome(&decision.outcome),
            "decided"
        )
    }};
}
impl Event {
    /// An event with the target `skel::manage`, at the level INFO; a report of a broken contract and a
    /// refused action are at the level WARN. Times are in seconds, and the predictions are those for the
    /// program as it is (`formula`, `chain`) and after the actions (`formula_then`, `chain_then`).
    ///
    /// # Examples
    /// ```
    /// use std::time::Duration;
    ///
    /// use skel_manage::{Event, ServiceTime};
    ///
    /// let event = Event::Checked {
    ///     at: Duration::from_secs(3),
    ///     predicted: ServiceTime::of_seconds(0.0119),
    ///     measured: ServiceTime::of_seconds(0.0121),
    ///     error: 0.02,
    ///     recalibrated: None,
    /// };
    /// event.trace();
    /// ```
    pub fn trace(&self) {
        match self {
            Event::Decided(decision) if is_warning(decision) => decided!(WARN, decision),
            Event::Decided(decision) => decided!(INFO, decision),
            Event::Checked { at, predicted, measured, error, recalibrated } => tracing::info!(
                target: "skel::manage",
                at = at.as_secs_f64(),
                predicted = predicted.seconds(),
                measured = measured.seconds(),
                error,
                recalibrated,
                "a prediction is checked"
            ),
        }
    }
}

fn is_warning(decision: &Decision) -> bool {
    let reports = |action: &Action| matches!(action, Action::Report { .. });
    decision.actions.iter().any(reports) || matches!(decision.outcome, Outcome::Refused { .. })
}

fn actions(decision: &Decision) -> String {
    let words: Vec<String> =
        decision.actions.iter().map(|action| in_words(action, &decision.measures)).collect();
    words.join("; ")
}

fn outcome(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Noted => "noted",
        Outcome::Refused { .. } => "refused",
    }
}
