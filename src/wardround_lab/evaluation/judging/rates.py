"""The share of each verdict by rule and by kind of file."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping

from wardround.retrieval.test_discovery import holds_tests
from wardround.rules.judgements import FindingKey, Verdict
from wardround.rules.reading_counts import ReadingCounts

_KINDS = (
    ("tests", r"(^|/)(tests?|__tests__|spec|e2e|fixtures?|testing)/|(^|/)conftest\.py$"),
    ("migrations", r"(^|/)(migrations?|alembic|versions|schema)/"),
    (
        "ci",
        r"(^|/)(\.github/|\.gitlab-ci|Jenkinsfile|Dockerfile|Containerfile)|(^|/|\.)[Dd]ockerfile|compose[^/]*\.ya?ml$",
    ),
    ("examples", r"(^|/)(docs?|examples?|demos?|samples?|tutorials?)/|\.(md|rst|mdx)$"),
    ("scripts", r"(^|/)(scripts?|tools?|bin|hack|benchmarks?)/|\.(sh|bash)$"),
    ("settings", r"\.(ya?ml|toml|json|cfg|ini|env)$|(^|/)\.env|\.config\.[cm]?[jt]s$|(^|/)setup\.py$"),
)
"""Kind -> what its paths match; the first that matches applies, any other file is ``source``."""


def kind_of_file(path: str) -> str:
    """Return the kind of a file by its path."""
    if holds_tests(path):
        return "tests"
    return next((kind for kind, pattern in _KINDS if re.search(pattern, path)), "source")


def counts_by(
    verdicts: Mapping[FindingKey, Verdict], group: Callable[[FindingKey], str]
) -> dict[str, ReadingCounts]:
    """Count the verdicts of each group of findings, sorted by its name."""
    groups: dict[str, list[FindingKey]] = defaultdict(list)
    for key in verdicts:
        groups[group(key)].append(key)
    return {name: _counts(keys, verdicts) for name, keys in sorted(groups.items())}


def _counts(keys: list[FindingKey], verdicts: Mapping[FindingKey, Verdict]) -> ReadingCounts:
    number = {verdict: sum(verdicts[key] is verdict for key in keys) for verdict in Verdict}
    return ReadingCounts(
        repositories=len({key.repository for key in keys}),
        worth=number[Verdict.WORTH],
        true=number[Verdict.TRUE],
        wrong=number[Verdict.WRONG],
        unclear=number[Verdict.UNCLEAR],
    )
