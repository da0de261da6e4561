//! Pages of a portal's games.

use super::access::{Caller, claim};
use super::cursor::{Place, Signer};
use super::file::shown;
use super::filter::{ListGames, invalid};
use super::wire::GamePage;
use crate::context::Context;
use crate::credential::Credential;
use crate::problem::Problem;
use crate::store::{Clock, GameFilter, GameRow, Held};

/// A page of the portal's games.
pub async fn list(
    context: &Context,
    credential: &Credential,
    wanted: &ListGames,
) -> Result<GamePage, Problem> {
    let filter = wanted.read()?;
    let signer = Signer::new(context).await?;
    let (caller, mut held) = portal(context, credential).await?;
    let filter = GameFilter { after: position(signer, wanted, &caller, &filter)?, ..filter };
    let (rows, next) = page(context, signer, &caller, &filter, &mut held).await?;
    Ok(GamePage { items: rows.into_iter().map(shown).collect::<Result<_, _>>()?, next })
}

/// Who calls, if it is a portal, and the connection it was found out with.
pub(super) async fn portal(context: &Context, credential: &Credential) -> Result<(Caller, Held), Problem> {
    let now = context.world.now();
    let opened = context.store.open_portal(&claim(credential), None, None, now).await?;
    let caller = Caller::check(context, credential, opened.as_ref().map(|opened| &opened.caller), now)?;
    caller.must_be_portal()?;
    Ok((caller, opened.map_or_else(Held::default, |opened| opened.held)))
}

/// Where the cursor that was sent points.
pub(super) fn position(
    signer: Signer<'_>,
    wanted: &ListGames,
    caller: &Caller,
    filter: &GameFilter,
) -> Result<Option<Place>, Problem> {
    let Some(cursor) = &wanted.cursor else { return Ok(None) };
    let place = signer.read(cursor, caller, filter)?;
    place.map(Some).ok_or_else(|| {
        invalid("cursor", "wrong_cursor", "This is no cursor of the list with these filters and this order.")
    })
}

/// The games of a page, and the cursor of the one that follows. One more than asked for is read, to know whether one
/// does.
async fn page(
    context: &Context,
    signer: Signer<'_>,
    caller: &Caller,
    filter: &GameFilter,
    held: &mut Held,
) -> Result<(Vec<GameRow>, Option<String>), Problem> {
    let one_more = GameFilter { limit: filter.limit + 1, ..filter.clone() };
    let mut rows = context.store.games(caller.portal, &one_more, held).await?;
    let length = usize::try_from(filter.limit).unwrap_or(usize::MAX);
    let more = rows.len() > length;
    rows.truncate(length);
    let last = rows.last().filter(|_| more);
    let next = last.map(|row| signer.after(place(row, filter.clock), caller, filter)).transpose()?;
    Ok((rows, next))
}

/// Where a game stands in a list.
pub(super) fn place(row: &GameRow, clock: Clock) -> Place {
    let at = match clock {
        Clock::Created => row.created_at,
        Clock::Finished => row.finished_at.unwrap_or(row.created_at),
    };
    (at, row.id)
}
