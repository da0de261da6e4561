//! Creating a game, once however often it is asked for.

use super::access::{Caller, claim};
use super::answer::{Answer, token};
use super::call::{Call, ROUNDS, crowded};
use super::file::{encode, tagged};
use super::wire::{GameSeat, NewGame, SeatToken};
use crate::context::Context;
use crate::credential::Secret;
use crate::problem::{Code, Problem};
use crate::store::{GameRow, SeatRow};
use kauri_rules::{DynRules, Phase, RulesId, Seat, View};
use uuid::Uuid;

/// Longest `player`, `name` or `external_ref`, in characters.
pub(super) const LONGEST_NAME: usize = 200;
/// Longest tag, in characters.
pub(super) const LONGEST_TAG: usize = 64;
/// Most tags.
pub(super) const MOST_TAGS: usize = 16;

/// Creates a game from its rules' start, or from a posted state.
///
/// Under an Idempotency-Key the same request is answered the same again, tokens included. Under an
/// `external_ref` the same body is answered with the game that is there, without tokens.
pub async fn create(context: &Context, call: &Call, request: &NewGame) -> Result<Answer, Problem> {
    check(request)?;
    for _ in 0..ROUNDS {
        let now = context.world.now();
        let slot = call.slot();
        let name = request.external_ref.as_deref();
        let opened = context.store.open_portal(&claim(&call.credential), slot.as_ref(), name, now).await?;
        let caller =
            Caller::check(context, &call.credential, opened.as_ref().map(|opened| &opened.caller), now)?;
        caller.must_play()?;
        caller.must_be_portal()?;
        let (kept, named, held) =
            opened.map_or_else(Default::default, |opened| (opened.kept, opened.named, opened.held));
        if let Some(kept) = kept {
            return Answer::again(kept, call);
        }
        if let Some((meaning, game)) = named {
            if meaning != request.meaning()? {
                return Err(Problem::new(Code::ExternalRefTaken));
            }
            return answer(game, false);
        }
        let game = new_game(context, caller.portal, request, now)?;
        let salt = call.key.as_ref().map(|_| context.world.secret()).transpose()?;
        let (rows, tokens) = seats(context, call, &game, salt.as_ref())?;
        let created = answer(game.clone(), true)?;
        let keep = created.keep(context, call, salt, now);
        if context.store.create(&game, &rows, &request.meaning()?, keep.as_ref(), held).await? {
            context.hub.tell(game.portal_id, game.id);
            return created.with_tokens(&tokens);
        }
    }
    Err(crowded())
}

fn answer(game: GameRow, created: bool) -> Result<Answer, Problem> {
    let location = Some(format!("/games/{}", game.id));
    let (etag, game) = tagged(game)?;
    Answer::new(created, etag, location, &game)
}

/// The row of the game asked for, if the rules allow it.
fn new_game(
    context: &Context,
    portal: Uuid,
    request: &NewGame,
    now: crate::timestamp::Timestamp,
) -> Result<GameRow, Problem> {
    let rules = rules(&request.rules)?;
    let view = start(rules, request)?;
    let over = view.phase == Phase::Over;
    let state = encode(&view.state)?;
    Ok(GameRow {
        id: context.world.id(),
        portal_id: portal,
        rules: request.rules.clone(),
        throws: request.throws.clone().unwrap_or_else(|| "server".to_owned()),
        status: if over { "finished" } else { "active" }.to_owned(),
        version: 0,
        start_state: state.clone(),
        state,
        result: view.result.as_ref().map(encode).transpose()?,
        seats: encode(&seated(rules, request, &view)?)?,
        tags: encode(&request.tags.as_deref().unwrap_or_default())?,
        external_ref: request.external_ref.clone(),
        created_at: now,
        updated_at: now,
        finished_at: over.then_some(now),
    })
}

fn rules(name: &str) -> Result<&'static dyn DynRules, Problem> {
    name.parse::<RulesId>().map(RulesId::rules).map_err(|error| {
        Problem::new(Code::InvalidOptions).error("/rules", "unknown_rules", error.to_string())
    })
}

