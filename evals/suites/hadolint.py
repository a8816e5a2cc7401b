"""Turn the rule specifications of hadolint into cases for ``wardround eval cases``.

    python evals/suites/hadolint.py CLONE > cases.jsonl

CLONE is a checkout of github.com/hadolint/hadolint (GPL: run, never copy). A specification states for a small
Dockerfile whether a rule reports it, but not where. The expected position is the only instruction that is
neither FROM nor a setting; Dockerfiles with several are excluded. A Dockerfile that a rule must not report is
a case without positions that may break other rules: see the rule in ``meta``. Nothing of the suite may be
committed.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from new_file import case

_STRING = r"\"(?:[^\"\\]|\\.)*\""
_TEST = re.compile(rf"\bit\s+{_STRING}(.*?)(?=\n\s*it\s+\"|\Z)", re.S)
_BOUND = re.compile(rf"(\w+)\s*=\s*(?:Text\.unlines\s*)?\[((?:\s*{_STRING}\s*,?)*)\]", re.S)
_CLAIM = re.compile(
    rf"(?<!onBuild)\b[rR]uleCatches(?P<not>Not)?\s+\"(?P<rule>DL\d+)\"\s+(?:\$\s*)?(?:Text\.unlines\s+)?"
    rf"(?P<text>{_STRING}|\w+)"
)  # fmt: skip
_SETTING = {"FROM", "ARG", "ENV", "SHELL", "USER", "WORKDIR", "LABEL"}
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}


def main(clone: Path) -> None:
    """Print one case per line, and on standard error how many were skipped and why."""
    left_out: Counter[str] = Counter()
    for source in sorted((clone / "test/Hadolint/Rule").glob("DL*Spec.hs")):
        for number, (rule, catches, text) in enumerate(_claims(source.read_text("utf-8"))):
            line = _line(text)
            if line is None and catches:
                left_out["several instructions"] += 1
                continue
            meta = {"set": "hadolint", "rule": rule, "kind": "invalid" if catches else "valid for this rule"}
            lines = [line] if line is not None and catches else []
            print(json.dumps(case(f"{rule}/{number}", "docker-ci", "Dockerfile", text, lines, meta)))
    print(f"left out: {dict(left_out)}", file=sys.stderr)


def _claims(source: str) -> Iterator[tuple[str, bool, str]]:
    """Return (rule, whether it reports, Dockerfile) of each expectation with a Dockerfile."""
    for test in _TEST.finditer(source):
        bound = {name: _unlines(strings) for name, strings in _BOUND.findall(test[1])}
        for claim in _CLAIM.finditer(test[1]):
            text = claim["text"]
            known = _unquote(text) if text.startswith('"') else bound.get(text)
            if known is not None:
                yield claim["rule"], claim["not"] is None, known


def _unlines(strings: str) -> str:
    return "".join(f"{_unquote(text)}\n" for text in re.findall(_STRING, strings))


def _unquote(literal: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), literal[1:-1], flags=re.S)


def _line(text: str) -> int | None:
    """Return the 1-based line of the only instruction that an expectation can be about."""
    starts = []
    continued = False
    for number, line in enumerate(text.split("\n"), 1):
        word = line.split(None, 1)[0].upper() if line.strip() else ""
        if word and not continued and not word.startswith("#"):
            starts.append((number, word))
        continued = line.rstrip().endswith("\\")
    acting = [number for number, word in starts if word not in _SETTING]
    chosen = acting or [number for number, _ in starts]
    return chosen[0] if len(chosen) == 1 else None


if __name__ == "__main__":
    main(Path(sys.argv[1]))
