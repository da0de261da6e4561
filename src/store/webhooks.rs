//! Endpoints of webhooks: where a portal wants to be told, and who does the telling.

use super::Result;
use super::driver::{Held, sql_impl};
use super::feed::Position;
use super::row::Keep;
use crate::timestamp::Timestamp;
use sqlx::{Connection, Row, SqlStr};
use uuid::Uuid;

/// An endpoint as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookRow {
    /// Its id.
    pub id: Uuid,
    /// Whose it is.
    pub portal_id: Uuid,
    /// Where it is posted to.
    pub url: String,
    /// A note on what it is for; empty where there is none.
    pub description: String,
    /// The types of events wanted, as JSON.
    pub events: String,
    /// What signs, as JSON.
    pub secrets: String,
    /// `enabled` or `disabled`.
    pub status: String,
    /// Why it is disabled.
    pub reason: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When the portal last changed it.
    pub updated_at: Timestamp,
    /// The last event that deliveries were made of.
    pub position: Position,
    /// Since when it has taken nothing.
    pub failing_since: Option<Timestamp>,
}

/// What is to be changed of an endpoint; what is none stays.
#[derive(Clone, Debug, Default)]
pub struct WebhookChange {
    /// Where it is posted to.
    pub url: Option<String>,
    /// A note on what it is for.
    pub description: Option<String>,
    /// The types of events wanted, as JSON.
    pub events: Option<String>,
    /// `enabled`, or `disabled` by the portal.
    pub status: Option<&'static str>,
}

/// Whether an endpoint was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// It was.
    Done,
    /// The portal has as many as it may.
    TooMany,
    /// The slot for the answer is taken.
    Taken,
}

/// The row's columns, which are read one by one.
macro_rules! columns {
    () => {
        "id, portal_id, url, description, events, secrets, status, reason, created_at, updated_at, tx, seq, failing_since"
    };
}

/// Has those who make endpoints of one portal at the same moment do so one after the other, so that they can be counted.
const QUEUE: &str = "UPDATE portals SET name = name WHERE id = $1";

const COUNT: &str =
    "SELECT count(*) AS some FROM webhook_endpoints WHERE portal_id = $1 AND status <> 'deleted'";

const MAKE: &str = "INSERT INTO webhook_endpoints
      (id, portal_id, url, description, events, secrets, status, reason, created_at, updated_at, tx, seq)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";

const ALL: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM webhook_endpoints WHERE portal_id = $1 AND status <> 'deleted' ORDER BY id"
);

const ONE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM webhook_endpoints WHERE portal_id = $1 AND id = $2 AND status <> 'deleted'"
);

/// What is enabled anew has not failed yet.
const CHANGE: &str = concat!(
    "UPDATE webhook_endpoints SET url = COALESCE($3, url), description = COALESCE($4, description),
      events = COALESCE($5, events), status = COALESCE($6, status),
      reason = CASE $6 WHEN 'enabled' THEN NULL WHEN 'disabled' THEN 'portal' ELSE reason END,
      failing_since = CASE $6 WHEN 'enabled' THEN NULL ELSE failing_since END, updated_at = $7
    WHERE portal_id = $1 AND id = $2 AND status <> 'deleted' RETURNING ",
    columns!()
);

const ROTATE: &str = "UPDATE webhook_endpoints SET secrets = $4, updated_at = $5
    WHERE portal_id = $1 AND id = $2 AND secrets = $3 AND status <> 'deleted' RETURNING id";

/// Address and secrets go at once.
const DELETE: &str =
    "UPDATE webhook_endpoints SET status = 'deleted', url = '', description = '', secrets = '[]'
    WHERE portal_id = $1 AND id = $2 AND status <> 'deleted' RETURNING id";

const LIVE: &str = "SELECT id, portal_id FROM webhook_endpoints WHERE status = 'enabled'";

const ENABLED: &str =
    concat!("SELECT ", columns!(), " FROM webhook_endpoints WHERE id = $1 AND status = 'enabled'");

/// Nobody else's lease may be in force.
const LEASE: &str = concat!(
    "UPDATE webhook_endpoints SET leased_by = $2, leased_until = $4
    WHERE id = $1 AND status = 'enabled' AND (leased_by = $2 OR leased_until <= $3) RETURNING ",
    columns!()
);

const RELEASE: &str =
    "UPDATE webhook_endpoints SET leased_until = 0 WHERE id = $1 AND leased_by = $2 AND leased_until > 0";

const DELETED: &str = "SELECT id FROM webhook_endpoints WHERE status = 'deleted' LIMIT 10";

const CLEAR: &str = "DELETE FROM webhook_deliveries WHERE (endpoint_id, tx, seq) IN (
      SELECT endpoint_id, tx, seq FROM webhook_deliveries WHERE endpoint_id = $1 LIMIT 500)
    RETURNING seq";

const FORGET: &str = "DELETE FROM webhook_endpoints WHERE id = $1 AND status = 'deleted'";

