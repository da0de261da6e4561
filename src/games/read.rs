//! Reading a game: as it is, its log, its past.

use super::call::Condition;
use super::file::{File, position_of, shown, stored};
use super::filter::{bounded, invalid};
use super::wire::{Game, LogPage, PositionAt, Step, etag_of};
use crate::context::Context;
use crate::credential::Credential;
use crate::problem::{Code, Problem};
use crate::store::GameRow;
use std::time::Duration;
use uuid::Uuid;

/// Steps on a page of the log when nothing is said.
const LOG_PAGE: i64 = 100;
/// Most steps on a page of the log.
const LOG_PAGE_MOST: i64 = 500;
/// Seconds waited for a version when nothing is said.
const WAIT: i64 = 25;
/// Most seconds waited for a version.
const WAIT_MOST: i64 = 60;

/// A game and its tag; no game when the caller knows this tag already.
pub async fn game(
    context: &Context,
    credential: &Credential,
    id: Uuid,
    known: Option<&Condition>,
    timeout: Option<i64>,
) -> Result<(String, Option<Game>), Problem> {
    if timeout.is_some() {
        return Err(invalid("timeout", "without_wait_version", "Only what is waited for takes time."));
    }
    let file = File::open(context, credential, id, None, None).await?;
    unless_known(file.game, known)
}

/// A game and its tag, as soon as it has a version or has ended, and when the time is up anyway.
pub async fn wait(
    context: &Context,
    credential: &Credential,
    id: Uuid,
    known: Option<&Condition>,
    version: i64,
    timeout: Option<i64>,
) -> Result<(String, Option<Game>), Problem> {
    let version = bounded("wait_version", Some(version), 0, 0, i64::MAX)?;
    let seconds = bounded("timeout", timeout, WAIT, 0, WAIT_MOST)?;
    let time = Duration::from_secs(seconds.unsigned_abs());
    let game = super::wait::until(context, credential, id, version, time).await?;
    unless_known(game, known)
}

fn unless_known(game: GameRow, known: Option<&Condition>) -> Result<(String, Option<Game>), Problem> {
    let etag = etag_of(&game);
    if known.is_some_and(|known| known.knows(&etag)) {
        return Ok((etag, None));
    }
    Ok((etag, Some(shown(game)?)))
}

/// A page of a game's log.
pub async fn log(
    context: &Context,
    credential: &Credential,
    id: Uuid,
    after: Option<i64>,
    limit: Option<i64>,
) -> Result<LogPage, Problem> {
    // No log is as long; one more than this must be a number too.
    let after = bounded("after", after, 0, 0, i64::MAX)?.min(i64::MAX - 1);
    let limit = bounded("limit", limit, LOG_PAGE, 1, LOG_PAGE_MOST)?;
    let mut file = File::open(context, credential, id, None, None).await?;
    let rows = context.store.steps(file.game.id, after, limit, &mut file.held).await?;
    let next = rows.last().map(|row| row.ply).filter(|&ply| ply < file.game.version);
    let items = rows.into_iter().map(Step::from_row).collect::<Result<_, _>>();
    Ok(LogPage { items: items.map_err(|error| Problem::internal(&error))?, next })
}

/// One step of a game's log.
pub async fn step(context: &Context, credential: &Credential, id: Uuid, ply: i64) -> Result<Step, Problem> {
    let file = File::open(context, credential, id, None, Some(ply)).await?;
    let row = file.step.ok_or_else(|| Problem::new(Code::PlyNotFound).version(file.game.version))?;
    Step::from_row(row).map_err(|error| Problem::internal(&error))
}

/// The position after a ply, by replay; 0 is the start.
pub async fn position_at(
    context: &Context,
    credential: &Credential,
    id: Uuid,
    ply: i64,
) -> Result<PositionAt, Problem> {
    let mut file = File::open(context, credential, id, None, None).await?;
    if !(0..=file.game.version).contains(&ply) {
        return Err(Problem::new(Code::PlyNotFound).version(file.game.version));
    }
    let view = file.view_at(context, ply).await?;
    let position = if ply == file.game.version {
        position_of(&file.game, view)?
    } else {
        stored(&file.game.throws, view).into()
    };
    Ok(PositionAt { ply, position })
}
