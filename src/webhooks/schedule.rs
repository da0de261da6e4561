//! When what was not taken is tried again.

use crate::timestamp::Timestamp;
use std::time::Duration;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

/// How long after each attempt the next one is due: what Standard Webhooks suggests, three days in all.
const AFTER: [Duration; 9] = [
    Duration::from_secs(5),
    Duration::from_mins(5),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(5),
    Duration::from_hours(10),
    Duration::from_hours(14),
    Duration::from_hours(20),
    Duration::from_hours(24),
];

/// How long a receiver may ask to be left alone.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// How often a delivery is tried while later events of its game wait for it. After that they pass it, or one event
/// that a receiver can't take would keep it from all that follow.
const TRIES_IN_LINE: i64 = 3;

/// For how long an endpoint may take nothing at all before it is disabled: a whole schedule, jitter included.
pub(super) const PATIENCE: Duration = Duration::from_hours(24 * 4);

/// When the next attempt is due after so many; none when they were all. `chance` spreads the attempts that one outage
/// has brought together.
pub(super) fn next(now: Timestamp, attempts: i64, asked: Option<Duration>, chance: u8) -> Option<Timestamp> {
    let index = usize::try_from(attempts).ok()?.checked_sub(1)?;
    let wait = *AFTER.get(index)?;
    let wait = wait.max(asked.unwrap_or_default().min(LONGEST_WAIT));
    Some(now.plus(wait + wait * u32::from(chance) / (5 * 255)))
}

/// Whether later events of the game still wait after so many attempts.
pub(super) fn holds_the_line(attempts: i64) -> bool {
    attempts < TRIES_IN_LINE
}

/// What a `Retry-After` header asks for: seconds, or a time.
pub(super) fn asked(header: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(seconds) = header.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = OffsetDateTime::parse(header.trim(), &Rfc2822).ok()?.unix_timestamp().checked_mul(1_000_000)?;
    Some(Duration::from_micros(u64::try_from(at.checked_sub(now.0)?).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: Timestamp = Timestamp(1_796_029_200_000_000);

    fn wait(attempts: i64, asked: Option<u64>, chance: u8) -> Option<u64> {
        let at = next(NOW, attempts, asked.map(Duration::from_secs), chance)?;
        Some(u64::try_from(at.0 - NOW.0).unwrap() / 1_000_000)
    }

    #[test]
    fn ten_attempts_are_spread_over_three_days() {
        let waits: Vec<u64> = (1..).map_while(|attempts| wait(attempts, None, 0)).collect();
        assert_eq!(waits, [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
        let longest: u64 = (1..).map_while(|attempts| wait(attempts, None, u8::MAX)).sum();
        assert!(Duration::from_secs(longest) < PATIENCE);
        assert_eq!((wait(0, None, 0), wait(-1, None, 0), wait(i64::MAX, None, 0)), (None, None, None));
    }

    #[test]
    fn a_receiver_may_ask_for_more_time_but_not_for_less() {
        assert_eq!(wait(1, Some(60), 0), Some(60));
        assert_eq!(wait(2, Some(60), 0), Some(300));
        assert_eq!(wait(1, Some(u64::MAX), 0), Some(86_400));
    }

    #[test]
    fn a_line_is_held_for_three_attempts() {
        assert_eq!([0, 1, 2, 3, 4].map(holds_the_line), [true, true, true, false, false]);
    }

    #[test]
    fn retry_after_is_read_in_both_forms() {
        let seconds = |text| asked(text, NOW).map(|wait| wait.as_secs());
        assert_eq!((seconds("120"), seconds(" 0 ")), (Some(120), Some(0)));
        assert_eq!(seconds("Mon, 30 Nov 2026 09:01:00 GMT"), Some(60));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(0));
        for bad in ["", "-1", "soon", "1.5", "2026-11-30T09:00:00Z"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn chance_adds_a_fifth_at_most(attempts in 1_i64..10, asked: Option<u64>, chance: u8) {
            let plain = wait(attempts, asked, 0).unwrap();
            let spread = wait(attempts, asked, chance).unwrap();
            prop_assert!(plain <= spread && spread <= plain + plain / 5);
        }
    }
}
