//! The predefined rules.
//!
//! A service time above the limit has one of these causes, and the rules are asked in this order:
//!
//! | rule | when | then |
//! |---|---|---|
//! | `repartition` | a map is the slowest stage, its workers' times differ, and equal ones would keep the contract | other parts |
//! | `nest` | the same, but equal times would not keep it, and one worker is much slower than the others | two workers for one |
//! | `migrate` | a task that cannot have more workers is beyond the contract, and a faster processor is free | it moves there |
//! | `grow` | a stage that can have more workers is the slowest, or none is slower than the contract alone | the least numbers that keep it |
//! | `violate` | nothing of this | the violation is reported |
//!
//! `shrink` is for the other side: the model says that one worker fewer keeps the contract with 3 % to spare.
//!
//! Source: the deliverable that the crate is about prints two rules that do not work, and these differ from them. It asks for more workers
//! where `T_W > T_S`. The term of the formula is `T_W / n` (the time of the stage), so this adds workers for ever where dispatch is the
//! bottleneck. And it migrates the workers where `T_W <= T_S`, but there dispatch is the bottleneck, which faster workers cannot make faster: it is the
//! task in front that has to move.
//!
//! Beyond the formula, `grow` also fires where no stage alone is beyond the contract. There the variation of the times makes the program
//! slower than its slowest stage, and more workers help against that, as the Markov chain says.

use super::definition::Rule;
use super::file;

/// As a user would write them.
pub(super) const TEXT: &str = r#"[[rule]]
name = "repartition"
priority = 120
when = "service_time > limit and is_map and stage_time >= slowest_time and services >= 400 and imbalance > 1.1 and stage_time <= contract * imbalance"
then = "repartition"

[[rule]]
name = "nest"
priority = 110
when = "service_time > limit and is_map and stage_time >= slowest_time and services >= 400 and imbalance > 1.5 and stage_time > contract * imbalance"
then = "nest 2"

[[rule]]
name = "migrate"
priority = 105
when = "service_time > limit and not can_grow and faster_processor and stage_time > contract"
then = "migrate"

[[rule]]
name = "grow"
priority = 100
when = "service_time > limit and can_grow and max(arrival_time, output_time) <= limit and (stage_time >= slowest_time or slowest_time <= contract)"
then = "grow"

[[rule]]
name = "shrink"
priority = 50
when = "service_time < contract and workers > 1 and predicted_with_fewer <= 97% * contract"
then = "shrink"

[[rule]]
name = "violate"
priority = 10
when = "service_time > limit"
then = "violate"
"#;

/// The predefined rules, those of the highest priority first.
pub(super) fn rules() -> Vec<Rule> {
    // A test reads the text and finds nothing wrong with it.
    file::read(TEXT).0.into_iter().map(|located| located.rule).collect()
}
