//! Waiting for a game to go on.

use super::file::File;
use crate::context::Context;
use crate::credential::Credential;
use crate::events::Woken;
use crate::limits;
use crate::problem::Problem;
use crate::store::GameRow;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

/// The game as soon as it has a version or has ended, and when the time is up or the service stops anyway. No connection
/// to the database is held meanwhile.
pub(super) async fn until(
    context: &Context,
    credential: &Credential,
    id: Uuid,
    version: i64,
    time: Duration,
) -> Result<GameRow, Problem> {
    let end = Instant::now() + time;
    limits::patience(time);
    let mut listener = None;
    loop {
        let game = File::open(context, credential, id, None, None).await?.game;
        if game.version >= version || game.status != "active" {
            return Ok(game);
        }
        // What happens between the first look and the first wait is found by a second look.
        let Some(listener) = &mut listener else {
            listener = Some(context.hub.game(game.portal_id, id));
            continue;
        };
        if !matches!(timeout_at(end, listener.woken()).await, Ok(Woken::News)) {
            return Ok(game);
        }
    }
}
