from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.run import emit_line


@click.command("explain")
@click.argument("record", metavar="RECORD", type=click.Path(path_type=Path))
@click.option("--policy", metavar="POLICY", help="Decide with this file or bundled policy instead.")
def command(record: Path, policy: str | None) -> None:
    """Show every line of the policy for the review in RECORD, and which one decides."""
    from wardround.policy.decide import decide, lines_of
    from wardround.policy.loading import policy_of_argument
    from wardround.policy.verdict import Tier
    from wardround.records.reading import read_record_file

    found = read_record_file(record)
    policies = found.policies
    if policy is not None:
        policies = (policy_of_argument(policy, "--policy"),)
    document = found.context.document
    verdict = decide(found.signals, document, found.evidence, policies)
    deciding = {reason.policy for reason in verdict.reasons if reason.policy}
    for matching in policies:
        emit_line(matching.identity)
        for line in lines_of(matching, verdict.tier, found.signals, document, found.evidence):
            mark = "*" if line.line in deciding else " " if line.applies else "-"
            emit_line(f"  {mark} {line.line.partition('#')[2]}: {line.verdict}: {line.text}")
    emit_line(f"verdict: {verdict.name} ({verdict.tier}); * decides, - does not apply")
    label = "T1" if verdict.tier is Tier.T1 else "not T1"
    for reason in verdict.reasons:
        if not reason.policy:
            emit_line(f"  {label}: {reason.text}")
