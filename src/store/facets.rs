//! The rows that games are found by. Written when a game begins and when it ends; no move between touches them.

use super::driver::sql_impl;
use super::row::GameRow;
use super::{Result, StoreError};
use crate::timestamp::Timestamp;
use serde::Deserialize;
use sqlx::{AssertSqlSafe, Transaction};
use std::fmt::Write;
use uuid::Uuid;

macro_rules! insert {
    () => {
        "INSERT INTO game_facets (game_id, clock, facet, value, detail, portal_id, at) "
    };
}
pub(super) use insert;

/// What a new game's seats are found by. A player who sits on several seats of a game has it once: UNION leaves out
/// what is there already.
macro_rules! seated {
    ($seats:literal) => {
        concat!(
            "SELECT game_id, 'created', 'player', player, '', portal_id, created_at FROM ",
            $seats,
            " AS s WHERE player IS NOT NULL
             UNION SELECT game_id, 'created', 'player_seat', player, seat, portal_id, created_at FROM ",
            $seats,
            " AS s WHERE player IS NOT NULL
             UNION SELECT game_id, 'created', 'player_rules', player, rules, portal_id, created_at FROM ",
            $seats,
            " AS s WHERE player IS NOT NULL
             UNION SELECT game_id, 'created', 'playing', player, '', portal_id, created_at FROM ",
            $seats,
            " AS s WHERE player IS NOT NULL
             UNION SELECT a.game_id, 'created', 'opponent', a.player, b.player, a.portal_id, a.created_at
               FROM ",
            $seats,
            " AS a JOIN ",
            $seats,
            " AS b ON b.game_id = a.game_id AND b.seat <> a.seat
               WHERE a.player IS NOT NULL AND b.player IS NOT NULL"
        )
    };
}
pub(super) use seated;

/// What came of a seat when one of them won, or one resigned. Who did not win lost, if somebody won or it was they who
/// resigned; a game that ends for all without a winner is neither.
macro_rules! outcome {
    ($won:literal, $resigned:literal) => {
        concat!(
            "CASE WHEN seat = ",
            $won,
            " THEN 'won' WHEN ",
            $won,
            " IS NOT NULL OR seat = ",
            $resigned,
            " THEN 'lost' ELSE 'void' END"
        )
    };
}
pub(super) use outcome;

/// What a game and its seats, whose outcomes are known, are found by once it is decided.
macro_rules! decided {
    ($seats:literal, $game:literal, $won:literal) => {
        concat!(
            "SELECT game_id, 'created' AS clock, 'player_result' AS facet, player AS value, outcome AS detail, portal_id,
               created_at AS at
             FROM ", $seats, " AS s WHERE player IS NOT NULL AND outcome <> 'void'
             UNION SELECT id, 'created', 'winner', COALESCE(", $won, ", 'void'), '', portal_id, created_at FROM ", $game, " AS g"
        )
    };
}
pub(super) use decided;

/// By the time it ended a game is found by all that it is found by otherwise, and by what has an index of its own
/// by the time of creation alone.
macro_rules! finished {
    ($facets:literal, $game:literal, $at:literal) => {
        concat!(
            "SELECT game_id, 'finished', facet, value, detail, portal_id, CAST(",
            $at,
            " AS BIGINT) FROM ",
            $facets,
            " AS f UNION ALL SELECT id, 'finished', 'all', '', '', portal_id, CAST(",
            $at,
            " AS BIGINT) FROM ",
            $game,
            " AS g UNION ALL SELECT id, 'finished', 'rules', rules, '', portal_id, CAST(",
            $at,
            " AS BIGINT) FROM ",
            $game,
            " AS g UNION ALL SELECT id, 'finished', 'status', status, '', portal_id, CAST(",
            $at,
            " AS BIGINT) FROM ",
            $game,
            " AS g"
        )
    };
}
pub(super) use finished;

const SEATED: &str = concat!(insert!(), seated!("(SELECT * FROM game_seats WHERE game_id = $1)"));

const TAGGED: &str = concat!(insert!(), "VALUES ");

const OUTCOMES: &str =
    concat!("UPDATE game_seats SET outcome = ", outcome!("$2", "$3"), " WHERE game_id = $1");

const DECIDED: &str = concat!(
    insert!(),
    decided!("(SELECT * FROM game_seats WHERE game_id = $1)", "(SELECT * FROM games WHERE id = $1)", "$2")
);

const PLAYED: &str = "DELETE FROM game_facets WHERE game_id = $1 AND clock = 'created' AND facet = 'playing'";

const FINISHED: &str = concat!(
    insert!(),
    finished!(
        "(SELECT * FROM game_facets WHERE game_id = $1 AND clock = 'created')",
        "(SELECT * FROM games WHERE id = $1)",
        "$2"
    )
);

/// Of a stored result, who won and who gave up.
#[derive(Default, Deserialize)]
pub(super) struct Ending {
    pub(super) winner: Option<String>,
    #[serde(rename = "seat")]
    pub(super) resigned: Option<String>,
}

impl Ending {
    pub(super) fn of(result: Option<&str>) -> Result<Self> {
        let ending = result.map(serde_json::from_str::<Self>).transpose();
        Ok(ending.map_err(|_| StoreError::Corrupt("a result that can't be read"))?.unwrap_or_default())
    }
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
        let Ending { winner, resigned } = Ending::of(result)?;
        sqlx::query::<DB>(OUTCOMES)
            .bind(game)
            .bind(winner.clone())
            .bind(resigned)
            .execute(&mut **transaction)
            .await?;
        sqlx::query::<DB>(DECIDED).bind(game).bind(winner).execute(&mut **transaction).await?;
        sqlx::query::<DB>(PLAYED).bind(game).execute(&mut **transaction).await?;
        sqlx::query::<DB>(FINISHED).bind(game).bind(at.0).execute(&mut **transaction).await?;
        Ok(())
    }
}
