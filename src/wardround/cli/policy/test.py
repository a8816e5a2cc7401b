from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.run import emit_line


@click.command("test")
@click.argument("policy", metavar="POLICY")
@click.argument("cases", metavar="CASES", type=click.Path(path_type=Path))
@click.option("--floor", type=click.Path(path_type=Path), metavar="FILE", help="Policy of the organisation.")
def command(policy: str, cases: Path, floor: Path | None) -> int:
    """Decide each case of CASES, a YAML list, with POLICY, a file or the name of a bundled policy.

    A case has a name, the expected verdict (expect), optionally the tier and approvals, and a review (given):
    signals, files, tested, added-lines, profile, gate, target-branch and suppressed.
    """
    from wardround.policy.cases import load_cases, run_case
    from wardround.policy.loading import load_policy_file, policy_of_argument

    own = policy_of_argument(policy, "policy")
    floors = () if floor is None else (load_policy_file(floor, "--floor"),)
    results = [run_case(case, (own, *floors)) for case in load_cases(cases)]
    for result in results:
        if result.failure:
            emit_line(f"failed: {result.case.name}: {result.failure}")
            for reason in result.verdict.reasons:
                emit_line(f"  {reason.policy or 'tier'}: {reason.text}")
    failed = sum(1 for result in results if result.failure)
    emit_line(f"{len(results)} cases, {failed} failed")
    return 1 if failed else 0
