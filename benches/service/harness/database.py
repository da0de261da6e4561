"""Databases with many games, made by copying a few that the service made itself.

What is copied is read off the schema, so that a new column or table of a game comes along.
"""

import os
import sqlite3
import uuid
from dataclasses import dataclass

from .load import Client
from .process import kauri, portal_key, run

# What another game has of its own; `n` is its number.
STEP = 1_000
TIMES = {"created_at", "updated_at", "finished_at", "at"}
# Made by the database, or unique in a portal.
LEFT_OUT = {"seq", "tx", "external_ref"}


class Postgres:
    """A database of the cluster that the bench runs beside."""

    game_id = "('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid"

    def __init__(self, name: str) -> None:
        self.url = f"{os.environ['KAURI_TEST_POSTGRES_URL'].rsplit('/', 1)[0]}/{name}"
        run("psql", "-q", os.environ["KAURI_TEST_POSTGRES_URL"], "-c", f"DROP DATABASE IF EXISTS {name}", "-c", f"CREATE DATABASE {name}")

    def query(self, sql: str) -> list[list[str]]:
        said = run("psql", "-qAtX", "-v", "ON_ERROR_STOP=1", self.url, "-c", sql)
        return [line.split("|") for line in said.splitlines()]

    def tables(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for table, column in self.query(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, ordinal_position"
        ):
            found.setdefault(table, []).append(column)
        return found

    def literal(self, id: str) -> str:
        return f"'{id}'::uuid"

    def numbers(self, first: int, last: int) -> str:
        return f"generate_series({first}, {last}) AS n"

    def settle(self) -> None:
        self.query("VACUUM ANALYZE")
        self.query("CHECKPOINT")


class Sqlite:
    """A file."""

    game_id = "game_id(n)"

    def __init__(self, url: str) -> None:
        self.url = url

    def query(self, sql: str) -> list[list]:
        with sqlite3.connect(self.url.removeprefix("sqlite://"), isolation_level=None) as connection:
            connection.create_function("game_id", 1, game_id, deterministic=True)
            return [list(row) for row in connection.execute(sql)]

    def tables(self) -> dict[str, list[str]]:
        names = self.query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        return {name: [column[1] for column in self.query(f"PRAGMA table_info({name})")] for (name,) in names}

    def literal(self, id: str) -> str:
        return f"x'{uuid.UUID(id).hex}'"

    def numbers(self, first: int, last: int) -> str:
        series = f"WITH RECURSIVE s (n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM s WHERE n < {last}) SELECT n FROM s"
        return f"({series}) AS numbers"

    def settle(self) -> None:
        self.query("ANALYZE")
        self.query("PRAGMA wal_checkpoint(TRUNCATE)")


def game_id(number: int) -> bytes:
    return uuid.UUID(f"01900000-0000-7000-8000-{number:012x}").bytes


@dataclass
class Filled:
    """A database with many games."""

    url: str
    key: str
    games: int


def fill(database: Postgres | Sqlite, games: int) -> Filled:
    """Fills an empty database: active games without steps, and each fortieth a finished one with its log."""
    key = portal_key(database.url)
    with kauri(database.url) as server:
        client = Client(server.address, key)
        fresh = client.json("POST", "/games", {"rules": "kauri"})["id"]
        ended = finished(client)
        client.close()
    copy(database, ended, f"{database.numbers(1, games)} WHERE n % 40 = 0")
    copy(database, fresh, f"{database.numbers(1, games)} WHERE n % 40 <> 0")
    database.settle()
    return Filled(database.url, key, games)


def finished(client: Client) -> str:
    """The id of a game played to its end."""
    game = client.json("POST", "/games", {"rules": "kauri", "seats": [{"seat": "south", "player": "ana"}, {"seat": "north", "player": "ben"}]})
    position = game["position"]
    while position["legal_moves"]:
        position = client.json("POST", f"/games/{game['id']}/moves", {"move": position["legal_moves"][0]})["position"]
    return game["id"]


def copy(database: Postgres | Sqlite, game: str, numbers: str) -> None:
    """Copies a game with all that belongs to it, once for each number."""
    tables = database.tables()
    own = [("games", "id")] + [(table, "game_id") for table, columns in tables.items() if "game_id" in columns]
    for table, key in own:
        if table == "external_refs":
            continue
        columns = [column for column in tables[table] if column not in LEFT_OUT]
        values = [
            database.game_id if column == key else f"{column} + n * {STEP}" if column in TIMES else column
            for column in columns
        ]
        database.query(
            f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)} FROM "
            f"(SELECT * FROM {table} WHERE {key} = {database.literal(game)}) AS one, {numbers}"
        )
