//! What one caller may take: how often, how long, how much.

mod caller;

use crate::accept;
use crate::config::Serve;
use crate::problem::{Code, Problem};
use crate::routes::Route;
use crate::telemetry;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, web};
use caller::{Caller, Doorkeeper, Payer};
use futures_util::FutureExt;
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};
use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::num::NonZeroU32;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::time::Duration;
use tokio::time::Instant;

/// The policy in force for a budget.
pub const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// What is left of a budget.
pub const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// The path whose POSTs have a budget of their own.
const MOVES: &str = "/games/{id}/moves";

/// The paths that have no budget: what watches the service must always get an answer.
pub(crate) const EXEMPT: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// The paths whose requests may take as long as they are: each piece of them has the time of a request.
const LONG: [&str; 1] = ["/games/import"];

tokio::task_local! {
    static UNDER_WAY: UnderWay;
}

/// What a request says of itself while it is answered.
#[derive(Default)]
struct UnderWay {
    /// Whether it is still being read.
    reading: Cell<bool>,
    /// How much longer than others it may take.
    patience: Cell<Duration>,
}

/// The limits in force.
#[derive(Debug)]
pub struct Limits {
    /// Longest body taken, in bytes.
    pub max_body: usize,
    /// Longest time one request may take.
    pub request_timeout: Duration,
    moves: Option<Budget>,
    others: Option<Budget>,
    door: Option<Doorkeeper>,
}

impl Limits {
    /// The limits that the configuration sets.
    #[must_use]
    pub fn new(config: &Serve) -> Self {
        Self {
            max_body: config.max_body,
            request_timeout: config.request_timeout,
            moves: Budget::new("moves", config.move_rate),
            others: Budget::new("requests", config.rate),
            door: Doorkeeper::new(config.rate.max(config.move_rate)),
        }
    }

    /// Forgets callers whose budgets are full again; to be called now and then.
    pub fn forget_idle(&self) {
        for budget in self.moves.iter().chain(&self.others) {
            budget.forget_idle();
        }
        if let Some(door) = &self.door {
            door.forget_idle();
        }
    }

    /// A piece of a long request: unless it takes longer than another request may.
    pub async fn hurry<T>(&self, piece: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
        match tokio::time::timeout(self.request_timeout, piece).await {
            Ok(done) => done,
            Err(_) if UNDER_WAY.try_with(|request| request.reading.get()).unwrap_or(false) => {
                Err(Problem::new(Code::RequestTimeout))
            }
            Err(_) => Err(Problem::new(Code::Unavailable).detail("The request took longer than it may.")),
        }
    }

    fn budget(&self, pattern: Option<&str>, method: &Method) -> Option<&Budget> {
        match pattern {
            Some(pattern) if EXEMPT.contains(&pattern) => None,
            Some(MOVES) if method == Method::POST => self.moves.as_ref(),
            _ => self.others.as_ref(),
        }
    }
}

type Limiter = RateLimiter<Payer, DashMapStateStore<Payer>, DefaultClock, StateInformationMiddleware>;

/// So many requests a second and payer, as many at once.
struct Budget {
    name: &'static str,
    per_second: NonZeroU32,
    limiter: Limiter,
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}/s", self.name, self.per_second)
    }
}

impl Budget {
    fn new(name: &'static str, per_second: u32) -> Option<Self> {
        let per_second = NonZeroU32::new(per_second)?;
        let limiter = RateLimiter::dashmap(Quota::per_second(per_second)).with_middleware();
        Some(Self { name, per_second, limiter })
    }

    /// Takes one request from the payer's budget; what is left of it, or how long to wait.
    fn take(&self, payer: &Payer) -> Result<u32, Duration> {
        match self.limiter.check_key(payer) {
            Ok(state) => Ok(state.remaining_burst_capacity()),
            Err(until) => Err(until.wait_time_from(self.limiter.clock().now())),
        }
    }

    fn refusal(&self, wait: Duration) -> Problem {
        Problem::new(Code::RateLimited)
            .detail(format!("At most {} {} a second.", self.per_second, self.name))
            .header(header::RETRY_AFTER, wait.as_secs_f64().ceil().max(1.0))
            .header(RATE_LIMIT_POLICY, self.policy())
            .header(RATE_LIMIT, self.left(0))
    }

    fn forget_idle(&self) {
        self.limiter.retain_recent();
        self.limiter.shrink_to_fit();
    }

    fn policy(&self) -> String {
        format!("\"{}\";q={};w=1", self.name, self.per_second)
    }

    fn left(&self, left: u32) -> String {
        format!("\"{}\";r={left};t=1", self.name)
    }

    /// What the answer to a request of this budget carries.
    fn headers(&self, left: u32) -> [(HeaderName, HeaderValue); 2] {
        let value = |text: String| HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""));
        [(RATE_LIMIT_POLICY, value(self.policy())), (RATE_LIMIT, value(self.left(left)))]
    }
}

