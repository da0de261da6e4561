//! The one write of a request on a game: compare, swap, log and keep, all or nothing.

use super::Result;
use super::driver::{Held, sql_impl};
use super::feed::{ENDED, Effect};
use super::row::{Change, Keep, StepRow};
use crate::timestamp::Timestamp;
use sqlx::{Connection, SqlStr, Transaction};

/// Takes effect only on the version it was decided on, and only while the game is active.
macro_rules! swap {
    () => {
        "UPDATE games SET version = $3, state = $4, status = $5, result = $6, updated_at = $7, finished_at = $8
         WHERE id = $1 AND version = $2 AND status = 'active' RETURNING id, portal_id"
    };
}

const SWAP: &str = swap!();

/// What tells of the step, and of the end if it was one, beside a log entry.
macro_rules! told {
    () => {
        "told AS (
           INSERT INTO events (portal_id, game_id, number, type, at)
           SELECT portal_id, id, $3 + 1, 'game.step', $7 FROM swapped
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

/// The swap and the log as one statement, where the database can: one round trip. A step that ends the game has
/// more to write and is a transaction everywhere. The inserts take
/// their row from the swap, so that they do nothing when it did nothing.
const SWAP_LOG: &str = concat!(
    "WITH swapped AS (",
    swap!(),
    "), logged AS (
       INSERT INTO steps (game_id, ply, seat, move, events, at)
       SELECT id, $3, $9, $10, $11, $7 FROM swapped
     ), ",
    told!(),
    " SELECT id FROM swapped"
);

/// The same, and the answer kept.
const SWAP_LOG_KEEP: &str = concat!(
    "WITH swapped AS (",
    swap!(),
    "), logged AS (
       INSERT INTO steps (game_id, ply, seat, move, events, at)
       SELECT id, $3, $9, $10, $11, $7 FROM swapped
     ), ",
    told!(),
    ", kept AS (
       INSERT INTO kept_answers
         (portal_id, scope, key_hash, body_hash, status, etag, location, body, expires_at)
       SELECT $12, $13, $14, $15, $16, $17, $18, $19, $20 FROM swapped
       ON CONFLICT (portal_id, scope, key_hash) DO UPDATE SET body_hash = excluded.body_hash,
         status = excluded.status, etag = excluded.etag, location = excluded.location, body = excluded.body,
         token_salt = NULL, expires_at = excluded.expires_at
     ) SELECT id FROM swapped"
);

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
        match (&change.step, &self.group) {
            // What a game leaves behind when it ends takes more than is worth saying twice.
            (Some(step), Some(group)) if change.status == "active" => {
                // Another may read with it meanwhile.
                drop(held);
                group.write(change, step).await
            }
            (Some(step), None) if change.status == "active" => self.change_at_once(change, step, held).await,
            _ => self.change_in_steps(change, held).await,
        }
    }

    async fn change_at_once(&self, change: &Change, step: &StepRow, held: Held) -> Result<bool> {
        let sql = if change.keep.is_some() { SWAP_LOG_KEEP } else { SWAP_LOG };
        let mut query = bind_swap!(sqlx::query::<DB>(sql), change)
            .bind(step.seat.clone())
            .bind(step.r#move.clone())
            .bind(step.events.clone());
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
        Ok(query.fetch_optional(&mut *self.write(held).await?).await?.is_some())
    }

    async fn change_in_steps(&self, change: &Change, held: Held) -> Result<bool> {
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
        if change.status != "active" {
            let version = change.step.as_ref().map_or(change.version, |step| step.ply);
            let end = Effect { number: version + 2, r#type: ENDED, at: change.at };
            Self::tell(&mut transaction, change.portal_id, change.game_id, end).await?;
        }
        if let Some(keep) = &change.keep
            && !Self::keep(&mut transaction, change.portal_id, keep, change.at).await?
        {
            return Ok(false);
        }
        if change.status != "active" {
            Self::file_end(&mut transaction, change.game_id, change.result.as_deref(), change.at).await?;
        }
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
