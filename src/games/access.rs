//! From what a caller shows to what it may do.

use crate::context::Context;
use crate::credential::{Credential, Secret};
use crate::problem::{Code, Problem};
use crate::store::{CallerRow, Claim};
use crate::timestamp::Timestamp;
use kauri_rules::Seat;
use uuid::Uuid;

/// A caller whose credential was checked.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub portal: Uuid,
    pub role: Role,
    /// Whether the portal insists on conditional moves.
    pub strict: bool,
}

/// What a caller acts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The whole portal.
    Portal { may_play: bool },
    /// One seat of one game.
    Seat { game: Uuid, seat: Seat },
}

impl Caller {
    /// Checks the credential against its row; none is unknown.
    pub(crate) fn check(
        context: &Context,
        credential: &Credential,
        row: Option<&CallerRow>,
        now: Timestamp,
    ) -> Result<Self, Problem> {
        let row = row.ok_or_else(unauthorized)?;
        let proven = |secret: &Secret| row.secret_hash.as_deref().is_some_and(|stored| secret.is(stored));
        let live = row.revoked_at.is_none() && row.expires_at.is_none_or(|at| now < at);
        let role = match credential {
            Credential::Anonymous => Role::Portal { may_play: true },
            Credential::PortalKey { id, secret } if proven(secret) && live => {
                context.seen.note(id, now);
                Role::Portal { may_play: row.scope == "play" }
            }
            Credential::SeatToken { game, seat, secret } if proven(secret) && live => {
                Role::Seat { game: *game, seat: *seat }
            }
            Credential::PortalKey { .. } | Credential::SeatToken { .. } => return Err(unauthorized()),
        };
        Ok(Self { portal: row.portal_id, role, strict: row.strict })
    }

    /// For everything that changes something.
    pub(crate) fn must_play(&self) -> Result<(), Problem> {
        match self.role {
            Role::Portal { may_play: false } => Err(Problem::new(Code::ReadOnly)),
            Role::Portal { may_play: true } | Role::Seat { .. } => Ok(()),
        }
    }

    /// For everything that is not about one's own seat.
    pub(crate) fn must_be_portal(&self) -> Result<(), Problem> {
        match self.role {
            Role::Seat { .. } => Err(Problem::new(Code::PortalOnly)),
            Role::Portal { .. } => Ok(()),
        }
    }

    /// Whether this game is in reach at all; the row was already looked up within the portal.
    pub(super) fn reaches(&self, game: Uuid) -> bool {
        match self.role {
            Role::Portal { .. } => true,
            Role::Seat { game: own, .. } => own == game,
        }
    }
}

/// What finds the credential's row.
pub(crate) fn claim(credential: &Credential) -> Claim {
    match credential {
        Credential::Anonymous => Claim::Anonymous,
        Credential::PortalKey { id, .. } => Claim::PortalKey(id.clone()),
        Credential::SeatToken { game, seat, .. } => Claim::SeatToken(*game, *seat),
    }
}

/// The same for every reason, so that nothing can be learned from it.
fn unauthorized() -> Problem {
    Problem::new(Code::Unauthorized)
}
