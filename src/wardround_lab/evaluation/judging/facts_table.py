"""The facts about judged findings that the present version reports, without any of their code.

The table is ``facts.csv`` in the folder of the judgements: the judge can be fitted and measured without
clones of the repositories.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from wardround.errors import ConfigError
from wardround.processors.judge.facts import FindingFacts
from wardround.rules.judgements import FindingKey, Verdict, key_id
from wardround.storage.directories import replace_file
from wardround_lab.evaluation.judging.examples import ReviewedExamples, current_key

FACTS = "facts.csv"
_COLUMNS = ["id", "day", *FindingFacts.__struct_fields__]


class JudgedFacts(msgspec.Struct, frozen=True):
    """A judged finding that the present version reports.

    Attributes:
        id: id of the finding's key.
        day: day of the commit, in days since 1970.
    """

    id: str
    day: int
    facts: FindingFacts


def facts_of(reviewed: Iterable[ReviewedExamples], keys: Iterable[FindingKey]) -> list[JudgedFacts]:
    """Return the facts about the judged findings of reviewed commits, sorted by id."""
    reported = {
        current_key(example.key): (commit.day, example.facts)
        for commit in reviewed
        for example in commit.examples
    }
    found = {key_id(key): reported[current] for key in keys if (current := current_key(key)) in reported}
    return [JudgedFacts(id, day, facts) for id, (day, facts) in sorted(found.items())]


def write_facts(folder: Path, rows: Iterable[JudgedFacts]) -> None:
    """Write the table."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for example in sorted(rows, key=lambda row: row.id):
        writer.writerow([example.id, example.day, *map(_cell, msgspec.to_builtins(example.facts).values())])
    replace_file(folder / FACTS, text.getvalue().encode(), None)


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return "null" if value is None else value


def read_facts(folder: Path) -> list[JudgedFacts]:
    """Return the rows of the table.

    Raises:
        ConfigError: it does not exist, or a row is invalid.
    """
    file = folder / FACTS
    try:
        table = csv.DictReader(io.StringIO(file.read_text("utf-8")))
        rows = list(table)
    except (OSError, UnicodeDecodeError) as cause:
        raise ConfigError(
            f"{file} cannot be read: {cause}; wardround adapters train --from-judgements DIR "
            "--from-clones DIR writes it"
        ) from cause
    if table.fieldnames != _COLUMNS:
        raise ConfigError(f"{file} has other columns than {', '.join(_COLUMNS)}; write the table again")
    found = []
    for number, row in enumerate(rows, 2):
        facts: Mapping[str, str] = {name: value for name, value in row.items() if name not in ("id", "day")}
        try:
            found.append(
                JudgedFacts(row["id"], int(row["day"]), msgspec.convert(facts, FindingFacts, strict=False))
            )
        except (KeyError, ValueError, msgspec.ValidationError) as cause:
            raise ConfigError(f"{file}:{number} has no facts: {cause}; write the table again") from cause
    return found


class ReadFinding(msgspec.Struct, frozen=True):
    """A judged finding that the present version reports, with the verdict of its readers."""

    id: str
    repository: str
    commit: str
    day: int
    facts: FindingFacts
    verdict: Verdict


def read_findings(rows: Iterable[JudgedFacts], verdicts: Mapping[FindingKey, Verdict]) -> list[ReadFinding]:
    """Return the findings that readers agree about, without unclear ones, sorted by repository and id."""
    by_id = {key_id(key): (key, verdict) for key, verdict in verdicts.items()}
    found = []
    for row in rows:
        key, verdict = by_id.get(row.id, (None, Verdict.UNCLEAR))
        if key is not None and verdict is not Verdict.UNCLEAR:
            found.append(ReadFinding(row.id, key.repository, key.commit, row.day, row.facts, verdict))
    return sorted(found, key=lambda finding: (finding.repository, finding.id))
