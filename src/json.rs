//! Writing JSON.

use serde::Serialize;

/// Longer than most answers. Growing to that step by step costs more than the rest of writing them.
const LENGTH: usize = 1 << 10;

/// A value as JSON.
pub(crate) fn text(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut text = Vec::with_capacity(LENGTH);
    serde_json::to_writer(&mut text, value)?;
    String::from_utf8(text).map_err(serde::ser::Error::custom)
}
