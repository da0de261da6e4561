//! Endpoints: made, read, changed, given new secrets, deleted.

use super::secret::Secrets;
use super::target::{LONGEST_URL, Target};
use super::wire::{ChangeWebhook, NewWebhook, RotateSecret, Webhook, WebhookPage, WebhookSecret, secrets};
use crate::context::Context;
use crate::credential::{Credential, derive};
use crate::games::{Call, Caller, ROUNDS, claim, crowded, encode};
use crate::problem::{Code, Problem};
use crate::store::{CREATED, ENDED, Held, IMPORTED, Keep, KeptAnswer, Made, STEP, WebhookChange, WebhookRow};
use crate::timestamp::Timestamp;
use std::time::Duration;
use uuid::Uuid;

/// Most endpoints of one portal.
const MOST: i64 = 20;
/// Longest description, in characters.
const LONGEST_DESCRIPTION: usize = 200;
/// Most types of events named.
const MOST_EVENTS: usize = 16;
/// Longest name of a type of events, in characters.
const LONGEST_EVENT: usize = 64;
/// For how many seconds an old secret signs when nothing is said.
const OVERLAP: i64 = 86_400;
/// For how many seconds an old secret can sign.
const LONGEST_OVERLAP: i64 = 604_800;

/// The types of events that an endpoint can want.
const EVENTS: [&str; 4] = [CREATED, STEP, ENDED, IMPORTED];

/// An endpoint that was made, ready to be sent.
#[derive(Clone, Debug)]
pub struct Created {
    /// Where it is.
    pub location: String,
    /// JSON, secret included.
    pub body: String,
    /// Whether this repeats an earlier answer.
    pub replayed: bool,
}

/// Makes an endpoint, which is told of what happens from now on.
///
/// Under an Idempotency-Key the same request is answered the same again, secret included: like the tokens of a game,
/// that one comes of the key and a kept salt, and is not in the kept answer.
pub async fn create(context: &Context, call: &Call, request: &NewWebhook) -> Result<Created, Problem> {
    let (url, description, events) = (&request.url, &request.description, &request.events);
    check(context, Some(url), description.as_deref(), events.as_deref())?;
    for _ in 0..ROUNDS {
        let now = context.world.now();
        let slot = call.slot();
        let opened = context.store.open_portal(&claim(&call.credential), slot.as_ref(), None, now).await?;
        let caller =
            Caller::check(context, &call.credential, opened.as_ref().map(|opened| &opened.caller), now)?;
        caller.must_play()?;
        caller.must_be_portal()?;
        let (kept, held) = opened.map_or_else(Default::default, |opened| (opened.kept, opened.held));
        if let Some(kept) = kept {
            return again(kept, call);
        }
        // Who holds a connection while it waits for another could wait for itself.
        drop(held);
        let salt = context.world.secret()?;
        let bytes = call.key.as_ref().map_or(salt, |key| derived(key.as_str(), &salt));
        let secrets = Secrets::new(&bytes);
        let position = context.store.feed_end(caller.portal).await?;
        let enabled = request.enabled.unwrap_or(true);
        let row = WebhookRow {
            id: context.world.id(),
            portal_id: caller.portal,
            url: url.clone(),
            description: description.clone().unwrap_or_default(),
            events: encode(&events.as_deref().unwrap_or_default())?,
            secrets: encode(&secrets)?,
            status: if enabled { "enabled" } else { "disabled" }.to_owned(),
            reason: (!enabled).then(|| "portal".to_owned()),
            created_at: now,
            updated_at: now,
            position,
            failing_since: None,
        };
        let created = Created {
            location: format!("/webhooks/{}", row.id),
            body: encode(&Webhook::from_row(row.clone())?)?,
            replayed: false,
        };
        let keep = keep(context, call, &created, &salt, now);
        match context.store.create_webhook(&row, MOST, keep.as_ref(), Held::default()).await? {
            Made::Done => {
                context.webhooks.poke(row.id);
                return created.with_secret(&secrets);
            }
            Made::TooMany => return Err(Problem::new(Code::TooManyWebhooks)),
            Made::Taken => {}
        }
    }
    Err(crowded())
}

