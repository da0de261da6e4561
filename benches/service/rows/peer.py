"""Stored moves beside those of a boardgame.io server with the storage that it brings."""

import json
import os
import tempfile

from harness.load import wrk
from harness.measure import SECONDS, Aim, Figures, Row, row, side_by_side
from harness.process import TARGET, Server, fresh_sqlite, kauri, portal_key, run

PLACE = TARGET / "bench/boardgame"


def measure() -> list[Row]:
    found = []
    for clients in (1, 8, 32):
        pairs = side_by_side(lambda c=clients: ours(c), lambda c=clients: theirs(c))
        beside = "boardgame.io with its FlatFile storage, as many games"
        found.append(row(f"stored moves on SQLite, {clients} clients", beside, "moves/s", pairs, "rate", Aim(">=", 10)))
    return found


def ours(clients: int) -> Figures:
    database = fresh_sqlite("peer")
    key = portal_key(database)
    with kauri(database) as server:
        return wrk("moves.lua", f"http://{server.address}", clients, f"Bearer {key}", threads=clients)


def theirs(clients: int) -> Figures:
    with (
        tempfile.TemporaryDirectory(dir=os.environ["BENCH_DIR"]) as games,
        Server("node", str(PLACE / "server.mjs"), games) as server,
    ):
        said = run("node", str(PLACE / "play.mjs"), server.address, str(clients), str(SECONDS))
        return {"rate": json.loads(said)["moves"]}
