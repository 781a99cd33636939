//! Sizes of messages, and the bound of clusters.

use skel::network::Bytes;
use skel::network::partition::Rho;

/// Reads a size of a message, as `8KiB`.
pub(crate) fn parse_size(text: &str) -> Result<Bytes, String> {
    text.parse().map_err(|bad: skel::network::BadQuantity| bad.to_string())
}

/// Reads by how much the latencies in a cluster may differ.
pub(crate) fn parse_rho(text: &str) -> Result<Rho, String> {
    let number =
        text.trim().parse().map_err(|_| "it is a number of 0 or more, as 0.2 for 20 %".to_owned())?;
    Rho::new(number).map_err(|errors| errors.to_string())
}
