//! What is written for people is true: the tour of the README is taken as printed, its tables are what the code
//! says, names of variables are real, and links between documents lead somewhere.

mod shown;
mod tables;

use crate::binary::{Place, Service};
use shown::Shown;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the README says the service is.
const ADDRESS: &str = "127.0.0.1:8080";
/// Printed between what two commands print.
const MARK: &str = "--- here ends what that printed ---";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A block of shell, and what is shown to come of it.
struct Stop {
    command: String,
    shown: Option<Shown>,
}

/// The fenced blocks of a text: language and content.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some((language.to_owned(), String::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some((_, content))) => {
                content.push_str(line);
                content.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

/// The section below a heading.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let (_, below) = text.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    below.split("\n## ").next().unwrap()
}

fn tour(readme: &str) -> Vec<Stop> {
    let mut stops: Vec<Stop> = Vec::new();
    for (language, content) in blocks(section(readme, "A tour")) {
        if language == "sh" {
            stops.push(Stop { command: content, shown: None });
            continue;
        }
        let stop = stops.last_mut().expect("something is shown before any command");
        assert!(stop.shown.is_none(), "two things are shown to come of\n{}", stop.command);
        stop.shown = Some(Shown::new(&language, &content));
    }
    stops
}

/// Runs every command in one shell, as its reader does; what each printed.
fn take(stops: &[Stop], place: &Place, service: &Service) -> Vec<String> {
    let end = format!("printf '%s' '{MARK}'");
    let lines: Vec<String> = stops.iter().flat_map(|stop| [stop.command.clone(), end.clone()]).collect();
    let script = lines.join("\n").replace(ADDRESS, &service.address.to_string());
    // A request that hangs shall fail the test, and a proxy shall not see it.
    fs::write(place.path().join(".curlrc"), "max-time = 60\nnoproxy = *\n").unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_kauri")).parent().unwrap();
    let path = std::env::join_paths(
        [binary.to_owned()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let output = Command::new("bash")
        .args(["-eu", "-o", "pipefail", "-c", &script])
        .current_dir(place.path())
        .env_clear()
        .env("HOME", place.path())
        .env("PATH", path.unwrap())
        .output()
        .expect("bash is there");
    let printed = String::from_utf8(output.stdout).unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.is_empty(), "the tour breaks off: {error}\n{printed}");
    let mut printed: Vec<String> = printed.split(MARK).map(str::to_owned).collect();
    assert_eq!(printed.pop().as_deref(), Some(""));
    printed
}

#[test]
fn the_tour_works_as_printed() {
    let stops = tour(&read("README.md"));
    assert!(stops.len() > 15, "only {} commands were found", stops.len());
    // The default database, in the folder that the commands are run in.
    let place = Place::bare();
    let service = place.serve();
    let printed = take(&stops, &place, &service);
    assert_eq!(printed.len(), stops.len());
    for (stop, printed) in stops.iter().zip(&printed) {
        let fits = match &stop.shown {
            Some(shown) => shown.fits(printed),
            None if printed.is_empty() => Ok(()),
            None => Err("it prints something, and the README shows nothing".to_owned()),
        };
        fits.unwrap_or_else(|why| panic!("{why}\nof\n{}\nwhich printed\n{printed}", stop.command));
    }
    let log = service.stop();
    assert!(!log.contains("kauri_pk_") && !log.contains("kauri_st_"), "{log}");
}

#[test]
fn the_tables_are_what_the_code_says() {
    let readme = read("README.md");
    for (name, table) in [("configuration", tables::configuration()), ("commands", tables::commands())] {
        let (begin, end) = (
            format!("<!-- {name}: compared with the code by a test -->\n"),
            format!("<!-- end of {name} -->"),
        );
        let (_, rest) = readme.split_once(&begin).unwrap_or_else(|| panic!("no {begin}"));
        let (written, _) = rest.split_once(&end).unwrap_or_else(|| panic!("no {end}"));
        assert!(written.trim() == table.trim(), "the README must have this table of {name}:\n\n{table}");
    }
}

/// Every document for people.
const DOCUMENTS: [&str; 5] =
    ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/ARCHITECTURE.md", "docs/OPERATIONS.md"];

#[test]
fn every_variable_that_is_named_exists() {
    let known = tables::variables();
    for file in DOCUMENTS.into_iter().chain(["Dockerfile"]) {
        let text = read(file);
        let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
        for word in words.filter(|word| word.starts_with("KAURI_") || word.ends_with("DATABASE_URL")) {
            let of_the_tests = word.starts_with("KAURI_TEST_") || word.starts_with("KAURI_PG_");
            assert!(of_the_tests || known.iter().any(|known| known == word), "{file} names {word}");
        }
    }
}

#[test]
fn every_link_leads_somewhere() {
    for file in DOCUMENTS {
        let folder = root().join(file).parent().map(Path::to_owned).unwrap();
        let text = read(file);
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.starts_with("https://") {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path: PathBuf = if path.is_empty() { root().join(file) } else { folder.join(path) };
            assert!(path.exists(), "{file} links to {target}");
            let headings = || fs::read_to_string(&path).unwrap().lines().any(|line| heading(line) == anchor);
            assert!(anchor.is_empty() || headings(), "{file} links to {target}, which has no such heading");
        }
    }
}

/// What links to a heading's line; nothing for other lines.
fn heading(line: &str) -> String {
    let Some(text) = line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')) else {
        return "-".to_owned();
    };
    let kept = text.to_lowercase().replace(' ', "-");
    kept.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect()
}
