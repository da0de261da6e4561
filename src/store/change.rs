//! The one write of a request on a game: compare, swap, log and keep, all or nothing.

use super::Result;
use super::driver::{Held, sql_impl};
use super::facets::{Ending, decided, finished, insert, outcome};
use super::feed::{ENDED, Effect};
use super::group::Outcome;
use super::row::{Change, Keep};
use crate::timestamp::Timestamp;
use sqlx::{Connection, SqlStr, Transaction};

/// Takes effect only on the version it was decided on, and only while the game is active.
macro_rules! swap {
    ($free:literal) => {
        concat!(
            "UPDATE games SET version = $3, state = $4, status = $5, result = $6, updated_at = $7, finished_at = $8
             WHERE id = ", $free, " AND version = $2 AND status = 'active' RETURNING id, portal_id, rules, status, created_at"
        )
    };
    () => {
        swap!("$1")
    };
    // Leaves out a game that another transaction is writing to, rather than waiting for it.
    (free) => {
        swap!("(SELECT id FROM games WHERE id = $1 AND version = $2 AND status = 'active' FOR NO KEY UPDATE SKIP LOCKED)")
    };
}

const SWAP: &str = swap!();

/// What tells of the step, and of the end if it was one, beside a log entry.
macro_rules! told {
    () => {
        "told AS (
           INSERT INTO events (portal_id, game_id, number, type, at)
           SELECT portal_id, id, $3 + 1, 'game.step', $7 FROM swapped WHERE $10 IS NOT NULL
           UNION ALL
           SELECT portal_id, id, $3 + 2, 'game.ended', $7 FROM swapped WHERE $5 <> 'active'
         )"
    };
}

const LOG: &str = "INSERT INTO steps (game_id, ply, seat, move, events, at) VALUES ($1, $2, $3, $4, $5, $6)";

/// An expired answer makes way; a live one stays, and no row comes back.
const KEEP: &str = "INSERT INTO kept_answers
      (portal_id, scope, key_hash, body_hash, status, etag, location, body, token_salt, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    ON CONFLICT (portal_id, scope, key_hash) DO UPDATE SET body_hash = excluded.body_hash,
      status = excluded.status, etag = excluded.etag, location = excluded.location, body = excluded.body,
      token_salt = excluded.token_salt, expires_at = excluded.expires_at
    WHERE kept_answers.expires_at <= $11
    RETURNING status";

/// All of a change as one statement, where the database can: one round trip. The other parts take
/// their row from the swap, so that they do nothing when it did nothing.
macro_rules! at_once {
    ($swap:expr, $more:expr) => {
        concat!(
            "WITH swapped AS (",
            $swap,
            "), logged AS (
               INSERT INTO steps (game_id, ply, seat, move, events, at)
               SELECT id, $3, $9, $10, $11, $7 FROM swapped WHERE $10 IS NOT NULL
             ), ",
            told!(),
            $more,
            " SELECT id FROM swapped"
        )
    };
    ($swap:expr) => {
        at_once!($swap, "")
    };
    ($swap:expr, $more:expr, keep) => {
        at_once!(
            $swap,
            concat!($more, ", kept AS (
               INSERT INTO kept_answers
                 (portal_id, scope, key_hash, body_hash, status, etag, location, body, expires_at)
               SELECT $14, $15, $16, $17, $18, $19, $20, $21, $22 FROM swapped
               ON CONFLICT (portal_id, scope, key_hash) DO UPDATE SET body_hash = excluded.body_hash,
                 status = excluded.status, etag = excluded.etag, location = excluded.location, body = excluded.body,
                 token_salt = NULL, expires_at = excluded.expires_at
             )")
        )
    };
}

/// What a game leaves behind when it ends, as in `facets.rs`: $12 is the seat that won, $13 the one that resigned.
macro_rules! end {
    () => {
        concat!(
            ", seated AS (UPDATE game_seats SET outcome = ",
            outcome!("$12", "$13"),
            " FROM swapped WHERE game_id = swapped.id
               RETURNING game_id, player, outcome, game_seats.portal_id, game_seats.created_at
             ), played AS (
               DELETE FROM game_facets USING swapped
               WHERE game_id = swapped.id AND clock = 'created' AND facet = 'playing'
             ), decided AS (",
            decided!("seated", "swapped", "$12"),
            "), found AS (
               SELECT * FROM decided
               UNION ALL SELECT f.game_id, f.clock, f.facet, f.value, f.detail, f.portal_id, f.at
                 FROM game_facets f JOIN swapped ON f.game_id = swapped.id
                 WHERE f.clock = 'created' AND f.facet <> 'playing'
             ), filed AS (",
            insert!(),
            "SELECT * FROM decided UNION ALL ",
            finished!("found", "swapped", "$7"),
            ")"
        )
    };
}

/// Without an answer to keep, and with one.
const STEP: [&str; 2] = [at_once!(swap!()), at_once!(swap!(), "", keep)];

/// The same, waiting for nobody.
const STEP_FREE: [&str; 2] = [at_once!(swap!(free)), at_once!(swap!(free), "", keep)];

