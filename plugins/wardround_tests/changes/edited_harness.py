"""TE204."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from wardround.checks import ChangeCase, ChangeCheck, ChangedText
from wardround.findings import Severity, Span
from wardround_tests.changes.edited_lines import added_lines, line_after_removal, removed_lines
from wardround_tests.paths import is_production, is_test

_PYTHON_SETTINGS = frozenset(
    {"pyproject.toml", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "setup.cfg",
     ".coveragerc", "noxfile.py"}
)  # fmt: skip
_SCRIPT_SETTINGS = frozenset({"jest", "vitest", "vite", "karma", "playwright", "cypress", "mocharc", "nycrc"})
_RECIPES = frozenset(
    {"makefile", "gnumakefile", "justfile", "taskfile.yml", "taskfile.yaml", ".gitlab-ci.yml", "jenkinsfile",
     ".travis.yml", "azure-pipelines.yml"}
)  # fmt: skip
_RECIPE_FOLDERS = (".github/workflows/", ".circleci/", "scripts/", "ci/", ".ci/")


class Kind(enum.Enum):
    """What a file says about how tests are run."""

    PYTHON = "settings of Python's test tools"
    SCRIPT = "settings of a script test runner"
    CONFTEST = "fixtures and hooks of pytest"
    RECIPE = "steps of CI or of a task runner"
    COVERAGE = "coverage thresholds"


def _kind(path: str) -> Kind | None:
    """What a file says about how tests are run; None if nothing."""
    name = path.rpartition("/")[2]
    if name == "conftest.py":
        return Kind.CONFTEST
    if name in _PYTHON_SETTINGS:
        return Kind.PYTHON
    if name == "package.json" or name.lstrip(".").partition(".")[0] in _SCRIPT_SETTINGS:
        return Kind.SCRIPT
    if name.lower() in _RECIPES or path.startswith(_RECIPE_FOLDERS):
        return Kind.RECIPE
    return Kind.COVERAGE if name.lstrip(".") in ("codecov.yml", "codecov.yaml") else None


# Patterns are texts here, since compiling them takes longer than most reviews that need none.

_RUNS_TESTS = (
    r"\b(pytest|py\.test|vitest|jest|tox|nox|unittest|mocha|playwright test|hatch (run )?test|go test|"
    r"(npm|yarn|pnpm|bun)( run)? test\S*|make (test|check)\S*|cargo test|coverage run)\b"
)
_IS_INSTALL = (
    r"\b(install|uses|name|cache|pip|add|requires|dependencies|version|key|path|image)\b|^\s*#|[=<>~]=|"
    r"\.(html|xml|json)\b"
)


@dataclass(frozen=True, slots=True)
class Weakening:
    """A line that, once added to a file of some kinds, lets more pass than before."""

    kinds: frozenset[Kind]
    line: str
    says: str


_WEAKENINGS = (
    Weakening(
        frozenset({Kind.PYTHON, Kind.RECIPE}),
        r"--deselect\b|--ignore(-glob)?[= ]\S*test|-k\s*['\"]?not\b|--no-cov\b",
        "leaves tests out of the run",
    ),
    Weakening(
        frozenset({Kind.SCRIPT}),
        r"testPathIgnorePatterns|--passWithNoTests|--exclude\b|"
        r"(passWithNoTests|dangerouslyIgnoreUnhandledErrors)\s*:\s*true|"
        r"\"test\"\s*:\s*\"(echo|true|exit 0|:)",
        "leaves tests out of the run",
    ),
    Weakening(
        frozenset({Kind.CONFTEST}),
        r"^\s*collect_ignore(_glob)?\b|def pytest_ignore_collect|def pytest_collection_modifyitems|"
        r"def pytest_runtest_(makereport|call|protocol)|def pytest_sessionfinish",
        "changes which tests run or how they are judged",
    ),
    Weakening(
        frozenset({Kind.PYTHON}),
        r"^\s*xfail_strict\s*=\s*(false|False|0)|^\s*ignore_outcome\s*=\s*(true|True|1)",
        "lets failing tests pass",
    ),
    Weakening(
        frozenset({Kind.RECIPE}),
        r"continue-on-error:\s*true|allow_failure:\s*true",
        "lets this step fail without failing the run",
    ),
    Weakening(
        frozenset({Kind.RECIPE, Kind.SCRIPT, Kind.PYTHON}),
        rf"{_RUNS_TESTS}.*(\|\|\s*(true|exit 0|:|echo)|;\s*(true|exit 0))",
        "lets failing tests pass",
    ),
)
_THRESHOLD = (
    r"(fail_under|fail-under|cov-fail-under|statements|branches|functions|lines|target|minimum_coverage)"
    r"\W{1,4}(\d+(?:\.\d+)?)"
)
_STRICT = (
    r"--strict-markers|--strict-config|xfail_strict\s*=\s*(true|True)|^\s*[\"']?error[\"',]*\s*$|"
    r"-W ?error\b|filterwarnings\s*=.*\berror\b"
)
_AUTOUSE = (
    r"(?m)^@pytest\.fixture\([^)]*autouse\s*=\s*True[^)]*\)\s*\n"
    r"(?:@[^\n]*\n)*(?:async )?def (\w+)[^\n]*"
)
_ADDOPTS = "[tool.pytest.ini_options]\naddopts = '-ra'\n"
_CODE = {"shop.py": ("a = 1\n", "a = 2\n")}


@dataclass(frozen=True, slots=True)
class Eased:
    """A line by which a file lets more pass than before; with a severity of its own where it only may."""

    line: int
    message: str
    severity: Severity | None = None


class EditedHarness(ChangeCheck):
    """A change eases the tests it is judged by: what they collect, what fails them, or whether CI minds.

    Together with code in the same change, a green run no longer says what it said before. A person has to
    look at this edit by itself; best give it a commit of its own, with the reason.
    """

    ID = "TE204"
    NAME = "test-harness-edited"
    TRIED_ON = (
        "1,440 commits of 10 projects: 3 hits, all true: 2 rewritten autouse fixtures (info), 1 "
        "collection hook."
    )
    SEVERITY = Severity.WARN
    VALID: ClassVar[Sequence[ChangeCase]] = [
        ChangeCase({"pyproject.toml": (_ADDOPTS, _ADDOPTS.replace("-ra", "-ra --ignore=tests/old"))}),
        ChangeCase({**_CODE, "pyproject.toml": (_ADDOPTS, _ADDOPTS.replace("-ra", "-ra --strict-markers"))}),
        ChangeCase(
            {
                **_CODE,
                "conftest.py": (
                    "import pytest\n",
                    "import pytest\n@pytest.fixture\ndef shop():\n    return 1\n",
                ),
            }
        ),
        ChangeCase({**_CODE, ".coveragerc": ("[report]\nfail_under = 80\n", "[report]\nfail_under = 85\n")}),
        ChangeCase({**_CODE, ".github/workflows/ci.yml": ("- run: pytest\n", "- run: pytest -n auto\n")}),
        ChangeCase({**_CODE, "Makefile": ("test:\n\tpytest\n", "test:\n\tpytest\na:\n\trm -r b || true\n")}),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        ChangeCase(
            {
                **_CODE,
                "pyproject.toml": (_ADDOPTS, _ADDOPTS.replace("-ra", "-ra --deselect tests/test_a.py")),
            },
            place=("pyproject.toml", 2, 1),
        ),
        ChangeCase(
            {**_CODE, ".coveragerc": ("[report]\nfail_under = 90\n", "[report]\nfail_under = 70\n")},
            place=(".coveragerc", 2, 1),
        ),
        ChangeCase(
            {
                **_CODE,
                ".github/workflows/ci.yml": ("- run: pytest\n", "- run: pytest\n  continue-on-error: true\n"),
            },
            place=(".github/workflows/ci.yml", 2, 3),
        ),
        ChangeCase(
            {**_CODE, "Makefile": ("test:\n\tpytest\n", "test:\n\tpytest || true\n")},
            place=("Makefile", 2, 2),
        ),
        ChangeCase(
            {
                **_CODE,
                "tests/conftest.py": (
                    "import pytest\n@pytest.fixture(autouse=True)\ndef calm(net):\n    cut(net)\n    yield\n",
                    "import pytest\n@pytest.fixture(autouse=True)\ndef calm(net):\n    yield\n",
                ),
            },
            place=("tests/conftest.py", 3, 1),
        ),
        ChangeCase(
            {
                **_CODE,
                ".github/workflows/ci.yml": (
                    "- run: make\n- run: pytest\n- run: ls\n",
                    "- run: make\n- run: ls\n",
                ),
            },
            place=(".github/workflows/ci.yml", 2, 1),
        ),
        ChangeCase(
            {
                **_CODE,
                "pytest.ini": (
                    "[pytest]\nfilterwarnings =\n    error\n",
                    "[pytest]\nfilterwarnings =\n    default\n",
                ),
            },
            place=("pytest.ini", 3, 5),
        ),
    ]

    def run(self) -> None:
        edited = [f for f in self.change.files if f.base_path is not None and _kind(f.path) is not None]
        judged = [f for f in self.change.files if is_production(f.path) or _holds_tests(f.path)]
        if not edited or not judged:
            return
        for file in edited:
            if file.text is None or file.base_text is None:
                continue
            place = next(iter(_eased(file)), None)
            if place is not None:
                text = file.text.split("\n")[place.line - 1]
                column = len(text) - len(text.lstrip()) + 1
                span = Span(place.line, column, place.line, max(len(text.rstrip()) + 1, column))
                self.report(file.path, span, place.message, place.severity)


def _holds_tests(path: str) -> bool:
    return is_test(path) and not path.endswith("conftest.py")


def _eased(file: ChangedText) -> Iterator[Eased]:
    """The lines by which a file lets more pass than before, and how."""
    kind, added, gone = _kind(file.path), added_lines(file), removed_lines(file)
    for weakening in _WEAKENINGS:
        if kind in weakening.kinds:
            yield from _added_weakening(weakening, added, gone)
    yield from _lowered_thresholds(added, gone)
    if kind is Kind.PYTHON:
        yield from _less_strict(file, added, gone)
    elif kind is Kind.RECIPE:
        yield from _no_longer_run(file, added, gone)
    elif kind is Kind.CONFTEST:
        yield from _changed_autouse(file, gone)


def _added_weakening(
    weakening: Weakening, added: Sequence[tuple[int, str]], gone: Sequence[str]
) -> Iterator[Eased]:
    before = sum(len(re.findall(weakening.line, line)) for line in gone)
    hits = [
        (n, line)
        for n, line in added
        if re.search(weakening.line, line) and not line.lstrip().startswith("#")
    ]
    if sum(len(re.findall(weakening.line, line)) for _, line in hits) > before:
        number, line = hits[0]
        yield Eased(number, f"{weakening.says}, in the change that it judges: {_short(line)}")


def _lowered_thresholds(added: Sequence[tuple[int, str]], gone: Sequence[str]) -> Iterator[Eased]:
    before = {match[1]: float(match[2]) for line in gone for match in re.finditer(_THRESHOLD, line)}
    for number, line in added:
        for match in re.finditer(_THRESHOLD, line):
            was = before.get(match[1])
            if was is not None and float(match[2]) < was:
                yield Eased(
                    number, f"{match[1]} goes down from {was:g} to {match[2]} with the code it judges"
                )


def _less_strict(file: ChangedText, added: Sequence[tuple[int, str]], gone: Sequence[str]) -> Iterator[Eased]:
    lost = [line for line in gone if re.search(_STRICT, line)]
    if lost and not any(re.search(_STRICT, line) for line in (file.text or "").split("\n")):
        number = added[0][0] if added else line_after_removal(file)
        yield Eased(number, f"this no longer fails the tests: {_short(lost[0])}")


def _no_longer_run(
    file: ChangedText, added: Sequence[tuple[int, str]], gone: Sequence[str]
) -> Iterator[Eased]:
    lost = [line for line in gone if re.search(_RUNS_TESTS, line) and not re.search(_IS_INSTALL, line)]
    if lost and not any(re.search(_RUNS_TESTS, line) for line in (file.text or "").split("\n")):
        yield Eased(line_after_removal(file), f"the tests are no longer run here: {_short(lost[0])}")


def _changed_autouse(file: ChangedText, gone: Sequence[str]) -> Iterator[Eased]:
    """Autouse fixtures whose body is another than before: they decide about every test below them."""
    if not gone:
        return
    before = dict(_fixtures(file.base_text or ""))
    for name, (line, body) in _fixtures(file.text or ""):
        if name in before and _code(before[name][1]) != _code(body):
            text = f'the fixture "{name}", which every test gets, is changed with the code that it judges'
            yield Eased(line, text, None if _demands(body) < _demands(before[name][1]) else Severity.INFO)


def _fixtures(text: str) -> Iterator[tuple[str, tuple[int, str]]]:
    for match in re.finditer(_AUTOUSE, text):
        start = text.rfind("def ", 0, match.end(1)) if "def " in match[0] else match.start()
        rest = re.match(r"(?:\n(?:[ \t][^\n]*)?)*", text[match.end() :])
        yield match[1], (text.count("\n", 0, start) + 1, rest[0] if rest else "")


def _code(body: str) -> list[str]:
    """The lines of a body without comments, and without what types and formatters change."""
    return [line for line in (re.sub(r"\s*#.*", "", one).strip() for one in body.split("\n")) if line]


def _demands(body: str) -> int:
    """How many statements of a fixture could fail or hold back a test."""
    return sum(line != "yield" and not line.startswith(('"""', "import ", "from ")) for line in _code(body))


def _short(line: str) -> str:
    text = " ".join(line.split())
    return text if len(text) <= 60 else f"{text[:57]}..."
