-- One row for each effect on a game, written in the transaction of the effect: what streams and webhooks follow.
-- What happened is not said again here: it is in games and steps. number counts a game's effects from 1.
--
-- Readers follow a portal's events by (tx, seq). Here one writer comes after another, so seq alone is their order;
-- tx is what Postgres needs beside it.

CREATE TABLE events (
    seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    tx INTEGER NOT NULL DEFAULT 0,
    portal_id BLOB NOT NULL,
    game_id BLOB NOT NULL,
    number INTEGER NOT NULL CHECK (number >= 1),
    type TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX events_by_portal ON events (portal_id, tx, seq);
