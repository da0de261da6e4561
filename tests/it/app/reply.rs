//! An answer, as a test looks at it.

use reqwest::header::HeaderMap;
use serde_json::Value;

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Reply {
    pub(super) async fn read(response: reqwest::Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = String::from_utf8_lossy(&response.bytes().await.unwrap()).into_owned();
        Self { status, headers, body }
    }

    /// The body, which is JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The code of the problem that this is.
    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_else(|| panic!("no problem: {self:?}")).to_owned()
    }

    /// The header, or nothing where there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Where the next page is.
    pub(crate) fn link_next(&self) -> Option<String> {
        let link = self.header("link").strip_suffix(">; rel=\"next\"")?;
        link.strip_prefix('<').map(str::to_owned)
    }

    /// The pointers of the things wrong with the input.
    pub(crate) fn pointers(&self) -> Vec<String> {
        let json = self.json();
        let errors = json["errors"].as_array().into_iter().flatten();
        errors.map(|error| error["pointer"].as_str().unwrap().to_owned()).collect()
    }
}
