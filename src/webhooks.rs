//! Webhooks: what happens to a portal's games, posted to addresses of its own, as Standard Webhooks 1.0 has it.

mod address;
mod network;
mod schedule;
mod secret;
mod send;
mod target;

pub use network::{Network, SystemNetwork};
pub use send::{Failure, Message, Outcome, Sender};
pub use target::Policy;
