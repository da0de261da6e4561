//! Whole games on the command line: between databases and files, without a service.

use crate::app::on_both_databases;
use crate::binary::Place;
use kauri::games::sample;
use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;

/// So many records, one a line.
fn records(count: u32) -> Vec<Value> {
    let record = |number| {
        let mut record = json!(sample::record());
        record["id"] = json!(format!("01937a5e-0000-7000-8000-{number:012}"));
        record["external_ref"] = json!(format!("match {number}"));
        record
    };
    (0..count).map(record).collect()
}

fn text(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect::<Vec<_>>().concat()
}

/// The lines, without cursors, which are each database's own.
fn bare(lines: &str) -> Vec<Value> {
    let line = |line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line.as_object_mut().unwrap().remove("cursor");
        line
    };
    lines.lines().map(line).collect()
}

on_both_databases! {
    async fn what_is_exported_is_imported_elsewhere(place: Place) {
        let records = records(3);
        fs::write(place.path().join("in.ndjson"), text(&records)).unwrap();
        assert_eq!(place.done(&["import", "in.ndjson"]), "imported 3, present 0, refused 0\n");
        assert_eq!(place.done(&["import", "in.ndjson"]), "imported 0, present 3, refused 0\n");
        assert_eq!(place.done(&["export", "out.ndjson", "--order", "oldest"]), "");
        let written = fs::read_to_string(place.path().join("out.ndjson")).unwrap();
        let (end, games) = { let mut lines = bare(&written); (lines.pop().unwrap(), lines) };
        assert_eq!((games, end), (records, json!({"end": true, "count": 3})));
        assert_eq!(place.done(&["export", "--order", "oldest"]), written, "and to standard output");
        let cursor = written.lines().nth(1).unwrap().split("\"cursor\":\"").nth(1).unwrap().split('"').next().unwrap();
        let rest = place.done(&["export", "-", "--order", "oldest", "--cursor", cursor]);
        assert_eq!(bare(&rest).len(), 2);
        let one = place.done(&["export", "--external-ref", "match 1", "--player", "p-17", "--seat", "south"]);
        assert_eq!(bare(&one).len(), 2);
        let elsewhere = Place::bare();
        fs::write(elsewhere.path().join("in.ndjson"), written.clone()).unwrap();
        assert_eq!(elsewhere.done(&["import", "in.ndjson"]), "imported 3, present 0, refused 0\n");
        assert_eq!(bare(&elsewhere.done(&["export", "--order", "oldest"])), bare(&written));
    }

    async fn records_that_are_refused_are_named_and_the_others_taken(place: Place) {
        let mut records = records(3);
        records[1]["moves"][0]["move"] = json!("A");
        let input = format!("{}\n{{\n", text(&records));
        fs::write(place.path().join("in.ndjson"), &input).unwrap();
        let mut command = place.kauri(&["import"]);
        command.stdin(Stdio::from(fs::File::open(place.path().join("in.ndjson")).unwrap()));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "imported 2, present 0, refused 2\n");
        let error = String::from_utf8(output.stderr).unwrap();
        let lines: Vec<&str> = error.lines().collect();
        assert_eq!(lines[0], "line 2: invalid_record: /moves/0/move A move empties one of the mover's own pits. (K3)");
        assert!(lines[1].starts_with("line 5: malformed_body: "), "{error}");
        assert_eq!(lines[2..], ["kauri: 2 of 4 records were refused"]);
    }

    async fn what_can_not_be_done_is_told_in_a_line(place: Place) {
        place.run(&["export", "--portal", "nobody"]).refused("there is no portal of this name");
        place.run(&["import", "--portal", "nobody"]).refused("there is no portal of this name");
        place.run(&["import", "none.ndjson"]).refused("none.ndjson: No such file");
        place.run(&["export", "no/such/place"]).refused("no/such/place: No such file");
        place.run(&["export", "--rules", "chess"]).refused("--rules One of kauri, ashta-kashte.");
        place.run(&["export", "--created-after", "today"]).refused("--created-after A time in RFC 3339");
        place.run(&["export", "--seat", "south"]).refused("--seat This is asked about a player");
        place.run(&["export", "--cursor", "00"]).refused("--cursor This is no cursor");
    }
}
