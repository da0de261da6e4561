//! Portals and their keys, and the other chores of an operator.

use super::driver::{Held, sql_impl};
use super::row::{KeyRow, PortalRow};
use super::{Result, StoreError};
use crate::timestamp::Timestamp;
use sqlx::{Connection, Row, SqlStr};
use uuid::Uuid;

const READY: &str = "SELECT max(version) AS version FROM _sqlx_migrations WHERE success";

/// A batch, so that nobody waits long behind it for the writer.
const SWEEP: &str = "DELETE FROM kept_answers WHERE (portal_id, scope, key_hash) IN (
      SELECT portal_id, scope, key_hash FROM kept_answers WHERE expires_at <= $1 ORDER BY expires_at LIMIT 500)
    RETURNING expires_at";

const ANY_KEY: &str = "SELECT count(*) AS keys FROM (SELECT id FROM portal_keys LIMIT 1) AS some_key";

const PORTAL: &str = "INSERT INTO portals (id, name, strict, created_at) VALUES ($1, $2, 0, $3)
    ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id";

const KEY: &str = "INSERT INTO portal_keys (id, portal_id, secret_hash, label, scope, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

const KEYS: &str =
    "SELECT k.id, p.name AS portal, k.label, k.scope, k.created_at, k.expires_at, k.revoked_at,
      k.last_used_at
    FROM portal_keys k JOIN portals p ON p.id = k.portal_id ORDER BY k.created_at, k.id";

const REVOKE: &str =
    "UPDATE portal_keys SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1 RETURNING id";

const TOUCH: &str = "UPDATE portal_keys SET last_used_at = $2
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)";

const PORTALS: &str = "SELECT name, strict, created_at FROM portals ORDER BY name";

const STRICT: &str = "UPDATE portals SET strict = $2 WHERE name = $1 RETURNING name";

sql_impl! {
    pub(super) async fn ready(&self) -> Result<()> {
        let read = async |connection: &mut DB::Connection| Ok(sqlx::query::<DB>(READY).fetch_one(connection).await?);
        let (row, _) = self.read_first(read).await?;
        let version: Option<i64> = row.try_get("version")?;
        let current = DB::migrator().iter().map(|migration| migration.version).max();
        if version < current { Err(StoreError::Corrupt("an older schema")) } else { Ok(()) }
    }

    pub(super) async fn sweep(&self, now: Timestamp) -> Result<u64> {
        let mut swept = 0;
        loop {
            let mut connection = self.write(Held::default()).await?;
            match sqlx::query::<DB>(SWEEP).bind(now.0).fetch_all(&mut *connection).await?.len() {
                0 => return Ok(swept),
                batch => swept += batch as u64,
            }
        }
    }

    pub(super) async fn has_portal_keys(&self) -> Result<bool> {
        let row = sqlx::query::<DB>(ANY_KEY).fetch_one(&mut *self.read().await?).await?;
        Ok(row.try_get::<i64, _>("keys")? != 0)
    }

    pub(super) async fn create_key(&self, portal: Uuid, key: &KeyRow, secret_hash: &[u8]) -> Result<()> {
        let mut connection = self.write(Held::default()).await?;
        let mut transaction = connection.begin_with(SqlStr::from_static(DB::BEGIN)).await?;
        let row = sqlx::query::<DB>(PORTAL)
            .bind(portal)
            .bind(key.portal.clone())
            .bind(key.created_at.0)
            .fetch_one(&mut *transaction)
            .await?;
        sqlx::query::<DB>(KEY)
            .bind(key.id.clone())
            .bind(row.try_get::<Uuid, _>("id")?)
            .bind(secret_hash.to_vec())
            .bind(key.label.clone())
            .bind(key.scope.clone())
            .bind(key.created_at.0)
            .bind(key.expires_at.map(|at| at.0))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(())
    }

    pub(super) async fn keys(&self, portal: Option<&str>) -> Result<Vec<KeyRow>> {
        let rows = sqlx::query::<DB>(KEYS).fetch_all(&mut *self.read().await?).await?;
        let time = |row: &DB::Row, column| Ok::<_, StoreError>(row.try_get::<Option<i64>, &str>(column)?.map(Timestamp));
        let keys = rows.iter().map(|row| {
            Ok(KeyRow {
                id: row.try_get("id")?,
                portal: row.try_get("portal")?,
                label: row.try_get("label")?,
                scope: row.try_get("scope")?,
                created_at: Timestamp(row.try_get("created_at")?),
                expires_at: time(row, "expires_at")?,
                revoked_at: time(row, "revoked_at")?,
                last_used_at: time(row, "last_used_at")?,
            })
        });
        keys.filter(|key: &Result<KeyRow>| match (key, portal) {
            (Ok(key), Some(name)) => key.portal == name,
            _ => true,
        })
        .collect()
    }

    pub(super) async fn revoke_key(&self, id: &str, now: Timestamp) -> Result<bool> {
        let query = sqlx::query::<DB>(REVOKE).bind(id.to_owned()).bind(now.0);
        Ok(query.fetch_optional(&mut *self.write(Held::default()).await?).await?.is_some())
    }

    pub(super) async fn touch_key(&self, id: &str, at: Timestamp) -> Result<()> {
        sqlx::query::<DB>(TOUCH).bind(id.to_owned()).bind(at.0).execute(&mut *self.write(Held::default()).await?).await?;
        Ok(())
    }

    pub(super) async fn portals(&self) -> Result<Vec<PortalRow>> {
        let rows = sqlx::query::<DB>(PORTALS).fetch_all(&mut *self.read().await?).await?;
        rows.iter()
            .map(|row| {
                Ok(PortalRow {
                    name: row.try_get("name")?,
                    strict: row.try_get::<i64, _>("strict")? != 0,
                    created_at: Timestamp(row.try_get("created_at")?),
                })
            })
            .collect()
    }

    pub(super) async fn set_strict(&self, name: &str, strict: bool) -> Result<bool> {
        let query = sqlx::query::<DB>(STRICT).bind(name.to_owned()).bind(i64::from(strict));
        Ok(query.fetch_optional(&mut *self.write(Held::default()).await?).await?.is_some())
    }
}
