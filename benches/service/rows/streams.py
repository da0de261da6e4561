"""Event streams: what an idle one takes, and how soon an event comes, to the same process and to another."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median, quantiles

from harness.database import Postgres
from harness.load import Client
from harness.measure import Aim, Figures, Row, row, side_by_side
from harness.process import ECHO, Server, fresh_sqlite, kauri

# Streams that are held, and events that are waited for.
HELD = 10_000
EVENTS = 200
BESIDE = "bare actix-web server, an idle connection"
OTHER = "the same to a stream of the process that made it"


def measure() -> list[Row]:
    beside = connections()
    weights, storms = [(streams(at_once=False), beside)], [(streams(at_once=True), beside)]
    pairs = side_by_side(lambda: latency(across=True), lambda: latency(across=False))
    return [
        row(f"memory for one idle stream, of {HELD:,}", BESIDE, "KiB", weights, "held", Aim("<=", 12, "ours")),
        row("the same, all opened at once", BESIDE, "KiB", storms, "held"),
        row("from a move's request to its event in another process, Postgres, p50", OTHER, "ms", pairs, "p50", Aim("<", 50, "ours")),
        row("the same, p99", OTHER, "ms", pairs, "p99"),
    ]


class Stream:
    """A stream of server-sent events over a plain socket."""

    def __init__(self, address: str, path: str) -> None:
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)))
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\n\r\n".encode())
        self.rest = b""

    def until(self, what: bytes) -> None:
        while what not in self.rest:
            part = self.socket.recv(1 << 16)
            if not part:
                raise RuntimeError("the stream was closed")
            self.rest += part
        self.rest = self.rest.split(what, 1)[1]


def new_game(client: Client) -> str:
    return f"/games/{client.json('POST', '/games', {'rules': 'ashta-kashte'})['id']}"


def streams(at_once: bool) -> Figures:
    with kauri(fresh_sqlite("streams"), "--max-connections", str(4 * HELD)) as server:
        client = Client(server.address)
        games = [new_game(client) for _ in range(100)]
        idle = server.memory()
        held = []
        for number in range(HELD):
            held.append(Stream(server.address, f"{games[number % len(games)]}/events"))
            if not at_once:
                held[-1].until(b"game.snapshot")
        for stream in held if at_once else []:
            stream.until(b"game.snapshot")
        # Each has sent a sign of life too, and come to rest.
        time.sleep(11)
        weight = 1024 * (server.memory() - idle) / HELD
        for stream in held:
            stream.socket.close()
        client.close()
        return {"held": weight}


def connections() -> Figures:
    with Server(ECHO) as server:
        idle = server.memory()
        held = [Client(server.address) for _ in range(HELD)]
        for one in held:
            one.request("GET", "/")
        weight = 1024 * (server.memory() - idle) / HELD
        for one in held:
            one.close()
        return {"held": weight}


@contextmanager
def servers() -> Iterator[list[Server]]:
    database = Postgres("streams")
    with kauri(database.url) as one, kauri(database.url) as other:
        yield [one, other]


def latency(across: bool) -> Figures:
    """Milliseconds from before a move is posted until its event has come."""
    with servers() as [one, other]:
        client = Client(one.address)
        game = new_game(client)
        stream = Stream((other if across else one).address, f"{game}/events")
        stream.until(b"game.snapshot")
        position, took = client.json("GET", game)["position"], []
        for version in range(EVENTS):
            if position["phase"] == "over":
                break
            began = time.perf_counter()
            move = {"move": position["legal_moves"][0], "expected_version": version}
            position = client.json("POST", f"{game}/moves", move)["position"]
            stream.until(b'"version":%d' % (version + 1))
            took.append(1000 * (time.perf_counter() - began))
        client.close()
        return {"p50": median(took), "p99": quantiles(took, n=100)[98]}
