"""OpenSpiel's mancala and oware: random games by its own C++ rollouts and by a Python loop, paths by a Python loop.

    openspiel.py SECONDS    steps and paths a second, as JSON, each measured for so long
"""

import json
import random
import sys
import time

import pyspiel

SECONDS = float(sys.argv[1])


def rate(work) -> float:
    """What `work` does, which says how much that was, a second."""
    began, done = time.perf_counter(), 0
    while time.perf_counter() - began < SECONDS:
        done += work()
    return done / (time.perf_counter() - began)


def playout(game) -> int:
    state, steps = game.new_initial_state(), 0
    while not state.is_terminal():
        state.apply_action(random.choice(state.legal_actions()))
        steps += 1
    return steps


def paths(state, depth: int) -> int:
    if depth == 0 or state.is_terminal():
        return 1
    return sum(paths(state.child(action), depth - 1) for action in state.legal_actions())


figures = {}
for name in ("mancala", "oware"):
    game = pyspiel.load_game(name)
    start = game.new_initial_state()
    # A rollout does not say how long it was: as long as random games are.
    games = 200
    length = sum(playout(game) for _ in range(games)) / games
    # Its tree search, as far as its first leaf: the start, from which that many random games are played.
    rollouts = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(games, 1), 2.0, 1, 100, False, 1, False)

    def rolled() -> float:
        rollouts.mcts_search(start)
        return games * length

    figures[f"{name}_cpp"] = rate(rolled)
    figures[f"{name}_python"] = rate(lambda: playout(game))
    figures[f"{name}_perft"] = rate(lambda: paths(start, 4))
print(json.dumps(figures))
