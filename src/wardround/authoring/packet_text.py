"""A packet as JSON, and as Markdown for the person who decides on it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from wardround.authoring.attempt import Attempt
from wardround.authoring.packet import Packet
from wardround.authoring.proposed_tests import ProposedTests
from wardround.text.escaping import json_text
from wardround.text.json_schema import schema_text

_MOST_ATTEMPTS = 5
_MOST_LINES = 40
_MOST_FAILURES = 3
_LONGEST_SUBJECT = 72
_LONGEST_TASK = 500


def schema() -> str:
    """Return the JSON schema of a packet."""
    return schema_text(Packet)


def as_json(packet: Packet) -> str:
    """Return the packet as one JSON document."""
    return json_text(msgspec.json.format(msgspec.json.encode(packet), indent=2)) + "\n"


def subject_of(packet: Packet) -> str:
    """Return the subject of a commit with the patch."""
    lines = packet.task.strip().split("\n")
    subject = lines[0].lstrip("# ") or f"Correct {_path_of(packet.patch)}"
    return subject[:_LONGEST_SUBJECT]


def _path_of(diff: str) -> str:
    """Return the path of the first file of a diff."""
    found = re.search(r"(?m)^\+\+\+ b/(.*)$", diff)
    return found[1] if found else "the code"


def as_markdown(packet: Packet) -> str:
    """Return the packet as one document."""
    return "\n".join(_lines(packet)) + "\n"


def _lines(packet: Packet) -> Iterator[str]:
    yield "# Patch for review" if packet.patch else "# No patch"
    yield ""
    yield packet.reason
    yield ""
    if packet.task:
        yield from _quote(packet.task[:_LONGEST_TASK])
    yield from _test_lines(packet)
    if packet.patch:
        yield from _patch_lines(packet)
    yield from _section(
        "Code of the task",
        (
            f"`{item.path}:{item.first_line}-{item.last_line}` {item.symbol}".rstrip()
            for item in packet.pointers
        ),
    )
    for tests in packet.proposed_tests:
        yield from _proposed_lines(tests)
    yield from _search_lines(packet)
    yield from _section("Selection among the patches", packet.selections)
    rejected = [attempt for attempt in packet.attempts if not attempt.is_accepted]
    for number, attempt in enumerate(rejected[:_MOST_ATTEMPTS], 1):
        yield from _attempt_lines(number, attempt)
    yield from _section(
        "Edits of files that judge the patch, left out", (f"`{path}`" for path in packet.refused)
    )
    yield from _section("What to try next", packet.next)
    yield from _cost_lines(packet)


def _test_lines(packet: Packet) -> Iterator[str]:
    yield from _section("Tests that define the task", (f"`{test.id}`" for test in packet.tests))
    for test in packet.tests[:_MOST_FAILURES]:
        if test.failure:
            yield from _fence("", "\n".join(test.failure.split("\n")[-_MOST_LINES:]))


def _patch_lines(packet: Packet) -> Iterator[str]:
    yield f"Author: {packet.author}. Verdict of the policy: {packet.verdict or 'none'}."
    yield ""
    yield from _fence("diff", packet.patch)
    if packet.suite is not None:
        suite = packet.suite
        yield (
            f"Tests with the patch: {suite.passed} passed, {suite.failed} failed, {suite.skipped} skipped, "
            f"{suite.not_run} not run."
        )
        yield ""
    yield from _section(
        "Evidence by plane",
        (
            f"{item.plane}: {item.status}" + (f", {item.severity}" if item.severity else "")
            for item in packet.evidence
        ),
    )
    yield from _section("Verified", packet.verification)
    yield from _section("Evidence of the author", _proposed_results(packet))
    yield from _section("Not verified", packet.unverified)


def _proposed_lines(tests: ProposedTests) -> Iterator[str]:
    yield "## Proposed tests, which need a review of their own"
    yield ""
    yield f"By {tests.author or 'a model'}. They fail without the patch, and did not judge it."
    yield ""
    for test in tests.tests:
        yield from _fence("python", test.source)
    listed = [f"- `{test.id}` was left out: {test.reason}" for test in tests.rejected]
    yield from listed or ([f"- {tests.problem}"] if tests.problem else [])
    yield ""


def _proposed_results(packet: Packet) -> Iterator[str]:
    for attempt in packet.attempts:
        proposed = attempt.metadata.get("proposed_tests")
        if attempt.is_accepted and proposed:
            passed = attempt.metadata.get("proposed_tests_passed")
            yield f"proposed tests that fail without the patch and pass with it: {passed} of {proposed}"


def _search_lines(packet: Packet) -> Iterator[str]:
    search = packet.search
    if search is None:
        return
    tried = f"edits tried: {search.candidates}; passing all tests that cover them: {search.plausible}"
    stopped = (f"stopped most often by `{test}`" for test in search.best_failures)
    yield from _section("Search", (tried, *stopped))


def _attempt_lines(number: int, attempt: Attempt) -> Iterator[str]:
    yield f"## Rejected patch {number}"
    yield ""
    if attempt.reason:
        yield f"{attempt.author}: {attempt.reason}"
        yield ""
    yield from _fence("diff", attempt.diff)
    for item in attempt.objections:
        place = f" `{item.place}`" if item.place else ""
        yield f"- {item.step}{place}: {_first_lines(item.text)}"
    yield ""


def _cost_lines(packet: Packet) -> Iterator[str]:
    cost = packet.cost
    parts = [f"{cost.cpu_s:.1f} CPU seconds of validation"] if packet.search is not None else []
    if cost.requests:
        tokens = f"{cost.prompt_tokens} prompt and {cost.completion_tokens} answer tokens"
        parts.append(f"requests: {cost.requests}, with {tokens}")
    if cost.money:
        parts.append(f"price {cost.money:.4f}")
    yield f"Base {packet.base[:12]}, sequence `{packet.sequence}`{''.join(f', {part}' for part in parts)}."


def _section(title: str, items: Iterable[str]) -> Iterator[str]:
    listed = [f"- {item}" for item in items]
    if listed:
        yield f"## {title}"
        yield ""
        yield from listed
        yield ""


def _quote(text: str) -> Iterator[str]:
    yield from (f"> {line}".rstrip() for line in text.strip().split("\n"))
    yield ""


def _fence(language: str, text: str) -> Iterator[str]:
    longest = max((len(found) for found in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}{language}"
    yield text.rstrip("\n")
    yield fence
    yield ""


def _first_lines(text: str) -> str:
    lines = text.strip().split("\n")
    return "\n  ".join(lines[:_MOST_LINES])
