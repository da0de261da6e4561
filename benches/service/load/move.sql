-- The two statements of a stored move with a portal key and an Idempotency-Key (src/store/open.rs, change.rs), with
-- texts as long as a move of Kauri's. Each client plays one game of its own.
\set v :v + 1
WITH caller AS (
  SELECT k.portal_id, k.secret_hash, k.scope, k.expires_at, k.revoked_at, p.strict
  FROM portal_keys k JOIN portals p ON p.id = k.portal_id WHERE k.id = 'bench'
)
SELECT c.portal_id AS c_portal_id, c.secret_hash AS c_secret_hash, c.scope AS c_scope,
  c.expires_at AS c_expires_at, c.revoked_at AS c_revoked_at, c.strict AS c_strict,
  a.body_hash AS a_body_hash, a.status AS a_status, a.etag AS a_etag, a.location AS a_location,
  a.body AS a_body, a.token_salt AS a_token_salt,
  g.id, g.portal_id, g.rules, g.throws, g.status, g.version, g.start_state, g.state, g.result,
  g.seats, g.tags, g.external_ref, g.created_at, g.updated_at, g.finished_at,
  s.ply AS s_ply, s.seat AS s_seat, s.move AS s_move, s.events AS s_events, s.at AS s_at
FROM caller c
LEFT JOIN kept_answers a ON a.portal_id = c.portal_id
  AND a.scope = 'POST /games/' || '00000000-0000-0000-0000-' || lpad((:client_id)::text, 12, '0') || '/moves'
  AND a.key_hash = decode(lpad((:v)::text, 64, '0'), 'hex') AND a.expires_at > 0
LEFT JOIN games g
  ON g.id = ('00000000-0000-0000-0000-' || lpad((:client_id)::text, 12, '0'))::uuid AND g.portal_id = c.portal_id
LEFT JOIN steps s ON s.game_id = g.id AND s.ply = :v;
WITH swapped AS (
  UPDATE games SET version = :v, state = repeat('x', 430), status = 'active', result = NULL, updated_at = :v,
    finished_at = NULL
  WHERE id = (
      SELECT id FROM games
      WHERE id = ('00000000-0000-0000-0000-' || lpad((:client_id)::text, 12, '0'))::uuid AND version = :v - 1
        AND status = 'active' FOR NO KEY UPDATE SKIP LOCKED
    ) AND version = :v - 1 AND status = 'active'
  RETURNING id, portal_id, rules, status, created_at
), logged AS (
  INSERT INTO steps (game_id, ply, seat, move, events, at)
  SELECT id, :v, 'south', 'a', repeat('x', 340), :v FROM swapped WHERE 'a' IS NOT NULL
), told AS (
  INSERT INTO events (portal_id, game_id, number, type, at)
  SELECT portal_id, id, :v + 1, 'game.step', (:v)::bigint FROM swapped WHERE 'a' IS NOT NULL
  UNION ALL
  SELECT portal_id, id, :v + 2, 'game.ended', (:v)::bigint FROM swapped WHERE 'active' <> 'active'
), kept AS (
  INSERT INTO kept_answers (portal_id, scope, key_hash, body_hash, status, etag, location, body, expires_at)
  SELECT '00000000-0000-0000-0000-000000000001'::uuid,
    'POST /games/' || '00000000-0000-0000-0000-' || lpad((:client_id)::text, 12, '0') || '/moves',
    decode(lpad((:v)::text, 64, '0'), 'hex'), decode(repeat('0', 64), 'hex'), 201, '"v1"',
    '/games/00000000-0000-0000-0000-000000000000/moves/1', repeat('x', 830), 9223372036854775807 FROM swapped
  ON CONFLICT (portal_id, scope, key_hash) DO UPDATE SET body_hash = excluded.body_hash,
    status = excluded.status, etag = excluded.etag, location = excluded.location, body = excluded.body,
    token_salt = NULL, expires_at = excluded.expires_at
) SELECT id FROM swapped;
