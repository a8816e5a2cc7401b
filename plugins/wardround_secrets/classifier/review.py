"""Classification of the ambiguous literals in added lines, within the time budget of a git hook."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from wardround_secrets.classifier.candidates import CandidateLiteral, ambiguous_literals
from wardround_secrets.detection.scanner import ScannedText

MODEL = "secrets"
MOST_CLASSIFIED = 20
"""Maximum number of literals of one file that the model scores; each takes up to two milliseconds."""


def predicted_secrets(text: ScannedText) -> Iterator[CandidateLiteral]:
    """Yield the added literals that the model classifies as secrets; none without an approved model.

    The model is loaded only for ambiguous literals, which are on few lines in a thousand, so most reviews
    never load it.
    """
    if text.is_generated or text.is_example_file:
        return
    candidates = list(
        islice(
            (literal for literal in ambiguous_literals(text) if _is_classified(text, literal)),
            MOST_CLASSIFIED,
        )
    )
    model = text.models.table(MODEL) if candidates else None
    if model is None:
        return
    from wardround_secrets.classifier.features import LiteralContext, features

    for literal in candidates:
        setting = LiteralContext(text.path, False, text.line_of(literal.start))
        if model.score(features(literal, setting)) >= model.threshold:
            yield literal


def _is_classified(text: ScannedText, literal: CandidateLiteral) -> bool:
    return text.is_added(text.position_of(literal.start)[0]) and not text.is_example(literal.start)
