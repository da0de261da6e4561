//! The limit of stateless apply: a bare actix-web server that reads the same JSON and writes an answer of the same
//! size, with no rules, limits, ids or log lines in between.

use actix_web::{App, HttpResponse, HttpServer, web};
use kauri_rules::{Event, Options, RulesId, State, View};
use serde::{Deserialize, Serialize};
use std::io::Write;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Deserialize)]
struct Asked {
    state: State,
    r#move: String,
}

#[derive(Clone, Serialize)]
struct Answered {
    #[serde(flatten)]
    view: View,
    events: Vec<Event>,
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let rules = RulesId::Kauri.rules();
    let start = rules.initial(None, &Options::default()).map_err(std::io::Error::other)?;
    let (played, view) = rules.apply(&start.state, "a").map_err(std::io::Error::other)?;
    let answer = web::Data::new(Answered { view, events: played.events });
    let apply = async |asked: web::Bytes, answer: web::Data<Answered>| match serde_json::from_slice::<Asked>(
        &asked,
    ) {
        Ok(Asked { state, r#move }) if state.rules == "kauri" && r#move == "a" => {
            HttpResponse::Ok().json(&**answer)
        }
        _ => HttpResponse::BadRequest().finish(),
    };
    let server = HttpServer::new(move || {
        App::new().app_data(answer.clone()).route("/rules/{rules}/apply", web::post().to(apply))
    })
    .bind(("127.0.0.1", 0))?;
    for address in server.addrs() {
        writeln!(std::io::stdout(), "{{\"message\":\"listening\",\"address\":\"{address}\"}}")?;
    }
    server.run().await
}
