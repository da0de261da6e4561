//! A body of many lines, of which no more than one is held.

use crate::problem::{Code, Problem};
use actix_web::dev::Payload;
use actix_web::web::{Bytes, BytesMut};
use futures_util::StreamExt;
use std::time::Duration;

/// The lines of a body, as they come.
pub(crate) struct Lines {
    payload: Payload,
    /// What has come of lines that are not given yet.
    rest: BytesMut,
    /// Whether this much of it is known to hold no line feed.
    searched: usize,
    ended: bool,
    longest: usize,
    patience: Duration,
}

/// One line, less its line feed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Whole(Bytes),
    /// It is longer than any may be, and was read over.
    TooLong,
}

impl Lines {
    /// No line may be longer, or take longer to come.
    pub(crate) fn new(payload: Payload, longest: usize, patience: Duration) -> Self {
        Self { payload, rest: BytesMut::new(), searched: 0, ended: false, longest, patience }
    }

    /// The next line; none after the last.
    pub(crate) async fn next(&mut self) -> Result<Option<Line>, Problem> {
        let patience = self.patience;
        let line = tokio::time::timeout(patience, self.wait()).await;
        line.unwrap_or_else(|_| Err(Problem::new(Code::RequestTimeout)))
    }

    async fn wait(&mut self) -> Result<Option<Line>, Problem> {
        let mut too_long = false;
        loop {
            let found = self.rest[self.searched..].iter().position(|&byte| byte == b'\n');
            if let Some(at) = found.map(|at| at + self.searched) {
                let mut line = self.rest.split_to(at + 1);
                line.truncate(at);
                self.searched = 0;
                return Ok(Some(self.line(line, too_long)));
            }
            self.searched = self.rest.len();
            if self.searched > self.longest {
                too_long = true;
                self.rest.clear();
                self.searched = 0;
            }
            if self.ended {
                let line = self.rest.split();
                self.searched = 0;
                return Ok((too_long || !line.is_empty()).then(|| self.line(line, too_long)));
            }
            match self.payload.next().await {
                Some(Ok(piece)) => self.rest.extend_from_slice(&piece),
                Some(Err(_)) => {
                    return Err(Problem::new(Code::MalformedBody).detail("The body broke off."));
                }
                None => self.ended = true,
            }
        }
    }

    fn line(&self, line: BytesMut, too_long: bool) -> Line {
        if too_long || line.len() > self.longest { Line::TooLong } else { Line::Whole(line.freeze()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Lines};
    use actix_web::dev::Payload;
    use actix_web::error::PayloadError;
    use actix_web::web::Bytes;
    use futures_util::stream;
    use std::time::Duration;

    fn lines(pieces: &'static [&'static str]) -> Lines {
        let pieces = stream::iter(
            pieces.iter().map(|piece| Ok::<_, PayloadError>(Bytes::from_static(piece.as_bytes()))),
        );
        Lines::new(Payload::Stream { payload: Box::pin(pieces) }, 5, Duration::from_secs(9))
    }

    #[actix_web::test]
    async fn lines_come_whole_however_they_are_cut() {
        for (pieces, expected) in [
            (&["ab\ncd\n"][..], vec![Some("ab"), Some("cd")]),
            (&["a", "b\nc", "d"], vec![Some("ab"), Some("cd")]),
            (&["\n", "\n\n"], vec![Some(""), Some(""), Some("")]),
            (&["12345\n123456\n1"], vec![Some("12345"), None, Some("1")]),
            (&["123", "456", "789", "0\nab"], vec![None, Some("ab")]),
            (&["123456789"], vec![None]),
            (&[], vec![]),
        ] {
            let mut lines = lines(pieces);
            for expected in expected {
                let expected =
                    expected.map_or(Line::TooLong, |text| Line::Whole(Bytes::from_static(text.as_bytes())));
                assert_eq!(lines.next().await.unwrap(), Some(expected), "{pieces:?}");
            }
            assert_eq!(lines.next().await.unwrap(), None, "{pieces:?}");
        }
    }
}
