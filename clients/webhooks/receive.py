"""A receiver of webhooks: verifies what the service posts with the official package, and says what came."""

import json
import os
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from typing import Any

from standardwebhooks import Webhook, WebhookVerificationError

heard: Queue[tuple[dict[str, str], str]] = Queue()
# The first post is not taken, so that it comes again.
statuses = iter([500])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        self.send_response(next(statuses, 204))
        self.end_headers()
        heard.put((dict(self.headers), body))

    def log_message(self, *_: object) -> None:
        pass


def ask(method: str, path: str, body: object = None) -> Any:
    headers = {"authorization": f"Bearer {os.environ['KAURI_KEY']}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["KAURI_URL"] + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read() or "null")


def refused(secret: str, body: str, headers: dict[str, str]) -> bool:
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return True
    return False


server = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
made = ask("POST", "/webhooks", {"url": f"http://127.0.0.1:{server.server_port}/hook"})
webhook, secret = f"/webhooks/{made['id']}", made["secret"]

game = ask("POST", "/games", {"rules": "kauri"})
ask("POST", f"/games/{game['id']}/moves", {"move": "a"})
ask("POST", f"/games/{game['id']}/resignation", {"seat": "north"})
posts = [heard.get(timeout=60) for _ in range(4)]
events = [Webhook(secret).verify(body, headers) for headers, body in posts]
kinds = [event["type"] for event in events]
assert kinds == ["game.created", "game.created", "game.step", "game.ended"], kinds
ids = [headers["webhook-id"] for headers, _ in posts]
assert ids[0] == ids[1] and len(set(ids)) == 3, ids
assert all(event["data"]["game_id"] == game["id"] for event in events)

headers, body = posts[-1]
assert refused(secret, body + " ", headers)
assert refused(secret, body, headers | {"webhook-id": ids[0]})

renewed = ask("POST", f"{webhook}/secret", {"overlap_seconds": 60})["secret"]
assert refused(renewed, body, headers)
assert ask("POST", f"{webhook}/test")["delivered"]
headers, body = heard.get(timeout=60)
for each in (secret, renewed):
    assert Webhook(each).verify(body, headers)["type"] == "webhook.test"

log = ask("GET", f"{webhook}/deliveries")["items"]
assert [delivery["id"] for delivery in log] == ids[:0:-1], log
assert {delivery["status"] for delivery in log} == {"delivered"}, log
ask("DELETE", webhook)
print(f"Python: {len(posts)} posts and a test verified; one came again, three that were changed were refused")
