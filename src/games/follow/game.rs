//! What happens in one game.

use super::super::file::{File, decode, encode, position_of, raw, shown, stored};
use super::super::wire::{GameEvent, Step};
use super::{Found, PAGE, unknown};
use crate::context::Context;
use crate::credential::Credential;
use crate::events::{Listener, Woken};
use crate::problem::Problem;
use crate::store::{ENDED, STEP, StepRow};
use kauri_rules::State;
use uuid::Uuid;

/// The type of the event that a game's stream begins with.
const SNAPSHOT: &str = "game.snapshot";

/// Follows one game, from a snapshot or from an event on.
#[derive(Debug)]
pub struct GameFollower {
    context: Context,
    credential: Credential,
    game: Uuid,
    listener: Listener,
    /// How many effects the caller knows of. Creation is the first, so the next step's ply is the same number.
    known: i64,
    /// The state after them, as JSON.
    state: String,
    /// The snapshot, until it is given out.
    snapshot: Option<Box<GameEvent>>,
    /// Whether the game has ended and the caller knows it.
    over: bool,
}

impl GameFollower {
    /// Looks at the game. Without `after` the first event is a snapshot; with it, the one after that number.
    pub async fn open(
        context: &Context,
        credential: &Credential,
        game: Uuid,
        after: Option<i64>,
    ) -> Result<Self, Problem> {
        let mut file = File::open(context, credential, game, None, None).await?;
        let listener = context.hub.game(file.game.portal_id, game);
        // What happened between that look and this wait is found by the next look.
        let happened = effects(&file);
        let ended = file.game.status != "active";
        let known = match after {
            Some(after) if after > happened || after < 0 => return Err(unknown("/after")),
            Some(after) => after,
            None => happened,
        };
        let ply = (known - 1).clamp(0, file.game.version);
        let state = encode(&file.view_at(context, ply).await?.state)?;
        let snapshot = if after.is_none() { Some(Box::new(snapshot(&file)?)) } else { None };
        let over = ended && known == happened && snapshot.is_none();
        Ok(Self {
            context: context.clone(),
            credential: credential.clone(),
            game,
            listener,
            known,
            state,
            snapshot,
            over,
        })
    }

    /// What is new.
    pub async fn look(&mut self) -> Result<Found, Problem> {
        self.listener.attend();
        if let Some(snapshot) = self.snapshot.take() {
            return Ok(Found::New(vec![*snapshot]));
        }
        let next = self.known;
        let mut file = File::open(&self.context, &self.credential, self.game, None, Some(next)).await?;
        let mut events = Vec::new();
        if self.known == 0 {
            events.push(self.created(&file)?);
        }
        // Mostly it is one step, and that has been read already.
        let behind = file.game.version - (self.known - 1);
        let steps = match file.step.take() {
            Some(step) if behind == 1 => vec![step],
            None if behind <= 0 => Vec::new(),
            _ => self.context.store.steps(self.game, self.known - 1, PAGE, &mut file.held).await?,
        };
        for step in steps {
            events.push(self.stepped(&file, step)?);
        }
        if file.game.status != "active" && self.known == file.game.version + 1 {
            events.push(self.ended(&file)?);
        }
        self.over = file.game.status != "active" && self.known == effects(&file);
        Ok(match events {
            none if none.is_empty() && self.over => Found::End,
            none if none.is_empty() => Found::Nothing,
            events => Found::New(events),
        })
    }

    /// Whether nothing more will happen, and the caller knows all that has.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.over
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

    fn event(&mut self, file: &File, r#type: &str) -> GameEvent {
        self.known += 1;
        GameEvent::of(&file.game, r#type, self.known, self.known.to_string())
    }

    fn created(&mut self, file: &File) -> Result<GameEvent, Problem> {
        let event = self.event(file, crate::store::CREATED);
        let seats = Some(raw(file.game.seats.clone())?);
        Ok(GameEvent { version: 0, at: file.game.created_at, seats, ..event })
    }

    fn stepped(&mut self, file: &File, row: StepRow) -> Result<GameEvent, Problem> {
        let event = self.event(file, STEP);
        let before: State = decode(&self.state)?;
        let view = file
            .rules()?
            .skip(&before, &mut [row.r#move.as_str()].into_iter())
            .map_err(|error| Problem::internal(&error))?
            .map_err(|error| Problem::internal(&error))?;
        self.state = encode(&view.state)?;
        let position = Some(stored(&file.game.throws, view).into());
        let (version, at) = (row.ply, row.at);
        let step = Some(Step::from_row(row).map_err(|error| Problem::internal(&error))?);
        Ok(GameEvent { at, version, step, position, ..event })
    }

    fn ended(&mut self, file: &File) -> Result<GameEvent, Problem> {
        let event = self.event(file, ENDED);
        let view = file.view_now()?;
        let at = file.game.finished_at.unwrap_or(file.game.updated_at);
        let position = position_of(&file.game, view)?;
        let (result, status) = (position.result.clone(), Some(file.game.status.clone()));
        Ok(GameEvent { at, position: Some(position), status, result, ..event })
    }
}

/// How much has happened to a game: it was created, stepped, and ended.
fn effects(file: &File) -> i64 {
    1 + file.game.version + i64::from(file.game.status != "active")
}

/// The game as it is.
fn snapshot(file: &File) -> Result<GameEvent, Problem> {
    let number = effects(file);
    let game = shown(file.game.clone())?;
    let event = GameEvent::of(&file.game, SNAPSHOT, number, number.to_string());
    Ok(GameEvent { game: Some(Box::new(game)), at: file.game.updated_at, ..event })
}
