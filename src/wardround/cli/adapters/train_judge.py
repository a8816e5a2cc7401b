"""``wardround adapters train --from-judgements``."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.cli.run import emit_line, progress_line
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.rules.judgements import Judgement

_EXAMPLES = "reviews.jsonl"


def train_judge(folder: Path, clones: Path | None, out: Path) -> int:
    """Train a judge on judgements, and write it if it is better than the shipped one.

    Args:
        folder: the judgements.
        clones: clones of the findings' repositories; without them the facts about the findings are those of
            an earlier run.
    """
    from wardround.processors.judge.model import default_judge, judge_content
    from wardround.rules.judgement_files import load_judgements
    from wardround_lab.evaluation.judging.agreement import majority_verdicts
    from wardround_lab.evaluation.judging.facts_table import read_facts, read_findings
    from wardround_lab.training.judge.adapt import adapt

    if out.suffix != ".json":
        raise UsageError(f"--out {out}: a judge is a JSON file; give a name that ends in .json")
    judgements = load_judgements(folder)
    if not judgements:
        raise UsageError(f"{folder}: no judgements; record some with wardround eval judge")
    if clones is not None:
        _review(judgements, folder, clones)
    findings = read_findings(read_facts(folder), majority_verdicts(judgements))
    found = adapt(default_judge().file, findings, max(judgement.date for judgement in judgements))
    gain = f"{found.gain.value:+.3f} [{found.gain.low:+.3f}, {found.gain.high:+.3f}]"
    repositories = len({finding.repository for finding in findings})
    where = "1 repository" if repositories == 1 else f"{repositories} repositories"
    emit_line(f"{len(findings)} findings of {where}; log-loss lower by {gain}")
    if not found.is_better:
        emit_line(
            "not better than the judge that comes with wardround, so none is written; judge more findings"
        )
        return 0
    try:
        out.write_bytes(judge_content(found.file))
    except OSError as cause:
        raise UsageError(f"--out {out}: {cause.strerror}; choose another file") from cause
    emit_line(f"{out}: commit it, and set judge to its path in the repository in [tool.wardround], such as")
    emit_line(f'judge = "{out.name}"')
    return 0


def _review(judgements: list[Judgement], folder: Path, clones: Path) -> None:
    """Review the judged commits, and write the facts about the findings."""
    from wardround import host
    from wardround_lab.corpora.clones import clone_of
    from wardround_lab.evaluation.judging.examples import ReviewedExamples
    from wardround_lab.evaluation.judging.facts_table import facts_of, write_facts
    from wardround_lab.evaluation.judging.review_again import review_judged_commits
    from wardround_lab.evaluation.judging.row_file import RowFile

    names = sorted({judgement.repository for judgement in judgements})
    folders = {name: clone for name in names if (clone := clone_of(clones, name)) is not None}
    if not folders:
        raise UsageError(f"--from-clones {clones}: no clone of {', '.join(names[:3])}; clone them there")
    keys = {judgement.key for judgement in judgements}
    with tempfile.TemporaryDirectory(prefix="wardround-") as scratch, progress_line() as progress:
        file = RowFile(Path(scratch) / _EXAMPLES, ReviewedExamples)
        review_judged_commits(judgements, keys, folders, file, host.load(), progress=progress)
    failed = sum(bool(row.trouble) for row in file.rows)
    left = [name for name in names if name not in folders]
    if failed or left:
        emit_line(f"left out: {failed} commits whose review failed, {len(left)} repositories without a clone")
    write_facts(folder, facts_of(file.rows, keys))
