"""``wardround eval rates``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.judgement_folder import folder_option
from wardround.cli.messages import echo_err
from wardround.cli.run import emit
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.rules.judgements import FindingKey, Judgement, Verdict


@click.command("rates")
@folder_option
@click.option("--by", type=click.Choice(["rule", "kind", "repository"]), default="rule", show_default=True,
              help="Group the findings by rule, by kind of file or by repository.")  # fmt: skip
@click.option("--agreement", "readers", is_flag=True, help="Compare the readings of the same findings.")
@click.option("--compare", is_flag=True,
              help="Compare the catalogue with what the readings allow; status 1: a difference.")  # fmt: skip
@click.option("--update", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the counts by rule, as the rules ship them.")  # fmt: skip
def command(**options: Any) -> int:
    """Show how often findings were worth raising, true or wrong when read, with 95% intervals.

    Each finding counts once, with the verdict of most of its readers.
    """
    from wardround.storage.judgement_files import load_judgements
    from wardround_lab.evaluation.judging.agreement import resolved

    judgements = load_judgements(options["folder"])
    if not judgements:
        raise UsageError(f"{options['folder']} has no judgements; record some with wardround eval judge")
    if options["readers"]:
        return _agreement(judgements)
    verdicts = resolved(judgements)
    if options["update"] is not None:
        return _update(verdicts, options["update"])
    if options["compare"]:
        return _compare(verdicts, options["folder"])
    return _table(verdicts, options["by"])


def _table(verdicts: dict[FindingKey, Verdict], by: str) -> int:
    from wardround_lab.evaluation.judging.rates import counts_by, kind_of_file
    from wardround_lab.evaluation.judging.rates_report import rates_table

    groups = {
        "rule": lambda key: key.rule,
        "kind": lambda key: kind_of_file(key.path),
        "repository": lambda key: key.repository,
    }
    emit(rates_table(by, counts_by(verdicts, groups[by])))
    emit(rates_table("all", counts_by(verdicts, lambda key: "all")))
    return 0


def _agreement(judgements: list[Judgement]) -> int:
    from wardround_lab.evaluation.judging.agreement import agreement, by_finding, disagreements
    from wardround_lab.evaluation.judging.rates_report import agreement_text, disagreements_text

    emit(agreement_text(agreement(judgements)))
    emit(disagreements_text(disagreements(judgements), by_finding(judgements)))
    return 0


def _compare(verdicts: dict[FindingKey, Verdict], folder: Path) -> int:
    from wardround import host
    from wardround_lab.evaluation.judging.rates import counts_by
    from wardround_lab.evaluation.judging.rates_report import standings_text
    from wardround_lab.evaluation.judging.standing import differences, read_overrides

    counts = counts_by(verdicts, lambda key: key.rule)
    found = differences(counts, host.load().catalogue, read_overrides(folder))
    emit(standings_text(found))
    return 1 if any(one.override is None for one in found) else 0


def _update(verdicts: dict[FindingKey, Verdict], file: Path) -> int:
    from wardround_lab.evaluation.judging.rates import counts_by
    from wardround_lab.evaluation.judging.rates_report import counts_file

    try:
        file.write_text(counts_file(counts_by(verdicts, lambda key: key.rule)), encoding="utf-8")
    except OSError as cause:
        raise UsageError(f"--update {file}: {cause.strerror}; give another file") from cause
    echo_err(f"{file}: the counts were written; read the difference before you commit it")
    return 0
