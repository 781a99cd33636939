//! Models that the file gives: `[[model]]`.

use std::collections::BTreeSet;

use skel_core::diagnostic::{Code, TextSpan, did_you_mean};
use skel_core::model::BuildErrors;
use skel_toml::{DeTable, DeValue, Value, place};

use super::reader::{Reader, counted};
use super::rows::{Cells, TIME_COLUMNS};
use crate::file::given::GivenModel;
use crate::model::{GapTable, Hockney, Kind, LoGpc, LogGp, LogP, Model, PLogP};
use crate::quantity::{Bytes, Time};

/// The kinds that files have. The contention of LoPC is that of a whole program, and no link has it.
const KINDS: [Kind; 5] = [Kind::Hockney, Kind::LogP, Kind::LogGp, Kind::LoGpc, Kind::PLogP];

/// The keys of a kind besides `kind`, `between` and `latency`, and how many of these it needs.
fn keys(kind: Kind) -> (&'static [&'static str], usize) {
    match kind {
        Kind::Hockney => (&["bandwidth"], 1),
        Kind::LogP => (&["overhead", "gap", "packet"], 3),
        Kind::LogGp => (&["overhead", "gap", "gap_per_byte"], 3),
        Kind::LoGpc => (&["overhead", "gap", "gap_per_byte", "contention"], 4),
        Kind::PLogP => (&["gap", "send_overhead", "receive_overhead"], 1),
        Kind::LoPc => (&[], 0),
    }
}

/// The names that the ends of a model may have.
pub(super) struct Names {
    pub(super) groups: BTreeSet<String>,
    pub(super) machines: BTreeSet<String>,
}

impl Names {
    pub(super) fn has(&self, name: &str) -> bool {
        self.groups.contains(name) || self.machines.contains(name)
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().chain(&self.machines).map(String::as_str)
    }

    /// What to write in place of a name that there is not.
    pub(super) fn help(&self, name: &str) -> String {
        match did_you_mean(name, self.all()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "name a machine or a cluster of this file".into(),
        }
    }
}

