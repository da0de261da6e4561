-- Where a portal wants to be told of its events, and what became of the telling.
-- An endpoint follows its portal's events from a place of its own: (tx, seq) is the last one that deliveries were made
-- of. Making them and moving the place is one transaction, so that no event is lost or told twice.

CREATE TABLE webhook_endpoints (
    id BLOB NOT NULL PRIMARY KEY,
    portal_id BLOB NOT NULL REFERENCES portals (id),
    url TEXT NOT NULL,
    description TEXT NOT NULL,
    -- The types of events wanted, as JSON; an empty list is all of them.
    events TEXT NOT NULL,
    -- What signs, as JSON, newest first. Signing needs the secrets themselves, so they are kept as they are.
    secrets TEXT NOT NULL,
    -- What is deleted is out of reach at once and swept later, deliveries first.
    status TEXT NOT NULL CHECK (status IN ('enabled', 'disabled', 'deleted')),
    -- Why it is disabled: portal, gone, failing.
    reason TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    tx INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    -- Since when it has taken nothing.
    failing_since INTEGER,
    -- Which process delivers, and until when nobody else does.
    leased_by BLOB,
    leased_until INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX webhook_endpoints_by_portal ON webhook_endpoints (portal_id, id);

-- One row for each endpoint and event. The body is made again from the event at each attempt.
CREATE TABLE webhook_deliveries (
    endpoint_id BLOB NOT NULL,
    tx INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    game_id BLOB NOT NULL,
    number INTEGER NOT NULL,
    type TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    -- Whether later events of the game wait for it.
    in_line INTEGER NOT NULL CHECK (in_line IN (0, 1)),
    attempts INTEGER NOT NULL,
    -- When it is tried next; none when it is finished, or waits for another one of its game.
    next_at INTEGER,
    created_at INTEGER NOT NULL,
    -- The last attempt, and what came of it.
    tried_at INTEGER,
    took INTEGER,
    response_status INTEGER,
    error TEXT,
    finished_at INTEGER,
    PRIMARY KEY (endpoint_id, tx, seq)
) STRICT;

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_deliveries_in_line ON webhook_deliveries (endpoint_id, game_id, tx, seq)
    WHERE status = 'pending' AND in_line = 1;
CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries (endpoint_id, status, tx, seq);
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;
