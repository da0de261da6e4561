//! The laws of storing endpoints and deliveries, on both databases.

use crate::app::{Database, on_both_databases};
use kauri::store::{Attempt, DeliveryRow, Held, Made, Position, Store, ToDeliver, WebhookChange, WebhookRow};
use kauri::timestamp::Timestamp;
use uuid::Uuid;

const LOCAL: Uuid = Uuid::nil();
const AT: Timestamp = Timestamp(1_796_029_200_000_000);
const GAME: Uuid = Uuid::from_u128(7);

const fn later(seconds: i64) -> Timestamp {
    Timestamp(AT.0 + seconds * 1_000_000)
}

const fn at(seq: i64) -> Position {
    Position { tx: 3, seq }
}

fn webhook(number: u128) -> WebhookRow {
    WebhookRow {
        id: Uuid::from_u128(number),
        portal_id: LOCAL,
        url: "https://portal.example/".to_owned(),
        description: "é".to_owned(),
        events: "[]".to_owned(),
        secrets: "[{}]".to_owned(),
        status: "enabled".to_owned(),
        reason: None,
        created_at: AT,
        updated_at: AT,
        position: at(0),
        failing_since: None,
    }
}

async fn made(store: &Store) -> WebhookRow {
    let webhook = webhook(1);
    assert_eq!(store.create_webhook(&webhook, 9, None, Held::default()).await.unwrap(), Made::Done);
    webhook
}