/// The inner middleware: refuses what is too often or unacceptable, and ends what takes too long or panics.
pub async fn guard<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let Some(limits) = request.app_data::<web::Data<Limits>>().cloned() else {
        return next.call(request).await;
    };
    let route = telemetry::route();
    let Some(budget) = limits.budget(route.map(|route| route.pattern), request.method()) else {
        return answer(&limits, route, request, next).await;
    };
    let asked = route.is_some_and(|route| route.asks_for_credential(request.method()));
    let caller = Caller::of(&request, asked);
    if let Some(door) = &limits.door {
        door.admit(&caller)?;
    }
    let left = budget.take(&caller.payer()).map_err(|wait| budget.refusal(wait))?;
    let answer = answer(&limits, route, request, next).await;
    if let (Some(door), Ok(answer)) = (&limits.door, &answer) {
        door.learn(&caller, answer.status());
    }
    telemetry::put(answer, budget.headers(left))
}

async fn answer<B: MessageBody>(
    limits: &Limits,
    route: Option<&Route>,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    if route.is_some_and(|route| !accept::takes(&request, route.media_types(request.method()))) {
        return Err(Problem::new(Code::NotAcceptable).into());
    }
    let long = route.is_some_and(|route| LONG.contains(&route.pattern));
    in_time(if long { Duration::MAX } else { limits.request_timeout }, next.call(request)).await
}

/// What the future gives, unless it takes too long or panics.
async fn in_time<T>(limit: Duration, answer: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    UNDER_WAY
        .scope(UnderWay::default(), async {
            let mut answer = pin!(AssertUnwindSafe(answer).catch_unwind());
            let mut time = pin!(tokio::time::sleep(limit));
            let answer = loop {
                tokio::select! {
                    biased;
                    answer = &mut answer => break Some(answer),
                    () = &mut time => {
                        let patience = UNDER_WAY.with(|request| request.patience.take());
                        if patience.is_zero() {
                            break None;
                        }
                        time.as_mut().reset(Instant::now() + patience);
                    }
                }
            };
            match answer {
                Some(Ok(answer)) => answer,
                Some(Err(payload)) => {
                    tracing::error!(panic = said(&*payload), "a handler panicked");
                    Err(Problem::new(Code::Internal).into())
                }
                None if UNDER_WAY.with(|request| request.reading.get()) => {
                    Err(Problem::new(Code::RequestTimeout).into())
                }
                None => {
                    tracing::warn!(limit_s = limit.as_secs_f64(), "a request took longer than it may");
                    Err(Problem::new(Code::Unavailable).detail("The request took longer than it may.").into())
                }
            }
        })
        .await
}

/// What a panic said.
fn said(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("something that is no text")
}

/// Marks the time during which it is the caller who keeps the service waiting.
pub async fn reading<T>(body: impl Future<Output = T>) -> T {
    // Outside of a guarded request there is nothing to mark.
    let mark = |reading| UNDER_WAY.try_with(|request| request.reading.set(reading)).unwrap_or(());
    mark(true);
    let body = body.await;
    mark(false);
    body
}

/// Lets this request take so much longer than others: it waits for something as it was asked to.
pub fn patience(time: Duration) {
    // Outside of a guarded request there is no limit either.
    UNDER_WAY.try_with(|request| request.patience.set(time)).unwrap_or(());
}

#[cfg(test)]
mod tests {
    use super::{Budget, Code, Payer, in_time, patience, reading, said};
    use crate::problem::Problem;
    use std::future::pending;
    use std::time::Duration;

    #[test]
    fn a_budget_is_used_up_by_one_payer_alone() {
        let budget = Budget::new("requests", 2).unwrap();
        let (one, other) = (Payer::Peer(None), Payer::Credential([0; 32]));
        assert_eq!(budget.take(&one).unwrap(), 1);
        assert_eq!(budget.take(&one).unwrap(), 0);
        let wait = budget.take(&one).unwrap_err();
        assert_eq!(budget.refusal(wait).code(), Code::RateLimited);
        assert_eq!(budget.take(&other).unwrap(), 1);
        assert!(Budget::new("requests", 0).is_none());
    }

    #[test]
    fn what_a_panic_said_is_told() {
        let caught = |panic: fn()| std::panic::catch_unwind(panic).unwrap_err();
        assert_eq!(said(&*caught(|| panic!("plain"))), "plain");
        assert_eq!(said(&*caught(|| panic!("with {}", 1))), "with 1");
        assert_eq!(said(&*caught(|| std::panic::panic_any(7))), "something that is no text");
    }

    async fn code(answer: impl Future<Output = Result<(), actix_web::Error>>) -> Code {
        let error = in_time(Duration::from_millis(1), answer).await.unwrap_err();
        error.as_error::<Problem>().unwrap().code()
    }

    #[actix_web::test]
    async fn who_was_waited_for_decides_what_a_late_request_is_told() {
        assert_eq!(code(pending()).await, Code::Unavailable);
        assert_eq!(code(reading(pending())).await, Code::RequestTimeout);
        assert_eq!(code(async { panic!("as a test") }).await, Code::Internal);
    }

    #[actix_web::test]
    async fn who_asked_to_wait_is_given_the_time() {
        let patient = async {
            patience(Duration::from_mins(1));
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok(())
        };
        assert!(in_time(Duration::from_millis(1), patient).await.is_ok());
    }
}
