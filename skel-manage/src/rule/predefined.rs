//! The predefined rules. What they do and why is said at [`Rules::predefined`](super::Rules::predefined).

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
when = "service_time > limit and not can_grow and faster_processor and (stage_time >= slowest_time or stage_time > contract)"
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
