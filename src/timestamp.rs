//! Points in time, to the microsecond, as the database keeps them and the API shows them.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Microseconds since 1970-01-01T00:00:00Z. On the wire RFC 3339, in UTC, always with six decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Reads RFC 3339, with any offset; finer parts than a microsecond are cut off.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let at = OffsetDateTime::parse(text, &Rfc3339).ok()?;
        let at = i64::try_from(at.unix_timestamp_nanos().div_euclid(1_000)).ok().map(Self)?;
        // An offset can put a time outside of the years that can be shown.
        at.shown().is_some().then_some(at)
    }

    /// As shown; none outside of the years 0 to 9999. By hand, since nearly every answer and every log line has some.
    fn shown(self) -> Option<[u8; SHOWN.len()]> {
        let at = OffsetDateTime::from_unix_timestamp(self.0.div_euclid(1_000_000)).ok()?;
        let year = u32::try_from(at.year()).ok().filter(|year| *year <= 9999)?;
        let micros = u32::try_from(self.0.rem_euclid(1_000_000)).ok()?;
        let (month, day) = (u8::from(at.month()).into(), at.day().into());
        let (hour, minute, second) = (at.hour().into(), at.minute().into(), at.second().into());
        let mut text = *SHOWN;
        for (from, to, number) in [
            (0, 4, year),
            (5, 7, month),
            (8, 10, day),
            (11, 13, hour),
            (14, 16, minute),
            (17, 19, second),
            (20, 26, micros),
        ] {
            put(&mut text[from..to], number);
        }
        Some(text)
    }

    /// This much later.
    #[must_use]
    pub fn plus(self, span: std::time::Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.as_micros()).unwrap_or(i64::MAX)))
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = self.shown().unwrap_or(*OUT_OF_RANGE);
        f.write_str(str::from_utf8(&text).map_err(|_| std::fmt::Error)?)
    }
}

/// What a time is shown as, less its digits.
const SHOWN: &[u8; 27] = b"0000-00-00T00:00:00.000000Z";

/// What is shown for a time that no one can have meant; none is ever stored.
const OUT_OF_RANGE: &[u8; 27] = b"9999-12-31T23:59:59.999999Z";

/// Writes a number's last digits.
fn put(digits: &mut [u8], mut number: u32) {
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("a time in RFC 3339 is needed"))
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn is_shown_in_utc_with_six_decimals_and_reads_back() {
        let at = Timestamp(1_796_000_000_000_005);
        assert_eq!(at.to_string(), "2026-11-30T00:53:20.000005Z");
        assert_eq!(Timestamp::parse(&at.to_string()), Some(at));
    }

    #[test]
    fn any_number_can_be_shown() {
        for at in [i64::MIN, i64::MAX] {
            assert_eq!(Timestamp(at).to_string().len(), 27);
        }
        for (at, shown) in [
            (-1, "1969-12-31T23:59:59.999999Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
            (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
            (-62_167_219_200_000_000, "0000-01-01T00:00:00.000000Z"),
        ] {
            assert_eq!(Timestamp(at).to_string(), shown);
        }
    }

    #[test]
    fn takes_any_offset_and_refuses_other_formats() {
        assert_eq!(Timestamp::parse("1970-01-01T01:00:00+01:00"), Some(Timestamp(0)));
        let beyond = "9999-12-31T23:59:59-23:59";
        for bad in ["", "1970-01-01", "0", "1970-01-01T00:00:00", "yesterday", beyond] {
            assert_eq!(Timestamp::parse(bad), None, "{bad}");
        }
    }
}
