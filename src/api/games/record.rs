//! Whole games, out and in.

use super::{GamePath, example};
use crate::accept;
use crate::api::call::Shown;
use crate::api::extract::{Line, Lines, Path, Query, one_json, parse, streams_json};
use crate::context::Context;
use crate::games::{self, Export, ExportGames, GameRecord, ImportFailure, ImportReport, Importer, notation};
use crate::limits::Limits;
use crate::openapi::failures;
use crate::problem::{Code, Problem};
use actix_web::http::header;
use actix_web::web::{Bytes, Data, Payload};
use actix_web::{FromRequest, HttpRequest, HttpResponse, get, post};
use futures_util::stream;
use serde::Deserialize;
use utoipa::IntoParams;

failures! { pub(crate) struct RecordFailures: InvalidQuery, Unauthorized, GameNotFound, RateLimited }
failures! { pub(crate) struct ExportFailures: InvalidQuery, Unauthorized, PortalOnly, RateLimited }
failures! {
    pub(crate) struct ImportFailures: Unauthorized, ReadOnly, PortalOnly, ExternalRefTaken, GameExists,
        InvalidRecord, RateLimited
}

/// The media type of JSON documents, one a line.
const NDJSON: &str = "application/x-ndjson";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain";

/// How a record is written.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RecordQuery {
    /// `json` or `text`; by default what the Accept header prefers.
    #[param(nullable = false, example = "json")]
    format: Option<String>,
}

/// Read a game's record.
///
/// All of it in one document: who sat where, the start, every step with its time, how it ended. As JSON, which can be
/// imported, or as text in the notation that `docs/NOTATION.md` describes.
#[utoipa::path(
    tag = "games",
    operation_id = "get_record",
    security(("bearer" = []), ()),
    params(GamePath, RecordQuery),
    responses(
        (
            status = 200,
            description = "The record.",
            content(
                (GameRecord = "application/json", example = json!(example::record())),
                (String = "text/plain", example = json!(notation::write(&example::record()))),
            ),
        ),
        RecordFailures,
    ),
)]
#[get("/games/{id}/record")]
pub(crate) async fn get_record(
    context: Data<Context>,
    Path(path): Path<GamePath>,
    Query(query): Query<RecordQuery>,
    request: HttpRequest,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    let text = match query.format.as_deref() {
        Some("json") => false,
        Some("text") => true,
        Some(_) => {
            return Err(Problem::new(Code::InvalidQuery).error(
                "/format",
                "unknown_value",
                "One of json, text.",
            ));
        }
        None => accept::prefers(&request, TEXT, JSON),
    };
    let record = games::record(&context, &credential, path.id).await?;
    let mut response = HttpResponse::Ok();
    response
        .insert_header((header::CACHE_CONTROL, "private, no-cache"))
        .insert_header((header::VARY, "accept"));
    Ok(if text {
        response.content_type("text/plain; charset=utf-8").body(notation::write(&record))
    } else {
        response.json(record)
    })
}

/// Export the portal's games.
///
/// One record a line (see `GET /games/{id}/record`), in the order asked for, and `{"end":true,"count":n}` as the last
/// line. A body that breaks off before that is incomplete: ask again with the `cursor` of the last line that came
/// whole. What comes can be posted to `/games/import` as it is.
#[utoipa::path(
    tag = "games",
    operation_id = "export_games",
    security(("bearer" = []), ()),
    params(ExportGames),
    responses(
        (
            status = 200,
            description = "The records, one a line.",
            content_type = "application/x-ndjson",
            body = String,
            example = json!(example::export()),
        ),
        ExportFailures,
    ),
)]
#[get("/games/export")]
pub(crate) async fn export_games(
    context: Data<Context>,
    Query(wanted): Query<ExportGames>,
    Shown(credential): Shown,
) -> Result<HttpResponse, Problem> {
    let export = Export::begin(&context, &credential, &wanted.into()).await?;
    // The next line is made when the one before was taken.
    let lines = stream::try_unfold(export, |mut export| async move {
        let line = export.next_line().await?;
        Ok::<_, Problem>(line.map(|line| (Bytes::from(line), export)))
    });
    Ok(HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .content_type(NDJSON)
        .streaming(lines))
}

/// Import games that were played elsewhere.
///
/// One record as JSON, which is refused if it can't be a game's; or many, one a line (`application/x-ndjson`), as an
/// export gives them, with that `Content-Type`. Of many each is taken or refused by itself, and the answer tells of the first 100 refused ones
/// where and why. Every step is made again by the rules. The same record again changes nothing, so a request that broke
/// off can be sent again. A game keeps its id and times; nobody has tokens for its seats. No line may be longer than a
/// body may be otherwise.
#[utoipa::path(
    tag = "games",
    operation_id = "import_games",
    security(("bearer" = []), ()),
    // Generators can make nothing of lines to post: they are told of in the description alone.
    request_body(content = GameRecord, examples(
        ("kauri" = (summary = "A game of Kauri with one step", value = json!(example::record()))),
    )),
    responses(
        (status = 200, description = "What became of the records.", body = ImportReport, example = json!(example::imported())),
        ImportFailures,
    ),
)]
#[post("/games/import")]
pub(crate) async fn import_games(
    context: Data<Context>,
    limits: Data<Limits>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let mut payload = payload.into_inner();
    let report = if streams_json(request.headers()) {
        let Shown(credential) = Shown::extract(&request).await?;
        let importer = Importer::begin(&context, &credential).await?;
        let lines = Lines::new(payload, limits.max_body, limits.request_timeout);
        Box::pin(many(&importer, &limits, lines)).await?
    } else {
        let record: GameRecord = limits.hurry(one_json(&request, &mut payload)).await?;
        let Shown(credential) = Shown::extract(&request).await?;
        let importer = Importer::begin(&context, &credential).await?;
        let mut report = ImportReport::default();
        report.taken(limits.hurry(Box::pin(importer.take(&record))).await?);
        report
    };
    Ok(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-store")).json(report))
}

/// Takes line after line. What is wrong with one is told and the next is read; what is wrong with the service ends it.
async fn many(importer: &Importer, limits: &Limits, mut lines: Lines) -> Result<ImportReport, Problem> {
    let mut report = ImportReport::default();
    let mut number = 0;
    while let Some(line) = lines.next().await? {
        number += 1;
        let record = match &line {
            Line::Whole(text) if text.trim_ascii().is_empty() || games::is_end(text) => continue,
            Line::Whole(text) => parse::<GameRecord>(text),
            Line::TooLong => Err(Problem::new(Code::BodyTooLarge)),
        };
        let taken = match &record {
            Ok(record) => limits.hurry(Box::pin(importer.take(record))).await,
            Err(problem) => Err(problem.clone()),
        };
        match taken {
            Ok(taken) => report.taken(taken),
            Err(problem) if problem.code().status().is_server_error() => return Err(problem),
            Err(problem) => {
                let game = record.ok().map(|record| record.id);
                report.refused(ImportFailure { line: number, game, problem });
            }
        }
    }
    Ok(report)
}
