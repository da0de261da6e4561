"""Stateless moves, beside a bare server that reads and writes JSON of the same sizes."""

from harness.load import wrk
from harness.measure import Aim, Figures, Row, row, side_by_side
from harness.process import ECHO, Server, fresh_sqlite, kauri

BESIDE = "bare actix-web server, JSON of the same sizes"


def measure() -> list[Row]:
    found = []
    for connections in (1, 16, 64):
        what = f"stateless apply, {connections} connections"
        pairs = side_by_side(lambda c=connections: ours(c), lambda c=connections: theirs(c))
        found.append(row(what, BESIDE, "requests/s", pairs, "rate", Aim(">=", 0.90)))
        found.append(row(f"{what}, p50", BESIDE, "ms", pairs, "p50"))
        found.append(row(f"{what}, p99", BESIDE, "ms", pairs, "p99", Aim("<=", 1.25)))
    pairs = side_by_side(lambda: ours(16, "--log", "warn,kauri::server=info"), lambda: ours(16))
    found.append(
        row("stateless apply, 16 connections, without access lines", "the same with them", "requests/s", pairs, "rate")
    )
    return found


def ours(connections: int, *flags: str) -> Figures:
    with kauri(fresh_sqlite("apply"), *flags) as server:
        return load(server, connections)


def theirs(connections: int) -> Figures:
    with Server(ECHO) as server:
        return load(server, connections)


def load(server: Server, connections: int) -> Figures:
    return wrk("apply.lua", f"http://{server.address}/rules/kauri/apply", connections)
