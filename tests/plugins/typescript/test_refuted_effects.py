"""Findings about late responses are refuted in an effect that a flag lets run once."""

from __future__ import annotations

import pytest
from wardround_typescript.false_positives import refutes

from wardround.findings import Span

_EFFECT = """\
useEffect(() => {
  if (begun.current) return;
  SET
  fetch(`/users/${id}`).then(setUser);
}, [id]);
"""


@pytest.mark.parametrize(("statement", "is_refuted"), [("begun.current = true;", True), ("", False)])
def test_request_of_an_effect(statement: str, is_refuted: bool) -> None:
    text = _EFFECT.replace("SET", statement)
    refuted = refutes("a.tsx", text, "effect-request-race", Span(4, 3, 4, 23), lambda path: None)
    assert refuted is is_refuted
