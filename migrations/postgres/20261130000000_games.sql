-- Games, their logs, who may act, and the answers kept for retries.
-- Times are microseconds since 1970 UTC. States, events and answers are JSON text, kept byte for byte.
-- game_id comes first in the keys of everything that belongs to a game, so that the tables can be
-- distributed by it. Changing a released migration is never right: add another.

CREATE TABLE portals (
    id UUID NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    strict BIGINT NOT NULL DEFAULT 0 CHECK (strict IN (0, 1)),
    created_at BIGINT NOT NULL
);

-- The portal that anonymous callers act for while no key exists.
INSERT INTO portals (id, name, strict, created_at)
VALUES ('00000000-0000-0000-0000-000000000000', 'local', 0, 0);

CREATE TABLE portal_keys (
    id TEXT NOT NULL PRIMARY KEY,
    portal_id UUID NOT NULL REFERENCES portals (id),
    secret_hash BYTEA NOT NULL,
    label TEXT NOT NULL,
    scope TEXT NOT NULL CHECK (scope IN ('read', 'play')),
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT
);

CREATE TABLE games (
    id UUID NOT NULL PRIMARY KEY,
    portal_id UUID NOT NULL REFERENCES portals (id),
    rules TEXT NOT NULL,
    throws TEXT NOT NULL CHECK (throws IN ('server', 'supplied')),
    status TEXT NOT NULL CHECK (status IN ('active', 'finished', 'aborted')),
    version BIGINT NOT NULL CHECK (version >= 0),
    start_state TEXT NOT NULL,
    state TEXT NOT NULL,
    result TEXT,
    seats TEXT NOT NULL,
    tags TEXT NOT NULL,
    external_ref TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    finished_at BIGINT
) WITH (fillfactor = 80);

CREATE INDEX games_by_time ON games (portal_id, created_at DESC, id DESC);
CREATE INDEX games_by_rules ON games (portal_id, rules, created_at DESC, id DESC);
CREATE INDEX games_by_status ON games (portal_id, status, created_at DESC, id DESC);

-- Who sits where. The token's secret is kept as a SHA-256.
CREATE TABLE game_seats (
    game_id UUID NOT NULL REFERENCES games (id),
    seat TEXT NOT NULL,
    portal_id UUID NOT NULL,
    player TEXT,
    token_hash BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (game_id, seat)
);

CREATE INDEX game_seats_by_player ON game_seats (portal_id, player, created_at DESC, game_id DESC)
    WHERE player IS NOT NULL;

-- The log: append-only, the truth that games.state is a cache of.
CREATE TABLE steps (
    game_id UUID NOT NULL REFERENCES games (id),
    ply BIGINT NOT NULL CHECK (ply >= 1),
    seat TEXT NOT NULL,
    move TEXT NOT NULL,
    events TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (game_id, ply)
);

-- A portal's own names for its games.
CREATE TABLE external_refs (
    portal_id UUID NOT NULL,
    external_ref TEXT NOT NULL,
    body_hash BYTEA NOT NULL,
    game_id UUID NOT NULL REFERENCES games (id),
    PRIMARY KEY (portal_id, external_ref)
);

-- Answers kept for retries under an Idempotency-Key, which itself is kept only as a SHA-256.
-- token_salt, with the key, gives back the seat tokens of a created game, which are kept nowhere.
CREATE TABLE kept_answers (
    portal_id UUID NOT NULL,
    scope TEXT NOT NULL,
    key_hash BYTEA NOT NULL,
    body_hash BYTEA NOT NULL,
    status BIGINT NOT NULL,
    etag TEXT NOT NULL,
    location TEXT,
    body TEXT NOT NULL,
    token_salt BYTEA,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (portal_id, scope, key_hash)
);

CREATE INDEX kept_answers_by_expiry ON kept_answers (expires_at);
