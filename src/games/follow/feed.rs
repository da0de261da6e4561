//! What happens in all games of a portal.

use super::super::access::{Caller, claim};
use super::super::file::{decode, raw};
use super::super::wire::{GameEvent, Step};
use super::{Found, PAGE, unknown};
use crate::context::Context;
use crate::credential::Credential;
use crate::events::{Listener, Woken};
use crate::problem::Problem;
use crate::store::{CREATED, ENDED, EventRow, Held, IMPORTED, Position};
use uuid::Uuid;

/// Follows all games of a portal, from now or from an event on.
#[derive(Debug)]
pub struct FeedFollower {
    context: Context,
    credential: Credential,
    listener: Listener,
    known: Position,
}

impl FeedFollower {
    /// Looks at the portal. Without `after` the first event is the next that happens; with it, the one after that.
    pub async fn open(
        context: &Context,
        credential: &Credential,
        after: Option<&str>,
    ) -> Result<Self, Problem> {
        let after = after.map(|text| text.parse::<Position>().map_err(|_| unknown("/after"))).transpose()?;
        let (portal, held) = admitted(context, credential).await?;
        drop(held);
        let listener = context.hub.portal(portal);
        let end = context.store.feed_end(portal).await?;
        if after.is_some_and(|after| after > end) {
            return Err(unknown("/after"));
        }
        let (context, credential) = (context.clone(), credential.clone());
        Ok(Self { context, credential, listener, known: after.unwrap_or(end) })
    }

    /// What is new.
    pub async fn look(&mut self) -> Result<Found, Problem> {
        self.listener.attend();
        let (portal, mut held) = admitted(&self.context, &self.credential).await?;
        let rows = self.context.store.feed(portal, self.known, PAGE, &mut held).await?;
        let Some(last) = rows.last() else { return Ok(Found::Nothing) };
        self.known = last.position;
        Ok(Found::New(rows.into_iter().map(event).collect::<Result<_, _>>()?))
    }

    /// Waits until there may be something new.
    pub async fn woken(&mut self) -> Woken {
        self.listener.woken().await
    }

    /// Where the stream is: what to pass as `after` to go on from there.
    #[must_use]
    pub fn place(&self) -> String {
        self.known.to_string()
    }
}

/// The caller's portal, if it may see all of it.
async fn admitted(context: &Context, credential: &Credential) -> Result<(Uuid, Held), Problem> {
    let now = context.world.now();
    let opened = context.store.open_portal(&claim(credential), None, None, now).await?;
    let caller = Caller::check(context, credential, opened.as_ref().map(|opened| &opened.caller), now)?;
    caller.must_be_portal()?;
    Ok((caller.portal, opened.map_or_else(Held::default, |opened| opened.held)))
}

/// An event as it is told to a whole portal: what is new, not what follows from it.
pub(crate) fn event(row: EventRow) -> Result<GameEvent, Problem> {
    let ended = row.r#type == ENDED;
    let step = row.step.map(Step::from_row).transpose().map_err(|error| Problem::internal(&error))?;
    let result = row.result.as_deref().filter(|_| ended).map(decode).transpose()?;
    // Creation is the first effect, the end the one after the last step.
    let version = (row.number - if ended { 2 } else { 1 }).max(0);
    Ok(GameEvent {
        id: row.position.to_string(),
        seats: if [CREATED, IMPORTED].contains(&&*row.r#type) { Some(raw(row.seats)?) } else { None },
        r#type: row.r#type,
        game_id: row.game_id,
        number: row.number,
        at: row.at,
        rules: row.rules,
        external_ref: row.external_ref,
        version,
        step,
        status: ended.then_some(row.status),
        result,
        position: None,
        game: None,
    })
}
