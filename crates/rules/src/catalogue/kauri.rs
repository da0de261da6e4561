use super::{Clause, MoveForm, Rules, RulesSeats, Term, clause, plain, term};
use crate::{Phase, Seat};

pub(super) static RULES: Rules = Rules {
    rules: "kauri",
    name: "Kauri",
    summary: "A sowing game with two kinds of pieces. Beads are captured into stores, cowries stay on the board and \
              decide which pits can be played. Who first has 31 of the 60 beads wins; at 30–30 the cowries play on \
              until a player has none.",
    seats: RulesSeats {
        allowed: &[Seat::South, Seat::North],
        min: 2,
        max: 2,
        default: &[Seat::South, Seat::North],
    },
    options: &[],
    moves: &[
        MoveForm { phase: Phase::Move, pattern: "^[a-f]$", meaning: "South empties and sows that pit." },
        MoveForm { phase: Phase::Move, pattern: "^[A-F]$", meaning: "North empties and sows that pit." },
    ],
    throws: &[],
    clauses: &CLAUSES,
    end_reasons: &[
        term("majority", "K9", "The winner's store holds 31 beads or more."),
        term("tie_break", "K10", "At 30–30 the loser had no cowrie left to play."),
    ],
    events: &EVENTS,
    illegal_moves: &[
        plain("unknown_move", "The text is no pit's letter."),
        term("game_over", "K9", "The game has ended."),
        term("not_your_pit", "K3", "The pit belongs to the opponent."),
        term("no_cowrie", "K3", "The pit holds no cowrie."),
    ],
    sources: &["Kauri, invented by Ralf Gering, 2006", "The rules page of igGameCenter"],
};

static CLAUSES: [Clause; 11] = [
    clause("K1", "Twelve pits, two stores; nothing is sown into a store"),
    clause("K2", "Each pit starts with 5 beads and 1 cowrie; South moves first"),
    clause("K3", "A move empties an own pit that holds a cowrie"),
    clause("K4", "Beads are sown first, then cowries, one by one, counter-clockwise"),
    clause("K5", "A cowrie captures the beads of an opponent's pit without cowries"),
    clause("K6", "A bead dropped on lone cowries of the opponent goes into the opponent's store"),
    clause("K7", "Nothing is captured in the mover's own pits"),
    clause("K8", "Who has no cowrie to play passes"),
    clause("K9", "31 beads win at once"),
    clause("K10", "At 30–30 the cowries play on; who has none to play loses"),
    clause("K11", "There is no draw, and no bound on a game's length"),
];

static EVENTS: [Term; 4] = [
    term("sow", "K4", "One piece drops into `pit`; `piece` is `bead` or `cowrie`."),
    plain("capture", "`beads` go from `pit` into the store of `seat`, by clause K5 or K6."),
    term("pass", "K8", "`seat` has no cowrie to play, so the other one moves again."),
    plain("over", "The game has ended and `seat` has won, by clause K9 or K10."),
];
