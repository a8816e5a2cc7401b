"""Sample the findings of reviews of repositories not used before, with and without the judge, for manual
judgement.

    python evals/fresh_reading.py review --clones DIR --names FILE --results FILE [--commits N] [--part K N]
    python evals/fresh_reading.py sample --results FILE --out DIR [--notes N] [--folded N] [--size N]
    python evals/fresh_reading.py report --results FILE --judgements DIR

``review`` reviews the newest commits of the repositories that FILE names, one a line, with the default rules,
and records each finding with its severity without the judge and with it. ``sample`` draws all findings that
are shown at warn and above without the judge, and samples of the notes that are shown and of those that the
judge folds, and writes them for readers in random order, without severities; every fifth is also for a
second reader (``second-*.jsonl``). The files contain code: commit them to no repository. The judgements are
recorded as ``wardround eval judge`` records them. ``report`` prints the shares of the verdicts with 95%
intervals that resample repositories, and the share of the findings worth raising that are still shown.
"""

from __future__ import annotations

import argparse
import os
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import msgspec

from wardround import host
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.errors import PLUGIN_EXCEPTIONS
from wardround.findings import INTRODUCED
from wardround.host import PluginHost
from wardround.processors import pipeline
from wardround.processors.judge.model import default_judge
from wardround.rules.judgement_files import load_judgements
from wardround.rules.judgements import FindingKey, Verdict
from wardround.tools.tool import Profile
from wardround_lab.corpora.clones import clone_of
from wardround_lab.evaluation.judging.agreement import agreement, majority_verdicts
from wardround_lab.evaluation.judging.exchange import Question, dump_questions, question
from wardround_lab.evaluation.judging.findings_review import processed_change
from wardround_lab.evaluation.judging.history import newest_commits
from wardround_lab.evaluation.judging.hits import Hit, ReviewedCommit, hit_of
from wardround_lab.evaluation.judging.rates import interval
from wardround_lab.evaluation.judging.row_file import RowFile
from wardround_lab.evaluation.judging.screen import screen

SEED = 21
PER_RULE = 10
"""Notes of one rule in a sample."""
SECOND_EVERY = 5
SERIOUS = ("warn", "error")


class ShownFinding(msgspec.Struct, frozen=True):
    """One finding, as a review shows it.

    Attributes:
        hit: its severity is the one without the judge.
        severity: with the judge.
    """

    hit: Hit
    severity: str
    is_folded: bool
    worth: float
    wrong: float


class FreshCommit(msgspec.Struct, frozen=True):
    """The findings of one commit; ``trouble`` if its review failed."""

    repository: str
    folder: str
    base: str
    commit: str
    added_lines: int = 0
    findings: tuple[ShownFinding, ...] = ()
    trouble: str = ""


def review(arguments: argparse.Namespace) -> None:
    os.nice(5)
    file, loaded = RowFile(arguments.results, FreshCommit), host.load()
    names = arguments.names.read_text("utf-8").split()
    number, parts = arguments.part
    request = ReviewRequest(profile=Profile.COMMIT, use_baseline=False, offline=True)
    for name in names[number - 1 :: parts]:
        folder = clone_of(arguments.clones, name)
        if folder is None:
            print(f"{name}: no clone in {arguments.clones}")
            continue
        for base, commit in newest_commits(folder, arguments.commits):
            file.read_new()
            if not any((row.repository, row.commit) == (name, commit) for row in file.rows):
                file.add(reviewed(FreshCommit(name, str(folder), base, commit), loaded, request))
        print(f"{name}: {sum(row.repository == name for row in file.rows)} commits", flush=True)


def reviewed(blank: FreshCommit, loaded: PluginHost, request: ReviewRequest) -> FreshCommit:
    """Review one commit, with the judge and without; a crash is a result too."""
    try:
        with Repository(Path(blank.folder)) as repository:
            change = repository.range(blank.base, blank.commit)
            origin = GitChangeSource(repository, change)
            without, inputs = processed_change(origin, loaded, request)
            judged = pipeline.process(msgspec.structs.replace(inputs, judge=default_judge))
    except PLUGIN_EXCEPTIONS as crash:  # one commit must not end the run over the others
        return msgspec.structs.replace(blank, trouble=f"{type(crash).__name__}: {crash}")
    plain = {finding.fingerprint: finding for finding in without.findings}
    found = []
    for finding in judged.findings:
        if finding.status in INTRODUCED:
            hit = hit_of(blank.repository, blank.commit, plain[finding.fingerprint])
            worth, wrong = (
                (1.0, 0.0) if finding.estimate is None else (finding.estimate.worth, finding.estimate.wrong)
            )
            found.append(ShownFinding(hit, finding.severity.label, finding.is_folded, worth, wrong))
    added = sum(file.added_lines for file in change.files)
    return msgspec.structs.replace(blank, added_lines=added, findings=tuple(found))


