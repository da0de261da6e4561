//! Pages of a portal's games, by keyset: a deep page costs what the first costs.
//!
//! One index drives each page, and its range has no games but those of the filter that drives it. Other filters are
//! compared game by game.

use super::Result;
use super::driver::{Held, sql_impl};
use super::row::{Clock, GameFilter, GameRow};
use crate::timestamp::Timestamp;
use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

const COLUMNS: &str = "g.id, g.portal_id, g.rules, g.throws, g.status, g.version, g.start_state, g.state,
    g.result, g.seats, g.tags, g.external_ref, g.created_at, g.updated_at, g.finished_at";

/// What is bound to a statement.
#[derive(Debug)]
enum Bound {
    Text(String),
    Number(i64),
    Id(Uuid),
}

impl Bound {
    /// As it is written where nothing can be bound.
    fn literal(&self) -> String {
        match self {
            Self::Text(text) => format!("'{}'", text.replace('\'', "''")),
            Self::Number(number) => number.to_string(),
            Self::Id(id) => format!("'{id}'"),
        }
    }
}

/// A statement in the making. Built of constants only; every value is bound.
#[derive(Debug, Default)]
struct Statement {
    sql: String,
    bound: Vec<Bound>,
}

impl Statement {
    fn add(&mut self, sql: &str) -> &mut Self {
        self.sql.push_str(sql);
        self
    }

    fn bind(&mut self, value: Bound) -> &mut Self {
        self.bound.push(value);
        self.sql.push('$');
        self.sql.push_str(&self.bound.len().to_string());
        self
    }

    fn text(&mut self, value: impl Into<String>) -> &mut Self {
        self.bind(Bound::Text(value.into()))
    }
}

/// What a page is read along.
#[derive(Debug, PartialEq, Eq)]
enum Driver<'f> {
    /// The one game of this name.
    Named(&'f str),
    /// The range of one facet: its name, value and detail.
    Facet(&'static str, &'f str, &'f str),
    /// An index of the games themselves.
    Games,
}

/// The driver of a filter: whatever is likely to have the fewest games.
fn driver(filter: &GameFilter) -> Driver<'_> {
    if let Some(name) = &filter.external_ref {
        return Driver::Named(name);
    }
    let active = filter.status.as_deref() == Some("active");
    if let Some(player) = &filter.player {
        return match filter {
            GameFilter { opponent: Some(opponent), .. } => Driver::Facet("opponent", player, opponent),
            _ if active => Driver::Facet("playing", player, ""),
            GameFilter { result: Some(result @ ("won" | "lost")), .. } => {
                Driver::Facet("player_result", player, result)
            }
            GameFilter { seat: Some(seat), .. } => Driver::Facet("player_seat", player, seat.as_str()),
            GameFilter { rules: Some(rules), .. } => Driver::Facet("player_rules", player, rules),
            _ => Driver::Facet("player", player, ""),
        };
    }
    match filter {
        GameFilter { tag: Some(tag), .. } => Driver::Facet("tag", tag, ""),
        GameFilter { result: Some(result), .. } => Driver::Facet("winner", result, ""),
        GameFilter { clock: Clock::Created, .. } => Driver::Games,
        GameFilter { status: Some(status), .. } if status != "finished" => {
            Driver::Facet("status", status, "")
        }
        GameFilter { rules: Some(rules), .. } => Driver::Facet("rules", rules, ""),
        GameFilter { status: Some(status), .. } => Driver::Facet("status", status, ""),
        _ => Driver::Facet("all", "", ""),
    }
}

impl GameFilter {
    /// Whether no game can be found: one that goes on has neither a result nor a time of its end.
    fn contradicts_itself(&self) -> bool {
        let ended = self.result.is_some()
            || self.clock == Clock::Finished
            || self.finished_from.is_some()
            || self.finished_before.is_some();
        ended && self.status.as_deref() == Some("active")
    }
}

/// The statement for a page.
fn page(portal: Uuid, filter: &GameFilter) -> Statement {
    let mut all = Statement::default();
    let driver = driver(filter);
    all.add("SELECT ").add(COLUMNS).add(" FROM ");
    let (time, id) = match &driver {
        Driver::Named(name) => {
            all.add("external_refs r JOIN games g ON g.id = r.game_id WHERE r.portal_id = ")
                .bind(Bound::Id(portal));
            all.add(" AND r.external_ref = ").text(*name);
            (filter.clock.column(), "g.id")
        }
        Driver::Facet(facet, value, detail) => {
            all.add("game_facets f JOIN games g ON g.id = f.game_id WHERE f.portal_id = ")
                .bind(Bound::Id(portal));
            all.add(" AND f.clock = ").text(filter.clock.name()).add(" AND f.facet = ").text(*facet);
            all.add(" AND f.value = ").text(*value).add(" AND f.detail = ").text(*detail);
            ("f.at", "f.game_id")
        }
        Driver::Games => {
            all.add("games g WHERE g.portal_id = ").bind(Bound::Id(portal));
            ("g.created_at", "g.id")
        }
    };
    compare(&mut all, filter, &driver);
    within(&mut all, filter, time, id);
    // One game is in order.
    if !matches!(driver, Driver::Named(_)) {
        let way = if filter.descending { " DESC" } else { "" };
        all.add(&format!(" ORDER BY {time}{way}, {id}{way}"));
    }
    all.add(" LIMIT ").bind(Bound::Number(filter.limit));
    all
}

