"""TE203."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from wardround.checks import ChangeCase, ChangeCheck, ChangedText
from wardround.findings import Severity
from wardround_tests.assertions import LOOSE, Assertion, TestedCase, tests_of
from wardround_tests.changes.edited_lines import removed_lines
from wardround_tests.paths import is_production, is_test

_TELLING = r"assert|expect|raises|warns|approx|should|verify|check|skip|xfail|places|tol\b|\bxit\b|\bxtest\b"
_WORD = r"[A-Za-z_]{5,}"
_CODE = {"shop.py": ("def total(xs): return sum(xs)\n", "def total(xs): return 0\n")}
_TEST = "from shop import total\ndef test_total():\n    assert total([1]) == 1\n"
_SCRIPT_CODE = {"shop.ts": ("export const total = 1\n", "export const total = 2\n")}


class WeakenedTest(ChangeCheck):
    """A test asserts less than before, in the change whose code it judges.

    An assertion is gone, asks for less, allows a larger error, or the test is skipped now. If the code is
    right, the test can say so as before; if what is right has changed, the test should say what is right now.
    """

    ID = "TE203"
    NAME = "weakened-test"
    TRIED_ON = (
        "1,440 commits of 10 projects: 16 hits, all read and all true; 1 warns, 15 are notes by the "
        "exceptions."
    )
    SEVERITY = Severity.WARN
    VALID: ClassVar[Sequence[ChangeCase]] = [
        ChangeCase({**_CODE, "test_shop.py": (_TEST, f"{_TEST}    assert total([]) == 0\n")}),
        ChangeCase({**_CODE, "test_shop.py": (_TEST, _TEST.replace("== 1", "== 0"))}),
        ChangeCase(
            {
                **_CODE,
                "test_shop.py": (
                    f"{_TEST}    assert total([]) == 0\n",
                    f"{_TEST}def test_none():\n    assert total([]) == 0\n",
                ),
            }
        ),
        ChangeCase(
            {
                **_CODE,
                "test_shop.py": (
                    _TEST,
                    "from shop import total\ndef test_total():\n    look(1)\n"
                    "def look(x):\n    assert total([x]) == 1\n",
                ),
            }
        ),
        ChangeCase(
            {
                **_SCRIPT_CODE,
                "shop.test.ts": (
                    "it('adds', () => { expect(total).toBe(1) })\n",
                    "it('adds', () => { expect(total).toBe(2) })\n",
                ),
            }
        ),
        ChangeCase({"test_shop.py": (_TEST, _TEST.replace("test_total", "test_sum"))}),
        ChangeCase(
            {
                **_CODE,
                "test_shop.py": (
                    _TEST,
                    f"import pytest\n@pytest.mark.skip(reason='see #12')\n{_TEST}".replace(
                        "from shop import total\n", ""
                    ),
                ),
            }
        ),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        ChangeCase(
            {**_CODE, "test_shop.py": (f"{_TEST}    assert total([]) == 0\n", _TEST)},
            place=("test_shop.py", 2, 5),
        ),
        ChangeCase(
            {**_CODE, "test_shop.py": (_TEST, _TEST.replace("total([1]) == 1", "total([1]) is not None"))},
            place=("test_shop.py", 2, 5),
        ),
        ChangeCase(
            {
                **_CODE,
                "test_shop.py": (
                    "def test_mean():\n    assert mean([1]) == approx(1, abs=0.01)\n",
                    "def test_mean():\n    assert mean([1]) == approx(1, abs=0.5)\n",
                ),
            },
            place=("test_shop.py", 1, 5),
        ),
        ChangeCase(
            {
                **_CODE,
                "tests/test_shop.py": (
                    _TEST,
                    _TEST.replace("def", "import pytest\n@pytest.mark.skip\ndef"),
                ),
            },
            place=("tests/test_shop.py", 4, 5),
        ),
        ChangeCase(
            {
                **_SCRIPT_CODE,
                "shop.test.ts": (
                    "it('adds', () => { expect(total).toBe(1) })\n",
                    "it('adds', () => { expect(total).toBeDefined() })\n",
                ),
            },
            place=("shop.test.ts", 1, 1),
        ),
        ChangeCase(
            {
                **_SCRIPT_CODE,
                "shop.test.ts": (
                    "it('adds', () => {\n  expect(total).toBe(1)\n  expect(rest).toBe(0)\n})\n",
                    "it('adds', () => {\n  expect(total).toBe(1)\n})\n",
                ),
            },
            place=("shop.test.ts", 1, 1),
        ),
    ]

    def run(self) -> None:
        files = [f for f in self.change.files if is_test(f.path) and f.base_path is not None]
        if not files:
            return
        self._code = [f for f in self.change.files if is_production(f.path)]
        for file in files:
            if file.text is None or file.base_text is None:
                continue
            gone = removed_lines(file)
            if any(re.search(_TELLING, line) for line in gone) or _adds_skip(file):
                self._compare(file)

    def _compare(self, file: ChangedText) -> None:
        before = tests_of(file.base_path or file.path, file.base_text or "")
        after = tests_of(file.path, file.text or "")
        if before is None or after is None:
            return
        old = [
            case for name, case in before.items() if name not in after or after[name].source != case.source
        ]
        new = [
            case for name, case in after.items() if name not in before or before[name].source != case.source
        ]
        elsewhere = Counter(a.text for case in new for a in case.assertions)
        elsewhere.subtract(a.text for case in old for a in case.assertions)
        for case in (case for case in after.values() if case.name in before):
            lost = next(_less(before[case.name], case, elsewhere), None)
            if lost is not None:
                is_meant = not self._code or not lost.is_telling or self._is_withdrawn(lost.assertion)
                self.report(file.path, case.span, lost.message, Severity.INFO if is_meant else None)

    def _is_withdrawn(self, assertion: str) -> bool:
        """Whether the code no longer has something that a lost assertion was about."""
        words = set(re.findall(_WORD, assertion))
        return bool(words & self._gone_words)

    @cached_property
    def _gone_words(self) -> set[str]:
        """The words that the production code of the change had and has no more."""
        before = {word for f in self._code for word in re.findall(_WORD, f.base_text or "")}
        return before - {word for f in self._code for word in re.findall(_WORD, f.text or "")}


@dataclass(frozen=True, slots=True)
class Lost:
    """What a test lost.

    Attributes:
        assertion: the one that went; empty if the test was skipped.
        is_telling: whether the lost assertion said more than that there is something.
    """

    message: str
    assertion: str = ""
    is_telling: bool = True


def _less(before: TestedCase, after: TestedCase, elsewhere: Counter[str]) -> Iterator[Lost]:
    """What a test lost, most telling first."""
    if after.skip and not before.skip and not re.search(r"#\d|https?://|reason", after.skip):
        yield Lost(f'"{after.name}" is skipped now, and ran before')
    if before.source == after.source:
        return
    gone = list((Counter(before.assertions) - Counter(after.assertions)).elements())
    gone = [a for a in gone if "Deprecat" not in a.text]
    new = list((Counter(after.assertions) - Counter(before.assertions)).elements())
    for old, now in _pairs(gone, new):
        if now.strength == LOOSE and old.strength > LOOSE:
            text = f'"{after.name}" asked for {_short(old.text)}, now only for {_short(now.text)}'
            yield Lost(text, old.text)
        for name, was, became in _wider(old, now):
            yield Lost(f'"{after.name}" allows {name}={abs(became):g} now, and allowed {abs(was):g}')
    kept = [a for a in gone if elsewhere[a.text] < 0 and not _is_about_none(a, new)]
    if kept and not new and not after.skip:
        count = "an assertion" if len(kept) == 1 else f"{len(kept)} assertions"
        telling = [a for a in kept if a.strength > LOOSE]
        first = (telling or kept)[0]
        yield Lost(f'"{after.name}" lost {count}: {_short(first.text)}', first.text, bool(telling))


def _wider(old: Assertion, now: Assertion) -> Iterator[tuple[str, float, float]]:
    """The tolerances that grew: name, before, after."""
    for (name, was), (other, became) in zip(old.tolerance, now.tolerance, strict=False):
        if name == other and became > was:
            yield name, was, became


def _pairs(gone: Sequence[Assertion], new: Sequence[Assertion]) -> Iterator[tuple[Assertion, Assertion]]:
    """Old assertions, and what asserts most about the same subject now."""
    for old in gone:
        about = [now for now in new if old.subject and old.subject == now.subject]
        if about:
            yield old, max(about, key=lambda now: now.strength)


def _is_about_none(old: Assertion, new: Sequence[Assertion]) -> bool:
    """Whether an assertion that something is there at all is implied by one that says what it is."""
    return old.strength == LOOSE and any(old.subject and old.subject in now.subject for now in new)


def _adds_skip(file: ChangedText) -> bool:
    head, base = file.text or "", file.base_text or ""
    return any(
        head.count(word) > base.count(word) for word in ("skip", "xfail", "xit(", "xtest(", "expectedFailure")
    )


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 70 else f"{text[:67]}..."
