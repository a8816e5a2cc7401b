"""Annotations as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby

from wardround.authoring.types.model import RETURN, Annotation
from wardround.authoring.types.offering import Offer

SCHEMA = "wardround.types/1"


def as_text(offer: Offer) -> str:
    """Return a line for each function with its annotations and evidence, and one with the numbers."""
    lines = [f"{line}\n" for line in _lines(offer)]
    counts = f"{offer.accepted} of {offer.missing} missing annotations accepted by the type checker"
    rejected = offer.predicted - offer.accepted
    return "".join([*lines, f"{counts}; {rejected} rejected\n" if rejected else f"{counts}\n"])


def _lines(offer: Offer) -> Iterator[str]:
    signatures = groupby(offer.annotations, key=lambda item: (item.path, item.line, item.function))
    for (path, line, function), parts in signatures:
        yield f"{path}:{line} {function}: {', '.join(map(_description, parts))}"


def _description(annotation: Annotation) -> str:
    written = (
        f"-> {annotation.type}" if annotation.part == RETURN else f"{annotation.part}: {annotation.type}"
    )
    return f"{written} ({annotation.evidence})"


def as_json(offer: Offer) -> str:
    """Return the annotations by path and line, and the numbers."""
    entries = [
        {
            "file": item.path, "line": item.line, "function": item.function, "part": item.part,
            "type": item.type, "evidence": item.evidence,
        }
        for item in offer.annotations
    ]  # fmt: skip
    document = {
        "schema": SCHEMA, "annotations": entries,
        "missing": offer.missing, "predicted": offer.predicted, "accepted": offer.accepted,
    }  # fmt: skip
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