/// What to keep of the answer under the call's key, if it has one.
fn keep(context: &Context, call: &Call, created: &Created, salt: &[u8; 32], now: Timestamp) -> Option<Keep> {
    let answer = KeptAnswer {
        body_hash: call.body_hash.to_vec(),
        status: 201,
        etag: String::new(),
        location: Some(created.location.clone()),
        body: created.body.clone(),
        token_salt: Some(salt.to_vec()),
    };
    Some(Keep { slot: call.slot()?, answer, expires_at: now.plus(context.idempotency_ttl) })
}

/// The kept answer again, if this is the same request.
fn again(kept: KeptAnswer, call: &Call) -> Result<Created, Problem> {
    if kept.body_hash != call.body_hash {
        return Err(Problem::new(Code::IdempotencyKeyReused));
    }
    let (Some(key), Some(salt), Some(location)) = (&call.key, &kept.token_salt, kept.location) else {
        return Err(Problem::internal(&"a kept endpoint without salt or place"));
    };
    let secrets = Secrets::new(&derived(key.as_str(), salt));
    Created { location, body: kept.body, replayed: true }.with_secret(&secrets)
}

/// The secret bytes that a key and a salt give.
fn derived(key: &str, salt: &[u8]) -> [u8; 32] {
    derive(key, salt, "webhook")
}

impl Created {
    fn with_secret(mut self, secrets: &Secrets) -> Result<Self, Problem> {
        let secret = encode(&secrets.reveal())?;
        self.body.pop();
        self.body.push_str(",\"secret\":");
        self.body.push_str(&secret);
        self.body.push('}');
        Ok(self)
    }
}

/// The portal's endpoints.
pub async fn list(context: &Context, credential: &Credential) -> Result<WebhookPage, Problem> {
    let Desk { portal, mut held, .. } = Desk::read(context, credential).await?;
    let rows = context.store.webhooks(portal, &mut held).await?;
    Ok(WebhookPage { items: rows.into_iter().map(Webhook::from_row).collect::<Result<_, _>>()? })
}

/// One endpoint.
pub async fn get(context: &Context, credential: &Credential, id: Uuid) -> Result<Webhook, Problem> {
    let mut desk = Desk::read(context, credential).await?;
    Webhook::from_row(desk.webhook(context, id).await?)
}

/// Changes an endpoint.
pub async fn change(
    context: &Context,
    credential: &Credential,
    id: Uuid,
    request: &ChangeWebhook,
) -> Result<Webhook, Problem> {
    let (url, description, events) = (&request.url, &request.description, &request.events);
    check(context, url.as_deref(), description.as_deref(), events.as_deref())?;
    let Desk { portal, held, now } = Desk::write(context, credential).await?;
    let change = WebhookChange {
        url: url.clone(),
        description: description.clone(),
        events: events.as_ref().map(encode).transpose()?,
        status: request.enabled.map(|enabled| if enabled { "enabled" } else { "disabled" }),
    };
    let row = context.store.change_webhook(portal, id, &change, now, held).await?.ok_or_else(unknown)?;
    context.webhooks.poke(id);
    Webhook::from_row(row)
}

/// Deletes an endpoint. What was not delivered yet never is.
pub async fn delete(context: &Context, credential: &Credential, id: Uuid) -> Result<(), Problem> {
    let Desk { portal, held, .. } = Desk::write(context, credential).await?;
    if !context.store.delete_webhook(portal, id, held).await? {
        return Err(unknown());
    }
    context.webhooks.poke(id);
    Ok(())
}

