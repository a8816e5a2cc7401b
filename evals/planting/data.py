"""Renamed and dropped fields, tables, columns and models."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from evals.planting.checkout import Break, Checkout
from evals.planting.python_trees import definitions_by_name


def python_fields(checkout: Checkout) -> Iterator[Break]:
    """Rename fields of Django's models that queries in other files name."""
    defined = definitions_by_name(checkout)
    for path, text in checkout.sources(".py").items():
        if not path.endswith("models.py") and "/models/" not in path:
            continue
        for match in re.finditer(r"(?m)^    ([a-z]\w{4,}) = models\.\w+\(", text):
            name = match[1]
            if defined[name] == 1 and len(re.findall(rf"\b{name}\b", text)) == 1:
                called = rf"\b(?:filter|exclude|order_by|values_list|values|only|update|F)\([^)\n]*\b{name}(?:__\w+)?\b"
                uses = checkout.users(called, (".py",), path, name)
                changed = text[: match.start(1)] + f"{name}_v2" + text[match.end(1) :]
                if uses:
                    yield Break("rename field", "python", name, {path: changed}, uses)


def dbt_models(checkout: Checkout) -> Iterator[Break]:
    """Rename models, and drop columns of models that others select."""
    models = {posixpath.basename(p)[:-4]: p for p in checkout.texts if p.endswith(".sql") and "models/" in p}
    for name, path in models.items():
        text = checkout.texts[path]
        uses = checkout.users(rf"ref\(['\"]{name}['\"]\)", (".sql",), path, name)
        if uses:
            new = posixpath.join(posixpath.dirname(path), f"{name}_v2.sql")
            yield Break("rename model", "sql", name, {path: None, new: text}, uses)
        for match in re.finditer(r"(?m)\bas (\w{5,}),?$", text):
            named = tuple(u for u in uses if re.search(rf"\b{match[1]}\b", checkout.texts[u]))
            own = any(re.search(rf"\bas {match[1]}\b", checkout.texts[u]) for u in named)
            if named and not own and text.count(match[1]) == 1:
                changed = text[: match.start(1)] + f"{match[1]}_v2" + text[match.end(1) :]
                yield Break("rename column", "sql", match[1], {path: changed}, named)


def sql_columns(checkout: Checkout) -> Iterator[Break]:
    """Drop tables and columns by a migration, of tables that statements in code name."""
    folders = Counter(
        posixpath.dirname(p) for p in checkout.texts if p.endswith(".sql") and "migration" in p.lower()
    )
    created: dict[str, set[str]] = defaultdict(set)
    for path, text in checkout.texts.items():
        if path.endswith(".sql"):
            for match in re.finditer(
                r"(?is)create table (?:if not exists )?[\"`]?(?:\w+[\"`]?\.[\"`]?)?(\w+)[\"`]?\s*\((.*?)\n\s*\)",
                text,
            ):
                created[match[1]] |= set(re.findall(r"(?m)^\s*[\"`]?(\w{4,})[\"`]? [A-Za-z]", match[2]))
    if not folders:
        return
    folder = folders.most_common(1)[0][0]
    if folder and posixpath.basename(folder)[:1].isdigit():
        folder = f"{posixpath.dirname(folder)}/99_v2"
    code = {
        p: t
        for p, t in checkout.texts.items()
        if p.endswith((".py", ".ts", ".tsx", ".js", ".go", ".sql")) and "migration" not in p.lower()
    }
    lower = defaultdict(set)
    for word, paths in checkout.by_word.items():
        lower[word.lower()] |= paths
    for table, columns in sorted(created.items()):
        named = {
            p: t
            for p, t in code.items()
            if p in lower[table.lower()]
            and re.search(rf"(?i)\b(?:from|join|into|update)\s+[\"`]?(?:\w+\.)?{table}\b", t)
        }
        if not named:
            continue
        yield Break(
            "drop table",
            "sql",
            table,
            {f"{folder}/v2_drop.sql": f"DROP TABLE {table};\n"},
            tuple(sorted(named)),
        )
        for column in sorted(columns):
            uses = tuple(
                sorted(p for p, t in named.items()
                       if re.search(rf"(?i)\b(?:from|join|into|update)\s+[\"`]?(?:\w+\.)?{table}\b[^;\"'`]{{0,300}}\b{column}\b|select[^;\"'`]{{0,300}}\b{column}\b[^;\"'`]{{0,300}}from\s+[\"`]?{table}\b", t))
            )  # fmt: skip
            if uses:
                edit = {f"{folder}/v2_drop.sql": f"ALTER TABLE {table} DROP COLUMN {column};\n"}
                yield Break("drop column", "sql", column, edit, uses)
