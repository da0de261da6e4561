"""Checks that the snippets of docs/CLIENTS.md are those of the programs that CI runs; --write puts them there.

In a program a snippet stands between lines that say `snippet:` and `end` in a comment. In the page it is the code
after a line `<!-- clients/FOLDER/FILE -->`.
"""

import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "CLIENTS.md"
PLACE = re.compile(r"(<!-- (clients/\S+) -->\n```\w+\n)(.*?)(```\n)", re.DOTALL)
SNIPPET = re.compile(r"^[ ]*(?:#|//) snippet:\n(.*?)^[ ]*(?:#|//) end\n", re.DOTALL | re.MULTILINE)


def snippet(program: str) -> str:
    (code,) = SNIPPET.findall((ROOT / program).read_text())
    return textwrap.dedent(code)


def main() -> None:
    page = PAGE.read_text()
    current = PLACE.sub(lambda place: place[1] + snippet(place[2]) + place[4], page)
    shown = {place[2] for place in PLACE.finditer(page)}
    programs = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "clients").glob("*/**/*.*")
        if path.suffix in {".ts", ".py", ".java", ".rs"} and SNIPPET.search(path.read_text())
    }
    if missing := programs - shown:
        sys.exit(f"docs/CLIENTS.md does not show the snippets of {', '.join(sorted(missing))}")
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(current)
    elif current != page:
        sys.exit("docs/CLIENTS.md does not show what the programs do: run scripts/clients --write-docs")


main()
