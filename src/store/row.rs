//! What goes into the database and comes out of it, without the database's own types.

use super::driver::Held;
use crate::credential::Hash;
use crate::timestamp::Timestamp;
use kauri_rules::Seat;
use uuid::Uuid;

/// What finds a credential's row; the secret stays outside.
#[derive(Clone, Debug)]
pub enum Claim {
    /// Nothing was shown.
    Anonymous,
    /// A portal key's id.
    PortalKey(String),
    /// A seat token's game and seat.
    SeatToken(Uuid, Seat),
}

/// A credential's row.
#[derive(Clone, Debug)]
pub struct CallerRow {
    /// Whom it acts for.
    pub portal_id: Uuid,
    /// The SHA-256 of its secret; none for the anonymous caller of an open service.
    pub secret_hash: Option<Vec<u8>>,
    /// `read`, `play`, `seat` or `open`.
    pub scope: String,
    /// When it stops working.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// Whether its portal insists on conditional moves.
    pub strict: bool,
}

/// A game as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRow {
    /// The game's id.
    pub id: Uuid,
    /// Whose it is.
    pub portal_id: Uuid,
    /// Which rules.
    pub rules: String,
    /// Who throws: `server` or `supplied`.
    pub throws: String,
    /// `active`, `finished` or `aborted`.
    pub status: String,
    /// Steps so far.
    pub version: i64,
    /// Where it began, as JSON.
    pub start_state: String,
    /// Where it is, as JSON: what a replay of the log gives.
    pub state: String,
    /// How it ended, as JSON.
    pub result: Option<String>,
    /// Who sits where, as JSON.
    pub seats: String,
    /// The portal's labels, as JSON.
    pub tags: String,
    /// The portal's own name for it.
    pub external_ref: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}

/// A step as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRow {
    /// Its number, from 1.
    pub ply: i64,
    /// Who made it.
    pub seat: String,
    /// The step's name.
    pub r#move: String,
    /// What happened, as JSON.
    pub events: String,
    /// When.
    pub at: Timestamp,
}

/// An answer kept for retries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptAnswer {
    /// The SHA-256 of the body it answers.
    pub body_hash: Vec<u8>,
    /// Its status.
    pub status: i64,
    /// Its `ETag`.
    pub etag: String,
    /// Its `Location`.
    pub location: Option<String>,
    /// Its body, less what must not be stored.
    pub body: String,
    /// With the Idempotency-Key, gives back the seat tokens.
    pub token_salt: Option<Vec<u8>>,
}

/// Where an answer is kept: found again by the same caller, path and key only.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Method, path and, for a seat token, the seat.
    pub scope: String,
    /// The SHA-256 of the Idempotency-Key.
    pub key_hash: Hash,
}

/// What one read brings about a request on a game.
#[derive(Debug)]
pub struct Opened {
    /// The caller's row.
    pub caller: CallerRow,
    /// The game, if it is of the caller's portal.
    pub game: Option<GameRow>,
    /// The answer kept in the slot asked for.
    pub kept: Option<KeptAnswer>,
    /// The step at the ply asked for.
    pub step: Option<StepRow>,
    /// The connection, for what may follow.
    pub held: Held,
}

/// What one read brings about a request to create a game.
#[derive(Debug)]
pub struct OpenedPortal {
    /// The caller's row.
    pub caller: CallerRow,
    /// The answer kept in the slot asked for.
    pub kept: Option<KeptAnswer>,
    /// The body hash behind the external reference asked for, and its game.
    pub named: Option<(Vec<u8>, GameRow)>,
    /// The connection, for what may follow.
    pub held: Held,
}

/// A change to a game: written whole if the game still has `version` and is active, or not at all.
#[derive(Clone, Debug)]
pub struct Change {
    /// The game.
    pub game_id: Uuid,
    /// Whose it is.
    pub portal_id: Uuid,
    /// The version it was decided on.
    pub version: i64,
    /// The step made, if any: the new version is its ply.
    pub step: Option<StepRow>,
    /// The state after it.
    pub state: String,
    /// The status after it.
    pub status: &'static str,
    /// How the game ended.
    pub result: Option<String>,
    /// When it happened.
    pub at: Timestamp,
    /// The answer to keep.
    pub keep: Option<Keep>,
}

/// An answer to keep, and where, and how long.
#[derive(Clone, Debug)]
pub struct Keep {
    /// Where.
    pub slot: Slot,
    /// What.
    pub answer: KeptAnswer,
    /// Until when.
    pub expires_at: Timestamp,
}

/// A seat of a new game.
#[derive(Clone, Debug)]
pub struct SeatRow {
    /// The seat.
    pub seat: Seat,
    /// Who sits there.
    pub player: Option<String>,
    /// The SHA-256 of its token's secret.
    pub token_hash: Hash,
}

/// By which of its times a game is listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// When it was created.
    #[default]
    Created,
    /// When it ended; a game that goes on is not listed.
    Finished,
}

/// What became of a game that was played elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// It is written.
    New,
    /// There is a game of this id, of whichever portal.
    IdTaken(Box<GameRow>),
    /// The portal has another game of this name.
    NameTaken,
}

/// What a page of games is asked for.
#[derive(Clone, Debug, Default)]
pub struct GameFilter {
    /// Only games where this player sits.
    pub player: Option<String>,
    /// Only games where the player sits here.
    pub seat: Option<Seat>,
    /// Only games where this one sits on another seat than the player.
    pub opponent: Option<String>,
    /// Only games that came out so: `won` or `lost` by the player, the seat that won, or `void`.
    pub result: Option<&'static str>,
    /// Only games of these rules.
    pub rules: Option<String>,
    /// Only games of this status.
    pub status: Option<String>,
    /// Only games with this label.
    pub tag: Option<String>,
    /// Only the game of this name.
    pub external_ref: Option<String>,
    /// Only games created then or later.
    pub created_from: Option<Timestamp>,
    /// Only games created before.
    pub created_before: Option<Timestamp>,
    /// Only games that ended then or later.
    pub finished_from: Option<Timestamp>,
    /// Only games that ended before.
    pub finished_before: Option<Timestamp>,
    /// By which time they are listed.
    pub clock: Clock,
    /// Whether the last come first.
    pub descending: bool,
    /// Only games after this one in the order.
    pub after: Option<(Timestamp, Uuid)>,
    /// At most so many.
    pub limit: i64,
}

/// How many of a player's seats came out so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TallyRow {
    /// Which rules.
    pub rules: String,
    /// Where the player sat.
    pub seat: String,
    /// `open`, `won`, `lost` or `void`.
    pub outcome: String,
    /// How many.
    pub games: i64,
}

/// What is counted about a player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerRow {
    /// By rules, seat and outcome.
    pub tallies: Vec<TallyRow>,
    /// Games that go on.
    pub open: i64,
    /// Those in which the player is to move.
    pub your_turn: i64,
}

/// A portal as stored.
#[derive(Clone, Debug)]
pub struct PortalRow {
    /// Its name.
    pub name: String,
    /// Whether it insists on conditional moves.
    pub strict: bool,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A portal key as stored, less its hash.
#[derive(Clone, Debug)]
pub struct KeyRow {
    /// What finds it.
    pub id: String,
    /// The portal's name.
    pub portal: String,
    /// A note on what it is for.
    pub label: String,
    /// `read` or `play`.
    pub scope: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it stops working.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// When it was last seen, to the minute or so.
    pub last_used_at: Option<Timestamp>,
}
