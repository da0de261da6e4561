//! The one read that a request begins with: who calls, and what the request is about.

use super::driver::sql_impl;
use super::lent::Lent;
use super::row::{CallerRow, Claim, GameRow, KeptAnswer, Opened, OpenedPortal, Slot, StepRow};
use super::{Result, StoreError};
use crate::timestamp::Timestamp;
use sqlx::Row;
use uuid::Uuid;

/// The caller's row as a `WITH` part: $1 key id, $2 and $3 token's game and seat, $4 is 1 for nobody.
/// Nobody acts for the portal `local` as long as no portal key was ever made.
macro_rules! with_caller {
    ($rest:literal) => {
        concat!(
            "WITH caller AS (
               SELECT k.portal_id, k.secret_hash, k.scope, k.expires_at, k.revoked_at, p.strict
               FROM portal_keys k JOIN portals p ON p.id = k.portal_id WHERE k.id = $1
               UNION ALL
               SELECT s.portal_id, s.token_hash, 'seat', NULL, NULL, p.strict
               FROM game_seats s JOIN portals p ON p.id = s.portal_id WHERE s.game_id = $2 AND s.seat = $3
               UNION ALL
               SELECT p.id, NULL, 'open', NULL, NULL, p.strict
               FROM portals p WHERE $4 = 1 AND p.name = 'local' AND NOT EXISTS (SELECT 1 FROM portal_keys)
             )
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

const OPEN: &str = with_caller!(
    "s.ply AS s_ply, s.seat AS s_seat, s.move AS s_move, s.events AS s_events, s.at AS s_at
     FROM caller c
     LEFT JOIN kept_answers a
       ON a.portal_id = c.portal_id AND a.scope = $5 AND a.key_hash = $6 AND a.expires_at > $7
     LEFT JOIN games g ON g.id = $8 AND g.portal_id = c.portal_id
     LEFT JOIN steps s ON s.game_id = g.id AND s.ply = $9"
);

const OPEN_PORTAL: &str = with_caller!(
    "r.body_hash AS r_body_hash
     FROM caller c
     LEFT JOIN kept_answers a
       ON a.portal_id = c.portal_id AND a.scope = $5 AND a.key_hash = $6 AND a.expires_at > $7
     LEFT JOIN external_refs r ON r.portal_id = c.portal_id AND r.external_ref = $8
     LEFT JOIN games g ON g.id = r.game_id AND g.portal_id = c.portal_id"
);

/// A claim and a slot as the first seven arguments.
macro_rules! bind_claim {
    ($query:expr, $claim:ident, $slot:ident, $now:ident) => {{
        let (key, game, seat, nobody) = match $claim {
            Claim::Anonymous => (None, None, None, 1_i64),
            Claim::PortalKey(id) => (Some(id.clone()), None, None, 0),
            Claim::SeatToken(game, seat) => (None, Some(*game), Some(seat.as_str().to_owned()), 0),
        };
        $query
            .bind(key)
            .bind(game)
            .bind(seat)
            .bind(nobody)
            .bind($slot.map(|slot| slot.scope.clone()))
            .bind($slot.map(|slot| slot.key_hash.to_vec()))
            .bind($now.0)
    }};
}

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
            .read_first(async |mut connection| {
                let row = bind_claim!(sqlx::query::<DB>(OPEN), claim, slot, now)
                    .bind(game)
                    .bind(ply)
                    .fetch_optional(&mut *connection)
                    .await?;
                Ok((row, connection))
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
            .read_first(async |mut connection| {
                let row = bind_claim!(sqlx::query::<DB>(OPEN_PORTAL), claim, slot, now)
                    .bind(external_ref.map(str::to_owned))
                    .fetch_optional(&mut *connection)
                    .await?;
                Ok((row, connection))
            })
            .await?;
        let Some(row) = row else { return Ok(None) };
        let named = match (row.try_get::<Option<Vec<u8>>, _>("r_body_hash")?, Self::opened_game(&row)?) {
            (Some(hash), Some(game)) => Some((hash, game)),
            _ => None,
        };
        Ok(Some(OpenedPortal { caller: Self::caller(&row)?, kept: Self::kept(&row)?, named, held: Self::hold(connection) }))
    }

    /// The read that a request begins with. While its connection turns out to be dead it is tried again: when
    /// the database was started anew, every connection in the pool is, and no request need suffer for that.
    pub(super) async fn read_first<T>(&self, read: impl AsyncFn(Lent<DB>) -> Result<T>) -> Result<T> {
        let mut dead = 0;
        loop {
            match read(self.read().await?).await {
                Err(StoreError::Unavailable(error))
                    if is_dead(&error) && dead < self.reader.options().get_max_connections() =>
                {
                    dead += 1;
                }
                other => return other,
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
