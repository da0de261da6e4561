"""One story, told by every client: games are made, read, played, refused and listed."""

import os
from collections.abc import Callable

from kauri_client import ApiClient, ApiException, Configuration, GamesApi, RulesApi
from kauri_client import Game, NewGame, NewMove, Problem, StateRequest

url = os.environ.get("KAURI_URL", "http://127.0.0.1:8080")
key = os.environ.get("KAURI_KEY", "")

# snippet:
client = ApiClient(Configuration(host=url, access_token=key))
games = GamesApi(client)

game = games.create_game(NewGame(rules="kauri"))
move = game.position.legal_moves[0]
try:
    taken = games.post_move(game.id, NewMove(move=move, expected_version=game.version))
    print(f"{taken.step.seat.value} played {move}; then {taken.position.legal_moves} are legal")
except ApiException as refusal:
    problem = refusal.data
    assert isinstance(problem, Problem)
    raise SystemExit(f"{problem.code}: {problem.legal_moves}")
# end

answer = games.get_game_with_http_info(game.id)
now = answer.data
assert now.version == 1
assert game.seat_tokens is not None and len(game.seat_tokens) == 2 and now.seat_tokens is None
assert now.created_at <= now.updated_at and answer.headers is not None
# This client takes 304 for an error; it can be told by its status.
try:
    games.get_game(game.id, if_none_match=answer.headers["etag"])
    raise SystemExit("not 304")
except ApiException as same:
    assert same.status == 304

asked = RulesApi(client).legal_moves(game.rules, StateRequest(state=now.position.state))
assert asked.legal_moves == now.position.legal_moves


def refused(call: Callable[[], object]) -> Problem:
    try:
        call()
    except ApiException as refusal:
        problem = refusal.data
        assert isinstance(problem, Problem) and problem.status == refusal.status
        return problem
    raise AssertionError("it was taken")


illegal = refused(lambda: games.post_move(game.id, NewMove(move="a")))
assert (illegal.status, illegal.code) == (422, "illegal_move")
assert illegal.legal_moves == now.position.legal_moves

late = NewMove(move=now.position.legal_moves[0], expected_version=0)
conflict = refused(lambda: games.post_move(game.id, late))
assert (conflict.status, conflict.code, conflict.version) == (409, "version_conflict", 1)


def play(game: Game) -> Game:
    version, position = game.version, game.position
    while position.phase != "over":
        legal = position.legal_moves
        new_move = NewMove(move=legal[(7 * version + 3) % len(legal)], expected_version=version)
        taken = games.post_move(game.id, new_move)
        version, position = taken.version, taken.position
    ended = games.get_game(game.id)
    assert (ended.status, ended.version) == ("finished", version)
    return ended


first = play(now)
second = play(games.create_game(NewGame(rules="ashta-kashte", throws="server")))

steps = 0
after: int | None = 0
while after is not None:
    log = games.list_moves(second.id, after=after, limit=50)
    steps += len(log.items)
    after = log.next
assert steps == second.version

ids: set[str] = set()
cursor: str | None = None
while True:
    page = games.list_games(status="finished", limit=1, cursor=cursor)
    ids.update(game.id for game in page.items)
    cursor = page.next
    if cursor is None:
        break
assert {first.id, second.id} <= ids


def told(game: Game) -> str:
    result = game.position.result
    assert result is not None and result.winner is not None
    return f"{game.rules} over after {game.version} steps, {result.winner.value} by {result.reason}"


print(f"{told(first)}; {told(second)}; illegal_move, version_conflict, 304; {steps} steps and {len(ids)} games paged")
