"""Says what of a document would break a client made from an older one; docs/API-EVOLUTION.md is the policy.

    breaking.py OLD NEW        exits 1 when something would
    breaking.py --prove DOC    breaks DOC in every way it knows of, and fails where that is not noticed
"""

import copy
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]
METHODS = ("get", "put", "post", "delete", "patch", "head", "options", "trace")
# Keyword, and whether a greater limit lets more through.
LIMITS = {
    "minimum": False, "exclusiveMinimum": False, "minLength": False, "minItems": False, "minProperties": False,
    "maximum": True, "exclusiveMaximum": True, "maxLength": True, "maxItems": True, "maxProperties": True,
}  # fmt: skip
# The members that list words and forms, and what names an entry.
WORDS = {"x-values": ("rules", "value"), "x-moves": ("rules", "phase", "pattern")}


class Comparison:
    """Two documents, and which of their schemas are sent and which are answered."""

    def __init__(self, old: Json, new: Json) -> None:
        self.old, self.new = old, new
        self.sent, self.answered = self.reached(True), self.reached(False)

    def reached(self, sent: bool) -> set[str]:
        found: set[str] = set()
        for _, _, operation in operations(self.old):
            parts = [operation.get("requestBody", {})] if sent else list(operation["responses"].values())
            waiting = list(references(parts))
            while waiting:
                name = waiting.pop()
                if name not in found:
                    found.add(name)
                    waiting.extend(references(self.old["components"]["schemas"].get(name, {})))
        return found

    def breaks(self) -> Iterator[str]:
        there = {(path, method): operation for path, method, operation in operations(self.new)}
        for path, method, before in operations(self.old):
            name = f"{method.upper()} {path}"
            if now := there.get((path, method)):
                yield from (f"{name}: {change}" for change in self.operation(before, now))
            else:
                yield f"{name}: it is gone"
        now_schemas = self.new["components"]["schemas"]
        for name, before in self.old["components"]["schemas"].items():
            if now := now_schemas.get(name):
                sent, answered = name in self.sent, name in self.answered
                yield from (f"{name}{change}" for change in self.schema(before, now, sent, answered))
            else:
                yield f"{name}: the schema is gone"

    def resolve(self, document: Json, part: Json) -> Json:
        reference = part.get("$ref")
        if reference is None:
            return part
        for step in reference.removeprefix("#/").split("/"):
            document = document[step]
        return document

    def operation(self, before: Json, now: Json) -> Iterator[str]:
        for what in ("operationId", "tags"):
            if before.get(what) != now.get(what):
                yield f"{what} was {before.get(what)}, is {now.get(what)}"
        if {} in before.get("security", [{}]) and {} not in now.get("security", [{}]):
            yield "it needs a credential now"
        yield from self.parameters(before, now)
        yield from self.body(before.get("requestBody"), now.get("requestBody"))
        for status, answer in before["responses"].items():
            if status not in now["responses"]:
                yield f"{status} is gone"
            else:
                yield from (f"{status}: {change}" for change in self.answer(answer, now["responses"][status]))
        for status in now["responses"].keys() - before["responses"].keys():
            if status[0] in "23":
                yield f"{status} is a new way to succeed"

    def parameters(self, before: Json, now: Json) -> Iterator[str]:
        def by_name(operation: Json) -> dict[tuple[str, str], Json]:
            return {(one["in"], one["name"]): one for one in operation.get("parameters", [])}

        old, new = by_name(before), by_name(now)
        for key in old:
            name = f"{key[0]} parameter {key[1]}"
            if key not in new:
                yield f"{name} is gone"
                continue
            if new[key].get("required") and not old[key].get("required"):
                yield f"{name} is needed now"
            changes = self.schema(old[key]["schema"], new[key]["schema"], True, False)
            yield from (f"{name}{change}" for change in changes)
        for key in new.keys() - old.keys():
            if new[key].get("required"):
                yield f"{key[0]} parameter {key[1]} is new and needed"

    def body(self, before: Json | None, now: Json | None) -> Iterator[str]:
        if before is None or now is None:
            if now and now.get("required"):
                yield "a body is needed now"
            if before:
                yield "it takes no body now"
            return
        if now.get("required") and not before.get("required"):
            yield "the body is needed now"
        for media, content in before["content"].items():
            if media not in now["content"]:
                yield f"it takes no {media} now"
            else:
                changes = self.schema(content["schema"], now["content"][media]["schema"], True, False)
                yield from (f"body{change}" for change in changes)

    def answer(self, before: Json, now: Json) -> Iterator[str]:
        for media, content in before.get("content", {}).items():
            if media not in now.get("content", {}):
                yield f"{media} is gone"
            else:
                changes = self.schema(content["schema"], now["content"][media]["schema"], False, True)
                yield from (f"body{change}" for change in changes)
        for name, header in before.get("headers", {}).items():
            header = self.resolve(self.old, header)
            other = self.resolve(self.new, now.get("headers", {}).get(name, {}))
            if not other:
                yield f"header {name} is gone"
            elif header.get("required") and not other.get("required"):
                yield f"header {name} may be absent now"
        for code in set(before.get("x-problem-codes", [])) - set(now.get("x-problem-codes", [])):
            yield f"problem code {code} is gone"

    def schema(self, before: Json, now: Json, sent: bool, answered: bool) -> Iterator[str]:
        for what in ("$ref", "type", "format", "pattern", "const"):
            if before.get(what) != now.get(what):
                yield f": {what} was {before.get(what)}, is {now.get(what)}"
        if before.get("enum") != now.get("enum"):
            yield f": its closed set was {before.get('enum')}, is {now.get('enum')}"
        for limit, greater_is_wider in LIMITS.items():
            yield from self.limit(limit, greater_is_wider, before.get(limit), now.get(limit), sent, answered)
        closed = now.get("additionalProperties") is False
        if sent and closed and before.get("additionalProperties") is not False:
            yield ": it takes no further members now"
        for member, names in WORDS.items():

            def words(schema: Json) -> set[tuple[Any, ...]]:
                return {tuple(entry.get(name) for name in names) for entry in schema.get(member, [])}

            for word in words(before) - words(now):
                yield f": {' '.join(filter(None, word))} is gone"
        old_needs, new_needs = set(before.get("required", [])), set(now.get("required", []))
        for name in sorted(new_needs - old_needs) if sent else []:
            yield f".{name}: it is needed now"
        for name in sorted(old_needs - new_needs) if answered else []:
            yield f".{name}: it may be absent now"
        old, new = before.get("properties", {}), now.get("properties", {})
        for name in old:
            if name not in new:
                yield f".{name}: it is gone"
            else:
                changes = self.schema(old[name], new[name], sent, answered)
                yield from (f".{name}{change}" for change in changes)
        if "items" in before and "items" in now:
            yield from (f"[]{change}" for change in self.schema(before["items"], now["items"], sent, answered))

    def limit(
        self, name: str, greater_is_wider: bool, before: Any, now: Any, sent: bool, answered: bool
    ) -> Iterator[str]:
        if before == now:
            return
        if before is None or now is None:
            wider = now is None
        else:
            wider = (now > before) == greater_is_wider
        if (sent and not wider) or (answered and wider):
            yield f": {name} was {before}, is {now}"


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item[method]


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(name := part.get("$ref"), str) and name.startswith("#/components/schemas/"):
            yield name.rsplit("/", 1)[1]
        for value in part.values():
            yield from references(value)
    elif isinstance(part, list):
        for value in part:
            yield from references(value)


