//! What the README shows to come of a command, and whether it does.

/// Stands for anything, or nothing.
const ELLIPSIS: char = '…';

/// What is shown below a command.
pub(super) enum Shown {
    /// What is printed; line breaks and spaces are the README's own.
    Printed(String),
    /// An answer with its head: the status line, lines that must be among the headers, and the body if there is one.
    Http { status: String, headers: Vec<String>, others: bool, body: String },
}

impl Shown {
    pub(super) fn new(language: &str, content: &str) -> Self {
        match language {
            "json" | "text" => Self::Printed(content.to_owned()),
            "http" => {
                let (head, body) = content.split_once("\n\n").unwrap_or((content, ""));
                let mut lines = head.lines().map(str::to_owned);
                let status = lines.next().expect("an answer has a status");
                let (others, headers): (Vec<_>, Vec<_>) =
                    lines.partition(|line| *line == ELLIPSIS.to_string());
                Self::Http { status, headers, others: !others.is_empty(), body: body.to_owned() }
            }
            other => panic!("nothing is known of {other} in the tour"),
        }
    }

    /// Why what was printed is not what is shown.
    pub(super) fn fits(&self, printed: &str) -> Result<(), String> {
        match self {
            Self::Printed(shown) => fits(shown, printed),
            Self::Http { status, headers, others, body } => {
                let printed = printed.replace('\r', "");
                let (head, printed_body) =
                    printed.split_once("\n\n").ok_or("the answer has no head".to_owned())?;
                let mut lines = head.lines();
                fits(status, lines.next().unwrap_or_default())?;
                let lines: Vec<&str> = lines.collect();
                for header in headers {
                    if !lines.iter().any(|line| fits(header, line).is_ok()) {
                        return Err(format!("there is no header {header:?}"));
                    }
                }
                if !others && lines.len() > headers.len() {
                    return Err("there are more headers than shown".to_owned());
                }
                fits(body, printed_body)
            }
        }
    }
}

/// Whether a text is as shown, spaces aside: its pieces between ellipses in their order, from end to end.
fn fits(shown: &str, printed: &str) -> Result<(), String> {
    let dense = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    let (shown, printed) = (dense(shown), dense(printed));
    let mut pieces: Vec<&str> = shown.split(ELLIPSIS).collect();
    let last = pieces.pop().unwrap_or_default();
    let Some((first, middle)) = pieces.split_first() else {
        return if last == printed { Ok(()) } else { Err(format!("it is not\n{shown}")) };
    };
    let mut rest = printed.strip_prefix(first).ok_or_else(|| format!("it does not begin with\n{first}"))?;
    for piece in middle {
        let at = rest.find(piece).ok_or_else(|| format!("it goes on without\n{piece}"))?;
        rest = &rest[at + piece.len()..];
    }
    if rest.ends_with(last) { Ok(()) } else { Err(format!("it does not end with\n{last}")) }
}

#[cfg(test)]
mod tests {
    use super::{Shown, fits};

    #[test]
    fn a_text_fits_only_from_end_to_end() {
        for shown in [
            "{\"a\":1,\n \"b\":2}",
            "{…}",
            "…",
            "{\"a\":…,\"b\":2}",
            "{\"a\":1,…\"b\":…}",
            "{\"a\":1…,\"b\":2}",
        ] {
            assert_eq!(fits(shown, "{\"a\":1,\"b\":2}"), Ok(()), "{shown}");
        }
        for shown in [
            "",
            "{\"a\":1",
            "\"b\":2}",
            "{\"a\":2,…}",
            "{…\"a\":2}",
            "{…\"b\":2…\"a\":1…}",
            "{\"a\":1,\"b\":2}}",
        ] {
            assert!(fits(shown, "{\"a\":1,\"b\":2}").is_err(), "{shown}");
        }
        assert!(fits("aa…aa", "aaa").is_err(), "nothing is counted twice");
    }

    #[test]
    fn an_answer_fits_with_its_status_headers_and_body() {
        let printed = "HTTP/1.1 201 Created\r\netag: \"v0\"\r\ndate: now\r\n\r\n{\"a\":1}";
        let fits = |shown: &str| Shown::new("http", shown).fits(printed).is_ok();
        assert!(fits("HTTP/1.1 201 Created\ndate: …\netag: \"v0\"\n\n{\"a\":1}\n"));
        assert!(fits("HTTP/1.1 201 Created\netag: \"v0\"\n…\n\n{…}\n"));
        for wrong in [
            "HTTP/1.1 200 OK\n…\n\n{…}\n",
            "HTTP/1.1 201 Created\netag: \"v1\"\n…\n\n{…}\n",
            "HTTP/1.1 201 Created\netag: \"v0\"\n\n{…}\n",
            "HTTP/1.1 201 Created\n…\n\n{\"a\":2}\n",
            "HTTP/1.1 201 Created\n…\n",
        ] {
            assert!(!fits(wrong), "{wrong}");
        }
    }
}
