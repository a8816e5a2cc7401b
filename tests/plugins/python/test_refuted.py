"""Findings of ruff, ty and pyright that the module refutes."""

from __future__ import annotations

from pathlib import Path

import pytest
from wardround_python.tools.false_positives.refuted_facts import refuter

from wardround.findings import Span

_EXPORTS = '__all__ = ["Client"]\n'
_OLD = "import sys\n"
_FIELD = "class A:\n    n: int = {}\n"

REFUTED = {
    "getattr": ("F822", f"{_EXPORTS}def __getattr__(name):\n    return 1\n", 1, 12),
    "getattr-in-if": ("F822", f"{_EXPORTS}if True:\n    def __getattr__(name):\n        return 1\n", 1, 12),
    "getattr-imported": ("F822", f"{_EXPORTS}from lazy import load as __getattr__\n", 1, 12),
    "getattr-attached": ("F822", f"{_EXPORTS}__getattr__, __dir__, _ = attach(__name__)\n", 1, 12),
    "module-replaced": ("F822", f"{_EXPORTS}sys.modules[__name__] = Lazy(__name__)\n", 1, 12),
    "globals-filled": ("F822", f"{_EXPORTS}for n in __all__:\n    globals()[n] = make(n)\n", 1, 12),
    "pyright-getattr": ("reportUnsupportedDunderAll", f"{_EXPORTS}def __getattr__(name): ...\n", 1, 12),
    "old-branch": ("F821", f"{_OLD}if sys.version_info < (3,) and sys.platform:\n    t = unicode\n", 3, 9),
    "old-major": ("F821", f"{_OLD}if sys.version_info[0] == 2:\n    t = unicode\n", 3, 9),
    "old-named": ("F821", f"{_OLD}PY2 = sys.version_info[0] == 2\nt = unicode if PY2 else str\n", 3, 5),
    "old-constant": ("F821", f"{_OLD}legacy = sys.version_info.major < 3\nif legacy:\n    t = long\n", 4, 9),
    "old-six": ("F821", "import six\nif not six.PY3:\n    t = xrange\n", 3, 9),
    "old-else": (
        "F821",
        f"{_OLD}if sys.version_info >= (3, 0):\n    t = str\nelse:\n    t = unicode\n",
        5,
        9,
    ),
    "old-operand": ("F821", f"{_OLD}t = sys.version_info[:2] < (3, 0) and isinstance(1, long)\n", 2, 53),
    "old-or": ("F821", f"{_OLD}t = sys.version_info >= (3,) or unicode(1)\n", 2, 33),
    "left-before": (
        "F821",
        f"{_OLD}def f(x):\n    if sys.version_info >= (3,):\n        return x\n    return unicode(x)\n",
        5,
        12,
    ),
    "absence-caught": (
        "reportUndefinedVariable",
        "try:\n    unicode\nexcept NameError:\n    t = str\n",
        2,
        5,
    ),
    "base-loader": ("S506", "import yaml\nyaml.load(text, Loader=yaml.BaseLoader)\n", 2, 24),
    "pylint-name": ("F401", "import os  # pylint: disable=unused-import\n", 1, 8),
    "pylint-behind-a-form-feed": ("F401", "\f\nimport os  # pylint: disable=unused-import\n", 2, 8),
    "pylint-code": ("F401", "import os  # pylint: disable=C0415, W0611\n", 1, 8),
    "call-fetched": ("B004", 'f(getattr(a, "__call__", a))\n', 1, 3),
    "conditional-handler": ("B030", "try:\n    f()\nexcept (a if b else c):\n    pass\n", 3, 9),
    "exported-attribute": ("PLE0604", '__all__ = [Panel.name, "x"]\n', 1, 1),
    "exported-attribute-declared": ("PLE0604", "__all__: list[str] = [Panel.name]\n", 1, 1),
    "callable-or-none": (
        "truthiness-test-of-callable",
        "class A:\n    def f(self):\n        self.done: Done = None\n        if self.done: ...\n",
        4,
        12,
    ),
    "absent-dependency": (
        "not-callable",
        "try:\n    from redis import Pool\nexcept ImportError:\n    Pool = None\nPool()\n",
        5,
        1,
    ),
    "name-error-caught": (
        "unresolved-reference",
        "try:\n    f(amount)\nexcept NameError:\n    t = 1\n",
        2,
        7,
    ),
    "name-error-among-others": (
        "unresolved-reference",
        "try:\n    with f():\n        amount\nexcept (KeyError, NameError):\n    t = 1\n",
        3,
        9,
    ),
    "attrs-validator": (
        "missing-attribute",
        f"import attr\n{_FIELD.format('attr.ib()')}    @n.validator\n    def f(self, a, v): ...\n",
        4,
        6,
    ),
    "attrs-default": (
        "reportAttributeAccessIssue",
        f"from attrs import field\n{_FIELD.format('field()')}    @n.default\n    def f(self): ...\n",
        4,
        8,
    ),
    "c-base-loader": ("S506", "from yaml import CBaseLoader, load\nload(text, CBaseLoader)\n", 2, 12),
}
STANDING = {
    "no-getattr": ("F822", _EXPORTS, 1, 12),
    "getattr-of-class": ("F822", f"{_EXPORTS}class A:\n    def __getattr__(self, name): ...\n", 1, 12),
    "any-branch": ("F821", f"{_OLD}if sys.platform == 'a':\n    t = unicode\n", 3, 9),
    "new-branch": ("F821", f"{_OLD}if sys.version_info >= (3,):\n    t = unicode\n", 3, 9),
    "else-of-old": ("F821", f"{_OLD}if sys.version_info < (3,):\n    t = 1\nelse:\n    t = unicode\n", 5, 9),
    "either": ("F821", f"{_OLD}if sys.version_info < (3,) or sys.platform:\n    t = unicode\n", 3, 9),
    "other-name": ("F821", f"{_OLD}if sys.version_info < (3,):\n    t = amount\n", 3, 9),
    "minor": ("F821", f"{_OLD}if sys.version_info[1] < 3:\n    t = unicode\n", 3, 9),
    "other-loader": ("S506", "import yaml\nyaml.load(text, Loader=yaml.Loader)\n", 2, 24),
    "pylint-other": ("F401", "import os  # pylint: disable=unused-variable\n", 1, 8),
    "call-tested": ("B004", 'if getattr(a, "__call__", None):\n    f()\n', 1, 4),
    "plain-handler": ("B030", "try:\n    f()\nexcept 1:\n    pass\n", 3, 8),
    "exported-call": ("PLE0604", "__all__ = [f(1)]\n", 1, 1),
    "callable-always": (
        "truthiness-test-of-callable",
        "class A:\n    def f(self):\n        self.done: Done = print\n        if self.done: ...\n",
        4,
        12,
    ),
    "dependency-false": (
        "not-callable",
        "try:\n    from redis import Pool\nexcept ImportError:\n    Pool = False\nPool()\n",
        5,
        1,
    ),
    "name-all-caught": ("unresolved-reference", "try:\n    amount\nexcept Exception:\n    t = 1\n", 2, 5),
    "name-in-handler": ("unresolved-reference", "try:\n    f()\nexcept NameError:\n    amount\n", 4, 5),
    "name-in-function": (
        "unresolved-reference",
        "try:\n    def f():\n        return amount\nexcept NameError:\n    t = 1\n",
        3,
        16,
    ),
    "no-attrs-field": (
        "missing-attribute",
        f"import attr\n{_FIELD.format('attr.count()')}    @n.validator\n    def f(self, a, v): ...\n",
        4,
        6,
    ),
    "other-attribute-of-field": (
        "missing-attribute",
        f"import attr\n{_FIELD.format('attr.ib()')}    @n.setter\n    def f(self, v): ...\n",
        4,
        6,
    ),
    "field-in-method": (
        "missing-attribute",
        f"import attr\n{_FIELD.format('attr.ib()')}    def f(self):\n        self.n.validator\n",
        5,
        9,
    ),
    "none-called": ("not-callable", "Pool = None\nPool()\n", 2, 1),
    "broken": ("F822", f"{_EXPORTS}def __getattr__(\n", 1, 12),
    "other-code": ("F811", f"{_EXPORTS}def __getattr__(name): ...\n", 1, 12),
}


