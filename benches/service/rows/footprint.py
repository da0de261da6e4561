"""What the service takes: memory, disk, time to start; beside the bare server where that has the same."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from harness.load import Client, wrk
from harness.measure import Aim, Figures, Row, row, side_by_side
from harness.process import ECHO, KAURI, Server, fresh_sqlite, kauri, portal_key

BESIDE = "bare actix-web server"
# Connections that are held to see what one takes.
HELD = 2_000


def measure() -> Iterator[Row]:
    pairs = side_by_side(ours, theirs)
    sizes = [({"size": size(KAURI)}, {"size": size(ECHO)})]
    yield from (
        row("binary, without symbols", BESIDE, "MiB", sizes, "size"),
        row("start to ready, new SQLite file", f"{BESIDE}, start to first answer", "ms", pairs, "start", Aim("<", 100, "ours")),
        row("memory, idle", BESIDE, "MiB", pairs, "idle", Aim("<", 25, "ours")),
        row("memory at most, 64 connections, stateless apply", BESIDE, "MiB", pairs, "applying", Aim("<", 60, "ours")),
        row("memory at most, 64 connections, stored moves on SQLite", f"{BESIDE}, 64 connections", "MiB", pairs, "moving", Aim("<", 60, "ours")),
        row("memory for one idle connection", BESIDE, "KiB", pairs, "connection"),
    )


def size(binary: str) -> float:
    """MiB without symbols, whether or not the build left them out."""
    stripped = Path(os.environ["BENCH_DIR"]) / "stripped"
    shutil.copy(binary, stripped)
    subprocess.run(["strip", "--strip-all", stripped], check=True)
    return stripped.stat().st_size / (1 << 20)


def ours() -> Figures:
    database = fresh_sqlite("footprint")
    figures = weigh(lambda: kauri(database), "/readyz")
    database = fresh_sqlite("footprint")
    key = portal_key(database)
    with kauri(database) as server:
        wrk("moves.lua", f"http://{server.address}", 64, f"Bearer {key}", threads=64)
        figures["moving"] = server.memory("VmHWM")
    return figures


def theirs() -> Figures:
    figures = weigh(lambda: Server(ECHO), "/")
    return {**figures, "moving": figures["applying"]}


def weigh(start: Callable[[], Server], path: str) -> Figures:
    began = time.perf_counter()
    with start() as server:
        client = Client(server.address)
        client.request("GET", path)
        started = 1000 * (time.perf_counter() - began)
        # What a start needs for a moment only is given back.
        time.sleep(1)
        idle = server.memory()
        held = [Client(server.address) for _ in range(HELD)]
        for one in held:
            one.request("GET", path)
        connection = 1024 * (server.memory() - idle) / HELD
        for one in [client, *held]:
            one.close()
    with start() as server:
        wrk("apply.lua", f"http://{server.address}/rules/kauri/apply", 64)
        return {"start": started, "idle": idle, "connection": connection, "applying": server.memory("VmHWM")}
