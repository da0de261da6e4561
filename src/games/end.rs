//! Ending a game other than by a step: resignation and abort.

use super::answer::Answer;
use super::call::Call;
use super::file::{File, decode, encode, shown, tagged};
use super::wire::EndGame;
use crate::api::schema::GameResult;
use crate::context::Context;
use crate::problem::{Code, Problem};
use crate::store::{Change, GameRow};
use kauri_rules::Seat;
use uuid::Uuid;

/// A seat gives up. With two seats the other one wins; with more nobody does, for the rules know no
/// order among those who remain.
pub async fn resign(
    context: &Context,
    call: &Call,
    game: Uuid,
    request: &EndGame,
) -> Result<Answer, Problem> {
    end(context, call, game, request, Ending::Resignation).await
}

/// The portal calls a game off; only until every seat has made a step.
pub async fn abort(context: &Context, call: &Call, game: Uuid, request: &EndGame) -> Result<Answer, Problem> {
    end(context, call, game, request, Ending::Abort).await
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Resignation,
    Abort,
}

/// The order of checks of a move, where it applies.
async fn end(
    context: &Context,
    call: &Call,
    game: Uuid,
    request: &EndGame,
    ending: Ending,
) -> Result<Answer, Problem> {
    let mut read_on = None;
    loop {
        let mut file = File::open(context, &call.credential, game, call.slot().as_ref(), None).await?; // 2, 3
        file.caller.must_play()?;
        if ending == Ending::Abort {
            file.caller.must_be_portal()?;
        }
        if let Some(answer) = file.answered(call)? {
            return Ok(answer); // 4
        }
        file.conditional(call, request.expected_version)?;
        if let Some(answer) = repeat(&file, request, ending)? {
            return Ok(answer); // 5
        }
        let seat = file.seat(request.seat, file.state()?.to_move)?; // 6
        file.active()?; // 7
        file.version(call, request.expected_version, read_on)?; // 8
        if ending == Ending::Abort {
            early(context, &mut file).await?;
        }
        let result = result(&file, seat, ending)?;
        let status = if ending == Ending::Abort { "aborted" } else { "finished" };
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
}

/// The same ending on the same version was asked for before: the game as it has been since.
fn repeat(file: &File, request: &EndGame, ending: Ending) -> Result<Option<Answer>, Problem> {
    let Some(result) = &file.game.result else { return Ok(None) };
    let result: GameResult = decode(result)?;
    let same = match ending {
        Ending::Abort => result.reason == ABANDONED,
        Ending::Resignation => {
            let meant = file.meant(request.seat)?;
            result.reason == RESIGNATION && meant.is_none_or(|seat| result.seat == Some(seat))
        }
    };
    if !same || request.expected_version != Some(file.game.version) {
        return Ok(None);
    }
    let (etag, game) = (super::wire::etag_of(&file.game), shown(file.game.clone())?);
    Ok(Some(Answer { replayed: true, ..Answer::new(false, etag, None, &game)? }))
}

const RESIGNATION: &str = "resignation";
const ABANDONED: &str = "abandoned";

async fn early(context: &Context, file: &mut File) -> Result<(), Problem> {
    let moved = file.seats_moved(context).await?;
    let seats = i64::try_from(file.seats()?.len()).unwrap_or(i64::MAX);
    if moved < seats { Ok(()) } else { Err(Problem::new(Code::TooLateToAbort).version(file.game.version)) }
}

fn result(file: &File, seat: Seat, ending: Ending) -> Result<GameResult, Problem> {
    if ending == Ending::Abort {
        return Ok(GameResult { reason: ABANDONED.into(), winner: None, seat: None, places: Vec::new() });
    }
    let seats = file.seats()?;
    let others: Vec<Seat> = seats.iter().map(|held| held.seat).filter(|&other| other != seat).collect();
    let winner = if let [other] = others[..] { Some(other) } else { None };
    Ok(GameResult {
        reason: RESIGNATION.into(),
        winner,
        seat: Some(seat),
        places: winner.map_or(Vec::new(), |winner| vec![winner, seat]),
    })
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
