"""TE201."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from wardround.checks import ChangeCase, ChangeCheck, ChangedText
from wardround.findings import Severity, Span
from wardround_tests.paths import PYTHON_TESTS, SCRIPT_TESTS, is_production, is_test

_FILES = 12
"""Changed files looked at; each asks git once what its tests are."""
_LINES = 3
"""Lines a function must have to be worth a test of its own."""
_PYTHON = r"^(?:async )?def ([a-z]\w*)\("
_SCRIPT = (
    r"^export (?:default )?(?:async )?(?:function\*? ([A-Za-z_$][\w$]*)|"
    r"const ([A-Za-z_$][\w$]*)\s*(?::[^=]+)?= (?:async )?(?:\(|function|<))"
)
_PRIVATE = r"(^|/)(_(?!_init__)[^/]*|internals?|private)(/|\.)"
_BODY = "    if not xs:\n        return 0\n    return sum(xs)\n"
_TESTS = {"tests/test_other.py": "import other\ndef test_a():\n    assert other.a\n"}
_SCRIPT_FUNCTION = (
    "export function total(xs) {\n  let sum = 0\n  for (const x of xs) sum += x\n  return sum\n}\n"
)


class UntestedFunction(ChangeCheck):
    """A public function is added or changed, and no test names it or imports its module.

    Whatever this change does to it, the tests stay green. Test it, or the code that calls it.
    """

    ID = "TE201"
    NAME = "untested-function"
    TRIED_ON = (
        "840 commits of 7 projects: 16 hits, true by name and import; several are reached through "
        "callers: info."
    )
    SEVERITY = Severity.INFO
    VALID: ClassVar[Sequence[ChangeCase]] = [
        ChangeCase({"shop.py": (None, f"def total(xs):\n{_BODY}")}),
        ChangeCase(
            {"shop.py": (None, f"def total(xs):\n{_BODY}")},
            others={"tests/test_a.py": "from shop import total\n"},
        ),
        ChangeCase(
            {"shop.py": (None, f"def total(xs):\n{_BODY}"), "test_a.py": (None, "import shop\n")},
            others=_TESTS,
        ),
        ChangeCase({"shop.py": (None, f"def _total(xs):\n{_BODY}")}, others=_TESTS),
        ChangeCase({"shop.py": (None, f"@app.route('/')\ndef total(xs):\n{_BODY}")}, others=_TESTS),
        ChangeCase(
            {"src/shop.ts": (None, _SCRIPT_FUNCTION)},
            others={"src/shop.test.ts": "import { total } from './shop'\n"},
        ),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        ChangeCase(
            {"shop.py": (None, f"import os\n\ndef total(xs):\n{_BODY}")},
            others=_TESTS,
            place=("shop.py", 3, 1),
        ),
        ChangeCase(
            {"shop.py": (f"def total(xs):\n{_BODY}", f"def total(xs):\n{_BODY.replace('0', '1')}")},
            others=_TESTS,
            place=("shop.py", 3, 1),
        ),
        ChangeCase(
            {"src/shop.ts": (None, _SCRIPT_FUNCTION)},
            others={"src/other.test.ts": "import { other } from './other'\n"},
            place=("src/shop.ts", 1, 1),
        ),
    ]

    def run(self) -> None:
        files = [
            f
            for f in self.change.files
            if is_production(f.path) and f.text is not None and not re.search(_PRIVATE, f.path)
        ]
        for file in files[:_FILES]:
            functions = list(_changed_functions(file))
            if not functions or self._is_reached(file, functions):
                continue
            first = functions[0]
            others = f" nor {len(functions) - 1} more here" if len(functions) > 1 else ""
            text = (file.text or "").split("\n")[first.place - 1]
            self.report(
                file.path,
                Span(first.place, 1, first.place, len(text) + 1),
                f'no test names "{first.name}"{others}, or imports its module',
            )

    def _is_reached(self, file: ChangedText, functions: Sequence[Function]) -> bool:
        """Whether a test names one of the functions or the module; true too if there is nothing to ask."""
        words = [_module_name(file.path), *(function.name for function in functions)]
        named = re.compile(r"\b(" + "|".join(map(re.escape, words)) + r")\b")
        for other in self.change.files:
            if is_test(other.path) and other.text is not None and named.search(other.text):
                return True
        patterns = PYTHON_TESTS if file.path.endswith(".py") else SCRIPT_TESTS
        project = self.change.project
        if any(map(is_test, project.files_with_word(words, patterns))):
            return True
        return not any(map(is_test, project.files_with_word(["import"], patterns)))


@dataclass(frozen=True, slots=True)
class Function:
    """A public function the change touches, and the first line of it that the change brought."""

    name: str
    place: int


def _changed_functions(file: ChangedText) -> Iterator[Function]:
    """Top-level public functions of some size with an added line that is code."""
    pattern = _PYTHON if file.path.endswith(".py") else _SCRIPT
    lines = (file.text or "").split("\n")
    for number, line in enumerate(lines, 1):
        match = re.match(pattern, line)
        if match is None or (number > 1 and lines[number - 2].startswith("@")):
            continue
        end = _end(lines, number)
        touched = [n for n in range(number, end + 1) if file.is_added(n) and lines[n - 1].strip()]
        name = next(group for group in match.groups() if group)
        if end - number >= _LINES and touched and name != "main":
            yield Function(name, touched[0])


def _end(lines: Sequence[str], start: int) -> int:
    """The last line of a top-level definition: the next line that is not indented ends it."""
    for number in range(start + 1, len(lines) + 1):
        line = lines[number - 1]
        if line and not line[0].isspace() and line[0] not in ")]}":
            return number - 1
    return len(lines)


def _module_name(path: str) -> str:
    """What an import of a module names: its file, or its folder where the file stands for that."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] or stem if stem in ("__init__", "index", "mod") else stem
