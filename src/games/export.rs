//! Many whole games, one after the other.

use super::access::Caller;
use super::cursor::Signer;
use super::filter::ListGames;
use super::list::{place, portal, position};
use super::record::{recorded, steps};
use crate::context::Context;
use crate::credential::Credential;
use crate::problem::{Code, Problem};
use crate::store::{GameFilter, GameRow, Held};
use serde::Serialize;
use std::collections::VecDeque;
use uuid::Uuid;

/// Games that are looked up at a time.
const PAGE: i64 = 100;

/// Games on their way out. In memory are a page of games and one of their logs; no connection is held between two.
#[derive(Debug)]
pub struct Export {
    context: Context,
    caller: Caller,
    filter: GameFilter,
    page: VecDeque<GameRow>,
    /// Whether there may be another page.
    more: bool,
    count: u64,
    ended: bool,
    /// A line that was made before it was asked for.
    first: Option<String>,
    /// Of the last line that was made.
    cursor: Option<String>,
}

/// The last line, by which a reader knows that nothing is missing.
#[derive(Serialize)]
struct End {
    end: bool,
    count: u64,
}

impl Export {
    /// The games of the portal that calls. Makes the first line, so that what is wrong is said before anything is sent.
    pub async fn begin(
        context: &Context,
        credential: &Credential,
        wanted: &ListGames,
    ) -> Result<Self, Problem> {
        let filter = wanted.read()?;
        let signer = Signer::new(context).await?;
        let (caller, mut held) = portal(context, credential).await?;
        let after = position(signer, wanted, &caller, &filter)?;
        let mut export = Self::new(context, caller, GameFilter { after, ..filter });
        export.look_up(&mut held).await?;
        drop(held);
        export.first = export.make_line().await?;
        Ok(export)
    }

    /// The games of a portal, for its operator.
    pub async fn of(context: &Context, portal: Uuid, wanted: &ListGames) -> Result<Self, Problem> {
        let (filter, caller) = (wanted.read()?, Caller::operator(portal));
        let after = position(Signer::new(context).await?, wanted, &caller, &filter)?;
        Ok(Self::new(context, caller, GameFilter { after, ..filter }))
    }

    fn new(context: &Context, caller: Caller, filter: GameFilter) -> Self {
        Self {
            context: context.clone(),
            caller,
            filter: GameFilter { limit: PAGE, ..filter },
            page: VecDeque::new(),
            more: true,
            count: 0,
            ended: false,
            first: None,
            cursor: None,
        }
    }

    /// How many games were given so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// What to go on with after the last line.
    #[must_use]
    pub fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    /// The next line, with its line feed; none after the last. A service that stops breaks off: what was given says how
    /// to go on.
    pub async fn next_line(&mut self) -> Result<Option<String>, Problem> {
        match self.first.take() {
            Some(line) => Ok(Some(line)),
            None => self.make_line().await,
        }
    }

    async fn make_line(&mut self) -> Result<Option<String>, Problem> {
        if self.ended {
            return Ok(None);
        }
        if self.context.stopping.is_set() {
            return Err(Problem::new(Code::Unavailable));
        }
        let mut held = Held::default();
        if self.page.is_empty() && self.more {
            self.look_up(&mut held).await?;
        }
        let Some(game) = self.page.pop_front() else {
            self.ended = true;
            return line(&End { end: true, count: self.count }).map(Some);
        };
        let steps = steps(&self.context, &game, &mut held).await?;
        drop(held);
        let mut record = recorded(&game, steps)?;
        let signer = Signer::new(&self.context).await?;
        let filter = GameFilter { after: None, ..self.filter.clone() };
        record.cursor = Some(signer.after(place(&game, filter.clock), &self.caller, &filter)?);
        self.count += 1;
        self.cursor.clone_from(&record.cursor);
        line(&record).map(Some)
    }

    async fn look_up(&mut self, held: &mut Held) -> Result<(), Problem> {
        let rows = self.context.store.games(self.caller.portal, &self.filter, held).await?;
        self.more = i64::try_from(rows.len()).is_ok_and(|rows| rows == PAGE);
        if let Some(last) = rows.last() {
            self.filter.after = Some(place(last, self.filter.clock));
        }
        self.page = rows.into();
        Ok(())
    }
}

fn line(value: &impl Serialize) -> Result<String, Problem> {
    let mut line = super::file::encode(value)?;
    line.push('\n');
    Ok(line)
}
