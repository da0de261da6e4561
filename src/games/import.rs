//! Whole games coming in. Nothing of a record is believed: every step is made again by the rules.

use super::access::{Caller, claim};
use super::create::{LONGEST_NAME, LONGEST_TAG, MOST_TAGS};
use super::end::{abandonment, resignation};
use super::file::encode;
use super::play::throw_name;
use super::record::{GameRecord, steps};
use super::wire::{ABANDONED, GameSeat, RESIGNATION};
use crate::api::schema::GameResult;
use crate::context::Context;
use crate::credential::{Credential, hash};
use crate::problem::{Code, Problem};
use crate::store::{GameRow, Held, SeatRow, StepRow, Written};
use kauri_rules::{DynRules, Phase, Played, RulesId, Seat, View};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use utoipa::ToSchema;
use uuid::Uuid;

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imported {
    /// The game is new here.
    New(Uuid),
    /// The very same game was here before.
    Present(Uuid),
}

/// What became of many records.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct ImportReport {
    /// Games that are new here.
    #[schema(minimum = 0, example = 1)]
    pub imported: u64,
    /// Games that were here before, the same in all.
    #[schema(minimum = 0, example = 0)]
    pub present: u64,
    /// Records that were refused.
    #[schema(minimum = 0, example = 0)]
    pub refused: u64,
    /// Where and why, of the first 100 of those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(nullable = false, required = false, max_items = 100)]
    pub failures: Vec<ImportFailure>,
}

/// A record that was refused.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportFailure {
    /// Its line, from 1.
    #[schema(minimum = 1, example = 18)]
    pub line: u64,
    /// The game's id, where the record can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, nullable = false, example = "01937a5e-0000-7000-8000-000000000001")]
    pub game: Option<Uuid>,
    /// Why: the problem that the record by itself would be answered with.
    #[schema(value_type = crate::problem::Document)]
    pub problem: Problem,
}

/// Most steps of a record.
const MOST_MOVES: usize = 100_000;

/// Most failures that are told.
const MOST_FAILURES: usize = 100;

impl ImportReport {
    /// Counts a record that was taken.
    pub fn taken(&mut self, imported: Imported) {
        match imported {
            Imported::New(_) => self.imported += 1,
            Imported::Present(_) => self.present += 1,
        }
    }

    /// Counts a record that was refused, and tells of it.
    pub fn refused(&mut self, failure: ImportFailure) {
        self.refused += 1;
        if self.failures.len() < MOST_FAILURES {
            self.failures.push(failure);
        }
    }
}

/// Whether a line is the last of an export, which is no record.
#[must_use]
pub fn is_end(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct End {
        end: bool,
        #[serde(rename = "count")]
        _count: u64,
    }
    line.len() < 64 && serde_json::from_slice::<End>(line).is_ok_and(|line| line.end)
}

/// Where records go: into one portal.
#[derive(Clone, Debug)]
pub struct Importer {
    context: Context,
    caller: Caller,
}

impl Importer {
    /// Into the portal that calls, if it may change anything.
    pub async fn begin(context: &Context, credential: &Credential) -> Result<Self, Problem> {
        let now = context.world.now();
        let opened = context.store.open_portal(&claim(credential), None, None, now).await?;
        let caller = Caller::check(context, credential, opened.as_ref().map(|opened| &opened.caller), now)?;
        caller.must_play()?;
        caller.must_be_portal()?;
        Ok(Self { context: context.clone(), caller })
    }

    /// Into a portal, by its operator.
    #[must_use]
    pub fn of(context: &Context, portal: Uuid) -> Self {
        Self { context: context.clone(), caller: Caller::operator(portal) }
    }

    /// Takes one game in, whole or not at all. The same record again changes nothing. A game keeps its id, unless
    /// another portal has a game of that id: then it has one that is made of both, the same each time.
    pub async fn take(&self, record: &GameRecord) -> Result<Imported, Problem> {
        let (game, log) = replayed(self.caller.portal, record)?;
        for id in [record.id, made_of(self.caller.portal, record.id)] {
            let game = GameRow { id, ..game.clone() };
            let now = self.context.world.now();
            match self.context.store.import(&game, &self.seats(record)?, &log, now).await? {
                Written::New => {
                    self.context.hub.tell(game.portal_id, id);
                    return Ok(Imported::New(id));
                }
                Written::NameTaken => return Err(Problem::new(Code::ExternalRefTaken)),
                Written::IdTaken(there) if there.portal_id != self.caller.portal => {}
                Written::IdTaken(there) => {
                    let same =
                        *there == game && steps(&self.context, &game, &mut Held::default()).await? == log;
                    return if same {
                        Ok(Imported::Present(id))
                    } else {
                        Err(Problem::new(Code::GameExists))
                    };
                }
            }
        }
        Err(Problem::new(Code::GameExists))
    }

