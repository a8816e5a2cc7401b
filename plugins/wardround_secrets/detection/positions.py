"""Kinds of files by path: generated text contains random strings, tests contain made-up keys."""

from __future__ import annotations

import re

from wardround.checks.lazy import LazyPattern

_GENERATED = LazyPattern(
    r"(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.ya?ml|yarn\.lock|go\.sum|go\.work\.sum"
    r"|bun\.lockb?|gradle\.lockfile|packages\.lock\.json|Package\.resolved|composer\.lock"
    r"|requirements.*\.txt"
    r"|CHANGELOG[^/]*|\.secrets\.baseline|\.gitleaksignore|\.wardround-baseline\.json|AUTHORS"
    r"|LICEN[CS]E[^/]*)$"
    r"|\.(?:lock|sum|map|svg|snap|ambr|po|pot|mo|xlf|xliff|arb|strings|min\.\w+|bundle\.js|chunk\.js|pb\.go"
    r"|csv|tsv|jsonl|ndjson|patch|diff|pub|crt|cer|log|har|tmLanguage(?:\.json)?|cast|wasm"
    r"|excalidraw)$"
    r"|(?:^|/)(?:node_modules|vendor|third_party|dist|__snapshots__|snapshots|cassettes|locales?|i18n"
    r"|translations?|lang|\.yarn|bower_components|site-packages)/",
    re.IGNORECASE,
)
_MADE_FOR_TESTS = LazyPattern(
    r"(?:^|[/_.-])(?:\w*tests?|testing|unit|testdata|testutils?|specs?|fixtures?|mocks?|fakes?"
    r"|stubs?|e2e|cypress"
    r"|playwright|stor(?:y|ies)|conftest|factor(?:y|ies)|examples?|samples?|demos?|docs?|documentation"
    r"|tutorials?|templates?|benchmarks?|evals?|seeds?|seeder|dummy\w*|sandbox|playground)(?=[/_.-]|$)"
    r"|\.(?:md|mdx|rst|adoc|txt|html?|example|tmpl|dist)$|Tests?\.\w+$|README|CONTRIBUTING"
    r"|(?:^|/)(?:\.?devcontainer|doc|man|blog|content|posts?|cookbook|quickstart)/",
    re.IGNORECASE,
)


def is_generated(path: str) -> bool:
    """Return True if a file is generated or data: lock files, source maps, snapshots."""
    return _GENERATED.search(path) is not None


def is_example_file(path: str) -> bool:
    """Return True if a file is a test, an example or documentation."""
    return _MADE_FOR_TESTS.search(path) is not None
