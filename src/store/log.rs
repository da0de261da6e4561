//! Reading the log.

use super::Result;
use super::driver::{Held, sql_impl};
use super::row::StepRow;
use crate::timestamp::Timestamp;
use sqlx::Row;
use uuid::Uuid;

const STEPS: &str = "SELECT ply, seat, move, events, at FROM steps
    WHERE game_id = $1 AND ply > $2 ORDER BY ply LIMIT $3";

const MOVES: &str = "SELECT move FROM steps WHERE game_id = $1 AND ply <= $2 ORDER BY ply";

const SEATS_MOVED: &str = "SELECT count(DISTINCT seat) AS moved FROM steps WHERE game_id = $1";

sql_impl! {
    pub(super) async fn steps(&self, game: Uuid, after: i64, limit: i64, held: &mut Held) -> Result<Vec<StepRow>> {
        let rows = sqlx::query::<DB>(STEPS)
            .bind(game)
            .bind(after)
            .bind(limit)
            .fetch_all(&mut **self.read_on(held).await?)
            .await?;
        rows.iter().map(Self::step).collect()
    }

    pub(super) fn step(row: &DB::Row) -> Result<StepRow> {
        Ok(StepRow {
            ply: row.try_get("ply")?,
            seat: row.try_get("seat")?,
            r#move: row.try_get("move")?,
            events: row.try_get("events")?,
            at: Timestamp(row.try_get("at")?),
        })
    }

    pub(super) async fn moves(&self, game: Uuid, plies: i64, held: &mut Held) -> Result<Vec<String>> {
        let rows =
            sqlx::query::<DB>(MOVES).bind(game).bind(plies).fetch_all(&mut **self.read_on(held).await?).await?;
        rows.iter().map(|row| Ok(row.try_get("move")?)).collect()
    }

    pub(super) async fn seats_moved(&self, game: Uuid, held: &mut Held) -> Result<i64> {
        let row = sqlx::query::<DB>(SEATS_MOVED).bind(game).fetch_one(&mut **self.read_on(held).await?).await?;
        Ok(row.try_get("moved")?)
    }
}
