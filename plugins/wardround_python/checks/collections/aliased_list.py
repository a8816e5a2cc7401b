"""PY055: aliased list."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_CONSTRUCTORS = frozenset({"list", "dict", "set", "defaultdict", "deque", "Counter", "OrderedDict"})


class AliasedList(PythonCheck):
    """Two names are bound to the same new list, dict or set.

    ``good = bad = []`` creates one list: an item added through one name appears under both. Create one
    collection for each name.
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
        names = [unparse(target) for target in node.targets]
        is_used = self._is_changed(names[0]) or names[0].startswith("self.")
        if is_used and self._is_new_collection(node.value):
            self.report(
                self.module.span(node),
                f"{' and '.join(names)} share one {type(node.value).__name__.lower()}; create one each",
            )

    def _is_new_collection(self, value: ast.expr) -> bool:
        """Return True for an empty literal or a call of a constructor."""
        if isinstance(value, ast.Call):
            return (self.module.dotted(value.func) or "").rpartition(".")[2] in _CONSTRUCTORS
        if not isinstance(value, (ast.List, ast.Dict, ast.Set)):
            return False
        return not (getattr(value, "elts", None) or getattr(value, "keys", None))

    def _is_changed(self, name: str) -> bool:
        changes = tuple(
            f"{name}{end}"
            for end in (".append(", ".add(", ".extend(", ".update(", "[", ".insert(", " +=", "|=")
        )
        return any(change in self.source.text for change in changes)
