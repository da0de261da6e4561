//! Portals with keys, for tests of who may do what.

use crate::app::TestApp;
use kauri::context::{SystemWorld, World};
use kauri::credential::Credential;
use kauri::store::KeyRow;
use kauri::timestamp::Timestamp;
use serde_json::Value;

/// What a key is made with.
#[derive(Clone, Copy)]
pub(crate) struct NewKey {
    pub(crate) portal: &'static str,
    pub(crate) scope: &'static str,
    pub(crate) expires_at: Option<Timestamp>,
}

impl NewKey {
    pub(crate) const fn play(portal: &'static str) -> Self {
        Self { portal, scope: "play", expires_at: None }
    }
}

/// Makes a key; its id and the value of an Authorization header.
pub(crate) async fn key(app: &TestApp, new: NewKey) -> (String, String) {
    let world = SystemWorld;
    let credential = Credential::portal_key(&world.secret().unwrap(), world.secret().unwrap());
    let Credential::PortalKey { id, secret } = &credential else { unreachable!("it is a portal key") };
    let row = KeyRow {
        id: id.clone(),
        portal: new.portal.to_owned(),
        label: String::new(),
        scope: new.scope.to_owned(),
        created_at: world.now(),
        expires_at: new.expires_at,
        revoked_at: None,
        last_used_at: None,
    };
    app.beside().await.store.create_key(world.id(), &row, &secret.hash()).await.unwrap();
    (id.clone(), bearer(&credential.reveal()))
}

pub(crate) async fn revoke(app: &TestApp, id: &str) {
    assert!(app.beside().await.store.revoke_key(id, SystemWorld.now()).await.unwrap());
}

pub(crate) fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

/// The seats' Authorization headers, from the answer that created a game.
pub(crate) fn seat_tokens(created: &Value) -> Vec<String> {
    let tokens = created["seat_tokens"].as_array().unwrap();
    tokens.iter().map(|token| bearer(token["token"].as_str().unwrap())).collect()
}
