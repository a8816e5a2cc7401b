"""Turn the rule fixtures of biome into cases for ``wardround eval cases``.

    python evals/suites/biome.py CLONE > cases.jsonl

CLONE is a checkout of github.com/biomejs/biome. A fixture's snapshot contains its source and biome's output;
without output the case is valid. Excluded are fixtures about suppressions, about languages other than
scripts, and those that biome could not parse. ``meta`` holds the rule, its group, and whether the fixture
depends on options. Nothing of the suite may be committed.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from new_file import case

SUITES = ("crates/biome_js_analyze/tests/specs", "crates/biome_html_analyze/tests/specs")
SCRIPTS = {".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte"}
_SCOPES = {
    "Eslint": "", "EslintTypeScript": "typescript/", "EslintReact": "react/",
    "EslintReactHooks": "react-hooks/", "EslintJsxA11y": "jsx-a11y/", "EslintUnicorn": "unicorn/",
    "EslintImport": "import/", "EslintVueJs": "vue/", "EslintNext": "nextjs/", "EslintN": "node/",
    "EslintJest": "jest/", "EslintVitest": "vitest/", "EslintPromise": "promise/",
}  # fmt: skip
"""Biome's names of rule sources, and the prefix of their codes in oxlint."""
_NAME = re.compile(r'\bname: "(\w+)"')
_SOURCE = re.compile(r'RuleSource::(\w+)\(\s*"([^"]+)"')
_INPUT = re.compile(r"^# Input\n```(\w*)\n(.*?)\n?```\n(.*?)(?=^# Input\n|\Z)", re.S | re.M)
_SAID = re.compile(r"^\S.*?:(\d+):\d+ (lint/\w+/(\w+)|parse|suppressions/\w+)\b", re.M)


def main(clone: Path) -> None:
    """Print one case per line, and on standard error how many were skipped and why."""
    left_out: Counter[str] = Counter()
    ancestors = _ancestors(clone)
    for suite in SUITES:
        for snapshot in sorted((clone / suite).glob("*/*/**/*.snap")):
            group, rule, *inner = snapshot.relative_to(clone / suite).parts
            fixture = Path(*inner).with_suffix("")
            if reason := _skip_reason(fixture):
                left_out[reason] += 1
                continue
            is_configured = any(snapshot.parent.glob(f"{fixture.stem}.*.json"))
            for number, (name, text, reported) in enumerate(_inputs(snapshot, fixture)):
                if any(kind == "parse" for _, kind, _ in reported):
                    left_out["biome does not parse it"] += 1
                    continue
                lines = [int(line) for line, _, its_rule in reported if its_rule == rule]
                meta = {"set": "biome", "rule": rule, "group": group, "configured": is_configured,
                        "kind": "invalid" if lines else "valid",
                        "codes": ancestors.get(rule, [])}  # fmt: skip
                label = f"{rule}/{fixture}" + (f"#{number}" if fixture.suffix == ".jsonc" else "")
                label += " in HTML" if suite == SUITES[1] else ""  # a rule may be in both
                print(json.dumps(case(label, "typescript", name, text, lines, meta)))
    print(f"left out: {dict(left_out)}", file=sys.stderr)


def _ancestors(clone: Path) -> Mapping[str, list[str]]:
    """Return the codes, in oxlint's notation, of the rules that each rule is based on, in any language."""
    found: dict[str, set[str]] = defaultdict(set)
    for source in clone.glob("crates/biome_*_analyze/src/lint/*/*.rs"):
        text = source.read_text("utf-8")
        if name := _NAME.search(text):
            found[name[1]] |= {
                _SCOPES[scope] + code for scope, code in _SOURCE.findall(text) if scope in _SCOPES
            }
    return {rule: sorted(codes) for rule, codes in found.items()}


def _skip_reason(fixture: Path) -> str:
    """Return the reason to skip a fixture; empty if it is usable."""
    if fixture.suffix not in SCRIPTS | {".jsonc"}:
        return f"{fixture.suffix or 'no'} suffix"
    if "suppress" in str(fixture).lower():
        return "about suppressions"
    return ""


def _inputs(snapshot: Path, fixture: Path) -> Iterator[tuple[str, str, list[tuple[str, str, str]]]]:
    """Return (path, source, biome's output) of each source in a snapshot; a .jsonc fixture contains
    several.
    """
    for found in _INPUT.finditer(snapshot.read_text("utf-8")):
        suffix, text, rest = found.groups()
        name = f"{fixture.with_suffix('')}.{suffix or 'js'}" if fixture.suffix == ".jsonc" else str(fixture)
        yield name, text, _SAID.findall(rest)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