/// The filters that the driver has not seen to.
fn compare(all: &mut Statement, filter: &GameFilter, driver: &Driver<'_>) {
    let seen = match driver {
        Driver::Facet(facet, ..) => facet,
        Driver::Named(_) | Driver::Games => "",
    };
    if let Some(rules) = filter.rules.as_ref().filter(|_| !matches!(seen, "rules" | "player_rules")) {
        all.add(" AND g.rules = ").text(rules);
    }
    if let Some(status) = filter.status.as_ref().filter(|_| !matches!(seen, "status" | "playing")) {
        all.add(" AND g.status = ").text(status);
    }
    if let Some(tag) = filter.tag.as_ref().filter(|_| seen != "tag") {
        has(all, "tag", tag);
    }
    match filter.result {
        Some(result) if !matches!(result, "won" | "lost") && seen != "winner" => has(all, "winner", result),
        _ => {}
    }
    sits(all, filter, seen);
}

/// A facet of the game, found by its key.
fn has(all: &mut Statement, facet: &str, value: &str) {
    all.add(" AND EXISTS (SELECT 1 FROM game_facets x WHERE x.game_id = g.id AND x.clock = 'created' AND x.facet = ");
    all.text(facet).add(" AND x.value = ").text(value).add(" AND x.detail = '')");
}

/// One seat must fit all that is asked of the player. A facet sees to one thing; who asks for more has the game's
/// seats looked at.
fn sits(all: &mut Statement, filter: &GameFilter, seen: &str) {
    let Some(player) = &filter.player else { return };
    let result = filter.result.filter(|result| matches!(*result, "won" | "lost"));
    let asked = [filter.seat.is_some(), filter.opponent.is_some(), result.is_some()];
    let asked = asked.into_iter().filter(|asked| *asked).count();
    let answered = usize::from(matches!(seen, "opponent" | "player_result" | "player_seat"));
    if asked == answered && !seen.is_empty() {
        return;
    }
    all.add(" AND EXISTS (SELECT 1 FROM game_seats s WHERE s.game_id = g.id AND s.player = ").text(player);
    if let Some(seat) = filter.seat {
        all.add(" AND s.seat = ").text(seat.as_str());
    }
    if let Some(result) = result {
        all.add(" AND s.outcome = ").text(result);
    }
    if let Some(opponent) = &filter.opponent {
        all.add(" AND EXISTS (SELECT 1 FROM game_seats o WHERE o.game_id = g.id AND o.seat <> s.seat AND o.player = ");
        all.text(opponent).add(")");
    }
    all.add(")");
}

/// The times asked for, and where the page before ended. That is within the times, for it was found by them; said
/// twice, the wider bound might be the one an index is entered by, and a deep page would read its way from there.
fn within(all: &mut Statement, filter: &GameFilter, time: &str, id: &str) {
    let mut bound = |column: &str, sign: &str, at: Option<Timestamp>| {
        if let Some(at) = at {
            all.add(&format!(" AND {column} {sign} ")).bind(Bound::Number(at.0));
        }
    };
    let (deep, descending) = (filter.after.is_some(), filter.descending);
    for (clock, from, before) in [
        (Clock::Created, filter.created_from, filter.created_before),
        (Clock::Finished, filter.finished_from, filter.finished_before),
    ] {
        let own = clock == filter.clock;
        let column = if own { time } else { clock.column() };
        bound(column, ">=", from.filter(|_| !(own && deep && !descending)));
        bound(column, "<", before.filter(|_| !(own && deep && descending)));
    }
    if let Some((at, game)) = filter.after {
        let sign = if descending { "<" } else { ">" };
        all.add(&format!(" AND ({time}, {id}) {sign} ("))
            .bind(Bound::Number(at.0))
            .add(", ")
            .bind(Bound::Id(game))
            .add(")");
    }
    if filter.clock == Clock::Finished && time == "g.finished_at" {
        all.add(" AND g.finished_at IS NOT NULL");
    }
}

impl Clock {
    fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Finished => "finished",
        }
    }

    fn column(self) -> &'static str {
        match self {
            Self::Created => "g.created_at",
            Self::Finished => "g.finished_at",
        }
    }
}

sql_impl! {
    pub(super) async fn games(&self, portal: Uuid, filter: &GameFilter, held: &mut Held) -> Result<Vec<GameRow>> {
        if filter.contradicts_itself() {
            return Ok(Vec::new());
        }
        let query = Self::query(page(portal, filter));
        let rows = query.fetch_all(&mut **self.read_on(held).await?).await?;
        rows.iter().map(Self::game).collect()
    }

    /// How the database finds a page, line by line.
    pub(super) async fn plan(&self, portal: Uuid, filter: &GameFilter) -> Result<Vec<String>> {
        let mut statement = page(portal, filter);
        let mut connection = self.read().await?;
        let rows = if DB::PLANS_ONCE {
            // With its values at hand, the database would make another plan than that by which it goes.
            let values: Vec<String> = statement.bound.iter().map(Bound::literal).collect();
            let prepare = format!("PREPARE page AS {}", statement.sql);
            let explain = format!("{}EXECUTE page ({})", DB::EXPLAIN[0], values.join(", "));
            sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut *connection).await?;
            let rows = sqlx::raw_sql(AssertSqlSafe(explain)).fetch_all(&mut *connection).await;
            sqlx::raw_sql("DEALLOCATE page").execute(&mut *connection).await?;
            rows?
        } else {
            statement.sql.insert_str(0, DB::EXPLAIN[0]);
            Self::query(statement).fetch_all(&mut *connection).await?
        };
        rows.iter().map(|row| Ok(row.try_get(DB::EXPLAIN[1])?)).collect()
    }

    fn query(statement: Statement) -> sqlx::query::Query<'static, DB, DB::Arguments> {
        let mut query = sqlx::query::<DB>(AssertSqlSafe(statement.sql));
        for value in statement.bound {
            query = match value {
                Bound::Text(text) => query.bind(text),
                Bound::Number(number) => query.bind(number),
                Bound::Id(id) => query.bind(id),
            };
        }
        query
    }
}
