"""A comment by which a compiler expects an error is an assertion in a test, and silences it elsewhere."""

from __future__ import annotations

import pytest
from wardround_tests.specialist import TestsSpecialist
from wardround_typescript.specialist import TypescriptSpecialist

from tests.processors.factory import added, candidate, inputs
from wardround.processors.hidden_findings import RevealHiddenFindings
from wardround.processors.model import ReviewFindings
from wardround.processors.tool_suppressions import ReportToolSuppressions

TEST = "it('takes numbers', () => {\n  COMMENT\n  total('a');\n});\n"
TYPE_TEST = "import { total } from './total';\nCOMMENT\ntotal('a');\nexport {};\n"
EXPECTED = "// @ts-expect-error"


def _counts(path: str, text: str, rule: str = "tsc/TS2345") -> tuple[bool, bool]:
    """Return True if the hidden error of the call counts, and if the comment above it is reported."""
    line = next(number for number, item in enumerate(text.split("\n"), 1) if "total('a')" in item)
    known = inputs(
        added(path, text.count("\n")),
        head={path: text},
        specialists=(TypescriptSpecialist(), TestsSpecialist()),
        is_trusted=False,
    )
    hidden = candidate(line, rule=rule, file=path, is_hidden=True)
    found = RevealHiddenFindings().apply(ReviewFindings(candidates=(hidden,)), known).candidates
    return bool(found), bool(ReportToolSuppressions().apply(ReviewFindings(), known).notices)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("web/total.test.ts", TEST),
        ("web/total.spec.tsx", TEST.replace("COMMENT", "{/* @ts-expect-error */}")),
        ("web/total.test.ts", f"describe('types', () => {{\n{EXPECTED}\n\n  total('a');\n}});\n"),
        ("web/__tests__/total.ts", TEST.replace("COMMENT", f"{EXPECTED}\n  // a number")),
        ("web/total.test-d.ts", TYPE_TEST),
    ],
)
def test_a_test_asserts_an_error(path: str, text: str) -> None:
    assert _counts(path, text.replace("COMMENT", EXPECTED)) == (False, False)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("web/total.ts", TEST, id="no-test"),
        pytest.param("web/total.test.ts", f"{EXPECTED}\ntotal('a');\n{TEST}", id="beside-a-test"),
        pytest.param(
            "web/total.test.ts", f"// it('x', () => {{\n{EXPECTED}\ntotal('a');\n// }}\n", id="note"
        ),
        pytest.param("web/total.test.ts", f"`it('x', (`;\n{EXPECTED}\ntotal('a');\n`)`;\n", id="text"),
        pytest.param("web/total.test-d.ts", f"{TYPE_TEST}export const f = 1;\n", id="exports"),
        pytest.param("web/total.test.ts", TEST.replace("COMMENT", "// @ts-ignore"), id="ignores"),
    ],
)
def test_elsewhere_it_silences(path: str, text: str) -> None:
    assert _counts(path, text.replace("COMMENT", EXPECTED)) == (True, True)


def test_it_asserts_no_finding_of_another_tool() -> None:
    text = TEST.replace("COMMENT", EXPECTED)

    assert _counts("web/total.test.ts", text, "oxlint/no-eval") == (True, False)


def test_another_comment_on_its_line_is_reported() -> None:
    text = TEST.replace("COMMENT", "/* eslint-disable no-eval */ // @ts-expect-error")

    assert _counts("web/total.test.ts", text) == (False, True)
