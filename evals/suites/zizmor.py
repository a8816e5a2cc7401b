"""Turn the snapshot tests of zizmor into cases for ``wardround eval cases``.

    python evals/suites/zizmor.py CLONE > cases.jsonl

CLONE is a checkout of github.com/zizmorcore/zizmor. A case is one test of one input file, with the positions
of its snapshot. Excluded are tests that need the network, a configuration or unusual options, and inputs that
are directories. ``meta`` holds the audits; findings of the stricter personas only are off by default, so
measure with ``--all-rules``. A snapshot without findings is a clean case only for the strictest persona.
Nothing of the suite may be committed.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from new_file import case

TESTS = "crates/zizmor/tests/integration/audit"
DATA = "crates/zizmor/tests/integration/test-data"
_TEST = re.compile(r"^((?:#\[[^\n]*\]\n)*)(?:async )?fn (\w+)\(\).*?\n\}\n", re.S | re.M)
_SNAPSHOT = re.compile(
    r"zizmor\(\)(?P<calls>.*?)\.run\(\)\?\s*,\s*@(?:r?(?P<hashes>#*)\"(?P<text>.*?)\"(?P=hashes))\s*,?\s*\)",
    re.S,
)
_INPUT = re.compile(r"\.input\(\s*input_under_test\(\s*\"([^\"]+)\"")
_ARGS = re.compile(r"\.args\(\[([^]]*)\]\)")
_AUDIT = re.compile(r"^\s*(?:help|info|warning|error)\[([a-z-]+)\]", re.M)
_PLACE = re.compile(r"^\s*-->\s*@@INPUT@@:(\d+):(\d+)", re.M)
_USUAL_CALLS = re.compile(r"\.(?:input|args|offline|unbuffer|setenv|output)\(")


def main(clone: Path) -> None:
    """Print one case per line, and on standard error how many were skipped and why."""
    left_out: Counter[str] = Counter()
    for source in sorted((clone / TESTS).glob("*.rs")):
        for test in _TEST.finditer(source.read_text("utf-8")):
            for number, found in enumerate(_SNAPSHOT.finditer(test[0])):
                name = f"{source.stem}/{test[2]}" + (f"#{number}" if number else "")
                reason = _skip_reason(test[1], found["calls"], clone)
                if reason:
                    left_out[reason] += 1
                    continue
                print(json.dumps(_case(name, found["calls"], found["text"], clone)))
    print(f"left out: {dict(left_out)}", file=sys.stderr)


def _skip_reason(attributes: str, calls: str, clone: Path) -> str:
    """Return the reason to skip a test in an offline review without configuration; empty if it is usable."""
    inputs = _INPUT.findall(calls)
    if "gh-token" in attributes or "online" in attributes or "offline(false)" in calls:
        return "needs the network"
    if len(inputs) != 1 or not (clone / DATA / inputs[0]).is_file():
        return "not one file"
    if ".config(" in calls or set(_arguments(calls)) - {"--persona", "--pedantic", "-p"}:
        return "configuration or options"
    return ""


def _arguments(calls: str) -> Iterator[str]:
    for group in _ARGS.findall(calls):
        for argument in re.findall(r"\"([^\"]*)\"", group):
            yield argument.partition("=")[0]


def _case(name: str, calls: str, snapshot: str, clone: Path) -> dict[str, Any]:
    source = _INPUT.findall(calls)[0]
    lines = [int(line) for line, _ in _PLACE.findall(snapshot)]
    is_strict = "auditor" in calls
    kind = "invalid" if lines else "valid" if is_strict else "valid for a lenient persona"
    meta = {"set": "zizmor", "rule": " ".join(sorted(set(_AUDIT.findall(snapshot)))), "kind": kind}
    text = (clone / DATA / source).read_text("utf-8")
    return case(name, "docker-ci", _repository_path(source), text, lines, meta)


def _repository_path(source: str) -> str:
    """Return the usual path in a repository for a file of this kind."""
    name = Path(source).name
    if name in ("action.yml", "action.yaml"):
        return f"action/{name}"
    if name.startswith(".pre-commit"):
        return name
    return f".github/{name}" if name.startswith("dependabot") else f".github/workflows/{name}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