def prove(document: Json) -> Iterator[str]:
    """Every break that is not noticed, and every change that is taken for one."""

    def operation(changed: Json) -> Json:
        return changed["paths"]["/games/{id}/moves"]["post"]

    def listing(changed: Json) -> list[Json]:
        return changed["paths"]["/games"]["get"]["parameters"]

    def schemas(changed: Json) -> Json:
        return changed["components"]["schemas"]

    new = {"name": "new", "in": "query", "schema": {"type": "string"}}
    breaks: dict[str, Callable[[Json], object]] = {
        "an operation": lambda it: it["paths"].pop("/games/{id}/abort"),
        "an operation's id": lambda it: operation(it).update(operationId="play"),
        "an operation's tag": lambda it: operation(it).update(tags=["moves"]),
        "a credential": lambda it: operation(it).update(security=[{"bearer": []}]),
        "a parameter": lambda it: listing(it).pop(),
        "a new parameter": lambda it: listing(it).append({**new, "required": True}),
        "a needed parameter": lambda it: listing(it)[0].update(required=True),
        "a parameter's limit": lambda it: listing(it)[0]["schema"].update(maxLength=1),
        "a needed body": lambda it: it["paths"]["/games/{id}/abort"]["post"]["requestBody"].update(required=True),
        "a body's schema": lambda it: operation(it)["requestBody"]["content"]["application/json"].update(schema={}),
        "a status": lambda it: operation(it)["responses"].pop("409"),
        "a new success": lambda it: operation(it)["responses"].update({"202": {"description": ""}}),
        "a media type": lambda it: operation(it)["responses"]["201"].pop("content"),
        "a header": lambda it: operation(it)["responses"]["201"]["headers"].pop("ETag"),
        "a header at times": lambda it: it["components"]["headers"]["Location"].update(required=False),
        "a code of an operation": lambda it: operation(it)["responses"]["409"]["x-problem-codes"].pop(),
        "a schema": lambda it: schemas(it).update(Match=schemas(it).pop("Game")),
        "a member": lambda it: schemas(it)["Game"]["properties"].pop("tags"),
        "a member's type": lambda it: schemas(it)["Game"]["properties"]["version"].update(type="string"),
        "a needed member": lambda it: schemas(it)["NewGame"]["required"].append("tags"),
        "an absent member": lambda it: schemas(it)["Game"]["required"].remove("tags"),
        "a narrower request": lambda it: schemas(it)["NewMove"]["properties"]["move"].update(maxLength=1),
        "a wider answer": lambda it: schemas(it)["Game"]["properties"]["tags"].pop("maxItems"),
        "a closed set": lambda it: schemas(it)["Seat"]["enum"].append("up"),
        "a word": lambda it: schemas(it)["Event"]["properties"]["type"]["x-values"].pop(),
        "a move's form": lambda it: schemas(it)["NewMove"]["properties"]["move"]["x-moves"].pop(),
    }
    allowed: dict[str, Callable[[Json], object]] = {
        "nothing": lambda it: None,
        "another operation": lambda it: it["paths"].update({"/new": it["paths"]["/rules"]}),
        "another parameter": lambda it: listing(it).append(new),
        "another failure": lambda it: operation(it)["responses"].update({"410": {"description": ""}}),
        "another header": lambda it: operation(it)["responses"]["201"]["headers"].update(New={}),
        "another member": lambda it: schemas(it)["Game"]["properties"].update(new={"type": "string"}),
        "another member to send": lambda it: schemas(it)["NewGame"]["properties"].update(new={"type": "string"}),
        "another word": lambda it: schemas(it)["Event"]["properties"]["type"]["x-values"].append({"value": "x"}),
        "a wider request": lambda it: schemas(it)["NewMove"]["properties"]["move"].update(maxLength=99),
        "other prose": lambda it: operation(it).update(description="Other."),
    }
    for changes, expected in ((breaks, True), (allowed, False)):
        for name, change in changes.items():
            changed = copy.deepcopy(document)
            change(changed)
            found = list(Comparison(document, changed).breaks())
            if bool(found) != expected:
                yield f"{name}: {found or 'nothing'} was noticed"


def main(arguments: list[str]) -> int:
    documents = [json.loads(Path(name).read_text()) for name in arguments if name != "--prove"]
    if arguments[0] == "--prove":
        faults = list(prove(*documents))
    else:
        faults = list(Comparison(*documents).breaks())
    print("\n".join(faults), end="\n" if faults else "")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
