//! What is counted about a player.

use super::create::LONGEST_NAME;
use super::list::portal;
use super::wire::{PlayerStats, PlayerTally};
use crate::context::Context;
use crate::credential::Credential;
use crate::problem::{Code, Problem};
use crate::store::TallyRow;

/// A player's figures in the caller's portal. One that nobody knows has played nothing.
pub async fn stats(context: &Context, credential: &Credential, player: &str) -> Result<PlayerStats, Problem> {
    named(player)?;
    let (caller, mut held) = portal(context, credential).await?;
    let row = context.store.player(caller.portal, player, &mut held).await?;
    let tallies = tallies(&row.tallies);
    let sum = |of: fn(&PlayerTally) -> i64| tallies.iter().map(of).sum();
    Ok(PlayerStats {
        player: player.to_owned(),
        open: row.open,
        your_turn: row.your_turn,
        played: sum(|tally| tally.played),
        won: sum(|tally| tally.won),
        lost: sum(|tally| tally.lost),
        void: sum(|tally| tally.void),
        tallies,
    })
}

/// Whether a player can have this name.
pub fn named(player: &str) -> Result<(), Problem> {
    if player.chars().count() <= LONGEST_NAME {
        return Ok(());
    }
    let message = format!("At most {LONGEST_NAME} characters are taken here.");
    Err(Problem::new(Code::InvalidPath).error("/player", "too_long", message))
}

/// One for each rules and seat in which a game has ended; the rows are in their order.
fn tallies(rows: &[TallyRow]) -> Vec<PlayerTally> {
    let mut tallies: Vec<PlayerTally> = Vec::new();
    for row in rows.iter().filter(|row| row.outcome != "open") {
        let last = tallies.last_mut().filter(|last| last.rules == row.rules && last.seat == row.seat);
        let tally = match last {
            Some(tally) => tally,
            None => tallies.push_mut(PlayerTally {
                rules: row.rules.clone(),
                seat: row.seat.clone(),
                played: 0,
                won: 0,
                lost: 0,
                void: 0,
            }),
        };
        match row.outcome.as_str() {
            "won" => tally.won += row.games,
            "lost" => tally.lost += row.games,
            _ => tally.void += row.games,
        }
        tally.played = tally.won + tally.lost;
    }
    tallies
}
