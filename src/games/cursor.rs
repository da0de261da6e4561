//! Where a page of games ended: opaque to callers, and bound to the filters it was made with.

use super::wire::ListGames;
use crate::credential::hash;
use crate::timestamp::Timestamp;
use uuid::Uuid;

/// The cursor after a game, under these filters.
pub(super) fn after(at: Timestamp, id: Uuid, filters: &ListGames) -> String {
    let mut bytes = Vec::with_capacity(32);
    bytes.extend(at.0.to_be_bytes());
    bytes.extend(id.as_bytes());
    bytes.extend(mark(filters));
    hex::encode(bytes)
}

/// Where a cursor points, if it was made with the same filters.
pub(super) fn read(cursor: &str, filters: &ListGames) -> Option<(Timestamp, Uuid)> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(cursor, &mut bytes).ok()?;
    let (at, rest) = bytes.split_first_chunk::<8>()?;
    let (id, rest) = rest.split_first_chunk::<16>()?;
    (rest == mark(filters)).then(|| (Timestamp(i64::from_be_bytes(*at)), Uuid::from_bytes(*id)))
}

fn mark(filters: &ListGames) -> [u8; 8] {
    let text = format!("{:?}", (&filters.player, &filters.rules, &filters.status));
    let mut mark = [0; 8];
    mark.copy_from_slice(&hash(text.as_bytes())[..8]);
    mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_under_its_own_filters_only() {
        let filters = ListGames { player: Some("ann".to_owned()), ..ListGames::default() };
        let (at, id) = (Timestamp(1_796_000_000_000_005), Uuid::from_u128(7));
        let cursor = after(at, id, &filters);
        assert_eq!(read(&cursor, &filters), Some((at, id)));
        assert_eq!(read(&cursor, &ListGames { limit: Some(3), ..filters.clone() }), Some((at, id)));
        assert_eq!(read(&cursor, &ListGames::default()), None);
        assert_eq!(read(&cursor[1..], &filters), None);
        assert_eq!(read("", &filters), None);
    }
}
