"""Asking the model about the literals in doubt that a change brought, within what a hook has time for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from wardround_secrets.classifier.candidates import CandidateLiteral, literals_in_doubt
from wardround_secrets.detection.scanner import ScannedText

MODEL = "secrets"
MOST_ASKED = 20
"""Literals of one file that the model is asked about; each takes up to two milliseconds."""


def secrets_in_doubt(text: ScannedText) -> Iterator[CandidateLiteral]:
    """The added literals the model takes for secrets; none without a model that may report.

    The model is asked for only where something is in doubt, which is on few lines in a thousand, so that most
    reviews never load it.
    """
    if text.is_generated or text.is_for_show:
        return
    asked = list(islice((one for one in literals_in_doubt(text) if _is_asked(text, one)), MOST_ASKED))
    model = text.models.table(MODEL) if asked else None
    if model is None:
        return
    from wardround_secrets.classifier.features import LiteralContext, features

    for literal in asked:
        setting = LiteralContext(text.path, False, text.line_of(literal.start))
        if model.score(features(literal, setting)) >= model.threshold:
            yield literal


def _is_asked(text: ScannedText, literal: CandidateLiteral) -> bool:
    return text.is_added(text.place_of(literal.start)[0]) and not text.is_tried(literal.start)
