//! A line of JSON as the state, every further line as a move: whatever it is, nothing panics, and what is
//! answered is a state that can be.

#![no_main]

use kauri_rules::{RulesId, State};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut lines = text.lines();
    let Some(state) = lines.next().and_then(|line| serde_json::from_str::<State>(line).ok()) else { return };
    let names: Vec<&str> = lines.collect();
    for id in RulesId::ALL {
        let rules = id.rules();
        match rules.view(&state) {
            Err(invalid) => assert!(!invalid.0.is_empty()),
            Ok(view) => assert_eq!(rules.view(&view.state), Ok(view)),
        }
        if let Some(name) = names.first()
            && let Ok((_, view)) = rules.apply(&state, name)
        {
            assert_eq!(rules.view(&view.state), Ok(view));
        }
        if let Ok(Ok(view)) = rules.replay(&state, &mut names.iter().copied(), &mut |_| ()) {
            assert_eq!(rules.view(&view.state), Ok(view));
        }
    }
});
