"""Writing the table by which ``CheckRegistry`` knows a package's checks without importing them.

``python -m wardround.checks.index acme.checks`` writes ``acme/checks/table.py`` anew.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path

from wardround.checks.base import ChangeCheck, Check, RuleDoc

_WIDTH = 110


def written(package: str) -> str:
    """The source text of a package's table: its checks by id, as their own modules describe them.

    Args:
        package: import name; every module in it but ``table`` holds at most one check.
    """
    checks = sorted(discover_checks(package), key=lambda check: check.ID)
    return "\n".join(
        [
            '"""What each check is for. Not to be edited: ``wardround.checks.index`` writes it."""',
            "",
            "from __future__ import annotations",
            "",
            "from wardround.checks.registry import CheckEntry",
            "",
            *_table("TABLE", package, [check for check in checks if issubclass(check, Check)]),
            *_table("CHANGE_TABLE", package, [check for check in checks if issubclass(check, ChangeCheck)]),
            "",
        ]
    )


def _table(name: str, package: str, checks: Sequence[type[RuleDoc]]) -> list[str]:
    if not checks:
        return []
    return [
        f"{name}: tuple[CheckEntry, ...] = (",
        *(line for check in checks for line in _row(check, package)),
        ")",
    ]


def table_of(package: str) -> Path:
    """Where the table of a package is."""
    return Path(importlib.import_module(package).__path__[0]) / "table.py"


def discover_checks(package: str) -> list[type[RuleDoc]]:
    """The checks that are defined in the modules of a package."""
    found: list[type[RuleDoc]] = []
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        if module.name != f"{package}.table":
            values = vars(importlib.import_module(module.name))
            found += [one for one in values.values() if _is_defined_in(one, module.name)]
    return found


def _is_defined_in(value: object, module: str) -> bool:
    is_check = isinstance(value, type) and issubclass(value, RuleDoc)
    return is_check and value.__module__ == module and hasattr(value, "ID")


def _row(check: type[RuleDoc], package: str) -> list[str]:
    """The lines of one row, laid out as the formatter lays them out."""
    kinds, words = check.prefilter_keys()
    place = f'"{check.ID}", "{check.__module__.removeprefix(f"{package}.")}:{check.__name__}"'
    both = [_quoted(kind) for kind in sorted(kinds)], [_quoted(word) for word in words]
    line = f"    ({place}, {', '.join(map(_tuple, both))}, {_quoted(check.PREFILTER)}),"
    if len(line) <= _WIDTH:
        return [line]
    names = [f"        {name}," for name in place.split(", ")]
    marks = [line for quoted in both for line in _lines(quoted)]
    return ["    (", *names, *marks, f"        {_quoted(check.PREFILTER)},", "    ),"]


def _lines(quoted: Sequence[str]) -> list[str]:
    line = f"        {_tuple(quoted)},"
    if len(line) <= _WIDTH:
        return [line]
    return ["        (", *(f"            {one}," for one in quoted), "        ),"]


def _tuple(quoted: Sequence[str]) -> str:
    return f"({', '.join(quoted)}{',' * (len(quoted) == 1)})"


def _quoted(text: str) -> str:
    return repr(text) if '"' in text else json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        table_of(name).write_text(written(name), encoding="utf-8")
