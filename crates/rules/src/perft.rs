//! Counts paths, to check rules against other programs and to time them.

use crate::{Position, Turn};

/// The number of paths of that many whole turns; a path ends early where the game does.
///
/// A throw and the move made with it are one turn, and a forced pass belongs to the step that caused it.
/// Every throw counts once, whatever its weight.
///
/// ```
/// use kauri_rules::{Kauri, Options, Position, perft};
///
/// let start = Kauri::initial(None, &Options::default())?;
/// assert_eq!(perft(&start, 3), 191);
/// # Ok::<(), kauri_rules::InvalidOptions>(())
/// ```
pub fn perft<P: Position>(position: &P, turns: u32) -> u64 {
    let steps = position.legal_steps();
    if turns == 0 || steps.len() == 0 {
        return 1;
    }
    steps
        .map(|step| {
            let mut next = *position;
            next.play_unchecked(step, |_| ());
            let to_be_moved = P::weight(step) > 0 && matches!(next.turn(), Turn::Move(_));
            perft(&next, if to_be_moved { turns } else { turns - 1 })
        })
        .sum()
}
