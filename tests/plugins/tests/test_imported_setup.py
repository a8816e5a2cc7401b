"""A setup that a test imports restores what the test replaces."""

from __future__ import annotations

import pytest
from wardround_tests.specialist import TestsSpecialist

from wardround.findings import Span

_SETUP = {
    "globals": "const real = global.fetch;\nafterEach(() => { global.fetch = real; });\n",
    "all globals": "afterEach(() => { vi.unstubAllGlobals(); });\n",
    "timers": "export function calm() { vi.useRealTimers(); }\n",
    "environment": "const before = process.env;\nafterEach(() => { process.env = before; });\n",
    "spies": "afterEach(() => vi.restoreAllMocks());\n",
    "nothing": "beforeEach(() => { start(); });\n",
}


@pytest.mark.parametrize(
    ("defect_class", "setup", "is_set_up"),
    [
        ("network-in-test", "export const server = setupServer();\n", True),
        ("network-in-test", "export const server = 1;\n", False),
        ("resource-leak", "afterAll(() => app.close());\n", True),
        ("resource-leak", "export const stop = () => app.close();\n", False),
        ("fixed-port", "afterAll(() => app.close());\n", False),
    ],
)
def test_a_setup_replaces_or_closes(defect_class: str, setup: str, *, is_set_up: bool) -> None:
    text = "import { app } from './setup';\nit('loads', () => fetch(URL));\n"
    files = {"src/setup.ts": setup}
    found = TestsSpecialist().refutes("src/a.test.ts", text, defect_class, Span(2, 1, 2, 9), files.get)
    assert found is is_set_up


@pytest.mark.parametrize(
    ("setup", "statement", "rest", "is_put_back"),
    [
        ("globals", "global.fetch = vi.fn();", "", True),
        ("globals", "global.alert = vi.fn();", "", False),
        ("all globals", "(globalThis as any).fetch = vi.fn();", "", True),
        ("timers", "vi.useFakeTimers();", "afterEach(calm);", True),
        ("timers", "vi.useFakeTimers();", "", False),
        ("environment", "process.env.MODE = 'a';", "", True),
        ("spies", "vi.spyOn(Date, 'now').mockReturnValue(1);", "", True),
        ("spies", "global.fetch = vi.fn();", "", False),
        ("nothing", "global.fetch = vi.fn();", "", False),
    ],
)
def test_a_replacement_is_restored(setup: str, statement: str, rest: str, *, is_put_back: bool) -> None:
    text = f"import './setup';\n{rest}\nit('loads', () => {{\n  {statement}\n}});\n"
    files = {"src/setup.ts": _SETUP[setup]}
    span = Span(4, 3, 4, len(statement) + 3)
    specialist = TestsSpecialist()
    found = specialist.refutes("src/a.test.ts", text, "order-dependent-tests", span, files.get)
    assert found is is_put_back
    assert not specialist.refutes("src/a.test.ts", text, "order-dependent-tests", span, {}.get)
