//! Where an answer leads: what of it is sent to which operation next.

use serde_json::{Value, json};

/// Operation, statuses, and what follows.
type Links = (&'static str, &'static [&'static str], &'static [Link]);

/// One thing that can be done next.
struct Link {
    name: &'static str,
    operation: &'static str,
    about: &'static str,
    parameters: &'static [(&'static str, &'static str)],
    body: &'static [(&'static str, &'static str)],
}

const fn link(
    name: &'static str,
    operation: &'static str,
    about: &'static str,
    parameters: &'static [(&'static str, &'static str)],
    body: &'static [(&'static str, &'static str)],
) -> Link {
    Link { name, operation, about, parameters, body }
}

const ITSELF: &[(&str, &str)] = &[("id", "$response.body#/id")];
const SAME_GAME: &[(&str, &str)] = &[("id", "$request.path.id")];
const SAME_RULES: &[(&str, &str)] = &[("rules", "$request.path.rules")];
const FIRST_MOVE: &[(&str, &str)] =
    &[("move", "$response.body#/position/legal_moves/0"), ("expected_version", "$response.body#/version")];

const OF_A_GAME: &[Link] = &[
    link("read", "get_game", "The game, later.", ITSELF, &[]),
    link("move", "post_move", "The first legal move.", ITSELF, FIRST_MOVE),
    link("log", "list_moves", "Its log.", ITSELF, &[]),
    link("start", "get_position", "Its start.", &[("id", "$response.body#/id"), ("ply", "0")], &[]),
    link(
        "resign",
        "resign_game",
        "A resignation.",
        ITSELF,
        &[("expected_version", "$response.body#/version")],
    ),
    link("abort", "abort_game", "Its end before it has begun.", ITSELF, &[]),
];

const OF_A_STEP: &[Link] = &[
    link("next", "post_move", "The first move that is legal now.", SAME_GAME, FIRST_MOVE),
    link(
        "step",
        "get_move",
        "The step, later.",
        &[("id", "$request.path.id"), ("ply", "$response.body#/step/ply")],
        &[],
    ),
    link(
        "position",
        "get_position",
        "The position after it, later.",
        &[("id", "$request.path.id"), ("ply", "$response.body#/step/ply")],
        &[],
    ),
    link("game", "get_game", "The game.", SAME_GAME, &[]),
    link("log", "list_moves", "The log up to it.", SAME_GAME, &[]),
];

const OF_A_WEBHOOK: &[Link] = &[
    link("read", "get_webhook", "The endpoint, later.", ITSELF, &[]),
    link("change", "change_webhook", "The endpoint, changed.", ITSELF, &[]),
    link("secret", "rotate_webhook_secret", "A new secret.", ITSELF, &[]),
    link("test", "test_webhook", "A test.", ITSELF, &[]),
    link("deliveries", "list_deliveries", "What was delivered.", ITSELF, &[]),
    link("delete", "delete_webhook", "Its end.", ITSELF, &[]),
];

const OF_A_POSITION: &[Link] = &[
    link("moves", "legal_moves", "What is legal.", SAME_RULES, &[("state", "$response.body#/state")]),
    link(
        "apply",
        "apply_move",
        "The first legal move.",
        SAME_RULES,
        &[("state", "$response.body#/state"), ("move", "$response.body#/legal_moves/0")],
    ),
    link(
        "validate",
        "validate_move",
        "Whether the first legal move is.",
        SAME_RULES,
        &[("state", "$response.body#/state"), ("move", "$response.body#/legal_moves/0")],
    ),
];

const LINKS: &[Links] = &[
    ("create_game", &["200", "201"], OF_A_GAME),
    ("get_game", &["200"], OF_A_GAME),
    ("post_move", &["200", "201"], OF_A_STEP),
    (
        "list_games",
        &["200"],
        &[
            link("first", "get_game", "The first game.", &[("id", "$response.body#/items/0/id")], &[]),
            link(
                "player",
                "list_players_games",
                "The games of who sits first in the first game.",
                &[("player", "$response.body#/items/0/seats/0/player")],
                &[],
            ),
            link(
                "figures",
                "get_player_stats",
                "The figures of who sits first in the first game.",
                &[("player", "$response.body#/items/0/seats/0/player")],
                &[],
            ),
        ],
    ),
    (
        "list_moves",
        &["200"],
        &[
            link(
                "next",
                "list_moves",
                "The page that follows.",
                &[("id", "$request.path.id"), ("after", "$response.body#/next")],
                &[],
            ),
            link(
                "first",
                "get_move",
                "The first step.",
                &[("id", "$request.path.id"), ("ply", "$response.body#/items/0/ply")],
                &[],
            ),
        ],
    ),
    ("initial_position", &["200"], OF_A_POSITION),
    ("legal_moves", &["200"], OF_A_POSITION),
    ("apply_move", &["200"], OF_A_POSITION),
    (
        "list_rules",
        &["200"],
        &[
            link("first", "get_rules", "The first game.", &[("rules", "$response.body#/rules/0/rules")], &[]),
            link(
                "start",
                "initial_position",
                "The start of the first game.",
                &[("rules", "$response.body#/rules/0/rules")],
                &[],
            ),
        ],
    ),
    ("create_webhook", &["201"], OF_A_WEBHOOK),
    ("get_webhook", &["200"], OF_A_WEBHOOK),
    (
        "list_webhooks",
        &["200"],
        &[link("first", "get_webhook", "The first endpoint.", &[("id", "$response.body#/items/0/id")], &[])],
    ),
    (
        "list_deliveries",
        &["200"],
        &[
            link(
                "next",
                "list_deliveries",
                "The page that follows.",
                &[("id", "$request.path.id"), ("cursor", "$response.body#/next")],
                &[],
            ),
            link(
                "again",
                "redeliver",
                "The newest delivery again.",
                &[("id", "$request.path.id"), ("delivery", "$response.body#/items/0/id")],
                &[],
            ),
        ],
    ),
    (
        "list_problems",
        &["200"],
        &[link(
            "first",
            "get_problem",
            "The first code.",
            &[("code", "$response.body#/problems/0/code")],
            &[],
        )],
    ),
];

/// Adds the links to the answers.
pub(super) fn tie(document: &mut Value) {
    let operations = document["paths"].as_object_mut().into_iter().flatten();
    for (_, operation) in operations.flat_map(|(_, item)| item.as_object_mut().into_iter().flatten()) {
        let of = |(name, ..): &&Links| operation["operationId"] == *name;
        let Some((_, statuses, links)) = LINKS.iter().find(of) else { continue };
        for status in *statuses {
            operation["responses"][status]["links"] = links.iter().map(described).collect();
        }
    }
}

fn described(link: &Link) -> (String, Value) {
    let object = |members: &[(&str, &str)]| -> Value {
        members.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect()
    };
    let mut described = json!({
        "operationId": link.operation,
        "description": link.about,
        "parameters": object(link.parameters),
    });
    if !link.body.is_empty() {
        described["requestBody"] = object(link.body);
    }
    (link.name.to_owned(), described)
}
