//! The limit of stored moves on SQLite: the two statements of a move (src/store/open.rs, change.rs) in a plain loop of
//! the SQLite library, on one connection, with texts as long as a move of Kauri's. Moves a second, as JSON.
//!
//! `sqlite_loop FILE SECONDS`, with a file that `kauri` has made

use rusqlite::{Connection, params};
use std::io::Write;
use std::time::{Duration, Instant};

const OPEN: &str = include_str!("load/sqlite_open.sql");

const SWAP: &str = "UPDATE games SET version = ?3, state = ?4, status = ?5, result = ?6, updated_at = ?7,
      finished_at = ?8
    WHERE id = ?1 AND version = ?2 AND status = 'active' RETURNING id";

const LOG: &str = "INSERT INTO steps (game_id, ply, seat, move, events, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

const TELL: &str = "INSERT INTO events (portal_id, game_id, number, type, at) VALUES (?1, ?2, ?3, ?4, ?5)";

const KEEP: &str = "INSERT INTO kept_answers
      (portal_id, scope, key_hash, body_hash, status, etag, location, body, token_salt, expires_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
    ON CONFLICT (portal_id, scope, key_hash) DO UPDATE SET body_hash = excluded.body_hash,
      status = excluded.status, etag = excluded.etag, location = excluded.location, body = excluded.body,
      token_salt = excluded.token_salt, expires_at = excluded.expires_at
    WHERE kept_answers.expires_at <= ?11
    RETURNING status";

const PORTAL: [u8; 16] = [1; 16];
const GAME: [u8; 16] = [2; 16];
const SCOPE: &str = "POST /games/02020202-0202-0202-0202-020202020202/moves";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut connection = Connection::open(arguments.next().ok_or("which file?")?)?;
    let seconds: f64 = arguments.next().ok_or("how many seconds?")?.parse()?;
    connection
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;")?;
    fill(&connection)?;
    let (began, mut version) = (Instant::now(), 0);
    while began.elapsed() < Duration::try_from_secs_f64(seconds)? {
        step(&mut connection, version)?;
        version += 1;
    }
    let rate = f64::from(i32::try_from(version)?) / began.elapsed().as_secs_f64();
    writeln!(std::io::stdout(), "{{\"moves\":{rate:.1}}}")?;
    Ok(())
}

/// A portal, its key, and a game.
fn fill(connection: &Connection) -> rusqlite::Result<()> {
    let state = "x".repeat(430);
    connection
        .execute("INSERT INTO portals (id, name, created_at) VALUES (?1, 'bench', 0)", params![PORTAL])?;
    connection.execute(
        "INSERT INTO portal_keys (id, portal_id, secret_hash, label, scope, created_at)
         VALUES ('bench', ?1, ?2, '', 'play', 0)",
        params![PORTAL, [0_u8; 32]],
    )?;
    connection.execute(
        "INSERT INTO games (id, portal_id, rules, throws, status, version, start_state, state, seats, tags, created_at,
           updated_at)
         VALUES (?1, ?2, 'kauri', 'server', 'active', 0, ?3, ?3, '[{\"seat\":\"south\"},{\"seat\":\"north\"}]', '[]',
           0, 0)",
        params![GAME, PORTAL, state],
    )?;
    Ok(())
}

fn step(connection: &mut Connection, version: i64) -> rusqlite::Result<()> {
    let mut key = [0_u8; 32];
    key[..8].copy_from_slice(&version.to_be_bytes());
    let nothing: Option<i64> = None;
    connection
        .prepare_cached(OPEN)?
        .query_row(params!["bench", SCOPE, key, version, GAME, version + 1], |row| {
            row.get::<_, String>("state")
        })?;
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    transaction.prepare_cached(SWAP)?.query_row(
        params![GAME, version, version + 1, "x".repeat(430), "active", nothing, version, nothing],
        |row| row.get::<_, [u8; 16]>(0),
    )?;
    transaction.prepare_cached(LOG)?.execute(params![
        GAME,
        version + 1,
        "south",
        "a",
        "x".repeat(340),
        version
    ])?;
    transaction.prepare_cached(TELL)?.execute(params![PORTAL, GAME, version + 2, "game.step", version])?;
    transaction.prepare_cached(KEEP)?.query_row(
        params![
            PORTAL,
            SCOPE,
            key,
            [0_u8; 32],
            201,
            "\"v1\"",
            "/games/02020202-0202-0202-0202-020202020202/moves/1",
            "x".repeat(830),
            nothing,
            i64::MAX,
            version
        ],
        |row| row.get::<_, i64>(0),
    )?;
    transaction.commit()
}
