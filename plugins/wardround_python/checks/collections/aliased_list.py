"""PY055."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_python.check import PythonCheck

_MAKERS = frozenset({"list", "dict", "set", "defaultdict", "deque", "Counter", "OrderedDict"})


class AliasedList(PythonCheck):
    """Two names are given the same new list, dict or set.

    ``good = bad = []`` makes one list: what is put in by one name is in both. Make one for each.
    """

    ID = "PY055"
    NAME = "aliased-list"
    WORDS = ("= []", "= {}", "= set()", "= list()", "= dict()", "= defaultdict(", "= deque(")
    DEFECT_CLASS = "shared-value"
    TRIED_ON = "twenty-three trees of 600,000 lines, tests left out: none, so only its cases speak for it"
    VALID: ClassVar[Sequence[str | Valid]] = [
        "good, bad = [], []\n",
        "a = b = 0\n",
        "class A:\n    def f(self, key):\n        found = self.cache[key] = []\n        found.append(1)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("def f():\n    a = b = {}\n    a['x'] = 1\n    return b\n", line=2, column=5),
        Invalid(
            "def f():\n    good = bad = []\n    good.append(1)\n    return good, bad\n", line=2, column=5
        ),
        Invalid(
            "class A:\n    def __init__(self):\n        self.seen = self.done = set()\n", line=3, column=9
        ),
    ]

    def visit_Assign(self, node: ast.Assign) -> None:
        kinds = {type(target) for target in node.targets}
        if len(node.targets) < 2 or len(kinds) != 1 or not kinds <= {ast.Name, ast.Attribute}:
            return
        made = node.value
        is_new = (
            isinstance(made, (ast.List, ast.Dict, ast.Set))
            and not (getattr(made, "elts", None) or getattr(made, "keys", None))
        ) or (
            isinstance(made, ast.Call) and (self.module.dotted(made.func) or "").rpartition(".")[2] in _MAKERS
        )
        names = [ast.unparse(target) for target in node.targets]
        if (is_new and all(self._is_changed(name) for name in names[:1])) or (
            is_new and names[0].startswith("self.")
        ):
            self.report(
                self.module.span(node), f"{' and '.join(names)} are the same {type(made).__name__.lower()}"
            )

    def _is_changed(self, name: str) -> bool:
        changes = tuple(
            f"{name}{end}"
            for end in (".append(", ".add(", ".extend(", ".update(", "[", ".insert(", " +=", "|=")
        )
        return any(change in self.source.text for change in changes)
