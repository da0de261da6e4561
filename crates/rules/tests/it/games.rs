//! Random games of either kind, and what every test may ask of a game.

use kauri_rules::{AshtaKashte, Kauri, Options, Position, Seat, State};
use proptest::prelude::*;
use proptest::sample::subsequence;
use proptest::test_runner::RngSeed;

/// That many cases, the same in every run.
pub(crate) fn always_alike(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(0x006b_6175_7269),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// A xorshift generator; any seed but 0.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn next(&mut self) -> u16 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 48) as u16
    }
}

/// A game the laws are checked for.
pub(crate) trait Game: Position {
    /// Start positions of every kind.
    fn starts() -> BoxedStrategy<Self>;

    /// Every step that has a name.
    fn names() -> Vec<String>;

    /// Fails when a state has lost a piece or won one.
    fn conserved(state: &State);
}

impl Game for Kauri {
    fn starts() -> BoxedStrategy<Self> {
        Just(Self::initial(None, &Options::default()).unwrap()).boxed()
    }

    fn names() -> Vec<String> {
        ('a'..='f').chain('A'..='F').map(String::from).collect()
    }

    fn conserved(state: &State) {
        let setup = state.kauri.as_ref().unwrap();
        let pits = || setup.south.pits.iter().chain(&setup.north.pits);
        let stores = setup.south.store + setup.north.store;
        assert_eq!(pits().map(|pit| pit.beads).sum::<u8>() + stores, 60, "K2");
        assert_eq!(pits().map(|pit| pit.cowries).sum::<u8>(), 12, "K2");
    }
}

impl Game for AshtaKashte {
    fn starts() -> BoxedStrategy<Self> {
        let seats = subsequence(Seat::ALL.to_vec(), 2..=4).prop_shuffle();
        (seats, options()).prop_map(|(seats, options)| Self::initial(Some(&seats), &options).unwrap()).boxed()
    }

    fn names() -> Vec<String> {
        let squares = (1..=7).flat_map(|rank| ('a'..='g').map(move |file| format!("{file}{rank}")));
        let throws = [1, 2, 3, 4, 8].into_iter().map(|number| format!("throw:{number}"));
        std::iter::once("enter".to_owned()).chain(throws).chain(squares).collect()
    }

    fn conserved(state: &State) {
        for seat in &state.ashta_kashte.as_ref().unwrap().seats {
            assert_eq!(seat.pieces.len(), 4, "A1");
        }
    }
}

/// Options of Ashta-kashte, named or left out.
pub(crate) fn options() -> impl Strategy<Value = Options> {
    let route = prop_oneof![Just(None), Just(Some("spiral")), Just(Some("reversing"))];
    let choice = || proptest::option::of(any::<bool>());
    (route, choice(), choice(), choice()).prop_map(|(route, places, extra_turn, doubles_block)| Options {
        route: route.map(str::to_owned),
        places,
        extra_turn,
        doubles_block,
    })
}

/// A start and what is chosen from there on, by chance.
pub(crate) fn games<G: Game>() -> impl Strategy<Value = (G, Vec<u16>)> {
    (G::starts(), proptest::collection::vec(any::<u16>(), 0..500))
}

/// The step a number picks; none when the game is over.
pub(crate) fn pick<G: Game>(position: &G, choice: u16) -> Option<G::Step> {
    let mut steps = position.legal_steps();
    let number = steps.len();
    steps.nth(usize::from(choice) % number.max(1))
}

/// Plays on as chosen and tells each step: the position before, the step, and the position after.
pub(crate) fn walk<G: Game>(start: G, choices: &[u16], mut told: impl FnMut(&G, G::Step, &G)) -> G {
    let mut position = start;
    for &choice in choices {
        let Some(step) = pick(&position, choice) else { break };
        let before = position;
        position.play(step, |_| ()).unwrap();
        told(&before, step, &position);
    }
    position
}
