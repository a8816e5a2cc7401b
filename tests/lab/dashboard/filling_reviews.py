"""Records of reviews for the tests of the dashboard."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

from tests.lab.dashboard.running import environment
from tests.planes.evidence_factory import evidence
from tests.records.sample_reviews import FACTS, review
from wardround.records import bundle
from wardround.records.record import predicate_of
from wardround.records.store import open_store

HOSTILE = '<img src="https://example.com/x.png" onerror="document.title=1">![x](https://example.com/y.png)'
_FIRST = datetime(2030, 1, 7, 12, tzinfo=UTC)


def fill(folder: Path) -> None:
    """Store sixty reviews of three months, some of a repository with a hostile name."""
    predicate = predicate_of(review(evidence()))
    file = Path(environment(folder)["XDG_STATE_HOME"]) / "wardround" / "records.sqlite"
    with open_store(file) as records:
        for number in range(60):
            name = HOSTILE if number % 20 == 19 else ("shop", "billing", "site")[number % 3]
            facts = replace(FACTS, repository=name, author=f"{name} <ada@example.org>")
            written = bundle.write(predicate, facts, None, _FIRST + timedelta(days=1.5 * number))
            records.append(written, facts)
