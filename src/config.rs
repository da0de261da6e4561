//! The command line, the environment, `--help` and the README's table: all from these structs.

use crate::games::ListGames;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use kauri_rules::Seat;
use std::net::SocketAddr;
use std::time::Duration;

/// Kauri: a game-rules service.
///
/// Lists, validates, applies and replays moves of two cowrie games on posted states, and keeps games.
#[derive(Debug, Parser)]
#[command(name = "kauri", version, propagate_version = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the binary can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answer HTTP requests until told to stop.
    Serve(Box<Serve>),
    /// Manage portal keys: create, list, revoke.
    Keys(Keys),
    /// Manage portals: list, make strict or lenient.
    Portals(Portals),
    /// Write whole games to a file, one record a line.
    Export(Box<Export>),
    /// Take whole games from a file, making every step again by the rules; exits 1 if a record is refused.
    Import(Import),
    /// Write the OpenAPI documents, or check that the written ones are current.
    Openapi(Openapi),
    /// Ask a running service on this host whether it is alive; exits 1 if it is not.
    Healthcheck(Healthcheck),
}

/// How to serve.
#[derive(Clone, Debug, Args)]
pub struct Serve {
    /// Address and port to listen on; port 0 takes a free one.
    #[arg(long, env = "KAURI_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,

    /// Where games are kept.
    #[command(flatten)]
    pub database: Database,

    /// Allow an address beyond loopback although no portal key exists, so that anyone may do anything.
    #[arg(long, env = "KAURI_OPEN")]
    pub open: bool,

    /// Worker threads; 0 means one per core.
    #[arg(long, env = "KAURI_WORKERS", default_value_t = 0)]
    pub workers: usize,

    /// How log lines look.
    #[arg(long, env = "KAURI_LOG_FORMAT", value_enum, default_value_t = LogFormat::Pretty)]
    pub log_format: LogFormat,

    /// Which log lines are written: a level, or directives such as `info,sqlx=debug`.
    #[arg(long, env = "KAURI_LOG", default_value = "info")]
    pub log: String,

    /// Longest body taken, in bytes.
    #[arg(long, env = "KAURI_MAX_BODY", default_value_t = 1_048_576, value_parser = size)]
    pub max_body: usize,

    /// Longest time one request may take, in seconds.
    #[arg(long, env = "KAURI_REQUEST_TIMEOUT", default_value = "10", value_parser = some_seconds)]
    pub request_timeout: Duration,

    /// Longest time a caller may take nothing of an answer that is being sent, in seconds.
    #[arg(long, env = "KAURI_SEND_TIMEOUT", default_value = "30", value_parser = some_seconds)]
    pub send_timeout: Duration,

    /// Most connections held at once; more wait until one is closed.
    #[arg(long, env = "KAURI_MAX_CONNECTIONS", default_value_t = 10_000, value_parser = connections)]
    pub max_connections: usize,

    /// Longest time requests in flight get to finish after SIGTERM, in seconds.
    #[arg(long, env = "KAURI_SHUTDOWN_TIMEOUT", default_value = "30", value_parser = seconds)]
    pub shutdown_timeout: Duration,

    /// How long the answer to an Idempotency-Key is kept, in seconds.
    #[arg(long, env = "KAURI_IDEMPOTENCY_TTL", default_value = "86400", value_parser = some_seconds)]
    pub idempotency_ttl: Duration,

    /// Requests a second that one credential, or one address, may make, moves aside; 0 means no limit.
    #[arg(long, env = "KAURI_RATE", default_value_t = 0)]
    pub rate: u32,

    /// Moves a second that one credential, or one address, may make; 0 means no limit.
    #[arg(long, env = "KAURI_MOVE_RATE", default_value_t = 0)]
    pub move_rate: u32,

    /// Allow webhooks to loopback and by plain HTTP, as for tests.
    #[arg(long, env = "KAURI_WEBHOOK_ALLOW_LOOPBACK")]
    pub webhook_allow_loopback: bool,

    /// How long deliveries of webhooks are remembered once they are finished, in seconds.
    #[arg(long, env = "KAURI_WEBHOOK_RETENTION", default_value = "2592000", value_parser = some_seconds)]
    pub webhook_retention: Duration,
}

/// Where games are kept.
#[derive(Clone, Debug, Args)]
pub struct Database {
    /// `sqlite://PATH`, created where it is missing, or `postgres://USER:PASSWORD@HOST/NAME`, which must exist;
    /// migrated at start.
    #[arg(long, env = "DATABASE_URL", default_value = "sqlite://kauri.db", hide_env_values = true)]
    pub database_url: String,

    /// Most connections to Postgres, shared out among the workers, or reading connections to SQLite; 0 means 4 for each
    /// worker, and 16 at least.
    #[arg(long, env = "KAURI_POOL", default_value_t = 0)]
    pub pool: u32,
}

impl Database {
    /// Most connections of so many workers.
    #[must_use]
    pub fn connections(&self, workers: usize) -> u32 {
        match self.pool {
            0 => u32::try_from(workers).unwrap_or(u32::MAX).saturating_mul(4).max(16),
            most => most,
        }
    }
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Pretty,
    /// One JSON object a line.
    Json,
}

/// `kauri export`
#[derive(Debug, Args)]
pub struct Export {
    /// The file to write; `-` is standard output.
    #[arg(default_value = "-")]
    pub file: String,

    /// The portal whose games they are.
    #[arg(long, default_value = "local")]
    pub portal: String,

    /// Which games.
    #[command(flatten)]
    pub filters: Filters,

    /// Where games are kept.
    #[command(flatten)]
    pub database: Database,
}

