// One story, told by every client: games are made, read, played, refused and listed.
import assert from "node:assert/strict";
import { Configuration, GamesApi, ProblemFromJSON, ResponseError, RulesApi } from "./api/index.js";
import type { Game, GamePage, LogPage, Problem } from "./api/index.js";

const url = process.env.KAURI_URL ?? "http://127.0.0.1:8080";
const key = process.env.KAURI_KEY ?? "";

// snippet:
const configuration = new Configuration({ basePath: url, accessToken: key });
const games = new GamesApi(configuration);

const game = await games.createGame({ newGame: { rules: "kauri" } });
const move = game.position.legalMoves[0];
try {
  const newMove = { move, expectedVersion: game.version };
  const step = await games.postMove({ id: game.id, newMove });
  console.log(`${step.step.seat} played ${move}; then ${step.position.legalMoves} are legal`);
} catch (error) {
  if (!(error instanceof ResponseError)) throw error;
  const problem = ProblemFromJSON(await error.response.json());
  throw new Error(`${problem.code}: ${problem.legalMoves}`);
}
// end

const { id } = game;

async function refusal(call: Promise<unknown>): Promise<[number, Problem]> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    return [error.response.status, ProblemFromJSON(await error.response.json())];
  }
  throw new Error("It was taken.");
}

const answer = await games.getGameRaw({ id });
const read = await answer.value();
assert.equal(read.version, 1);
assert.ok(!read.seatTokens && game.seatTokens?.length === 2);
assert.ok(read.createdAt instanceof Date && read.createdAt <= read.updatedAt);
const ifNoneMatch = answer.raw.headers.get("etag")!;
// This client takes 304 for an error, as `fetch` does; it can be told by its status.
const again: unknown = await games.getGame({ id, ifNoneMatch }).catch((error: unknown) => error);
assert.ok(again instanceof ResponseError && again.response.status === 304);

const stateRequest = { state: read.position.state };
const asked = await new RulesApi(configuration).legalMoves({ rules: game.rules, stateRequest });
assert.deepEqual(asked.legalMoves, read.position.legalMoves);

const illegal = await refusal(games.postMove({ id, newMove: { move: "a" } }));
assert.deepEqual([illegal[0], illegal[1].code], [422, "illegal_move"]);
assert.deepEqual(illegal[1].legalMoves, read.position.legalMoves);

const late = { move: read.position.legalMoves[0], expectedVersion: 0 };
const conflict = await refusal(games.postMove({ id, newMove: late }));
assert.deepEqual([conflict[0], conflict[1].code, conflict[1].version], [409, "version_conflict", 1]);

async function play(game: Game): Promise<Game> {
  let { version, position } = game;
  while (position.phase !== "over") {
    const legal = position.legalMoves;
    const newMove = { move: legal[(7 * version + 3) % legal.length], expectedVersion: version };
    ({ version, position } = await games.postMove({ id: game.id, newMove }));
  }
  const ended = await games.getGame({ id: game.id });
  assert.deepEqual([ended.status, ended.version], ["finished", version]);
  return ended;
}

const first = await play(read);
const second = await play(await games.createGame({ newGame: { rules: "ashta-kashte", throws: "server" } }));

let steps = 0;
let after: number | undefined = 0;
while (after !== undefined) {
  const page: LogPage = await games.listMoves({ id: second.id, after, limit: 50 });
  steps += page.items.length;
  after = page.next;
}
assert.equal(steps, second.version);

const ids = new Set<string>();
let cursor: string | undefined;
do {
  const page: GamePage = await games.listGames({ status: "finished", limit: 1, ...(cursor && { cursor }) });
  for (const game of page.items) ids.add(game.id);
  cursor = page.next;
} while (cursor);
assert.ok(ids.has(first.id) && ids.has(second.id));

const told = (game: Game) =>
  `${game.rules} over after ${game.version} steps, ${game.position.result?.winner} by ${game.position.result?.reason}`;
console.log(`${told(first)}; ${told(second)}; illegal_move, version_conflict, 304; ${steps} steps and ${ids.size} games paged`);
