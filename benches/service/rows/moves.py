"""Stored moves, each with a portal key and an Idempotency-Key, beside what their databases do with the same statements."""

import json
from collections.abc import Iterator
from functools import partial

from harness.database import Postgres
from harness.load import LOAD, pgbench, warmed, wrk
from harness.measure import SECONDS, Aim, Figures, Row, row, side_by_side
from harness.process import TARGET, Server, fresh_sqlite, kauri, migrate, portal_key, run

CLIENTS = (1, 8, 32)


def measure() -> Iterator[Row]:
    yield from on_postgres()
    yield from on_sqlite()


def on_postgres() -> Iterator[Row]:
    ours, theirs = Postgres("ours"), Postgres("theirs")
    key = portal_key(ours.url)
    migrate(theirs.url)
    run("psql", "-q", "-v", "ON_ERROR_STOP=1", theirs.url, "-f", str(LOAD / "games.sql"))
    beside = "pgbench, the same statements and connections"
    with kauri(ours.url, "--pool", "32") as server:
        for clients in CLIENTS:
            pairs = side_by_side(warmed(server, partial(moves, key, clients)), partial(statements, theirs, clients))
            aim = Aim(">=", 0.80) if clients > 1 else None
            yield row(f"stored moves on PostgreSQL, {said(clients)}", beside, "moves/s", pairs, "rate", aim)


def on_sqlite() -> Iterator[Row]:
    database = fresh_sqlite("ours")
    key = portal_key(database)
    beside = "plain loop of the SQLite library, the same transaction"
    with kauri(database) as server:
        for clients in CLIENTS:
            pairs = side_by_side(warmed(server, partial(moves, key, clients)), loop)
            yield row(f"stored moves on SQLite, {said(clients)}", beside, "moves/s", pairs, "rate", Aim(">=", 0.80))


def said(clients: int) -> str:
    return f"{clients} clients" if clients > 1 else "one client"


def moves(key: str, clients: int, server: Server) -> Figures:
    """Games of Kauri played to their end over HTTP, one after the other on each connection."""
    return wrk("moves.lua", f"http://{server.address}", clients, f"Bearer {key}", threads=clients)


def statements(database: Postgres, clients: int) -> Figures:
    """Each client moves in a game of its own, for ever."""
    database.query("UPDATE games SET version = 0")
    database.query("TRUNCATE steps, events, kept_answers")
    return pgbench(database.url, "move.sql", clients, v=0)


def loop() -> Figures:
    database = fresh_sqlite("theirs")
    migrate(database)
    told = run(str(TARGET / "release/examples/sqlite_loop"), database.removeprefix("sqlite://"), str(SECONDS))
    return {"rate": json.loads(told)["moves"]}
