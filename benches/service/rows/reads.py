"""Reads of a million stored games, and how latencies grow with games and with the length of a log."""

import os
from collections.abc import Iterator
from functools import partial

from harness.database import Filled, Postgres, Sqlite, fill
from harness.load import Client, pgbench, warmed, wrk
from harness.measure import Aim, Figures, Row, row, side_by_side
from harness.process import Server, fresh_sqlite, kauri

MANY = int(os.environ.get("GAMES", "1000000"))
FEW = MANY // 100
# Deep enough, whatever pages hold.
PAGES = 10_000
CONNECTIONS = 16
LONG, SHORT = 10_000, 10


def measure() -> Iterator[Row]:
    few, many = fill(Postgres("few"), FEW), fill(Postgres("many"), MANY)
    yield from grown(few, many, "PostgreSQL")
    yield from pages(many, "PostgreSQL")
    yield beside_pgbench(many)
    yield from long_logs(Postgres("logs"), "PostgreSQL")
    # A file is for less: filling one as large takes longer than all else here.
    few, many = fill(Sqlite(fresh_sqlite("few")), FEW // 10), fill(Sqlite(fresh_sqlite("many")), MANY // 10)
    yield from grown(few, many, "SQLite")
    yield from pages(many, "SQLite")
    yield from long_logs(Sqlite(fresh_sqlite("logs")), "SQLite")


def grown(few: Filled, many: Filled, database: str) -> Iterator[Row]:
    """Latencies with many games beside those with few."""
    wanted = {"a game": "game", "a page of a log": "log", "the first page of games": "page"}
    with kauri(many.url, "--pool", "32") as ours, kauri(few.url, "--pool", "32") as theirs:
        for what, path in wanted.items():
            pairs = side_by_side(warmed(ours, partial(read, many, path)), warmed(theirs, partial(read, few, path)))
            name = f"reading {what} on {database}, {many.games:,} games, {CONNECTIONS} connections"
            beside = f"the same with {few.games:,} games"
            yield row(f"{name}, p50", beside, "ms", pairs, "p50")
            yield row(f"{name}, p99", beside, "ms", pairs, "p99")


def read(filled: Filled, what: str, server: Server, *arguments: str) -> Figures:
    address = f"http://{server.address}"
    return wrk("read.lua", address, CONNECTIONS, f"Bearer {filled.key}", what, str(filled.games), *arguments)


def pages(filled: Filled, database: str) -> Iterator[Row]:
    """A page deep in the list beside its first."""
    with kauri(filled.url, "--pool", "32") as server:
        cursor = deep(server, filled)
        pairs = side_by_side(
            warmed(server, lambda server: read(filled, "page", server, cursor)),
            warmed(server, lambda server: read(filled, "page", server)),
        )
    number = min(PAGES, filled.games * 9 // 200)
    what = f"page {number:,} of games on {database}, {filled.games:,} games, {CONNECTIONS} connections"
    yield row(f"{what}, p50", "page 1", "ms", pairs, "p50", Aim("<=", 1.2))
    yield row(f"{what}, p99", "page 1", "ms", pairs, "p99")


def deep(server: Server, filled: Filled) -> str:
    """The cursor of page 10,000, or nearly the last, with 20 games on each; reached by pages of 100."""
    client = Client(server.address, filled.key)
    after = ""
    for _ in range(min(PAGES * 20, filled.games * 9 // 10) // 100):
        after = f"&cursor={client.json('GET', f'/games?limit=100{after}')['next']}"
    client.close()
    return after


def beside_pgbench(filled: Filled) -> Row:
    """The same read in PostgreSQL alone."""

    def statement() -> Figures:
        return pgbench(filled.url, "read.sql", CONNECTIONS, games=filled.games, key=filled.key.split("_")[2])

    with kauri(filled.url, "--pool", "32") as server:
        pairs = side_by_side(warmed(server, partial(read, filled, "game")), statement)
    what = f"reading a game on PostgreSQL, {filled.games:,} games, {CONNECTIONS} connections"
    return row(what, "pgbench, the same statement and connections", "reads/s", pairs, "rate")


def long_logs(database: Postgres | Sqlite, name: str) -> list[Row]:
    """Moves and pages at the end of a long log beside those of a short one, one by one."""
    key = fill(database, 1).key
    with kauri(database.url) as server:
        client = Client(server.address, key)

        def at(length: int) -> Figures:
            game = client.json("POST", "/games", {"rules": "kauri"})["id"]
            lengthen(database, game, length)
            times: dict[str, list[float]] = {"move": [], "page": []}
            for version in range(length, length + 20):
                move = {"move": client.json("GET", f"/games/{game}")["position"]["legal_moves"][0], "expected_version": version}
                status, text, took = client.request("POST", f"/games/{game}/moves", move)
                if status != 201:
                    raise RuntimeError(text)
                times["move"].append(took)
                status, text, took = client.request("GET", f"/games/{game}/moves?after={version - 9}&limit=10")
                times["page"].append(took)
            return {what: sorted(all)[len(all) // 2] for what, all in times.items()}

        pairs = side_by_side(lambda: at(LONG), lambda: at(SHORT))
        client.close()
    beside = f"the same on a log of {SHORT}"
    return [
        row(f"a move on a log of {LONG:,} steps on {name}", beside, "ms", pairs, "move"),
        row(f"the last page of a log of {LONG:,} steps on {name}", beside, "ms", pairs, "page"),
    ]


def lengthen(database: Postgres | Sqlite, game: str, length: int) -> None:
    """Gives a game a log of that length. Its steps are none of the rules', but nothing here replays them."""
    id = database.literal(game)
    columns = "game_id, ply, seat, move, events, at"
    database.query(f"INSERT INTO steps ({columns}) SELECT {id}, n, 'south', 'a', '[]', n FROM {database.numbers(1, length)}")
    database.query(f"UPDATE games SET version = {length} WHERE id = {id}")
