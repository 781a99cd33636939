//! What is answered of a response time.

use skel::number::Ratio;
use skel::passage::Figure;
use skel::response::ResponseTime;
use skel::{Error, number::Number};

use crate::arguments::ResponseArguments;
use crate::random_time::{Known, RandomTime};

/// Everything that is printed.
pub(super) struct Answer {
    /// The states without the item, and with it.
    pub(super) states: usize,
    pub(super) states_with_item: usize,
    /// The way of the item, in words; none of a skeleton.
    pub(super) path: Option<String>,
    pub(super) time: RandomTime,
    /// The mean number of items inside, by Little's law; none where some never go out.
    pub(super) inside: Option<Known>,
    /// What the model assumes of the program; nothing of a PEPA model.
    pub(super) assumptions: Vec<String>,
    /// How long it took, in seconds.
    pub(super) solved_in: f64,
}

/// Asks a response time everything, and puts the mean number of items beside it.
pub(super) fn times(
    response: &ResponseTime,
    arguments: &ResponseArguments,
) -> Result<(RandomTime, Option<Known>), Error> {
    let time = RandomTime::of(response, &arguments.time, &arguments.quantile)?;
    let inside = time.throughput.as_ref().filter(|_| time.is_sure);
    let inside = inside.map(|throughput| product(throughput, &time.mean));
    Ok((time, inside))
}

/// The product of two figures.
fn product(one: &Known, other: &Known) -> Known {
    let exact = |known: &Known| known.exact.as_ref().and_then(|text| text.parse::<Ratio>().ok());
    if let (Some(one), Some(other)) = (exact(one), exact(other)) {
        let product = one * other;
        return Known::new(Figure { value: product.to_float(), error: 0.0 }, Some(&product));
    }
    let (one, other) = (one.figure, other.figure);
    let value = one.value * other.value;
    let error = one.error * (other.value + other.error) + one.value * other.error + value * f64::EPSILON;
    Known::new(Figure { value, error }, None)
}
