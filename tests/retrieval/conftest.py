"""A fake model: vectors from word groups, so that the tests know which texts are similar."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

_GROUPS = (
    {"login", "sign", "signin", "credentials", "password", "authenticate", "session"},
    {"price", "prices", "total", "discount", "basket", "invoice", "rebate"},
    {"mail", "smtp", "newsletter", "letter", "send"},
)


@dataclass
class GroupEmbedder:
    """Texts about the same topics have similar vectors; it records its inputs."""

    digest: str = "groups-1"
    asked: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> Any:
        import numpy as np

        self.asked += texts
        rows = [
            [float(sum(w in group for w in re.findall(r"[a-z]+", t.lower()))) for group in _GROUPS] + [0.1]
            for t in texts
        ]
        vectors = np.array(rows, dtype=np.float32).reshape(len(texts), len(_GROUPS) + 1)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def embedder() -> GroupEmbedder:
    pytest.importorskip("numpy")
    return GroupEmbedder()
