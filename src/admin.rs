//! What an operator does from the command line: portals and their keys.

use crate::config::{Keys, Portals};
use std::io::{self, Write};

/// Carries out `kauri keys …`.
pub async fn keys(_: &Keys, _: &mut impl Write) -> io::Result<()> {
    Err(io::Error::other("not there yet"))
}

/// Carries out `kauri portals …`.
pub async fn portals(_: &Portals, _: &mut impl Write) -> io::Result<()> {
    Err(io::Error::other("not there yet"))
}
