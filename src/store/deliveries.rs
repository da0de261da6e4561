//! Deliveries of webhooks: one for each endpoint and event.
//!
//! A game's events are delivered in a line: one has a time at which it is due, those behind it have none and wait.
//! Whatever makes the first leave the line gives the next one its time, in the same transaction; every writer begins
//! with the endpoint's row, so that none misses what another has just added.

use super::Result;
use super::driver::{Held, sql_impl};
use super::feed::Position;
use crate::timestamp::Timestamp;
use sqlx::{AssertSqlSafe, Connection, Row, SqlStr, Transaction};
use uuid::Uuid;

/// An event of which a delivery is to be made.
#[derive(Clone, Debug)]
pub struct ToDeliver {
    /// Which event.
    pub position: Position,
    /// Its game.
    pub game_id: Uuid,
    /// Which of the game's events.
    pub number: i64,
    /// What happened.
    pub r#type: String,
}

/// A delivery as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryRow {
    /// Whose it is.
    pub endpoint_id: Uuid,
    /// Which event.
    pub position: Position,
    /// Its game.
    pub game_id: Uuid,
    /// Which of the game's events.
    pub number: i64,
    /// What happened.
    pub r#type: String,
    /// `pending`, `delivered` or `failed`.
    pub status: String,
    /// Whether later events of the game wait for it.
    pub in_line: bool,
    /// How often it was tried.
    pub attempts: i64,
    /// When it is tried next.
    pub next_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last tried.
    pub tried_at: Option<Timestamp>,
    /// How long that took, in microseconds.
    pub took: Option<i64>,
    /// The status of the answer.
    pub response_status: Option<i64>,
    /// Why it failed.
    pub error: Option<String>,
}

/// What came of an attempt, to be written down.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The status after it: `pending`, `delivered` or `failed`.
    pub status: &'static str,
    /// Whether later events of the game still wait for it.
    pub in_line: bool,
    /// When it is tried next.
    pub next_at: Option<Timestamp>,
    /// When it was made.
    pub at: Timestamp,
    /// How long it took, in microseconds.
    pub took: i64,
    /// The status of the answer.
    pub response_status: Option<i64>,
    /// Why it failed.
    pub error: Option<&'static str>,
    /// Whether the endpoint was asked at all.
    pub asked: bool,
    /// Why the endpoint is to be disabled, if it is.
    pub disable: Option<&'static str>,
}

macro_rules! columns {
    () => {
        "endpoint_id, tx, seq, game_id, number, type, status, in_line, attempts, next_at, created_at, tried_at, took, \
         response_status, error"
    };
}

/// Who finds the place moved has been overtaken.
const MOVE_ON: &str = "UPDATE webhook_endpoints SET tx = $4, seq = $5
    WHERE id = $1 AND tx = $2 AND seq = $3 AND status = 'enabled' RETURNING id";

/// At the end of its game's line.
const ADD: &str = "INSERT INTO webhook_deliveries
      (endpoint_id, tx, seq, game_id, number, type, status, in_line, attempts, created_at, next_at)
    SELECT $1, $2, $3, $4, $5, $6, 'pending', 1, 0, $7,
      CASE WHEN EXISTS (SELECT 1 FROM webhook_deliveries
        WHERE endpoint_id = $1 AND game_id = $4 AND status = 'pending' AND in_line = 1) THEN NULL ELSE $7 END
    ON CONFLICT (endpoint_id, tx, seq) DO NOTHING";

const DUE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM webhook_deliveries WHERE endpoint_id = $1 AND next_at <= $2 ORDER BY next_at, tx, seq LIMIT $3"
);

const NEXT: &str = "SELECT min(next_at) AS next_at FROM webhook_deliveries
    WHERE endpoint_id = $1 AND next_at IS NOT NULL";

/// $2 is 1 for success, 0 for failure, and neither where the endpoint was not asked. The row is written whether or not
/// anything changes: others wait for it.
const TELL_ENDPOINT: &str = "UPDATE webhook_endpoints SET
      failing_since = CASE $2 WHEN 1 THEN NULL WHEN 0 THEN COALESCE(failing_since, $3) ELSE failing_since END,
      reason = CASE WHEN $4 IS NOT NULL AND status = 'enabled' THEN $4 ELSE reason END,
      status = CASE WHEN $4 IS NOT NULL AND status = 'enabled' THEN 'disabled' ELSE status END
    WHERE id = $1";

