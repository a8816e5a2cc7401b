"""The features of a change to documented code: one row of numbers for each callable.

Four groups: the size of the change, the form of the documentation, the changes of signature, results and
errors, and the share of removed and added names that the documentation mentions. The last is the content; the
first two make it unnecessary for a model to infer them, and a baseline can consist of them only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from wardround.semantics.docdrift.model import (
    DocComment,
    DocumentedChange,
    DocumentedCode,
    Style,
    mentions_any,
)
from wardround.semantics.docdrift.parameters import removed_documented_parameters, undocumented_parameters
from wardround.semantics.docdrift.stale_phrases import QuoteKind, quotes
from wardround.text.tokens import STOP_WORDS, is_code_like, sentences, stems_of, stems_of_name

_Counts = dict[str, float]


def features(change: DocumentedChange) -> tuple[float, ...]:
    """Return the features of one change, in the order of ``NAMES``; all finite."""
    return tuple(float(value) for value in _measure(change).values())


def _measure(change: DocumentedChange) -> _Counts:
    return {
        **_size(change),
        **_shape(change),
        **_signature(change),
        **_outcome(change),
        **_name_counts(change),
        **_overlap(change),
    }


def _log(count: float) -> float:
    return math.log1p(count)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _size(change: DocumentedChange) -> _Counts:
    removed, added = change.delta.removed.total(), change.delta.added.total()
    old, new = len(change.old.tokens), len(change.new.tokens)
    return {
        "size_changed": _log(removed + added),
        "size_removed": _log(removed),
        "size_added": _log(added),
        "size_old": _log(old),
        "size_removed_share": _share(removed, old),
        "size_added_share": _share(added, new),
        "size_growth": _log(new) - _log(old),
        "size_lines_removed": _log(len(change.delta.old_lines)),
        "size_lines_added": _log(len(change.delta.new_lines)),
    }


def _shape(change: DocumentedChange) -> _Counts:
    words = change.words
    return {
        "shape_words": _log(len(words.names)),
        "shape_lines": _log(sum(1 for line in words.lines if line.strip())),
        "shape_sentences": _log(len(sentences(words.text))),
        "shape_parameters": _log(len(words.parameters)),
        "shape_raises": _log(len(words.raises)),
        "shape_has_returns": words.returns is not None,
        "shape_has_yields": words.yields is not None,
        "shape_google": words.style is Style.GOOGLE,
        "shape_numpy": words.style is Style.NUMPY,
        "shape_sphinx": words.style in (Style.SPHINX, Style.JSDOC),
        "shape_marked": _log(len(words.marked)),
        "shape_numbers": _log(len(words.numbers)),
        "shape_example": ">>>" in words.text or "::\n" in words.text or "```" in words.text,
        "shape_history": words.told_history,
        "shape_words_per_code": _log(len(words.names)) - _log(len(change.old.tokens)),
    }


def _signature(change: DocumentedChange) -> _Counts:
    words, old, new = change.words, change.old.signature, change.new.signature
    documented = {entry.name for entry in words.parameters}
    come = [name for name in new.names if name not in old.names]
    removed_items = [name for name in old.names if name not in new.names]
    retained = [name for name in old.names if name in new.names]
    defaults = [name for name in retained if old.defaults.get(name) != new.defaults.get(name)]
    stale = removed_documented_parameters(change)
    return {
        "signature_changed": old != new,
        "signature_come": len(come),
        "signature_gone": len(removed_items),
        "signature_gone_documented": len(stale),
        "signature_come_undocumented": len(undocumented_parameters(change)),
        "signature_come_unnamed": sum(name not in words.named for name in come),
        "signature_come_named": sum(name in words.named for name in come),
        "signature_gone_named": sum(name in words.named for name in removed_items),
        "signature_renamed": sum(phrase.now is not None for phrase in stale),
        "signature_defaults": len(defaults),
        "signature_defaults_documented": sum(name in documented for name in defaults),
        "signature_order": retained != [name for name in new.names if name in old.names],
        "signature_open_ended": old.open_ended != new.open_ended,
        "signature_documented_share": _share(len(documented & set(old.names)), len(old.names)),
        "signature_wrappers": change.old.wrappers != change.new.wrappers,
        "signature_public": change.is_public,
        "signature_special": change.simple_name.startswith("__"),
    }


def _outcome(change: DocumentedChange) -> _Counts:
    words, old, new = change.words, change.old, change.new
    documents_result = words.returns is not None or mentions_any(words.stems, "return")
    is_changed = sorted(old.returns) != sorted(new.returns)
    return {
        "outcome_returns": len(new.returns) - len(old.returns),
        "outcome_returns_changed": is_changed,
        "outcome_returns_changed_said": documents_result and is_changed,
        "outcome_value_or_none": any(old.returns) != any(new.returns),
        "outcome_yields_changed": old.yields != new.yields,
        **_exception_counts(change),
        "outcome_conditions": _conditions(new) - _conditions(old),
        "outcome_none_tests_said": ("None" in words.named) and _none_tests(new) != _none_tests(old),
    }


def _exception_counts(change: DocumentedChange) -> _Counts:
    words, old, new = change.words, set(change.old.raises), set(change.new.raises)
    removed, added = old - new, new - old
    documented = {entry.name.rpartition(".")[2] for entry in words.raises}
    return {
        "outcome_raised_gone": len(removed),
        "outcome_raised_gone_said": sum(name in words.named for name in removed),
        "outcome_raised_come": len(added),
        "outcome_raised_come_unsaid": bool(documented) and any(name not in words.named for name in added),
    }


def _conditions(code: DocumentedCode) -> int:
    return sum(line.startswith(("if ", "elif ", "if(", "} else if")) for line in code.lines)


def _none_tests(code: DocumentedCode) -> int:
    return sum("is None" in line or "is not None" in line or "null" in line for line in code.lines)


def _name_counts(change: DocumentedChange) -> _Counts:
    words = change.words
    removed = change.removed & words.named
    code_like = {name for name in removed if is_code_like(name)}
    called = _called_names(change.delta.old_lines) & change.removed & words.named
    plain = {name for name in removed - code_like if name.lower() not in STOP_WORDS}
    added = change.added & words.named
    return {
        "named_gone": len(removed),
        "named_gone_code_like": len(code_like),
        "named_gone_marked": len(removed & words.marked),
        "named_gone_telling": len(code_like | (removed & words.marked)),
        "named_gone_called": len(called),
        "named_gone_plain": len(plain),
        "named_gone_share": _share(len(removed), len(change.removed)),
        "named_come": len(added),
        "named_come_telling": sum(is_code_like(name) for name in added),
        **_named_literals(change),
        **_quote_counts(change),
    }


def _named_literals(change: DocumentedChange) -> _Counts:
    words, removed = change.words, change.removed_literals
    return {
        "named_literals_gone": sum(text in words.text for text in removed if len(text) > 2),
        "named_numbers_gone": len(removed & words.numbers),
    }


def _quote_counts(change: DocumentedChange) -> _Counts:
    found = quotes(change)
    return {
        "named_default_gone": sum(quote.kind is QuoteKind.DEFAULT for quote in found),
        "named_result_gone": sum(quote.kind is QuoteKind.RESULT for quote in found),
        "named_quotes": len(found),
        "named_replaced": sum(quote.now is not None for quote in found),
    }


def _called_names(lines: Iterable[str]) -> frozenset[str]:
    """Return the names of the functions called in some lines."""
    names = (piece.rpartition(".")[2].split()[-1:] for line in lines for piece in line.split("(")[:-1])
    return frozenset(name for (name,) in (n for n in names if n) if name.isidentifier())


def _overlap(change: DocumentedChange) -> _Counts:
    words = change.words
    removed_items = stems_of(change.removed | change.removed_literals) - change.new.stems
    come = stems_of(change.added) - change.old.stems
    old, new = change.old.stems, change.new.stems
    content = words.stems
    summary = _stems_of_prose(words.summary)
    per_sentence = [len(_stems_of_prose(sentence) & removed_items) for sentence in sentences(words.text)]
    return {
        "overlap_gone": len(removed_items & content),
        "overlap_gone_of_words": _share(len(removed_items & content), len(content)),
        "overlap_gone_of_gone": _share(len(removed_items & content), len(removed_items)),
        "overlap_gone_count": _log(len(removed_items)),
        "overlap_come": len(come & content),
        "overlap_come_of_come": _share(len(come & content), len(come)),
        "overlap_come_count": _log(len(come)),
        "overlap_old": _share(len(content & old), len(content)),
        "overlap_new": _share(len(content & new), len(content)),
        "overlap_loss": _share(len(content & old) - len(content & new), len(content)),
        "overlap_summary_gone": len(summary & removed_items),
        "overlap_summary_loss": _share(len(summary & old) - len(summary & new), len(summary)),
        "overlap_name_gone": len(frozenset(stems_of_name(change.simple_name)) & removed_items),
        "overlap_sentence_most": max(per_sentence, default=0),
        "overlap_sentences": sum(count > 0 for count in per_sentence),
    }


def _stems_of_prose(prose: str) -> frozenset[str]:
    return DocComment(prose).stems


NAMES: tuple[str, ...] = tuple(
    _measure(DocumentedChange("", DocComment(""), DocumentedCode(()), DocumentedCode(())))
)
"""The names of the features, in order; the part before the first underscore is the group."""
