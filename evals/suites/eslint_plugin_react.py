"""Turn the test suite of eslint-plugin-react into cases for ``wardround eval cases``.

    python evals/suites/eslint_plugin_react.py CLONE > cases.jsonl

CLONE is a checkout of github.com/jsx-eslint/eslint-plugin-react after ``npm install --ignore-scripts`` and
``npm install --no-save --ignore-scripts --legacy-peer-deps typescript@5.4``, which the parser it installs
needs. The positions are those that ESLint reports with the suite's own rules. ``meta`` holds the rule,
whether the case is valid or invalid, and whether it depends on options or settings, which are unknown to a
reviewer without configuration. Nothing of the suite may be committed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from new_file import case


def main(clone: Path) -> None:
    """Print one case per line, and on standard error how many were skipped and why."""
    script = Path(__file__).with_name("eslint_plugin_react_cases.cjs")
    listed = subprocess.run(["node", script, clone], capture_output=True, text=True, check=True)
    left_out: Counter[str] = Counter()
    seen: Counter[tuple[str, str]] = Counter()
    for line in listed.stdout.rstrip("\n").split("\n"):
        test = json.loads(line)
        if reason := _skip_reason(test):
            left_out[reason] += 1
            continue
        number = seen[test["rule"], test["kind"]] = seen[test["rule"], test["kind"]] + 1
        print(json.dumps(_case(test, number)))
    print(f"left out: {dict(left_out)}", file=sys.stderr)


def _skip_reason(test: dict[str, Any]) -> str:
    """Return the reason to skip a case; empty if it is usable."""
    if test["isFlow"]:
        return "Flow"
    if test["places"] is None:
        return "neither parser reads it"
    if bool(test["places"]) != (test["kind"] == "invalid"):
        return "ESLint says something else than the suite"
    return ""


def _case(test: dict[str, Any], number: int) -> dict[str, Any]:
    name = "case.tsx" if test["isTyped"] else "case.jsx"
    return case(
        f"{test['rule']}/{test['kind']}-{number}",
        "react",
        name,
        test["code"],
        [location["line"] for location in test["places"]],
        {
            "set": "eslint-plugin-react",
            "rule": test["rule"],
            "kind": test["kind"],
            "configured": test["isConfigured"],
            "codes": [f"react/{test['rule']}"],
        },
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
