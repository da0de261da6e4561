//! One story, told by every client: games are made, read, played, refused and listed.

use kauri_client::apis::configuration::Configuration;
use kauri_client::apis::{Error, games_api, rules_api};
use kauri_client::models::{Game, NewGame, NewMove, Problem, StateRequest};
use std::collections::HashSet;
use std::env;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let url = env::var("KAURI_URL").unwrap_or_else(|_| "http://127.0.0.1:8080".into());
    let key = env::var("KAURI_KEY").unwrap_or_default();

    // snippet:
    let mut kauri = Configuration::new();
    kauri.base_path = url;
    kauri.bearer_access_token = Some(key);

    let game = games_api::create_game(&kauri, NewGame::new("kauri".into()), None).await?;
    let first = game.position.legal_moves[0].clone();
    let body = NewMove { expected_version: Some(game.version), ..NewMove::new(first.clone()) };
    match games_api::post_move(&kauri, &game.id, body, None, None).await {
        Ok(taken) => {
            println!("{} played {first}; then {:?} are legal", taken.step.seat, taken.position.legal_moves);
        }
        Err(Error::ResponseError(refusal)) => {
            let problem: Problem = serde_json::from_str(&refusal.content)?;
            return Err(format!("{}: {:?}", problem.code, problem.legal_moves).into());
        }
        Err(error) => return Err(error.into()),
    }
    // end

    let now = games_api::get_game(&kauri, &game.id, None, None, None).await?;
    assert_eq!(now.version, 1);
    assert!(game.seat_tokens.is_some_and(|tokens| tokens.len() == 2) && now.seat_tokens.is_none());
    // This client shows no headers and takes the empty body of a 304 for an error.
    let etag = format!("\"v{}\"", now.version);
    let again = games_api::get_game(&kauri, &game.id, None, None, Some(&etag)).await;
    assert!(matches!(again, Err(Error::Serde(_))));

    let state = StateRequest::new((*now.position.state).clone());
    let asked = rules_api::legal_moves(&kauri, &game.rules, state).await?;
    assert_eq!(asked.legal_moves, now.position.legal_moves);

    let illegal = refused(games_api::post_move(&kauri, &game.id, NewMove::new("a".into()), None, None).await);
    assert_eq!((illegal.status, &*illegal.code), (422, "illegal_move"));
    assert_eq!(illegal.legal_moves.as_ref(), Some(&now.position.legal_moves));

    let late = NewMove { expected_version: Some(0), ..NewMove::new(now.position.legal_moves[0].clone()) };
    let conflict = refused(games_api::post_move(&kauri, &game.id, late, None, None).await);
    assert_eq!((conflict.status, &*conflict.code, conflict.version), (409, "version_conflict", Some(1)));

    let first = play(&kauri, now).await?;
    let new_game = NewGame { throws: Some("server".into()), ..NewGame::new("ashta-kashte".into()) };
    let second = play(&kauri, games_api::create_game(&kauri, new_game, None).await?).await?;

    let mut steps = 0;
    let mut after = Some(0);
    while after.is_some() {
        let page = games_api::list_moves(&kauri, &second.id, after, Some(50)).await?;
        steps += page.items.len();
        after = page.next;
    }
    assert_eq!(steps as i64, second.version);

    let mut ids = HashSet::new();
    let mut cursor: Option<String> = None;
    loop {
        // One argument for each filter: of these games only the status is asked for.
        let page = games_api::list_games(
            &kauri,
            None,
            None,
            None,
            None,
            None,
            Some("finished"),
            None,
            None,
            None,
            None,
            None,
            None,
            None,
            Some(1),
            cursor.as_deref(),
        )
        .await?;
        ids.extend(page.items.into_iter().map(|game| game.id));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert!(ids.contains(&first.id) && ids.contains(&second.id));

    println!(
        "{}; {}; illegal_move, version_conflict, 304; {steps} steps and {} games paged",
        told(&first),
        told(&second),
        ids.len()
    );
    Ok(())
}

fn refused<T, E>(answer: Result<T, Error<E>>) -> Problem {
    let Err(Error::ResponseError(refusal)) = answer else { panic!("it was taken") };
    let problem: Problem = serde_json::from_str(&refusal.content).expect("a problem");
    assert_eq!(problem.status, i32::from(refusal.status.as_u16()));
    problem
}

async fn play(kauri: &Configuration, game: Game) -> Outcome<Game> {
    let (mut version, mut position) = (game.version, game.position);
    while position.phase != "over" {
        let legal = &position.legal_moves;
        let chosen = legal[(7 * version as usize + 3) % legal.len()].clone();
        let body = NewMove { expected_version: Some(version), ..NewMove::new(chosen) };
        let taken = games_api::post_move(kauri, &game.id, body, None, None).await?;
        (version, position) = (taken.version, taken.position);
    }
    let ended = games_api::get_game(kauri, &game.id, None, None, None).await?;
    assert_eq!((&*ended.status, ended.version), ("finished", version));
    Ok(ended)
}

fn told(game: &Game) -> String {
    let result = game.position.result.as_ref().expect("a result");
    let winner = result.winner.expect("a winner");
    format!("{} over after {} steps, {winner} by {}", game.rules, game.version, result.reason)
}
