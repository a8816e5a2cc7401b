"""PY055."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_MAKERS = frozenset({"list", "dict", "set", "defaultdict", "deque", "Counter", "OrderedDict"})


class AliasedList(PythonCheck):
    """Two names are given the same new list, dict or set.

    ``good = bad = []`` makes one list: what is put in by one name is in both. Make one for each.
    """

    ID = "PY055"
    NAME = "aliased-list"
    MATURITY = Maturity.PREVIEW
    WORDS = ("= []", "= {}", "= set()", "= list()", "= dict()", "= defaultdict(", "= deque(")
    DEFECT_CLASS = "shared-value"
    VALID = [
        code("""
            good, bad = [], []
        """),
        code("""
            a = b = 0
        """),
    ]
    INVALID = [
        code("""
            def f():
                «a = b = {}»
                a['x'] = 1
                return b
        """),
        code("""
            def f():
                «good = bad = []»
                good.append(1)
                return good, bad
        """),
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
