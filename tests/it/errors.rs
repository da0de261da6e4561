//! Every way in which a request can fail before any game is looked at, and what it is told.

use crate::app::{Reply, TestApp};
use reqwest::Method;
use serde_json::json;

const APPLY: &str = "/rules/kauri/apply";
const MARKUP: &str = "<script>alert(1)</script>";

/// Status, code and pointers, and nothing said back.
fn told(reply: &Reply) -> (u16, String, Vec<String>) {
    assert!(!reply.body.contains("script"), "{reply:?}");
    assert_eq!(reply.header("content-type"), "application/problem+json");
    let json = reply.json();
    assert_eq!(json["type"], format!("/problems/{}", reply.code()));
    assert_eq!(json["status"], reply.status);
    assert_eq!(json["request_id"], reply.header("x-request-id"));
    (reply.status, reply.code(), reply.pointers())
}

fn expected(status: u16, code: &str, pointers: &[&str]) -> (u16, String, Vec<String>) {
    (status, code.to_owned(), pointers.iter().map(|&pointer| pointer.to_owned()).collect())
}

#[tokio::test]
async fn what_is_not_json_is_malformed() {
    let app = TestApp::sqlite().await;
    let deep = format!(r#"{{"state":{}"#, "[".repeat(10_000));
    for body in [
        String::new(),
        "nonsense".to_owned(),
        MARKUP.to_owned(),
        "{".to_owned(),
        r#"{"move":NaN}"#.to_owned(),
        r#"{"move":Infinity}"#.to_owned(),
        "{'move':'a'}".to_owned(),
        "{\"move\":\"a\u{0}\"}".to_owned(),
    ] {
        let reply = app.post_bytes(APPLY, body.clone()).await;
        assert_eq!(told(&reply), expected(400, "malformed_body", &[]), "{body}");
    }
    let reply = app.post_bytes("/rules/kauri/initial", "{} {}").await;
    assert_eq!(told(&reply), expected(400, "malformed_body", &[]));
    let reply = app.post_bytes(APPLY, deep).await;
    assert_eq!(told(&reply), expected(400, "invalid_body", &["/state"]));
    let reply = app.post_bytes(APPLY, b"{\"move\":\"\xff\xfe\"}".to_vec()).await;
    assert_eq!(told(&reply), expected(400, "malformed_body", &[]));
}

#[tokio::test]
async fn a_member_that_does_not_fit_is_named() {
    let app = TestApp::sqlite().await;
    let state = app.post("/rules/kauri/initial", &json!({})).await.json()["state"].to_string();
    let with = |pits: &str| state.replacen(r#"{"beads":5,"cowries":1}"#, pits, 1);
    let here = |member: &str| format!("/state/kauri/north/pits/0{member}");
    for (body, pointer) in [
        (r#"{"state":null,"move":"a"}"#.to_owned(), "/state".to_owned()),
        (r#"{"move":"a"}"#.to_owned(), "/state".to_owned()),
        (format!(r#"{{"state":{state}}}"#), "/move".to_owned()),
        (format!(r#"{{"state":{state},"move":7}}"#), "/move".to_owned()),
        (format!(r#"{{"state":{state},"move":"a","mvoe":"a"}}"#), "/mvoe".to_owned()),
        (format!(r#"{{"state":{state},"move":"a","{MARKUP}":"a"}}"#), String::new()),
        (format!(r#"{{"state":{state},"move":"a","move":"b"}}"#), "/move".to_owned()),
        (format!(r#"{{"state":{state},"move":"\u0000"}}"#), String::new()),
        (format!(r#"{{"state":{},"move":"a"}}"#, with(r#"{"beads":256,"cowries":1}"#)), here("/beads")),
        (format!(r#"{{"state":{},"move":"a"}}"#, with(r#"{"beads":-1,"cowries":1}"#)), here("/beads")),
        (format!(r#"{{"state":{},"move":"a"}}"#, with(r#"{"beads":1e400,"cowries":1}"#)), here("/beads")),
        (format!(r#"{{"state":{},"move":"a"}}"#, with(r#"{"beads":"5","cowries":1}"#)), here("/beads")),
        (format!(r#"{{"state":{},"move":"a"}}"#, with(r#"{"beads":5}"#)), here("/cowries")),
        (format!(r#"{{"state":{},"move":"a"}}"#, with("[5,1]")), here("")),
        (format!(r#"{{"state":{},"move":"a"}}"#, state.replace("south\"", "<script>\"")), String::new()),
        (format!(r#"["{MARKUP}","a"]"#), String::new()),
        (format!("\"{MARKUP}\""), String::new()),
    ] {
        let reply = app.post_bytes(APPLY, body.clone()).await;
        let (status, code, pointers) = told(&reply);
        assert_eq!((status, code.as_str()), (400, "invalid_body"), "{body}");
        assert_eq!(pointers.len(), 1, "{body}");
        if !body.contains("<script>\"") {
            assert_eq!(pointers[0], pointer, "{body}");
        }
    }
}

#[tokio::test]
async fn a_body_must_be_json_in_utf_8_without_a_coding() {
    let app = TestApp::sqlite().await;
    let send = async |headers: &[(&str, &str)]| {
        app.send(Method::POST, "/rules/kauri/initial", headers, Some(b"{}".to_vec())).await
    };
    for good in ["application/json", "application/json; charset=UTF-8", "Application/JSON"] {
        assert_eq!(send(&[("content-type", good)]).await.status, 200, "{good}");
    }
    assert_eq!(
        send(&[("content-type", "application/json"), ("content-encoding", "identity")]).await.status,
        200
    );
    for bad in ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", MARKUP]
    {
        assert_eq!(
            told(&send(&[("content-type", bad)]).await),
            expected(415, "unsupported_media_type", &[]),
            "{bad}"
        );
    }
    assert_eq!(told(&send(&[]).await), expected(415, "unsupported_media_type", &[]));
    let coded = send(&[("content-type", "application/json"), ("content-encoding", "gzip")]).await;
    assert_eq!(told(&coded), expected(415, "unsupported_media_type", &[]));
}

#[tokio::test]
async fn a_body_has_a_size_whether_it_is_announced_or_not() {
    let app = TestApp::with(|config| config.max_body = 100).await;
    let reply = app.post_bytes(APPLY, " ".repeat(101)).await;
    assert_eq!(told(&reply), expected(413, "body_too_large", &[]));
    assert!(reply.json()["detail"].as_str().unwrap().contains("100"));
    assert_eq!(app.post_bytes("/rules/kauri/initial", format!("{}{{}}", " ".repeat(98))).await.status, 200);
    let head = "POST /rules/kauri/initial HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                transfer-encoding: chunked\r\nconnection: close\r\n\r\n";
    let piece = format!("32\r\n{}\r\n", " ".repeat(50));
    let answer = app.raw(format!("{head}{piece}{piece}{piece}0\r\n\r\n").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    let answer = app.raw(format!("{head}{piece}2\r\n{{}}\r\n0\r\n\r\n").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[tokio::test]
async fn unknown_paths_and_methods_are_told_apart() {
    let app = TestApp::sqlite().await;
    for path in ["/", "/nope", "/rules/", "/rules/kauri/nope", "/rules/kauri/apply/", "/docs/nope.js", "/%00"]
    {
        assert_eq!(told(&app.get(path).await), expected(404, "unknown_route", &[]), "{path}");
    }
    for (method, path, allow) in [
        (Method::GET, APPLY, "POST"),
        (Method::DELETE, APPLY, "POST"),
        (Method::POST, "/rules", "GET, HEAD"),
        (Method::PUT, "/rules/kauri", "GET, HEAD"),
        (Method::OPTIONS, "/healthz", "GET, HEAD"),
        (Method::PATCH, "/docs/", "GET, HEAD"),
    ] {
        let reply = app.send(method, path, &[], None).await;
        assert_eq!(told(&reply), expected(405, "method_not_allowed", &[]), "{path}");
        assert_eq!(reply.header("allow"), allow);
    }
}

#[tokio::test]
async fn a_head_is_a_get_without_its_body() {
    let app = TestApp::sqlite().await;
    for path in ["/rules", "/rules/chess", "/healthz", "/openapi.json", "/docs/"] {
        let get = app.get(path).await;
        let head = app.send(Method::HEAD, path, &[], None).await;
        assert_eq!((head.status, head.body.as_str()), (get.status, ""), "{path}");
        for name in ["content-type", "etag", "cache-control"] {
            assert_eq!(head.header(name), get.header(name), "{path} {name}");
        }
    }
}

#[tokio::test]
async fn unknown_rules_codes_and_bad_paths_have_codes_of_their_own() {
    let app = TestApp::sqlite().await;
    let reply = app.post("/rules/chess/initial", &json!({})).await;
    assert_eq!(told(&reply), expected(404, "unknown_rules", &[]));
    assert_eq!(told(&app.get("/problems/nope").await), expected(404, "unknown_code", &[]));
    assert_eq!(told(&app.get("/rules/%00").await), expected(400, "invalid_path", &[""]));
    assert_eq!(told(&app.get("/rules/%3Cscript%3E").await), expected(404, "unknown_rules", &[]));
}

#[tokio::test]
async fn every_code_is_explained() {
    let app = TestApp::sqlite().await;
    let list = app.get("/problems").await.json();
    for explained in list["problems"].as_array().unwrap() {
        let reply = app.get(explained["type"].as_str().unwrap()).await;
        assert_eq!((reply.status, &reply.json()), (200, explained));
    }
}

#[tokio::test]
async fn an_accept_header_can_exclude_every_answer() {
    let app = TestApp::sqlite().await;
    for (path, accept) in
        [("/rules", "text/html"), ("/rules", "application/json;q=0"), ("/metrics", "application/json")]
    {
        let reply = app.get_with(path, &[("accept", accept)]).await;
        assert_eq!(told(&reply), expected(406, "not_acceptable", &[]), "{accept}");
    }
    for (path, accept) in [
        ("/rules", "application/*"),
        ("/metrics", "text/*"),
        ("/docs/", "text/html"),
        ("/rules", "text/html, */*;q=0.1"),
    ] {
        assert_eq!(app.get_with(path, &[("accept", accept)]).await.status, 200, "{accept}");
    }
}

#[tokio::test]
async fn a_request_id_is_kept_when_sane() {
    let app = TestApp::sqlite().await;
    let sent = async |id: &str| app.get_with("/nope", &[("x-request-id", id)]).await;
    let kept = sent("portal-7.A_b").await;
    assert_eq!(kept.header("x-request-id"), "portal-7.A_b");
    assert_eq!(kept.json()["request_id"], "portal-7.A_b");
    for bad in [MARKUP, "a b", &"x".repeat(65)] {
        let replaced = sent(bad).await;
        assert_ne!(replaced.header("x-request-id"), bad);
        told(&replaced);
    }
}

#[tokio::test]
async fn a_body_that_does_not_come_is_waited_for_so_long_and_no_longer() {
    let app = TestApp::with(|config| config.request_timeout = std::time::Duration::from_millis(50)).await;
    let head = "POST /rules/kauri/initial HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                content-length: 10\r\nconnection: close\r\n\r\n{";
    let answer = app.raw(head.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains("request_timeout") && answer.contains("x-request-id"), "{answer}");
}

#[tokio::test]
async fn a_body_that_breaks_off_is_malformed_and_harms_nobody() {
    let app = TestApp::sqlite().await;
    let head = "POST /rules/kauri/initial HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{";
    let stream = app.connect(head.as_bytes());
    stream.shutdown(std::net::Shutdown::Both).unwrap();
    assert_eq!(app.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn requests_are_counted_by_route() {
    let app = TestApp::sqlite().await;
    app.get("/rules/kauri").await;
    app.get("/rules/%3Cscript%3E").await;
    let counts = app.get("/metrics").await.body;
    let found = |line: &str| counts.lines().any(|counted| counted.starts_with(line));
    assert!(found(r#"http_requests_total{route="/rules/{rules}",method="GET",status="200"} "#), "{counts}");
    assert!(found(
        r#"http_request_duration_seconds_count{route="/rules/{rules}",method="GET",status="404"} "#
    ));
    assert!(!counts.contains("script"));
}

/// Java's client offers HTTP/2 with every request; told nothing, it would lose the next one.
#[tokio::test]
async fn whoever_offers_to_switch_protocols_is_told_that_the_connection_ends() {
    let app = TestApp::sqlite().await;
    for (path, status) in [("/rules/kauri/initial", "200"), ("/nope", "404"), ("/rules/none/initial", "404")]
    {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: \
             Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAEAAEAAAAIAAAABAAMAAABk\r\n\r\n{{}}"
        );
        let answer = app.raw(head.as_bytes()).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
        assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
    }
}
