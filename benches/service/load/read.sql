-- The statement by which a game is read with a portal key (src/store/open.rs).
\set n random(1, :games)
WITH caller AS (
  SELECT k.portal_id, k.secret_hash, k.scope, k.expires_at, k.revoked_at, p.strict
  FROM portal_keys k JOIN portals p ON p.id = k.portal_id WHERE k.id = :key
)
SELECT c.portal_id AS c_portal_id, c.secret_hash AS c_secret_hash, c.scope AS c_scope,
  c.expires_at AS c_expires_at, c.revoked_at AS c_revoked_at, c.strict AS c_strict,
  a.body_hash AS a_body_hash, a.status AS a_status, a.etag AS a_etag, a.location AS a_location,
  a.body AS a_body, a.token_salt AS a_token_salt,
  g.id, g.portal_id, g.rules, g.throws, g.status, g.version, g.start_state, g.state, g.result,
  g.seats, g.tags, g.external_ref, g.created_at, g.updated_at, g.finished_at,
  s.ply AS s_ply, s.seat AS s_seat, s.move AS s_move, s.events AS s_events, s.at AS s_at
FROM caller c
LEFT JOIN kept_answers a
  ON a.portal_id = c.portal_id AND a.scope = NULL AND a.key_hash = NULL AND a.expires_at > 0
LEFT JOIN games g
  ON g.id = ('01900000-0000-7000-8000-' || lpad(to_hex((:n)::bigint), 12, '0'))::uuid AND g.portal_id = c.portal_id
LEFT JOIN steps s ON s.game_id = g.id AND s.ply = NULL;
