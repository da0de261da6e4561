"""Stored moves beside those of a boardgame.io server with the storage that it brings."""

import json
import os
import tempfile
from collections.abc import Iterator
from functools import partial

from harness.load import warmed
from harness.measure import SECONDS, Aim, Figures, Row, row, side_by_side
from harness.process import TARGET, Server, fresh_sqlite, kauri, portal_key, run

from .moves import CLIENTS, moves, said

PLACE = TARGET / "bench/boardgame"


def measure() -> Iterator[Row]:
    database = fresh_sqlite("peer")
    key = portal_key(database)
    beside = "boardgame.io with its FlatFile storage, as many games"
    with (
        tempfile.TemporaryDirectory(dir=os.environ["BENCH_DIR"]) as games,
        kauri(database) as ours,
        Server("node", str(PLACE / "server.mjs"), games) as theirs,
    ):
        for clients in CLIENTS:
            pairs = side_by_side(warmed(ours, partial(moves, key, clients)), warmed(theirs, partial(play, clients)))
            what = f"stored moves on SQLite, {said(clients)}"
            yield row(what, beside, "moves/s", pairs, "rate", Aim(">=", 10))


def play(clients: int, server: Server) -> Figures:
    told = run("node", str(PLACE / "play.mjs"), server.address, str(clients), str(SECONDS))
    return {"rate": json.loads(told)["moves"]}
