//! A record as text, for people to read and programs to read back: tag pairs, a blank line, a line for each step, and
//! the status as the last line. `docs/NOTATION.md` has the grammar.

use super::record::{GameRecord, RecordMove, RecordSeat};
use crate::api::schema::GameResult;
use crate::timestamp::Timestamp;
use kauri_rules::{Options, RulesId, Seat, State};
use std::fmt::Write;
use std::str::FromStr;
use uuid::Uuid;

/// A text that is no record, and the first line that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct NotationError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: &'static str,
}

/// The tags of a seat: who sits there, and the name to show.
const SEATS: [(Seat, &str, &str); 4] = [
    (Seat::South, "South", "SouthName"),
    (Seat::West, "West", "WestName"),
    (Seat::North, "North", "NorthName"),
    (Seat::East, "East", "EastName"),
];

/// The record as text. Its cursor, which belongs to an export, is left out.
#[must_use]
pub fn write(record: &GameRecord) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "[{name} {}]", quoted(value));
    };
    tag("Id", &record.id.to_string());
    tag("Rules", &record.rules);
    tag("Throws", &record.throws);
    tag("Seats", &words(record.seats.iter().map(|seat| seat.seat)));
    for RecordSeat { seat, player, name } in &record.seats {
        let (_, who, shown) = SEATS[seat.index()];
        for (tag_name, value) in [(who, player), (shown, name)] {
            if let Some(value) = value {
                tag(tag_name, value);
            }
        }
    }
    if let Some(name) = &record.external_ref {
        tag("ExternalRef", name);
    }
    for label in &record.tags {
        tag("Tag", label);
    }
    if usual_start(&record.rules, &record.seats).as_ref() != Some(&record.start) {
        tag("Start", &serde_json::to_string(&record.start).unwrap_or_default());
    }
    tag("Created", &record.created_at.to_string());
    if let Some(at) = record.finished_at {
        tag("Finished", &at.to_string());
    }
    if let Some(GameResult { winner, reason, seat, places }) = &record.result {
        tag("Reason", reason);
        if let Some(winner) = winner {
            tag("Winner", winner.as_str());
        }
        if let Some(seat) = seat {
            tag("ResignedBy", seat.as_str());
        }
        if !places.is_empty() {
            tag("Places", &words(places.iter().copied()));
        }
    }
    text.push('\n');
    for (index, step) in record.moves.iter().enumerate() {
        let _ = write!(text, "{}. {} {} {}", index + 1, step.seat, step.r#move, step.at);
        if let Some(shells) = step.shells {
            text.push(' ');
            text.extend(shells.map(|up| if up { '1' } else { '0' }));
        }
        text.push('\n');
    }
    text.push_str(&record.status);
    text.push('\n');
    text
}

/// Reads a text back. Whether the game is one by the rules is for the import to find out.
pub fn read(text: &str) -> Result<GameRecord, NotationError> {
    let mut lines = text.lines().enumerate().map(|(index, text)| Line { number: index + 1, text });
    let mut tags = Tags::default();
    let mut last = 1;
    for line in lines.by_ref() {
        last = line.number;
        if line.text.is_empty() {
            break;
        }
        tags.take(line)?;
    }
    let mut moves = Vec::new();
    let mut status = None;
    for line in lines {
        last = line.number;
        if status.is_some() {
            return Err(line.wrong("nothing follows the status"));
        }
        if line.text.contains(' ') {
            moves.push(line.step(moves.len() + 1)?);
        } else {
            status = Some(line.text.to_owned());
        }
    }
    let status = status.filter(|status| !status.is_empty());
    let missing = |what| NotationError { line: last, what };
    tags.record(status.ok_or(missing("the last line is the status"))?, moves).map_err(missing)
}

/// A value in double quotes, as JSON writes it.
fn quoted(value: &str) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn words(seats: impl Iterator<Item = Seat>) -> String {
    seats.map(Seat::as_str).collect::<Vec<_>>().join(" ")
}

/// Where these rules begin with these seats, when nothing else is said.
fn usual_start(rules: &str, seats: &[RecordSeat]) -> Option<State> {
    let seats: Vec<Seat> = seats.iter().map(|seat| seat.seat).collect();
    let rules: RulesId = rules.parse().ok()?;
    rules.rules().initial(Some(&seats), &Options::default()).ok().map(|view| view.state)
}

#[derive(Clone, Copy)]
struct Line<'t> {
    number: usize,
    text: &'t str,
}

impl<'t> Line<'t> {
    fn wrong(self, what: &'static str) -> NotationError {
        NotationError { line: self.number, what }
    }