/// Which games, as `GET /games/export` is asked.
#[derive(Clone, Debug, Args)]
pub struct Filters {
    /// Only games where this player sits.
    #[arg(long)]
    pub player: Option<String>,

    /// Only games where the player sits here.
    #[arg(long)]
    pub seat: Option<Seat>,

    /// Only games where this one sits on another seat than the player.
    #[arg(long)]
    pub opponent: Option<String>,

    /// Only games that were `won` or `lost` by the player, or by the seat that won, or `void`.
    #[arg(long)]
    pub result: Option<String>,

    /// Only games of these rules.
    #[arg(long)]
    pub rules: Option<String>,

    /// Only games with this status.
    #[arg(long)]
    pub status: Option<String>,

    /// Only games with this label.
    #[arg(long)]
    pub tag: Option<String>,

    /// Only the game of this name.
    #[arg(long)]
    pub external_ref: Option<String>,

    /// Only games created at this time, in RFC 3339, or later.
    #[arg(long)]
    pub created_after: Option<String>,

    /// Only games created before this time.
    #[arg(long)]
    pub created_before: Option<String>,

    /// Only games that ended at this time or later.
    #[arg(long)]
    pub finished_after: Option<String>,

    /// Only games that ended before this time.
    #[arg(long)]
    pub finished_before: Option<String>,

    /// By which time: `newest`, `oldest`, `last_finished` or `first_finished` first.
    #[arg(long)]
    pub order: Option<String>,

    /// Only games after the line with this cursor.
    #[arg(long)]
    pub cursor: Option<String>,
}

impl From<Filters> for ListGames {
    fn from(filters: Filters) -> Self {
        Self {
            player: filters.player,
            seat: filters.seat,
            opponent: filters.opponent,
            result: filters.result,
            rules: filters.rules,
            status: filters.status,
            tag: filters.tag,
            external_ref: filters.external_ref,
            created_after: filters.created_after,
            created_before: filters.created_before,
            finished_after: filters.finished_after,
            finished_before: filters.finished_before,
            order: filters.order,
            limit: None,
            cursor: filters.cursor,
        }
    }
}

/// `kauri import`
#[derive(Debug, Args)]
pub struct Import {
    /// The file to read, as an export writes it; `-` is standard input.
    #[arg(default_value = "-")]
    pub file: String,

    /// The portal that gets the games.
    #[arg(long, default_value = "local")]
    pub portal: String,

    /// Where games are kept.
    #[command(flatten)]
    pub database: Database,
}

/// `kauri openapi`
#[derive(Debug, Args)]
pub struct Openapi {
    /// Change nothing; exit 1 when a written document is not current.
    #[arg(long)]
    pub check: bool,

    /// The folder the documents are in.
    #[arg(long, default_value = "openapi")]
    pub dir: std::path::PathBuf,
}

/// `kauri healthcheck`
#[derive(Debug, Args)]
pub struct Healthcheck {
    /// The address the service listens on; an unspecified one means loopback.
    #[arg(long, env = "KAURI_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
}

/// `kauri keys`
#[derive(Debug, Args)]
pub struct Keys {
    /// What to do with keys.
    #[command(subcommand)]
    pub command: KeysCommand,
}

/// What can be done with keys.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Make a key, and the portal if there is none of that name; prints the secret, this once.
    Create {
        /// The portal's name.
        #[arg(long)]
        portal: String,
        /// A note on what the key is for.
        #[arg(long, default_value = "")]
        label: String,
        /// What the key may do.
        #[arg(long, value_enum, default_value_t = Scope::Play)]
        scope: Scope,
        /// When it stops working, in RFC 3339; without it never.
        #[arg(long)]
        expires: Option<String>,
        /// Where keys are kept.
        #[command(flatten)]
        database: Database,
    },
    /// List keys, never their secrets.
    List {
        /// Only this portal's.
        #[arg(long)]
        portal: Option<String>,
        /// Where keys are kept.
        #[command(flatten)]
        database: Database,
    },
    /// Make a key stop working at once.
    Revoke {
        /// The key's id, as listed.
        id: String,
        /// Where keys are kept.
        #[command(flatten)]
        database: Database,
    },
}

/// What a portal key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// Read everything of the portal.
    Read,
    /// Read and change everything of the portal.
    Play,
}

/// `kauri portals`
#[derive(Debug, Args)]
pub struct Portals {
    /// What to do with portals.
    #[command(subcommand)]
    pub command: PortalsCommand,
}

/// What can be done with portals.
#[derive(Debug, Subcommand)]
pub enum PortalsCommand {
    /// List portals.
    List {
        /// Where portals are kept.
        #[command(flatten)]
        database: Database,
    },
    /// Change a portal's settings.
    Set {
        /// The portal's name.
        name: String,
        /// Whether what changes a game must carry If-Match, `expected_version` or an Idempotency-Key.
        #[arg(long, action = ArgAction::Set)]
        strict: bool,
        /// Where portals are kept.
        #[command(flatten)]
        database: Database,
    },
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds is needed".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// A time that can be told: timers count milliseconds.
fn some_seconds(text: &str) -> Result<Duration, String> {
    let time = seconds(text)?;
    if time < Duration::from_millis(1) {
        Err("at least 0.001 seconds are needed".to_owned())
    } else {
        Ok(time)
    }
}

fn size(text: &str) -> Result<usize, String> {
    some(text).ok_or_else(|| "a number of bytes is needed, at least 1 byte".to_owned())
}

fn connections(text: &str) -> Result<usize, String> {
    some(text).ok_or_else(|| "a number of connections is needed, at least 1".to_owned())
}

fn some(text: &str) -> Option<usize> {
    text.parse().ok().filter(|number| *number > 0)
}
