//! The reference figures of an independent program.

use kauri_rules::{AshtaKashte, Kauri, Options, Position, Seat, perft};

fn figures<P: Position>(seats: Option<&[Seat]>, turns: u32) -> Vec<u64> {
    let start = P::initial(seats, &Options::default()).unwrap();
    (1..=turns).map(|turns| perft(&start, turns)).collect()
}

#[test]
fn kauri_paths() {
    assert_eq!(figures::<Kauri>(None, 6), [6, 36, 191, 976, 4_501, 19_763]);
}

#[test]
fn ashta_kashte_paths_of_two_opposite() {
    let seats = [Seat::South, Seat::North];
    assert_eq!(figures::<AshtaKashte>(Some(&seats), 5), [5, 25, 250, 2_494, 29_555]);
}

#[test]
fn ashta_kashte_paths_of_four() {
    assert_eq!(figures::<AshtaKashte>(Some(&Seat::ALL), 5), [5, 25, 125, 625, 6_000]);
}

#[test]
fn ashta_kashte_paths_of_two_neighbours() {
    let seats = [Seat::South, Seat::West];
    assert_eq!(figures::<AshtaKashte>(Some(&seats), 5), [5, 25, 245, 2_409, 27_944]);
}
