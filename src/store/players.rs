//! What is counted about a player.

use super::Result;
use super::driver::{Held, sql_impl};
use super::row::{PlayerRow, TallyRow};
use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

/// From an index alone.
const TALLIES: &str = "SELECT rules, seat, outcome, count(*) AS games FROM game_seats
    WHERE portal_id = $1 AND player = $2
    GROUP BY rules, seat, outcome ORDER BY rules, seat, outcome";

/// Whose turn it is stands in the state alone, so that a move need keep nothing else right; a player's games that go
/// on are few, and a range of their own.
macro_rules! playing {
    ($to_move:expr) => {
        format!(
            "SELECT count(*) AS open, count(CASE WHEN EXISTS (
                 SELECT 1 FROM game_seats s WHERE s.game_id = g.id AND s.player = $2 AND s.seat = {}
               ) THEN 1 END) AS your_turn
             FROM game_facets f JOIN games g ON g.id = f.game_id
             WHERE f.portal_id = $1 AND f.clock = 'created' AND f.facet = 'playing' AND f.value = $2
               AND f.detail = ''",
            $to_move
        )
    };
}

sql_impl! {
    pub(super) async fn player(&self, portal: Uuid, player: &str, held: &mut Held) -> Result<PlayerRow> {
        let connection = self.read_on(held).await?;
        let rows = sqlx::query::<DB>(TALLIES)
            .bind(portal)
            .bind(player.to_owned())
            .fetch_all(&mut **connection)
            .await?;
        let playing = sqlx::query::<DB>(AssertSqlSafe(playing!(DB::TO_MOVE)))
            .bind(portal)
            .bind(player.to_owned())
            .fetch_one(&mut **connection)
            .await?;
        let tally = |row: &DB::Row| {
            Ok(TallyRow {
                rules: row.try_get("rules")?,
                seat: row.try_get("seat")?,
                outcome: row.try_get("outcome")?,
                games: row.try_get("games")?,
            })
        };
        Ok(PlayerRow {
            tallies: rows.iter().map(tally).collect::<Result<_>>()?,
            open: playing.try_get("open")?,
            your_turn: playing.try_get("your_turn")?,
        })
    }
}
