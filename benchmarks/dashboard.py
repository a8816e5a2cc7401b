"""Measure the processor time of the first page of the dashboard over a store of many reviews.

    python benchmarks/dashboard.py [--records 10000] [--store FILE] [--like RECORD]

Prints the seconds of processor time that the tabs Reviews and Rules take, on the first call and on the next.
The store is made of one record under many times and repositories: of RECORD, a file that
``wardround review --record`` wrote, or of a small one.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.planes.evidence_factory import evidence, finding
from tests.records.sample_reviews import FACTS, review
from wardround.records import bundle
from wardround.records.reading import read_record_file
from wardround.records.record import predicate_of
from wardround.records.store import open_store
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tabs import reviews, rules
from wardround_lab.dashboard.views.record_content import RecordContents

_FIRST = datetime(2028, 1, 1, tzinfo=UTC)
_RULES = [f"ruff/B{number:03}" for number in range(40)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--store", type=Path, help="made if absent, and kept")
    parser.add_argument("--like", type=Path, metavar="RECORD")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        store = arguments.store or Path(scratch) / "records.sqlite"
        if not store.exists():
            fill(store, arguments.records, arguments.like)
        print(f"{store.stat().st_size / 2**20:.0f} MiB")
        measure(_stores(store, Path.cwd()))


def fill(store: Path, number: int, like: Path | None) -> None:
    """Store reviews of three years in twenty repositories."""
    source = random.Random(1)
    record = review(evidence(findings=(finding(),))) if like is None else read_record_file(like)
    predicate = predicate_of(record)
    with open_store(store) as records:
        for index in range(number):
            facts = replace(
                FACTS,
                repository=f"/builds/team-{index % 4}/service-{index % 20}",
                author=f"Author {index % 50} <author{index % 50}@example.org>",
                base=f"{index // 2:040x}",
                rules=tuple(sorted(source.sample(_RULES, k=source.randrange(4)))),
            )
            moment = _FIRST + timedelta(days=1095 * index / number)
            records.append(bundle.write(predicate, facts, None, moment), facts)


def measure(stores: Stores) -> None:
    contents = RecordContents()
    print("first  next   (seconds of processor time)")
    _measure_twice("reviews", lambda: reviews.page(stores, contents, {}))
    _measure_twice("reviews of a repository", lambda: reviews.page(stores, contents, _one_repository()))
    _measure_twice("reviews, last page", lambda: reviews.page(stores, contents, {"part": "200"}))
    _measure_twice("rules", lambda: rules.page(stores, contents, {}))


def _one_repository() -> dict[str, str]:
    return {"repository": "/builds/team-0/service-0"}


def _measure_twice(name: str, call: Callable[[], object]) -> None:
    seconds = []
    for _ in range(2):
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
    print(f"{seconds[0]:5.2f} {seconds[1]:5.2f}  {name}")


def _stores(records: Path, repository: Path) -> Stores:
    return Stores(
        repository=repository,
        records=records,
        judgements=repository / "evals/judgements",
        data=repository / "data",
        training=repository / "runs",
        experiments=None,
        runs=repository / "artifacts",
    )


if __name__ == "__main__":
    main()
