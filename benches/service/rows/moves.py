"""Stored moves, each with a portal key and an Idempotency-Key, beside what their databases do with the same statements."""

import json
import re

from harness.database import Postgres
from harness.load import LOAD, wrk
from harness.measure import SECONDS, Aim, Figures, Row, row, side_by_side
from harness.process import TARGET, fresh_sqlite, kauri, migrate, portal_key, run


def measure() -> list[Row]:
    return [*on_postgres(), *on_sqlite()]


def on_postgres() -> list[Row]:
    ours, theirs = Postgres("ours"), Postgres("theirs")
    key = portal_key(ours.url)
    migrate(theirs.url)
    run("psql", "-q", "-v", "ON_ERROR_STOP=1", theirs.url, "-f", str(LOAD / "games.sql"))
    found = []
    for clients in (1, 8, 32):
        pairs = side_by_side(lambda c=clients: moves(ours.url, key, c), lambda c=clients: pgbench(theirs, c))
        beside = "pgbench, the same statements and connections"
        aim = Aim(">=", 0.80) if clients > 1 else None
        found.append(row(f"stored moves on PostgreSQL, {clients} clients", beside, "moves/s", pairs, "rate", aim))
    return found


def on_sqlite() -> list[Row]:
    found = []
    for clients in (1, 8, 32):

        def ours(clients: int = clients) -> Figures:
            database = fresh_sqlite("ours")
            return moves(database, portal_key(database), clients)

        pairs = side_by_side(ours, loop)
        beside = "plain loop of the SQLite library, the same transaction"
        found.append(row(f"stored moves on SQLite, {clients} clients", beside, "moves/s", pairs, "rate", Aim(">=", 0.80)))
    return found


def moves(database: str, key: str, clients: int) -> Figures:
    """Games of Kauri played to their end over HTTP, one after the other on each connection."""
    with kauri(database, "--pool", "32") as server:
        return wrk("moves.lua", f"http://{server.address}", clients, f"Bearer {key}", threads=clients)


def pgbench(database: Postgres, clients: int) -> Figures:
    """Each client moves in a game of its own, for ever."""
    database.query("UPDATE games SET version = 0")
    database.query("TRUNCATE steps, events, kept_answers")
    command = ("pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", "2", "-T", str(SECONDS), "-D", "v=0")
    said = run(*command, "-f", str(LOAD / "move.sql"), database.url)
    return {"rate": float(re.search(r"tps = ([\d.]+)", said)[1])}


def loop() -> Figures:
    database = fresh_sqlite("theirs")
    migrate(database)
    said = run(str(TARGET / "release/examples/sqlite_loop"), database.removeprefix("sqlite://"), str(SECONDS))
    return {"rate": json.loads(said)["moves"]}
