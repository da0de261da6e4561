//! `kauri export` and `kauri import`: whole games between a database and a file, without a service.

use crate::api::extract::parse;
use crate::config::{self, Export as Out, Import as In};
use crate::context::{Context, SystemWorld};
use crate::events::Hub;
use crate::games::{Export, GameRecord, ImportReport, Importer, is_end};
use crate::problem::Problem;
use crate::stopping::Stopping;
use crate::store::{Store, StoreError};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// Longest line taken, in bytes.
const LONGEST_LINE: u64 = 64 << 20;

/// Stands for standard input or output.
const STANDARD: &str = "-";

/// Why a command could not be carried out, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no such portal.
    #[error("there is no portal of this name")]
    Portal,
    /// What was asked for can't be.
    #[error("{0}")]
    Asked(String),
    /// The file can't be read or written.
    #[error("{place}: {cause}")]
    File {
        /// Its path.
        place: String,
        /// What the operating system says.
        cause: io::Error,
    },
    /// Not all games were written.
    #[error("broke off after {games} games: {why}; {how}")]
    BrokeOff {
        /// How many were.
        games: u64,
        /// What happened.
        why: String,
        /// How to go on.
        how: String,
    },
    /// Not all records were taken.
    #[error("{refused} of {records} records were refused")]
    Refused {
        /// How many were not.
        refused: u64,
        /// How many there were.
        records: u64,
    },
}

/// Carries out `kauri export`: the records, one a line, and the end.
pub async fn export(options: &Out, out: &mut impl Write) -> Result<(), TransferError> {
    let (context, portal) = open(&options.database, &options.portal).await?;
    let wanted = options.filters.clone().into();
    let export = Export::of(&context, portal, &wanted).await.map_err(|problem| asked(&problem))?;
    let progress = progress(None, "{spinner} {pos} games, {per_sec}, {elapsed}");
    let broken = |cause| TransferError::File { place: options.file.clone(), cause };
    let written = if options.file == STANDARD {
        write(export, out, &progress, &broken).await
    } else {
        let mut file = BufWriter::new(File::create(&options.file).map_err(broken)?);
        write(export, &mut file, &progress, &broken).await
    };
    progress.finish_and_clear();
    written
}

async fn write(
    mut export: Export,
    out: &mut impl Write,
    progress: &ProgressBar,
    broken: &impl Fn(io::Error) -> TransferError,
) -> Result<(), TransferError> {
    let mut last = None;
    loop {
        let line = match export.next_line().await {
            Ok(Some(line)) => line,
            Ok(None) => return out.flush().map_err(broken),
            Err(problem) => {
                out.flush().map_err(broken)?;
                return Err(TransferError::BrokeOff {
                    games: export.count(),
                    why: told(&problem),
                    how: last
                        .map_or("begin again".to_owned(), |cursor| format!("go on with --cursor {cursor}")),
                });
            }
        };
        out.write_all(line.as_bytes()).map_err(broken)?;
        progress.set_position(export.count());
        last = export.cursor().map(str::to_owned).or(last);
    }
}

/// Carries out `kauri import`: takes each record by itself, and names those that were refused.
pub async fn import(
    options: &In,
    input: impl Read,
    out: &mut impl Write,
    complain: &mut impl Write,
) -> Result<(), TransferError> {
    let (context, portal) = open(&options.database, &options.portal).await?;
    let importer = Importer::of(&context, portal);
    let broken = |cause| TransferError::File { place: options.file.clone(), cause };
    if options.file == STANDARD {
        return read(&importer, BufReader::new(input), None, out, complain, &broken).await;
    }
    let file = File::open(&options.file).map_err(broken)?;
    let length = Path::new(&options.file).metadata().ok().map(|about| about.len());
    read(&importer, BufReader::new(file), length, out, complain, &broken).await
}

async fn read(
    importer: &Importer,
    mut input: impl BufRead,
    length: Option<u64>,
    out: &mut impl Write,
    complain: &mut impl Write,
    broken: &impl Fn(io::Error) -> TransferError,
) -> Result<(), TransferError> {
    let template = match length {
        Some(_) => "{bar:40} {bytes} of {total_bytes}, {eta} left",
        None => "{spinner} {bytes}, {bytes_per_sec}, {elapsed}",
    };
    let progress = progress(length, template);
    let mut report = ImportReport::default();
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        if (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(broken)? == 0 {
            break;
        }
        progress.inc(line.len() as u64);
        let text = line.trim_ascii();
        if text.is_empty() || is_end(text) {
            continue;
        }
        let taken = match parse::<GameRecord>(text) {
            Ok(record) => Box::pin(importer.take(&record)).await,
            Err(problem) => Err(problem),
        };
        match taken {
            Ok(taken) => report.taken(taken),
            Err(problem) => {
                report.refused += 1;
                let told = format!("line {number}: {}", told(&problem));
                progress.suspend(|| writeln!(complain, "{told}")).map_err(broken)?;
                if problem.code().status().is_server_error() {
                    break;
                }
            }
        }
    }
    progress.finish_and_clear();
    let ImportReport { imported, present, refused, .. } = report;
    writeln!(out, "imported {imported}, present {present}, refused {refused}").map_err(broken)?;
    if refused == 0 {
        return Ok(());
    }
    Err(TransferError::Refused { refused, records: imported + present + refused })
}

async fn open(database: &config::Database, portal: &str) -> Result<(Context, Uuid), TransferError> {
    let context = Context {
        store: Store::connect(database).await?,
        world: Arc::new(SystemWorld),
        idempotency_ttl: Duration::ZERO,
        seen: Arc::default(),
        cursor_key: Arc::default(),
        hub: Arc::new(Hub::new(Stopping::default())),
        stopping: Stopping::default(),
        webhooks: Arc::default(),
    };
    let portal = context.store.portal_named(portal).await?.ok_or(TransferError::Portal)?;
    Ok((context, portal))
}

/// Shown on a terminal alone.
fn progress(length: Option<u64>, template: &str) -> ProgressBar {
    let progress = length.map_or_else(ProgressBar::no_length, ProgressBar::new);
    match ProgressStyle::with_template(template) {
        Ok(style) => progress.with_style(style),
        Err(_) => progress,
    }
}

/// A parameter that does not fit, named as the flag is.
fn asked(problem: &Problem) -> TransferError {
    TransferError::Asked(told(problem).replace("invalid_query: /", "--").replace('_', "-"))
}

/// A problem in a line.
fn told(problem: &Problem) -> String {
    let json = serde_json::to_value(problem).unwrap_or_default();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut told = problem.code().as_str().to_owned();
    for error in json["errors"].as_array().into_iter().flatten() {
        for part in [
            ": ",
            &text(&error["pointer"]).unwrap_or_default(),
            " ",
            &text(&error["message"]).unwrap_or_default(),
        ] {
            told.push_str(part);
        }
    }
    if json["errors"].is_null() {
        told.extend([": ".to_owned(), text(&json["detail"]).or(text(&json["title"])).unwrap_or_default()]);
    }
    if let Some(clause) = text(&json["clause"]) {
        told.extend([" (", &clause, ")"]);
    }
    told
}
