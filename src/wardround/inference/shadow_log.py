"""The scores of models in shadow: logged in the user's state folder, for their evaluation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from wardround.storage.digest import sha256
from wardround.storage.paths import state_dir

LIMIT_BYTES = 8 * 1024 * 1024


class ShadowScore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One score of a model.

    Attributes:
        model: its name, and the first half of its file's SHA-256 digest.
        asked: a digest of the scored input; no text under review is stored.
        scores: one for each candidate, or for the one row.
    """

    model: str
    digest: str
    asked: str
    scores: tuple[float, ...]


class ShadowLog:
    """Scores, one per line; above a limit a new file is started and one old file retained."""

    def __init__(self, folder: Path | None = None, limit_bytes: int = LIMIT_BYTES) -> None:
        self.file = (folder or state_dir()) / "shadow.jsonl"
        self._limit = limit_bytes

    def add(self, model: str, digest: str, requested: Sequence[str], scores: Sequence[float]) -> None:
        """Store a score; one that cannot be written is dropped."""
        texts = sha256("\0".join(requested).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        line = msgspec.json.encode(ShadowScore(model, digest[:32], texts, tuple(scores))) + b"\n"
        with suppress(OSError):
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with suppress(FileNotFoundError):
                if self.file.stat().st_size > self._limit:
                    self.file.replace(self.file.with_suffix(".jsonl.1"))
            number = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                os.write(number, line)
            finally:
                os.close(number)
