//! Reading a game: as it is, its log, its past.

use super::call::Condition;
use super::file::{File, position_of, shown, stored};
use super::filter::bounded;
use super::wire::{Game, LogPage, PositionAt, Step, etag_of};
use crate::context::Context;
use crate::credential::Credential;
use crate::problem::{Code, Problem};
use uuid::Uuid;

/// Steps on a page of the log when nothing is said.
const LOG_PAGE: i64 = 100;
/// Most steps on a page of the log.
const LOG_PAGE_MOST: i64 = 500;

/// A game and its tag; no game when the caller knows this tag already.
pub async fn game(
    context: &Context,
    credential: &Credential,
    id: Uuid,
    known: Option<&Condition>,
) -> Result<(String, Option<Game>), Problem> {
    let file = File::open(context, credential, id, None, None).await?;
    let etag = etag_of(&file.game);
    if known.is_some_and(|known| known.knows(&etag)) {
        return Ok((etag, None));
    }
    Ok((etag, Some(shown(file.game)?)))
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
