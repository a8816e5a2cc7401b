"""The files of judgements: one folder, one file of JSON lines for each reader.

``no_longer_reported.txt`` lists the ids of judged findings that the present version does not report: rates
are those of the present version.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from wardround.errors import ConfigError, UsageError
from wardround.rules.judgements import FindingKey, Judgement, dump, key_id, with_entry
from wardround.storage.directories import replace_file

NO_LONGER_REPORTED = "no_longer_reported.txt"
_MOST_BYTES = 64 * 2**20
"""300,000 judgements; without a limit, a device such as /dev/full would fill the memory."""


def load_judgements(folder: Path) -> list[Judgement]:
    """Return all judgements of a folder, sorted; none if it does not exist.

    Raises:
        ConfigError: a line is not a judgement.
    """
    return sorted(judgement for file in sorted(folder.glob("*.jsonl")) for judgement in read_judgements(file))


def read_judgements(file: Path) -> list[Judgement]:
    """Return the judgements of a file; none if it does not exist.

    Raises:
        ConfigError: a line is not a judgement.
        UsageError: the file cannot be read, or is too large.
    """
    found = []
    for number, line in enumerate(_content(file).splitlines(), 1):
        try:
            found.append(msgspec.json.decode(line, type=Judgement))
        except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
            raise ConfigError(
                f"{file}:{number} is not a judgement: {cause}; mend or remove the line"
            ) from cause
    return found


def _content(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return b""
    except OSError as cause:
        raise UsageError(f"{file}: {cause.strerror}; give another folder of judgements") from cause
    if len(content) > _MOST_BYTES:
        raise UsageError(f"{file} has more than {_MOST_BYTES:,} bytes; give another folder of judgements")
    return content


def record_judgement(folder: Path, judgement: Judgement, work_tree: Path | None) -> Path:
    """Write a judgement into the file of its reader, and return that file.

    Args:
        work_tree: links inside of it are not followed.

    Raises:
        ConfigError: the file has a line that is not a judgement.
        UsageError: the file cannot be written.
    """
    file = folder / f"{judgement.reader}.jsonl"
    known = read_judgements(file)
    try:
        replace_file(file, dump(with_entry(known, judgement)), work_tree)
    except OSError as cause:
        raise UsageError(f"{file}: {cause.strerror}; give another folder of judgements") from cause
    return file


def read_no_longer_reported(folder: Path) -> frozenset[str]:
    """Return the ids of judged findings that the present version does not report; none without a list."""
    try:
        return frozenset((folder / NO_LONGER_REPORTED).read_text("ascii").split())
    except FileNotFoundError:
        return frozenset()
    except (OSError, UnicodeDecodeError) as cause:
        raise ConfigError(
            f"{folder / NO_LONGER_REPORTED} is not a list of ids: {cause}; remove it"
        ) from cause


def write_no_longer_reported(folder: Path, keys: Iterable[FindingKey]) -> None:
    """Write the list of judged findings that the present version does not report."""
    ids = sorted(key_id(key) for key in keys)
    (folder / NO_LONGER_REPORTED).write_text("".join(f"{key}\n" for key in ids), encoding="ascii")
