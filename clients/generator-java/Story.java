// One story, told by every client: games are made, read, played, refused and listed.

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import kauri.ApiClient;
import kauri.ApiException;
import kauri.ApiResponse;
import kauri.api.GamesApi;
import kauri.api.RulesApi;
import kauri.model.Game;
import kauri.model.GamePage;
import kauri.model.LogPage;
import kauri.model.NewGame;
import kauri.model.NewMove;
import kauri.model.Position;
import kauri.model.Problem;
import kauri.model.StateRequest;
import kauri.model.StepTaken;

public final class Story {
    private static final String URL = System.getenv().getOrDefault("KAURI_URL", "http://127.0.0.1:8080");
    private static final String KEY = System.getenv().getOrDefault("KAURI_KEY", "");

    private interface Call {
        void make() throws ApiException;
    }

    public static void main(String[] args) throws Exception {
        // snippet:
        ApiClient client = new ApiClient();
        client.updateBaseUri(URL);
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + KEY));
        GamesApi games = new GamesApi(client);

        Game game = games.createGame(new NewGame().rules("kauri"), null);
        String move = game.getPosition().getLegalMoves().get(0);
        try {
            NewMove newMove = new NewMove().move(move).expectedVersion(game.getVersion());
            StepTaken step = games.postMove(game.getId(), newMove, null, null);
            System.out.printf(
                    "%s played %s; then %s are legal%n",
                    step.getStep().getSeat(), move, step.getPosition().getLegalMoves());
        } catch (ApiException refusal) {
            Problem problem = client.getObjectMapper().readValue(refusal.getResponseBody(), Problem.class);
            throw new IllegalStateException(problem.getCode() + ": " + problem.getLegalMoves());
        }
        // end

        String id = game.getId();
        ApiResponse<Game> answer = games.getGameWithHttpInfo(id, null, null, null);
        Game now = answer.getData();
        check(now.getVersion() == 1);
        check(game.getSeatTokens().size() == 2 && now.getSeatTokens().isEmpty());
        check(!now.getCreatedAt().isAfter(now.getUpdatedAt()));
        String etag = answer.getHeaders().get("etag").get(0);
        // This client takes 304 for an error; it can be told by its status.
        check(refusal(() -> games.getGame(id, null, null, etag)).getCode() == 304);

        StateRequest asked = new StateRequest().state(now.getPosition().getState());
        Position position = new RulesApi(client).legalMoves(game.getRules(), asked);
        check(position.getLegalMoves().equals(now.getPosition().getLegalMoves()));

        Problem illegal = problem(client, () -> games.postMove(id, new NewMove().move("a"), null, null));
        check(illegal.getStatus() == 422 && illegal.getCode().equals("illegal_move"));
        check(illegal.getLegalMoves().equals(position.getLegalMoves()));

        NewMove late = new NewMove().move(position.getLegalMoves().get(0)).expectedVersion(0L);
        Problem conflict = problem(client, () -> games.postMove(id, late, null, null));
        check(conflict.getStatus() == 409 && conflict.getCode().equals("version_conflict"));
        check(conflict.getVersion() == 1);

        Game first = play(games, now);
        Game second = play(games, games.createGame(new NewGame().rules("ashta-kashte")._throws("server"), null));

        int steps = 0;
        for (Long after = 0L; after != null; ) {
            LogPage page = games.listMoves(second.getId(), after, 50L);
            steps += page.getItems().size();
            after = page.getNext();
        }
        check(steps == second.getVersion());

        Set<String> ids = new HashSet<>();
        String cursor = null;
        do {
            // One argument for each filter: of these games only the status is asked for.
            GamePage page = games.listGames(
                null, null, null, null, null, "finished", null, null, null, null, null, null, null, 1L, cursor);
            page.getItems().forEach(item -> ids.add(item.getId()));
            cursor = page.getNext();
        } while (cursor != null);
        check(ids.containsAll(List.of(first.getId(), second.getId())));

        System.out.printf(
                "%s; %s; illegal_move, version_conflict, 304; %d steps and %d games paged%n",
                told(first), told(second), steps, ids.size());
    }

    private static Game play(GamesApi games, Game game) throws ApiException {
        long version = game.getVersion();
        Position position = game.getPosition();
        while (!position.getPhase().equals("over")) {
            List<String> legal = position.getLegalMoves();
            String move = legal.get((int) ((7 * version + 3) % legal.size()));
            NewMove newMove = new NewMove().move(move).expectedVersion(version);
            StepTaken taken = games.postMove(game.getId(), newMove, null, null);
            version = taken.getVersion();
            position = taken.getPosition();
        }
        Game ended = games.getGame(game.getId(), null, null, null);
        check(ended.getStatus().equals("finished") && ended.getVersion() == version);
        return ended;
    }

    private static ApiException refusal(Call call) {
        try {
            call.make();
        } catch (ApiException refusal) {
            return refusal;
        }
        throw new AssertionError("it was taken");
    }

    private static Problem problem(ApiClient client, Call call) throws Exception {
        ApiException refusal = refusal(call);
        Problem problem = client.getObjectMapper().readValue(refusal.getResponseBody(), Problem.class);
        check(Objects.equals(problem.getStatus(), refusal.getCode()));
        return problem;
    }

    private static String told(Game game) {
        return String.format(
                "%s over after %d steps, %s by %s",
                game.getRules(),
                game.getVersion(),
                game.getPosition().getResult().getWinner(),
                game.getPosition().getResult().getReason());
    }

    private static void check(boolean holds) {
        if (!holds) {
            throw new AssertionError();
        }
    }
}
