//! The ids of deliveries: made of the endpoint's and the event's, so that every attempt has the same.
//!
//! What is signed joins id, time and body by full stops, so an id has none.

use crate::store::Position;
use uuid::Uuid;

/// The id of an event's delivery to an endpoint.
pub(super) fn of(endpoint: Uuid, event: Position) -> String {
    format!("msg_{}_{}_{}", endpoint.simple(), event.tx, event.seq)
}

/// The id of a test, which is the delivery of no event.
pub(super) fn of_test(endpoint: Uuid, test: Uuid) -> String {
    format!("msg_{}_test_{}", endpoint.simple(), test.simple())
}

/// The event of a delivery to this endpoint.
pub(super) fn parse(text: &str, endpoint: Uuid) -> Option<Position> {
    let (tx, seq) = text
        .strip_prefix("msg_")?
        .strip_prefix(&endpoint.simple().to_string())?
        .strip_prefix('_')?
        .split_once('_')?;
    let position = Position { tx: tx.parse().ok()?, seq: seq.parse().ok()? };
    (of(endpoint, position) == text).then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_in_one_spelling_and_for_its_own_endpoint() {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let position = Position { tx: 7, seq: 12 };
        let id = of(one, position);
        assert_eq!(id, "msg_00000000000000000000000000000001_7_12");
        assert_eq!((parse(&id, one), parse(&id, other)), (Some(position), None));
        assert_eq!(parse(&of_test(one, other), one), None);
        for bad in [
            "",
            "msg_",
            &id[..id.len() - 3],
            &format!("{id}_1"),
            &id.replace("_7", "_07"),
            &id.to_uppercase(),
        ] {
            assert_eq!(parse(bad, one), None, "{bad}");
        }
    }
}
