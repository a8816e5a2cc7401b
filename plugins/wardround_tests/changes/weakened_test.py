"""TE203."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks import ChangeCase, ChangeCheck, ChangedText
from wardround.findings import Severity
from wardround_tests.assertions import LOOSE, Assertion, TestedCase, tests_of
from wardround_tests.changes.edited_lines import removed_lines
from wardround_tests.paths import is_production, is_test

_TELLING = re.compile(
    r"assert|expect|raises|warns|approx|should|verify|check|skip|xfail|places|tol\b|\bxit\b|\bxtest\b"
)
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
                    f"import pytest\nfrom shop import total\n@pytest.mark.skip\n{_TEST.partition(chr(10))[2]}",
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
        self._code_changes = any(is_production(f.path) for f in self.change.files)
        for file in files:
            if file.text is None or file.base_text is None:
                continue
            gone = removed_lines(file)
            if any(map(_TELLING.search, gone)) or _adds_skip(file):
                self._compare(file)

    def _compare(self, file: ChangedText) -> None:
        before = tests_of(file.base_path or file.path, file.base_text or "")
        after = tests_of(file.path, file.text or "")
        if before is None or after is None:
            return
        elsewhere = Counter(a.text for case in after.values() for a in case.assertions)
        elsewhere.subtract(a.text for case in before.values() for a in case.assertions)
        for name, case in after.items():
            if name in before:
                for message, is_certain in self._less(before[name], case, elsewhere):
                    severity = None if is_certain and self._code_changes else Severity.INFO
                    self.report(file.path, case.span, message, severity)
                    break

    def _less(
        self, before: TestedCase, after: TestedCase, elsewhere: Counter[str]
    ) -> Iterator[tuple[str, bool]]:
        """What a test lost, most telling first, and whether that can hardly be meant otherwise."""
        if after.skip and not before.skip and not re.search(r"#\d|https?://|reason", after.skip):
            yield f'"{after.name}" is skipped now, and ran before', True
        gone = list((Counter(before.assertions) - Counter(after.assertions)).elements())
        gone = [a for a in gone if "Deprecat" not in a.text]
        new = list((Counter(after.assertions) - Counter(before.assertions)).elements())
        for old, now in _pairs(gone, new):
            if now.strength == LOOSE and old.strength > LOOSE:
                yield f'"{after.name}" asked for {old.text}, now only for {now.text}', True
            wider = [
                (n, a, b)
                for (n, a), (m, b) in zip(old.tolerance, now.tolerance, strict=False)
                if n == m and b > a
            ]
            if wider:
                name, was, became = wider[0]
                yield f'"{after.name}" allows {name}={abs(became):g} now, and allowed {abs(was):g}', True
        kept = [a for a in gone if elsewhere[a.text] < 0 and not _is_about_none(a, new)]
        if kept and not new and not after.skip:
            count = "an assertion" if len(kept) == 1 else f"{len(kept)} assertions"
            yield f'"{after.name}" lost {count}: {kept[0].text}', True


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
