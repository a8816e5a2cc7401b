"""SQL in code of other languages, where the enclosing call makes it certain."""

from __future__ import annotations

from functools import lru_cache

from wardround_sql.frontends.string_assembly import CallNames
from wardround_sql.parsing.statements import SqlFragment


def fragments(path: str, text: str) -> list[SqlFragment]:
    """Return the SQL of a file in another language, in order; empty if it cannot be parsed."""
    return list(calls(path, text).fragments)


@lru_cache(maxsize=64)
def calls(path: str, text: str) -> CallNames:
    """Return the SQL of a file, and the strings that it assembles for a database."""
    if path.endswith(".py"):
        from wardround_sql.frontends.python import python_calls

        return python_calls(path, text)
    if path.endswith(".sh"):
        from wardround_sql.frontends.shell import shell_calls

        return shell_calls(path, text)
    if path.endswith(".rb"):
        from wardround_sql.frontends.ruby import ruby_calls

        return ruby_calls(path, text)
    from wardround_sql.frontends.script import script_calls

    return script_calls(path, text)
