//! A move: the order of checks, and the one write.

use super::answer::Answer;
use super::call::{Call, ROUNDS, crowded};
use super::file::{File, encode, stored};
use super::wire::{NewMove, Step, StepTaken};
use crate::context::Context;
use crate::problem::{Code, Problem};
use crate::store::{Change, StepRow};
use kauri_rules::{Event, IllegalMove, Phase, Played, Refusal, Seat, State, View};
use uuid::Uuid;

/// Makes a step of a stored game.
///
/// The order of checks is part of the contract. Parsing (1) is behind us; the numbers are the contract's.
/// A request that loses the write to another is decided once more on what it finds then: by its key or
/// as a natural repeat it may turn out to be the same step; otherwise its version is gone.
pub async fn play(context: &Context, call: &Call, game: Uuid, request: &NewMove) -> Result<Answer, Problem> {
    let mut read_on = None;
    for _ in 0..ROUNDS {
        let ply = request.expected_version.map(|version| version.saturating_add(1));
        let mut file = File::open(context, &call.credential, game, call.slot().as_ref(), ply).await?; // 2, 3
        file.caller.must_play()?;
        if let Some(answer) = file.answered(call)? {
            return Ok(answer); // 4
        }
        file.conditional(call, request.expected_version)?;
        if let Some(answer) = repeat(context, &mut file, request).await? {
            return Ok(answer); // 5
        }
        let state = file.state()?;
        let seat = file.seat(request.seat, state.to_move)?; // 6
        file.active()?; // 7
        file.version(call, request.expected_version, read_on)?; // 8
        turn(&file, seat, state.to_move)?; // 9
        let (step, view) = by_the_rules(context, &file, &state, &request.r#move)?; // 11
        let change = changed(&file, &step, &view)?;
        let answer = taken(&file, change.step.clone(), stored(&file.game.throws, view).into())?;
        let change = Change { keep: answer.keep(context, call, None, file.now), ..change };
        read_on = read_on.or(Some(file.game.version));
        if file.write(context, &change).await? {
            return Ok(answer); // 12
        }
    }
    Err(crowded())
}

/// The same seat made the same move on the same version before: its answer, made again.
async fn repeat(context: &Context, file: &mut File, request: &NewMove) -> Result<Option<Answer>, Problem> {
    let Some(step) = file.step.take() else { return Ok(None) };
    let same_seat = file.meant(request.seat)?.is_none_or(|seat| seat.as_str() == step.seat);
    let drawn = file.game.throws == "server" && step.r#move.starts_with("throw:");
    let same_move = if drawn { request.r#move == "throw" } else { request.r#move == step.r#move };
    if !(same_seat && same_move) {
        return Ok(None);
    }
    let view = file.view_at(context, step.ply).await?;
    let answer = taken(file, Some(step), stored(&file.game.throws, view).into())?;
    Ok(Some(Answer { created: false, replayed: true, ..answer }))
}

fn turn(file: &File, seat: Seat, to_move: Seat) -> Result<(), Problem> {
    if seat == to_move {
        return Ok(());
    }
    Err(Problem::new(Code::NotYourTurn).to_move(to_move).version(file.game.version))
}

/// Asks the rules; where the service throws, draws. The draw counts only if the write does: a retry
/// finds it in the log and never draws again.
fn by_the_rules(
    context: &Context,
    file: &File,
    state: &State,
    name: &str,
) -> Result<(Played, View), Problem> {
    let rules = file.rules()?;
    let view = || rules.view(state).map_err(|error| Problem::internal(&error));
    let server = file.game.throws == "server";
    if server && name.starts_with("throw:") && view()?.phase == Phase::Throw {
        return Err(file.illegal(&SERVICE_THROWS, view()?));
    }
    let shells = (server && name == "throw").then(|| context.world.throw()).transpose()?;
    let name = shells.map_or(name, |shells| throw_name(shells));
    match rules.apply(state, name) {
        Ok((mut played, view)) => {
            if let Some(Event { shells: seen, .. }) =
                played.events.iter_mut().find(|event| event.r#type == "throw")
            {
                *seen = shells;
            }
            Ok((played, view))
        }
        Err(Refusal::Move { illegal, view }) => Err(file.illegal(&illegal, *view)),
        Err(Refusal::State(error)) => Err(Problem::internal(&error)),
    }
}

/// In a game whose shells the service throws, nobody else may say how they fell.
const SERVICE_THROWS: IllegalMove = IllegalMove {
    code: "service_throws",
    clause: Some("A3"),
    message: "The service throws in this game: post throw.",
};

/// Mouths up count one each; none up counts eight (A3).
pub(super) fn throw_name(shells: [bool; 4]) -> &'static str {
    match shells.into_iter().filter(|&up| up).count() {
        1 => "throw:1",
        2 => "throw:2",
        3 => "throw:3",
        4 => "throw:4",
        _ => "throw:8",
    }
}

/// The write that the step needs, less the answer to keep.
fn changed(file: &File, played: &Played, view: &View) -> Result<Change, Problem> {
    let over = view.phase == Phase::Over;
    let result = view.result.as_ref().map(encode).transpose()?;
    Ok(Change {
        game_id: file.game.id,
        portal_id: file.game.portal_id,
        version: file.game.version,
        step: Some(StepRow {
            ply: file.game.version + 1,
            seat: played.seat.as_str().to_owned(),
            r#move: played.r#move.to_owned(),
            events: encode(&played.events)?,
            at: file.now,
        }),
        state: encode(&view.state)?,
        status: if over { "finished" } else { "active" },
        result,
        at: file.now,
        keep: None,
    })
}

/// The answer to a step, the same whether it is made or repeated.
fn taken(
    file: &File,
    step: Option<StepRow>,
    position: crate::api::schema::Position,
) -> Result<Answer, Problem> {
    let row = step.ok_or_else(|| Problem::internal(&"a step without a row"))?;
    let version = row.ply;
    let status = if position.phase == Phase::Over { "finished" } else { "active" };
    let step = Step::from_row(row).map_err(|error| Problem::internal(&error))?;
    let body = StepTaken { step, version, status: status.to_owned(), position };
    let location = format!("/games/{}/moves/{version}", file.game.id);
    Answer::new(true, format!("\"v{version}\""), Some(location), &body)
}
