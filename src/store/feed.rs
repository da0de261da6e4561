//! The events of a portal, in an order in which nothing can appear behind a reader's place.

use super::Result;
use super::driver::{Held, sql_impl};
use super::row::{GameRow, StepRow};
use crate::timestamp::Timestamp;
use sqlx::{AssertSqlSafe, Row, Transaction};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

/// The type of the event that tells of a new game.
pub const CREATED: &str = "game.created";
/// The type of the event that tells of a game that was played elsewhere, with its steps so far.
pub const IMPORTED: &str = "game.imported";
/// The type of the event that tells of a step.
pub const STEP: &str = "game.step";
/// The type of the event that tells of a game's end.
pub const ENDED: &str = "game.ended";

/// An event's place among those of its portal. Opaque to callers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The transaction that wrote it, where the database has several at once.
    pub tx: i64,
    /// Its place among those of that transaction.
    pub seq: i64,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.tx, self.seq)
    }
}

/// The text is no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no id of an event")]
pub struct NoPosition;

impl FromStr for Position {
    type Err = NoPosition;

    fn from_str(text: &str) -> Result<Self, NoPosition> {
        let number = |text: &str| text.parse::<u64>().ok().and_then(|number| i64::try_from(number).ok());
        let (tx, seq) = text.split_once('.').ok_or(NoPosition)?;
        let position = Self { tx: number(tx).ok_or(NoPosition)?, seq: number(seq).ok_or(NoPosition)? };
        // One spelling each, as with every id.
        if position.to_string() == text { Ok(position) } else { Err(NoPosition) }
    }
}

/// What happened to a game, to be told of in the transaction in which it happens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect {
    /// The how manieth effect on the game it is.
    pub(super) number: i64,
    pub(super) r#type: &'static str,
    pub(super) at: Timestamp,
}

impl Effect {
    /// A step comes after the game's creation and the steps before it.
    pub(super) fn step(step: &StepRow) -> Self {
        Self { number: step.ply + 1, r#type: STEP, at: step.at }
    }
}

/// An event, with what it tells of.
#[derive(Clone, Debug)]
pub struct EventRow {
    /// Where it is.
    pub position: Position,
    /// The game.
    pub game_id: Uuid,
    /// The how manieth effect on the game it is, from 1.
    pub number: i64,
    /// What happened: `game.created`, `game.step`, `game.ended` …
    pub r#type: String,
    /// When.
    pub at: Timestamp,
    /// The game's rules.
    pub rules: String,
    /// The portal's own name for the game.
    pub external_ref: Option<String>,
    /// Who sits where, as JSON.
    pub seats: String,
    /// The game's status, now.
    pub status: String,
    /// How the game ended, as JSON, if it has by now.
    pub result: Option<String>,
    /// The step, if it is one.
    pub step: Option<StepRow>,
}

/// That an event is there: enough to wake those who follow its game.
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    /// Where it is.
    pub position: Position,
    /// The game.
    pub game_id: Uuid,
    /// Whether nothing can appear before it any more.
    pub settled: bool,
}

const TELL: &str = "INSERT INTO events (portal_id, game_id, number, type, at) VALUES ($1, $2, $3, $4, $5)";

fn feed(settled: &str) -> String {
    format!(
        "SELECT e.tx, e.seq, e.game_id, e.number, e.type, e.at AS e_at,
           g.rules, g.external_ref, g.seats, g.status, g.result, s.ply, s.seat, s.move, s.events, s.at
         FROM events e JOIN games g ON g.id = e.game_id
         LEFT JOIN steps s ON s.game_id = e.game_id AND s.ply = e.number - 1 AND e.type = '{STEP}'
         WHERE e.portal_id = $1 AND (e.tx, e.seq) > ($2, $3) AND {settled}
         ORDER BY e.tx, e.seq LIMIT $4"
    )
}

fn traces(settled: &str) -> String {
    format!(
        "SELECT e.tx, e.seq, e.game_id, CASE WHEN {settled} THEN e.seq END AS settled FROM events e
         WHERE e.portal_id = $1 AND (e.tx, e.seq) > ($2, $3) ORDER BY e.tx, e.seq LIMIT $4"
    )
}

