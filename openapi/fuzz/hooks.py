"""Values of the formats that the documents name and no standard knows."""

import itertools
import string

import schemathesis
from hypothesis import strategies as st

QUOTED = string.ascii_letters + string.digits + "!#$%&'()*+-./:;<=>?@[]^_`{|}~"
PRINTABLE = QUOTED + '", \\'

TAG = st.one_of(
    st.integers(0, 20).map(lambda version: f'"v{version}"'),
    st.text(QUOTED, max_size=12).map(lambda text: f'"{text}"'),
)
WEAK = st.tuples(st.sampled_from(["", "W/"]), TAG).map("".join)
TAGS = st.one_of(st.just("*"), st.lists(WEAK, min_size=1, max_size=3).map(", ".join))

schemathesis.openapi.format("entity-tags", TAGS)
schemathesis.openapi.format("game-id", st.uuids().map(str))
schemathesis.openapi.format("webhook-id", st.uuids().map(str))
# Names of .example stand for no address, so that nobody is posted to.
schemathesis.openapi.format(
    "webhook-url",
    st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=20).map("https://{0}.example/{0}".format),
)
# A header's value begins and ends with no space.
schemathesis.openapi.format(
    "printable-ascii", st.text(PRINTABLE, min_size=1, max_size=255).map(str.strip).filter(bool)
)
# The number of an event of a game, or the place of one among a portal's.
schemathesis.openapi.format("event-id", st.one_of(st.integers(0, 3).map(str), st.just("0.0")))

EVENT = {
    "type": "object",
    "required": ["event", "id", "data"],
    "properties": {
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"$ref": "#/components/schemas/GameEvent"},
        },
    },
}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Has every server-sent event held against what the document says in prose: its data is a GameEvent."""
    for item in raw_schema["paths"].values():
        for operation in item.values():
            content = operation["responses"].get("200", {}).get("content", {})
            if "text/event-stream" in content:
                content["text/event-stream"]["schema"] = EVENT


COUNT = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Has an answer come at once that would wait for what never happens here, or go on for ever.

    And has each endpoint of webhooks made under a key of its own: the answer that is kept under a key is given again
    also when the endpoint has been deleted since, which is no resource that can't be found.
    """
    key = (case.headers or {}).get("Idempotency-Key")
    if case.operation.path == "/webhooks" and key and key.isascii() and key.isprintable() and len(key) < 200:
        case.headers["Idempotency-Key"] = f"{key} {next(COUNT)}"
    streams = case.operation.path in ("/events", "/games/{id}/events")
    query = case.query or {}
    waits = case.operation.path == "/games/{id}" and "wait_version" in query
    valid = str(query.get("timeout", "")).isdecimal() and 0 <= int(query["timeout"]) <= (86_400 if streams else 60)
    if (streams or waits) and ("timeout" not in query or valid):
        case.query = {**query, "timeout": 0}
