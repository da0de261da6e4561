//! Random games and path counts of the rules crate, each for so many seconds: steps and paths a second, as JSON.
//!
//! `playouts SECONDS`

use kauri_rules::{AshtaKashte, Kauri, Options, Position, Seat, perft};
use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

/// A xorshift generator: the cost of a draw is small beside a step.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let high = (self.0 >> 32) * bound as u64;
        usize::try_from(high >> 32).unwrap_or(0)
    }
}

/// How often a second `work`, which does so many at once, is done.
fn rate(seconds: Duration, mut work: impl FnMut() -> u64) -> f64 {
    let (began, mut done) = (Instant::now(), 0);
    while began.elapsed() < seconds {
        done += work();
    }
    // As exact as it need be.
    #[expect(clippy::cast_precision_loss)]
    let done = done as f64;
    done / began.elapsed().as_secs_f64()
}

/// Random games, one after the other; the steps of one.
fn playout<P: Position>(start: P, random: &mut Random) -> u64 {
    let (mut position, mut steps) = (start, 0);
    loop {
        let mut legal = position.legal_steps();
        let number = legal.len();
        let Some(step) = legal.nth(random.below(number)).filter(|_| number > 0) else { return steps };
        position.play_unchecked(step, |_| ());
        steps += 1;
    }
}

/// Kauri as one writes it down first: arrays, loops, no gate, no events.
#[derive(Clone, Copy)]
struct Plain {
    beads: [u8; 12],
    cowries: [u8; 12],
    stores: [u8; 2],
    mover: usize,
}

impl Plain {
    const START: Self = Self { beads: [5; 12], cowries: [1; 12], stores: [0; 2], mover: 0 };

    fn moves(&self, pits: &mut [usize; 6]) -> usize {
        let mut number = 0;
        for pit in self.mover * 6..self.mover * 6 + 6 {
            if self.cowries[pit] > 0 {
                pits[number] = pit;
                number += 1;
            }
        }
        number
    }

    fn play(&mut self, pit: usize) {
        let (mover, other) = (self.mover, 1 - self.mover);
        let (beads, cowries) = (self.beads[pit], self.cowries[pit]);
        (self.beads[pit], self.cowries[pit]) = (0, 0);
        let mut at = pit;
        for piece in 0..beads + cowries {
            at = (at + 1) % 12;
            let theirs = at / 6 == other;
            if piece < beads {
                if theirs && self.cowries[at] > 0 && self.beads[at] == 0 {
                    self.stores[other] += 1;
                } else {
                    self.beads[at] += 1;
                }
            } else {
                if theirs && self.cowries[at] == 0 {
                    self.stores[mover] += self.beads[at];
                    self.beads[at] = 0;
                }
                self.cowries[at] += 1;
            }
        }
        self.mover = other;
    }

    fn playout(mut self, random: &mut Random) -> u64 {
        let (mut pits, mut steps) = ([0; 6], 0);
        loop {
            let even = self.stores == [30; 2];
            let mut number = self.moves(&mut pits);
            if number == 0 && !even {
                self.mover = 1 - self.mover;
                number = self.moves(&mut pits);
            }
            if number == 0 || self.stores.iter().any(|&store| store > 30) {
                return steps;
            }
            self.play(pits[random.below(number)]);
            steps += 1;
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds = std::env::args().nth(1).ok_or("how many seconds?")?.parse()?;
    let seconds = Duration::try_from_secs_f64(seconds)?;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (two, four) = (&[Seat::South, Seat::North], &Seat::ALL);
    let kauri = Kauri::initial(None, &Options::default())?;
    let race = |seats: &[Seat]| AshtaKashte::initial(Some(seats), &Options::default());
    let (duel, melee) = (race(two)?, race(four)?);
    let figures = [
        ("plain", rate(seconds, || Plain::START.playout(&mut random))),
        ("kauri", rate(seconds, || playout(black_box(kauri), &mut random))),
        ("ashta_kashte", rate(seconds, || playout(black_box(duel), &mut random))),
        ("ashta_kashte_four", rate(seconds, || playout(black_box(melee), &mut random))),
        ("kauri_perft", rate(seconds, || perft(black_box(&kauri), 6))),
        ("ashta_kashte_perft", rate(seconds, || perft(black_box(&duel), 5))),
    ];
    let members = figures.map(|(name, rate)| format!("\"{name}\":{rate:.0}"));
    writeln!(std::io::stdout(), "{{{}}}", members.join(","))?;
    Ok(())
}
