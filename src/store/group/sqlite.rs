//! Steps written in one transaction, each by one statement: all or nothing, and one trip to the database's thread.

use super::{Outcome, Waiting, fail};
use crate::store::driver::{Driver, Held, SqlStore};
use crate::store::feed::STEP;
use crate::store::row::Change;
use crate::store::{Result, StoreError};
use serde::Serialize;
use sqlx::{Connection, SqlStr, Sqlite, SqliteConnection};

/// What the writing connection is told when it is opened: what it means to insert a step. SQLite has no statement that
/// writes to several tables but one that fires a trigger. What does not count is undone whole.
pub(in crate::store) const ON_CONNECT: &str = "
    CREATE TEMP VIEW steps_to_take (game_id, version, state, at, ply, seat, move, events, portal_id, type,
        scope, key_hash, body_hash, status, etag, location, body, expires_at)
      AS SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL;
    CREATE TEMP TRIGGER take_step INSTEAD OF INSERT ON steps_to_take BEGIN
      UPDATE games SET version = NEW.ply, state = NEW.state, updated_at = NEW.at
        WHERE id = NEW.game_id AND version = NEW.version AND status = 'active';
      SELECT RAISE(ABORT, 'the game has moved on') WHERE changes() = 0;
      INSERT INTO steps (game_id, ply, seat, move, events, at)
        VALUES (NEW.game_id, NEW.ply, NEW.seat, NEW.move, NEW.events, NEW.at);
      INSERT INTO events (portal_id, game_id, number, type, at)
        VALUES (NEW.portal_id, NEW.game_id, NEW.ply + 1, NEW.type, NEW.at);
      SELECT RAISE(ABORT, 'an answer is kept') FROM kept_answers
        WHERE portal_id = NEW.portal_id AND scope = NEW.scope AND key_hash = NEW.key_hash AND expires_at > NEW.at;
      INSERT OR REPLACE INTO kept_answers
          (portal_id, scope, key_hash, body_hash, status, etag, location, body, expires_at)
        SELECT NEW.portal_id, NEW.scope, NEW.key_hash, NEW.body_hash, NEW.status, NEW.etag, NEW.location, NEW.body,
          NEW.expires_at WHERE NEW.scope IS NOT NULL;
    END";

const TAKE: &str = "INSERT INTO steps_to_take VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";

/// The same of many, as a list of lists: JSON is how SQLite takes a list. What is no text is in hexadecimal digits.
const TAKE_ALL: &str = "INSERT INTO steps_to_take
    SELECT unhex(value ->> '$[0][0]'), value ->> '$[0][1]', value ->> '$[0][2]', value ->> '$[0][3]',
      value ->> '$[1][0]', value ->> '$[1][1]', value ->> '$[1][2]', value ->> '$[1][3]', unhex(value ->> '$[2]'), $2,
      value ->> '$[3][0]', unhex(value ->> '$[3][1]'), unhex(value ->> '$[4][0]'), value ->> '$[4][1]',
      value ->> '$[4][2]', value ->> '$[4][3]', value ->> '$[4][4]', value ->> '$[3][2]'
    FROM json_each($1)";

/// How SQLite says that a trigger refused (`SQLITE_CONSTRAINT_TRIGGER`).
const REFUSED: &str = "1811";

/// Writes steps together and tells each what became of it.
pub(in crate::store) async fn write(store: SqlStore<Sqlite>, group: Vec<Waiting>) {
    match together(&store, &group).await {
        Ok(outcomes) => group.into_iter().zip(outcomes).for_each(|(waiting, outcome)| waiting.tell(outcome)),
        Err(error) => fail(group, &error),
    }
}

/// What became of each; an error is that of all.
async fn together(store: &SqlStore<Sqlite>, group: &[Waiting]) -> Result<Vec<Result<Outcome>>> {
    let mut connection = store.write(Held::default()).await?;
    if let [one] = group {
        let outcome = take(&mut connection, &one.change).await;
        if outcome.is_ok() {
            connection.rest();
        }
        return Ok(vec![outcome]);
    }
    if take_all(&mut connection, group).await? {
        connection.rest();
        return Ok(group.iter().map(|_| Ok(Outcome::Written)).collect());
    }
    let mut transaction = connection.begin_with(SqlStr::from_static(Sqlite::BEGIN)).await?;
    let mut outcomes = Vec::with_capacity(group.len());
    for waiting in group {
        match take(&mut transaction, &waiting.change).await {
            // SQLite may have rolled all of it back.
            Err(error @ StoreError::Unavailable(_)) => return Err(error),
            outcome => outcomes.push(outcome),
        }
    }
    transaction.commit().await?;
    connection.rest();
    Ok(outcomes)
}

/// Takes all steps at once; false, and none is taken, when one of them can't be.
async fn take_all(connection: &mut SqliteConnection, group: &[Waiting]) -> Result<bool> {
    let rows: Vec<_> = group.iter().map(|waiting| row(&waiting.change)).collect();
    let rows = serde_json::to_string(&rows).map_err(|error| sqlx::Error::Encode(error.into()))?;
    match sqlx::query(TAKE_ALL).bind(rows).bind(STEP).execute(connection).await.map_err(StoreError::from) {
        Ok(_) => Ok(true),
        // Whose fault it was shows when each is taken by itself.
        Err(StoreError::Broken(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// A step as `TAKE_ALL` reads it.
fn row(change: &Change) -> impl Serialize {
    let (step, keep) = (change.step.as_ref(), change.keep.as_ref());
    let answer = keep.map(|keep| &keep.answer);
    (
        (hex::encode(change.game_id), change.version, &change.state, change.at.0),
        step.map(|step| (step.ply, &step.seat, &step.r#move, &step.events)),
        hex::encode(change.portal_id),
        keep.map(|keep| (&keep.slot.scope, hex::encode(keep.slot.key_hash), keep.expires_at.0)),
        answer.map(|answer| {
            (hex::encode(&answer.body_hash), answer.status, &answer.etag, &answer.location, &answer.body)
        }),
    )
}

async fn take(connection: &mut SqliteConnection, change: &Change) -> Result<Outcome> {
    let (step, keep) = (change.step.as_ref(), change.keep.as_ref());
    let answer = keep.map(|keep| &keep.answer);
    let taken = sqlx::query(TAKE)
        .bind(change.game_id)
        .bind(change.version)
        .bind(&change.state)
        .bind(change.at.0)
        .bind(step.map(|step| step.ply))
        .bind(step.map(|step| &step.seat))
        .bind(step.map(|step| &step.r#move))
        .bind(step.map(|step| &step.events))
        .bind(change.portal_id)
        .bind(STEP)
        .bind(keep.map(|keep| &keep.slot.scope))
        .bind(keep.map(|keep| &keep.slot.key_hash[..]))
        .bind(answer.map(|answer| &answer.body_hash))
        .bind(answer.map(|answer| answer.status))
        .bind(answer.map(|answer| &answer.etag))
        .bind(answer.and_then(|answer| answer.location.as_ref()))
        .bind(answer.map(|answer| &answer.body))
        .bind(keep.map(|keep| keep.expires_at.0))
        .execute(connection)
        .await;
    match taken {
        Ok(_) => Ok(Outcome::Written),
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(REFUSED) => Ok(Outcome::Lost),
        Err(error) => Err(error.into()),
    }
}
