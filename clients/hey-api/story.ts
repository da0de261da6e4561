// One story, told by every client: games are made, read, played, refused and listed.
import assert from "node:assert/strict";
import { createClient } from "./api/client/index.js";
import { createGame, getGame, legalMoves, listGames, listMoves, postMove, type Game } from "./api/index.js";

const url = process.env.KAURI_URL ?? "http://127.0.0.1:8080";
const key = process.env.KAURI_KEY ?? "";

// snippet:
const client = createClient({ baseUrl: url, auth: key });

const { data: game, error } = await createGame({ client, body: { rules: "kauri" } });
if (!game) throw new Error(`${error.code}: ${error.title}`);

const move = game.position.legal_moves[0];
const { data: step, error: refused } = await postMove({
  client,
  path: { id: game.id },
  body: { move, expected_version: game.version },
});
if (!step) throw new Error(`${refused.code}: ${refused.legal_moves}`);
console.log(`${step.step.seat} played ${move}; then ${step.position.legal_moves} are legal`);
// end

const path = { id: game.id };

const read = await getGame({ client, path });
assert.equal(read.data?.version, 1);
assert.ok(!read.data.seat_tokens && game.seat_tokens?.length === 2);
const etag = read.response!.headers.get("etag")!;
const again = await getGame({ client, path, headers: { "If-None-Match": etag } });
assert.equal(again.response!.status, 304);
assert.equal(again.data, undefined);

const { data: asked } = await legalMoves({
  client,
  path: { rules: game.rules },
  body: { state: read.data.position.state },
});
assert.deepEqual(asked?.legal_moves, step.position.legal_moves);

const illegal = await postMove({ client, path, body: { move: "a" } });
assert.equal(illegal.response!.status, 422);
assert.equal(illegal.error?.code, "illegal_move");
assert.deepEqual(illegal.error.legal_moves, step.position.legal_moves);

const late = { move: step.position.legal_moves[0], expected_version: 0 };
const conflict = await postMove({ client, path, body: late });
assert.equal(conflict.response!.status, 409);
assert.equal(conflict.error?.code, "version_conflict");
assert.equal(conflict.error.version, 1);

async function play(game: Game, version: number): Promise<Game> {
  const path = { id: game.id };
  for (let position = game.position; position.phase !== "over"; ) {
    const legal = position.legal_moves;
    const body = { move: legal[(7 * version + 3) % legal.length], expected_version: version };
    const { data, error } = await postMove({ client, path, body });
    if (!data) throw new Error(error.code);
    ({ version, position } = data);
  }
  const { data } = await getGame({ client, path });
  assert.equal(data?.status, "finished");
  assert.equal(data.version, version);
  return data;
}

const first = await play(read.data, 1);
const made = await createGame({ client, body: { rules: "ashta-kashte", throws: "server" } });
const second = await play(made.data!, 0);

let steps = 0;
let after: number | undefined = 0;
while (after !== undefined) {
  const query: { after: number; limit: number } = { after, limit: 50 };
  const { data: page } = await listMoves({ client, path: { id: second.id }, query });
  steps += page!.items.length;
  after = page!.next;
}
assert.equal(steps, second.version);

const ids = new Set<string>();
let cursor: string | undefined;
do {
  const query: { status: string; limit: number; cursor?: string } = { status: "finished", limit: 1 };
  if (cursor) query.cursor = cursor;
  const { data: page } = await listGames({ client, query });
  for (const game of page!.items) ids.add(game.id);
  cursor = page!.next;
} while (cursor);
assert.ok(ids.has(first.id) && ids.has(second.id));

const told = (game: Game) =>
  `${game.rules} over after ${game.version} steps, ${game.position.result?.winner} by ${game.position.result?.reason}`;
console.log(`${told(first)}; ${told(second)}; illegal_move, version_conflict, 304; ${steps} steps and ${ids.size} games paged`);
