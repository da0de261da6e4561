use super::*;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use std::io;
use std::net::IpAddr;
use std::sync::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

const LIMIT: Duration = Duration::from_secs(30);
const PUBLIC: &str = "93.184.215.14";

/// A network in which a name stands for one answer after another, and a public address is a listener of the test's.
#[derive(Debug)]
struct Stage {
    answers: Mutex<Vec<Vec<IpAddr>>>,
    connected: Mutex<Vec<IpAddr>>,
    listener: SocketAddr,
}

impl Stage {
    fn new(listener: SocketAddr, answers: &[&[&str]]) -> Arc<Self> {
        let parse = |answer: &&[&str]| answer.iter().map(|address| address.parse().unwrap()).collect();
        let answers = answers.iter().rev().map(parse).collect();
        Arc::new(Self { answers: Mutex::new(answers), connected: Mutex::default(), listener })
    }

    fn connected(&self) -> Vec<String> {
        self.connected.lock().unwrap().iter().map(ToString::to_string).collect()
    }
}

impl Network for Stage {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let answer = self.answers.lock().unwrap().pop().ok_or(io::ErrorKind::NotFound.into());
        async { answer }.boxed()
    }

    fn connect(&self, address: SocketAddr) -> BoxFuture<'static, io::Result<TcpStream>> {
        self.connected.lock().unwrap().push(address.ip());
        TcpStream::connect(self.listener).boxed()
    }
}

fn message() -> Message {
    Message {
        id: "msg_1".to_owned(),
        timestamp: 7,
        signature: "v1,abc".to_owned(),
        body: "{\"type\":\"webhook.test\"}".to_owned(),
    }
}

async fn read(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut text = String::new();
    let mut buffer = [0; 1024];
    while !text.contains("\r\n\r\n") || !text.ends_with('}') {
        let length = stream.read(&mut buffer).await.unwrap();
        assert!(length > 0, "it ended early: {text}");
        text.push_str(std::str::from_utf8(&buffer[..length]).unwrap());
    }
    text
}

/// Answers each connection with this; what it was sent.
async fn answering(answer: &'static str, times: usize) -> (SocketAddr, tokio::task::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async move {
        let mut heard = Vec::new();
        for _ in 0..times {
            let (mut stream, _) = listener.accept().await.unwrap();
            heard.push(read(&mut stream).await);
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
        heard
    });
    (address, serving)
}

fn local() -> Sender {
    Sender::new(Policy { loopback: true }, Arc::new(crate::webhooks::SystemNetwork))
}

#[tokio::test]
async fn a_message_is_a_post_with_the_headers_of_standard_webhooks() {
    let (address, heard) = answering("HTTP/1.1 204 No Content\r\n\r\n", 1).await;
    let outcome = local().post(&format!("http://{address}/a?b=c"), &message(), LIMIT).await;
    assert_eq!((outcome.status, outcome.failure), (Some(204), None));
    let heard = heard.await.unwrap().remove(0);
    let (lines, body) = heard.split_once("\r\n\r\n").unwrap();
    assert_eq!(body, message().body);
    for line in [
        "POST /a?b=c HTTP/1.1",
        &format!("host: {address}"),
        "content-type: application/json",
        "webhook-id: msg_1",
        "webhook-timestamp: 7",
        "webhook-signature: v1,abc",
        "content-length: 23",
    ] {
        assert!(lines.lines().any(|found| found == line), "no {line} in {lines}");
    }
}

#[tokio::test]
async fn an_answer_is_told_by_its_status() {
    for (answer, status, failure, asked) in [
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", Some(200), None, None),
        ("HTTP/1.1 299 Fine\r\n\r\nto the end", Some(299), None, None),
        (
            "HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n",
            Some(202),
            None,
            None,
        ),
        (
            "HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\n\r\n",
            Some(302),
            Some(Failure::Redirect),
            None,
        ),
        ("HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n", Some(410), Some(Failure::Status), None),
        ("HTTP/1.1 503 Later\r\nretry-after: 7\r\n\r\n", Some(503), Some(Failure::Status), Some("7")),
        ("nonsense\r\n\r\n", None, Some(Failure::Protocol), None),
        ("", None, Some(Failure::Protocol), None),
    ] {
        let (address, heard) = answering(answer, 1).await;
        let outcome = local().post(&format!("http://{address}/"), &message(), LIMIT).await;
        assert_eq!((outcome.status, outcome.failure), (status, failure), "{answer}");
        assert_eq!(outcome.retry_after.as_deref(), asked, "{answer}");
        heard.await.unwrap();
    }
}