/// The same, of the end of a game, with a step or without.
const END: [&str; 2] = [at_once!(swap!(), end!()), at_once!(swap!(), end!(), keep)];

macro_rules! bind_swap {
    ($query:expr, $change:ident) => {
        $query
            .bind($change.game_id)
            .bind($change.version)
            .bind($change.step.as_ref().map_or($change.version, |step| step.ply))
            .bind($change.state.clone())
            .bind($change.status.to_owned())
            .bind($change.result.clone())
            .bind($change.at.0)
            .bind(($change.status != "active").then_some($change.at.0))
    };
}

sql_impl! {
    pub(super) async fn change(&self, change: &Change, held: Held) -> Result<bool> {
        if change.status != "active" {
            return if DB::WRITES_IN_WITH {
                self.change_at_once(END, change, held).await
            } else {
                self.end_in_steps(change, held).await
            };
        }
        let (store, lane) = (self.clone(), self.group.lane());
        let held = if DB::ONE_POOL && lane.is_some() {
            held
        } else {
            // Who waits holds nothing that those who read, or the one who writes, may need.
            drop(held);
            Held::default()
        };
        match self.group.write(change, lane, move |group| DB::write_together(store, held, group)).await? {
            Outcome::Written => Ok(true),
            Outcome::Lost => Ok(false),
            Outcome::Alone => {
                let held = Self::hold(self.write_alive(Held::default()).await?);
                self.change_at_once(STEP, change, held).await
            }
        }
    }

    /// Writes a step, unless another transaction is writing to the game.
    pub(super) async fn step_if_free(&self, change: &Change, held: Held) -> Result<bool> {
        self.change_at_once(STEP_FREE, change, held).await
    }

    /// Writes a change by one statement: one without an answer to keep, or one with it.
    async fn change_at_once(&self, sql: [&'static str; 2], change: &Change, held: Held) -> Result<bool> {
        let Ending { winner, resigned } = Ending::of(change.result.as_deref())?;
        let step = change.step.as_ref();
        let mut query = bind_swap!(sqlx::query::<DB>(sql[usize::from(change.keep.is_some())]), change)
            .bind(step.map(|step| step.seat.clone()))
            .bind(step.map(|step| step.r#move.clone()))
            .bind(step.map(|step| step.events.clone()))
            .bind(winner)
            .bind(resigned);
        if let Some(keep) = &change.keep {
            query = query
                .bind(change.portal_id)
                .bind(keep.slot.scope.clone())
                .bind(keep.slot.key_hash.to_vec())
                .bind(keep.answer.body_hash.clone())
                .bind(keep.answer.status)
                .bind(keep.answer.etag.clone())
                .bind(keep.answer.location.clone())
                .bind(keep.answer.body.clone())
                .bind(keep.expires_at.0);
        }
        let mut connection = self.write(held).await?;
        let written = query.fetch_optional(&mut *connection).await?.is_some();
        connection.rest();
        Ok(written)
    }

    /// Writes the end of a game, with a step or without, statement by statement.
    async fn end_in_steps(&self, change: &Change, held: Held) -> Result<bool> {
        let mut connection = self.write(held).await?;
        let mut transaction = connection.begin_with(SqlStr::from_static(DB::BEGIN)).await?;
        let swapped = bind_swap!(sqlx::query::<DB>(SWAP), change).fetch_optional(&mut *transaction).await?;
        if swapped.is_none() {
            return Ok(false);
        }
        if let Some(step) = &change.step {
            sqlx::query::<DB>(LOG)
                .bind(change.game_id)
                .bind(step.ply)
                .bind(step.seat.clone())
                .bind(step.r#move.clone())
                .bind(step.events.clone())
                .bind(step.at.0)
                .execute(&mut *transaction)
                .await?;
            Self::tell(&mut transaction, change.portal_id, change.game_id, Effect::step(step)).await?;
        }
        let version = change.step.as_ref().map_or(change.version, |step| step.ply);
        let end = Effect { number: version + 2, r#type: ENDED, at: change.at };
        Self::tell(&mut transaction, change.portal_id, change.game_id, end).await?;
        if let Some(keep) = &change.keep
            && !Self::keep(&mut transaction, change.portal_id, keep, change.at).await?
        {
            return Ok(false);
        }
        Self::file_end(&mut transaction, change.game_id, change.result.as_deref(), change.at).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Keeps an answer; false when a live one is there already.
    pub(super) async fn keep(
        transaction: &mut Transaction<'_, DB>,
        portal: uuid::Uuid,
        keep: &Keep,
        now: Timestamp,
    ) -> Result<bool> {
        let row = sqlx::query::<DB>(KEEP)
            .bind(portal)
            .bind(keep.slot.scope.clone())
            .bind(keep.slot.key_hash.to_vec())
            .bind(keep.answer.body_hash.clone())
            .bind(keep.answer.status)
            .bind(keep.answer.etag.clone())
            .bind(keep.answer.location.clone())
            .bind(keep.answer.body.clone())
            .bind(keep.answer.token_salt.clone())
            .bind(keep.expires_at.0)
            .bind(now.0)
            .fetch_optional(&mut **transaction)
            .await?;
        Ok(row.is_some())
    }
}
