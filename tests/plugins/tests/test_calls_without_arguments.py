"""A test that asserts that a function without parameters was called asserts all of the call."""

from __future__ import annotations

import pytest
from wardround_tests.specialist import TestsSpecialist

from wardround.findings import Span

_TEST = "import { Dialog } from './dialog'\nit('x', () => {\n  %s\n})\n"


@pytest.mark.parametrize(
    ("line", "module", "refuted"),
    [
        ("expect(onClose).toHaveBeenCalled()", "onClose()", True),
        ("expect(props.onClose).toHaveBeenCalledTimes(1)", "props.onClose?.()", True),
        ("expect(onClose).toHaveBeenCalled()", "onClose(reason)", False),
        ("expect(onClose).toHaveBeenCalled()", "onClose(); onClose(1)", False),
        ("expect(onClose).toHaveBeenCalled()", "", False),
        ("expect(onClose).toHaveBeenCalled(); expect(send).toHaveBeenCalled()", "onClose(); send(1)", False),
        ("expect(event.preventDefault).toHaveBeenCalled()", "", True),
        ("const close = vi.fn<() => void>(); expect(close).toHaveBeenCalledOnce()", "", True),
    ],
)
def test_mocks_of_functions_without_parameters(line: str, module: str, refuted: bool) -> None:
    text = _TEST % line
    files = {"src/dialog.tsx": module}

    found = TestsSpecialist().refutes(
        "src/dialog.test.tsx", text, "only-mock-calls-asserted", Span(2, 1, 4, 3), files.get
    )

    assert found is refuted
