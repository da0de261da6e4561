"""Requests: many at once by wrk, one by one over a plain socket."""

import json
import re
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from .measure import SECONDS, Figures
from .process import Server, run

LOAD = Path(__file__).resolve().parents[1] / "load"
MILLISECONDS = {"us": 0.001, "ms": 1, "s": 1000}


def wrk(script: str, url: str, connections: int, *arguments: str, threads: int = 1, seconds: int = SECONDS) -> Figures:
    """Requests a second, and latencies in milliseconds; none of the requests may fail."""
    command = ["wrk", "--latency", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "-s", str(LOAD / script), url, "--", *arguments]
    said = subprocess.run(command, text=True, capture_output=True, check=True)
    said = said.stdout + said.stderr
    if re.search(r"Non-2xx|Socket errors|answered", said):
        raise RuntimeError(f"{' '.join(command)}: {said}")
    latency = {
        f"p{percent}": float(value) * MILLISECONDS[unit]
        for percent, value, unit in re.findall(r"^\s+(50|99)%\s+([\d.]+)(us|ms|s)$", said, re.MULTILINE)
    }
    return {"rate": float(re.search(r"Requests/sec:\s+([\d.]+)", said)[1]), **latency}


def pgbench(url: str, script: str, clients: int, **given: str | int) -> Figures:
    """Transactions a second of a script, each client with a connection that plans as the service's do."""
    plans = "PGOPTIONS=-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off"
    command = ["env", plans, "pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", "2", "-T", str(SECONDS)]
    for name, value in given.items():
        command += ["-D", f"{name}={value}"]
    said = run(*command, "-f", str(LOAD / script), url)
    return {"rate": float(re.search(r"tps = ([\d.]+)", said)[1])}


def warmed(server: Server, load: Callable[[Server], Figures]) -> Callable[[], Figures]:
    """What a server does under a load that it has known for a moment: with its connections open and its plans made."""
    load(server)
    return lambda: load(server)


class Client:
    """One connection that is kept, with as little in between as can be."""

    def __init__(self, address: str, key: str | None = None) -> None:
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.credential = f"authorization: Bearer {key}\r\n" if key else ""

    def request(self, method: str, path: str, body: object = None) -> tuple[int, str, float]:
        """Status, body, and milliseconds from the first byte sent to the last received."""
        text = "" if body is None else json.dumps(body)
        head = f"{method} {path} HTTP/1.1\r\nhost: x\r\n{self.credential}"
        if text:
            head += f"content-type: application/json\r\ncontent-length: {len(text)}\r\n"
        request = f"{head}\r\n{text}".encode()
        began = time.perf_counter()
        self.socket.sendall(request)
        answer = b""
        while (end := answer.find(b"\r\n\r\n")) < 0:
            answer += self._receive()
        length = int(re.search(rb"content-length: (\d+)", answer)[1])
        while len(answer) < end + 4 + length:
            answer += self._receive()
        took = 1000 * (time.perf_counter() - began)
        return int(answer[9:12]), answer[end + 4 :].decode(), took

    def _receive(self) -> bytes:
        part = self.socket.recv(1 << 16)
        if not part:
            raise RuntimeError("the connection was closed")
        return part

    def json(self, method: str, path: str, body: object = None) -> dict:
        """The body of an answer, which must be a success."""
        status, text, _ = self.request(method, path, body)
        if status >= 300:
            raise RuntimeError(f"{method} {path}: {status} {text}")
        return json.loads(text)

    def close(self) -> None:
        self.socket.close()
