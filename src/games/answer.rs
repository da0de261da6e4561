//! An answer, ready to be sent and to be kept for a retry.

use super::call::Call;
use super::wire::SeatToken;
use crate::context::Context;
use crate::credential::{Credential, Secret};
use crate::json;
use crate::problem::{Code, Problem};
use crate::store::{Keep, KeptAnswer};
use crate::timestamp::Timestamp;
use kauri_rules::Seat;
use serde::Serialize;
use uuid::Uuid;

/// An answer to a state-changing request.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Whether something was created by this very request or the one it repeats.
    pub created: bool,
    /// The game's tag afterwards.
    pub etag: String,
    /// Where what was created is.
    pub location: Option<String>,
    /// JSON.
    pub body: String,
    /// Whether this repeats an earlier answer.
    pub replayed: bool,
}

impl Answer {
    pub(super) fn new(
        created: bool,
        etag: String,
        location: Option<String>,
        body: &impl Serialize,
    ) -> Result<Self, Problem> {
        let body = json::text(body).map_err(|error| Problem::internal(&error))?;
        Ok(Self { created, etag, location, body, replayed: false })
    }

    /// What to keep of it under the call's key, if it has one.
    pub(super) fn keep(
        &self,
        context: &Context,
        call: &Call,
        salt: Option<[u8; 32]>,
        now: Timestamp,
    ) -> Option<Keep> {
        Some(Keep {
            slot: call.slot()?,
            answer: KeptAnswer {
                body_hash: call.body_hash.to_vec(),
                status: if self.created { 201 } else { 200 },
                etag: self.etag.clone(),
                location: self.location.clone(),
                body: self.body.clone(),
                token_salt: salt.map(Vec::from),
            },
            expires_at: now.plus(context.idempotency_ttl),
        })
    }

    /// The kept answer again, if this is the same request.
    pub(super) fn again(kept: KeptAnswer, call: &Call) -> Result<Self, Problem> {
        if kept.body_hash != call.body_hash {
            return Err(Problem::new(Code::IdempotencyKeyReused));
        }
        let answer = Self {
            created: kept.status == 201,
            etag: kept.etag,
            location: kept.location,
            body: kept.body,
            replayed: true,
        };
        match (&kept.token_salt, &call.key) {
            (Some(salt), Some(key)) => answer.with_derived_tokens(key.as_str(), salt),
            _ => Ok(answer),
        }
    }

    /// Puts the seat tokens into the body of a created game. They are kept nowhere: on a retry they are
    /// derived again.
    pub(super) fn with_tokens(mut self, tokens: &[SeatToken]) -> Result<Self, Problem> {
        let tokens = serde_json::to_string(tokens).map_err(|error| Problem::internal(&error))?;
        self.body.pop();
        self.body.push_str(",\"seat_tokens\":");
        self.body.push_str(&tokens);
        self.body.push('}');
        Ok(self)
    }

    fn with_derived_tokens(self, key: &str, salt: &[u8]) -> Result<Self, Problem> {
        #[derive(serde::Deserialize)]
        struct Created {
            id: Uuid,
            seats: Vec<Taken>,
        }
        #[derive(serde::Deserialize)]
        struct Taken {
            seat: Seat,
        }
        let game: Created = serde_json::from_str(&self.body).map_err(|error| Problem::internal(&error))?;
        let tokens: Vec<SeatToken> = game
            .seats
            .iter()
            .map(|Taken { seat }| token(game.id, *seat, Secret::derived(key, salt, *seat)))
            .collect();
        self.with_tokens(&tokens)
    }
}

/// A seat's token as its holder gets it.
pub(super) fn token(game: Uuid, seat: Seat, secret: Secret) -> SeatToken {
    SeatToken { seat, token: Credential::SeatToken { game, seat, secret }.reveal() }
}
