"""Processor time that the pipeline adds to a review: from the evidence to the verdict and to a record, by
size.

    python benchmarks/verdict.py [REPETITIONS]

Prints the processor time in milliseconds, the least of the repetitions: to import the modules in a process of
its own, to name the context, for planes and verdict, and for the unsigned record.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime

from msgspec.structs import replace

from tests.planes.evidence_factory import PYTHON, TEST, document, evidence, finding
from wardround.context.document import document_id
from wardround.planes.evidence import Evidence
from wardround.policy.conclude import conclude
from wardround.policy.loading import bundled_policy
from wardround.records.bundle import Facts, write
from wardround.records.record import (
    SCHEMA,
    Components,
    RecordedContext,
    RecordedGate,
    RecordedPolicy,
    RecordedRequest,
    ReviewRecord,
    predicate_of,
)

SIZES = (5, 100, 1_000)
_IMPORTS = (
    "import wardround.findings; import time; t = time.process_time(); {}; print(time.process_time() - t)"
)


def best(repetitions: int, run: Callable[[], object]) -> float:
    """The least processor time of some repetitions, in milliseconds."""
    times = []
    for _ in range(repetitions):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times) * 1000


def sample(files: int) -> Evidence:
    """A review with a warning in each tenth file."""
    sources = [replace(PYTHON, path=f"src/m{number}.py") for number in range(files)]
    findings = [finding(fingerprint=f"{n:016x}", file=f"src/m{n}.py") for n in range(0, files, 10)]
    return evidence(*sources, TEST, findings=tuple(findings))


def record(known: Evidence) -> object:
    """The unsigned record of a review, as bytes."""
    policy = bundled_policy("default")
    found = conclude(document(*(file.path for file in known.files)), known, (policy,))
    review = ReviewRecord(
        context=RecordedContext(document_id(found.context), found.context),
        gate=RecordedGate(known.gate, known.fail_level),
        evidence=found.evidence,
        signals=found.signals,
        verdict=found.verdict,
        policy=RecordedPolicy(policy.name, policy.digest, policy),
        components=Components("0", "", "", (), "", {}),
        request=RecordedRequest("target"),
        schema=SCHEMA,
    )
    return write(predicate_of(review), Facts(head="2" * 40), None, datetime(2030, 1, 1, tzinfo=UTC))


def imports(repetitions: int) -> float:
    """The least time to import planes and policy after the rest of a review, in milliseconds."""
    code = _IMPORTS.format("import wardround.policy.conclude, wardround.policy.loading")
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(repetitions)
    ]
    return min(float(run.stdout) for run in runs) * 1000


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    policy = bundled_policy("default")
    print(f"imports {imports(repetitions):8.1f} ms")
    for size in SIZES:
        known = sample(size)
        context = document(*(file.path for file in known.files))
        parts = {
            "context id": best(repetitions, lambda context=context: document_id(context)),
            "verdict": best(
                repetitions, lambda known=known, context=context: conclude(context, known, (policy,))
            ),
            "record": best(repetitions, lambda known=known: record(known)),
        }
        print(f"{size:5} files: " + ", ".join(f"{name} {value:.1f} ms" for name, value in parts.items()))


if __name__ == "__main__":
    main()
