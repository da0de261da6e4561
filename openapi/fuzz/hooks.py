"""Values of the formats that the documents name and no standard knows."""

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
# A header's value begins and ends with no space.
schemathesis.openapi.format(
    "printable-ascii", st.text(PRINTABLE, min_size=1, max_size=255).map(str.strip).filter(bool)
)
