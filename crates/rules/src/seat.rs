//! Who sits where.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A place at the board, in turn order: clockwise from South (A2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Seat {
    /// The edge at rank 1; sows first in Kauri.
    South,
    /// The edge at file a.
    West,
    /// The edge opposite South.
    North,
    /// The edge at file g.
    East,
}

impl Seat {
    /// Every seat, in turn order.
    pub const ALL: [Self; 4] = [Self::South, Self::West, Self::North, Self::East];

    /// The seat's name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::South => "south",
            Self::West => "west",
            Self::North => "north",
            Self::East => "east",
        }
    }

    /// The seat's place in [`Seat::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a seat is one of south, west, north, east")]
pub struct UnknownSeat;

impl FromStr for Seat {
    type Err = UnknownSeat;

    fn from_str(text: &str) -> Result<Self, UnknownSeat> {
        Self::ALL.into_iter().find(|seat| seat.as_str() == text).ok_or(UnknownSeat)
    }
}
