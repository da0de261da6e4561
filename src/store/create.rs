//! A new game and all that belongs to it, in one transaction.

use super::Result;
use super::driver::{Held, sql_impl};
use super::feed::{CREATED, Effect};
use super::row::{GameRow, Keep, SeatRow};
use sqlx::{Connection, SqlStr, Transaction};

const GAME: &str =
    "INSERT INTO games (id, portal_id, rules, throws, status, version, start_state, state, result,
      seats, tags, external_ref, created_at, updated_at, finished_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
    ON CONFLICT (id) DO NOTHING RETURNING id";

const SEAT: &str = "INSERT INTO game_seats (game_id, seat, portal_id, player, token_hash, created_at, rules)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

const NAME: &str = "INSERT INTO external_refs (portal_id, external_ref, body_hash, game_id)
    VALUES ($1, $2, $3, $4) ON CONFLICT (portal_id, external_ref) DO NOTHING RETURNING portal_id";

sql_impl! {
    pub(super) async fn create(
        &self,
        game: &GameRow,
        seats: &[SeatRow],
        body_hash: &[u8],
        keep: Option<&Keep>,
        held: Held,
    ) -> Result<bool> {
        let mut connection = self.write(held).await?;
        let mut transaction = connection.begin_with(SqlStr::from_static(DB::BEGIN)).await?;
        if let Some(keep) = keep
            && !Self::keep(&mut transaction, game.portal_id, keep, game.created_at).await?
        {
            return Ok(false);
        }
        let written = Self::insert_game(game).fetch_optional(&mut *transaction).await?.is_some();
        if !written || !Self::name(&mut transaction, game, body_hash).await? {
            return Ok(false);
        }
        Self::seat(&mut transaction, game, seats).await?;
        Self::file(&mut transaction, game).await?;
        Self::tell_of_game(&mut transaction, game, Effect { number: 1, r#type: CREATED, at: game.created_at }).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Gives a game its portal's name, if it has one; false when it is taken.
    pub(super) async fn name(transaction: &mut Transaction<'_, DB>, game: &GameRow, body_hash: &[u8]) -> Result<bool> {
        let Some(name) = &game.external_ref else { return Ok(true) };
        let named = sqlx::query::<DB>(NAME)
            .bind(game.portal_id)
            .bind(name.clone())
            .bind(body_hash.to_vec())
            .bind(game.id)
            .fetch_optional(&mut **transaction)
            .await?;
        Ok(named.is_some())
    }

    pub(super) async fn seat(transaction: &mut Transaction<'_, DB>, game: &GameRow, seats: &[SeatRow]) -> Result<()> {
        for seat in seats {
            sqlx::query::<DB>(SEAT)
                .bind(game.id)
                .bind(seat.seat.as_str().to_owned())
                .bind(game.portal_id)
                .bind(seat.player.clone())
                .bind(seat.token_hash.to_vec())
                .bind(game.created_at.0)
                .bind(game.rules.clone())
                .execute(&mut **transaction)
                .await?;
        }
        Ok(())
    }

    pub(super) fn insert_game(game: &GameRow) -> sqlx::query::Query<'static, DB, DB::Arguments> {
        sqlx::query::<DB>(GAME)
            .bind(game.id)
            .bind(game.portal_id)
            .bind(game.rules.clone())
            .bind(game.throws.clone())
            .bind(game.status.clone())
            .bind(game.version)
            .bind(game.start_state.clone())
            .bind(game.state.clone())
            .bind(game.result.clone())
            .bind(game.seats.clone())
            .bind(game.tags.clone())
            .bind(game.external_ref.clone())
            .bind(game.created_at.0)
            .bind(game.updated_at.0)
            .bind(game.finished_at.map(|at| at.0))
    }
}