def rows_of(file: Path) -> list[FreshCommit]:
    return RowFile(file, FreshCommit).rows


def findings_of(rows: Sequence[FreshCommit]) -> dict[FindingKey, ShownFinding]:
    """Return one finding for each key: the most serious."""
    found: dict[FindingKey, ShownFinding] = {}
    for row in rows:
        for reading in sorted(row.findings, key=lambda one: one.hit.severity in SERIOUS):
            found[reading.hit.key] = reading
    return found


def groups(found: dict[FindingKey, ShownFinding]) -> dict[str, list[FindingKey]]:
    """Return the findings by how they are shown: serious, note or folded note (without the judge: notes)."""
    by_group: dict[str, list[FindingKey]] = {"serious": [], "note": [], "folded": []}
    for key, item in sorted(found.items()):
        is_serious = item.hit.severity in SERIOUS
        by_group["serious" if is_serious else "folded" if item.is_folded else "note"].append(key)
    return by_group


def drawn(keys: Sequence[FindingKey], count: int) -> list[FindingKey]:
    """Return a random sample, at most some of each rule."""
    mixed, of_rule = list(keys), Counter[str]()
    found: list[FindingKey] = []
    random.Random(SEED).shuffle(mixed)
    for key in mixed:
        if len(found) < count and of_rule[key.rule] < PER_RULE:
            of_rule[key.rule] += 1
            found.append(key)
    return found


def sample(arguments: argparse.Namespace) -> None:
    rows, loaded = rows_of(arguments.results), host.load()
    found = findings_of(rows)
    by_group = groups(found)
    keys = [
        *by_group["serious"],
        *drawn(by_group["note"], arguments.notes),
        *drawn(by_group["folded"], arguments.folded),
    ]
    random.Random(SEED).shuffle(keys)
    arguments.out.mkdir(parents=True, exist_ok=True)
    commits = {(row.repository, row.commit): row for row in rows}
    for prefix, some in (("first", keys), ("second", keys[::SECOND_EVERY])):
        for number, at in enumerate(range(0, len(some), arguments.size), 1):
            file = arguments.out / f"{prefix}-{number:03}.jsonl"
            batch = some[at : at + arguments.size]
            file.write_bytes(
                dump_questions(
                    asked(found[key].hit, commits[key.repository, key.commit], loaded) for key in batch
                )
            )
            print(f"{file}: {len(batch)} findings")


def asked(hit: Hit, row: FreshCommit, loaded: PluginHost) -> Question:
    rule = loaded.catalogue.rule(hit.rule)
    commit = ReviewedCommit(row.repository, row.folder, row.commit, row.base)
    commit = msgspec.structs.replace(commit, hits=tuple(reading.hit for reading in row.findings))
    with Repository(Path(row.folder)) as repository:
        shown = screen(hit, row.base, repository, rule, loaded.specialists)
    return question(hit, commit, rule.name, shown)


Group = Callable[[ShownFinding], bool]


