//! Steps on SQLite after which the game goes on, written together: what waits for the one writing connection goes into
//! one transaction, and so waits for the disk once. Each has a savepoint of its own, all or nothing as ever, and is told
//! what became of it once the transaction is on the disk.
//!
//! A task does the writing. Were it done by one of those who wait, its end would be everybody's.

use super::driver::Driver;
use super::feed::STEP;
use super::row::{Change, StepRow};
use super::{Result, StoreError};
use sqlx::{Connection, SqlStr, Sqlite, SqlitePool, Transaction};
use std::iter;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// Most steps in one transaction, so that the first does not wait long for the last.
const MOST: usize = 64;

/// How long a step waits to be written before its caller is told to come back later.
const PATIENCE: Duration = Duration::from_secs(3);

/// The statements of `change.rs` in one trip to the database's thread: each does nothing where the one before it did
/// nothing. The swap gives a row.
macro_rules! swap_log_tell {
    () => {
        "SAVEPOINT step;
         UPDATE games SET version = $3, state = $4, updated_at = $5
           WHERE id = $1 AND version = $2 AND status = 'active' RETURNING version;
         INSERT INTO steps (game_id, ply, seat, move, events, at)
           SELECT $1, $3, $6, $7, $8, $5 WHERE changes() = 1;
         INSERT INTO events (portal_id, game_id, number, type, at)
           SELECT $9, $1, $3 + 1, $10, $5 WHERE changes() = 1"
    };
}

/// The answer kept, which gives a row too, unless a live one is there already.
macro_rules! keep {
    () => {
        "; INSERT INTO kept_answers
           (portal_id, scope, key_hash, body_hash, status, etag, location, body, token_salt, expires_at)
         SELECT $9, $11, $12, $13, $14, $15, $16, $17, NULL, $18 WHERE changes() = 1
         ON CONFLICT (portal_id, scope, key_hash) DO UPDATE SET body_hash = excluded.body_hash,
           status = excluded.status, etag = excluded.etag, location = excluded.location, body = excluded.body,
           token_salt = NULL, expires_at = excluded.expires_at
         WHERE kept_answers.expires_at <= $5
         RETURNING status"
    };
}

const WITHOUT_KEY: &str = swap_log_tell!();
const WITH_KEY: &str = concat!(swap_log_tell!(), keep!());

const UNDO: &str = "ROLLBACK TO step";

/// Where steps wait to be written.
#[derive(Clone, Debug)]
pub(super) struct Group(mpsc::Sender<Waiting>);

#[derive(Debug)]
struct Waiting {
    change: Change,
    step: StepRow,
    done: oneshot::Sender<Result<bool>>,
}

impl Group {
    /// Writes in the current runtime, for as long as there is anybody who might wait.
    pub(super) fn start(writer: SqlitePool) -> Self {
        let (sender, receiver) = mpsc::channel(MOST);
        tokio::spawn(run(writer, receiver));
        Self(sender)
    }

    /// Writes a step as soon as may be. False when the game has moved on or ended meanwhile.
    pub(super) async fn write(&self, change: &Change, step: &StepRow) -> Result<bool> {
        let (done, outcome) = oneshot::channel();
        let waiting = Waiting { change: change.clone(), step: step.clone(), done };
        let written = async {
            let gone = || StoreError::Unavailable(sqlx::Error::PoolClosed);
            self.0.send(waiting).await.map_err(|_| gone())?;
            outcome.await.map_err(|_| gone())?
        };
        let late = |_| StoreError::Unavailable(sqlx::Error::PoolTimedOut);
        timeout(PATIENCE, written).await.map_err(late)?
    }
}

async fn run(writer: SqlitePool, mut queue: mpsc::Receiver<Waiting>) {
    let mut group = Vec::with_capacity(MOST);
    while queue.recv_many(&mut group, MOST).await > 0 {
        let outcomes = match together(&writer, &group).await {
            Ok(outcomes) => outcomes,
            Err(error) => iter::repeat_with(|| Err(again(&error))).take(group.len()).collect(),
        };
        for (waiting, outcome) in group.drain(..).zip(outcomes) {
            // Nobody may be waiting any more.
            let _ = waiting.done.send(outcome);
        }
    }
}

/// What became of each; an error is that of all.
async fn together(writer: &SqlitePool, group: &[Waiting]) -> Result<Vec<Result<bool>>> {
    let mut connection = writer.acquire().await?;
    let mut transaction = connection.begin_with(SqlStr::from_static(Sqlite::BEGIN)).await?;
    let mut outcomes = Vec::with_capacity(group.len());
    for waiting in group {
        // Who has given up, and is to try again, must not find that it was done after all.
        if waiting.done.is_closed() {
            outcomes.push(Ok(false));
            continue;
        }
        let written = one(&mut transaction, &waiting.change, &waiting.step).await;
        if !matches!(written, Ok(true)) {
            sqlx::query(UNDO).execute(&mut *transaction).await?;
        }
        outcomes.push(written);
    }
    transaction.commit().await?;
    Ok(outcomes)
}

async fn one(transaction: &mut Transaction<'_, Sqlite>, change: &Change, step: &StepRow) -> Result<bool> {
    let sql = if change.keep.is_some() { WITH_KEY } else { WITHOUT_KEY };
    let mut query = sqlx::query(sql)
        .bind(change.game_id)
        .bind(change.version)
        .bind(step.ply)
        .bind(&change.state)
        .bind(change.at.0)
        .bind(&step.seat)
        .bind(&step.r#move)
        .bind(&step.events)
        .bind(change.portal_id)
        .bind(STEP);
    if let Some(keep) = &change.keep {
        query = query
            .bind(&keep.slot.scope)
            .bind(&keep.slot.key_hash[..])
            .bind(&keep.answer.body_hash)
            .bind(keep.answer.status)
            .bind(&keep.answer.etag)
            .bind(keep.answer.location.as_deref())
            .bind(&keep.answer.body)
            .bind(keep.expires_at.0);
    }
    // To the end: a statement whose rows nobody wants any more is broken off.
    let rows = query.fetch_all(&mut **transaction).await?;
    Ok(rows.len() == 1 + usize::from(change.keep.is_some()))
}

/// An error that more than one must be told of.
fn again(error: &StoreError) -> StoreError {
    let cause = |error: &dyn std::fmt::Display| sqlx::Error::Protocol(error.to_string());
    match error {
        StoreError::Unavailable(error) => StoreError::Unavailable(cause(error)),
        other => StoreError::Broken(cause(other)),
    }
}
