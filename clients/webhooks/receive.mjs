// A receiver of webhooks: verifies what the service posts with the official package, and says what came.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { Webhook, WebhookVerificationError } from "standardwebhooks";

const heard = [];
// The first post is not taken, so that it comes again.
const statuses = [500];
const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request.setEncoding("utf8")) body += piece;
  response.writeHead(statuses.shift() ?? 204).end();
  heard.push({ headers: request.headers, body });
  server.emit("heard");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");

async function ask(method, path, body) {
  const answer = await fetch(process.env.KAURI_URL + path, {
    method,
    headers: { authorization: `Bearer ${process.env.KAURI_KEY}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  return answer.status === 204 ? null : answer.json();
}

async function posts(count) {
  while (heard.length < count) await once(server, "heard", { signal: AbortSignal.timeout(60_000) });
  return heard.slice(0, count);
}

const refuses = (secret, body, headers) =>
  assert.throws(() => new Webhook(secret).verify(body, headers), WebhookVerificationError);

const made = await ask("POST", "/webhooks", { url: `http://127.0.0.1:${server.address().port}/hook` });
const [webhook, secret] = [`/webhooks/${made.id}`, made.secret];

const game = await ask("POST", "/games", { rules: "kauri" });
await ask("POST", `/games/${game.id}/moves`, { move: "a" });
await ask("POST", `/games/${game.id}/resignation`, { seat: "north" });
const first = await posts(4);
const events = first.map(({ headers, body }) => new Webhook(secret).verify(body, headers));
assert.deepEqual(
  events.map((event) => event.type),
  ["game.created", "game.created", "game.step", "game.ended"],
);
const ids = first.map(({ headers }) => headers["webhook-id"]);
assert.ok(ids[0] === ids[1] && new Set(ids).size === 3);
assert.ok(events.every((event) => event.data.game_id === game.id));

const { headers, body } = first[3];
refuses(secret, `${body} `, headers);
refuses(secret, body, { ...headers, "webhook-id": ids[0] });

const renewed = (await ask("POST", `${webhook}/secret`, { overlap_seconds: 60 })).secret;
refuses(renewed, body, headers);
assert.ok((await ask("POST", `${webhook}/test`)).delivered);
const test = (await posts(5))[4];
for (const each of [secret, renewed]) {
  assert.equal(new Webhook(each).verify(test.body, test.headers).type, "webhook.test");
}

const log = (await ask("GET", `${webhook}/deliveries`)).items;
assert.deepEqual(
  log.map((delivery) => delivery.id),
  ids.slice(1).reverse(),
);
assert.ok(log.every((delivery) => delivery.status === "delivered"));
await ask("DELETE", webhook);
console.log(`Node.js: ${first.length} posts and a test verified; one came again, three that were changed were refused`);
server.close();
