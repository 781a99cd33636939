//! The models by name, and what each of them knows.

use std::fmt;

/// A communication model of the literature.
///
/// # Examples
/// ```
/// use skel_network::Kind;
/// assert_eq!(Kind::from_name("loggp"), Some(Kind::LogGp));
/// assert_eq!(Kind::LogGp.properties().gap, "g + G");
/// assert!(Kind::ALL.iter().filter(|kind| kind.properties().contention).eq(&[Kind::LoPc, Kind::LoGpc]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Start-up time and bandwidth: [`Hockney`](crate::Hockney).
    Hockney,
    /// Latency, overhead, gap: [`LogP`](crate::LogP).
    LogP,
    /// LogP with a gap for each byte: [`LogGp`](crate::LogGp).
    LogGp,
    /// LogP with contention for the processors: [`LoPc`](crate::LoPc).
    LoPc,
    /// LogGP with contention for the network: [`LoGpc`](crate::LoGpc).
    LoGpc,
    /// LogP with tables by size of message: [`PLogP`](crate::PLogP).
    PLogP,
}

/// What a model knows: a column of Table 1 of Nasri, Steffenel and Trystram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Whether it has links that differ.
    pub heterogeneous: bool,
    /// Whether it has clusters of clusters.
    pub hierarchical: bool,
    /// Its parameter for the latency.
    pub latency: &'static str,
    /// Its parameters for the gap.
    pub gap: &'static str,
    /// Its parameter for the time that the sender is busy, if it has one.
    pub sender_overhead: Option<&'static str>,
    /// Its parameter for the time that the receiver is busy, if it has one.
    pub receiver_overhead: Option<&'static str>,
    /// Whether it has contention.
    pub contention: bool,
}

impl Kind {
    /// All models, in the order of the paper's Table 1.
    pub const ALL: [Kind; 6] = [Kind::Hockney, Kind::LogP, Kind::LogGp, Kind::LoPc, Kind::LoGpc, Kind::PLogP];

    /// Its name in the literature.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Hockney => "Hockney",
            Kind::LogP => "LogP",
            Kind::LogGp => "LogGP",
            Kind::LoPc => "LoPC",
            Kind::LoGpc => "LoGPC",
            Kind::PLogP => "pLogP",
        }
    }

    /// The model of a name, in capital letters or not.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name))
    }

    /// What it knows.
    #[must_use]
    pub const fn properties(self) -> Properties {
        let log = Properties {
            heterogeneous: false,
            hierarchical: false,
            latency: "L",
            gap: "g",
            sender_overhead: Some("o"),
            receiver_overhead: Some("o"),
            contention: false,
        };
        match self {
            Kind::Hockney => Properties {
                latency: "alpha",
                gap: "1/beta",
                sender_overhead: None,
                receiver_overhead: None,
                ..log
            },
            Kind::LogP => log,
            Kind::LogGp => Properties { gap: "g + G", ..log },
            Kind::LoPc => Properties { contention: true, ..log },
            Kind::LoGpc => Properties { gap: "g + G", contention: true, ..log },
            Kind::PLogP => Properties {
                heterogeneous: true,
                hierarchical: true,
                sender_overhead: Some("o_s"),
                receiver_overhead: Some("o_r"),
                ..log
            },
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Table 1 of Nasri, Steffenel and Trystram, as text: what each model knows. The paper has two more models,
/// which this crate does not have.
///
/// # Examples
/// ```
/// use skel_network::KnowledgeTable;
/// let text = KnowledgeTable.to_string();
/// assert!(text.contains("Latency                    alpha    L     L      L     L      L"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct KnowledgeTable;

impl fmt::Display for KnowledgeTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        type Cell = fn(&Properties) -> &'static str;
        const ROWS: [(&str, Cell); 7] = [
            ("Heterogeneous environment", |known| yes_or_no(known.heterogeneous)),
            ("Hierarchical", |known| yes_or_no(known.hierarchical)),
            ("Latency", |known| known.latency),
            ("Gap", |known| known.gap),
            ("Sender overhead", |known| known.sender_overhead.unwrap_or("")),
            ("Receiver overhead", |known| known.receiver_overhead.unwrap_or("")),
            ("Contention modeling", |known| yes_or_no(known.contention)),
        ];
        write_row(f, "", Kind::name)?;
        ROWS.iter().try_for_each(|(name, cell)| {
            f.write_str("\n")?;
            write_row(f, name, |kind| cell(&kind.properties()))
        })
    }
}

fn yes_or_no(is_so: bool) -> &'static str {
    if is_so { "Yes" } else { "No" }
}

fn write_row(f: &mut fmt::Formatter<'_>, name: &str, cell: impl Fn(Kind) -> &'static str) -> fmt::Result {
    let mut row = format!("{name:25}");
    for kind in Kind::ALL {
        let width = kind.name().len().max(kind.properties().gap.len());
        row += &format!("  {:width$}", cell(kind));
    }
    f.write_str(row.trim_end())
}
