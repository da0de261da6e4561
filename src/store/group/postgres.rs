//! Steps written by one statement, each of them all or nothing.
//!
//! It waits for no game: one that another transaction is writing to is left out and its step tried alone, so
//! that neither one stuck game holds up the others nor two groups wait for each other.

use super::{Outcome, Waiting, fail};
use crate::store::driver::{Held, SqlStore};
use crate::store::feed::STEP;
use crate::store::row::{Keep, StepRow};
use crate::store::{Result, StoreError};
use sqlx::{Postgres, Row};
use std::time::Duration;
use tokio::time::timeout;

/// How long a statement may take before those who wait are told to come back later.
const PATIENCE: Duration = Duration::from_secs(5);

/// What `change.rs` says of one step, of many. The number of each that was written comes back.
const TOGETHER: &str = "WITH free AS (
      SELECT c.* FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[],
        $8::text[], $9::text[], $10::bytea[], $11::bytea[], $12::bigint[], $13::text[], $14::text[], $15::text[],
        $16::bigint[])
        WITH ORDINALITY AS c (game_id, version, state, at, ply, seat, move, events,
          scope, key_hash, body_hash, status, etag, location, body, expires_at, number)
      JOIN games g ON g.id = c.game_id
      WHERE g.version = c.version AND g.status = 'active'
      FOR NO KEY UPDATE OF g SKIP LOCKED
    ), swapped AS (
      UPDATE games g SET version = f.ply, state = f.state, updated_at = f.at
      FROM free f WHERE g.id = f.game_id
      RETURNING g.portal_id, f.*
    ), logged AS (
      INSERT INTO steps (game_id, ply, seat, move, events, at)
      SELECT game_id, ply, seat, move, events, at FROM swapped
    ), told AS (
      INSERT INTO events (portal_id, game_id, number, type, at)
      SELECT portal_id, game_id, ply + 1, $17, at FROM swapped
    ), kept AS (
      INSERT INTO kept_answers (portal_id, scope, key_hash, body_hash, status, etag, location, body, expires_at)
      SELECT portal_id, scope, key_hash, body_hash, status, etag, location, body, expires_at FROM swapped
      WHERE scope IS NOT NULL
      ON CONFLICT (portal_id, scope, key_hash) DO UPDATE SET body_hash = excluded.body_hash,
        status = excluded.status, etag = excluded.etag, location = excluded.location, body = excluded.body,
        token_salt = NULL, expires_at = excluded.expires_at
    ) SELECT number FROM swapped";

/// Writes steps together and tells each what became of it.
pub(in crate::store) async fn write(store: SqlStore<Postgres>, held: Held, group: Vec<Waiting>) {
    let written = match timeout(PATIENCE, together(&store, held, &group)).await {
        Ok(written) => written,
        Err(_) => Err(StoreError::Unavailable(sqlx::Error::PoolTimedOut)),
    };
    match written {
        Ok(written) => {
            for (number, waiting) in (1..).zip(group) {
                let outcome = if written.contains(&number) { Outcome::Written } else { Outcome::Alone };
                waiting.tell(Ok(outcome));
            }
        }
        Err(error @ StoreError::Unavailable(_)) if !is_undone(&error) => fail(group, &error),
        // Nothing is written. Whose fault it was, each finds out alone.
        Err(_) => group.into_iter().for_each(|waiting| waiting.tell(Ok(Outcome::Alone))),
    }
}

/// The numbers of those that were written, from 1.
async fn together(store: &SqlStore<Postgres>, held: Held, group: &[Waiting]) -> Result<Vec<i64>> {
    // A write is not tried again on another connection.
    let mut connection = store.write_alive(held).await?;
    if let [one] = group {
        // Half as much work for Postgres as a group of one.
        let written = store.step_if_free(&one.change, SqlStore::hold(connection)).await?;
        return Ok(if written { vec![1] } else { vec![] });
    }
    let changes = || group.iter().map(|waiting| &waiting.change);
    let rows = sqlx::query(TOGETHER)
        .bind(changes().map(|change| change.game_id).collect::<Vec<_>>())
        .bind(changes().map(|change| change.version).collect::<Vec<_>>())
        .bind(changes().map(|change| change.state.as_str()).collect::<Vec<_>>())
        .bind(changes().map(|change| change.at.0).collect::<Vec<_>>())
        .bind(steps(group, |step| step.ply))
        .bind(steps(group, |step| step.seat.as_str()))
        .bind(steps(group, |step| step.r#move.as_str()))
        .bind(steps(group, |step| step.events.as_str()))
        .bind(keeps(group, |keep| Some(keep.slot.scope.as_str())))
        .bind(keeps(group, |keep| Some(&keep.slot.key_hash[..])))
        .bind(keeps(group, |keep| Some(keep.answer.body_hash.as_slice())))
        .bind(keeps(group, |keep| Some(keep.answer.status)))
        .bind(keeps(group, |keep| Some(keep.answer.etag.as_str())))
        .bind(keeps(group, |keep| keep.answer.location.as_deref()))
        .bind(keeps(group, |keep| Some(keep.answer.body.as_str())))
        .bind(keeps(group, |keep| Some(keep.expires_at.0)))
        .bind(STEP)
        .fetch_all(&mut *connection)
        .await?;
    connection.rest();
    rows.iter().map(|row| row.try_get("number").map_err(StoreError::from)).collect()
}

/// One column of the steps.
fn steps<'g, T>(group: &'g [Waiting], column: impl Fn(&'g StepRow) -> T) -> Vec<Option<T>> {
    group.iter().map(|waiting| waiting.change.step.as_ref().map(&column)).collect()
}

/// One column of the answers to keep.
fn keeps<'g, T>(group: &'g [Waiting], column: impl Fn(&'g Keep) -> Option<T>) -> Vec<Option<T>> {
    group.iter().map(|waiting| waiting.change.keep.as_ref().and_then(&column)).collect()
}

/// Whether Postgres says that it has rolled back for the sake of another transaction.
fn is_undone(error: &StoreError) -> bool {
    matches!(error, StoreError::Unavailable(sqlx::Error::Database(error))
        if error.code().is_some_and(|code| code.starts_with("40")))
}