sql_impl! {
    pub(super) async fn create_webhook(
        &self,
        webhook: &WebhookRow,
        most: i64,
        keep: Option<&Keep>,
        held: Held,
    ) -> Result<Made> {
        let mut connection = self.write(held).await?;
        let mut transaction = connection.begin_with(SqlStr::from_static(DB::BEGIN)).await?;
        if let Some(keep) = keep
            && !Self::keep(&mut transaction, webhook.portal_id, keep, webhook.created_at).await?
        {
            return Ok(Made::Taken);
        }
        sqlx::query::<DB>(QUEUE).bind(webhook.portal_id).execute(&mut *transaction).await?;
        let row = sqlx::query::<DB>(COUNT).bind(webhook.portal_id).fetch_one(&mut *transaction).await?;
        if row.try_get::<i64, _>("some")? >= most {
            return Ok(Made::TooMany);
        }
        sqlx::query::<DB>(MAKE)
            .bind(webhook.id)
            .bind(webhook.portal_id)
            .bind(webhook.url.clone())
            .bind(webhook.description.clone())
            .bind(webhook.events.clone())
            .bind(webhook.secrets.clone())
            .bind(webhook.status.clone())
            .bind(webhook.reason.clone())
            .bind(webhook.created_at.0)
            .bind(webhook.updated_at.0)
            .bind(webhook.position.tx)
            .bind(webhook.position.seq)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(Made::Done)
    }

    pub(super) async fn webhooks(&self, portal: Uuid, held: &mut Held) -> Result<Vec<WebhookRow>> {
        let rows = sqlx::query::<DB>(ALL).bind(portal).fetch_all(&mut **self.read_on(held).await?).await?;
        rows.iter().map(Self::webhook_row).collect()
    }

    pub(super) async fn webhook(&self, portal: Uuid, id: Uuid, held: &mut Held) -> Result<Option<WebhookRow>> {
        let query = sqlx::query::<DB>(ONE).bind(portal).bind(id);
        query.fetch_optional(&mut **self.read_on(held).await?).await?.as_ref().map(Self::webhook_row).transpose()
    }

    pub(super) async fn change_webhook(
        &self,
        portal: Uuid,
        id: Uuid,
        change: &WebhookChange,
        now: Timestamp,
        held: Held,
    ) -> Result<Option<WebhookRow>> {
        let row = sqlx::query::<DB>(CHANGE)
            .bind(portal)
            .bind(id)
            .bind(change.url.clone())
            .bind(change.description.clone())
            .bind(change.events.clone())
            .bind(change.status.map(str::to_owned))
            .bind(now.0)
            .fetch_optional(&mut *self.write(held).await?)
            .await?;
        row.as_ref().map(Self::webhook_row).transpose()
    }

    pub(super) async fn rotate_webhook(
        &self,
        webhook: &WebhookRow,
        secrets: &str,
        now: Timestamp,
        held: Held,
    ) -> Result<bool> {
        let row = sqlx::query::<DB>(ROTATE)
            .bind(webhook.portal_id)
            .bind(webhook.id)
            .bind(webhook.secrets.clone())
            .bind(secrets.to_owned())
            .bind(now.0)
            .fetch_optional(&mut *self.write(held).await?)
            .await?;
        Ok(row.is_some())
    }

    pub(super) async fn delete_webhook(&self, portal: Uuid, id: Uuid, held: Held) -> Result<bool> {
        let query = sqlx::query::<DB>(DELETE).bind(portal).bind(id);
        Ok(query.fetch_optional(&mut *self.write(held).await?).await?.is_some())
    }

    pub(super) async fn live_webhooks(&self) -> Result<Vec<(Uuid, Uuid)>> {
        let rows = sqlx::query::<DB>(LIVE).fetch_all(&mut *self.read().await?).await?;
        rows.iter().map(|row| Ok((row.try_get("id")?, row.try_get("portal_id")?))).collect()
    }

    pub(super) async fn enabled_webhook(&self, id: Uuid) -> Result<Option<WebhookRow>> {
        let row = sqlx::query::<DB>(ENABLED).bind(id).fetch_optional(&mut *self.read().await?).await?;
        row.as_ref().map(Self::webhook_row).transpose()
    }

    pub(super) async fn lease_webhook(
        &self,
        id: Uuid,
        by: Uuid,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<WebhookRow>> {
        let query = sqlx::query::<DB>(LEASE).bind(id).bind(by).bind(now.0).bind(until.0);
        let row = query.fetch_optional(&mut *self.write(Held::default()).await?).await?;
        row.as_ref().map(Self::webhook_row).transpose()
    }

    pub(super) async fn release_webhook(&self, id: Uuid, by: Uuid) -> Result<()> {
        let query = sqlx::query::<DB>(RELEASE).bind(id).bind(by);
        query.execute(&mut *self.write(Held::default()).await?).await?;
        Ok(())
    }

    pub(super) async fn sweep_webhooks(&self) -> Result<u64> {
        let rows = sqlx::query::<DB>(DELETED).fetch_all(&mut *self.read().await?).await?;
        let mut swept = 0;
        for row in rows {
            let id: Uuid = row.try_get("id")?;
            // A batch at a time, so that nobody waits long behind it for the writer.
            loop {
                let mut connection = self.write(Held::default()).await?;
                match sqlx::query::<DB>(CLEAR).bind(id).fetch_all(&mut *connection).await?.len() {
                    0 => break,
                    batch => swept += batch as u64,
                }
            }
            sqlx::query::<DB>(FORGET).bind(id).execute(&mut *self.write(Held::default()).await?).await?;
        }
        Ok(swept)
    }

    fn webhook_row(row: &DB::Row) -> Result<WebhookRow> {
        Ok(WebhookRow {
            id: row.try_get("id")?,
            portal_id: row.try_get("portal_id")?,
            url: row.try_get("url")?,
            description: row.try_get("description")?,
            events: row.try_get("events")?,
            secrets: row.try_get("secrets")?,
            status: row.try_get("status")?,
            reason: row.try_get("reason")?,
            created_at: Timestamp(row.try_get("created_at")?),
            updated_at: Timestamp(row.try_get("updated_at")?),
            position: Position { tx: row.try_get("tx")?, seq: row.try_get("seq")? },
            failing_since: row.try_get::<Option<i64>, _>("failing_since")?.map(Timestamp),
        })
    }
}
