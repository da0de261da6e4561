//! Puts what a parser complains about into words that repeat nothing of the input.

use super::strict;
use crate::problem::{Code, Problem};
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_path_to_error::{Path, Segment};

/// Longest name of an unknown member that a pointer repeats.
const MAX_NAME: usize = 40;

/// What is wrong with a body known not to be a `T`.
pub(super) fn of_body<T: DeserializeOwned>(text: &str) -> Problem {
    let mut json = serde_json::Deserializer::from_str(text);
    let Err(error) = serde_path_to_error::deserialize::<_, T>(strict::Objects(&mut json)) else {
        return malformed("Something follows the JSON document", json.end().err().as_ref());
    };
    let out_of_range = error.inner().to_string().starts_with("number out of range");
    match error.inner().classify() {
        Category::Data => invalid(Code::InvalidBody, error.path(), &error.inner().to_string()),
        _ if out_of_range => invalid(Code::InvalidBody, error.path(), "number out of range"),
        Category::Eof => malformed("The body ends too early", Some(error.inner())),
        _ if error.inner().to_string().starts_with("recursion limit") => {
            malformed("The body is nested too deeply", Some(error.inner()))
        }
        _ => malformed("The body is not JSON", Some(error.inner())),
    }
}

fn malformed(what: &str, error: Option<&serde_json::Error>) -> Problem {
    let (line, column) = error.map_or((1, 0), |error| (error.line(), error.column()));
    Problem::new(Code::MalformedBody).detail(format!("{what}, at line {line}, column {column}."))
}

/// What is wrong with a member or parameter.
pub(super) fn invalid(code: Code, path: &Path, message: &str) -> Problem {
    let mut pointer = pointer(path);
    if let Some(name) = named(message) {
        let step = format!("/{name}");
        if safe(name) && !pointer.ends_with(&step) {
            pointer.push_str(&step);
        }
    }
    let (word, text) = reword(message);
    Problem::new(code).error(pointer, word, text)
}

/// The path as a JSON pointer, up to where a name stands that may not be repeated.
fn pointer(path: &Path) -> String {
    let step = |segment: &Segment| match segment {
        Segment::Seq { index } => Some(format!("/{index}")),
        Segment::Map { key } if safe(key) => Some(format!("/{key}")),
        _ => None,
    };
    path.iter().map_while(step).collect()
}

/// Whether a name may be repeated, though a caller may have made it up.
fn safe(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The member that a message names between backticks.
fn named(message: &str) -> Option<&str> {
    let named = ["unknown field `", "missing field `", "duplicate field `"];
    named.iter().find_map(|start| message.strip_prefix(start))?.split('`').next()
}

/// A stable word and a sentence for a parser's message.
fn reword(message: &str) -> (&'static str, String) {
    // What was expected is this program's own text, and comes last.
    let expected = message.rsplit_once(", expected ").map(|(_, expected)| needed(expected));
    let kinds = [
        ("unknown field", "unknown_member", Some("There is no such member here.")),
        ("missing field", "missing_member", Some("This member is needed.")),
        ("duplicate field", "duplicate_member", Some("This member is there twice.")),
        ("number out of range", "out_of_range", Some("The number is out of range.")),
        ("invalid type", "wrong_type", None),
        ("invalid value", "out_of_range", None),
        ("invalid length", "wrong_length", None),
        ("unknown variant", "unknown_value", None),
    ];
    let kind = kinds.into_iter().find(|(start, ..)| message.starts_with(start));
    let (_, code, fixed) = kind.unwrap_or(("", "malformed", Some("The value is malformed.")));
    let text = fixed.map(str::to_owned).or(expected).unwrap_or_else(|| "The value does not fit.".to_owned());
    (code, text)
}

/// The sentence for what a parser expected.
fn needed(expected: &str) -> String {
    let expected = expected.split(" at line ").next().unwrap_or(expected);
    let what = match expected {
        "u8" => "A whole number from 0 to 255",
        "u16" => "A whole number from 0 to 65535",
        "u32" | "u64" | "usize" => "A whole number, 0 or greater,",
        "i8" | "i16" | "i32" | "i64" => "A whole number",
        "a sequence" => "An array",
        "a string" | "a borrowed string" | "string or map" => "A string",
        "a boolean" => "A boolean",
        _ if expected.starts_with("struct ") || expected == "a map" => "An object",
        _ if expected.contains('`') => return format!("{} is needed.", choices(expected)),
        _ if expected.starts_with("an array of length ") => {
            return format!("{} is needed.", capital(expected));
        }
        _ => return "The value does not fit.".to_owned(),
    };
    format!("{what} is needed.")
}

/// The names of an enum, as serde lists them in backticks.
fn choices(expected: &str) -> String {
    let names: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    format!("One of {}", names.join(", "))
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(characters).collect()
}
