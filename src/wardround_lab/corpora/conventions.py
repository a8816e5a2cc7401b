"""Conventions of a repository: names, documentation, location of tests."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from wardround_lab.corpora.chunks import ChunkedFile

_USUAL = 0.8
"""Share above which a style counts as the convention; below it is ``mixed``."""
_STYLES = (
    ("UPPER_CASE", re.compile(r"_*[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+_*|_*[A-Z]{2,}[0-9]*")),
    ("snake_case", re.compile(r"_*[a-z0-9]+(?:_[a-z0-9]+)*_*")),
    ("camelCase", re.compile(r"_*[a-z][a-z0-9]*(?:[A-Z][a-zA-Z0-9]*)+")),
    ("PascalCase", re.compile(r"_*[A-Z][a-zA-Z0-9]*")),
)
_DOCS = (
    ("google", re.compile(r"^(?:Args|Arguments|Returns|Raises|Yields|Attributes):\s*$", re.MULTILINE)),
    ("numpy", re.compile(r"^(?:Parameters|Returns|Raises|Yields)\n-{3,}", re.MULTILINE)),
    ("sphinx", re.compile(r"^:(?:param|returns?|rtype|raises|type)\b", re.MULTILINE)),
    ("jsdoc", re.compile(r"^@(?:param|returns?|throws|example|deprecated)\b", re.MULTILINE)),
)
_NAMED_AFTER = (
    ("test_*.py", re.compile(r"test_[^/]*\.py$")),
    ("*_test.py", re.compile(r"[^/]*_test\.py$")),
    ("*.test.*", re.compile(r"[^/]*\.test\.[^/]+$")),
    ("*.spec.*", re.compile(r"[^/]*\.spec\.[^/]+$")),
)


class Conventions(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="record", tag="conventions"
):
    """Conventions of the files of one language.

    Attributes:
        naming: kind of chunk -> style; single words, which match several styles, do not count.
        docs: the most common form of documentation with sections; ``plain`` for prose, ``none`` if there is
            none.
        documented: share of the functions and classes outside of tests with documentation.
        tests: location of test files: ``beside`` the code, ``apart`` in directories of their own, ``mixed``
            or ``none``.
        test_names: the most common pattern of their names.
    """

    language: str
    files: int
    naming: dict[str, str]
    docs: str
    documented: float
    tests: str
    test_names: str


def conventions(files: Sequence[ChunkedFile]) -> Iterator[Conventions]:
    """Return the conventions of each language, by its name."""
    by_language: defaultdict[str, list[ChunkedFile]] = defaultdict(list)
    for file in files:
        by_language[file.language].append(file)
    for language in sorted(by_language):
        some = by_language[language]
        docs, documented = _documentation(some)
        where, named = _tests(some)
        yield Conventions(language, len(some), _naming_styles(some), docs, documented, where, named)


def _naming_styles(files: Sequence[ChunkedFile]) -> dict[str, str]:
    styles: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for file in files:
        for piece in file.pieces:
            name = piece.symbol.rpartition(".")[2]
            if piece.kind not in ("file", "stage") and (style := _style(name)):
                styles[piece.kind][style] += 1
    return {kind: _usual(styles[kind]) for kind in sorted(styles)}


def _style(name: str) -> str | None:
    """Return the style of a name of several words; a class of one word still begins with a capital."""
    plain = name.strip("_")
    if plain.islower() and "_" not in plain:
        return None
    return next((style for style, pattern in _STYLES if pattern.fullmatch(name)), None)


def _usual(counts: Counter[str]) -> str:
    (style, count), *_ = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return style if count >= _USUAL * counts.total() else "mixed"


def _documentation(files: Sequence[ChunkedFile]) -> tuple[str, float]:
    docs = [piece.doc for file in files if not file.is_test for piece in file.pieces if piece.kind != "file"]
    reported = [doc for doc in docs if doc.strip()]
    if not reported:
        return "none", 0.0
    forms = Counter(name for doc in reported for name, pattern in _DOCS if pattern.search(doc))
    form = min(forms, key=lambda name: (-forms[name], name)) if forms else "plain"
    return form, round(len(reported) / len(docs), 3)


def _tests(files: Sequence[ChunkedFile]) -> tuple[str, str]:
    tests = [file.path for file in files if file.is_test]
    if not tests:
        return "none", ""
    folders = {file.path.rpartition("/")[0] for file in files if not file.is_test}
    beside = sum(path.rpartition("/")[0] in folders for path in tests)
    named = Counter(name for path in tests for name, pattern in _NAMED_AFTER if pattern.search(path))
    where = "beside" if beside >= _USUAL * len(tests) else "apart"
    if where == "apart" and beside > (1 - _USUAL) * len(tests):
        where = "mixed"
    return where, min(named, key=lambda name: (-named[name], name)) if named else ""
