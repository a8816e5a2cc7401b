from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.findings import Severity
from wardround.languages.yaml.nodes import Mapping, Node, Scalar
from wardround.languages.yaml.nodes import Sequence as Items
from wardround.languages.yaml.tree import walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
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
                    for scalar in _plain(value):
                        number = f"{float(scalar.value):g}"
                        self.report_at(
                            scalar.start,
                            scalar.end,
                            f"the unquoted version is the number {number}, without the 0; quote it",
                        )


def _plain(node: Node) -> Iterator[Scalar]:
    for item in node.items if isinstance(node, Items) else [node]:
        if isinstance(item, Scalar) and not item.style and _CUT.fullmatch(item.value):
            yield item
