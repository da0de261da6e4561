//! Where a page of games ended: opaque to callers, and good for the portal and the filters it was made with alone.

use super::access::Caller;
use crate::context::Context;
use crate::credential::Secret;
use crate::problem::Problem;
use crate::store::GameFilter;
use crate::timestamp::Timestamp;
use subtle::ConstantTimeEq;
use uuid::Uuid;

/// A place in a list: the time the list is by, and the game.
pub(super) type Place = (Timestamp, Uuid);

/// How much of a signature a cursor carries.
const TAG: usize = 16;

/// What cursors are signed with.
#[derive(Clone, Copy)]
pub(super) struct Signer<'c>(&'c Secret);

impl<'c> Signer<'c> {
    /// The key is read from the database once; every process on it has the same.
    pub(super) async fn new(context: &'c Context) -> Result<Self, Problem> {
        context.cursor_key().await.map(Self)
    }

    /// The cursor after a place, under these filters.
    pub(super) fn after(self, place: Place, caller: &Caller, filter: &GameFilter) -> Result<String, Problem> {
        let place = bytes(place);
        Ok(hex::encode([&place[..], &self.tag(&place, caller, filter)?].concat()))
    }

    /// Where a cursor points, if it was made here, for this portal and with the same filters.
    pub(super) fn read(
        self,
        cursor: &str,
        caller: &Caller,
        filter: &GameFilter,
    ) -> Result<Option<Place>, Problem> {
        let mut bytes = [0; 24 + TAG];
        if hex::decode_to_slice(cursor, &mut bytes).is_err() {
            return Ok(None);
        }
        let (place, tag) = bytes.split_at(24);
        let known: bool = self.tag(place, caller, filter)?.ct_eq(tag).into();
        Ok(known.then(|| place_of(place)).flatten())
    }

    fn tag(self, place: &[u8], caller: &Caller, filter: &GameFilter) -> Result<[u8; TAG], Problem> {
        let time = |at: Option<Timestamp>| at.map(|at| at.0);
        let asked = serde_json::to_vec(&(
            (&filter.player, filter.seat, &filter.opponent, filter.result),
            (&filter.rules, &filter.status, &filter.tag, &filter.external_ref),
            (time(filter.created_from), time(filter.created_before)),
            (time(filter.finished_from), time(filter.finished_before)),
            (filter.clock == crate::store::Clock::Created, filter.descending),
        ));
        let asked = asked.map_err(|error| Problem::internal(&error))?;
        // The first two have a fixed length, so that no two requests are signed alike.
        let signature = self.0.sign(&[caller.portal.as_bytes(), place, &asked]);
        let mut tag = [0; TAG];
        tag.copy_from_slice(&signature[..TAG]);
        Ok(tag)
    }
}

fn bytes((at, id): Place) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[..8].copy_from_slice(&at.0.to_be_bytes());
    bytes[8..].copy_from_slice(id.as_bytes());
    bytes
}

fn place_of(bytes: &[u8]) -> Option<Place> {
    let (at, id) = bytes.split_first_chunk::<8>()?;
    Some((Timestamp(i64::from_be_bytes(*at)), Uuid::from_slice(id).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::access::Role;
    use crate::store::Clock;

    fn of(portal: u128) -> Caller {
        Caller { portal: Uuid::from_u128(portal), role: Role::Portal { may_play: false }, strict: false }
    }

    #[test]
    fn a_cursor_reads_back_for_its_own_portal_and_filters_alone() {
        let secret = Secret::new([7; 32]);
        let (signer, caller) = (Signer(&secret), of(1));
        let filter = GameFilter { player: Some("ann".to_owned()), limit: 3, ..GameFilter::default() };
        let place = (Timestamp(1_796_000_000_000_005), Uuid::from_u128(7));
        let cursor = signer.after(place, &caller, &filter).unwrap();
        let read =
            |cursor: &str, caller: &Caller, filter: &GameFilter| signer.read(cursor, caller, filter).unwrap();
        assert_eq!(read(&cursor, &caller, &filter), Some(place));
        assert_eq!(read(&cursor, &caller, &GameFilter { limit: 9, ..filter.clone() }), Some(place));
        assert_eq!(read(&cursor, &of(2), &filter), None);
        assert_eq!(Signer(&Secret::new([8; 32])).read(&cursor, &caller, &filter).unwrap(), None);
        let text = || Some("ann".to_owned());
        for other in [
            GameFilter::default(),
            GameFilter { opponent: text(), ..filter.clone() },
            GameFilter { player: None, opponent: text(), ..filter.clone() },
            GameFilter { seat: Some(kauri_rules::Seat::South), ..filter.clone() },
            GameFilter { result: Some("won"), ..filter.clone() },
            GameFilter { rules: text(), ..filter.clone() },
            GameFilter { status: text(), ..filter.clone() },
            GameFilter { tag: text(), ..filter.clone() },
            GameFilter { external_ref: text(), ..filter.clone() },
            GameFilter { created_from: Some(Timestamp(0)), ..filter.clone() },
            GameFilter { created_before: Some(Timestamp(0)), ..filter.clone() },
            GameFilter { finished_from: Some(Timestamp(0)), ..filter.clone() },
            GameFilter { finished_before: Some(Timestamp(0)), ..filter.clone() },
            GameFilter { clock: Clock::Finished, ..filter.clone() },
            GameFilter { descending: true, ..filter.clone() },
        ] {
            assert_eq!(read(&cursor, &caller, &other), None, "{other:?}");
        }
        for at in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
            assert_eq!(read(std::str::from_utf8(&changed).unwrap(), &caller, &filter), None, "{at}");
            assert_eq!(read(&cursor[..at], &caller, &filter), None, "{at}");
        }
    }
}