fn end(settled: &str) -> String {
    format!(
        "SELECT e.tx, e.seq FROM events e WHERE e.portal_id = $1 AND {settled}
         ORDER BY e.tx DESC, e.seq DESC LIMIT 1"
    )
}

sql_impl! {
    /// Tells of an effect.
    pub(super) async fn tell(
        transaction: &mut Transaction<'_, DB>,
        portal: Uuid,
        game: Uuid,
        effect: Effect,
    ) -> Result<()> {
        sqlx::query::<DB>(TELL)
            .bind(portal)
            .bind(game)
            .bind(effect.number)
            .bind(effect.r#type.to_owned())
            .bind(effect.at.0)
            .execute(&mut **transaction)
            .await?;
        Ok(())
    }

    /// Tells of a new game, and of its end if it has ended already.
    pub(super) async fn tell_of_game(
        transaction: &mut Transaction<'_, DB>,
        game: &GameRow,
        effect: Effect,
    ) -> Result<()> {
        Self::tell(transaction, game.portal_id, game.id, effect).await?;
        if game.status != "active" {
            let end = Effect { number: effect.number + 1, r#type: ENDED, at: effect.at };
            Self::tell(transaction, game.portal_id, game.id, end).await?;
        }
        Ok(())
    }

    pub(super) async fn feed(
        &self,
        portal: Uuid,
        after: Position,
        limit: i64,
        held: &mut Held,
    ) -> Result<Vec<EventRow>> {
        let rows = sqlx::query::<DB>(AssertSqlSafe(feed(DB::SETTLED)))
            .bind(portal)
            .bind(after.tx)
            .bind(after.seq)
            .bind(limit)
            .fetch_all(&mut **self.read_on(held).await?)
            .await?;
        rows.iter().map(Self::event).collect()
    }

    pub(super) async fn traces(&self, portal: Uuid, after: Position, limit: i64) -> Result<Vec<Trace>> {
        let rows = sqlx::query::<DB>(AssertSqlSafe(traces(DB::SETTLED)))
            .bind(portal)
            .bind(after.tx)
            .bind(after.seq)
            .bind(limit)
            .fetch_all(&mut *self.read().await?)
            .await?;
        rows.iter()
            .map(|row| {
                let settled = row.try_get::<Option<i64>, _>("settled")?.is_some();
                Ok(Trace { position: Self::position(row)?, game_id: row.try_get("game_id")?, settled })
            })
            .collect()
    }

    pub(super) async fn feed_end(&self, portal: Uuid) -> Result<Position> {
        let row = sqlx::query::<DB>(AssertSqlSafe(end(DB::SETTLED)))
            .bind(portal)
            .fetch_optional(&mut *self.read().await?)
            .await?;
        row.as_ref().map_or(Ok(Position::default()), Self::position)
    }

    fn position(row: &DB::Row) -> Result<Position> {
        Ok(Position { tx: row.try_get("tx")?, seq: row.try_get("seq")? })
    }

    fn event(row: &DB::Row) -> Result<EventRow> {
        let step = match row.try_get::<Option<i64>, _>("ply")? {
            None => None,
            Some(_) => Some(Self::step(row)?),
        };
        Ok(EventRow {
            position: Self::position(row)?,
            game_id: row.try_get("game_id")?,
            number: row.try_get("number")?,
            r#type: row.try_get("type")?,
            at: Timestamp(row.try_get("e_at")?),
            rules: row.try_get("rules")?,
            external_ref: row.try_get("external_ref")?,
            seats: row.try_get("seats")?,
            status: row.try_get("status")?,
            result: row.try_get("result")?,
            step,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{NoPosition, Position};

    #[test]
    fn a_position_reads_back_in_one_spelling() {
        let position = Position { tx: 7, seq: 21 };
        assert_eq!(position.to_string().parse(), Ok(position));
        assert_eq!("0.0".parse(), Ok(Position::default()));
        assert!(position < Position { tx: 8, seq: 1 });
        let huge = format!("{}.1", u64::MAX);
        for bad in ["", ".", "7", "7.", ".7", "-1.2", "+1.2", "01.2", "1.2.3", "1.x", huge.as_str()] {
            assert_eq!(bad.parse::<Position>(), Err(NoPosition), "{bad}");
        }
    }
}
