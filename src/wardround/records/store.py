"""The store of records, chained by digests: a file outside of every work tree, or a database.

Records are appended; only the oldest ones can be deleted, and the store lists them from then on.

The digest of each row covers the digest of the previous row, the record and its indexed facts. A row
that is changed, removed or moved breaks the chain, and a removed tail differs from the stored head. Someone
who owns the file or the database can also compute a new chain: compare the head with a copy of it elsewhere
to exclude that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from wardround.change.encoding import escape_undecodable
from wardround.databases.database import Database, DatabaseError, SQLiteDatabase
from wardround.databases.migrations import NewerSchema, Schema, is_migrated, migrate
from wardround.errors import UsageError
from wardround.records import queries, strict_json
from wardround.records.bundle import Bundle, Facts
from wardround.records.location import Location
from wardround.records.migrations import POSTGRESQL, SQLITE
from wardround.storage.digest import sha256

FIRST_PREVIOUS = "0" * 64
"""The previous chain digest of the first record."""
WRITER_LOCK = b"wardroun"
"""The key of the lock for those who extend the chain in one database."""
_SHORTEST = 6
"""Digits by which a record may be named."""
_DIGITS = 64
_PAGE = 100
_MOST_SEQUENCE = 2**63 - 1
_WRONG_HEAD = "the stored head names another last record: records were removed, or the head was changed"


class StoreError(UsageError):
    """The store cannot be opened, read or written; the message is the cause and what to do."""


class RecordNotFound(UsageError):
    """No record, or more than one, has the requested digest."""


class StoredRecord(msgspec.Struct, frozen=True):
    """A record of the store, without its bytes. ``policy`` is its name and digest, separated by ``@``."""

    sequence: int
    digest: str
    created: str
    repository: str
    base: str
    head: str
    context: str
    verdict: str
    tier: str
    policy: str
    author: str
    rules: tuple[str, ...] = ()


class Query(msgspec.Struct, frozen=True):
    """Conditions that a record must all meet; one that is None is not checked.

    Attributes:
        repository: its exact name.
        author: a part of the author, in any case.
        since: the first time included, as ``predicates.timestamp`` returns it.
        until: the first time excluded.
        commit: the first digits of the head.
        other_context: the id of a context whose records are left out.
        before: records before this number.
        upto: records up to this number.
    """

    repository: str | None = None
    verdict: str | None = None
    tier: str | None = None
    rule: str | None = None
    author: str | None = None
    context: str | None = None
    other_context: str | None = None
    since: str | None = None
    until: str | None = None
    commit: str | None = None
    before: int | None = None
    upto: int | None = None


class Retention(msgspec.Struct, frozen=True):
    """The records to keep; a record is deleted only if no part keeps it, and if all older ones are deleted.

    Attributes:
        since: keep those from this time on, as ``predicates.timestamp`` returns it; None keeps none for it.
        newest: keep so many of the newest ones; None keeps none for their number.
    """

    since: str | None = None
    newest: int | None = None


class ChainBreak(msgspec.Struct, frozen=True):
    """The first row at which the chain is not valid, and why."""

    sequence: int
    reason: str


@contextmanager
def open_store(location: Location) -> Iterator[RecordStore]:
    """Open the store at a location, which is created if absent.

    Raises:
        StoreError: any error of the store, also while it is in use.
    """
    with _connect_or_raise(location) as (database, schema):
        migrate(database, schema)
        yield RecordStore(database)


@contextmanager
def opened_if_present(location: Location) -> Iterator[RecordStore | None]:
    """Open the store at a location for reading; None if there is none, which is then not created."""
    if isinstance(location, Path) and not location.exists():
        yield None
        return
    with _connect_or_raise(location) as (database, schema):
        if is_migrated(database, schema):
            migrate(database, schema)
            yield RecordStore(database)
        else:
            yield None


@contextmanager
def open_existing(location: Location) -> Iterator[RecordStore]:
    """Open the store at a location that must have one.

    Raises:
        StoreError: there is none.
    """
    with opened_if_present(location) as records:
        if records is None:
            raise StoreError(absent(location))
        yield records


def absent(location: Location) -> str:
    """Return the message about a location without a store."""
    if isinstance(location, Path):
        return f"there are no records on this machine: {location} does not exist"
    return f"there are no records in {location}: it has no tables of a record store"


@contextmanager
def _connect_or_raise(location: Location) -> Iterator[tuple[Database, Schema]]:
    try:
        database, schema = _connect(location)
        with closing(database):
            yield database, schema
    except NewerSchema as cause:
        raise StoreError(f"the record store {location}: {cause}; upgrade wardround") from cause
    except DatabaseError as cause:
        raise StoreError(f"the record store {location}: {cause}") from cause


def _connect(location: Location) -> tuple[Database, Schema]:
    if isinstance(location, Path):
        return SQLiteDatabase(location), SQLITE
    from wardround.databases.postgresql import PostgreSQLDatabase  # only where a store has a URL

    return PostgreSQLDatabase(location, WRITER_LOCK), POSTGRESQL


class RecordStore:
    """Records in the order in which they were appended."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, bundle: Bundle, facts: Facts) -> str:
        """Store a record and return its digest; one that is stored already is not stored again."""
        with self._database.transaction():
            if not self._database.execute(queries.FIND, {"digest": bundle.digest}):
                self._append(bundle, facts)
        return bundle.digest

    def get(self, digest: str) -> StoredRecord:
        """Return the record whose digest begins with these digits.

        Raises:
            RecordNotFound: none or more than one does, or there are too few digits.
        """
        prefix = digest.removeprefix("sha256:").lower()
        if not _SHORTEST <= len(prefix) <= _DIGITS:
            raise RecordNotFound(f"{digest!r} is not a digest; give its first {_SHORTEST} digits or more")
        bounds = {"first": prefix, "last": prefix.ljust(_DIGITS, "f"), "limit": 2, "offset": 0}
        found = self._records(queries.select(("digest",)), bounds)
        if len(found) != 1:
            how = "more than one record begins" if found else "no record begins"
            raise RecordNotFound(f"{how} with {digest!r}; wardround records list shows them")
        return found[0]

    def data(self, record: StoredRecord) -> bytes:
        """Return the bytes of a record's file."""
        ((text,),) = self._database.execute(queries.BUNDLE, {"sequence": record.sequence})
        return str(text).encode()

    def query(self, conditions: Query, limit: int | None = None, offset: int = 0) -> tuple[StoredRecord, ...]:
        """Return the records that meet all conditions, the newest first.

        Args:
            limit: the largest number of records; None for all.
            offset: the number of the newest ones that are left out.
        """
        values = _values(conditions)
        bounds = {"limit": _MOST_SEQUENCE if limit is None else limit, "offset": offset}
        return self._records(queries.select(values), values | bounds)

    def count(self, groups: Sequence[queries.Group], conditions: Query) -> list[tuple[Any, ...]]:
        """Return the number of records that meet all conditions, as the last value of each row.

        The other values are those of the groups, in their order, by which the rows are sorted.
        """
        values = _values(conditions)
        return self._database.execute(queries.count(groups, values), values)

    def count_rules(self, conditions: Query) -> list[tuple[str, int]]:
        """Return the rules of records that meet all conditions, with the number of records, most first."""
        values = _values(conditions)
        return [
            (str(rule), int(number))
            for rule, number in self._database.execute(queries.count_rules(values), values)
        ]

    def head(self) -> tuple[int, str]:
        """Return the number of the last record and the chain digest; 0 for an empty store."""
        rows = self._database.execute(queries.HEAD)
        return (int(rows[0][0]), str(rows[0][1])) if rows else (0, FIRST_PREVIOUS)

    def prunable(self, retention: Retention) -> tuple[StoredRecord, ...]:
        """Return the records that a retention deletes, the newest first."""
        upto = self._prunable_end(retention)
        return self.query(Query(upto=upto)) if upto > 0 else ()

    def prune(self, retention: Retention) -> tuple[StoredRecord, ...]:
        """Delete the records that a retention does not keep, and return them, the newest first.

        The store keeps their numbers, digests, times and chain digests, from which the chain continues.
        """
        with self._database.transaction():
            found = self.prunable(retention)
            if found:
                for statement in queries.PRUNE:
                    self._database.execute(statement, {"upto": found[0].sequence})
        return found

    def _prunable_end(self, retention: Retention) -> int:
        """Return the number of the last record that a retention deletes; 0 or less if there is none."""
        last, _ = self.head()
        ends = []
        if retention.newest is not None:
            ends.append(last - retention.newest)
        if retention.since is not None:
            ((first,),) = self._database.execute(queries.FIRST_SINCE, {"since": retention.since})
            ends.append(last if first is None else int(first) - 1)
        return min(ends, default=0)

    def pruned_end(self) -> tuple[int, str]:
        """Return the number of the last deleted record and its chain digest; 0 if none was deleted."""
        rows = self._database.execute(queries.PRUNED_END)
        return (int(rows[0][0]), str(rows[0][1])) if rows else (0, FIRST_PREVIOUS)

    def verify_chain(self) -> ChainBreak | None:
        """Return the first row that was changed, removed or moved; None if the chain holds.

        Of a deleted record only the end of the chain counts.
        """
        while True:
            begin = self.pruned_end()
            found = self._verify_after(*begin)
            if found is None or self.pruned_end() == begin:  # and not while another process deletes records
                return found

    def _verify_after(self, sequence: int, chain: str) -> ChainBreak | None:
        is_first = True
        while True:
            verified, after = sequence, 0 if is_first else sequence
            is_first = False
            for row in self._rows(after=after):
                reason = _row_fault(row, sequence + 1, chain)
                if reason is not None:
                    return ChainBreak(sequence + 1, reason)
                sequence, chain = sequence + 1, row["chain"]
            if self.head() == (sequence, chain):
                return self._unowned_rule()
            if sequence == verified:  # and not a record that another process has appended meanwhile
                return ChainBreak(sequence + 1, _WRONG_HEAD)

    def _unowned_rule(self) -> ChainBreak | None:
        rows = self._database.execute(queries.UNOWNED_RULE)
        return (
            ChainBreak(int(rows[0][0]), "its rules are stored, but the record is missing") if rows else None
        )

    def _append(self, bundle: Bundle, facts: Facts) -> None:
        last, previous = self.head()
        row = _row(bundle, facts, last + 1)
        rules = sorted(set(map(escape_undecodable, facts.rules)))
        chain = _chain(previous, row, rules)
        self._database.execute(
            queries.APPEND, {**row, "previous": previous, "chain": chain, "bundle": bundle.data.decode()}
        )
        for rule in rules:
            self._database.execute(queries.APPEND_RULE, {"sequence": last + 1, "rule": rule})
        self._database.execute(
            queries.NEXT_HEAD if last else queries.FIRST_HEAD, {"sequence": last + 1, "chain": chain}
        )

    def _records(self, sql: str, parameters: Mapping[str, Any]) -> tuple[StoredRecord, ...]:
        rows = self._database.execute(sql, parameters)
        return tuple(
            StoredRecord(
                **dict(zip(queries.COLUMNS, columns, strict=True)),
                rules=tuple(rule for *_, rule in same if rule is not None),
            )
            for columns, same in groupby(rows, key=lambda row: row[:-1])
        )

    def _rows(self, after: int) -> Iterator[dict[str, Any]]:
        """Yield the rows after a number with their rules, a page at a time; after 0, really all of them."""
        names = ("previous", "chain", "bundle", *queries.COLUMNS)
        after = after or -_MOST_SEQUENCE
        while rows := self._database.execute(queries.PAGE, {"after": after, "limit": _PAGE}):
            page = [dict(zip(names, values, strict=True)) for values in rows]
            after = page[-1]["sequence"]
            rules = self._rules(page[0]["sequence"], after)
            for row in page:
                yield {**row, "rules": rules.get(row["sequence"], [])}

    def _rules(self, first: int, last: int) -> dict[int, list[Any]]:
        """Return the rules of the records from one number to another, by number."""
        found = self._database.execute(queries.RULES, {"first": first, "last": last})
        return {number: [rule for _, rule in same] for number, same in groupby(found, key=lambda row: row[0])}


