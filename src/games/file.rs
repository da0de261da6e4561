//! A request's file on a game: everything the one read brought, decoded.

use super::access::{Caller, Role, claim};
use super::answer::Answer;
use super::call::Call;
use super::wire::{Game, GameSeat, etag_of};
use crate::api::schema::{GameResult, Position};
use crate::context::Context;
use crate::credential::Credential;
use crate::json;
use crate::problem::{Code, Problem};
use crate::store::{Change, GameRow, Held, KeptAnswer, Opened, Slot, StepRow};
use crate::timestamp::Timestamp;
use kauri_rules::{DynRules, IllegalMove, Phase, RulesId, Seat, State, View};
use serde_json::value::RawValue;
use uuid::Uuid;

/// Who calls, and about which game.
pub(super) struct File {
    pub caller: Caller,
    pub game: GameRow,
    pub kept: Option<KeptAnswer>,
    /// The step that was made on the version the caller expects, if one was.
    pub step: Option<StepRow>,
    pub now: Timestamp,
    /// The connection, for what may follow.
    pub held: Held,
}

impl File {
    /// Reads, and checks the credential and that the game is in its reach.
    pub(super) async fn open(
        context: &Context,
        credential: &Credential,
        game: Uuid,
        slot: Option<&Slot>,
        ply: Option<i64>,
    ) -> Result<Self, Problem> {
        let now = context.world.now();
        let opened = context.store.open(&claim(credential), game, slot, ply, now).await?;
        let caller = Caller::check(context, credential, opened.as_ref().map(|opened| &opened.caller), now)?;
        match opened {
            Some(Opened { game: Some(row), kept, step, held, .. }) if caller.reaches(game) => {
                Ok(Self { caller, game: row, kept, step, now, held })
            }
            _ => Err(Problem::new(Code::GameNotFound)),
        }
    }

    /// Writes a change that was decided on this file. False when the game has moved on or ended meanwhile.
    pub(super) async fn write(self, context: &Context, change: &Change) -> Result<bool, Problem> {
        let written = context.store.change(change, self.held).await?;
        if written {
            context.hub.tell(change.portal_id, change.game_id);
        }
        Ok(written)
    }

    /// The kept answer, if this request was answered before.
    pub(super) fn answered(&mut self, call: &Call) -> Result<Option<Answer>, Problem> {
        self.kept.take().map(|kept| Answer::again(kept, call)).transpose()
    }

    /// A strict portal wants every change to be conditional or repeatable.
    pub(super) fn conditional(&self, call: &Call, expected_version: Option<i64>) -> Result<(), Problem> {
        let conditional = call.condition.is_some() || call.key.is_some() || expected_version.is_some();
        if self.caller.strict && !conditional {
            return Err(Problem::new(Code::PreconditionRequired));
        }
        Ok(())
    }

    /// The seat acted for: the one named, else the token's, else the one to move.
    pub(super) fn seat(&self, named: Option<Seat>, to_move: Seat) -> Result<Seat, Problem> {
        let seat = self.meant(named)?.unwrap_or(to_move);
        if self.seats()?.iter().any(|held| held.seat == seat) {
            Ok(seat)
        } else {
            Err(Problem::new(Code::WrongSeat))
        }
    }

    /// Refuses what comes after the end.
    pub(super) fn active(&self) -> Result<(), Problem> {
        if self.game.status == "active" {
            return Ok(());
        }
        Err(Problem::new(Code::GameOver).version(self.game.version))
    }

    /// Refuses what was decided on another version. `read_on` is the version an earlier reading of this
    /// same request saw: a request that lost a race was decided on a version that is gone, even if it
    /// did not say so.
    pub(super) fn version(
        &self,
        call: &Call,
        expected: Option<i64>,
        read_on: Option<i64>,
    ) -> Result<(), Problem> {
        let version = self.game.version;
        if call.condition.as_ref().is_some_and(|condition| !condition.holds(&self.game)) {
            return Err(Problem::new(Code::PreconditionFailed).version(version));
        }
        if expected.or(read_on).is_some_and(|expected| expected != version) {
            return Err(Problem::new(Code::VersionConflict).version(version));
        }
        Ok(())
    }

    pub(super) fn seats(&self) -> Result<Vec<GameSeat>, Problem> {
        decode(&self.game.seats)
    }

    pub(super) fn state(&self) -> Result<State, Problem> {
        decode(&self.game.state)
    }

