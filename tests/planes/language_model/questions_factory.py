"""Questions and their exchanges with an endpoint on loopback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.planes.language_model.loopback import Behaviour, Endpoint, endpoint
from wardround.config.language_model import LanguageModelSettings
from wardround.findings import Plane
from wardround.planes.language_model.calls import run_all
from wardround.planes.language_model.exchange_runner import ExchangeRunner, PlaneAnswer
from wardround.planes.language_model.hunks import SentHunk
from wardround.planes.language_model.inputs import Described
from wardround.planes.language_model.prompts import load_prompt
from wardround.planes.language_model.question import Candidate, Question, question
from wardround.text.redaction import redact_secrets

HEAD = "import os\n\n\ndef limit(values):\n    return values[:11]\n"
LINES = (
    "3   ",
    "4 + def limit(values):",
    "5 +     return values[:11]",
)
HUNK = SentHunk("app.py", "app.py", LINES, {4: "def limit(values):", 5: "    return values[:11]"})
KEY = "sk-loopback-0123456789abcdef"


def settings(url: str = "http://127.0.0.1:1/v1", **values: Any) -> LanguageModelSettings:
    """The settings of a test, with a short timeout."""
    return LanguageModelSettings(**({"url": url, "model": "test-model", "timeout": 5.0} | values))


def question_of(plane: Plane = Plane.INTENT, *hunks: SentHunk) -> Question:
    """The question of a plane about one hunk."""
    candidates = [Candidate(hunk, is_test=plane is Plane.TESTS) for hunk in hunks or (HUNK,)]
    return question(load_prompt(plane), candidates, Described(messages=("Return ten values",)), 10_000)


def runner(configured: LanguageModelSettings) -> ExchangeRunner:
    """Asks about ``HEAD``."""
    return ExchangeRunner(
        configured, lambda text: redact_secrets(text.replace(KEY, "***")), lambda path: HEAD
    )


def exchange(
    *behaviours: Behaviour,
    plane: Plane = Plane.INTENT,
    is_cancelled: Callable[[], bool] = lambda: False,
    **values: Any,
) -> tuple[PlaneAnswer, Endpoint]:
    """Ask one plane of an endpoint."""
    with endpoint(*behaviours) as server:
        configured = settings(server.url, **values)
        (answer,) = run_all(runner(configured), [question_of(plane)], configured, KEY, is_cancelled)
    return answer, server
