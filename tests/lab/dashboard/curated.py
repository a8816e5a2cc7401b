"""Files of examples of every kind, as the commands write them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from wardround.training_tasks import Choice, LabelledText, LineDefect, Window
from wardround_lab.corpora.audit_items import Chat, ItemOrigin, Message, Plain
from wardround_lab.corpora.records import Curated, Mined, RecordedFile, RecordedHunk

DAY = 24 * 3600
START = 1_600_000_000
SECRET = "ghp_" + "k3Jq9ZxT7bWm2RvLs8Yd4NcHf6PgQa1UeXoB"
TOPICS = ("parser", "cache", "socket", "cursor", "window", "ledger", "router", "bucket", "packet", "thread")


def curated(number: int, repositories: int = 5) -> Curated:
    """An instruction that differs from all others."""
    topic, other = TOPICS[number % len(TOPICS)], TOPICS[number // len(TOPICS) % len(TOPICS)]
    return Curated(
        instruction=f"Explain what the {topic} of module {number} does for the {other}.",
        input=f"def {topic}_{number}(value):\n    return {other}_{number * 7}(value) + {number}",
        output=f"It gives the value to {other}_{number * 7} and adds {number}, as each {topic} has to.",
        repository=f"acme/{TOPICS[number % repositories]}",
        time=START + number * DAY,
        licence="MIT",
        path=f"src/{topic}_{number}.py",
    )


def every_kind() -> list[msgspec.Struct]:
    """One record of each kind."""
    hunk = RecordedHunk(3, 3, ("old = 1",), ("new = 2",))
    origin = ItemOrigin("acme/parser", START, "MIT", "a.py")
    return [
        Choice("acme/parser", START, "a.py@1", "about the parser", ("the wrong one", "the right one"), (1,)),
        LabelledText("acme/parser", START, "a", "fix the parser", "fix"),
        Window(
            "acme/parser", START, "a.py@1", "real", "p", "+ -", ("one", "two", "three"), (LineDefect(2, "x"),)
        ),
        Mined(
            "bug-fix",
            "acme/parser",
            "1" * 40,
            START,
            "Fix it",
            "Long ago",
            (RecordedFile("a.py", "a.py", (hunk,)),),
        ),
        curated(1),
        Chat((Message("user", "What is it?"), Message("assistant", "A parser.")), origin),
        Plain("What is it?", "A cache.", origin),
    ]


def write(file: Path, records: Iterable[msgspec.Struct]) -> Path:
    """Write records as JSON lines."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    return file
