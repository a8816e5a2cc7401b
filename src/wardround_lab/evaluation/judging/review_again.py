"""Reviews of the commits of judged findings with the present version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from wardround.host import PluginHost
from wardround.rules.judgements import FindingKey, Judgement, Verdict
from wardround_lab.evaluation.judging.examples import ReviewedExamples, examples_of, judged_commits
from wardround_lab.evaluation.judging.hits import review_request
from wardround_lab.evaluation.judging.row_file import RowFile

Part = tuple[int, int]
"""The number of this process, from 1, and the number of processes on the same file."""


def review_judged_commits(
    judgements: Iterable[Judgement],
    keys: Iterable[FindingKey],
    folders: Mapping[str, Path],
    file: RowFile[ReviewedExamples],
    host: PluginHost,
    part: Part = (1, 1),
    progress: Callable[[str], None] = lambda text: None,
) -> None:
    """Add the reviews of the commits of some findings to a file, those with most wrong findings first.

    Args:
        folders: repository -> its clone; findings of others are excluded.
    """
    wrong = Counter(
        (judgement.repository, judgement.commit)
        for judgement in judgements
        if judgement.verdict is Verdict.WRONG
    )
    commits = sorted(
        judged_commits(keys, folders), key=lambda commit: -wrong[commit.source.name, commit.commit]
    )
    number, parts = part
    mine = commits[number - 1 :: parts]
    with review_request() as request:
        for done, commit in enumerate(mine):
            progress(f"{done} of {len(mine)} commits reviewed")
            file.read_new()
            if not any(
                (row.repository, row.commit) == (commit.source.name, commit.commit) for row in file.rows
            ):
                file.add(examples_of(commit, host, request))
