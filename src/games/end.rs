//! Ending a game other than by a step: resignation and abort.

use super::answer::Answer;
use super::call::{Call, ROUNDS, crowded};
use super::file::{File, decode, encode, shown, tagged};
use super::wire::{ABANDONED, AbortGame, RESIGNATION, ResignGame, etag_of};
use crate::api::schema::GameResult;
use crate::context::Context;
use crate::problem::{Code, Problem};
use crate::store::{Change, GameRow};
use kauri_rules::{DynRules, Seat, State};
use uuid::Uuid;

/// A seat gives up. With two seats the other one wins. With more the game ends for all, for the rules know no order
/// among those who remain: places that were reached count, and who has reached none wins nothing.
pub async fn resign(
    context: &Context,
    call: &Call,
    game: Uuid,
    request: &ResignGame,
) -> Result<Answer, Problem> {
    end(context, call, game, request.expected_version, Ending::Resignation(request.seat)).await
}

/// The portal calls a game off; only until every seat has made a step.
pub async fn abort(
    context: &Context,
    call: &Call,
    game: Uuid,
    request: &AbortGame,
) -> Result<Answer, Problem> {
    end(context, call, game, request.expected_version, Ending::Abort).await
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// By this seat; a token's own where none is named.
    Resignation(Option<Seat>),
    Abort,
}

/// The order of checks of a move, where it applies.
async fn end(
    context: &Context,
    call: &Call,
    game: Uuid,
    expected_version: Option<i64>,
    ending: Ending,
) -> Result<Answer, Problem> {
    let mut read_on = None;
    for _ in 0..ROUNDS {
        let mut file = File::open(context, &call.credential, game, call.slot().as_ref(), None).await?; // 2, 3
        file.caller.must_play()?;
        if ending == Ending::Abort {
            file.caller.must_be_portal()?;
        }
        if let Some(answer) = file.answered(call)? {
            return Ok(answer); // 4
        }
        file.conditional(call, expected_version)?;
        if let Some(answer) = repeat(&file, expected_version, ending)? {
            return Ok(answer); // 5
        }
        let by = by(&file, ending)?; // 6
        file.active()?; // 7
        file.version(call, expected_version, read_on)?; // 8
        let (status, result) = match by {
            Some(seat) => ("finished", resigned(&file, seat)?),
            None => ("aborted", abandoned(context, &mut file).await?),
        };
        let ended = ended(&file, status, encode(&result)?);
        let (etag, shown) = tagged(ended.clone())?;
        let answer = Answer::new(false, etag, None, &shown)?;
        let change = Change {
            game_id: ended.id,
            portal_id: ended.portal_id,
            version: ended.version,
            step: None,
            state: ended.state,
            status,
            result: ended.result,
            at: file.now,
            keep: answer.keep(context, call, None, file.now),
        };
        read_on = read_on.or(Some(file.game.version));
        if file.write(context, &change).await? {
            return Ok(answer); // 12
        }
    }
    Err(crowded())
}

/// The same ending on the same version was asked for before: the game as it has been since.
fn repeat(file: &File, expected_version: Option<i64>, ending: Ending) -> Result<Option<Answer>, Problem> {
    let Some(result) = &file.game.result else { return Ok(None) };
    let result: GameResult = decode(result)?;
    let same = match ending {
        Ending::Abort => result.reason == ABANDONED,
        Ending::Resignation(named) => {
            let meant = file.meant(named)?;
            result.reason == RESIGNATION && meant.is_some() && result.seat == meant
        }
    };
    if !same || expected_version != Some(file.game.version) {
        return Ok(None);
    }
    let (etag, game) = (etag_of(&file.game), shown(file.game.clone())?);
    Ok(Some(Answer { replayed: true, ..Answer::new(false, etag, None, &game)? }))
}

/// The seat that resigns. Whose turn it is says nothing about who gives up, so a portal must name it.
fn by(file: &File, ending: Ending) -> Result<Option<Seat>, Problem> {
    let Ending::Resignation(named) = ending else { return Ok(None) };
    match file.meant(named)? {
        Some(seat) => file.seat(Some(seat), seat).map(Some),
        None => Err(Problem::new(Code::InvalidBody).error(
            "/seat",
            "missing_member",
            "A portal says which seat resigns.",
        )),
    }
}

fn resigned(file: &File, seat: Seat) -> Result<GameResult, Problem> {
    let seats: Vec<Seat> = file.seats()?.into_iter().map(|held| held.seat).collect();
    resignation(file.rules()?, &file.state()?, &seats, seat)?.ok_or_else(|| {
        Problem::new(Code::GameOver)
            .detail("For this seat the game is over: it has finished.")
            .version(file.game.version)
    })
}

/// How a game ends when this seat resigns; none when the seat has finished.
pub(super) fn resignation(
    rules: &dyn DynRules,
    state: &State,
    seats: &[Seat],
    seat: Seat,
) -> Result<Option<GameResult>, Problem> {
    let mut places = rules.finished(state).map_err(|error| Problem::internal(&error))?;
    if places.contains(&seat) {
        return Ok(None);
    }
    let others = seats.iter().copied().filter(|other| *other != seat && !places.contains(other));
    let others: Vec<Seat> = others.collect();
    if let [last] = others[..] {
        places.extend([last, seat]);
    }
    let winner = places.first().copied();
    Ok(Some(GameResult { reason: RESIGNATION.into(), winner, seat: Some(seat), places }))
}

async fn abandoned(context: &Context, file: &mut File) -> Result<GameResult, Problem> {
    let moved = usize::try_from(file.seats_moved(context).await?).unwrap_or(usize::MAX);
    abandonment(moved, file.seats()?.len())
        .ok_or_else(|| Problem::new(Code::TooLateToAbort).version(file.game.version))
}

/// How a game ends when it is called off; none when every seat has moved.
pub(super) fn abandonment(moved: usize, seats: usize) -> Option<GameResult> {
    let abandoned = GameResult { reason: ABANDONED.into(), winner: None, seat: None, places: Vec::new() };
    (moved < seats).then_some(abandoned)
}

fn ended(file: &File, status: &str, result: String) -> GameRow {
    GameRow {
        status: status.to_owned(),
        result: Some(result),
        updated_at: file.now,
        finished_at: Some(file.now),
        ..file.game.clone()
    }
}
