"""Kinds of files by path: generated text contains random strings, tests contain made-up keys."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from operator import itemgetter

from wardround.lazy import LazyPattern

_GENERATED = LazyPattern(
    r"(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.ya?ml|yarn\.lock|go\.sum|go\.work\.sum"
    r"|bun\.lockb?|gradle\.lockfile|packages\.lock\.json|Package\.resolved|composer\.lock"
    r"|requirements.*\.txt"
    r"|CHANGELOG[^/]*|\.secrets\.baseline|\.gitleaksignore|\.wardround-baseline\.json|AUTHORS"
    r"|LICEN[CS]E[^/]*)$"
    r"|\.(?:lock|sum|map|svg|snap|ambr|po|pot|mo|xlf|xliff|arb|strings|pb\.go"
    r"|csv|tsv|jsonl|ndjson|patch|diff|pub|crt|cer|log|har|tmLanguage(?:\.json)?|cast|wasm"
    r"|excalidraw)$"
    r"|(?:^|/)(?:node_modules|vendor|third_party|dist|__snapshots__|snapshots|cassettes|locales?|i18n"
    r"|translations?|lang|\.yarn|bower_components|site-packages)/"
    r"|(?:^|/)(?:messages|languages?|l10n|intl|nls)/[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?\.(?:json|ya?ml|[jt]s|php|properties)$",
    re.IGNORECASE,
)
_BUNDLED = LazyPattern(
    r"[.-](?:min|bundle|chunk)\.(?:[cm]?js|css)$"
    r"|(?:^|/)(?:node_modules|vendor|third_party|dist|bower_components|site-packages|\.yarn/(?:releases|plugins|sdks))/",
    re.IGNORECASE,
)
_TESTS = LazyPattern(
    r"(?:^|[/_.-])(?:tests?|specs?|e2e|integration|conftest|fixtures?|cypress|playwright)(?=[/_.-]|$)"
    r"|Tests?\.\w+$"
)
_SETTINGS = LazyPattern(
    r"(?:^|/)\.?env[\w.-]*$|\.(?:env|ini|cfg|conf|cnf|toml|ya?ml|properties|tfvars)$", re.IGNORECASE
)
_REPLACE = LazyPattern(
    r"^[ \t]*[#;][^\n]*?\b(?:replace|substitute)\b[^\n]{0,60}?\b(?:with|by) your\b",
    re.IGNORECASE | re.MULTILINE,
)
_MADE_FOR_TESTS = LazyPattern(
    r"(?:^|[/_.-])(?:\w*tests?|testing|unit|testdata|testutils?|specs?|fixtures?|mocks?|fakes?"
    r"|stubs?|e2e|cypress"
    r"|playwright|stor(?:y|ies)|conftest|factor(?:y|ies)|examples?|samples?|demos?|docs?|documentation"
    r"|tutorials?|templates?|benchmarks?|evals?|seeds?|seeder|dummy\w*|sandbox|playground|suites)(?=[/_.-]|$)"
    r"|(?:openapi|swagger|asyncapi)[\w.-]{0,40}\.(?:ya?ml|json)$"
    r"|\.(?:md|mdx|rst|adoc|txt|html?|example|tmpl|dist)$|Tests?\.\w+$|README|CONTRIBUTING"
    r"|(?:^|/)(?:\.?devcontainer|doc|man|blog|content|posts?|cookbook|quickstart)/",
    re.IGNORECASE,
)


def is_generated(path: str) -> bool:
    """Return True if a file is generated or data: lock files, source maps, snapshots, bundles."""
    return _GENERATED.search(path) is not None or is_bundled(path)


def is_bundled(path: str) -> bool:
    """Return True if a file is vendored or minified code, which nobody edits."""
    return _BUNDLED.search(path) is not None


def requests_for_other_values(path: str, text: str) -> list[tuple[int, int]]:
    """Return the start and end of the comments of a settings file that request other values."""
    if _SETTINGS.search(path) is None:
        return []
    return [found.span() for found in _REPLACE.finditer(text)]


def is_to_be_replaced(requests: Sequence[tuple[int, int]], text: str, offset: int) -> bool:
    """Return True if one of the comments that request other values is above, in the same paragraph."""
    above = bisect_right(requests, offset, key=itemgetter(1))
    if not above:
        return False
    start = requests[above - 1][0]
    return text.find("\n\n", start, offset) < 0 and text.find("\n\r\n", start, offset) < 0


def is_test(path: str) -> bool:
    """Return True if a file is a test or belongs to tests."""
    return _TESTS.search(path) is not None


def is_example_file(path: str) -> bool:
    """Return True if a file is a test, an example or documentation."""
    return _MADE_FOR_TESTS.search(path) is not None
