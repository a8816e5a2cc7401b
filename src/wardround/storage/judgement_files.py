"""The files of judgements: one folder, one file of JSON lines for each reader."""

from __future__ import annotations

from pathlib import Path

import msgspec

from wardround.errors import ConfigError, UsageError
from wardround.rules.judgements import Judgement, dump, with_entry
from wardround.storage.directories import replace_file


def load_judgements(folder: Path) -> list[Judgement]:
    """Return all judgements of a folder, sorted; none if it does not exist.

    Raises:
        ConfigError: a line is not a judgement.
    """
    return sorted(one for file in sorted(folder.glob("*.jsonl")) for one in read_judgements(file))


def read_judgements(file: Path) -> list[Judgement]:
    """Return the judgements of a file; none if it does not exist.

    Raises:
        ConfigError: a line is not a judgement.
        UsageError: the file cannot be read.
    """
    try:
        lines = file.read_bytes().splitlines()
    except FileNotFoundError:
        return []
    except OSError as cause:
        raise UsageError(f"{file}: {cause.strerror}; give another folder of judgements") from cause
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(msgspec.json.decode(line, type=Judgement))
        except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
            raise ConfigError(
                f"{file}:{number} is not a judgement: {cause}; mend or remove the line"
            ) from cause
    return found


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
