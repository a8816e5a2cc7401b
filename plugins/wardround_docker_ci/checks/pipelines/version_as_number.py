"""DC119: version as number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.yaml.nodes import Mapping, Node, Scalar
from wardround.languages.yaml.nodes import Sequence as Items
from wardround.languages.yaml.tree import walk
from wardround_docker_ci.check import STEPS, CiCheck

_NAMED = LazyPattern(r"version|python|node|^go$|ruby|php|django|java|postgres|^v$|^py$|^tag$", re.IGNORECASE)
_CUT = LazyPattern(r"\d+\.\d*0")


class VersionAsNumber(CiCheck):
    """An unquoted version that ends in 0 is parsed as a number and loses the 0.

    `3.10` is parsed as 3.1, and the job uses another version than the written one, or finds none. Quote it.
    """

    ID = "DC119"
    NAME = "version-as-number"
    SEVERITY = Severity.INFO
    KINDS = STEPS
    NEEDS = ("0",)
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                strategy:
                  matrix:
                    python: ['3.9', '3.10', 3.11]
        """),
        code("""
            on: push
            jobs:
              a:
                steps:
                  - uses: a/b@v1
                    with: {version: 3.10.1, retention: 1.0}
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              a:
                steps:
                  - uses: actions/setup-python@v5
                    with:
                      python-version: «3.10»
        """),
        code("""
            on: push
            jobs:
              a:
                strategy:
                  matrix:
                    python: [3.9, «3.10»]
        """),
    ]

    def run(self) -> None:
        for node in walk(self.file.root):
            for key, value in node.entries if isinstance(node, Mapping) else ():
                if _NAMED.search(key.value):
                    for one in _plain(value):
                        number = f"{float(one.value):g}"
                        self.report_at(
                            one.start,
                            one.end,
                            f"the unquoted version is the number {number}, without the 0; quote it",
                        )


def _plain(node: Node) -> Iterator[Scalar]:
    for one in node.items if isinstance(node, Items) else [node]:
        if isinstance(one, Scalar) and not one.style and _CUT.fullmatch(one.value):
            yield one
