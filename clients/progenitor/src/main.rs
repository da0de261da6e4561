//! One story, told by every client: games are made, read, played, refused and listed.

mod api {
    progenitor::generate_api!(spec = "openapi-3.0.json", interface = Builder);
}

use api::types::{Game, Problem};
use api::{Client, Error, ResponseValue};
use std::collections::HashSet;
use std::env;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let url = env::var("KAURI_URL").unwrap_or_else(|_| "http://127.0.0.1:8080".into());
    let key = env::var("KAURI_KEY").unwrap_or_default();

    // snippet:
    let bearer = (reqwest::header::AUTHORIZATION, format!("Bearer {key}").parse()?);
    let http = reqwest::Client::builder().default_headers([bearer].into_iter().collect()).build()?;
    let kauri = Client::new_with_client(&url, http);

    let game = kauri.create_game().body_map(|body| body.rules("kauri")).send().await?;
    let first = game.position.legal_moves[0].clone();
    let call = kauri.post_move().id(&game.id);
    match call.body_map(|body| body.move_(first.clone()).expected_version(game.version)).send().await {
        Ok(taken) => {
            println!("{} played {first}; then {:?} are legal", taken.step.seat, taken.position.legal_moves);
        }
        Err(Error::ErrorResponse(problem)) => {
            return Err(format!("{}: {:?}", problem.code, problem.legal_moves).into());
        }
        Err(error) => return Err(error.into()),
    }
    // end

    let now = kauri.get_game().id(&game.id).send().await?;
    assert_eq!(now.version, 1);
    assert!(game.seat_tokens.len() == 2 && now.seat_tokens.is_empty());
    assert!(now.created_at <= now.updated_at);
    let etag = now.headers()["etag"].to_str()?.to_owned();
    // This client takes 304 for an answer it was not told of; it can be told by its status.
    let again = kauri.get_game().id(&game.id).if_none_match(etag).send().await;
    assert!(matches!(again, Err(Error::UnexpectedResponse(answer)) if answer.status() == 304));

    let state = now.position.state.clone();
    let asked = kauri.legal_moves().rules(&game.rules).body_map(|body| body.state(state)).send().await?;
    assert_eq!(asked.legal_moves, now.position.legal_moves);

    let illegal = kauri.post_move().id(&game.id).body_map(|body| body.move_("a")).send().await;
    let illegal = refused(illegal);
    assert_eq!((illegal.status, &*illegal.code), (422, "illegal_move"));
    assert_eq!(illegal.legal_moves, now.position.legal_moves);

    let late = now.position.legal_moves[0].clone();
    let late = kauri.post_move().id(&game.id).body_map(|body| body.move_(late).expected_version(0));
    let conflict = refused(late.send().await);
    assert_eq!((conflict.status, &*conflict.code, conflict.version), (409, "version_conflict", Some(1)));

    let first = play(&kauri, now.into_inner()).await?;
    let made = kauri.create_game().body_map(|body| body.rules("ashta-kashte").throws("server".to_owned()));
    let second = play(&kauri, made.send().await?.into_inner()).await?;

    let mut steps = 0;
    let mut after = Some(0);
    while let Some(ply) = after {
        let page = kauri.list_moves().id(&second.id).after(ply).limit(limit(50)).send().await?.into_inner();
        steps += page.items.len();
        after = page.next;
    }
    assert_eq!(steps as i64, second.version);

    let mut ids = HashSet::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut call = kauri.list_games().status("finished").limit(limit(1));
        if let Some(cursor) = &cursor {
            call = call.cursor(cursor);
        }
        let page = call.send().await?.into_inner();
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

fn limit(items: u64) -> std::num::NonZeroU64 {
    items.try_into().expect("more than none")
}

fn refused<T>(answer: Result<ResponseValue<T>, Error<Problem>>) -> Problem {
    let Err(Error::ErrorResponse(problem)) = answer else { panic!("it was taken") };
    assert_eq!(problem.status, i32::from(problem.status().as_u16()));
    problem.into_inner()
}

async fn play(kauri: &Client, game: Game) -> Outcome<Game> {
    let (mut version, mut position) = (game.version, game.position);
    while position.phase != "over" {
        let legal = &position.legal_moves;
        let chosen = legal[(7 * version as usize + 3) % legal.len()].clone();
        let call = kauri.post_move().id(&game.id);
        let taken =
            call.body_map(|body| body.move_(chosen).expected_version(version)).send().await?.into_inner();
        (version, position) = (taken.version, taken.position);
    }
    let ended = kauri.get_game().id(&game.id).send().await?.into_inner();
    assert_eq!((&*ended.status, ended.version), ("finished", version));
    Ok(ended)
}

fn told(game: &Game) -> String {
    let result = game.position.result.as_ref().expect("a result");
    let winner = result.winner.expect("a winner");
    format!("{} over after {} steps, {winner} by {}", game.rules, game.version, result.reason)
}