def _is_refuted(folder: Path, case: tuple[str, str, int, int]) -> bool:
    code, text, line, column = case
    (folder / "a.py").write_text(text, encoding="utf-8")
    return refuter(folder)("a.py", code, Span(line, column, line, column + 1))


@pytest.mark.parametrize("case", REFUTED.values(), ids=REFUTED)
def test_refuted_statements_are_dropped(tmp_path: Path, case: tuple[str, str, int, int]) -> None:
    assert _is_refuted(tmp_path, case)


@pytest.mark.parametrize("case", STANDING.values(), ids=STANDING)
def test_other_statements_are_reported(tmp_path: Path, case: tuple[str, str, int, int]) -> None:
    assert not _is_refuted(tmp_path, case)


BUILTINS = {
    ".pylintrc": "[VARIABLES]\nadditional-builtins=_,\n    traits\n",
    "pylintrc": "[VARIABLES]\nadditional-builtins = traits\n",
    "pyproject.toml": "[tool.pylint.variables]\nadditional-builtins = ['traits']\n",
}


@pytest.mark.parametrize(("name", "content"), BUILTINS.items())
@pytest.mark.parametrize("code", ["F821", "unresolved-reference", "reportUndefinedVariable"])
def test_names_that_pylint_knows_as_builtins_are_defined(
    tmp_path: Path, name: str, content: str, code: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")

    assert _is_refuted(tmp_path, (code, "print(traits)\n", 1, 7))
    assert not _is_refuted(tmp_path, (code, "print(trait)\n", 1, 7))


@pytest.mark.parametrize("content", ["not ini", "[tool.pylint]\nadditional-builtins = 3\n", "[[tool]]\n"])
def test_unreadable_pylint_settings_declare_nothing(tmp_path: Path, content: str) -> None:
    for name in BUILTINS:
        (tmp_path / name).write_text(content, encoding="utf-8")

    assert not _is_refuted(tmp_path, ("F821", "print(traits)\n", 1, 7))
