from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from wardround.findings import Plane, Severity
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.frontends.python_code import parsed_module
from wardround_sql.frontends.python_scopes import callee_name
from wardround_sql.project import migration_files

_WAYS = {"RunPython": ("reverse_code", 2), "RunSQL": ("reverse_sql", 2)}
_CHANGE = LazyPattern(r"^(?P<indent>[ \t]*)def\s+change\b.*?^(?P=indent)end\b", re.MULTILINE | re.DOTALL)
_ONE_WAY = LazyPattern(
    r"^[ \t]*(?:safety_assured\s*(?:\{|do)\s*)?(?P<call>execute\b|change_column\b|"
    r"remove_column\s*\(?\s*:\w+\s*,\s*:\w+\s*\)?\s*$|"
    r"remove_columns\b(?![^\n]*\btype:)|change_column_default\b(?![^\n]*\bfrom:)|drop_table\s*\(?\s*:\w+\s*\)?\s*$)",
    re.MULTILINE,
)
_GUARDED = LazyPattern(r"\b(?:reversible|up_only|revert)\b")
_MIGRATION = LazyPattern(r"\bActiveRecord::Migration\b")


class IrreversibleMigration(SqlCheck):
    """Migration whose rollback raises an error.

    Django cannot reverse RunPython and RunSQL without reverse code, and Rails cannot reverse some operations
    in ``change``; earlier migrations cannot be rolled back either. Pass ``reverse_code`` (``RunPython.noop``
    if there is nothing to undo), or write ``up`` and ``down``.
    """

    ID = "SQ080"
    NAME = "irreversible-migration"
    DEFECT_CLASS = "migration-without-way-back"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    READS = "code"
    WORDS = ("runpython", "runsql", "def change")

    CASE_PATH = "db/migrate/20240101000000_a.rb"
    VALID = [
        code(
            """
            class Migration(migrations.Migration):
                operations = [
                    migrations.RunPython(fill, migrations.RunPython.noop),
                ]
            """,
            path="notes/migrations/0002_a.py",
        ),
        code(
            """
            class Migration(migrations.Migration):
                operations = [
                    migrations.RunSQL('SELECT 1', reverse_sql='SELECT 2'),
                ]
            """,
            path="notes/migrations/0002_a.py",
        ),
    ]
    INVALID = [
        code(
            """
            class Migration(migrations.Migration):
                operations = [
                    «migrations.RunPython»(fill),
                ]
            """,
            path="notes/migrations/0002_a.py",
        ),
        code(
            """
            class Migration(migrations.Migration):
                operations = [
                    «migrations.RunSQL»(sql='SELECT 1'),
                ]
            """,
            path="notes/migrations/0002_a.py",
        ),
    ]

    def run(self) -> None:
        path = self.source.path
        if not migration_files.is_migration(path, self.script.options.migrations):
            return
        result = (
            self._irreversible_django()
            if path.endswith(".py")
            else self._irreversible_rails()
            if path.endswith(".rb")
            else ()
        )
        for start, end, message in result:
            self.report(self.script.locations.span_of(start, end), message)

    def _irreversible_django(self) -> Iterator[tuple[int, int, str]]:
        module = parsed_module(self.source.text) if "migrations.Migration" in self.source.text else None
        if module is None:
            return
        for call in (site.node for site in module.calls if site.name in _WAYS):
            if not _is_reversible(call):
                start = module.place(call)[0]
                name = unparse(call.func)
                keyword, _ = _WAYS[callee_name(call)]
                yield start, start + len(name), f"rollback raises IrreversibleError; pass {keyword}"

    def _irreversible_rails(self) -> Iterator[tuple[int, int, str]]:
        text = self.source.text
        for change in _CHANGE.finditer(text) if _MIGRATION.search(text) else ():
            if _GUARDED.search(change.group()):
                continue
            for match in _ONE_WAY.finditer(text, change.start(), change.end()):
                name = match["call"].split("(")[0].split()[0]
                message = (
                    f"rollback raises IrreversibleMigration: {name} in change is not reversible; "
                    "write up and down"
                )
                yield match.start("call"), match.start("call") + len(name), message


def _is_reversible(call: ast.Call) -> bool:
    keyword, position = _WAYS[callee_name(call)]
    names = {argument.arg for argument in call.keywords}
    return keyword in names or None in names or len(call.args) >= position or _is_noop(call)


def _is_noop(call: ast.Call) -> bool:
    """Return True if the forward migration does nothing either."""
    return bool(call.args) and unparse(call.args[0]).endswith("noop")