/// Gives an endpoint a new secret; the old one goes on signing for a while.
pub async fn rotate(
    context: &Context,
    credential: &Credential,
    id: Uuid,
    request: &RotateSecret,
) -> Result<WebhookSecret, Problem> {
    let overlap = request.overlap_seconds.unwrap_or(OVERLAP);
    if !(0..=LONGEST_OVERLAP).contains(&overlap) {
        let message = format!("A whole number from 0 to {LONGEST_OVERLAP} is taken here.");
        return Err(Problem::new(Code::InvalidBody).error("/overlap_seconds", "out_of_range", message));
    }
    for _ in 0..ROUNDS {
        let mut desk = Desk::write(context, credential).await?;
        let row = desk.webhook(context, id).await?;
        let until = desk.now.plus(Duration::from_secs(overlap.unsigned_abs()));
        let secrets = secrets(&row)?.rotated(&context.world.secret()?, desk.now, until);
        if context.store.rotate_webhook(&row, &encode(&secrets)?, desk.now, desk.held).await? {
            return Ok(WebhookSecret { secret: secrets.reveal(), old_until: until });
        }
    }
    Err(crowded())
}

/// Who calls about endpoints, and the connection of the read that told.
pub(super) struct Desk {
    pub(super) portal: Uuid,
    pub(super) now: Timestamp,
    pub(super) held: Held,
}

impl Desk {
    pub(super) async fn read(context: &Context, credential: &Credential) -> Result<Self, Problem> {
        Self::open(context, credential, false).await
    }

    pub(super) async fn write(context: &Context, credential: &Credential) -> Result<Self, Problem> {
        Self::open(context, credential, true).await
    }

    async fn open(context: &Context, credential: &Credential, writes: bool) -> Result<Self, Problem> {
        let now = context.world.now();
        let opened = context.store.open_portal(&claim(credential), None, None, now).await?;
        let caller = Caller::check(context, credential, opened.as_ref().map(|opened| &opened.caller), now)?;
        if writes {
            caller.must_play()?;
        }
        caller.must_be_portal()?;
        Ok(Self { portal: caller.portal, now, held: opened.map_or_else(Held::default, |opened| opened.held) })
    }

    /// An endpoint of the caller's portal.
    pub(super) async fn webhook(&mut self, context: &Context, id: Uuid) -> Result<WebhookRow, Problem> {
        context.store.webhook(self.portal, id, &mut self.held).await?.ok_or_else(unknown)
    }
}

pub(super) fn unknown() -> Problem {
    Problem::new(Code::WebhookNotFound)
}

/// What the types do not say. Every reason at once; what a schema could have told comes first.
fn check(
    context: &Context,
    url: Option<&str>,
    description: Option<&str>,
    events: Option<&[String]>,
) -> Result<(), Problem> {
    let mut problem = Problem::new(Code::InvalidBody);
    let mut fits = true;
    let mut length = |pointer: String, value: Option<&str>, least: usize, longest: usize| {
        if value.is_some_and(|value| !(least..=longest).contains(&value.chars().count())) {
            let message = format!("{least} to {longest} characters are taken here.");
            problem = problem.clone().error(pointer, "length", message);
            fits = false;
        }
    };
    length("/url".to_owned(), url, 1, LONGEST_URL);
    length("/description".to_owned(), description, 0, LONGEST_DESCRIPTION);
    for (index, event) in events.iter().copied().flatten().enumerate() {
        length(format!("/events/{index}"), Some(event), 1, LONGEST_EVENT);
    }
    if events.is_some_and(|events| events.len() > MOST_EVENTS) {
        problem = problem.error("/events", "length", format!("At most {MOST_EVENTS} types are taken."));
        fits = false;
    }
    if !fits {
        return Err(problem);
    }
    let mut problem = Problem::new(Code::InvalidWebhook);
    if let Some(Err(unfit)) = url.map(|url| Target::parse(url, context.webhooks.sender.policy())) {
        problem = problem.error("/url", unfit.code, unfit.message);
        fits = false;
    }
    for (index, event) in events.iter().copied().flatten().enumerate() {
        if !EVENTS.contains(&event.as_str()) {
            let message = format!("One of {}.", EVENTS.join(", "));
            problem = problem.error(format!("/events/{index}"), "unknown_value", message);
            fits = false;
        }
    }
    if fits { Ok(()) } else { Err(problem) }
}
