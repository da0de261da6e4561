"""One story, told by every client: games are made, read, played, refused and listed."""

import os
from http import HTTPStatus

from kauri_client import AuthenticatedClient
from kauri_client.api.games import create_game, get_game, list_games, list_moves, post_move
from kauri_client.api.rules import legal_moves
from kauri_client.models import Game, GamePage, LogPage, NewGame, NewMove, Position, Problem, StateRequest, StepTaken
from kauri_client.types import UNSET, Response, Unset

url = os.environ.get("KAURI_URL", "http://127.0.0.1:8080")
key = os.environ.get("KAURI_KEY", "")

# snippet:
client = AuthenticatedClient(base_url=url, token=key)

game = create_game.sync(client=client, body=NewGame(rules="kauri"))
if not isinstance(game, Game):
    raise SystemExit(game)

move = game.position.legal_moves[0]
answer = post_move.sync(game.id, client=client, body=NewMove(move=move, expected_version=game.version))
if isinstance(answer, Problem):
    raise SystemExit(f"{answer.code}: {answer.legal_moves}")
if isinstance(answer, StepTaken):
    print(f"{answer.step.seat} played {move}; then {answer.position.legal_moves} are legal")
# end

read = get_game.sync_detailed(game.id, client=client)
now = read.parsed
assert isinstance(now, Game) and now.version == 1
assert isinstance(game.seat_tokens, list) and len(game.seat_tokens) == 2 and isinstance(now.seat_tokens, Unset)
assert now.created_at <= now.updated_at
again = get_game.sync_detailed(game.id, client=client, if_none_match=read.headers["etag"])
assert again.status_code == HTTPStatus.NOT_MODIFIED and again.parsed is None

asked = legal_moves.sync(game.rules, client=client, body=StateRequest(state=now.position.state))
assert isinstance(asked, Position) and asked.legal_moves == now.position.legal_moves


def refused(answer: Response[Problem | StepTaken]) -> Problem:
    assert isinstance(answer.parsed, Problem) and answer.parsed.status == answer.status_code
    return answer.parsed


illegal = refused(post_move.sync_detailed(game.id, client=client, body=NewMove(move="a")))
assert (illegal.status, illegal.code) == (422, "illegal_move")
assert illegal.legal_moves == now.position.legal_moves

late = NewMove(move=now.position.legal_moves[0], expected_version=0)
conflict = refused(post_move.sync_detailed(game.id, client=client, body=late))
assert (conflict.status, conflict.code, conflict.version) == (409, "version_conflict", 1)


def play(game: Game) -> Game:
    version, position = game.version, game.position
    while position.phase != "over":
        legal = position.legal_moves
        body = NewMove(move=legal[(7 * version + 3) % len(legal)], expected_version=version)
        taken = post_move.sync(game.id, client=client, body=body)
        assert isinstance(taken, StepTaken), taken
        version, position = taken.version, taken.position
    ended = get_game.sync(game.id, client=client)
    assert isinstance(ended, Game) and (ended.status, ended.version) == ("finished", version)
    return ended


first = play(now)
made = create_game.sync(client=client, body=NewGame(rules="ashta-kashte", throws="server"))
assert isinstance(made, Game)
second = play(made)

steps = 0
after: int | Unset = 0
while not isinstance(after, Unset):
    log = list_moves.sync(second.id, client=client, after=after, limit=50)
    assert isinstance(log, LogPage)
    steps += len(log.items)
    after = log.next_
assert steps == second.version

ids: set[str] = set()
cursor: str | Unset = UNSET
while True:
    page = list_games.sync(client=client, status="finished", limit=1, cursor=cursor)
    assert isinstance(page, GamePage)
    ids.update(game.id for game in page.items)
    cursor = page.next_
    if isinstance(cursor, Unset):
        break
assert {first.id, second.id} <= ids


def told(game: Game) -> str:
    result = game.position.result
    assert not isinstance(result, Unset)
    return f"{game.rules} over after {game.version} steps, {result.winner} by {result.reason}"


print(f"{told(first)}; {told(second)}; illegal_move, version_conflict, 304; {steps} steps and {len(ids)} games paged")
client.get_httpx_client().close()
