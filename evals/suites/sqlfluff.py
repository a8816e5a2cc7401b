"""Turn the rule cases of sqlfluff into cases for ``wardround eval cases``.

    python evals/suites/sqlfluff.py CLONE > cases.jsonl

CLONE is a checkout of github.com/sqlfluff/sqlfluff; sqlfluff must be installed: most cases do not state the
line, so it is run with only the rule of the case enabled. Converted are the rules about defects, not those
about layout and naming; cases with templates or a configuration of the rule are excluded. ``meta`` holds the
rule, the dialect, and ``kind``: pass or fail. If sqlfluff is not enabled, this tests our own rules. Nothing
of the suite may be committed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from new_file import case

_CASES = Path("test") / "fixtures" / "rules" / "std_rule_cases"
_DEFECTS = (
    "AL04", "AL08", "AM01", "AM02", "AM04", "AM05", "AM06", "AM07", "AM08", "AM09", "CV05", "CV08", "RF01",
    "RF02", "RF03", "ST03", "ST04", "ST07", "ST08", "ST10", "ST11", "PG01", "PG02",
)  # fmt: skip
_CONFIGURED = {"rules", "templater", "indentation", "layout"}


def main(clone: Path) -> int:
    """Print one case per line, and on standard error how many were skipped and why."""
    folder = clone / _CASES
    if not folder.is_dir():
        print(f"{clone}: no {_CASES}; give a checkout of sqlfluff", file=sys.stderr)
        return 2
    left_out: Counter[str] = Counter()
    for rule in _DEFECTS:
        file = folder / f"{rule}.yml"
        for created in _cases(
            rule, yaml.safe_load(file.read_text("utf-8")) if file.is_file() else {}, left_out
        ):
            print(json.dumps(created))
    print(f"left out: {dict(left_out)}", file=sys.stderr)
    return 0


def _cases(rule: str, tests: dict[str, Any], left_out: Counter[str]) -> Iterator[dict[str, Any]]:
    by_dialect: dict[str, dict[str, Any]] = defaultdict(dict)
    for name, test in tests.items():
        if not isinstance(test, dict):
            continue
        configs = test.get("configs", {})
        text = test.get("fail_str", test.get("pass_str"))
        if text is None or "{" in text or _CONFIGURED & configs.keys():
            left_out["templated or configured"] += 1
        else:
            by_dialect[configs.get("core", {}).get("dialect", "ansi")][name] = {**test, "text": text}
    for dialect, some in by_dialect.items():
        lines = _lines(rule, dialect, {name: test["text"] for name, test in some.items()})
        for name, test in some.items():
            if lines.get(name) is None or bool(lines[name]) != ("fail_str" in test):
                left_out["sqlfluff says something else than the suite"] += 1
                continue
            kind = "fail" if lines[name] else "pass"
            meta = {"set": "sqlfluff", "rule": rule, "dialect": dialect, "kind": kind}
            yield case(f"{rule}/{name}", "sql", "case.sql", test["text"], lines[name], meta)


def _lines(rule: str, dialect: str, texts: Mapping[str, str]) -> dict[str, list[int]]:
    """Return the lines that sqlfluff reports for the rule, by case name; cases that it cannot parse are
    absent.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            Path(folder, f"{name}.sql").write_text(text, encoding="utf-8")
        argv = ["sqlfluff", "lint", "--format", "json", "--rules", rule, "--dialect", dialect, folder]
        printed = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=folder).stdout
    found = {}
    for file in json.loads(printed):
        said = file["violations"]
        if all(violation["code"] == rule for violation in said):
            found[Path(file["filepath"]).stem] = [violation["start_line_no"] for violation in said]
    return found


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])) if len(sys.argv) == 2 else __doc__)
