//! What was timed, as the files that `skel network` reads: a network in TOML, and its measurements as
//! comma-separated values.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use skel::network::Measurement;
use skel::network::file::measurements_csv;
use skel::network::measure::Plan;
use skel_toml::{quoted, quoted_lines};

use super::links::Link;
use crate::errors::Failure;
use crate::output::{Destination, unwritable};

/// Where the network goes.
pub(super) enum Output<'a> {
    /// To standard output, as one text.
    Text,
    /// To a file, and its measurements to one beside it.
    Files { network: &'a Path, table: PathBuf, destinations: [Destination; 2] },
}

impl<'a> Output<'a> {
    /// Says before the work what would fail after it.
    pub(super) fn of(path: Option<&'a Path>) -> Result<Output<'a>, Failure> {
        let Some(network) = path else { return Ok(Output::Text) };
        let table = network.with_extension("csv");
        if table == network {
            return Err(unwritable(
                network,
                "its measurements have the ending `.csv`: choose another, `.toml`",
            ));
        }
        let destinations = [Destination::of(Some(network))?, Destination::of(Some(&table))?];
        Ok(Output::Files { network, table, destinations })
    }

    /// Writes the network. Returns the text that belongs to standard output.
    pub(super) fn write(
        &self,
        machines: &[String],
        links: &[Link],
        plan: &Plan,
        date: &str,
    ) -> Result<String, Failure> {
        let said = format!(
            "# Timed by `skel network measure` on {date}: medians, up to messages of {}.\n",
            plan.largest()
        );
        let names: Vec<String> = machines.iter().map(|name| quoted(name)).collect();
        let head = format!("{said}machines = [{}]\n", names.join(", "));
        let rows = rows(links);
        match self {
            Output::Text => Ok(format!("{head}measurements = {}\n", quoted_lines(&rows))),
            Output::Files { network, table, destinations } => {
                let name = table.file_name().unwrap_or_default().to_string_lossy();
                let toml = format!("{head}measurements = {}\n", quoted(&name));
                let note =
                    "# Times and their spread, the median distance from the median, are in microseconds.\n";
                destinations[1].write_text(table, &format!("{said}{note}{rows}"))?;
                destinations[0].write_text(network, &toml)?;
                Ok(String::new())
            }
        }
    }
}

/// The measurements as the network file has them, and behind each its spread and its number of repetitions.
fn rows(links: &[Link]) -> String {
    let all = links.iter().flat_map(|link| link.series.iter().map(move |one| (link, one)));
    let measurements: Vec<Measurement> =
        all.clone().map(|(link, one)| one.between(&link.from, &link.to)).collect();
    let table = measurements_csv(&measurements);
    let mut lines = table.lines();
    let mut text = format!("{},spread,repetitions\n", lines.next().unwrap_or_default());
    for (line, (_, one)) in lines.zip(all) {
        let _ = writeln!(text, "{line},{},{}", one.deviation.as_microseconds(), one.repetitions);
    }
    text
}

/// The date of a moment in UTC, as 2026-01-31.
pub(super) fn date(moment: SystemTime) -> String {
    let days = moment.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    // Years that begin in March, in eras of 400 years: H. Hinnant, "chrono-compatible low-level date
    // algorithms", 2013.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn days_have_dates() {
        for (days, expected) in
            [(0, "1970-01-01"), (11_016, "2000-02-29"), (20_779, "2026-11-22"), (47_540, "2100-02-28")]
        {
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(86_400 * days + 3600)), expected);
        }
    }
}
