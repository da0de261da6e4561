use super::{Clause, MoveForm, Rules, RulesOption, RulesSeats, Term, ThrowForm, clause, plain, term};
use crate::{Phase, Seat};

pub(super) static RULES: Rules = Rules {
    rules: "ashta-kashte",
    name: "Ashta-kashte",
    summary: "A race for two to four on a board of 7×7 squares, thrown with four cowrie shells. Four pieces each go \
              round ring by ring to the centre; singles are captured, two on a square become a double, and who first \
              has all four in the centre wins.",
    seats: RulesSeats { allowed: &Seat::ALL, min: 2, max: 4, default: &[Seat::South, Seat::North] },
    options: &OPTIONS,
    moves: &[
        MoveForm {
            phase: Phase::Throw,
            pattern: "^throw:[12348]$",
            meaning: "The shells fall for the seat to move and give that number.",
        },
        MoveForm {
            phase: Phase::Move,
            pattern: "^enter$",
            meaning: "A piece in hand goes to its start and on by the throw.",
        },
        MoveForm {
            phase: Phase::Move,
            pattern: "^[a-g][1-7]$",
            meaning: "The single or double on that square moves by the throw.",
        },
    ],
    throws: &THROWS,
    clauses: &CLAUSES,
    end_reasons: &[term("finished", "A16", "The winner's pieces are all in the centre.")],
    events: &EVENTS,
    illegal_moves: &ILLEGAL_MOVES,
    sources: &[
        "Edward Falkener, Games Ancient and Oriental, 1892 (route `reversing`)",
        "H. J. R. Murray, A History of Board-Games Other than Chess, 1952 (route `reversing`)",
        "Ludii (route `reversing`)",
        "Wikipedia (option `extra_turn`)",
        "Modern descriptions in which any throw enters and two pieces make a double",
    ],
};

const fn yes_or_no(name: &'static str, clause: &'static str, meaning: &'static str) -> RulesOption {
    RulesOption { name, kind: "boolean", values: &["false", "true"], default: "false", clause, meaning }
}

static OPTIONS: [RulesOption; 4] = [
    RulesOption {
        name: "route",
        kind: "string",
        values: &["spiral", "reversing"],
        default: "spiral",
        clause: "A6",
        meaning: "The way through the inner rings: counter-clockwise like the outer one, or clockwise.",
    },
    yes_or_no("places", "A16", "Play goes on for second, third and last place."),
    yes_or_no("extra_turn", "A15", "A throw of 4 or 8 that was moved gives another turn."),
    yes_or_no("doubles_block", "A17", "A single may not pass an opponent's double off the resting squares."),
];

static THROWS: [ThrowForm; 5] = [
    ThrowForm { value: 1, mouths_up: 1, weight: 4 },
    ThrowForm { value: 2, mouths_up: 2, weight: 6 },
    ThrowForm { value: 3, mouths_up: 3, weight: 4 },
    ThrowForm { value: 4, mouths_up: 4, weight: 1 },
    ThrowForm { value: 8, mouths_up: 0, weight: 1 },
];

static CLAUSES: [Clause; 17] = [
    clause("A1", "Two to four players, four pieces each, all in hand at the start"),
    clause("A2", "Turns go clockwise; the first listed seat starts"),
    clause("A3", "Four shells give the number of mouths up; none up gives 8"),
    clause("A4", "One throw moves one piece or double by the whole number"),
    clause("A5", "Any throw enters a piece and moves it on"),
    clause("A6", "The route goes ring by ring inwards"),
    clause("A7", "An opponent's single is captured off the resting squares"),
    clause("A8", "On the resting squares nothing is captured and anyone may stand"),
    clause("A9", "Two own pieces on a square are a double"),
    clause("A10", "A double moves and finishes as one and never comes apart"),
    clause("A11", "Only a double captures a double"),
    clause("A12", "No square but the centre holds more than two pieces of one player"),
    clause("A13", "The centre is reached by exact throw"),
    clause("A14", "A throw that no piece can use passes"),
    clause("A15", "No throw gives another turn, unless by option"),
    clause("A16", "The first with all pieces finished wins"),
    clause("A17", "By option, singles may not pass an opponent's double"),
];

static EVENTS: [Term; 8] = [
    term(
        "throw",
        "A3",
        "The shells give `value` for `seat`; `shells` tells how they lie when they were drawn here.",
    ),
    term("enter", "A5", "A piece of `seat` goes from its hand over the start, `from`, to `to`."),
    term("move", "A4", "`pieces` of `seat`, 1 or 2, go from `from` to `to`."),
    plain("capture", "`pieces` of `seat` on `square` go back to hand, by clause A7 or A11."),
    term("double", "A9", "Two pieces of `seat` on `square` are a double from now on."),
    term("finish", "A13", "`pieces` of `seat` are taken off in the centre."),
    term("pass", "A14", "`seat` has no piece that can use the throw."),
    term("over", "A16", "The game has ended and `seat` has won."),
];

static ILLEGAL_MOVES: [Term; 11] = [
    plain("unknown_move", "The text is neither a throw, nor `enter`, nor a square."),
    term("throw_unstated", "A3", "`throw` without a number, where nobody throws for the caller."),
    term("game_over", "A16", "The game has ended."),
    term("throw_expected", "A3", "The shells have not been thrown."),
    term("move_expected", "A4", "The throw before has not been moved."),
    term("none_in_hand", "A5", "No piece is in hand to enter."),
    term("no_piece_there", "A4", "No own piece stands on the square."),
    term("overshoot", "A13", "The throw goes beyond the centre."),
    term("square_full", "A12", "The square would hold more than two pieces of the mover."),
    term("double_stands", "A11", "A single would land on an opponent's double."),
    term("blocked", "A17", "A single would pass an opponent's double."),
];