    /// Who sits where. A token is for whoever was given it when the game was made, and is in no record: nobody can know
    /// these.
    fn seats(&self, record: &GameRecord) -> Result<Vec<SeatRow>, Problem> {
        let seat = |seat: &super::record::RecordSeat| {
            Ok(SeatRow {
                seat: seat.seat,
                player: seat.player.clone(),
                token_hash: hash(&self.context.world.secret()?),
            })
        };
        record.seats.iter().map(seat).collect()
    }
}

/// The id of a game whose own is another portal's.
fn made_of(portal: Uuid, id: Uuid) -> Uuid {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash(&[portal.into_bytes(), id.into_bytes()].concat())[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// A record that can't be a game's, and where it shows.
fn wrong(pointer: impl Into<String>, code: &str, message: impl Into<String>) -> Problem {
    Problem::new(Code::InvalidRecord).error(pointer, code, message)
}

/// The rows that the record stands for, if the rules allow every step of it.
fn replayed(portal: Uuid, record: &GameRecord) -> Result<(GameRow, Vec<StepRow>), Problem> {
    words(record)?;
    let rules: RulesId =
        record.rules.parse().map_err(|_| wrong("/rules", "unknown_rules", "There are no such rules."))?;
    let rules = rules.rules();
    let start = rules
        .view(&record.start)
        .map_err(|invalid| Problem::new(Code::InvalidRecord).reasons("/start", &invalid.0))?;
    let seats = seated(rules, record, &start)?;
    let (view, log) = made_again(rules, record, &start)?;
    let result = came_out(rules, record, &view)?;
    let last = record.finished_at.or(record.moves.last().map(|step| step.at));
    let game = GameRow {
        id: record.id,
        portal_id: portal,
        rules: record.rules.clone(),
        throws: record.throws.clone(),
        status: record.status.clone(),
        version: i64::try_from(log.len()).unwrap_or(i64::MAX),
        start_state: encode(&start.state)?,
        state: encode(&view.state)?,
        result,
        seats: encode(&seats)?,
        tags: encode(&record.tags)?,
        external_ref: record.external_ref.clone(),
        created_at: record.created_at,
        updated_at: last.unwrap_or(record.created_at),
        finished_at: record.finished_at,
    };
    Ok((game, log))
}

/// What the types do not say: lengths, and words that must be one of a few.
fn words(record: &GameRecord) -> Result<(), Problem> {
    let text = |pointer: String, value: Option<&String>, longest: usize| match value {
        Some(value) if value.is_empty() || value.chars().count() > longest => {
            Err(wrong(pointer, "length", format!("1 to {longest} characters are taken here.")))
        }
        _ => Ok(()),
    };
    let one_of = |pointer: &str, value: &str, words: &[&str]| {
        if words.contains(&value) {
            return Ok(());
        }
        Err(wrong(pointer, "unknown_value", format!("One of {}.", words.join(", "))))
    };
    one_of("/throws", &record.throws, &["server", "supplied"])?;
    one_of("/status", &record.status, &["active", "finished", "aborted"])?;
    text("/external_ref".to_owned(), record.external_ref.as_ref(), LONGEST_NAME)?;
    for (index, seat) in record.seats.iter().enumerate() {
        text(format!("/seats/{index}/player"), seat.player.as_ref(), LONGEST_NAME)?;
        text(format!("/seats/{index}/name"), seat.name.as_ref(), LONGEST_NAME)?;
    }
    for (index, tag) in record.tags.iter().enumerate() {
        text(format!("/tags/{index}"), Some(tag), LONGEST_TAG)?;
    }
    if record.moves.len() > MOST_MOVES {
        return Err(wrong("/moves", "length", format!("At most {MOST_MOVES} steps are taken.")));
    }
    if record.tags.len() > MOST_TAGS {
        return Err(wrong("/tags", "length", format!("At most {MOST_TAGS} tags are taken.")));
    }
    Ok(())
}

/// The seats of the start, in turn order, with who sits there: each of them once.
fn seated(rules: &dyn DynRules, record: &GameRecord, start: &View) -> Result<Vec<GameSeat>, Problem> {
    let places = rules.seats(&start.state).map_err(|error| Problem::internal(&error))?;
    let named: HashSet<Seat> = record.seats.iter().map(|seat| seat.seat).collect();
    let fits = places.len() == record.seats.len() && places.iter().all(|seat| named.contains(seat));
    if !fits {
        return Err(wrong("/seats", "other_seats", "These are not the seats of the start, each once."));
    }
    let of = |seat: Seat| {
        let named = record.seats.iter().find(|named| named.seat == seat);
        GameSeat {
            seat,
            player: named.and_then(|named| named.player.clone()),
            name: named.and_then(|named| named.name.clone()),
        }
    };
    Ok(places.into_iter().map(of).collect())
}

/// Every step, made by the rules from the start.
fn made_again(
    rules: &dyn DynRules,
    record: &GameRecord,
    start: &View,
) -> Result<(View, Vec<StepRow>), Problem> {
    let mut all: Vec<Played> = Vec::with_capacity(record.moves.len());
    let names = &mut record.moves.iter().map(|step| step.r#move.as_str());
    let replayed = rules.replay(&start.state, names, &mut |played| all.push(played));
    let replayed = replayed.map_err(|error| Problem::internal(&error))?;
    let mut log = Vec::with_capacity(all.len());
    for (index, (mut played, step)) in all.into_iter().zip(&record.moves).enumerate() {
        if played.seat != step.seat {
            let message = format!("It is made by {}.", played.seat);
            return Err(wrong(format!("/moves/{index}/seat"), "wrong_seat", message));
        }
        if let Some(shells) = step.shells {
            let thrown = played.events.iter_mut().find(|event| event.r#type == "throw");
            let Some(event) = thrown.filter(|_| throw_name(shells) == played.r#move) else {
                let message = "These shells do not give what the step says.";
                return Err(wrong(format!("/moves/{index}/shells"), "other_throw", message));
            };
            event.shells = Some(shells);
        }
        log.push(StepRow {
            ply: i64::try_from(index + 1).unwrap_or(i64::MAX),
            seat: played.seat.as_str().to_owned(),
            r#move: played.r#move.to_owned(),
            events: encode(&played.events)?,
            at: step.at,
        });
    }
    match replayed {
        Ok(view) => Ok((view, log)),
        Err(bad) => {
            let pointer = format!("/moves/{}/move", bad.index);
            Err(Problem::illegal_step(Code::InvalidRecord, &pointer, &bad.illegal, &bad.view))
        }
    }
}

/// The result as it is stored, if the game ended so.
fn came_out(rules: &dyn DynRules, record: &GameRecord, view: &View) -> Result<Option<String>, Problem> {
    let ended = record.status != "active";
    for (pointer, there) in
        [("/result", record.result.is_some()), ("/finished_at", record.finished_at.is_some())]
    {
        if there != ended {
            return Err(wrong(pointer, "other_status", "This is there exactly when the game has ended."));
        }
    }
    let by_the_rules = view.phase == Phase::Over;
    let status = if by_the_rules { "finished" } else { record.status.as_str() };
    if status != record.status {
        return Err(wrong("/status", "over", "By the rules the game has finished."));
    }
    let Some(result) = &record.result else { return Ok(None) };
    if let Some(outcome) = &view.result {
        return same(result, &GameResult::from(*outcome)).and_then(|()| encode(outcome).map(Some));
    }
    let seats: Vec<Seat> = record.seats.iter().map(|seat| seat.seat).collect();
    let expected = match (status, &*result.reason, result.seat) {
        ("finished", RESIGNATION, Some(seat)) if seats.contains(&seat) => {
            let in_turn = rules.seats(&view.state).map_err(|error| Problem::internal(&error))?;
            resignation(rules, &view.state, &in_turn, seat)?
        }
        ("aborted", ABANDONED, _) => {
            let moved: HashSet<Seat> = record.moves.iter().map(|step| step.seat).collect();
            abandonment(moved.len(), seats.len())
        }
        _ => None,
    };
    let Some(expected) = expected else {
        return Err(wrong("/result", "other_result", "By the rules the game has not ended so."));
    };
    same(result, &expected)?;
    encode(&expected).map(Some)
}

fn same(result: &GameResult, expected: &GameResult) -> Result<(), Problem> {
    if result == expected {
        return Ok(());
    }
    Err(wrong("/result", "other_result", "This is not how the game came out."))
}
