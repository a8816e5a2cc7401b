"""Turn the test suite of eslint-plugin-jest into cases for ``wardround eval cases``.

    npm install --prefix MODULES esbuild dedent
    python evals/suites/eslint_plugin_jest.py CLONE MODULES > cases.jsonl

CLONE is a checkout of github.com/jest-community/eslint-plugin-jest. The positions are those that its tests
expect; cases whose errors have no line, and those that depend on options or settings, are excluded. ``meta``
holds the rule and ``kind``: valid or invalid. A valid case of one rule may break another. Nothing of the
suite may be committed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from new_file import case


def main(clone: Path, modules: Path) -> int:
    """Print one case per line, and on standard error how many were skipped and why."""
    script = Path(__file__).with_name("eslint_plugin_jest_cases.cjs")
    argv = ["node", str(script), str(clone), str(modules)]
    listed = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=False)
    if listed.returncode:
        return 2
    left_out: Counter[str] = Counter()
    seen: Counter[tuple[str, str]] = Counter()
    for line in listed.stdout.splitlines():
        test = json.loads(line)
        reason = _skip_reason(test)
        left_out[reason] += 1
        if not reason:
            key = (test["rule"], test["kind"])
            seen[key] += 1
            print(json.dumps(_case(test, seen[key])))
    del left_out[""]
    print(f"left out: {dict(left_out)}", file=sys.stderr)
    return 0


def _skip_reason(test: dict[str, Any]) -> str:
    """Return the reason to skip a case; empty if it is usable."""
    if test["isConfigured"]:
        return "it depends on options or settings"
    if test["filename"] is not None:
        return "it depends on a file's name"
    return "an error has no line" if None in test["lines"] else ""


def _case(test: dict[str, Any], number: int) -> dict[str, Any]:
    name = "case.test.ts" if test["isTyped"] else "case.test.js"
    meta = {"set": "eslint-plugin-jest", "rule": test["rule"], "kind": test["kind"]}
    return case(f"{test['rule']}/{test['kind']}-{number}", "tests", name, test["code"], test["lines"], meta)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])) if len(sys.argv) == 3 else __doc__)