impl Reader<'_> {
    /// All models, with the names that there are.
    pub(super) fn models(&mut self, value: &Value<'_>, names: &Names) -> Vec<GivenModel> {
        let mut models: Vec<(TextSpan, GivenModel)> = Vec::new();
        for (at, table) in self.found.tables(value, "model") {
            let Some(given) = self.model(at, table, names) else { continue };
            let same = |other: &&(TextSpan, GivenModel)| {
                other.1.ends() == given.ends() && other.1.model().kind() == given.model().kind()
            };
            match models.iter().find(same) {
                Some((first, _)) => {
                    let message =
                        format!("there are two models of the kind {} for these links", given.model().kind());
                    let finding =
                        skel_core::diagnostic::Diagnostic::new(Code::DuplicateDefinition, at, message)
                            .related(*first, "first here")
                            .help("keep one of the two");
                    self.found.push(finding);
                }
                None => models.push((at, given)),
            }
        }
        models.into_iter().map(|(_, model)| model).collect()
    }

    fn model(&mut self, at: TextSpan, table: &DeTable<'_>, names: &Names) -> Option<GivenModel> {
        let kind = self.kind(at, table);
        let ends = table.get("between").map(|value| self.ends(value, names));
        let kind = kind?;
        let (own, needed) = keys(kind);
        let known: Vec<&str> = ["kind", "between", "latency"].iter().chain(own).copied().collect();
        self.found.known_keys(table, &known, &format!("a model of the kind {kind}"));
        let missing: Vec<&str> =
            own[..needed].iter().copied().filter(|key| !table.contains_key(*key)).collect();
        if !missing.is_empty() {
            let message = format!("the {kind} model has no `{}`", missing.join("` and no `"));
            self.found.report(Code::MissingEntry, at, message, example(kind));
        }
        let latency = table.get("latency").map(|value| self.time(value, "the latency"));
        let parameters = Parameters { table, latency: latency.unwrap_or(Some(Time::ZERO)), at };
        let model = self.parameters(kind, &parameters);
        let given = GivenModel::everywhere(model?);
        let given = if latency.is_none() { given.with_latency_of_links() } else { given };
        Some(match ends {
            Some(ends) => {
                let (one, other) = ends?;
                given.between(one, other)
            }
            None => given,
        })
    }

    fn kind(&mut self, at: TextSpan, table: &DeTable<'_>) -> Option<Kind> {
        let kinds = KINDS.map(Kind::name).join(", ");
        let Some(value) = table.get("kind") else {
            self.found.report(
                Code::MissingEntry,
                at,
                "the model has no `kind`",
                format!("the kinds are {kinds}"),
            );
            return None;
        };
        let name = self.found.text(value, "`kind`", &format!("the kinds are {kinds}"))?;
        let kind = Kind::from_name(name).filter(|kind| KINDS.contains(kind));
        if kind.is_none() {
            let help = match did_you_mean(name, KINDS.map(Kind::name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the kinds are {kinds}"),
            };
            let message = format!("there is no kind of model `{name}` for a link");
            self.found.report(Code::UnknownEntry, place(value.span()), message, help);
        }
        kind
    }

    /// The two ends of the links of a model.
    fn ends(&mut self, value: &Value<'_>, names: &Names) -> Option<(String, String)> {
        const HELP: &str = "write two machines or clusters, as [\"orsay-1\", \"orsay-2\"]; the same cluster twice is its inside";
        let entries = self.found.list(value, "`between`", HELP)?;
        if entries.len() != 2 {
            let message = format!("`between` has {}", counted(entries.len(), "name"));
            self.found.report(Code::OutOfRange, place(value.span()), message, HELP);
            return None;
        }
        let mut ends = entries.iter().map(|entry| {
            let name = self.found.text(entry, "an end of a link", HELP)?;
            if !names.has(name) {
                let message = format!("there is no machine or cluster `{name}`");
                self.found.report(Code::UnknownMachine, place(entry.span()), message, names.help(name));
                return None;
            }
            Some(name.to_owned())
        });
        let (one, other) = (ends.next()?, ends.next()?);
        let (one, other) = (one?, other?);
        if one == other && names.machines.contains(&one) {
            let message = format!("`{one}` is one machine, and has no link to itself");
            self.found.report(Code::OutOfRange, place(value.span()), message, HELP);
            return None;
        }
        Some(if one <= other { (one, other) } else { (other, one) })
    }

    fn parameters(&mut self, kind: Kind, of: &Parameters<'_, '_>) -> Option<Model> {
        let [mut overhead, mut gap, mut per_byte] = [None; 3];
        if matches!(kind, Kind::LogP | Kind::LogGp | Kind::LoGpc) {
            overhead = of.time(self, "overhead");
            gap = of.time(self, "gap");
        }
        if matches!(kind, Kind::LogGp | Kind::LoGpc) {
            per_byte = of.time(self, "gap_per_byte");
        }
        match kind {
            Kind::Hockney => {
                let bandwidth = of.table.get("bandwidth");
                let bandwidth = bandwidth.and_then(|value| self.bandwidth(value, "`bandwidth`"))?;
                self.built(of.at, Hockney::new(of.latency?, bandwidth).map(Model::from))
            }
            Kind::LogP => {
                let packet = of.table.get("packet").and_then(|value| self.size(value, "`packet`"));
                self.built(of.at, LogP::new(of.latency?, overhead?, gap?, packet?).map(Model::from))
            }
            Kind::LogGp => {
                self.built(of.at, LogGp::new(of.latency?, overhead?, gap?, per_byte?).map(Model::from))
            }
            Kind::LoGpc => {
                let factor = of.table.get("contention").and_then(|value| self.number(value, "`contention`"));
                let base = self.built(of.at, LogGp::new(of.latency?, overhead?, gap?, per_byte?))?;
                self.built(of.at, LoGpc::new(base, factor?).map(Model::from))
            }
            Kind::PLogP => self.plogp(of),
            Kind::LoPc => None,
        }
    }

    fn plogp(&mut self, of: &Parameters<'_, '_>) -> Option<Model> {
        let mut tables = ["gap", "send_overhead", "receive_overhead"]
            .map(|key| of.table.get(key).map(|value| self.gap_table(value, key)));
        let [gap, send, receive] = [0, 1, 2].map(|at| tables[at].take());
        let mut model = self.built(of.at, PLogP::new(of.latency?, gap??))?;
        if let Some(send) = send {
            model = model.with_sender_overhead(send?);
        }
        if let Some(receive) = receive {
            model = model.with_receiver_overhead(receive?);
        }
        Some(model.into())
    }

    /// Times by size, as a list of pairs or as rows.
    fn gap_table(&mut self, value: &Value<'_>, key: &str) -> Option<GapTable> {
        const HELP: &str = "write sizes and times as [[1, \"12us\"], [1024, \"21.5us\"]], or name a CSV file with `bytes` and `us`";
        let what = format!("`{key}`");
        let knots = match value.get_ref() {
            DeValue::String(_) => self.knots_of_rows(value, &what)?,
            _ => {
                let entries = self.found.list(value, &what, HELP)?;
                let knots: Vec<Option<(Bytes, Time)>> =
                    entries.iter().map(|entry| self.knot(entry, &what, HELP)).collect();
                knots.into_iter().collect::<Option<Vec<_>>>()?
            }
        };
        self.built(place(value.span()), GapTable::new(knots))
    }

    fn knot(&mut self, entry: &Value<'_>, what: &str, help: &str) -> Option<(Bytes, Time)> {
        let pair = self.found.list(entry, &format!("an entry of {what}"), help)?;
        let [size, time] = pair else {
            let message = format!("an entry of {what} has {}", counted(pair.len(), "value"));
            self.found.report(Code::Syntax, place(entry.span()), message, help);
            return None;
        };
        let size = self.size(size, &format!("a size of {what}"));
        let time = self.time(time, &format!("a time of {what}"));
        Some((size?, time?))
    }

    fn knots_of_rows(&mut self, value: &Value<'_>, what: &str) -> Option<Vec<(Bytes, Time)>> {
        let mut table = self.table(value, what)?;
        let columns =
            ["bytes", TIME_COLUMNS[0], TIME_COLUMNS[1], TIME_COLUMNS[2], TIME_COLUMNS[3], TIME_COLUMNS[4]];
        let [bytes, times @ ..] = table.columns(self, columns, &["bytes"])?;
        if !table.has_one_time(self, times) {
            return None;
        }
        let rows = table.take_rows(self);
        let before = self.found.count();
        let mut knots = Vec::new();
        for row in &rows {
            let mut cells = Cells::of(row);
            let size = cells.required(bytes, "bytes").and_then(|text| cells.parsed(text, "bytes"));
            knots.push(size.zip(cells.time(times)));
            cells.report(&mut table, self);
        }
        table.finish(self);
        knots.into_iter().collect::<Option<Vec<_>>>().filter(|_| self.found.count() == before)
    }

    /// A value, or what is wrong with it at this place.
    pub(super) fn built<T>(&mut self, at: TextSpan, built: Result<T, BuildErrors>) -> Option<T> {
        match built {
            Ok(value) => Some(value),
            Err(errors) => {
                for error in errors.0 {
                    self.found.report(error.code, at, error.message, error.help);
                }
                None
            }
        }
    }
}

/// What is written of a model.
struct Parameters<'v, 'i> {
    table: &'v DeTable<'i>,
    latency: Option<Time>,
    at: TextSpan,
}

impl Parameters<'_, '_> {
    fn time(&self, reader: &mut Reader<'_>, key: &str) -> Option<Time> {
        self.table.get(key).and_then(|value| reader.time(value, &format!("`{key}`")))
    }
}

/// A model of this kind as it can be written.
fn example(kind: Kind) -> &'static str {
    match kind {
        Kind::Hockney => "write `bandwidth = \"105MB/s\"`, say",
        Kind::LogP => "write `overhead = \"5us\"`, `gap = \"12us\"` and `packet = 1460`, say",
        Kind::LogGp => "write `overhead = \"5us\"`, `gap = \"14us\"` and `gap_per_byte = \"8.9ns\"`, say",
        Kind::LoGpc => "it has the keys of LogGP, and `contention = 1.4`, say",
        Kind::PLogP => "write `gap = [[1, \"13us\"], [1024, \"24us\"]]`, say",
        Kind::LoPc => "",
    }
}
