"""Turn the test suite of squawk's linter into cases for ``wardround eval cases``.

    python evals/suites/squawk.py CLONE > cases.jsonl

CLONE is a checkout of github.com/sbdchd/squawk. A test lints SQL for one rule: it is clean, or its snapshot
marks lines. Each becomes a migration that is a new file. ``meta`` holds the rule, and in ``configured`` the
lines of squawk's configuration that the test sets (another Postgres, an assumed transaction), without which
it may be missed. Tests of fixes are excluded. Some rules are off by default, so measure with
``--all-rules``. Nothing of the suite may be committed.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from new_file import case

_TEST = re.compile(r"#\[test\]\s*fn (?P<name>\w+)\(\) \{(?P<body>.*?)^    \}", re.DOTALL | re.MULTILINE)
_SQL = re.compile(
    r"let (?P<name>\w+)(?::\s*&str)? = "
    r'(?:r#+"(?P<raw>.*?)"#+|r"(?P<plain>[^"]*)"|"(?P<escaped>(?:[^"\\]|\\.)*)");',
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(\n\s*|.)", re.DOTALL)
_SHORT = {"n": "\n", "t": "\t", "r": "\r"}
_CALL = re.compile(r"\b(?P<call>lint_ok|lint_errors)(?P<options>_with)?\(\s*&?(?P<sql>\w+)")
_RULE = re.compile(r"Rule::(\w+)")
_INLINE = re.compile(r'@r?#*"(.*?)"#*\s*\)', re.DOTALL)
_SAID = re.compile(r"^\s*warning\[(?P<rule>[\w-]+)\]", re.MULTILINE)
_FIRST = re.compile(r"^\s*(?P<line>\d+) (?:│|┆)(?P<mark> [┏╭])?")
_MARK = re.compile(r"^\s*(?:│|┆|╰).*(?:━|┏)")


def main(clone: Path) -> None:
    """Print one case per line."""
    for source in sorted((clone / "crates/squawk_linter/src/rules").glob("*.rs")):
        text = source.read_text("utf-8")
        helpers = text[text.find("mod test") : text.find("#[test]")]
        for test in _TEST.finditer(text):
            for entry in _cases(source, test["name"], test["body"], helpers):
                print(json.dumps(entry))


def _cases(source: Path, name: str, body: str, helpers: str) -> Iterator[dict[str, object]]:
    texts = {found["name"]: _text(found) for found in _SQL.finditer(body)}
    for number, call in enumerate(_CALL.finditer(body)):
        if call["sql"] not in texts:
            continue
        lines: list[int] = []
        rule = _kebab(
            (_RULE.search(body, call.start()) or _RULE.search(source.read_text("utf-8")) or [""])[0]
        )
        if call["call"] == "lint_errors":
            rule, lines = _expected_result(source, name, body)
        meta = {"set": "squawk", "rule": rule, "configured": _settings(body + helpers * ("pg19()" in body)),
                "kind": "invalid" if lines else "valid"}  # fmt: skip
        if lines or call["call"] == "lint_ok":
            yield case(
                f"{source.stem}/{name}#{number}",
                "sql",
                "migrations/0002_case.sql",
                texts[call["sql"]],
                lines,
                meta,
            )


def _text(found: re.Match[str]) -> str:
    """Return the value of a string literal of Rust."""
    written = next(found[group] for group in ("raw", "plain", "escaped") if found[group] is not None)
    if found["escaped"] is None:
        return written
    return _ESCAPE.sub(lambda item: "" if item[1][0] == "\n" else _SHORT.get(item[1], item[1]), written)


def _settings(body: str) -> str:
    """Return the options that a test sets, in the form of squawk's configuration file."""
    lines = ["assume_in_transaction = true"] if "assume_in_transaction: true" in body else []
    version = re.search(r"Version::new\((\d+),\s*(?:Some\()?(\d+|None)|pg_version: \"(\d+)", body)
    lines += [f'pg_version = "{version[1] or version[3]}"'] if version else []
    return "\n".join(lines)


def _expected_result(source: Path, name: str, body: str) -> tuple[str, list[int]]:
    """Return the rule and the lines in a test's snapshot."""
    retained = source.parent / "snapshots" / f"squawk_linter__rules__{source.stem}__test__{name}.snap"
    inline = _INLINE.search(body)
    text = retained.read_text("utf-8") if retained.exists() else inline[1] if inline else ""
    said = list(_SAID.finditer(text))
    ends = [*(match.start() for match in said[1:]), len(text)]
    blocks = [text[one.end() : end] for one, end in zip(said, ends, strict=bool(said))]
    return (said[0]["rule"] if said else source.stem), [
        line for block in blocks for line in _marked_lines(block)
    ]


def _marked_lines(block: str) -> Iterator[int]:
    """Yield the lines at which violations begin."""
    line = 0
    for row in block.split("\n"):
        first = _FIRST.match(row)
        line = int(first["line"]) if first else line
        if (first and first["mark"]) or (not first and line and _MARK.match(row)):
            yield line
            return


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name.removeprefix("Rule::")).lower()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
