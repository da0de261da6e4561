//! Secrets that every process on a database shares, made by whichever needs one first.

use super::Result;
use super::driver::{Held, sql_impl};
use crate::timestamp::Timestamp;
use sqlx::Row;

const FIND: &str = "SELECT secret FROM secrets WHERE name = $1";

const MAKE: &str =
    "INSERT INTO secrets (name, secret, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING";

sql_impl! {
    pub(super) async fn secret(&self, name: &str, fresh: &[u8], now: Timestamp) -> Result<Vec<u8>> {
        let find = async |connection: &mut DB::Connection| {
            let row = sqlx::query::<DB>(FIND).bind(name.to_owned()).fetch_optional(connection).await?;
            Ok(row.map(|row| row.try_get("secret")).transpose()?)
        };
        if let (Some(secret), _) = self.read_first(find).await? {
            return Ok(secret);
        }
        let mut connection = self.write(Held::default()).await?;
        sqlx::query::<DB>(MAKE)
            .bind(name.to_owned())
            .bind(fresh.to_vec())
            .bind(now.0)
            .execute(&mut *connection)
            .await?;
        // Another process may have been first.
        let row = sqlx::query::<DB>(FIND).bind(name.to_owned()).fetch_one(&mut *connection).await?;
        Ok(row.try_get("secret")?)
    }
}
