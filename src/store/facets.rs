//! The rows that games are found by. Written when a game begins and when it ends; no move between touches them.

use super::driver::sql_impl;
use super::row::GameRow;
use super::{Result, StoreError};
use crate::timestamp::Timestamp;
use kauri_rules::Seat;
use serde::Deserialize;
use sqlx::{AssertSqlSafe, Transaction};
use std::fmt::Write;
use uuid::Uuid;

/// A player who sits on several seats of a game has it once: UNION leaves out what is there already.
const SEATED: &str = "INSERT INTO game_facets (game_id, clock, facet, value, detail, portal_id, at)
    SELECT game_id, 'created', 'player', player, '', portal_id, created_at
      FROM game_seats WHERE game_id = $1 AND player IS NOT NULL
    UNION SELECT game_id, 'created', 'player_seat', player, seat, portal_id, created_at
      FROM game_seats WHERE game_id = $1 AND player IS NOT NULL
    UNION SELECT game_id, 'created', 'player_rules', player, rules, portal_id, created_at
      FROM game_seats WHERE game_id = $1 AND player IS NOT NULL
    UNION SELECT game_id, 'created', 'playing', player, '', portal_id, created_at
      FROM game_seats WHERE game_id = $1 AND player IS NOT NULL
    UNION SELECT s.game_id, 'created', 'opponent', s.player, o.player, s.portal_id, s.created_at
      FROM game_seats s JOIN game_seats o ON o.game_id = s.game_id AND o.seat <> s.seat
      WHERE s.game_id = $1 AND s.player IS NOT NULL AND o.player IS NOT NULL";

const TAGGED: &str = "INSERT INTO game_facets (game_id, clock, facet, value, detail, portal_id, at) VALUES ";

/// $2 is the seat that won, $3 the one that resigned. Who did not win lost, if somebody won or it was they who
/// resigned; a game that ends for all without a winner is neither.
const OUTCOMES: &str = "UPDATE game_seats SET outcome = CASE
      WHEN seat = $2 THEN 'won' WHEN $2 IS NOT NULL OR seat = $3 THEN 'lost' ELSE 'void' END
    WHERE game_id = $1";

const DECIDED: &str = "INSERT INTO game_facets (game_id, clock, facet, value, detail, portal_id, at)
    SELECT game_id, 'created', 'player_result', player, outcome, portal_id, created_at
      FROM game_seats WHERE game_id = $1 AND player IS NOT NULL AND outcome <> 'void'
    UNION SELECT id, 'created', 'winner', COALESCE($2, 'void'), '', portal_id, created_at
      FROM games WHERE id = $1";

const PLAYED: &str = "DELETE FROM game_facets WHERE game_id = $1 AND clock = 'created' AND facet = 'playing'";

/// By the time it ended a game is found by all that it is found by otherwise, and by what has an index of its own
/// by the time of creation alone.
const FINISHED: &str = "INSERT INTO game_facets (game_id, clock, facet, value, detail, portal_id, at)
    SELECT game_id, 'finished', facet, value, detail, portal_id, CAST($2 AS BIGINT)
      FROM game_facets WHERE game_id = $1 AND clock = 'created'
    UNION ALL SELECT id, 'finished', 'all', '', '', portal_id, CAST($2 AS BIGINT) FROM games WHERE id = $1
    UNION ALL SELECT id, 'finished', 'rules', rules, '', portal_id, CAST($2 AS BIGINT) FROM games WHERE id = $1
    UNION ALL SELECT id, 'finished', 'status', status, '', portal_id, CAST($2 AS BIGINT) FROM games WHERE id = $1";

/// Of a stored result, who won and who gave up.
#[derive(Default, Deserialize)]
struct Ending {
    winner: Option<Seat>,
    seat: Option<Seat>,
}

sql_impl! {
    /// Files a new game, whose seats are written.
    pub(super) async fn file(transaction: &mut Transaction<'_, DB>, game: &GameRow) -> Result<()> {
        sqlx::query::<DB>(SEATED).bind(game.id).execute(&mut **transaction).await?;
        Self::file_tags(transaction, game).await?;
        if game.status == "active" {
            return Ok(());
        }
        let at = game.finished_at.unwrap_or(game.created_at);
        Self::file_end(transaction, game.id, game.result.as_deref(), at).await
    }

    async fn file_tags(transaction: &mut Transaction<'_, DB>, game: &GameRow) -> Result<()> {
        let tags: Vec<String> = serde_json::from_str(&game.tags).map_err(|_| StoreError::Corrupt("a game whose tags are no list"))?;
        if tags.is_empty() {
            return Ok(());
        }
        let mut sql = TAGGED.to_owned();
        for index in 0..tags.len() {
            let comma = if index == 0 { "" } else { ", " };
            // Writing to a string does not fail.
            let _ = write!(sql, "{comma}($1, 'created', 'tag', ${}, '', $2, $3)", index + 4);
        }
        sql.push_str(" ON CONFLICT DO NOTHING");
        let mut query = sqlx::query::<DB>(AssertSqlSafe(sql)).bind(game.id).bind(game.portal_id).bind(game.created_at.0);
        for tag in tags {
            query = query.bind(tag);
        }
        query.execute(&mut **transaction).await?;
        Ok(())
    }

    /// Files how and when a game ended.
    pub(super) async fn file_end(
        transaction: &mut Transaction<'_, DB>,
        game: Uuid,
        result: Option<&str>,
        at: Timestamp,
    ) -> Result<()> {
        let ending = result.map(serde_json::from_str::<Ending>).transpose();
        let ending = ending.map_err(|_| StoreError::Corrupt("a result that can't be read"))?.unwrap_or_default();
        let name = |seat: Option<Seat>| seat.map(|seat| seat.as_str().to_owned());
        sqlx::query::<DB>(OUTCOMES)
            .bind(game)
            .bind(name(ending.winner))
            .bind(name(ending.seat))
            .execute(&mut **transaction)
            .await?;
        sqlx::query::<DB>(DECIDED).bind(game).bind(name(ending.winner)).execute(&mut **transaction).await?;
        sqlx::query::<DB>(PLAYED).bind(game).execute(&mut **transaction).await?;
        sqlx::query::<DB>(FINISHED).bind(game).bind(at.0).execute(&mut **transaction).await?;
        Ok(())
    }
}