    /// The seat the caller means without looking at whose turn it is; none is any. A token that names
    /// another seat than its own means nothing.
    pub(super) fn meant(&self, named: Option<Seat>) -> Result<Option<Seat>, Problem> {
        match (self.caller.role, named) {
            (Role::Seat { seat, .. }, Some(named)) if seat != named => Err(Problem::new(Code::WrongSeat)),
            (Role::Seat { seat, .. }, _) => Ok(Some(seat)),
            (Role::Portal { .. }, named) => Ok(named),
        }
    }

    /// The position now, by the rules.
    pub(super) fn view_now(&self) -> Result<View, Problem> {
        self.rules()?.view(&self.state()?).map_err(|error| Problem::internal(&error))
    }

    /// The position after a ply: the log up to there, replayed from the start.
    pub(super) async fn view_at(&mut self, context: &Context, ply: i64) -> Result<View, Problem> {
        if ply == self.game.version {
            return self.view_now();
        }
        let start: State = decode(&self.game.start_state)?;
        let moves = context.store.moves(self.game.id, ply, &mut self.held).await?;
        self.rules()?
            .skip(&start, &mut moves.iter().map(String::as_str))
            .map_err(|error| Problem::internal(&error))?
            .map_err(|error| Problem::internal(&error))
    }

    /// How many different seats have made a step.
    pub(super) async fn seats_moved(&mut self, context: &Context) -> Result<i64, Problem> {
        Ok(context.store.seats_moved(self.game.id, &mut self.held).await?)
    }

    /// A step the rules forbid in this game.
    pub(super) fn illegal(&self, illegal: &IllegalMove, view: View) -> Problem {
        Problem::illegal_move(illegal, &stored(&self.game.throws, view)).version(self.game.version)
    }

    pub(super) fn rules(&self) -> Result<&'static dyn DynRules, Problem> {
        rules_of(&self.game)
    }
}

/// The rules a stored game is played by.
pub(super) fn rules_of(game: &GameRow) -> Result<&'static dyn DynRules, Problem> {
    let id: RulesId = game.rules.parse().map_err(|error| Problem::internal(&error))?;
    Ok(id.rules())
}

/// A stored game as it is answered.
pub(super) fn shown(row: GameRow) -> Result<Game, Problem> {
    let state: State = decode(&row.state)?;
    let view = rules_of(&row)?.view(&state).map_err(|error| Problem::internal(&error))?;
    let position = position_of(&row, view)?;
    Ok(Game {
        id: row.id,
        rules: row.rules,
        status: row.status,
        version: row.version,
        throws: row.throws,
        seats: raw(row.seats)?,
        position,
        external_ref: row.external_ref,
        tags: raw(row.tags)?,
        created_at: row.created_at,
        updated_at: row.updated_at,
        finished_at: row.finished_at,
        seat_tokens: None,
    })
}

/// A stored game's position: the rules', unless the game was ended by other than a step.
pub(super) fn position_of(row: &GameRow, view: View) -> Result<Position, Problem> {
    let by_the_rules = view.phase == Phase::Over || row.status == "active";
    let mut position = Position::from(stored(&row.throws, view));
    if !by_the_rules {
        position.phase = Phase::Over;
        position.legal_moves.clear();
        position.result = row.result.as_deref().map(decode::<GameResult>).transpose()?;
    }
    Ok(position)
}

/// What a stored game offers: where the service throws, `throw` is what may be posted.
pub(super) fn stored(throws: &str, mut view: View) -> View {
    if view.phase == Phase::Throw && throws == "server" {
        view.legal_moves = vec!["throw"];
    }
    view
}

/// The tag and the whole of a game.
pub(super) fn tagged(row: GameRow) -> Result<(String, Game), Problem> {
    Ok((etag_of(&row), shown(row)?))
}

pub(crate) fn decode<T: serde::de::DeserializeOwned>(json: &str) -> Result<T, Problem> {
    serde_json::from_str(json).map_err(|error| Problem::internal(&error))
}

pub(crate) fn encode(value: &impl serde::Serialize) -> Result<String, Problem> {
    json::text(value).map_err(|error| Problem::internal(&error))
}

pub(crate) fn raw(json: String) -> Result<Box<RawValue>, Problem> {
    RawValue::from_string(json).map_err(|error| Problem::internal(&error))
}
