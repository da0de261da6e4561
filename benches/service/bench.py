"""Measures the service beside the limits it is up against; scripts/bench says how, and sets up what this needs."""

import json
import os
import platform
import re
import sys
import tempfile
import time
from pathlib import Path

from harness.measure import HEAD, ROUNDS, SECONDS
from harness.process import ROOT, TARGET, run
from rows import apply, footprint, moves, peer, reads, rules, streams

ROWS = {"apply": apply, "moves": moves, "reads": reads, "rules": rules, "peer": peer, "footprint": footprint, "streams": streams}


def machine() -> dict[str, str]:
    """What the figures were measured on, and with."""
    processor = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    memory = re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())
    return {
        "processor": f"{os.cpu_count()} × {processor[1] if processor else platform.processor()}",
        "memory": f"{int(memory[1]) / (1 << 20):.0f} GiB" if memory else "",
        "kernel": platform.release(),
        "load": " ".join(f"{load:.1f}" for load in os.getloadavg()),
        "rustc": run("rustc", "--version").strip(),
        "postgres": run("psql", "--version").strip(),
        "commit": run("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD").strip(),
        "rounds": f"{ROUNDS} of {SECONDS} s",
    }


def main() -> None:
    wanted = sys.argv[1:] or list(ROWS)
    began = time.monotonic()
    report = {"machine": machine(), "rows": []}
    for name, value in report["machine"].items():
        print(f"- {name}: {value}")
    print(f"\n{HEAD}", flush=True)
    with tempfile.TemporaryDirectory(prefix="kauri-bench.", dir="/var/tmp") as place:
        os.environ["BENCH_DIR"] = place
        for name in wanted:
            for row in ROWS[name].measure():
                print(row.markdown(), flush=True)
                report["rows"].append({"group": name, **row.json()})
    print(f"\n{(time.monotonic() - began) / 60:.1f} minutes")
    (TARGET / "bench").mkdir(parents=True, exist_ok=True)
    (TARGET / "bench/bench.json").write_text(json.dumps(report, indent=1))


main()
