//! The schemas say what is read and written, in ways that generators of clients understand.

use kauri_rules::{Chance, Event, Options, Seat, State, catalogue};
use serde_json::{Map, Value, json};
use utoipa::{PartialSchema, ToSchema};

/// Every schema, by name.
fn schemas() -> Map<String, Value> {
    let mut found = Vec::new();
    State::schemas(&mut found);
    Options::schemas(&mut found);
    Event::schemas(&mut found);
    catalogue::Rules::schemas(&mut found);
    let own = [
        (State::name(), State::schema()),
        (Options::name(), Options::schema()),
        (Event::name(), Event::schema()),
        (Chance::name(), Chance::schema()),
        (catalogue::Rules::name(), catalogue::Rules::schema()),
    ];
    let named = own.into_iter().map(|(name, schema)| (name.into_owned(), schema));
    found
        .into_iter()
        .chain(named)
        .map(|(name, schema)| (name, serde_json::to_value(schema).unwrap()))
        .collect()
}

/// Every value in the document, with the way there.
fn visit(value: &Value, path: &str, seen: &mut impl FnMut(&Value, &str)) {
    seen(value, path);
    let inside = |key: &dyn std::fmt::Display| format!("{path}/{key}");
    for (key, value) in value.as_object().into_iter().flatten() {
        visit(value, &inside(key), seen);
    }
    for (at, value) in value.as_array().into_iter().flatten().enumerate() {
        visit(value, &inside(&at), seen);
    }
}

#[test]
fn names_are_distinct_and_told() {
    let names: Vec<_> = schemas().keys().cloned().collect();
    let expected = [
        "AshtaKashteOptions",
        "AshtaKashteSeat",
        "AshtaKashteSetup",
        "Chance",
        "Clause",
        "Event",
        "KauriPit",
        "KauriSetup",
        "KauriSide",
        "MoveForm",
        "Options",
        "Rules",
        "RulesOption",
        "RulesSeats",
        "RulesTerm",
        "Seat",
        "State",
        "ThrowForm",
    ];
    assert_eq!(names, expected);
}

#[test]
fn every_member_is_described_bounded_and_never_null() {
    for (name, schema) in schemas() {
        assert!(schema["description"].is_string(), "{name}");
        visit(&schema, &name, &mut |value, path| {
            assert!(value.get("type").is_none_or(|kind| !kind.is_array()), "{path} may be null: {value}");
            for word in ["oneOf", "anyOf", "prefixItems", "discriminator"] {
                assert!(value.get(word).is_none(), "{path} has {word}");
            }
            if value["type"] == "integer" {
                assert!(value["minimum"].is_number() && value["maximum"].is_number(), "{path}: {value}");
            }
            if value["type"] == "array" {
                assert!(value["maxItems"].is_number(), "{path}: {value}");
            }
            if let Some(properties) = value.get("properties").and_then(Value::as_object) {
                assert!(!properties.contains_key("d"), "{path}");
                assert_eq!(value["type"], "object");
                for (member, schema) in properties {
                    assert!(
                        schema["description"].is_string() || schema["$ref"].is_string(),
                        "{path}.{member}: {schema}"
                    );
                }
            }
        });
    }
}

#[test]
fn open_sets_are_plain_strings() {
    let schemas = schemas();
    assert_eq!(schemas["MoveForm"]["properties"]["phase"]["type"], "string");
    assert_eq!(schemas["Event"]["properties"]["type"]["type"], "string");
    assert_eq!(schemas["Seat"]["enum"], json!(["south", "west", "north", "east"]));
    assert_eq!(serde_json::to_value(Seat::schema()).unwrap(), schemas["Seat"]);
}

#[test]
fn requests_refuse_unknown_members() {
    let schemas = schemas();
    for name in
        ["State", "Options", "KauriSetup", "KauriSide", "KauriPit", "AshtaKashteSetup", "AshtaKashteSeat"]
    {
        assert_eq!(schemas[name]["additionalProperties"], false, "{name}");
    }
    assert_eq!(schemas["State"]["required"], json!(["rules", "to_move"]));
    assert_eq!(schemas["AshtaKashteSetup"]["required"], json!(["options", "seats"]));
    assert_eq!(schemas["KauriSide"]["properties"]["pits"]["maxItems"], 6);
    assert_eq!(schemas["Event"]["required"], json!(["type"]));
}
