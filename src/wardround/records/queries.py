"""The SQL of the store: standard, with ``:named`` parameters, so that another database can run it too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

COLUMNS = (
    "sequence", "digest", "created", "repository", "base", "head", "context", "verdict", "tier", "policy",
    "author",
)  # fmt: skip
_LISTED = ", ".join(COLUMNS)
Group = Literal["day", "repository", "tier", "verdict"]
_GROUPS: dict[Group, str] = {
    "day": "substr(created, 1, 10)",
    "repository": "repository",
    "tier": "tier",
    "verdict": "verdict",
}

FIND = "SELECT sequence FROM records WHERE digest = :digest"
HEAD = "SELECT sequence, chain FROM chain_head WHERE id = 1"
FIRST_HEAD = "INSERT INTO chain_head (id, sequence, chain) VALUES (1, :sequence, :chain)"
NEXT_HEAD = "UPDATE chain_head SET sequence = :sequence, chain = :chain WHERE id = 1"
APPEND = f"""
INSERT INTO records (previous, chain, bundle, {_LISTED})
VALUES (:previous, :chain, :bundle, {", ".join(f":{name}" for name in COLUMNS)})
"""  # noqa: S608  (names of columns)
APPEND_RULE = "INSERT INTO record_rules (sequence, rule) VALUES (:sequence, :rule)"
RULES = """
SELECT sequence, rule FROM record_rules WHERE sequence >= :first AND sequence <= :last
ORDER BY sequence, rule
"""
UNOWNED_RULE = """
SELECT sequence FROM record_rules WHERE sequence NOT IN (SELECT sequence FROM records)
ORDER BY sequence LIMIT 1
"""
BUNDLE = "SELECT bundle FROM records WHERE sequence = :sequence"
PAGE = f"""
SELECT previous, chain, bundle, {_LISTED} FROM records WHERE sequence > :after ORDER BY sequence LIMIT :limit
"""  # noqa: S608  (names of columns)
PRUNED_END = "SELECT sequence, chain FROM pruned_records ORDER BY sequence DESC LIMIT 1"
FIRST_SINCE = "SELECT min(sequence) FROM records WHERE created >= :since"
PRUNE = (
    "INSERT INTO pruned_records (sequence, digest, created, chain) "
    "SELECT sequence, digest, created, chain FROM records WHERE sequence <= :upto",
    "DELETE FROM record_rules WHERE sequence <= :upto",
    "DELETE FROM records WHERE sequence <= :upto",
)
_CONDITIONS = {
    "commit": "head LIKE :commit",
    "before": "sequence < :before",
    "upto": "sequence <= :upto",
    "repository": "repository = :repository",
    "verdict": "verdict = :verdict",
    "tier": "tier = :tier",
    "context": "context = :context",
    "other_context": "context <> :other_context",
    "author": "lower(author) LIKE :author ESCAPE '\\'",
    "since": "created >= :since",
    "until": "created < :until",
    "digest": "digest >= :first AND digest <= :last",
    "rule": "sequence IN (SELECT sequence FROM record_rules WHERE rule = :rule)",
}


def select(conditions: Iterable[str]) -> str:
    """Return the query for the newest records under some conditions, by name.

    A record has a row for each of its rules, and one row if it has none.
    """
    return f"""
    SELECT {", ".join(f"found.{name}" for name in COLUMNS)}, record_rules.rule
    FROM (
        SELECT {_LISTED} FROM records WHERE {_where(conditions)}
        ORDER BY sequence DESC LIMIT :limit OFFSET :offset
    ) AS found
    LEFT JOIN record_rules ON record_rules.sequence = found.sequence
    ORDER BY found.sequence DESC, record_rules.rule
    """  # noqa: S608  (names of columns)


def count(groups: Iterable[Group], conditions: Iterable[str]) -> str:
    """Return the query for the number of records under some conditions, in each combination of the groups."""
    columns = ", ".join(_GROUPS[group] for group in groups)
    return f"""
    SELECT {columns}, COUNT(*) FROM records WHERE {_where(conditions)} GROUP BY {columns} ORDER BY {columns}
    """  # noqa: S608  (names of columns)


def count_rules(conditions: Iterable[str]) -> str:
    """Return the query for the number of records with a finding of each rule, the largest first."""
    return f"""
    SELECT rule, COUNT(*) FROM record_rules
    WHERE sequence IN (SELECT sequence FROM records WHERE {_where(conditions)})
    GROUP BY rule ORDER BY COUNT(*) DESC, rule
    """  # noqa: S608  (names of columns)


def _where(conditions: Iterable[str]) -> str:
    return " AND ".join(_CONDITIONS[name] for name in conditions) or "1 = 1"


def contains(text: str) -> str:
    """Return the LIKE pattern for strings that contain a string, in lower case."""
    escaped = text.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"
