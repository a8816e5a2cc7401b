"""Migration tools that run a file in one transaction, and settings of a file that disable it."""

from __future__ import annotations

from wardround.lazy import LazyPattern

_MARKS = (
    ("dbmate", LazyPattern(r"(?im)^--\s*migrate:up\b"), LazyPattern(r"(?i)\btransaction\s*:\s*false\b")),
    ("goose", LazyPattern(r"(?im)^--\s*\+goose\s+up\b"), LazyPattern(r"(?i)\+goose\s+no\s+transaction\b")),
    ("sql-migrate", LazyPattern(r"(?im)^--\s*\+migrate\s+up\b"), LazyPattern(r"(?i)\bnotransaction\b")),
    (
        "Liquibase",
        LazyPattern(r"(?im)^--\s*liquibase\s+formatted\s+sql\b"),
        LazyPattern(r"(?i)\brunInTransaction\s*:\s*\"?false\b"),
    ),
)


def disables_transaction(text: str) -> bool:
    """Return True if a SQL migration has the setting that runs it outside of a transaction."""
    return any(off.search(text) for _, _, off in _MARKS)
