//! What one caller may take, and what it can't get around.

use crate::app::TestApp;
use crate::portal::{NewKey, key};
use reqwest::Method;
use std::io::Write;
use std::time::{Duration, Instant};

/// Sends a request for each credential; how many got each status, and how many may have passed a budget of one
/// a second meanwhile.
async fn all(app: &TestApp, method: Method, path: &str, credentials: &[String]) -> (Vec<u16>, usize) {
    let began = Instant::now();
    let mut statuses = Vec::new();
    for credential in credentials {
        let headers = [("authorization", credential.as_str()), ("content-type", "application/json")];
        let body = (method == Method::POST).then(|| b"{}".to_vec());
        statuses.push(app.send(method.clone(), path, &headers, body).await.status);
    }
    (statuses, 2 + usize::try_from(began.elapsed().as_secs()).unwrap())
}

fn passed(statuses: &[u16]) -> usize {
    statuses.iter().filter(|&&status| status != 429).count()
}

/// Well-formed keys that nobody was given, with this id.
fn invented(id: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("Bearer kauri_pk_{id}_{number:064x}")).collect()
}

/// Other ways to write the same credential.
fn spellings(credential: &str) -> Vec<String> {
    let (head, secret) = credential.rsplit_once('_').unwrap();
    let token = head.strip_prefix("Bearer ").unwrap();
    let mut all = Vec::new();
    for end in 0..12 {
        let secret = format!("{}{}", secret[..end].to_uppercase(), &secret[end..]);
        for scheme in ["Bearer", "bearer", "BEARER  ", "bEARER   "] {
            all.push(format!("{scheme} {token}_{secret}"));
        }
    }
    all
}

#[tokio::test]
async fn a_credential_has_one_budget_however_it_is_spelled() {
    let app = TestApp::with(|config| config.rate = 1).await;
    let (_, credential) = key(&app, NewKey::play("club")).await;
    let (statuses, most) = all(&app, Method::GET, "/games", &spellings(&credential)).await;
    assert!(statuses.contains(&200) && passed(&statuses) <= most, "{statuses:?}");
}

#[tokio::test]
async fn what_is_no_credential_is_charged_to_the_address() {
    let app = TestApp::with(|config| config.rate = 1).await;
    let junk: Vec<String> = (0..40).map(|number| format!("Bearer {number}")).collect();
    for path in ["/games", "/rules", "/nope"] {
        let (statuses, most) = all(&app, Method::GET, path, &junk).await;
        assert!(passed(&statuses) <= most, "{path}: {statuses:?}");
    }
}

#[tokio::test]
async fn an_operation_that_asks_for_no_credential_is_charged_to_the_address() {
    let app = TestApp::with(|config| config.rate = 1).await;
    let invented = invented("0123456789abcdef", 40);
    let (statuses, most) = all(&app, Method::POST, "/rules/kauri/initial", &invented).await;
    assert!(passed(&statuses) <= most, "{statuses:?}");
}

#[tokio::test]
async fn guessing_is_limited_and_harms_no_one_who_has_a_key() {
    let app = TestApp::with(|config| config.rate = 1).await;
    let (id, credential) = key(&app, NewKey::play("club")).await;
    // Its budget is one a second, and a refusal takes nothing of it.
    let used = async || {
        let began = Instant::now();
        loop {
            let status = app.get_with("/games", &[("authorization", &credential)]).await.status;
            if status != 429 || began.elapsed() > Duration::from_secs(20) {
                return status;
            }
        }
    };
    assert_eq!(used().await, 200);
    let (statuses, most) = all(&app, Method::GET, "/games", &invented(&id, 40)).await;
    assert!(statuses.contains(&401) && passed(&statuses) <= most, "{statuses:?}");
    assert_eq!(used().await, 200);
}

#[tokio::test]
async fn a_refusal_tells_what_is_left() {
    let app = TestApp::with(|config| config.rate = 5).await;
    let reply = app.get_with("/rules", &[("accept", "text/html")]).await;
    assert_eq!((reply.status, reply.header("ratelimit-policy")), (406, "\"requests\";q=5;w=1"));
    assert_eq!(reply.header("ratelimit"), "\"requests\";r=4;t=1");
}

#[tokio::test]
async fn a_budget_is_used_up_and_what_watches_the_service_has_none() {
    let app = TestApp::with(|config| config.rate = 3).await;
    let (_, one) = key(&app, NewKey::play("one")).await;
    let (_, two) = key(&app, NewKey::play("two")).await;
    let by = async |credential: &str| app.get_with("/games", &[("authorization", credential)]).await;
    let first = by(&one).await;
    assert_eq!((first.status, first.header("ratelimit-policy")), (200, "\"requests\";q=3;w=1"));
    let mut last = first;
    // At most three a second pass, so before long one is refused, however slow this machine is.
    for _ in 0..1_000 {
        last = by(&one).await;
        if last.status == 429 {
            break;
        }
    }
    assert_eq!((last.status, last.code().as_str()), (429, "rate_limited"));
    assert_eq!((last.header("retry-after"), last.header("ratelimit")), ("1", "\"requests\";r=0;t=1"));
    assert_eq!(by(&two).await.status, 200);
    assert_eq!(app.get("/rules").await.status, 200);
    for _ in 0..5 {
        for path in ["/healthz", "/readyz", "/metrics"] {
            assert_eq!(app.get(path).await.status, 200);
        }
    }
}

#[tokio::test]
async fn who_takes_nothing_of_the_answers_is_cut_off() {
    let app = TestApp::with(|config| config.send_timeout = Duration::from_secs(1)).await;
    let ask = "GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nhost: x\r\n\r\n".repeat(20);
    let mut stream = app.connect(ask.as_bytes());
    let cut = tokio::task::spawn_blocking(move || {
        // Nothing is read. The connection is there as long as asking for more works.
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(100));
            if stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").is_err() {
                return true;
            }
        }
        false
    });
    assert!(cut.await.unwrap(), "the connection is still there");
    assert_eq!(app.get("/healthz").await.status, 200);
}
