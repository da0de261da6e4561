//! A new game and all that belongs to it, in one transaction.

use super::driver::{Held, sql_impl};
use super::facets::{insert, seated};
use super::feed::{CREATED, Effect};
use super::row::{GameRow, Keep, SeatRow};
use super::{Result, StoreError};
use serde_json::json;
use sqlx::query::Query;
use sqlx::{Connection, SqlStr, Transaction};

macro_rules! game {
    () => {
        "INSERT INTO games (id, portal_id, rules, throws, status, version, start_state, state, result,
          seats, tags, external_ref, created_at, updated_at, finished_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"
    };
}

const GAME: &str = concat!(game!(), " ON CONFLICT (id) DO NOTHING RETURNING id");

const SEAT: &str = "INSERT INTO game_seats (game_id, seat, portal_id, player, token_hash, created_at, rules)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

const NAME: &str = "INSERT INTO external_refs (portal_id, external_ref, body_hash, game_id)
    VALUES ($1, $2, $3, $4) ON CONFLICT (portal_id, external_ref) DO NOTHING RETURNING portal_id";

/// All of it as one statement, where the database can: one round trip. What is taken already breaks a constraint, and
/// so undoes the whole. An answer that is kept and has not expired divides by zero: a constraint that it broke would
/// have Postgres log the row.
const AT_ONCE: &str = concat!(
    "WITH game AS (",
    game!(),
    " RETURNING id, portal_id, rules, created_at
     ), named AS (
       INSERT INTO external_refs (portal_id, external_ref, body_hash, game_id)
       SELECT portal_id, $12, $16, id FROM game WHERE $12 IS NOT NULL
     ), seated AS (
       INSERT INTO game_seats (game_id, seat, portal_id, player, token_hash, created_at, rules)
       SELECT g.id, s.seat, g.portal_id, s.player, decode(s.token_hash, 'hex'), g.created_at, g.rules
       FROM game g, json_to_recordset($17::json) AS s (seat TEXT, player TEXT, token_hash TEXT)
       RETURNING *
     ), filed AS (",
    insert!(),
    seated!("seated"),
    " UNION SELECT id, 'created', 'tag', tag, '', portal_id, created_at
         FROM game, json_array_elements_text($11::json) AS tag
     ), told AS (
       INSERT INTO events (portal_id, game_id, number, type, at)
       SELECT portal_id, id, 1, $18, created_at FROM game
     ), kept AS (
       INSERT INTO kept_answers
         (portal_id, scope, key_hash, body_hash, status, etag, location, body, token_salt, expires_at)
       SELECT portal_id, $19, $20, $21, $22, $23, $24, $25, $26, $27 FROM game WHERE $19 IS NOT NULL
       ON CONFLICT (portal_id, scope, key_hash) DO UPDATE SET body_hash = excluded.body_hash,
         status = CASE WHEN kept_answers.expires_at <= $13 THEN excluded.status
           ELSE 1 / (kept_answers.status - kept_answers.status) END,
         etag = excluded.etag, location = excluded.location, body = excluded.body,
         token_salt = excluded.token_salt, expires_at = excluded.expires_at
     ) SELECT id FROM game"
);

/// What is broken when the game's id or name is taken.
const UNIQUE: [&str; 2] = ["games_pkey", "external_refs_pkey"];

/// How Postgres says that it can't divide by zero.
const KEPT: &str = "22012";

sql_impl! {
    pub(super) async fn create(
        &self,
        game: &GameRow,
        seats: &[SeatRow],
        body_hash: &[u8],
        keep: Option<&Keep>,
        held: Held,
    ) -> Result<bool> {
        if DB::WRITES_IN_WITH && game.status == "active" {
            return self.create_at_once(game, seats, body_hash, keep, held).await;
        }
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

    async fn create_at_once(
        &self,
        game: &GameRow,
        seats: &[SeatRow],
        body_hash: &[u8],
        keep: Option<&Keep>,
        held: Held,
    ) -> Result<bool> {
        let seats = seats.iter().map(|seat| {
            json!({"seat": seat.seat.as_str(), "player": seat.player, "token_hash": hex::encode(seat.token_hash)})
        });
        let (slot, answer) = (keep.map(|keep| &keep.slot), keep.map(|keep| &keep.answer));
        let query = Self::bind_game(sqlx::query::<DB>(AT_ONCE), game)
            .bind(body_hash.to_vec())
            .bind(seats.collect::<serde_json::Value>().to_string())
            .bind(CREATED.to_owned())
            .bind(slot.map(|slot| slot.scope.clone()))
            .bind(slot.map(|slot| slot.key_hash.to_vec()))
            .bind(answer.map(|answer| answer.body_hash.clone()))
            .bind(answer.map(|answer| answer.status))
            .bind(answer.map(|answer| answer.etag.clone()))
            .bind(answer.and_then(|answer| answer.location.clone()))
            .bind(answer.map(|answer| answer.body.clone()))
            .bind(answer.and_then(|answer| answer.token_salt.clone()))
            .bind(keep.map(|keep| keep.expires_at.0));
        let mut connection = self.write(held).await?;
        match query.execute(&mut *connection).await {
            Ok(_) => {
                connection.rest();
                Ok(true)
            }
            Err(sqlx::Error::Database(error))
                if error.code().as_deref() == Some(KEPT)
                    || error.constraint().is_some_and(|name| UNIQUE.contains(&name)) =>
            {
                Ok(false)
            }
            Err(error) => Err(StoreError::from(error)),
        }
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

    pub(super) fn insert_game(game: &GameRow) -> Query<'static, DB, DB::Arguments> {
        Self::bind_game(sqlx::query::<DB>(GAME), game)
    }

    fn bind_game(query: Query<'static, DB, DB::Arguments>, game: &GameRow) -> Query<'static, DB, DB::Arguments> {
        query
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
