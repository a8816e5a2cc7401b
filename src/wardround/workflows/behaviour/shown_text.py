"""The results of calls as a person reads them: short, and without secrets."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.context.run_evidence import Observed
from wardround.text.redaction import redact_literals, redact_secrets
from wardround.workflows.behaviour.stages import ReplayedCall

MOST_SHOWN = 300
"""Characters of a text."""
_MOST_UNCUT, _LEAD = 160, 40
"""Characters of a text that is shown from its start, and those before the first difference in others."""


def observed(call: ReplayedCall, other: ReplayedCall) -> Observed:
    """Return what a call did, for a person.

    Args:
        other: the same call on the other side; effects that both have are left out.
    """
    text = _distinct((call.text, call.shown), (other.text, other.shown))
    printed = "" if call.printed == other.printed else observed_text(call.printed, other.printed)
    is_raised = call.kind == "raised"
    arguments = tuple(_changed_arguments(call, other))
    return Observed(None if is_raised else text, text if is_raised else None, arguments, printed)


def _changed_arguments(call: ReplayedCall, other: ReplayedCall) -> Iterator[str]:
    for name in sorted({*call.changed, *other.changed}):
        texts, others = call.changed.get(name), other.changed.get(name)
        if texts is None:
            yield f"{name} unchanged"
        elif others is None or texts[0] != others[0]:
            yield f"{name}={_distinct(texts, others or ('', ''))}"


def _distinct(texts: tuple[str, ...], others: tuple[str, ...]) -> str:
    """Return the text for a person, or the exact one if only that differs from the other side's."""
    at = 0 if texts[1] == others[1] and texts[0] != others[0] else 1
    return observed_text(texts[at], others[at])


def observed_text(text: str, other: str = "") -> str:
    """Return a text without secrets, shortened around its first difference from another one."""
    first = _first_shown(text, other) if other else 0
    redacted = redact_secrets(f"... {text[first:]}") if first else redact_literals(text)
    return redacted if len(redacted) <= MOST_SHOWN else f"{redacted[:MOST_SHOWN]}..."


def _first_shown(text: str, other: str) -> int:
    """Return the first character to show, so that a finding that shortens the text has the difference."""
    at = next(
        (at for at, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other))
    )
    return at - _LEAD if len(text) > _MOST_UNCUT and at > _MOST_UNCUT // 2 else 0