def _values(conditions: Query) -> dict[str, Any]:
    """Return the parameters of the conditions that are checked, by the names of the conditions."""
    fields = msgspec.structs.asdict(conditions).items()
    values = {name: value for name, value in fields if value is not None}
    if "author" in values:
        values["author"] = queries.contains(values["author"])
    if "commit" in values:
        values["commit"] = f"{values['commit']}%"
    return values


def _row(bundle: Bundle, facts: Facts, sequence: int) -> dict[str, Any]:
    review = bundle.review
    return {
        "sequence": sequence,
        "digest": bundle.digest,
        "created": bundle.created,
        "repository": escape_undecodable(facts.repository),
        "base": escape_undecodable(facts.base),
        "head": escape_undecodable(facts.head),
        "context": review.context.id,
        "verdict": review.verdict.name,
        "tier": review.verdict.tier,
        "policy": f"{review.policy.name}@{review.policy.digest}",
        "author": escape_undecodable(facts.author),
    }


def _chain(previous: str, row: Mapping[str, Any], rules: list[str]) -> str:
    columns = {name: row[name] for name in queries.COLUMNS}
    return sha256(strict_json.encode({**columns, "previous": previous, "rules": rules})).hexdigest()


def _row_fault(row: Mapping[str, Any], sequence: int, previous: str) -> str | None:
    if row["sequence"] != sequence:
        return f"it is missing; the next record has the number {row['sequence']}"
    if row["previous"] != previous:
        return "it does not follow the record before: a record was removed or moved"
    if sha256(str(row["bundle"]).encode("utf-8", "surrogateescape")).hexdigest() != row["digest"]:
        return "its bytes do not have its digest: the record was changed"
    try:
        chain = _chain(previous, row, row["rules"])
    except ValueError:
        chain = ""
    return None if chain == row["chain"] else "its columns do not have its chain digest: the row was changed"
