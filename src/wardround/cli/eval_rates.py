from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.judgement_folder import folder_option
from wardround.cli.messages import echo_err
from wardround.cli.run import emit, require_one
from wardround.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from wardround.host import PluginHost
    from wardround.rules.judgements import FindingKey, Judgement, Verdict
    from wardround_lab.evaluation.judging.standing import CatalogueChanges


@click.command("rates")
@folder_option
@click.option("--by", type=click.Choice(["rule", "specialist", "kind", "repository"]), default="rule",
              show_default=True,
              help="Group the findings by rule, specialist, kind of file or repository.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--agreement", "readers", is_flag=True, help="Compare the readings of the same findings.")
@click.option("--compare", is_flag=True,
              help="Show the changes of the catalogue that follow; status 1: there are some.")  # fmt: skip
@click.option("--write", is_flag=True,
              help="Make these changes in the checkout of wardround in the current directory.")  # fmt: skip
@click.option("--as-read", is_flag=True,
              help="Count judged findings that this version no longer reports, too.")  # fmt: skip
@click.option("--update", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the counts by rule, as the rules ship them.")  # fmt: skip
def command(**options: Any) -> int:
    """Show how often findings were worth raising, true or wrong when read, with 95% intervals.

    Each finding counts once, with the majority verdict of its judges. The intervals of kinds and specialists
    resample repositories; those of single rules and repositories are Wilson's.
    """
    from wardround.rules.judgement_files import load_judgements, read_no_longer_reported
    from wardround_lab.evaluation.judging.agreement import majority_verdicts
    from wardround_lab.evaluation.judging.rates import split_verdicts

    ways = {f"--{name}": bool(options[name]) for name in ("compare", "write", "update")}
    require_one({"--agreement": options["readers"], **ways}, "do one thing at a time")
    judgements = load_judgements(options["folder"])
    if not judgements:
        raise UsageError(f"{options['folder']} has no judgements; record some with wardround eval judge")
    if options["readers"]:
        return _print_agreement(judgements, options["form"])
    no_longer = frozenset() if options["as_read"] else read_no_longer_reported(options["folder"])
    verdicts, removed = split_verdicts(majority_verdicts(judgements), no_longer)
    if options["update"] is not None:
        return _update(verdicts, removed, options["update"])
    if options["compare"] or options["write"]:
        return _compare(verdicts, options)
    status = _table(verdicts, options["by"], options["form"])
    if removed:
        echo_err(_removals_text(removed))
    return status


def _removals_text(gone: dict[FindingKey, Verdict]) -> str:
    counts = Counter(gone.values())
    parts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    return f"{len(gone)} findings that this version does not report are left out ({parts}); see --as-read"


def _table(verdicts: dict[FindingKey, Verdict], by: str, form: str) -> int:
    from wardround_lab.evaluation.judging.rates import group_verdicts
    from wardround_lab.evaluation.judging.rates_report import as_json, rates_rows, rates_table

    rows = rates_rows(group_verdicts(verdicts, _groups(by)), by_repository=by in ("kind", "specialist"))
    total = rates_rows({"all": verdicts}, by_repository=True)
    if form == "json":
        emit(as_json({"by": by, "groups": rows, "all": total[0]}))
    else:
        emit(rates_table(by, rows) + rates_table("all", total))
    return 0


def _groups(by: str) -> Callable[[FindingKey], str]:
    from wardround import host
    from wardround.rules.file_kinds import kind_of_file
    from wardround_lab.evaluation.judging.rates import rule_of, specialist_of

    if by == "specialist":
        loaded = host.load()
        return lambda key: specialist_of(key, loaded)
    if by == "kind":
        return lambda key: kind_of_file(key.path)
    return rule_of if by == "rule" else lambda key: key.repository


def _print_agreement(judgements: list[Judgement], form: str) -> int:
    from wardround_lab.evaluation.judging.agreement import agreement, disagreements, group_by_finding
    from wardround_lab.evaluation.judging.rates_report import (
        agreement_json,
        agreement_text,
        disagreements_text,
    )

    agreed, due = agreement(judgements), disagreements(judgements)
    if form == "json":
        emit(agreement_json(agreed, due))
    else:
        emit(agreement_text(agreed))
        emit(disagreements_text(due, group_by_finding(judgements)))
    return 0


def _compare(verdicts: dict[FindingKey, Verdict], options: dict[str, Any]) -> int:
    """Show the changes that follow from readings; with ``--write`` apply them."""
    from wardround import host
    from wardround.rules.off_in import kinds_off
    from wardround_lab.evaluation.judging.rates_report import as_json, plan_text
    from wardround_lab.evaluation.judging.standing import plan, read_overrides

    loaded = host.load()
    found = plan(verdicts, loaded.catalogue, read_overrides(options["folder"]), kinds_off())
    emit(as_json(found) if options["form"] == "json" else plan_text(found))
    return _write(found, loaded) if options["write"] else int(bool(found))


def _write(found: CatalogueChanges, loaded: PluginHost) -> int:
    """Write the changes to the checkout; status 1 if some have to be applied manually."""
    from wardround.rules.off_in import kinds_off
    from wardround_lab.evaluation.judging.catalogue_edits import write_kinds, write_level
    from wardround_lab.evaluation.judging.standing import kinds_after

    by_hand = 0
    for standing in found.due:
        try:
            echo_err(
                f"{write_level(standing, loaded, Path.cwd())}: {standing.rule} is at {standing.following}"
            )
        except UsageError as cause:
            by_hand += 1
            echo_err(f"set {standing.rule} to {standing.following} by hand: {cause}")
    if found.kinds:
        echo_err(f"{write_kinds(kinds_after(kinds_off(), found.kinds), Path.cwd())}: written")
    if found:
        echo_err("next: lint and format the written files, and this again")
    return int(by_hand > 0)


def _update(verdicts: dict[FindingKey, Verdict], gone: dict[FindingKey, Verdict], file: Path) -> int:
    from wardround.rules.off_in import kinds_off
    from wardround_lab.evaluation.judging.rates_report import counts_file
    from wardround_lab.evaluation.judging.standing import shipped_counts

    try:
        file.write_text(counts_file(shipped_counts(verdicts, kinds_off(), gone)), encoding="utf-8")
    except OSError as cause:
        raise UsageError(f"--update {file}: {cause.strerror}; give another file") from cause
    echo_err(f"{file}: the counts were written; read the difference before you commit it")
    return 0