def report(arguments: argparse.Namespace) -> None:
    rows = rows_of(arguments.results)
    found, judgements = findings_of(rows), load_judgements(arguments.judgements)
    verdicts = {key: item for key, item in majority_verdicts(judgements).items() if key in found}
    both = agreement(judgements)
    added = sum(row.added_lines for row in rows)
    repositories = len({row.repository for row in rows})
    failed = sum(bool(row.trouble) for row in rows)
    print(f"{len(rows)} commits of {repositories} repositories, {failed} failed, {added} added lines")
    print(f"{len(found)} findings, {len(verdicts)} read; {both.agreed} of {both.pairs} second readings agree")
    shown: dict[str, Group] = {
        "error": lambda item: item.severity == "error",
        "without the judge, warn and above": lambda item: item.hit.severity in SERIOUS,
        "with the judge, warn and above": lambda item: item.severity in SERIOUS,
        "warnings that became notes": lambda item: item.hit.severity in SERIOUS and is_note(item),
        "without the judge, notes": lambda item: item.hit.severity == "info",
        "with the judge, notes": is_note,
        "folded": lambda item: item.is_folded,
    }
    for title, is_in in shown.items():
        print_shares(title, found, verdicts, is_in)
    worth_shown = expected(found, verdicts, lambda item: not item.is_folded, Verdict.WORTH)
    worth_all = expected(found, verdicts, lambda item: True, Verdict.WORTH)
    if worth_all:
        share = worth_shown / worth_all
        print(f"of {worth_all:.0f} findings worth raising, by the samples, {share:.3f} are shown")
    for name in sorted({reading.hit.specialist for reading in found.values()}):
        print_shares(f"{name}, warn and above", found, verdicts, specialist_serious(name))


def is_note(item: ShownFinding) -> bool:
    return item.severity == "info" and not item.is_folded


def specialist_serious(name: str) -> Group:
    return lambda item: item.hit.specialist == name and item.severity in SERIOUS


def weights(
    found: dict[FindingKey, ShownFinding], verdicts: Collection[FindingKey]
) -> dict[FindingKey, float]:
    """Return the sampling weight of each judged finding: by its rule and group, else by its group."""
    weight: dict[FindingKey, float] = {}
    for keys in groups(found).values():
        of_rule: dict[str, list[FindingKey]] = defaultdict(list)
        for key in keys:
            of_rule[key.rule].append(key)
        unread = 0
        read: list[FindingKey] = []
        for some in of_rule.values():
            known = [key for key in some if key in verdicts]
            weight |= dict.fromkeys(known, len(some) / max(1, len(known)))
            read += known
            unread += 0 if known else len(some)
        total = sum(weight[key] for key in read)
        for key in read:
            weight[key] *= (total + unread) / total
    return weight


def expected(
    found: dict[FindingKey, ShownFinding], verdicts: dict[FindingKey, Verdict], is_in: Group, verdict: Verdict
) -> float:
    """Return the number of findings with a verdict, as the samples estimate it."""
    weight = weights(found, verdicts)
    return sum(weight[key] for key, item in verdicts.items() if item is verdict and is_in(found[key]))


def print_shares(
    title: str, found: dict[FindingKey, ShownFinding], verdicts: dict[FindingKey, Verdict], is_in: Group
) -> None:
    keys = [key for key, item in found.items() if is_in(item)]
    read = {key: verdicts[key] for key in keys if key in verdicts}
    if not read:
        print(f"{title}: {len(keys)}, none read")
        return
    weight = weights(found, verdicts)
    total = sum(weight[key] for key in read)
    parts = []
    for verdict in Verdict:
        count = sum(opinion is verdict for opinion in read.values())
        low, high = interval(read, verdict, by_repository=True)
        share = sum(weight[key] for key, item in read.items() if item is verdict) / total
        parts.append(
            f"{verdict} {count} ({count / len(read):.2f} [{low:.2f}, {high:.2f}], of all {share:.2f})"
        )
    print(f"{title}: {len(keys)}, {len(read)} read: {', '.join(parts)}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    item = commands.add_parser("review")
    item.add_argument("--clones", type=Path, required=True)
    item.add_argument("--names", type=Path, required=True)
    item.add_argument("--results", type=Path, required=True)
    item.add_argument("--commits", type=int, default=26)
    item.add_argument("--part", nargs=2, type=int, default=(1, 1), help="K of N processes on the same FILE")
    item.set_defaults(run=review)
    item = commands.add_parser("sample")
    item.add_argument("--results", type=Path, required=True)
    item.add_argument("--out", type=Path, required=True)
    item.add_argument("--notes", type=int, default=200)
    item.add_argument("--folded", type=int, default=50)
    item.add_argument("--size", type=int, default=25)
    item.set_defaults(run=sample)
    item = commands.add_parser("report")
    item.add_argument("--results", type=Path, required=True)
    item.add_argument("--judgements", type=Path, required=True)
    item.set_defaults(run=report)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