fn events(seqs: &[i64], game: Uuid) -> Vec<ToDeliver> {
    let event =
        |&seq| ToDeliver { position: at(seq), game_id: game, number: seq, r#type: "game.step".to_owned() };
    seqs.iter().map(event).collect()
}

fn attempt(status: &'static str, next_at: Option<Timestamp>, in_line: bool) -> Attempt {
    Attempt {
        status,
        in_line,
        next_at,
        at: later(1),
        took: 5,
        response_status: Some(200),
        error: None,
        asked: true,
        disable: None,
    }
}

async fn due(store: &Store, webhook: &WebhookRow, now: Timestamp) -> Vec<DeliveryRow> {
    store.due_deliveries(webhook.id, now, 100).await.unwrap()
}

fn seqs(rows: &[DeliveryRow]) -> Vec<i64> {
    rows.iter().map(|row| row.position.seq).collect()
}

on_both_databases! {
    async fn an_endpoint_comes_back_as_it_was_written(database: Database) {
        let store = database.store().await;
        let written = made(&store).await;
        assert_eq!(store.webhook(LOCAL, written.id, &mut Held::default()).await.unwrap(), Some(written.clone()));
        assert_eq!(store.webhook(GAME, written.id, &mut Held::default()).await.unwrap(), None, "another portal");
        assert_eq!(store.create_webhook(&webhook(2), 1, None, Held::default()).await.unwrap(), Made::TooMany);
        let change = WebhookChange { status: Some("disabled"), ..WebhookChange::default() };
        let changed = store.change_webhook(LOCAL, written.id, &change, later(1), Held::default()).await.unwrap().unwrap();
        let expected = WebhookRow { status: "disabled".to_owned(), reason: Some("portal".to_owned()), updated_at: later(1), ..written.clone() };
        assert_eq!(changed, expected);
        assert!(store.live_webhooks().await.unwrap().is_empty() && store.enabled_webhook(written.id).await.unwrap().is_none());
        assert!(store.rotate_webhook(&written, "[]", later(2), Held::default()).await.unwrap());
        assert!(!store.rotate_webhook(&written, "[{}]", later(2), Held::default()).await.unwrap(), "the secrets are others");
    }

    async fn one_process_at_a_time_has_an_endpoint(database: Database) {
        let store = database.store().await;
        let webhook = made(&store).await;
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let lease = async |by, from, to| store.lease_webhook(webhook.id, by, later(from), later(to)).await.unwrap().is_some();
        assert!(lease(one, 0, 6).await);
        assert!(!lease(other, 5, 11).await, "it is another's");
        assert!(lease(one, 5, 11).await, "it can be kept");
        assert!(lease(other, 11, 17).await, "it can be taken from the dead");
        assert!(!lease(one, 12, 18).await);
        store.release_webhook(webhook.id, one).await.unwrap();
        assert!(!lease(one, 12, 18).await, "nobody gives away what is another's");
        store.release_webhook(webhook.id, other).await.unwrap();
        assert!(lease(one, 12, 18).await);
        let racing = (0..8).map(|by| {
            let (store, id) = (store.clone(), webhook.id);
            async move { store.lease_webhook(id, Uuid::from_u128(100 + by), later(30), later(36)).await.unwrap().is_some() }
        });
        let taken = futures_util::future::join_all(racing).await;
        assert_eq!(taken.into_iter().filter(|taken| *taken).count(), 1);
    }

    async fn events_are_taken_up_once_whoever_tries(database: Database) {
        let store = database.store().await;
        let webhook = made(&store).await;
        let racing = (0..6).map(|_| {
            let (store, id) = (store.clone(), webhook.id);
            async move { store.fan_out(id, at(0), at(3), &events(&[1, 2, 3], GAME), AT).await.unwrap() }
        });
        let taken = futures_util::future::join_all(racing).await;
        assert_eq!(taken.into_iter().filter(|taken| *taken).count(), 1);
        assert_eq!(store.deliveries(webhook.id, None, None, 100, &mut Held::default()).await.unwrap().len(), 3);
        assert_eq!(store.enabled_webhook(webhook.id).await.unwrap().unwrap().position, at(3));
        assert!(!store.fan_out(webhook.id, at(0), at(4), &events(&[4], GAME), AT).await.unwrap());
    }

    async fn a_line_moves_on_when_its_first_leaves(database: Database) {
        let store = database.store().await;
        let webhook = made(&store).await;
        assert!(store.fan_out(webhook.id, at(0), at(3), &events(&[1, 2, 3], GAME), AT).await.unwrap());
        assert!(store.fan_out(webhook.id, at(3), at(4), &events(&[4], LOCAL), AT).await.unwrap());
        let first = due(&store, &webhook, AT).await;
        assert_eq!(seqs(&first), [1, 4], "the first of each game");
        store.record_attempt(&first[0], &attempt("pending", Some(later(9)), true)).await.unwrap();
        assert_eq!(seqs(&due(&store, &webhook, later(8)).await), [4], "the line waits");
        assert_eq!(store.next_delivery(webhook.id).await.unwrap(), Some(AT));
        assert_eq!(store.enabled_webhook(webhook.id).await.unwrap().unwrap().failing_since, Some(later(1)));
        store.record_attempt(&first[0], &attempt("pending", Some(later(99)), false)).await.unwrap();
        assert_eq!(seqs(&due(&store, &webhook, later(8)).await), [4, 2], "the line goes on without it");
        let rows = due(&store, &webhook, later(99)).await;
        assert_eq!(seqs(&rows), [4, 2, 1]);
        store.record_attempt(&rows[1], &attempt("delivered", None, false)).await.unwrap();
        // Who comes late behind an empty line is first; behind one that waits, last.
        assert!(store.fan_out(webhook.id, at(4), at(5), &events(&[5], GAME), later(2)).await.unwrap());
        assert_eq!(seqs(&due(&store, &webhook, later(50)).await), [4, 3]);
        let row = store.delivery(webhook.id, at(1), &mut Held::default()).await.unwrap().unwrap();
        assert_eq!((row.attempts, row.in_line, row.tried_at, row.took, row.response_status), (2, false, Some(later(1)), Some(5), Some(200)));
        assert_eq!(store.enabled_webhook(webhook.id).await.unwrap().unwrap().failing_since, None, "something was taken");
        assert_eq!(store.oldest_delivery().await.unwrap(), Some(AT));
    }

    async fn what_is_finished_or_deleted_is_swept(database: Database) {
        let store = database.store().await;
        let webhook = made(&store).await;
        assert!(store.fan_out(webhook.id, at(0), at(2), &events(&[1, 2], GAME), AT).await.unwrap());
        let first = due(&store, &webhook, AT).await.remove(0);
        store.record_attempt(&first, &attempt("delivered", None, false)).await.unwrap();
        assert_eq!(store.sweep_deliveries(AT).await.unwrap(), 0, "it is not old enough");
        assert_eq!(store.sweep_deliveries(later(1)).await.unwrap(), 1);
        assert_eq!(store.redeliver(webhook.id, at(1), AT, Held::default()).await.unwrap(), None);
        let again = store.redeliver(webhook.id, at(2), later(3), Held::default()).await.unwrap().unwrap();
        assert_eq!((again.next_at, again.in_line, again.attempts), (Some(later(3)), true, 0));
        assert_eq!(store.sweep_webhooks().await.unwrap(), 0);
        assert!(!store.delete_webhook(GAME, webhook.id, Held::default()).await.unwrap(), "another portal");
        assert!(store.delete_webhook(LOCAL, webhook.id, Held::default()).await.unwrap());
        assert!(!store.delete_webhook(LOCAL, webhook.id, Held::default()).await.unwrap());
        assert!(store.webhooks(LOCAL, &mut Held::default()).await.unwrap().is_empty());
        assert_eq!(store.sweep_webhooks().await.unwrap(), 1);
        assert_eq!(store.sweep_webhooks().await.unwrap(), 0);
    }

    async fn a_disabled_endpoint_takes_up_nothing(database: Database) {
        let store = database.store().await;
        let webhook = made(&store).await;
        assert!(store.fan_out(webhook.id, at(0), at(1), &events(&[1], GAME), AT).await.unwrap());
        let first = due(&store, &webhook, AT).await.remove(0);
        let gone = Attempt { disable: Some("gone"), ..attempt("pending", Some(later(9)), true) };
        store.record_attempt(&first, &gone).await.unwrap();
        let row = store.webhook(LOCAL, webhook.id, &mut Held::default()).await.unwrap().unwrap();
        assert_eq!((row.status.as_str(), row.reason.as_deref()), ("disabled", Some("gone")));
        assert!(!store.fan_out(webhook.id, at(1), at(2), &events(&[2], GAME), AT).await.unwrap());
        assert!(store.lease_webhook(webhook.id, GAME, AT, later(6)).await.unwrap().is_none());
        assert_eq!(store.oldest_delivery().await.unwrap(), None, "nothing waits for one that is disabled");
    }
}
