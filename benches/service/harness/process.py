"""Servers under measurement: started, found, weighed and stopped."""

import os
import re
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[3]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
KAURI = str(TARGET / "release/kauri")
ECHO = str(TARGET / "release/examples/echo")

# Whatever is said in the environment is not meant for these.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("KAURI_")}


class Server:
    """A process that says on what address it listens, once it does; its log is a file, as in production."""

    def __init__(self, *command: str) -> None:
        self.log = tempfile.NamedTemporaryFile(dir=os.environ["BENCH_DIR"], suffix=".log")  # noqa: SIM115
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=ENVIRONMENT)
        try:
            self.address = self._address()
        except BaseException:
            self.stop()
            raise

    def _address(self) -> str:
        found = re.compile(r'listening\S* .*?address=(\S+)|"address":"([^"]+)"')
        until = time.monotonic() + 30
        while time.monotonic() < until and self.process.poll() is None:
            text = re.sub(r"\x1b\[\d+m", "", Path(self.log.name).read_text())
            if match := found.search(text):
                return match[1] or match[2]
            time.sleep(0.002)
        raise RuntimeError(f"{self.process.args} did not start: {Path(self.log.name).read_text()}")

    def memory(self, what: str = "VmRSS") -> float:
        """MiB now in memory, or at most so far with `VmHWM`."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{what}:\s+(\d+)", status)[1]) / 1024

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
        self.log.close()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()


def kauri(database: str, *flags: str) -> Server:
    """The service as it comes, on a database."""
    return Server(KAURI, "serve", "--listen", "127.0.0.1:0", "--database-url", database, *flags)


def run(*command: str) -> str:
    """What a command says; it must succeed."""
    done = subprocess.run(command, env=ENVIRONMENT, text=True, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{command} failed: {done.stdout}{done.stderr}")
    return done.stdout


def portal_key(database: str) -> str:
    """A new key; the database is made and migrated where need be."""
    return run(KAURI, "keys", "create", "--portal", "bench", "--database-url", database).strip()


def migrate(database: str) -> None:
    """Makes a database the service's, and leaves it empty."""
    run(KAURI, "keys", "list", "--database-url", database)


def fresh_sqlite(name: str) -> str:
    """The URL of a SQLite file that does not exist yet."""
    path = Path(os.environ["BENCH_DIR"]) / f"{name}.db"
    for end in ("", "-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    return f"sqlite://{path}"
