"""Stateless moves, beside a bare server that reads and writes JSON of the same sizes."""

from collections.abc import Iterator
from functools import partial

from harness.load import warmed, wrk
from harness.measure import Aim, Figures, Row, row, side_by_side
from harness.process import ECHO, Server, fresh_sqlite, kauri

BESIDE = "bare actix-web server, JSON of the same sizes"


def measure() -> Iterator[Row]:
    with kauri(fresh_sqlite("apply")) as ours, Server(ECHO) as theirs:
        for connections in (1, 16, 64):
            load = partial(apply, connections)
            pairs = side_by_side(warmed(ours, load), warmed(theirs, load))
            what = f"stateless apply, {connections} connection{'s' if connections > 1 else ''}"
            yield row(what, BESIDE, "requests/s", pairs, "rate", Aim(">=", 0.90))
            yield row(f"{what}, p50", BESIDE, "ms", pairs, "p50")
            yield row(f"{what}, p99", BESIDE, "ms", pairs, "p99", Aim("<=", 1.25))
        with kauri(fresh_sqlite("quiet"), "--log", "warn,kauri::server=info") as quiet:
            load = partial(apply, 16)
            pairs = side_by_side(warmed(quiet, load), warmed(ours, load))
            what = "stateless apply, 16 connections, without access lines"
            yield row(what, "the same with them", "requests/s", pairs, "rate")


def apply(connections: int, server: Server) -> Figures:
    return wrk("apply.lua", f"http://{server.address}/rules/kauri/apply", connections)
