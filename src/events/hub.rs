//! Who waits in this process, and for what.

use crate::context::{SystemWorld, World};
use crate::stopping::Stopping;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, watch};
use uuid::Uuid;

/// Where those who wait are woken.
#[derive(Debug)]
pub struct Hub {
    /// Tells this process from others on the same database.
    name: String,
    portals: Mutex<HashMap<Uuid, Waiting>>,
    /// There may be new events.
    poke: Notify,
    /// Something has happened in this process.
    happened: Notify,
    stopping: Stopping,
}

/// Who waits for a portal's events: for all, or for those of a game.
#[derive(Debug, Default)]
struct Waiting {
    all: Option<watch::Sender<()>>,
    games: HashMap<Uuid, watch::Sender<()>>,
}

impl Hub {
    /// Nobody waits, as yet.
    #[must_use]
    pub fn new(stopping: Stopping) -> Self {
        Self {
            name: SystemWorld.id().simple().to_string(),
            portals: Mutex::default(),
            poke: Notify::new(),
            happened: Notify::new(),
            stopping,
        }
    }

    /// Waits for all events of a portal.
    #[must_use]
    pub fn portal(self: &Arc<Self>, portal: Uuid) -> Listener {
        self.listen(portal, None)
    }

    /// Waits for a game's events.
    #[must_use]
    pub fn game(self: &Arc<Self>, portal: Uuid, game: Uuid) -> Listener {
        self.listen(portal, Some(game))
    }

    fn listen(self: &Arc<Self>, portal: Uuid, game: Option<Uuid>) -> Listener {
        let mut portals = self.portals();
        let waiting = match portals.entry(portal) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                // From now on this portal's events are looked for.
                self.poke.notify_one();
                entry.insert(Waiting::default())
            }
        };
        let topic = match game {
            None => waiting.all.get_or_insert_default(),
            Some(game) => waiting.games.entry(game).or_default(),
        };
        Listener {
            woken: topic.subscribe(),
            stopping: self.stopping.clone(),
            hub: Arc::clone(self),
            portal,
            game,
        }
    }

    /// Something has happened to a game in this process and is written.
    pub fn tell(&self, portal: Uuid, game: Uuid) {
        self.happened.notify_one();
        if let Some(waiting) = self.portals().get(&portal) {
            waiting.wake_game(game);
            // Those who wait for the whole portal are woken when the event has its place.
            self.poke.notify_one();
        }
    }

    /// The name of this process among those on the same database.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// There may be new events.
    pub(super) fn poke(&self) {
        self.poke.notify_one();
    }

    pub(super) async fn poked(&self) {
        self.poke.notified().await;
    }

    pub(super) async fn has_happened(&self) {
        self.happened.notified().await;
    }

    /// The portals for whose events somebody waits.
    pub(super) fn awaited(&self) -> Vec<Uuid> {
        self.portals().keys().copied().collect()
    }

    /// Wakes those who wait for these games, and for the whole portal.
    pub(super) fn wake(&self, portal: Uuid, games: impl Iterator<Item = Uuid>) {
        if let Some(waiting) = self.portals().get(&portal) {
            for game in games {
                waiting.wake_game(game);
            }
            waiting.all.iter().for_each(wake);
        }
    }

    /// Wakes all who wait for anything of a portal.
    pub(super) fn wake_all(&self, portal: Uuid) {
        if let Some(waiting) = self.portals().get(&portal) {
            waiting.games.values().chain(&waiting.all).for_each(wake);
        }
    }

    fn portals(&self) -> MutexGuard<'_, HashMap<Uuid, Waiting>> {
        self.portals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn wake_game(&self, game: Uuid) {
        self.games.get(&game).into_iter().for_each(wake);
    }

    /// Forgets a topic that nobody but who is just going waits for.
    fn forget(&mut self, game: Option<Uuid>) {
        let alone = |topic: &watch::Sender<()>| topic.receiver_count() <= 1;
        match game {
            None => drop(self.all.take_if(|topic| alone(topic))),
            Some(game) => {
                if self.games.get(&game).is_some_and(alone) {
                    self.games.remove(&game);
                }
            }
        }
    }

    fn nobody(&self) -> bool {
        self.all.is_none() && self.games.is_empty()
    }
}

fn wake(topic: &watch::Sender<()>) {
    topic.send_replace(());
}

/// Somebody who waits.
#[derive(Debug)]
pub struct Listener {
    woken: watch::Receiver<()>,
    stopping: Stopping,
    hub: Arc<Hub>,
    portal: Uuid,
    game: Option<Uuid>,
}

/// Why somebody was woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// There may be something new.
    News,
    /// The process is to stop.
    Stop,
}

impl Listener {
    /// What comes from now on wakes; to be called before looking, so that nothing falls between.
    pub fn attend(&mut self) {
        self.woken.mark_unchanged();
    }

    /// Waits until there may be something new since [`attend`](Self::attend), or the process is to stop.
    pub async fn woken(&mut self) -> Woken {
        tokio::select! {
            biased;
            () = self.stopping.told() => Woken::Stop,
            _ = self.woken.changed() => Woken::News,
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut portals = self.hub.portals();
        if let Entry::Occupied(mut waiting) = portals.entry(self.portal) {
            waiting.get_mut().forget(self.game);
            if waiting.get().nobody() {
                waiting.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Arc, Hub, Stopping, Uuid, Woken};
    use futures_util::FutureExt;

    const PORTAL: Uuid = Uuid::from_u128(1);
    const GAME: Uuid = Uuid::from_u128(2);
    const OTHER: Uuid = Uuid::from_u128(3);

    #[tokio::test]
    async fn a_game_wakes_those_who_wait_for_it() {
        let (stop, stopping) = Stopping::channel();
        let hub = Arc::new(Hub::new(stopping));
        let (mut one, mut other, mut all) =
            (hub.game(PORTAL, GAME), hub.game(PORTAL, OTHER), hub.portal(PORTAL));
        hub.tell(PORTAL, GAME);
        assert_eq!(one.woken().now_or_never(), Some(Woken::News));
        assert_eq!(one.woken().now_or_never(), None, "once is enough");
        assert_eq!(other.woken().now_or_never(), None);
        assert_eq!(all.woken().now_or_never(), None, "the event has no place yet");
        hub.wake(PORTAL, [GAME].into_iter());
        assert_eq!(all.woken().now_or_never(), Some(Woken::News));
        hub.wake_all(PORTAL);
        for listener in [&mut one, &mut other, &mut all] {
            listener.attend();
            assert_eq!(listener.woken().now_or_never(), None);
        }
        stop.set();
        assert_eq!(all.woken().now_or_never(), Some(Woken::Stop));
    }

    #[test]
    fn nothing_is_left_of_those_who_have_gone() {
        let hub = Arc::new(Hub::new(Stopping::default()));
        let (one, two, all) = (hub.game(PORTAL, GAME), hub.game(PORTAL, GAME), hub.portal(PORTAL));
        drop(one);
        assert_eq!(hub.portals()[&PORTAL].games.len(), 1);
        drop(two);
        assert!(hub.portals()[&PORTAL].games.is_empty());
        assert_eq!(hub.awaited(), [PORTAL]);
        drop(all);
        assert!(hub.awaited().is_empty());
    }
}
