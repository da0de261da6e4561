//! The rules of Kauri and Ashta-kashte: which moves there are, what they do, who has won.
//!
//! Everything here is a function of what is passed in: no clock, no randomness, no files, no network. A throw
//! of the shells is a step like any other, stated by the caller, so a list of steps replays to the same
//! position for ever.
//!
//! # The typed face
//!
//! [`Kauri`] and [`AshtaKashte`] are positions: small, `Copy`, and always possible. What they do is in
//! [`Position`].
//!
//! ```
//! use kauri_rules::{Kauri, Options, Position, Turn};
//!
//! let mut game = Kauri::initial(None, &Options::default())?;
//! let mut captured = 0;
//! for name in "a D f C b A a B c E e F d".split(' ') {
//!     let pit = Kauri::parse_step(name)?;
//!     game.play(pit, |event| captured += event.beads.unwrap_or(0))?;
//! }
//! let Turn::Over(outcome) = game.turn() else { panic!("not over yet") };
//! assert_eq!((outcome.winner.as_str(), outcome.reason), ("south", "majority"));
//! assert_eq!(game.legal_steps().len(), 0);
//! assert_eq!(captured, 39, "both players' beads");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The dynamic face
//!
//! [`RulesId::rules`] gives [`DynRules`]: a [`State`] in, an answer out, the same for every game. A state is
//! plain data and may be impossible; then every reason is told at once.
//!
//! ```
//! use kauri_rules::{Options, Phase, Refusal, RulesId};
//!
//! let rules = "ashta-kashte".parse::<RulesId>()?.rules();
//! let start = rules.initial(None, &Options::default())?;
//! assert_eq!(start.phase, Phase::Throw);
//!
//! let (played, thrown) = rules.apply(&start.state, "throw:4")?;
//! assert_eq!(played.events[0].value, Some(4));
//! assert_eq!(thrown.legal_moves, ["enter"]);
//!
//! let (_, moved) = rules.apply(&thrown.state, "enter")?;
//! let pieces = &moved.state.ashta_kashte.as_ref().unwrap().seats[0].pieces;
//! assert_eq!(pieces.join(" "), "hand hand hand g2");
//!
//! let Err(Refusal::Move { illegal, .. }) = rules.apply(&moved.state, "g2") else { panic!() };
//! assert_eq!((illegal.code, illegal.clause), ("throw_expected", Some("A3")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is where
//!
//! [`catalogue`] describes each game for people and programs that know neither. The clauses of the rules
//! (K1 to K11, A1 to A17) are listed there; events, refusals and tests cite them. [`perft`] counts paths.
//!
//! With feature `openapi`, the types that are read and written as JSON have `OpenAPI` schemas.

pub mod ashta_kashte;
pub mod catalogue;
pub mod kauri;
mod perft;
mod position;
mod reason;
mod registry;
mod seat;
mod wire;

pub use ashta_kashte::AshtaKashte;
pub use kauri::Kauri;
pub use perft::perft;
pub use position::{IllegalMove, Outcome, Places, Position, Turn};
pub use reason::{InvalidOptions, InvalidState, Reason};
pub use registry::{BadMove, DynRules, Played, Refusal, RulesId, UnknownRules};
pub use seat::{Seat, UnknownSeat};
pub use wire::{Chance, Event, Options, Phase, State, View, present_whole, whole};