    /// `[Name "value"]`
    fn tag(self) -> Option<(&'t str, String)> {
        let (name, value) = self.text.strip_prefix('[')?.strip_suffix(']')?.split_once(' ')?;
        Some((name, serde_json::from_str(value).ok()?))
    }

    /// `12. south throw:3 2026-11-30T09:00:00.000000Z 1101`
    fn step(self, number: usize) -> Result<RecordMove, NotationError> {
        let mut words = self.text.split(' ');
        let mut word = || words.next().unwrap_or_default();
        if word() != format!("{number}.") {
            return Err(self.wrong("steps are numbered from 1"));
        }
        let seat = word().parse().map_err(|_| self.wrong("a seat is needed"))?;
        let name = word().to_owned();
        let at = Timestamp::parse(word()).ok_or(self.wrong("a time in RFC 3339 is needed"))?;
        let shells = words.next().map(|word| shells(word).ok_or(self.wrong("four shells are needed")));
        match words.next() {
            Some(_) => Err(self.wrong("a step has no more words")),
            None => Ok(RecordMove { seat, r#move: name, at, shells: shells.transpose()? }),
        }
    }
}

fn shells(word: &str) -> Option<[bool; 4]> {
    let up = |letter: u8| match letter {
        b'1' => Some(true),
        b'0' => Some(false),
        _ => None,
    };
    let [a, b, c, d] = *word.as_bytes().first_chunk::<4>().filter(|_| word.len() == 4)?;
    Some([up(a)?, up(b)?, up(c)?, up(d)?])
}

/// The tag pairs of a text.
#[derive(Default)]
struct Tags(Vec<(String, String)>);

/// The tags there are; the first may be there several times.
const NAMES: [&str; 20] = [
    "Tag",
    "Id",
    "Rules",
    "Throws",
    "Seats",
    "South",
    "SouthName",
    "West",
    "WestName",
    "North",
    "NorthName",
    "East",
    "EastName",
    "ExternalRef",
    "Start",
    "Created",
    "Finished",
    "Reason",
    "Winner",
    "ResignedBy",
];

impl Tags {
    fn take(&mut self, line: Line<'_>) -> Result<(), NotationError> {
        let (name, value) = line.tag().ok_or(line.wrong("a tag pair is needed, or a blank line"))?;
        if !NAMES.contains(&name) && name != "Places" {
            return Err(line.wrong("there is no such tag"));
        }
        if name != "Tag" && self.get(name).is_some() {
            return Err(line.wrong("this tag is there already"));
        }
        self.0.push((name.to_owned(), value));
        Ok(())
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    fn needed(&self, name: &str, what: &'static str) -> Result<&str, &'static str> {
        self.get(name).ok_or(what)
    }

    fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }

    fn parsed<T: FromStr>(&self, name: &str, what: &'static str) -> Result<Option<T>, &'static str> {
        self.get(name).map(|value| value.parse().map_err(|_| what)).transpose()
    }

    fn seats(&self, name: &str) -> Result<Vec<Seat>, &'static str> {
        let seats = self.get(name).unwrap_or_default().split(' ').filter(|word| !word.is_empty());
        seats.map(|word| word.parse().map_err(|_| "there is no such seat")).collect()
    }

    fn time(&self, name: &str) -> Result<Option<Timestamp>, &'static str> {
        self.get(name).map(|value| Timestamp::parse(value).ok_or("a time is not in RFC 3339")).transpose()
    }

    fn record(&self, status: String, moves: Vec<RecordMove>) -> Result<GameRecord, &'static str> {
        let rules = self.needed("Rules", "Rules are missing")?.to_owned();
        let seats: Vec<RecordSeat> = self
            .seats("Seats")?
            .into_iter()
            .map(|seat| {
                let (_, who, shown) = SEATS[seat.index()];
                RecordSeat { seat, player: self.text(who), name: self.text(shown) }
            })
            .collect();
        let start = match self.get("Start") {
            Some(json) => serde_json::from_str(json).map_err(|_| "Start is no state")?,
            None => usual_start(&rules, &seats)
                .ok_or("Start is missing: these rules have none for these seats")?,
        };
        let result = self.get("Reason").map(|reason| {
            Ok::<_, &'static str>(GameResult {
                winner: self.parsed("Winner", "Winner is no seat")?,
                reason: reason.to_owned().into(),
                seat: self.parsed("ResignedBy", "ResignedBy is no seat")?,
                places: self.seats("Places")?,
            })
        });
        Ok(GameRecord {
            id: self.parsed::<Uuid>("Id", "Id is no id")?.ok_or("Id is missing")?,
            rules,
            throws: self.needed("Throws", "Throws is missing")?.to_owned(),
            status,
            seats,
            tags: self.0.iter().filter(|(name, _)| name == "Tag").map(|(_, value)| value.clone()).collect(),
            external_ref: self.text("ExternalRef"),
            start,
            moves,
            result: result.transpose()?,
            created_at: self.time("Created")?.ok_or("Created is missing")?,
            finished_at: self.time("Finished")?,
            cursor: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kauri_rules::Phase;
    use proptest::prelude::*;

    /// A game played out, or not quite, by choices.
    fn played(
        rules: RulesId,
        seats: &[Seat],
        options: &Options,
        choices: &[u8],
        texts: &[String],
    ) -> GameRecord {
        let view = rules.rules().initial(Some(seats), options).unwrap();
        let start = view.state.clone();
        let (mut view, mut moves) = (view, Vec::new());
        for (ply, &choice) in (0_i64..).zip(choices) {
            if view.phase == Phase::Over {
                break;
            }
            let name = view.legal_moves[usize::from(choice) % view.legal_moves.len()];
            let (played, next) = rules.rules().apply(&view.state, name).unwrap();
            let shells = (choice > 99).then_some([choice % 2 == 0, choice % 3 == 0, true, false]);
            moves.push(RecordMove {
                seat: played.seat,
                r#move: name.to_owned(),
                at: Timestamp(ply * 7),
                shells,
            });
            view = next;
        }
        let text = |index: usize| texts.get(index).cloned();
        let seat =
            |(index, seat): (usize, Seat)| RecordSeat { seat, player: text(index), name: text(index + 2) };
        let places = rules.rules().seats(&start).unwrap();
        GameRecord {
            id: Uuid::from_u128(texts.len() as u128),
            rules: rules.as_str().to_owned(),
            throws: "server".to_owned(),
            status: if view.result.is_some() { "finished" } else { "active" }.to_owned(),
            seats: places.into_iter().enumerate().map(seat).collect(),
            tags: texts.iter().skip(1).cloned().collect(),
            external_ref: text(0),
            start,
            moves,
            finished_at: view.result.map(|_| Timestamp(9_999_999)),
            result: view.result.map(GameResult::from),
            created_at: Timestamp(1),
            cursor: None,
        }
    }

    fn options() -> impl Strategy<Value = Options> {
        any::<(bool, bool)>().prop_map(|(extra_turn, places)| Options {
            extra_turn: extra_turn.then_some(true),
            places: places.then_some(true),
            ..Options::default()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_record_of_kauri_reads_back(choices: Vec<u8>, texts: Vec<String>) {
            let record = played(RulesId::Kauri, &[Seat::South, Seat::North], &Options::default(), &choices, &texts);
            prop_assert_eq!(read(&write(&record)), Ok(record));
        }

        #[test]
        fn a_record_of_ashta_kashte_reads_back(
            choices in proptest::collection::vec(any::<u8>(), 0..400),
            texts: Vec<String>,
            options in options(),
            first in 0_usize..3,
        ) {
            let mut seats = vec![Seat::South, Seat::West, Seat::East];
            seats.rotate_left(first);
            let record = played(RulesId::AshtaKashte, &seats, &options, &choices, &texts);
            prop_assert_eq!(read(&write(&record)), Ok(record));
        }

        #[test]
        fn no_text_is_too_much(text: String) {
            let _ = read(&text);
        }
    }

    #[test]
    fn what_is_wrong_is_told_by_its_line() {
        let record = played(RulesId::Kauri, &[Seat::South, Seat::North], &Options::default(), &[0, 0], &[]);
        let text = write(&record);
        for (from, to, line, what) in [
            ("[Rules", "(Rules", 2, "a tag pair is needed, or a blank line"),
            ("[Rules", "[Rulez", 2, "there is no such tag"),
            ("[Throws", "[Rules", 3, "this tag is there already"),
            ("1. south", "2. south", 7, "steps are numbered from 1"),
            ("1. south", "1. up", 7, "a seat is needed"),
            ("1970", "x", 7, "a time in RFC 3339 is needed"),
            ("active\n", "", 8, "the last line is the status"),
            ("active\n", "active\nactive\n", 10, "nothing follows the status"),
            ("[Id", "[Tag", 9, "Id is missing"),
        ] {
            let at = text
                .rfind(from)
                .filter(|_| from == "1970")
                .map_or(text.find(from), |_| text.find("a 1970").map(|at| at + 2));
            let at = at.unwrap();
            let changed = format!("{}{to}{}", &text[..at], &text[at + from.len()..]);
            assert_eq!(read(&changed), Err(NotationError { line, what }), "{changed}");
        }
    }
}