/// The first position: the rules' own, or the one posted.
fn start(rules: &dyn DynRules, request: &NewGame) -> Result<View, Problem> {
    let seats: Option<Vec<Seat>> =
        request.seats.as_ref().map(|seats| seats.iter().map(|seat| seat.seat).collect());
    let Some(state) = &request.state else {
        return rules
            .initial(seats.as_deref(), &request.options.clone().unwrap_or_default())
            .map_err(|invalid| Problem::invalid_options(&invalid));
    };
    if request.options.is_some() {
        return Err(Problem::new(Code::InvalidOptions).error(
            "/options",
            "not_with_state",
            "A posted state carries its own options.",
        ));
    }
    rules.view(state).map_err(|invalid| Problem::invalid_state("/state", &invalid))
}

/// The seats of the position, in turn order, with who sits there.
fn seated(rules: &dyn DynRules, request: &NewGame, view: &View) -> Result<Vec<GameSeat>, Problem> {
    let places = rules.seats(&view.state).map_err(|error| Problem::internal(&error))?;
    let named = request.seats.as_deref().unwrap_or_default();
    let mut wrong = Problem::new(Code::InvalidOptions);
    let mut fits = true;
    for (index, named) in named.iter().enumerate().filter(|(_, named)| !places.contains(&named.seat)) {
        fits = false;
        let message = format!("Nobody sits {} in this state.", named.seat);
        wrong = wrong.error(format!("/seats/{index}/seat"), "no_such_seat", message);
    }
    if !fits {
        return Err(wrong);
    }
    Ok(places
        .into_iter()
        .map(|seat| {
            let named = named.iter().find(|named| named.seat == seat);
            GameSeat {
                seat,
                player: named.and_then(|named| named.player.clone()),
                name: named.and_then(|named| named.name.clone()),
            }
        })
        .collect())
}

/// The seats' rows and tokens. With a salt the secrets come from it and the Idempotency-Key, so that a
/// retry gets the same.
fn seats(
    context: &Context,
    call: &Call,
    game: &GameRow,
    salt: Option<&[u8; 32]>,
) -> Result<(Vec<SeatRow>, Vec<SeatToken>), Problem> {
    let seated: Vec<GameSeat> = super::file::decode(&game.seats)?;
    let mut rows = Vec::with_capacity(seated.len());
    let mut tokens = Vec::with_capacity(seated.len());
    for GameSeat { seat, player, .. } in seated {
        let secret = match (&call.key, salt) {
            (Some(key), Some(salt)) => Secret::derived(key.as_str(), salt, seat),
            _ => Secret::new(context.world.secret()?),
        };
        rows.push(SeatRow { seat, player, token_hash: secret.hash() });
        tokens.push(token(game.id, seat, secret));
    }
    Ok((rows, tokens))
}

/// What the types do not say: lengths, and words that must be one of a few. Every reason at once.
fn check(request: &NewGame) -> Result<(), Problem> {
    let mut wrong: Vec<(String, &str, String)> = Vec::new();
    let mut text = |pointer: String, value: Option<&str>, longest: usize| {
        if value.is_some_and(|value| value.is_empty() || value.chars().count() > longest) {
            wrong.push((pointer, "length", format!("1 to {longest} characters are taken here.")));
        }
    };
    text("/external_ref".to_owned(), request.external_ref.as_deref(), LONGEST_NAME);
    for (index, seat) in request.seats.iter().flatten().enumerate() {
        text(format!("/seats/{index}/player"), seat.player.as_deref(), LONGEST_NAME);
        text(format!("/seats/{index}/name"), seat.name.as_deref(), LONGEST_NAME);
    }
    for (index, tag) in request.tags.iter().flatten().enumerate() {
        text(format!("/tags/{index}"), Some(tag), LONGEST_TAG);
    }
    if request.tags.as_ref().is_some_and(|tags| tags.len() > MOST_TAGS) {
        wrong.push(("/tags".to_owned(), "length", format!("At most {MOST_TAGS} tags are taken.")));
    }
    if wrong.is_empty() {
        return match request.throws.as_deref() {
            None | Some("server" | "supplied") => Ok(()),
            Some(_) => {
                let message = "One of server, supplied.";
                Err(Problem::new(Code::InvalidOptions).error("/throws", "unknown_value", message))
            }
        };
    }
    Err(wrong.into_iter().fold(Problem::new(Code::InvalidBody), |problem, (pointer, code, message)| {
        problem.error(pointer, code, message)
    }))
}
