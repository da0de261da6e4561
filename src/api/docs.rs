//! The OpenAPI documents and the page that shows them, from the binary alone.

use super::extract::Path;
use crate::openapi::failures;
use crate::problem::{Code, Problem};
use actix_web::http::header::{self, ETag, EntityTag, Header, IfNoneMatch};
use actix_web::{HttpRequest, HttpResponse, get, web};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::sync::Arc;
use utoipa_swagger_ui::Config;

/// How long a document may be used unasked: an upgrade of the service may change it.
const CACHE: &str = "public, max-age=300";

/// What the page may load and do: what comes from here, styles that its scripts write, pictures within its styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What of the page is not Swagger UI's: file, media type, text.
const OWN: [(&str, &str, &str); 3] = [
    ("", "text/html", include_str!("docs/index.html")),
    ("index.html", "text/html", include_str!("docs/index.html")),
    ("index.css", "text/css", include_str!("docs/index.css")),
];

/// The documents, with what the page loads.
#[derive(Clone)]
pub struct Documents {
    newer: Document,
    older: Document,
    assets: Arc<Config<'static>>,
}

#[derive(Clone, Debug)]
struct Document {
    text: web::Bytes,
    etag: EntityTag,
}

impl Document {
    fn new(text: &'static str) -> Self {
        let hash = hex::encode(&Sha256::digest(text.as_bytes())[..16]);
        Self { text: web::Bytes::from_static(text.as_bytes()), etag: EntityTag::new_strong(hash) }
    }

    fn answer(&self, request: &HttpRequest) -> HttpResponse {
        let fresh = match IfNoneMatch::parse(request) {
            Ok(IfNoneMatch::Any) => true,
            Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|tag| tag.weak_eq(&self.etag)),
            Err(_) => false,
        } && request.headers().contains_key(header::IF_NONE_MATCH);
        let mut response = if fresh { HttpResponse::NotModified() } else { HttpResponse::Ok() };
        response.insert_header(ETag(self.etag.clone())).insert_header((header::CACHE_CONTROL, CACHE));
        if fresh {
            response.finish()
        } else {
            response.content_type("application/json").body(self.text.clone())
        }
    }
}

/// The documents of the repository, which a test holds against the code: making them at each start would cost
/// many times the memory that the service needs for its work.
impl Default for Documents {
    fn default() -> Self {
        let assets = Config::new(["/openapi.json"]).validator_url("none").try_it_out_enabled(true);
        Self {
            newer: Document::new(include_str!("../../openapi/openapi.json")),
            older: Document::new(include_str!("../../openapi/openapi-3.0.json")),
            assets: Arc::new(assets),
        }
    }
}

failures! { pub(crate) struct DocumentFailures: }

/// Read this document, in OpenAPI 3.1.
///
/// What it says of this service is what this very version of it does.
#[utoipa::path(
    tag = "service",
    operation_id = "get_openapi",
    security(()),
    responses(
        (
            status = 200,
            description = "The document.",
            body = std::collections::HashMap<String, serde_json::Value>,
            content_type = "application/json",
            example = json!({"openapi": "3.1.0"}),
        ),
        (status = 304, description = "The copy at hand is current."),
        DocumentFailures,
    ),
)]
#[get("/openapi.json")]
pub(crate) async fn newer(request: HttpRequest, documents: web::Data<Documents>) -> HttpResponse {
    documents.newer.answer(&request)
}

/// Read this document, in OpenAPI 3.0.
///
/// For generators that do not know 3.1.
#[utoipa::path(
    tag = "service",
    operation_id = "get_openapi_3_0",
    security(()),
    responses(
        (
            status = 200,
            description = "The document.",
            body = std::collections::HashMap<String, serde_json::Value>,
            content_type = "application/json",
            example = json!({"openapi": "3.0.3"}),
        ),
        (status = 304, description = "The copy at hand is current."),
        DocumentFailures,
    ),
)]
#[get("/openapi-3.0.json")]
pub(crate) async fn older(request: HttpRequest, documents: web::Data<Documents>) -> HttpResponse {
    documents.older.answer(&request)
}

#[derive(Debug, Deserialize)]
pub(crate) struct PagePath {
    file: String,
}

/// Leads to the page.
#[get("/docs")]
pub(crate) async fn to_page() -> HttpResponse {
    HttpResponse::PermanentRedirect().insert_header((header::LOCATION, "/docs/")).finish()
}

/// The page and its parts.
#[get("/docs/{file:.*}")]
pub(crate) async fn page(
    Path(path): Path<PagePath>,
    documents: web::Data<Documents>,
) -> Result<HttpResponse, Problem> {
    let own = OWN.into_iter().find(|(file, ..)| *file == path.file);
    let (media_type, bytes) = if let Some((_, media_type, text)) = own {
        (media_type.to_owned(), web::Bytes::from_static(text.as_bytes()))
    } else {
        let file = utoipa_swagger_ui::serve(&path.file, Arc::clone(&documents.assets));
        let file = file.ok().flatten().ok_or_else(|| Problem::new(Code::UnknownRoute))?;
        let bytes = match file.bytes {
            Cow::Borrowed(bytes) => web::Bytes::from_static(bytes),
            Cow::Owned(bytes) => bytes.into(),
        };
        (file.content_type, bytes)
    };
    Ok(HttpResponse::Ok()
        .content_type(media_type)
        .insert_header((header::CACHE_CONTROL, CACHE))
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::X_FRAME_OPTIONS, "DENY"))
        .body(bytes))
}
