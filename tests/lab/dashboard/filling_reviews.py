"""Records, dismissals and judgements of an installation that has been used, some with hostile text."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

from tests.lab.dashboard.running import environment
from tests.planes.evidence_factory import evidence, finding, random_evidence
from tests.records.sample_reviews import FACTS, review
from wardround.findings import Plane
from wardround.planes.evidence import Evidence
from wardround.processors.dismissals_file import FILE_NAME, Dismissal, Dismissals, dump
from wardround.records import bundle
from wardround.records.bundle import Facts
from wardround.records.record import predicate_of
from wardround.records.store import open_store
from wardround.rules.judgement_files import record_judgement
from wardround.rules.judgements import FindingKey, judgement_of

HOSTILE = '<img src="https://example.com/x.png" onerror="document.title=1">![x](https://example.com/y.png)'
"""Text that is a picture of another host, and a script, where HTML or Markdown is rendered."""
REVIEWS = 62
_FIRST = datetime(2030, 1, 7, 12, tzinfo=UTC)
_DAY = date(2030, 3, 1)


def fill(folder: Path) -> None:
    """Store reviews of three months: random ones, a change that is reviewed twice, and a hostile one."""
    file = Path(environment(folder)["XDG_STATE_HOME"]) / "wardround" / "records.sqlite"
    with open_store(file) as records:
        for number, (known, facts) in enumerate(_reviews()):
            found = replace(facts, rules=tuple(sorted({item.rule for item in known.introduced})))
            moment = _FIRST + timedelta(days=1.5 * number)
            records.append(bundle.write(predicate_of(review(known)), found, None, moment), found)
    (folder / FILE_NAME).write_bytes(
        dump(Dismissals((Dismissal("app.py", "ruff/B006", "1" * 16, _DAY, HOSTILE),)))
    )
    for number, (verdict, code) in enumerate(
        [("worth", "defect"), ("true", "trivial"), ("wrong", "misread")]
    ):
        key = FindingKey("shop", f"{number}" * 40, "app.py", 1, "ruff/S608")
        record_judgement(folder / "evals/judgements", judgement_of(key, verdict, code, "ada", _DAY), None)


def _reviews() -> Iterator[tuple[Evidence, Facts]]:
    source = random.Random(1)
    variants = [random_evidence(source) for _ in range(12)]
    for number in range(REVIEWS - 3):
        name = ("shop", "/builds/billing", "/builds/site")[number % 3]
        yield variants[number % 12], replace(FACTS, repository=name, base=f"{number:040x}")
    twice = replace(FACTS, repository="shop", base="9" * 40)
    yield evidence(findings=(finding(), finding(rule="ruff/S608", plane=Plane.SECURITY))), twice
    yield evidence(findings=(finding(rule="ruff/S608", plane=Plane.SECURITY),)), twice
    hostile = finding(severity="error", message=HOSTILE, file=f"{HOSTILE}.py", rule=f"ruff/{HOSTILE}")
    yield (
        evidence(findings=(hostile,), messages=(HOSTILE,)),
        replace(FACTS, repository=HOSTILE, author=HOSTILE, base="8" * 40),
    )
