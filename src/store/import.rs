//! A game that was played elsewhere, with its log, in one transaction.

use super::Result;
use super::driver::{Held, sql_impl};
use super::feed::{Effect, IMPORTED};
use super::row::{GameRow, SeatRow, StepRow, Written};
use crate::credential::hash;
use crate::timestamp::Timestamp;
use sqlx::{AssertSqlSafe, Connection, SqlStr, Transaction};
use std::fmt::Write;
use uuid::Uuid;

const FIND: &str = "SELECT g.id, g.portal_id, g.rules, g.throws, g.status, g.version, g.start_state, g.state,
      g.result, g.seats, g.tags, g.external_ref, g.created_at, g.updated_at, g.finished_at
    FROM games g WHERE g.id = $1";

const PORTAL: &str = "SELECT id FROM portals WHERE name = $1";

/// Steps that one statement writes.
const BATCH: usize = 100;

/// The statement for so many steps; every value is bound.
fn log(steps: usize) -> String {
    let mut sql = "INSERT INTO steps (game_id, ply, seat, move, events, at) VALUES ".to_owned();
    for step in 0..steps {
        let comma = if step == 0 { "" } else { ", " };
        let [ply, seat, name, events, at] = std::array::from_fn(|member| 5 * step + member + 2);
        // Writing to a string does not fail.
        let _ = write!(sql, "{comma}($1, ${ply}, ${seat}, ${name}, ${events}, ${at})");
    }
    sql
}

sql_impl! {
    pub(super) async fn import(&self, game: &GameRow, seats: &[SeatRow], steps: &[StepRow], at: Timestamp) -> Result<Written> {
        let mut connection = self.write(Held::default()).await?;
        let mut transaction = connection.begin_with(SqlStr::from_static(DB::BEGIN)).await?;
        if Self::insert_game(game).fetch_optional(&mut *transaction).await?.is_none() {
            let row = sqlx::query::<DB>(FIND).bind(game.id).fetch_one(&mut *transaction).await?;
            return Ok(Written::IdTaken(Box::new(Self::game(&row)?)));
        }
        // The body that made it is not known: whoever creates a game of this name is told that it is taken.
        let body_hash = hash(game.id.as_bytes());
        if !Self::name(&mut transaction, game, &body_hash).await? {
            return Ok(Written::NameTaken);
        }
        Self::seat(&mut transaction, game, seats).await?;
        for steps in steps.chunks(BATCH) {
            Self::log_steps(&mut transaction, game.id, steps).await?;
        }
        Self::file(&mut transaction, game).await?;
        let told = Effect { number: game.version + 1, r#type: IMPORTED, at };
        Self::tell_of_game(&mut transaction, game, told).await?;
        transaction.commit().await?;
        Ok(Written::New)
    }

    async fn log_steps(transaction: &mut Transaction<'_, DB>, game: Uuid, steps: &[StepRow]) -> Result<()> {
        let mut query = sqlx::query::<DB>(AssertSqlSafe(log(steps.len()))).bind(game);
        for step in steps {
            query = query
                .bind(step.ply)
                .bind(step.seat.clone())
                .bind(step.r#move.clone())
                .bind(step.events.clone())
                .bind(step.at.0);
        }
        query.execute(&mut **transaction).await?;
        Ok(())
    }

    pub(super) async fn portal_named(&self, name: &str) -> Result<Option<Uuid>> {
        let row = sqlx::query::<DB>(PORTAL).bind(name.to_owned()).fetch_optional(&mut *self.read().await?).await?;
        Ok(row.map(|row| sqlx::Row::try_get(&row, "id")).transpose()?)
    }
}
