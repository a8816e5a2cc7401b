"""Audits: every requirement fails on a violation, and records that failed or changed are not used for
training.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from wardround import host
from wardround.errors import TrainingError, UsageError
from wardround.training_tasks import Choice
from wardround_lab.corpora.audit import SHARES, Audit, AuditCheck, audit_of, read_audit
from wardround_lab.corpora.audit_runner import AuditPolicy, AuditRunner, check_limits, summary
from wardround_lab.corpora.holdout import HoldoutRepositories
from wardround_lab.corpora.near_duplicates import NearIndex
from wardround_lab.corpora.records import Corpus, MinedRepository, digest_of, record_of
from wardround_lab.corpora.secret_scan import SecretScan
from wardround_lab.corpora.within_repository_split import WithinRepositorySplit
from wardround_lab.training.audit_guard import passed_audit
from wardround_lab.training.recipe import DataPart

TOKEN = "ghp_" + "k3Jq9ZxT7bWm2RvLs8Yd4NcHf6PgQa1UeXoB"
NOUNS = (
    "basket",
    "invoice",
    "customer",
    "warehouse",
    "voucher",
    "delivery",
    "refund",
    "ledger",
    "catalogue",
    "queue",
)
VERBS = (
    "count",
    "print",
    "archive",
    "merge",
    "validate",
    "rename",
    "compress",
    "schedule",
    "translate",
    "forget",
)


def _choice(number: int, repository: str = "acme/shop", time: int = 1000, **values: Any) -> Choice:
    """A unique choice whose candidates have one length, with the correct one at any position."""
    noun, verb = NOUNS[number % 10], VERBS[number // 10 % 10]
    wrong = [
        f"def step_{number}_{n}(self):\n    return self.{NOUNS[(number + n) % 10]}_{number}" for n in (1, 2)
    ]
    right = f"def step_{number}_0(self):\n    return self.{noun}_{number}"
    at = number * 7 % 3
    candidates = (*wrong[:at], right, *wrong[at:])
    group, query = f"src/a{number}.py@{number}", f"{verb} the {noun} number {number}"
    created = Choice(repository, time, group, query, candidates, (at,))
    return msgspec.structs.replace(created, **values)


def _write(path: Path, choices: Sequence[Choice]) -> Path:
    path.write_bytes(b"".join(msgspec.json.encode(choice) + b"\n" for choice in choices))
    return path


def _good(count: int = 60) -> list[Choice]:
    return [_choice(n) for n in range(count)]


def _evaluation(count: int = 20) -> list[Choice]:
    return [_choice(n, "acme/mail", 2000) for n in range(500, 500 + count)]


DEMANDS = AuditPolicy(
    kept=HoldoutRepositories(frozenset({"acme/kept"}), "a list"),
    licences=dict.fromkeys(("acme/shop", "acme/mail", "Acme/Mail", "acme/kept", ""), "MIT"),
)


@pytest.fixture(scope="module")
def scan() -> SecretScan:
    return SecretScan(host.load().specialists)


def _audited(
    folder: Path,
    scan: SecretScan,
    train: Sequence[Choice],
    evaluation: Sequence[Choice] | None = None,
    demands: AuditPolicy = DEMANDS,
) -> Audit:
    """Return the audit of the training file, read back from disk."""
    first = _write(folder / "train.jsonl", train)
    second = _write(folder / "eval.jsonl", _evaluation() if evaluation is None else evaluation)
    AuditRunner([first], [second], demands, scan, lambda text: None).run()
    return msgspec.json.decode(audit_of(first).read_bytes(), type=Audit)


def _failed(audit: Audit) -> dict[str, AuditCheck]:
    return {check.name: check for check in audit.checks if not check.passed}


def test_valid_records_pass_and_may_be_trained_on(tmp_path: Path, scan: SecretScan) -> None:
    audit = _audited(tmp_path, scan, _good())
    assert audit.failures() == []
    assert read_audit(tmp_path / "train.jsonl") == audit
    assert (audit.train_items, audit.evaluation_items) == (60, 20)
    assert (audit.train_repositories, audit.evaluation_repositories) == (("acme/shop",), ("acme/mail",))
    assert {check.name for check in audit.checks} == set(SHARES)
    assert all("ok" in line for line in summary(audit.checks))
    again = _audited(tmp_path, scan, _good())
    assert again == audit


BAD = {
    "secrets": _choice(900, query=f"use the token {TOKEN} of the build"),
    "near-duplicates-across": _choice(505),
    "licence": _choice(900, repository="acme/unheard-of"),
    "kept-for-measuring": _choice(900, repository="acme/kept"),
    "repository-leakage": _choice(900, repository="Acme/Mail"),
    "time-leakage": _choice(900, time=2000),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_one_bad_record_is_enough_where_none_is_allowed(tmp_path: Path, scan: SecretScan, name: str) -> None:
    audit = _audited(tmp_path, scan, [*_good(), BAD[name]])
    failed = _failed(audit)
    assert set(failed) == {name}
    assert failed[name].count == 1
    assert failed[name].examples[0].startswith("train.jsonl:61")
    with pytest.raises(TrainingError, match=f"failed its audit: {name}: 1 of "):
        read_audit(tmp_path / "train.jsonl")


def test_a_secret_is_never_in_the_audit(tmp_path: Path, scan: SecretScan) -> None:
    _audited(tmp_path, scan, [*_good(), BAD["secrets"]])
    text = audit_of(tmp_path / "train.jsonl").read_text("utf-8")
    assert TOKEN not in text
    assert TOKEN[4:16] not in text
    assert "secrets/" in text


def test_records_without_an_origin_cannot_be_split(tmp_path: Path, scan: SecretScan) -> None:
    failed = _failed(_audited(tmp_path, scan, [*_good(), _choice(900, repository="", time=0)]))
    assert set(failed) == {"repository-leakage", "time-leakage"}


def test_a_group_stays_on_one_side(tmp_path: Path, scan: SecretScan) -> None:
    bad = _choice(900, repository="acme/mail", group=_evaluation()[3].group)
    assert {"group-leakage"} < set(_failed(_audited(tmp_path, scan, [*_good(), bad])))


def test_the_other_checks_fail_above_their_limit(tmp_path: Path, scan: SecretScan) -> None:
    good = _good()
    cases: dict[str, list[Choice]] = {
        "duplicates": [*good, *good[:5]],
        "generated": [*good, *(_choice(n, group=f"vendor/a.py@{n}") for n in range(60, 65))],
        "poor-text": [*good, *(_choice(n, query=f"broken \ufffd{n}") for n in range(60, 65))],
        "echo": [
            msgspec.structs.replace(item, query=f"what is {item.candidates[item.right[0]]}?") for item in good
        ],
        "position": [_first(item) for item in good],
        "length": [_longest(item) for item in good],
    }
    for name, choices in cases.items():
        assert set(_failed(_audited(tmp_path, scan, choices))) == {name}, name


def _first(one: Choice) -> Choice:
    right = one.candidates[one.right[0]]
    others = tuple(text for text in one.candidates if text != right)
    return msgspec.structs.replace(one, candidates=(right, *others), right=(0,))


def _longest(one: Choice) -> Choice:
    texts = [f"{text} + others" if at in one.right else text for at, text in enumerate(one.candidates)]
    return msgspec.structs.replace(one, candidates=tuple(texts))


def test_a_missing_evaluation_side_fails(tmp_path: Path, scan: SecretScan) -> None:
    train = _write(tmp_path / "train.jsonl", _good())
    (audit,) = AuditRunner([train], [], DEMANDS, scan, lambda text: None).run()
    assert set(_failed(audit)) == {"split"}
    (empty,) = AuditRunner([_write(tmp_path / "none.jsonl", [])], [], DEMANDS, scan, lambda text: None).run()
    assert "records" in _failed(empty)


def test_without_a_secret_detector_nothing_passes(tmp_path: Path) -> None:
    audit = _audited(tmp_path, SecretScan([]), _good())
    assert _failed(audit)["secrets"].said.startswith("nothing that looks for secrets is installed")


def test_one_file_with_both_sides_is_divided_by_repository_and_time(tmp_path: Path, scan: SecretScan) -> None:
    late = [_choice(n, time=3000) for n in range(300, 310)]
    early = [_choice(n, "acme/mail", 500) for n in range(400, 410)]
    file = _write(tmp_path / "all.jsonl", [*_good(), *late, *early, *_evaluation()])
    demands = AuditPolicy(frozenset({"Acme/mail"}), 2000, DEMANDS.kept, DEMANDS.licences)
    (audit,) = AuditRunner([file], [], demands, scan, lambda text: None).run()
    assert audit.failures() == []
    assert (audit.train_items, audit.evaluation_items, audit.since) == (60, 20, 2000)
    (undated,) = AuditRunner([file], [], replace(demands, since=None), scan, lambda text: None).run()
    assert set(_failed(undated)) == {"time-leakage"}


def test_one_repository_is_divided_by_time_alone_where_that_is_allowed(
    tmp_path: Path, scan: SecretScan
) -> None:
    file = _write(tmp_path / "own.jsonl", [*_good(), *(_choice(n, time=3000) for n in range(500, 520))])
    demands = AuditPolicy(since=2000, kept=DEMANDS.kept, licences=DEMANDS.licences)
    (audit,) = AuditRunner([file], [], demands, scan, lambda text: None).run()
    assert (audit.train_items, audit.evaluation_items) == (60, 20)
    assert set(_failed(audit)) == {"repository-leakage"}
    allowed = replace(demands, limits={"repository-leakage": 1.0})
    (audit,) = AuditRunner([file], [], allowed, scan, lambda text: None).run()
    assert audit.passed


def _of_file(file: str, number: int, time: int) -> Choice:
    return _choice(number, time=time, group=f"{file}@{number}")


def test_one_repository_is_divided_by_its_files_too(tmp_path: Path, scan: SecretScan) -> None:
    own = WithinRepositorySplit(repository="acme/shop")
    files = [f"src/part{n}.py" for n in range(80)]
    learnt = [name for name in files if own.fold(name) == "train"]
    held = [name for name in files if own.fold(name) == "evaluation"]
    rows = [_of_file(name, at, 1000) for at, name in enumerate((*learnt, *held))]
    later = [_of_file(name, 200 + at, 100_000) for at, name in enumerate((*learnt[:5], *held[:9]))]
    repeated = _of_file(held[9], 0, 100_000)
    secret = msgspec.structs.replace(_of_file(held[10], 300, 100_000), query=f"the token {TOKEN}")
    file = _write(tmp_path / "own.jsonl", [*rows, *later, repeated, secret])
    demands = AuditPolicy(since=86_400, kept=DEMANDS.kept, own=own)
    auditing = AuditRunner([file], [], demands, scan, lambda text: None)
    (audit,) = auditing.run()
    assert set(_failed(audit)) == {"near-duplicates-across", "secrets"}
    assert (audit.train_items, audit.evaluation_items) == (len(learnt), 11)
    assert audit.scope == "acme/shop, held 0.35, validation 0.12"
    (tmp_path / "clean").mkdir()
    (clean,) = auditing.clean(tmp_path / "clean")
    (again,) = AuditRunner([clean], [], demands, scan, lambda text: None).run()
    assert again.passed

    data = DataPart(
        records=("own.jsonl",), until=date(1970, 1, 2), since=date(1970, 1, 2), scope=own
    )  # fmt: skip
    assert passed_audit([clean], data).startswith("passed")
    other = msgspec.structs.replace(data, scope=WithinRepositorySplit(repository="acme/shop", held=0.5))
    with pytest.raises(TrainingError, match=r"by another rule .* wardround data audit with --recipe again"):
        passed_audit([clean], other)


def test_licences_come_from_the_record_of_the_mining_or_from_the_user(
    tmp_path: Path, scan: SecretScan
) -> None:
    bare = AuditPolicy(kept=DEMANDS.kept)
    assert set(_failed(_audited(tmp_path, scan, _good(), demands=bare))) == {"licence"}
    allowed = AuditPolicy(kept=DEMANDS.kept, allowed=frozenset({"unknown"}))
    assert not _failed(_audited(tmp_path, scan, _good(), demands=allowed))
    for name, repository in (("train", "acme/shop"), ("eval", "acme/mail")):
        file = tmp_path / f"{name}.jsonl"
        mined = MinedRepository(repository, "0" * 40, "BSD-3-Clause", (), 1, 0, 0, 1, {}, "", "", 0.0)
        corpus = Corpus("wardround.corpus/1", name, "1", {}, (mined,), 1, 0, digest_of(file), 0.0)
        record_of(file).write_bytes(msgspec.json.encode(corpus))
    assert not _failed(_audited(tmp_path, scan, _good(), demands=bare))


def test_limits_can_be_set_and_are_recorded_in_the_audit(tmp_path: Path, scan: SecretScan) -> None:
    bad = [*_good(), BAD["secrets"]]
    audit = _audited(tmp_path, scan, bad, demands=replace(DEMANDS, limits={"secrets": 0.05}))
    assert audit.passed
    assert next(check for check in audit.checks if check.name == "secrets").limit == 0.05
    check_limits({"secrets": 1.0})
    for wrong in ({"secrecy": 0.1}, {"secrets": 2.0}):
        with pytest.raises(UsageError, match="--limit"):
            check_limits(wrong)


def test_cleaned_records_pass(tmp_path: Path, scan: SecretScan) -> None:
    train = _write(tmp_path / "train.jsonl", [*_good(), *BAD.values()])
    evaluation = _write(tmp_path / "eval.jsonl", _evaluation())
    auditing = AuditRunner([train], [evaluation], DEMANDS, scan, lambda text: None)
    assert not auditing.run()[1].passed
    (tmp_path / "clean").mkdir()
    (cleaned,) = auditing.clean(tmp_path / "clean")
    audits = AuditRunner([cleaned], [evaluation], DEMANDS, scan, lambda text: None).run()
    assert all(audit.passed for audit in audits)
    assert audits[1].train_items == 60
    with pytest.raises(UsageError, match="already exists"):
        auditing.clean(tmp_path)


def test_allowed_items_are_not_removed_by_cleaning(tmp_path: Path, scan: SecretScan) -> None:
    train = _write(tmp_path / "train.jsonl", [*_good(), BAD["licence"], BAD["secrets"]])
    demands = replace(DEMANDS, limits={"licence": 1.0})
    auditing = AuditRunner([train], [], demands, scan, lambda text: None)
    auditing.run()
    (tmp_path / "clean").mkdir()
    (cleaned,) = auditing.clean(tmp_path / "clean")
    assert len(cleaned.read_bytes().splitlines()) == 61


def test_an_audit_counts_only_for_the_records_it_is_about(tmp_path: Path, scan: SecretScan) -> None:
    file = tmp_path / "train.jsonl"
    with pytest.raises(TrainingError, match=r"has not been audited; run wardround data audit"):
        read_audit(file)
    _audited(tmp_path, scan, _good())
    file.write_bytes(file.read_bytes() + b"\n")
    with pytest.raises(TrainingError, match="changed after its audit"):
        read_audit(file)
    file.unlink()
    with pytest.raises(TrainingError, match="No such file"):
        read_audit(file)


@pytest.mark.parametrize("change", [{"passed": True, "checks": 5}, {"schema": "other/1"}, {"extra": 1}])
def test_an_invalid_audit_is_rejected(tmp_path: Path, scan: SecretScan, change: dict[str, Any]) -> None:
    _audited(tmp_path, scan, _good())
    file = audit_of(tmp_path / "train.jsonl")
    file.write_text(json.dumps(json.loads(file.read_bytes()) | change), encoding="utf-8")
    with pytest.raises(TrainingError, match=r"audit\.json: "):
        read_audit(tmp_path / "train.jsonl")
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(TrainingError, match=r"audit\.json: "):
        read_audit(tmp_path / "train.jsonl")


def test_an_audit_with_a_forged_result_is_rejected(tmp_path: Path, scan: SecretScan) -> None:
    _audited(tmp_path, scan, [*_good(), BAD["secrets"]])
    file = audit_of(tmp_path / "train.jsonl")
    file.write_text(file.read_text("utf-8").replace('"passed": false', '"passed": true', 1), encoding="utf-8")
    with pytest.raises(TrainingError, match="failed its audit: secrets"):
        read_audit(tmp_path / "train.jsonl")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"{", "train.jsonl:1: Input data was truncated"),
        (b"[]", "train.jsonl:1: Expected `object`"),
        (b'{"a": 1}', "train.jsonl:1: unknown record with the keys a"),
        (b'{"instruction": "x"}', "train.jsonl:1: Object missing required field `output`"),
        (b'{"instruction": "\xff"}', "train.jsonl:1: "),
        (b"[" * 100_000, "train.jsonl:1: "),
        (
            b'{"repository":"a","time":1,"group":"g","query":"q","candidates":["a","b"],"right":[0,1]}',
            "train.jsonl:1: g: 2 of 2 candidates are right",
        ),
    ],
)
def test_an_invalid_record_is_reported_with_its_line(
    tmp_path: Path, scan: SecretScan, line: bytes, says: str
) -> None:
    file = tmp_path / "train.jsonl"
    file.write_bytes(line)
    with pytest.raises(UsageError) as caught:
        AuditRunner([file], [], DEMANDS, scan, lambda text: None).run()
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_instructions_are_audited_too(tmp_path: Path, scan: SecretScan) -> None:
    def row(number: int, repository: str, time: int) -> dict[str, Any]:
        requested = f"{VERBS[number % 10]} the {NOUNS[number // 10 % 10]} {number}"
        return {"instruction": requested, "output": "yes",
                "repository": repository, "time": time, "licence": "MIT"}  # fmt: skip

    train, evaluation = tmp_path / "t.jsonl", tmp_path / "e.jsonl"
    train.write_text("".join(json.dumps(row(n, "a/b", 1)) + "\n" for n in range(40)), encoding="utf-8")
    evaluation.write_text(
        "".join(json.dumps(row(n, "c/d", 2)) + "\n" for n in range(50, 60)), encoding="utf-8"
    )
    audits = AuditRunner([train], [evaluation], AuditPolicy(), scan, lambda text: None).run()
    assert set(_failed(audits[0])) == {"one-answer"}


def test_near_duplicates_are_found() -> None:
    index = NearIndex()
    words = [f"word{n}" for n in range(100)]
    index.add(" ".join(words), "first")
    index.add("short one", "second")
    assert index.like(" ".join([*words[:50], "other", *words[51:]])) == "first"
    assert index.like(" ".join(reversed(words))) is None
    assert index.like("short  one\n") == "second"
    assert index.like("short two") is None


def test_lists_of_held_out_repositories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert HoldoutRepositories.read(None) == HoldoutRepositories()
    (tmp_path / "kept-for-measuring.txt").write_text(
        "# ours\nAcme/Kept\nalone # by name\n\n", encoding="utf-8"
    )
    retained = HoldoutRepositories.read(None)
    assert "acme/kept" in retained
    assert "anyone/Alone" in retained
    assert "acme/other" not in retained
    with pytest.raises(UsageError, match="no such list"):
        HoldoutRepositories.read(tmp_path / "absent")
    (tmp_path / "bad").write_bytes(b"\xff")
    with pytest.raises(UsageError, match="cannot be read"):
        HoldoutRepositories.read(tmp_path / "bad")


def test_without_a_holdout_list_the_check_does_not_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from wardround.cli.commands import invoke

    monkeypatch.chdir(tmp_path)
    file = _write(tmp_path / "all.jsonl", [_choice(n, time=1000) for n in range(200)])

    def line() -> str:
        invoke(["data", "audit", str(file)])
        return next(
            splitline
            for splitline in capsys.readouterr().out.splitlines()
            if "kept-for-measuring" in splitline
        )

    assert line().startswith("  none kept-for-measuring: no list given; name one with --kept")
    (tmp_path / "kept-for-measuring.txt").write_text("acme/none\n", encoding="utf-8")
    assert line() == "  ok   kept-for-measuring: 0 of 200 items are of repositories held out for evaluation"


def test_the_recipe_of_the_sides_can_be_of_any_kind(tmp_path: Path) -> None:
    from wardround.cli.commands import invoke

    file = _write(tmp_path / "all.jsonl", [_choice(n, time=1000) for n in range(200)])
    recipe = tmp_path / "recipe.yml"
    recipe.write_text("{kind: texts, name: a, data: {records: [all.jsonl], train: [a/b], evaluation: [c/d]}}")
    invoke(["data", "audit", str(file), "--recipe", str(recipe)])
    assert msgspec.json.decode(audit_of(file).read_bytes(), type=Audit).hold_out == ("c/d",)


def test_the_sides_can_be_those_of_a_recipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from wardround.cli.commands import invoke

    file = _write(tmp_path / "all.jsonl", [_choice(n, time=1000) for n in range(200)])
    recipe = tmp_path / "recipe.yml"
    recipe.write_text(
        "{name: a, specialist: tests, task: b, data: {records: [all.jsonl], since: 1970-01-02, "
        "until: 1970-01-02, scope: {repository: acme/shop}}}"
    )
    assert invoke(["data", "audit", str(file), "--recipe", str(recipe)]) == 1
    audit = msgspec.json.decode(audit_of(file).read_bytes(), type=Audit)
    assert audit.scope == "acme/shop, held 0.35, validation 0.12"
    assert "split" in _failed(audit)
    assert invoke(["data", "audit", str(file), "--recipe", str(recipe), "--since", "2020-01-01"]) == 2
    assert "omit --hold-out and --since" in capsys.readouterr().err
