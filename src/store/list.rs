//! Pages of a portal's games, newest first, by keyset: a deep page costs what the first costs.

use super::Result;
use super::driver::{Held, sql_impl};
use super::row::{GameFilter, GameRow};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

const COLUMNS: &str = "g.id, g.portal_id, g.rules, g.throws, g.status, g.version, g.start_state, g.state,
    g.result, g.seats, g.tags, g.external_ref, g.created_at, g.updated_at, g.finished_at";

/// Who sits on several seats of a game still has it once.
const ONCE: &str = "NOT EXISTS (
    SELECT 1 FROM game_seats q WHERE q.game_id = p.game_id AND q.player = p.player AND q.seat < p.seat)";

/// The statement for the filters that are there, so that each is an index range or a plain comparison.
/// Built of constants only; every value is bound.
fn page(filter: &GameFilter) -> String {
    let mut number = 2;
    let mut next = || {
        number += 1;
        number
    };
    let (from, time, id) = match filter.player {
        None => ("games g WHERE g.portal_id = $1".to_owned(), "g.created_at", "g.id"),
        Some(_) => (
            format!(
                "game_seats p JOIN games g ON g.id = p.game_id
                 WHERE p.portal_id = $1 AND p.player = ${} AND {ONCE}",
                next()
            ),
            "p.created_at",
            "p.game_id",
        ),
    };
    let rules = filter.rules.as_ref().map_or(String::new(), |_| format!(" AND g.rules = ${}", next()));
    let status = filter.status.as_ref().map_or(String::new(), |_| format!(" AND g.status = ${}", next()));
    let after =
        filter.after.map_or(String::new(), |_| format!(" AND ({time}, {id}) < (${}, ${})", next(), next()));
    format!("SELECT {COLUMNS} FROM {from}{rules}{status}{after} ORDER BY {time} DESC, {id} DESC LIMIT $2")
}

sql_impl! {
    pub(super) async fn games(&self, portal: Uuid, filter: &GameFilter, held: &mut Held) -> Result<Vec<GameRow>> {
        let sql = AssertSqlSafe(page(filter));
        let mut query = sqlx::query::<DB>(sql).bind(portal).bind(filter.limit);
        for value in [&filter.player, &filter.rules, &filter.status].into_iter().flatten() {
            query = query.bind(value.clone());
        }
        if let Some((at, id)) = filter.after {
            query = query.bind(at.0).bind(id);
        }
        let rows = query.fetch_all(&mut **self.read_on(held).await?).await?;
        rows.iter().map(Self::game).collect()
    }
}
