//! What a Kauri state looks like on the wire, and the gate from there to a position.

use super::Kauri;
use super::board::{BEADS, Board, COWRIES, Counts, Pit, Side};
use crate::reason::Reasons;
use crate::{InvalidState, Position, RulesId, Seat, State};
use serde::{Deserialize, Serialize};

/// Kauri: what lies on the board. In all 60 beads and 12 cowries (K2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = KauriSetup))]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// South's pits and store.
    pub south: SetupSide,
    /// North's pits and store.
    pub north: SetupSide,
}

/// Kauri: one player's six pits and store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = KauriSide))]
#[serde(deny_unknown_fields)]
pub struct SetupSide {
    /// The pits in sowing order: `a` to `f` for South, `A` to `F` for North.
    #[cfg_attr(feature = "openapi", schema(min_items = 6, max_items = 6))]
    pub pits: Vec<SetupPit>,
    /// Beads in the store.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 60))]
    #[serde(deserialize_with = "crate::whole")]
    pub store: u8,
}

/// Kauri: what one pit holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = KauriPit))]
#[serde(deny_unknown_fields)]
pub struct SetupPit {
    /// Beads in the pit.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 60))]
    #[serde(deserialize_with = "crate::whole")]
    pub beads: u8,
    /// Cowries in the pit.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 12))]
    #[serde(deserialize_with = "crate::whole")]
    pub cowries: u8,
}

impl Kauri {
    pub(super) fn read(state: &State) -> Result<Self, InvalidState> {
        let mut reasons = Reasons::default();
        reasons.check_members(state, RulesId::Kauri);
        let mover = match state.to_move {
            Seat::South => Some(Side::South),
            Seat::North => Some(Side::North),
            Seat::West | Seat::East => {
                reasons.push("/to_move", "unknown_seat", "Kauri is played by south and north (K1).");
                None
            }
        };
        let board = state.kauri.as_ref().and_then(|setup| setup.board(&mut reasons));
        let (Some(board), Some(mover), true) = (board, mover, reasons.is_empty()) else {
            return Err(reasons.into());
        };
        let position = Self { board, mover };
        // With a bead on the board the game goes on, and K8 lets the other player move instead.
        if position.end().is_none() && board.playable(mover) == 0 {
            reasons.push(
                "/to_move",
                "cannot_move",
                "The seat to move has no cowrie in its pits, so it has passed (K8).",
            );
            return Err(reasons.into());
        }
        Ok(position)
    }

    pub(super) fn write(&self) -> State {
        let side = |side: Side, pits: &[Pit]| SetupSide {
            pits: pits
                .iter()
                .map(|&pit| SetupPit {
                    beads: self.board.beads.get(pit),
                    cowries: self.board.cowries.get(pit),
                })
                .collect(),
            store: self.board.stores[side as usize],
        };
        let (south, north) = Pit::ALL.split_at(6);
        State {
            rules: RulesId::Kauri.as_str().to_owned(),
            to_move: self.to_move(),
            kauri: Some(Setup { south: side(Side::South, south), north: side(Side::North, north) }),
            ashta_kashte: None,
        }
    }
}

impl Setup {
    fn board(&self, reasons: &mut Reasons) -> Option<Board> {
        let sides = [("south", &self.south), ("north", &self.north)];
        let (mut beads, mut cowries) = ([0; 12], [0; 12]);
        let mut complete = true;
        for (first, (name, side)) in [0, 6].into_iter().zip(sides) {
            if side.pits.len() != 6 {
                let pointer = format!("/kauri/{name}/pits");
                reasons.push(pointer, "pit_count", "Each player has six pits (K1).");
                complete = false;
            }
            for (index, pit) in side.pits.iter().enumerate().take(6) {
                let pointer = |member| format!("/kauri/{name}/pits/{index}/{member}");
                at_most(BEADS, pit.beads, || pointer("beads"), reasons);
                at_most(COWRIES, pit.cowries, || pointer("cowries"), reasons);
                beads[first + index] = pit.beads;
                cowries[first + index] = pit.cowries;
            }
            at_most(BEADS, side.store, || format!("/kauri/{name}/store"), reasons);
        }
        if !complete {
            return None;
        }

        let stores = [self.south.store, self.north.store];
        let total = |counts: &[u8]| counts.iter().map(|&count| u16::from(count)).sum::<u16>();
        let found = total(&beads) + total(&stores);
        if found != u16::from(BEADS) {
            let message = format!("Pits and stores hold {BEADS} beads together, not {found} (K2).");
            reasons.push("/kauri", "bead_count", message);
        }
        let found = total(&cowries);
        if found != u16::from(COWRIES) {
            let message = format!("The pits hold {COWRIES} cowries together, not {found} (K2).");
            reasons.push("/kauri", "cowrie_count", message);
        }
        reasons.is_empty().then(|| Board {
            beads: Counts::from_array(beads),
            cowries: Counts::from_array(cowries),
            stores,
        })
    }
}

/// The pointer is made only for a count that is too high: making it costs more than the check.
fn at_most(most: u8, count: u8, pointer: impl FnOnce() -> String, reasons: &mut Reasons) {
    if count > most {
        let message = format!("There are only {most} of these in the game (K2).");
        reasons.push(pointer(), "too_many", message);
    }
}
