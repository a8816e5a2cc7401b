"""The results of calls as a person reads them: short, and without secrets."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.context.run_evidence import Observed
from wardround.lazy import LazyPattern
from wardround.text.redaction import redact_literals, redact_secrets
from wardround.workflows.behaviour.differing_part import arguments_of, around_difference, differing_part
from wardround.workflows.behaviour.stages import ReplayedCall

_DIGESTS = LazyPattern(r"\.\.\. \(\d{1,9} characters, [0-9a-f]{12}\)")
MOST_SHOWN = 300
"""Characters of a string."""
_MOST_UNCUT, _LEAD = 160, 40
"""Number of characters of a representation shown from its start, and before the first difference in
others.
"""
_MOST_WHOLE = 160
"""Characters of both results together up to which both are shown, and not the part that differs."""
_MOST_CALL, _MOST_ARGUMENT, _LEAST_ARGUMENT = 200, 60, 30
"""Characters of a call, and of an argument in a longer one."""
_MOST_PRINTED = 60


def call_text(written: str) -> str:
    """Return a call without secrets; in a long one, the longest arguments are shortened."""
    text = redact_literals(written)
    found = arguments_of(text) if len(text) > _MOST_CALL else None
    if found is None:
        return observed_text(written)
    opening, entries = found
    values = [value for _, value in entries]
    for most in (_MOST_ARGUMENT, _LEAST_ARGUMENT):
        for at in sorted(range(len(values)), key=lambda at: -len(values[at])):
            if len(opening) + sum(map(len, values)) > _MOST_CALL:
                values[at] = _shorten(entries[at][1], most)
    arguments = [
        f"{label}={value}" if label else value for (label, _), value in zip(entries, values, strict=True)
    ]
    return observed_text(f"{opening}{', '.join(arguments)})")


def _shorten(value: str, most: int) -> str:
    """Return the beginning and the end of the text of an argument, in a form that is not a literal."""
    if len(value) <= most + _LEAD // 2:
        return value
    quote = value[-1] if value[-1] in "'\"" else ""
    return f"{value[: most - 15]}{quote} ... {quote}{value[-15:]}" if quote else f"{value[:most]}..."


def difference_text(before: ReplayedCall, after: ReplayedCall) -> str:
    """Return the part in which long results differ, as a clause; empty if both can be shown completely."""
    if before.kind != after.kind or before.type != after.type:
        return ""
    item, other = _represent_both((before.text, before.shown), (after.text, after.shown))
    if item != other:
        return _shorten_difference(item, other, "the error" if before.kind == "raised" else "the result")
    for name in sorted({*before.changed, *after.changed}):
        item, other = _argument_texts_of(before, after, name)
        if item != other:
            part = _shorten_difference(item, other, name)
            return f"after the call, {part}" if part else ""
    item, other = around_difference(repr(before.printed), repr(after.printed), _MOST_PRINTED)
    is_long = len(before.printed) + len(after.printed) > _MOST_WHOLE
    return f"it printed {item}; it prints {other} now" if is_long else ""


def _shorten_difference(before: str, after: str, name: str) -> str:
    return differing_part(before, after, name) if len(before) + len(after) > _MOST_WHOLE else ""


def is_visible(before: ReplayedCall, after: ReplayedCall) -> bool:
    """Return True if two calls differ in what a person may read of them."""
    if before.kind != after.kind:
        return True
    pairs = [_represent_both((before.text, before.shown), (after.text, after.shown))]
    pairs += [_argument_texts_of(before, after, name) for name in {*before.changed, *after.changed}]
    pairs.append((redact_literals(before.printed), redact_literals(after.printed)))
    return any(left != other for left, other in pairs)


def _represent_both(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[str, str]:
    """Return both representations for a person without secrets, or the exact ones if only these differ."""
    pairs = [(redact_literals(before[at]), redact_literals(after[at])) for at in (1, 0)]
    same = pairs[0][0], pairs[0][0]
    return next((pair for pair in pairs if _strip_digests(pair[0]) != _strip_digests(pair[1])), same)


def _strip_digests(text: str) -> str:
    """Return a representation without the digests that replace truncated parts."""
    return _DIGESTS.sub("", text) if " characters, " in text else text


def _argument_texts_of(before: ReplayedCall, after: ReplayedCall, name: str) -> tuple[str, str]:
    """Return the representation of an argument after both calls; for an unchanged one the earlier one."""
    item, other = before.changed.get(name), after.changed.get(name)
    earlier = (item or other or ("", "", ""))[2]
    if item is None or other is None:
        return _represent_both((item[0] if item else earlier,) * 2, (other[0] if other else earlier,) * 2)
    return _represent_both(item, other)


def observe(call: ReplayedCall, other: ReplayedCall) -> Observed:
    """Return what a call did, for a person.

    Args:
        other: the same call in the other version; effects that both have are omitted.
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
    """Return the representation for a person, or the exact one if only that differs from the other
    version's.
    """
    at = 0 if texts[1] == others[1] and texts[0] != others[0] else 1
    return observed_text(texts[at], others[at])


def observed_text(text: str, other: str = "") -> str:
    """Return a representation without secrets, shortened around its first difference from another one."""
    first = _first_shown_offset(text, other) if other else 0
    redacted = redact_secrets(f"... {text[first:]}") if first else redact_literals(text)
    return redacted if len(redacted) <= MOST_SHOWN else f"{redacted[:MOST_SHOWN]}..."


def _first_shown_offset(text: str, other: str) -> int:
    """Return the first character to show, so that a finding that shortens the text has the difference."""
    at = next(
        (at for at, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other))
    )
    return at - _LEAD if len(text) > _MOST_UNCUT and at > _MOST_UNCUT // 2 else 0