const RECORD: &str =
    "UPDATE webhook_deliveries SET status = $4, in_line = CASE WHEN $5 = 1 THEN in_line ELSE 0 END,
      attempts = attempts + 1, next_at = $6, tried_at = $7, took = $8, response_status = $9, error = $10,
      finished_at = $11
    WHERE endpoint_id = $1 AND tx = $2 AND seq = $3 AND status = 'pending' RETURNING in_line";

/// The next one of a game's line, unless there is one with a time already.
const STEP_UP: &str = "UPDATE webhook_deliveries SET next_at = $3
    WHERE endpoint_id = $1 AND (tx, seq) IN (
      SELECT tx, seq FROM webhook_deliveries
      WHERE endpoint_id = $1 AND game_id = $2 AND status = 'pending' AND in_line = 1
      ORDER BY tx, seq LIMIT 1)
    AND next_at IS NULL";

const ONE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM webhook_deliveries WHERE endpoint_id = $1 AND tx = $2 AND seq = $3"
);

/// From the beginning of the schedule, and past the line: what came later may have been delivered.
const AGAIN: &str = concat!(
    "UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_at = $4, finished_at = NULL,
      in_line = CASE WHEN status = 'pending' THEN in_line ELSE 0 END
    WHERE endpoint_id = $1 AND tx = $2 AND seq = $3 RETURNING ",
    columns!()
);

const SWEEP: &str = "DELETE FROM webhook_deliveries WHERE (endpoint_id, tx, seq) IN (
      SELECT endpoint_id, tx, seq FROM webhook_deliveries WHERE finished_at <= $1 ORDER BY finished_at LIMIT 500)
    RETURNING seq";

const OLDEST: &str = "SELECT min(created_at) AS oldest FROM (
      SELECT (SELECT d.created_at FROM webhook_deliveries d
        WHERE d.endpoint_id = e.id AND d.status = 'pending' ORDER BY d.tx, d.seq LIMIT 1) AS created_at
      FROM webhook_endpoints e WHERE e.status = 'enabled') AS firsts";

/// The statement for the filters that are there. Built of constants only; every value is bound.
fn page(status: bool, before: bool) -> String {
    let status_is = if status { " AND status = $3" } else { "" };
    let (tx, seq) = if status { ("$4", "$5") } else { ("$3", "$4") };
    let before = if before { format!(" AND (tx, seq) < ({tx}, {seq})") } else { String::new() };
    format!(
        "SELECT {} FROM webhook_deliveries WHERE endpoint_id = $1{status_is}{before}
         ORDER BY tx DESC, seq DESC LIMIT $2",
        columns!()
    )
}

