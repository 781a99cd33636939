//! The services of an item alone, one after the other, without any waiting.

use num_traits::Zero;
use skel_core::number::{Number, Ratio};
use skel_core::time::PhaseType;

use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::over_time::absorption::BeforeEnd;
use crate::over_time::passage::Figure;
use crate::over_time::passage::time_to_end::{TimeToEnd, Wanted};

/// The time that a part of the items needs for one service of each kind, one after the other: a quantile of
/// their sum.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn quantile_of_services(services: &[PhaseType], part: f64) -> Result<Figure, Error> {
    const TOLERANCE: f64 = 1e-10;
    const MOST_STEPS: u64 = 1_000_000;
    let none = Figure { value: 0.0, error: 0.0 };
    let Some(first) = services.first() else { return Ok(none) };
    let mut rows = Vec::new();
    for (number, service) in services.iter().enumerate() {
        let at = rows.len() as u32;
        let next = (at as usize + service.phases()) as u32;
        let following = services.get(number + 1);
        for phase in 0..service.phases() {
            let moves = service.moves_from(phase).iter();
            let mut row: Vec<(u32, f64)> =
                moves.map(|(to, rate)| (at + *to as u32, rate.to_float())).collect();
            let exit = service.exit(phase);
            let begins = following.into_iter().flat_map(|service| (0..).zip(service.initial()));
            let begins = begins.filter(|(_, chance)| !chance.is_zero());
            row.extend(
                begins.map(|(phase, chance): (u32, &Ratio)| (next + phase, (exit * chance).to_float())),
            );
            row.retain(|(_, rate)| *rate > 0.0);
            let leave = if following.is_some() { 0.0 } else { exit.to_float() };
            rows.push((row, leave));
        }
    }
    let mut start: Vec<f64> = first.initial().iter().map(Number::to_float).collect();
    start.resize(rows.len(), 0.0);
    let start_error = first.phases() as f64 * f64::EPSILON;
    let time = TimeToEnd::new(BeforeEnd::of_rows(rows.into_iter()), start, 0.0, start_error);
    let wanted = Wanted { times: &[], quantiles: &[part], tolerance: TOLERANCE, most_steps: MOST_STEPS };
    let limits = Limits::default();
    let mut watch = Watch::start(&limits);
    let ends = Figure { value: 1.0, error: 0.0 };
    let curve = time.curve(&wanted, ends, MemoryBudget::new(&limits), &mut watch)?;
    Ok(curve.quantiles.first().and_then(|quantile| quantile.time).unwrap_or(none))
}
