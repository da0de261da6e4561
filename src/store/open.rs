//! The one read that a request begins with: who calls, and what the request is about.

use super::driver::sql_impl;
use super::lent::Lent;
use super::row::{CallerRow, Claim, GameRow, KeptAnswer, Opened, OpenedPortal, Slot, StepRow};
use super::{Result, StoreError};
use crate::timestamp::Timestamp;
use sqlx::Row;
use sqlx::query::Query;
use uuid::Uuid;

/// A read for each kind of claim, with the caller's row as its `WITH` part. One kind each: a plan for all of them would
/// count on several callers, and read whole tables for that. `$one` and `$two` are what the caller claims. Nobody acts for
/// the portal `local` as long as no portal key was ever made.
macro_rules! with_caller {
    ($one:literal, $two:literal, $rest:literal) => {
        Opening {
            key: with_caller!(@ concat!(
                "SELECT k.portal_id, k.secret_hash, k.scope, k.expires_at, k.revoked_at, p.strict
                 FROM portal_keys k JOIN portals p ON p.id = k.portal_id WHERE k.id = ", $one), $rest),
            token: with_caller!(@ concat!(
                "SELECT s.portal_id, s.token_hash AS secret_hash, 'seat' AS scope, NULL AS expires_at,
                   NULL AS revoked_at, p.strict
                 FROM game_seats s JOIN portals p ON p.id = s.portal_id
                 WHERE s.game_id = ", $one, " AND s.seat = ", $two), $rest),
            nobody: with_caller!(@
                "SELECT p.id AS portal_id, NULL AS secret_hash, 'open' AS scope, NULL AS expires_at,
                   NULL AS revoked_at, p.strict
                 FROM portals p WHERE p.name = 'local' AND NOT EXISTS (SELECT 1 FROM portal_keys)", $rest),
        }
    };
    (@ $caller:expr, $rest:literal) => {
        concat!(
            "WITH caller AS (", $caller, ")
             SELECT c.portal_id AS c_portal_id, c.secret_hash AS c_secret_hash, c.scope AS c_scope,
               c.expires_at AS c_expires_at, c.revoked_at AS c_revoked_at, c.strict AS c_strict,
               a.body_hash AS a_body_hash, a.status AS a_status, a.etag AS a_etag, a.location AS a_location,
               a.body AS a_body, a.token_salt AS a_token_salt,
               g.id, g.portal_id, g.rules, g.throws, g.status, g.version, g.start_state, g.state, g.result,
               g.seats, g.tags, g.external_ref, g.created_at, g.updated_at, g.finished_at, ",
            $rest
        )
    };
}

/// One read, by kind of claim.
struct Opening {
    key: &'static str,
    token: &'static str,
    nobody: &'static str,
}

impl Opening {
    fn of(&self, claim: &Claim) -> &'static str {
        match claim {
            Claim::PortalKey(_) => self.key,
            Claim::SeatToken(..) => self.token,
            Claim::Anonymous => self.nobody,
        }
    }
}

const OPEN: Opening = with_caller!(
    "$6",
    "$7",
    "s.ply AS s_ply, s.seat AS s_seat, s.move AS s_move, s.events AS s_events, s.at AS s_at
     FROM caller c
     LEFT JOIN kept_answers a
       ON a.portal_id = c.portal_id AND a.scope = $1 AND a.key_hash = $2 AND a.expires_at > $3
     LEFT JOIN games g ON g.id = $4 AND g.portal_id = c.portal_id
     LEFT JOIN steps s ON s.game_id = g.id AND s.ply = $5"
);

const OPEN_PORTAL: Opening = with_caller!(
    "$5",
    "$6",
    "r.body_hash AS r_body_hash
     FROM caller c
     LEFT JOIN kept_answers a
       ON a.portal_id = c.portal_id AND a.scope = $1 AND a.key_hash = $2 AND a.expires_at > $3
     LEFT JOIN external_refs r ON r.portal_id = c.portal_id AND r.external_ref = $4
     LEFT JOIN games g ON g.id = r.game_id AND g.portal_id = c.portal_id"
);

sql_impl! {
    pub(super) async fn open(
        &self,
        claim: &Claim,
        game: Uuid,
        slot: Option<&Slot>,
        ply: Option<i64>,
        now: Timestamp,
    ) -> Result<Option<Opened>> {
        let (row, connection) = self
            .read_first(async |connection| {
                let query = sqlx::query::<DB>(OPEN.of(claim));
                let query = Self::bind_slot(query, slot, now).bind(game).bind(ply);
                let row = Self::bind_claim(query, claim).fetch_optional(connection).await?;
                Ok(row)
            })
            .await?;
        let Some(row) = row else { return Ok(None) };
        let step = match row.try_get::<Option<i64>, _>("s_ply")? {
            None => None,
            Some(ply) => Some(StepRow {
                ply,
                seat: row.try_get("s_seat")?,
                r#move: row.try_get("s_move")?,
                events: row.try_get("s_events")?,
                at: Timestamp(row.try_get("s_at")?),
            }),
        };
        Ok(Some(Opened { caller: Self::caller(&row)?, game: Self::opened_game(&row)?, kept: Self::kept(&row)?, step, held: Self::hold(connection) }))
    }

    pub(super) async fn open_portal(
        &self,
        claim: &Claim,
        slot: Option<&Slot>,
        external_ref: Option<&str>,
        now: Timestamp,
    ) -> Result<Option<OpenedPortal>> {
        let (row, connection) = self
            .read_first(async |connection| {
                let query = sqlx::query::<DB>(OPEN_PORTAL.of(claim));
                let query = Self::bind_slot(query, slot, now).bind(external_ref.map(str::to_owned));
                let row = Self::bind_claim(query, claim).fetch_optional(connection).await?;
                Ok(row)
            })
            .await?;
        let Some(row) = row else { return Ok(None) };
        let named = match (row.try_get::<Option<Vec<u8>>, _>("r_body_hash")?, Self::opened_game(&row)?) {
            (Some(hash), Some(game)) => Some((hash, game)),
            _ => None,
        };
        Ok(Some(OpenedPortal { caller: Self::caller(&row)?, kept: Self::kept(&row)?, named, held: Self::hold(connection) }))
    }

    fn bind_slot<'q>(query: Query<'q, DB, DB::Arguments>, slot: Option<&Slot>, now: Timestamp) -> Query<'q, DB, DB::Arguments> {
        query.bind(slot.map(|slot| slot.scope.clone())).bind(slot.map(|slot| slot.key_hash.to_vec())).bind(now.0)
    }

    /// What the kind of claim takes, and nothing else.
    fn bind_claim<'q>(query: Query<'q, DB, DB::Arguments>, claim: &Claim) -> Query<'q, DB, DB::Arguments> {
        match claim {
            Claim::Anonymous => query,
            Claim::PortalKey(id) => query.bind(id.clone()),
            Claim::SeatToken(game, seat) => query.bind(*game).bind(seat.as_str().to_owned()),
        }
    }

    /// The read that a request begins with. While its connection turns out to be dead it is tried again: when
    /// the database was started anew, every connection in the pool is, and no request need suffer for that.
    pub(super) async fn read_first<T>(&self, read: impl AsyncFn(&mut DB::Connection) -> Result<T>) -> Result<(T, Lent<DB>)> {
        let mut dead = 0;
        loop {
            let mut connection = self.read().await?;
            match read(&mut connection).await {
                Ok(read) => {
                    connection.rest();
                    return Ok((read, connection));
                }
                Err(StoreError::Unavailable(error))
                    if is_dead(&error) && dead < self.reader.most() =>
                {
                    dead += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn caller(row: &DB::Row) -> Result<CallerRow> {
        Ok(CallerRow {
            portal_id: row.try_get("c_portal_id")?,
            secret_hash: row.try_get("c_secret_hash")?,
            scope: row.try_get("c_scope")?,
            expires_at: row.try_get::<Option<i64>, _>("c_expires_at")?.map(Timestamp),
            revoked_at: row.try_get::<Option<i64>, _>("c_revoked_at")?.map(Timestamp),
            strict: row.try_get::<i64, _>("c_strict")? != 0,
        })
    }

    fn kept(row: &DB::Row) -> Result<Option<KeptAnswer>> {
        let Some(body_hash) = row.try_get("a_body_hash")? else { return Ok(None) };
        Ok(Some(KeptAnswer {
            body_hash,
            status: row.try_get("a_status")?,
            etag: row.try_get("a_etag")?,
            location: row.try_get("a_location")?,
            body: row.try_get("a_body")?,
            token_salt: row.try_get("a_token_salt")?,
        }))
    }

    fn opened_game(row: &DB::Row) -> Result<Option<GameRow>> {
        match row.try_get::<Option<Uuid>, _>("id")? {
            None => Ok(None),
            Some(_) => Self::game(row).map(Some),
        }
    }

    pub(super) fn game(row: &DB::Row) -> Result<GameRow> {
        Ok(GameRow {
            id: row.try_get("id")?,
            portal_id: row.try_get("portal_id")?,
            rules: row.try_get("rules")?,
            throws: row.try_get("throws")?,
            status: row.try_get("status")?,
            version: row.try_get("version")?,
            start_state: row.try_get("start_state")?,
            state: row.try_get("state")?,
            result: row.try_get("result")?,
            seats: row.try_get("seats")?,
            tags: row.try_get("tags")?,
            external_ref: row.try_get("external_ref")?,
            created_at: Timestamp(row.try_get("created_at")?),
            updated_at: Timestamp(row.try_get("updated_at")?),
            finished_at: row.try_get::<Option<i64>, _>("finished_at")?.map(Timestamp),
        })
    }
}

/// Whether it is the connection that failed: it was cut, or the database's process behind it was ended.
fn is_dead(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| code.starts_with("57P")),
        _ => false,
    }
}
