-- What lists of games are found by, and the secrets of the service.

-- How a seat's game came out, for what is counted about a player.
ALTER TABLE game_seats ADD COLUMN rules TEXT NOT NULL DEFAULT '';
ALTER TABLE game_seats ADD COLUMN outcome TEXT NOT NULL DEFAULT 'open'
    CHECK (outcome IN ('open', 'won', 'lost', 'void'));

UPDATE game_seats SET rules = g.rules, outcome = CASE
      WHEN g.status = 'active' THEN 'open'
      WHEN g.result ->> 'winner' = game_seats.seat THEN 'won'
      WHEN g.result ->> 'winner' IS NOT NULL
        OR g.result ->> 'seat' = game_seats.seat THEN 'lost'
      ELSE 'void' END
FROM games g WHERE g.id = game_seats.game_id;

CREATE INDEX game_seats_by_outcome ON game_seats (portal_id, player, rules, seat, outcome)
    WHERE player IS NOT NULL;

-- One row for each thing a game may be asked for by, and each of the two times it may be listed by: what is asked
-- for is one range of one index, in the order of the list. Rows are written when a game begins and when it ends, and
-- by no move between.
CREATE TABLE game_facets (
    game_id BLOB NOT NULL REFERENCES games (id),
    clock TEXT NOT NULL CHECK (clock IN ('created', 'finished')),
    facet TEXT NOT NULL,
    value TEXT NOT NULL,
    detail TEXT NOT NULL,
    portal_id BLOB NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (game_id, clock, facet, value, detail)
) STRICT;

-- A name may be as long as an index takes it: 200 characters, twice.
CREATE INDEX game_facets_by_time ON game_facets (portal_id, clock, facet, value, detail, at, game_id);

INSERT INTO game_facets (game_id, clock, facet, value, detail, portal_id, at)
SELECT s.game_id, 'created', 'player', s.player, '', s.portal_id, s.created_at
    FROM game_seats s WHERE s.player IS NOT NULL
UNION SELECT s.game_id, 'created', 'player_seat', s.player, s.seat, s.portal_id, s.created_at
    FROM game_seats s WHERE s.player IS NOT NULL
UNION SELECT s.game_id, 'created', 'player_rules', s.player, s.rules, s.portal_id, s.created_at
    FROM game_seats s WHERE s.player IS NOT NULL
UNION SELECT s.game_id, 'created', 'opponent', s.player, o.player, s.portal_id, s.created_at
    FROM game_seats s JOIN game_seats o ON o.game_id = s.game_id AND o.seat <> s.seat
    WHERE s.player IS NOT NULL AND o.player IS NOT NULL
UNION SELECT s.game_id, 'created', 'player_result', s.player, s.outcome, s.portal_id, s.created_at
    FROM game_seats s WHERE s.player IS NOT NULL AND s.outcome IN ('won', 'lost')
UNION SELECT g.id, 'created', 'winner', COALESCE(g.result ->> 'winner', 'void'), '', g.portal_id,
      g.created_at
    FROM games g WHERE g.status <> 'active'
UNION SELECT g.id, 'created', 'tag', t.value, '', g.portal_id, g.created_at
    FROM games g JOIN json_each(g.tags) t;

INSERT INTO game_facets (game_id, clock, facet, value, detail, portal_id, at)
SELECT f.game_id, 'finished', f.facet, f.value, f.detail, f.portal_id, g.finished_at
    FROM game_facets f JOIN games g ON g.id = f.game_id WHERE g.status <> 'active'
UNION ALL SELECT g.id, 'finished', 'all', '', '', g.portal_id, g.finished_at
    FROM games g WHERE g.status <> 'active'
UNION ALL SELECT g.id, 'finished', 'rules', g.rules, '', g.portal_id, g.finished_at
    FROM games g WHERE g.status <> 'active'
UNION ALL SELECT g.id, 'finished', 'status', g.status, '', g.portal_id, g.finished_at
    FROM games g WHERE g.status <> 'active';

INSERT INTO game_facets (game_id, clock, facet, value, detail, portal_id, at)
SELECT DISTINCT s.game_id, 'created', 'playing', s.player, '', s.portal_id, s.created_at
    FROM game_seats s WHERE s.player IS NOT NULL AND s.outcome = 'open';

-- Nothing is found by it any more.
DROP INDEX game_seats_by_player;

-- What the service alone may know, such as the key that cursors are signed with; made when first needed.
CREATE TABLE secrets (
    name TEXT NOT NULL PRIMARY KEY,
    secret BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
