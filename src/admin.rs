//! What an operator does from the command line: portals and their keys.

use crate::config::{Keys, KeysCommand, Portals, PortalsCommand, Scope};
use crate::context::{NoEntropy, SystemWorld, World};
use crate::credential::Credential;
use crate::store::{KeyRow, PortalRow, Store, StoreError};
use crate::timestamp::Timestamp;
use std::io::{self, Write};

/// Longest name of a portal, or label of a key, in characters.
const LONGEST_NAME: usize = 200;

/// Why a command could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The operating system gave no random bytes.
    #[error(transparent)]
    NoEntropy(#[from] NoEntropy),
    /// Standard output is gone.
    #[error("could not write: {0}")]
    Output(#[from] io::Error),
    /// An argument is not one that can be used.
    #[error("{0}")]
    Argument(&'static str),
}

/// Carries out `kauri keys …`.
pub async fn keys(keys: &Keys, out: &mut impl Write) -> Result<(), AdminError> {
    match &keys.command {
        KeysCommand::Create { portal, label, scope, expires, database } => {
            let key = new_key(portal, label, *scope, expires.as_deref())?;
            create_key(&Store::connect(database).await?, key, out).await
        }
        KeysCommand::List { portal, database } => {
            let keys = Store::connect(database).await?.keys(portal.as_deref()).await?;
            list_keys(&keys, out)
        }
        KeysCommand::Revoke { id, database } => {
            let now = SystemWorld.now();
            if !Store::connect(database).await?.revoke_key(id, now).await? {
                return Err(AdminError::Argument("there is no key with this id"));
            }
            writeln!(out, "revoked {id}")?;
            Ok(())
        }
    }
}

/// Carries out `kauri portals …`.
pub async fn portals(portals: &Portals, out: &mut impl Write) -> Result<(), AdminError> {
    match &portals.command {
        PortalsCommand::List { database } => {
            list_portals(&Store::connect(database).await?.portals().await?, out)
        }
        PortalsCommand::Set { name, strict, database } => {
            if !Store::connect(database).await?.set_strict(name, *strict).await? {
                return Err(AdminError::Argument("there is no portal of this name"));
            }
            writeln!(out, "{name} is now {}", mode(*strict))?;
            Ok(())
        }
    }
}

fn new_key(portal: &str, label: &str, scope: Scope, expires: Option<&str>) -> Result<KeyRow, AdminError> {
    let short = |text: &str| text.chars().count() <= LONGEST_NAME && !text.chars().any(char::is_control);
    if portal.is_empty() || !short(portal) || !short(label) {
        return Err(AdminError::Argument(
            "a portal's name takes 1 to 200 printable characters, a label up to 200",
        ));
    }
    let expires_at = expires
        .map(|text| Timestamp::parse(text).ok_or(AdminError::Argument("--expires takes a time in RFC 3339")))
        .transpose()?;
    let created_at = SystemWorld.now();
    if expires_at.is_some_and(|at| at <= created_at) {
        return Err(AdminError::Argument("--expires takes a time to come: this one is past"));
    }
    Ok(KeyRow {
        id: String::new(),
        portal: portal.to_owned(),
        label: label.to_owned(),
        scope: match scope {
            Scope::Read => "read",
            Scope::Play => "play",
        }
        .to_owned(),
        created_at,
        expires_at,
        revoked_at: None,
        last_used_at: None,
    })
}

/// The secret is the only line on standard output, so that a script can take it.
async fn create_key(store: &Store, key: KeyRow, out: &mut impl Write) -> Result<(), AdminError> {
    let world = SystemWorld;
    let credential = Credential::portal_key(&world.secret()?, world.secret()?);
    if let Credential::PortalKey { id, secret } = &credential {
        let key = KeyRow { id: id.clone(), ..key };
        store.create_key(world.id(), &key, &secret.hash()).await?;
    }
    writeln!(out, "{}", credential.reveal())?;
    Ok(())
}

fn list_keys(keys: &[KeyRow], out: &mut impl Write) -> Result<(), AdminError> {
    let time = |at: Option<Timestamp>| at.map_or("never".to_owned(), |at| at.to_string());
    writeln!(out, "id\tportal\tscope\tcreated\texpires\trevoked\tlast used\tlabel")?;
    for key in keys {
        writeln!(
            out,
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            key.id,
            key.portal,
            key.scope,
            key.created_at,
            time(key.expires_at),
            time(key.revoked_at),
            time(key.last_used_at),
            key.label
        )?;
    }
    Ok(())
}

fn list_portals(portals: &[PortalRow], out: &mut impl Write) -> Result<(), AdminError> {
    writeln!(out, "name\tmode\tcreated")?;
    for portal in portals {
        writeln!(out, "{}\t{}\t{}", portal.name, mode(portal.strict), portal.created_at)?;
    }
    Ok(())
}

/// What a portal's strictness is called.
fn mode(strict: bool) -> &'static str {
    if strict { "strict" } else { "lenient" }
}