#[tokio::test]
async fn a_head_without_end_is_refused() {
    let head = format!("HTTP/1.1 200 OK\r\nx: {}", "x".repeat(2 * LONGEST_HEAD));
    let (address, _serving) = answering(head.leak(), 1).await;
    let outcome = local().post(&format!("http://{address}/"), &message(), LIMIT).await;
    assert_eq!(outcome.failure, Some(Failure::Protocol));
}

#[tokio::test]
async fn who_does_not_answer_is_waited_for_so_long_and_who_is_not_there_not_at_all() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let outcome = local().post(&url, &message(), Duration::from_millis(30)).await;
    assert_eq!((outcome.status, outcome.failure), (None, Some(Failure::Timeout)));
    drop(listener);
    let outcome = local().post(&url, &message(), LIMIT).await;
    assert_eq!(outcome.failure, Some(Failure::Connect));
}

/// A name that stands for a public address when it is looked at, and for loopback when it is used, gains nothing:
/// every attempt looks anew, and connects only to what it has checked.
#[tokio::test]
async fn a_name_that_changes_its_address_gains_nothing() {
    let (listener, serving) = answering("HTTP/1.1 200 OK\r\n\r\n", 1).await;
    let answers: &[&[&str]] = &[
        &[PUBLIC],
        &["127.0.0.1"],
        &["::1", "::ffff:127.0.0.1", "169.254.169.254", "10.0.0.1"],
        &["127.0.0.1", PUBLIC],
        &[],
    ];
    let stage = Stage::new(listener, answers);
    let sender = Sender::new(Policy::default(), Arc::clone(&stage) as Arc<dyn Network>);
    let post = async || sender.post("https://portal.example/", &message(), LIMIT).await.failure;
    // The first reaches the listener, which does not speak TLS and hears no POST.
    let listening = async { serving.await.unwrap_err() };
    let (first, _) = tokio::join!(post(), listening);
    assert_eq!(first, Some(Failure::Tls));
    assert_eq!(post().await, Some(Failure::RefusedAddress));
    assert_eq!(post().await, Some(Failure::RefusedAddress));
    assert!(matches!(post().await, Some(Failure::Connect | Failure::Tls)));
    assert_eq!(post().await, Some(Failure::Resolve));
    assert_eq!(post().await, Some(Failure::Resolve));
    assert_eq!(stage.connected(), [PUBLIC, PUBLIC]);
}

/// A sender that trusts one authority of the test's own, and a listener with its certificate for this name.
async fn speaking_tls(name: &str) -> (Sender, Arc<Stage>, tokio::task::JoinHandle<Option<String>>) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([name.to_owned()]).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stage = Stage::new(listener.local_addr().unwrap(), &[&[PUBLIC]]);
    let serving = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = TlsAcceptor::from(Arc::new(config)).accept(stream).await.ok()?;
        let heard = read(&mut stream).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        Some(heard)
    });
    let sender = Sender::new(Policy::default(), Arc::clone(&stage) as Arc<dyn Network>);
    let mut roots = RootCertStore::empty();
    roots.add(cert.der().clone()).unwrap();
    sender.tls.set(trusting(roots).unwrap()).unwrap();
    (sender, stage, serving)
}

#[tokio::test]
async fn https_is_spoken_to_the_name_on_the_certificate() {
    let (sender, stage, heard) = speaking_tls("portal.example").await;
    let outcome = sender.post("https://portal.example/hook", &message(), LIMIT).await;
    assert_eq!((outcome.status, outcome.failure), (Some(200), None));
    assert_eq!(stage.connected(), [PUBLIC]);
    assert!(heard.await.unwrap().unwrap().contains("\r\nhost: portal.example\r\n"));
}

#[tokio::test]
async fn another_name_or_an_unknown_authority_is_refused() {
    let (sender, _, heard) = speaking_tls("another.example").await;
    let outcome = sender.post("https://portal.example/hook", &message(), LIMIT).await;
    assert_eq!((outcome.failure, heard.await.unwrap()), (Some(Failure::Tls), None));
    let (mut sender, _, heard) = speaking_tls("portal.example").await;
    sender.tls = OnceLock::new();
    let outcome = sender.post("https://portal.example/hook", &message(), LIMIT).await;
    assert_eq!((outcome.failure, heard.await.unwrap()), (Some(Failure::Tls), None));
}
