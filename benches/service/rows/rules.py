"""Random games and path counts of the rules crate, beside OpenSpiel's mancala and oware."""

import json
from collections.abc import Iterator

from harness.measure import Aim, Figures, Row, row, side_by_side
from harness.process import ROOT, TARGET, run

PYTHON = str(TARGET / "bench/openspiel/bin/python")
# Seconds for each kind of game: nothing here waits, so that little time says much.
EACH = "0.5"


def measure() -> Iterator[Row]:
    pairs = side_by_side(ours, theirs)
    yield from (
        beside(pairs, "kauri", "mancala_cpp", "random games of Kauri", "OpenSpiel's mancala in C++", Aim(">=", 5)),
        beside(pairs, "kauri", "mancala_python", "random games of Kauri", "OpenSpiel's mancala, Python loop", Aim(">=", 60)),
        beside(pairs, "kauri", "oware_cpp", "random games of Kauri", "OpenSpiel's oware in C++", None),
        beside(pairs, "ashta_kashte", "mancala_cpp", "random games of Ashta-kashte, two seats", "OpenSpiel's mancala in C++", None),
        beside(pairs, "ashta_kashte_four", "oware_cpp", "random games of Ashta-kashte, four seats", "OpenSpiel's oware in C++", None),
        beside(pairs, "kauri_perft", "mancala_perft", "paths of Kauri, 6 turns", "OpenSpiel's mancala, Python loop", None),
        beside(pairs, "ashta_kashte_perft", "oware_perft", "paths of Ashta-kashte, 5 turns", "OpenSpiel's oware, Python loop", None),
    )
    alone = [(mine, mine) for mine, _ in pairs]
    plain = "a plain Kauri with arrays, no gate, no events"
    yield beside(alone, "kauri", "plain", "random games of Kauri", plain, None)
    yield beside(alone, "ashta_kashte", "plain", "random games of Ashta-kashte, two seats", plain, Aim(">=", 0.75))


def beside(pairs: list, mine: str, other: str, what: str, whom: str, aim: Aim | None) -> Row:
    unit = "paths/s" if mine.endswith("perft") else "steps/s"
    return row(what, whom, unit, [({"rate": a[mine]}, {"rate": b[other]}) for a, b in pairs], "rate", aim)


def ours() -> Figures:
    return json.loads(run(str(TARGET / "release/examples/playouts"), EACH))


def theirs() -> Figures:
    return json.loads(run(PYTHON, str(ROOT / "benches/service/openspiel.py"), EACH))
