-- Games, their logs, who may act, and the answers kept for retries.
-- Times are microseconds since 1970 UTC. States, events and answers are JSON text, kept byte for byte.
-- game_id comes first in the keys of everything that belongs to a game, so that the tables can be
-- distributed by it. Changing a released migration is never right: add another.

CREATE TABLE portals (
    id BLOB NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    strict INTEGER NOT NULL DEFAULT 0 CHECK (strict IN (0, 1)),
    created_at INTEGER NOT NULL
) STRICT;

-- The portal that anonymous callers act for while no key exists.
INSERT INTO portals (id, name, strict, created_at)
VALUES (x'00000000000000000000000000000000', 'local', 0, 0);

CREATE TABLE portal_keys (
    id TEXT NOT NULL PRIMARY KEY,
    portal_id BLOB NOT NULL REFERENCES portals (id),
    secret_hash BLOB NOT NULL,
    label TEXT NOT NULL,
    scope TEXT NOT NULL CHECK (scope IN ('read', 'play')),
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_at INTEGER
) STRICT;

CREATE TABLE games (
    id BLOB NOT NULL PRIMARY KEY,
    portal_id BLOB NOT NULL REFERENCES portals (id),
    rules TEXT NOT NULL,
    throws TEXT NOT NULL CHECK (throws IN ('server', 'supplied')),
    status TEXT NOT NULL CHECK (status IN ('active', 'finished', 'aborted')),
    version INTEGER NOT NULL CHECK (version >= 0),
    start_state TEXT NOT NULL,
    state TEXT NOT NULL,
    result TEXT,
    seats TEXT NOT NULL,
    tags TEXT NOT NULL,
    external_ref TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    finished_at INTEGER
) STRICT;

CREATE INDEX games_by_time ON games (portal_id, created_at DESC, id DESC);
CREATE INDEX games_by_rules ON games (portal_id, rules, created_at DESC, id DESC);
CREATE INDEX games_by_status ON games (portal_id, status, created_at DESC, id DESC);

-- Who sits where. The token's secret is kept as a SHA-256.
CREATE TABLE game_seats (
    game_id BLOB NOT NULL REFERENCES games (id),
    seat TEXT NOT NULL,
    portal_id BLOB NOT NULL,
    player TEXT,
    token_hash BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (game_id, seat)
) STRICT;

CREATE INDEX game_seats_by_player ON game_seats (portal_id, player, created_at DESC, game_id DESC)
    WHERE player IS NOT NULL;

-- The log: append-only, the truth that games.state is a cache of.
CREATE TABLE steps (
    game_id BLOB NOT NULL REFERENCES games (id),
    ply INTEGER NOT NULL CHECK (ply >= 1),
    seat TEXT NOT NULL,
    move TEXT NOT NULL,
    events TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (game_id, ply)
) STRICT;

-- A portal's own names for its games.
CREATE TABLE external_refs (
    portal_id BLOB NOT NULL,
    external_ref TEXT NOT NULL,
    body_hash BLOB NOT NULL,
    game_id BLOB NOT NULL REFERENCES games (id),
    PRIMARY KEY (portal_id, external_ref)
) STRICT;

-- Answers kept for retries under an Idempotency-Key, which itself is kept only as a SHA-256.
-- token_salt, with the key, gives back the seat tokens of a created game, which are kept nowhere.
CREATE TABLE kept_answers (
    portal_id BLOB NOT NULL,
    scope TEXT NOT NULL,
    key_hash BLOB NOT NULL,
    body_hash BLOB NOT NULL,
    status INTEGER NOT NULL,
    etag TEXT NOT NULL,
    location TEXT,
    body TEXT NOT NULL,
    token_salt BLOB,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (portal_id, scope, key_hash)
) STRICT;

CREATE INDEX kept_answers_by_expiry ON kept_answers (expires_at);