sql_impl! {
    pub(super) async fn fan_out(
        &self,
        endpoint: Uuid,
        from: Position,
        to: Position,
        deliveries: &[ToDeliver],
        now: Timestamp,
    ) -> Result<bool> {
        let mut connection = self.write(Held::default()).await?;
        let mut transaction = connection.begin_with(SqlStr::from_static(DB::BEGIN)).await?;
        let moved = sqlx::query::<DB>(MOVE_ON)
            .bind(endpoint)
            .bind(from.tx)
            .bind(from.seq)
            .bind(to.tx)
            .bind(to.seq)
            .fetch_optional(&mut *transaction)
            .await?;
        if moved.is_none() {
            return Ok(false);
        }
        for delivery in deliveries {
            sqlx::query::<DB>(ADD)
                .bind(endpoint)
                .bind(delivery.position.tx)
                .bind(delivery.position.seq)
                .bind(delivery.game_id)
                .bind(delivery.number)
                .bind(delivery.r#type.clone())
                .bind(now.0)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    pub(super) async fn due_deliveries(
        &self,
        endpoint: Uuid,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<DeliveryRow>> {
        let query = sqlx::query::<DB>(DUE).bind(endpoint).bind(now.0).bind(limit);
        let rows = query.fetch_all(&mut *self.read().await?).await?;
        rows.iter().map(Self::delivery_row).collect()
    }

    pub(super) async fn next_delivery(&self, endpoint: Uuid) -> Result<Option<Timestamp>> {
        let row = sqlx::query::<DB>(NEXT).bind(endpoint).fetch_one(&mut *self.read().await?).await?;
        Ok(row.try_get::<Option<i64>, _>("next_at")?.map(Timestamp))
    }

    pub(super) async fn record_attempt(&self, delivery: &DeliveryRow, attempt: &Attempt) -> Result<()> {
        let mut connection = self.write(Held::default()).await?;
        let mut transaction = connection.begin_with(SqlStr::from_static(DB::BEGIN)).await?;
        sqlx::query::<DB>(TELL_ENDPOINT)
            .bind(delivery.endpoint_id)
            .bind(match attempt.status {
                "delivered" => 1,
                _ if attempt.asked => 0_i64,
                _ => 2,
            })
            .bind(attempt.at.0)
            .bind(attempt.disable.map(str::to_owned))
            .execute(&mut *transaction)
            .await?;
        let recorded = sqlx::query::<DB>(RECORD)
            .bind(delivery.endpoint_id)
            .bind(delivery.position.tx)
            .bind(delivery.position.seq)
            .bind(attempt.status.to_owned())
            .bind(i64::from(attempt.in_line))
            .bind(attempt.next_at.map(|at| at.0))
            .bind(attempt.at.0)
            .bind(attempt.took)
            .bind(attempt.response_status)
            .bind(attempt.error.map(str::to_owned))
            .bind((attempt.status != "pending").then_some(attempt.at.0))
            .fetch_optional(&mut *transaction)
            .await?;
        if recorded.is_some() && delivery.in_line && !attempt.in_line {
            Self::step_up(&mut transaction, delivery, attempt.at).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn step_up(
        transaction: &mut Transaction<'_, DB>,
        delivery: &DeliveryRow,
        now: Timestamp,
    ) -> Result<()> {
        let query = sqlx::query::<DB>(STEP_UP).bind(delivery.endpoint_id).bind(delivery.game_id).bind(now.0);
        query.execute(&mut **transaction).await?;
        Ok(())
    }

    pub(super) async fn deliveries(
        &self,
        endpoint: Uuid,
        status: Option<&str>,
        before: Option<Position>,
        limit: i64,
        held: &mut Held,
    ) -> Result<Vec<DeliveryRow>> {
        let sql = AssertSqlSafe(page(status.is_some(), before.is_some()));
        let mut query = sqlx::query::<DB>(sql).bind(endpoint).bind(limit);
        if let Some(status) = status {
            query = query.bind(status.to_owned());
        }
        if let Some(before) = before {
            query = query.bind(before.tx).bind(before.seq);
        }
        let rows = query.fetch_all(&mut **self.read_on(held).await?).await?;
        rows.iter().map(Self::delivery_row).collect()
    }

    pub(super) async fn delivery(
        &self,
        endpoint: Uuid,
        position: Position,
        held: &mut Held,
    ) -> Result<Option<DeliveryRow>> {
        let query = sqlx::query::<DB>(ONE).bind(endpoint).bind(position.tx).bind(position.seq);
        let row = query.fetch_optional(&mut **self.read_on(held).await?).await?;
        row.as_ref().map(Self::delivery_row).transpose()
    }

    pub(super) async fn redeliver(
        &self,
        endpoint: Uuid,
        position: Position,
        now: Timestamp,
        held: Held,
    ) -> Result<Option<DeliveryRow>> {
        let query = sqlx::query::<DB>(AGAIN).bind(endpoint).bind(position.tx).bind(position.seq).bind(now.0);
        let row = query.fetch_optional(&mut *self.write(held).await?).await?;
        row.as_ref().map(Self::delivery_row).transpose()
    }

    pub(super) async fn sweep_deliveries(&self, before: Timestamp) -> Result<u64> {
        let mut swept = 0;
        loop {
            let mut connection = self.write(Held::default()).await?;
            match sqlx::query::<DB>(SWEEP).bind(before.0).fetch_all(&mut *connection).await?.len() {
                0 => return Ok(swept),
                batch => swept += batch as u64,
            }
        }
    }

    pub(super) async fn oldest_delivery(&self) -> Result<Option<Timestamp>> {
        let row = sqlx::query::<DB>(OLDEST).fetch_one(&mut *self.read().await?).await?;
        Ok(row.try_get::<Option<i64>, _>("oldest")?.map(Timestamp))
    }

    fn delivery_row(row: &DB::Row) -> Result<DeliveryRow> {
        let time = |column| Ok::<_, super::StoreError>(row.try_get::<Option<i64>, &str>(column)?.map(Timestamp));
        Ok(DeliveryRow {
            endpoint_id: row.try_get("endpoint_id")?,
            position: Position { tx: row.try_get("tx")?, seq: row.try_get("seq")? },
            game_id: row.try_get("game_id")?,
            number: row.try_get("number")?,
            r#type: row.try_get("type")?,
            status: row.try_get("status")?,
            in_line: row.try_get::<i64, _>("in_line")? != 0,
            attempts: row.try_get("attempts")?,
            next_at: time("next_at")?,
            created_at: Timestamp(row.try_get("created_at")?),
            tried_at: time("tried_at")?,
            took: row.try_get("took")?,
            response_status: row.try_get("response_status")?,
            error: row.try_get("error")?,
        })
    }
}
