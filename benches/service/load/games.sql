-- A portal, its key, and a game for each client of move.sql.
INSERT INTO portals (id, name, strict, created_at) VALUES ('00000000-0000-0000-0000-000000000001', 'bench', 0, 0);
INSERT INTO portal_keys (id, portal_id, secret_hash, label, scope, created_at)
VALUES ('bench', '00000000-0000-0000-0000-000000000001', decode(repeat('0', 64), 'hex'), '', 'play', 0);
INSERT INTO games (id, portal_id, rules, throws, status, version, start_state, state, seats, tags, created_at, updated_at)
SELECT ('00000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid, '00000000-0000-0000-0000-000000000001', 'kauri',
  'server', 'active', 0, repeat('x', 430), repeat('x', 430), '[{"seat":"south"},{"seat":"north"}]', '[]', 0, 0
FROM generate_series(0, 63) AS n;
