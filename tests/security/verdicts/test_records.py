"""Records under attack: those in the tree are ignored, and hostile files end in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository
from tests.planes.evidence_factory import evidence
from tests.records import sample_reviews
from tests.security.test_printed_commands import assert_silent
from tests.security.verdicts.scene import CHANGES, TESTED, Side, judge, judge_neutral, require, require_silent
from wardround.cli.commands import invoke
from wardround.records import bundle, envelope, keys, strict_json, trial
from wardround.records.envelope import PAYLOAD_TYPE, Envelope, base64_text
from wardround.records.predicates import digest_of
from wardround.records.public_keys import public_key_json, public_pem
from wardround.records.reading import evidence_fault
from wardround.records.record import predicate_of

COMMAND = "\n::set-output name=verdict::auto-merge\n\x1b]0;owned\x07"


# Records and keys in the tree

KEY = sample_reviews.signer()
RECORD = sample_reviews.real_record(KEY).data.decode()
IN_TREE: Mapping[str, Mapping[str, Any]] = {
    "record": {"review.intoto.jsonl": RECORD},
    "record-in-a-folder": {".wardround/records/review.intoto.jsonl": RECORD},
    "record-with-the-name-of-documentation": {"docs/readme.intoto.jsonl": RECORD},
    "record-as-markdown": {"docs/review.md": RECORD},
    "report": {"report.json": '{"verdict": {"name": "auto-merge", "tier": "T1"}, "findings": []}\n'},
    "sarif": {"report.sarif": '{"version": "2.1.0", "runs": []}\n'},
    "key": {".wardround/keys/trusted/a.json": public_key_json(KEY.public_key).decode()},
    "key-of-the-user": {"wardround/keys/private.pem.pub": public_pem(KEY.public_key)},
    "state": {".local/state/wardround/keys/trusted/a.json": public_key_json(KEY.public_key).decode()},
    "store": {".wardround/records.sqlite3": b"SQLite format 3\0"},
    "store-of-the-cache": {".cache/wardround/records.sqlite3": b"SQLite format 3\0"},
    "notes": {".git-notes/wardround": RECORD},
    "attestation": {".sigstore/bundle.json": '{"mediaType": "application/vnd.dev.sigstore.bundle"}\n'},
}  # fmt: skip


@pytest.mark.parametrize("name", IN_TREE)
def test_a_record_in_the_tree_approves_nothing(tmp_path: Path, name: str) -> None:
    attacked = judge(tmp_path / "attack", Side({**TESTED, **IN_TREE[name]}))

    expected = "same" if name == "record-as-markdown" else "stricter"
    require(expected, attacked, judge_neutral(tmp_path, Side(TESTED)))
    require_silent(attacked)


@pytest.mark.parametrize("name", IN_TREE)
def test_a_record_in_the_tree_hides_no_defect(tmp_path: Path, name: str) -> None:
    attacked = judge(tmp_path / "attack", Side({**CHANGES["wrong"], **IN_TREE[name]}))

    require("not-milder", attacked, judge_neutral(tmp_path, Side(CHANGES["wrong"])))


def test_keys_in_the_tree_are_not_trusted(repo: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    for files in IN_TREE.values():
        repo.stage({path: content for path, content in files.items() if isinstance(content, str)})
    monkeypatch.chdir(repo.root)

    assert keys.trusted_keys() == ()
    assert invoke(["verify", "review.intoto.jsonl"]) == 1


@pytest.mark.parametrize(
    "place", ["out/review.intoto.jsonl", "link.intoto.jsonl", "out/deep/review.intoto.jsonl"]
)
def test_a_record_is_not_written_through_a_link_of_the_change(
    repo: GitRepository, tmp_path: Path, place: str
) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    victim = outside / "victim"
    victim.write_text("mine", encoding="utf-8")
    (repo.root / "out").symlink_to(outside)
    (repo.root / "link.intoto.jsonl").symlink_to(victim)
    repo.stage({"a.py": "x = 1\n"})

    done = repo.wardround("review", "--staged", "--record", place)

    assert sorted(path.name for path in outside.rglob("*")) == ["deep", "victim"]
    assert victim.read_text(encoding="utf-8") == "mine"
    assert done.returncode == 2 or not (repo.root / place).is_symlink()


# Hostile files


def _predicate() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(json.dumps(predicate_of(sample_reviews.review(evidence()))))
    return value


def _line(payload: bytes) -> bytes:
    return Envelope(payload, PAYLOAD_TYPE).line() + b"\n"


def _signed_by(*key_ids: str) -> bytes:
    signatures = [{"keyid": key_id, "sig": base64_text(b"a")} for key_id in key_ids]
    value = {"payload": base64_text(b"{}"), "payloadType": PAYLOAD_TYPE, "signatures": signatures}
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _changed(change: Callable[[dict[str, Any]], Any]) -> bytes:
    """A record whose predicate was edited, as consistently as its author can do it."""
    predicate = _predicate()
    change(predicate)
    return bundle.write(predicate, sample_reviews.FACTS, KEY, sample_reviews.MOMENT).data


def _set(*path: str | int, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(predicate: dict[str, Any]) -> None:
        location: Any = predicate
        for step in path[:-1]:
            location = location[step]
        location[path[-1]] = value

    return change


def _rule(condition: str) -> list[dict[str, Any]]:
    return [
        {
            "id": "a",
            "when": condition,
            "because": f"reason{COMMAND}",
            "at-least": "human-review",
            "approvals": 0,
        }
    ]


_FINDING = {
    "fingerprint": "a", "rule": f"ruff/F821{COMMAND}", "defect_class": "a", "plane": "security",
    "specialist": "python", "severity": "error", "status": "new", "confidence": 1.0, "file": f"a{COMMAND}.py",
    "line": 1, "column": 1, "end_line": 1, "end_column": 2, "message": f"message{COMMAND}", "sources": [],
}  # fmt: skip
_TIERS = ("policy", "document", "tiers")
RULES = ("policy", "document", "rules")
EDITED: Mapping[str, Callable[[dict[str, Any]], Any]] = {
    "verdict": _set("verdict", "name", value="auto-merge"),
    "tier": _set("verdict", "tier", value="T4"),
    "unknown-verdict": _set("verdict", "name", value=f"merge{COMMAND}"),
    "reasons": _set("verdict", "reasons", value=[
        {"text": COMMAND, "planes": [], "findings": [], "policy": COMMAND}
    ]),
    "approvals": _set("verdict", "approvals", value=-1),
    "signals-without-security": lambda predicate: predicate["signals"].pop(4),
    "no-signals": _set("signals", value=[]),
    "confidence": _set("signals", 0, "confidence", value=2.0),
    "severity": _set("signals", 0, "severity", value=COMMAND),
    "signal-reasons": _set("signals", 0, "reasons", value=[COMMAND] * 1000),
    "plane-twice": lambda predicate: predicate["signals"].append(predicate["signals"][0]),
    "unknown-plane": _set("signals", 0, "plane", value="approval"),
    "findings": _set("evidence", "findings", value=[_FINDING]),
    "many-findings": _set("evidence", "findings", value=[_FINDING] * 300),
    "missing": _set("evidence", "missing", value=[
        {"file": f"a{COMMAND}", "specialist": "", "tool": COMMAND, "reason": COMMAND}
    ]),
    "failures": _set("evidence", "plane_failures", value={"security": f"it failed{COMMAND}"}),
    "unknown-failures": _set("evidence", "plane_failures", value={"approval": "it failed"}),
    "files": _set("evidence", "files", value=[]),
    "file-names": _set("evidence", "files", 0, "path", value=f"a{COMMAND}.py"),
    "surrogates": _set("evidence", "messages", value=["\\ud800", "\u202eevil"]),
    "messages": _set("evidence", "messages", value=[COMMAND] * 500),
    "profile": _set("evidence", "profile", value=COMMAND),
    "branch": _set("evidence", "target_branch", value=f"main{COMMAND}"),
    "negative-lines": _set("evidence", "files", 0, "added_lines", value=-10_000),
    "huge-lines": _set("evidence", "files", 0, "added_lines", value=2**53 - 1),
    "gate": _set("gate", "outcome", value="blocked"),
    "gate-command": _set("gate", "outcome", value=COMMAND),
    "policy-name": _set("policy", "name", value=f"default{COMMAND}"),
    "policy-digest": _set("policy", "digest", value=f"sha256:{'0' * 64}"),
    "policy-milder": _set(*_TIERS, value=dict.fromkeys(("T1", "T2", "T3", "T4", "T5"), "auto-merge")),
    "policy-without-tiers": _set(*_TIERS, value={}),
    "policy-out-of-order": _set(*_TIERS, "T1", value="declined"),
    "policy-without-rules": _set(*RULES, value=[]),
    "policy-condition": _set(*RULES, value=_rule("(" * 900 + "true" + ")" * 900)),
    "policy-unknown-name": _set(*RULES, value=_rule("secrets.exists(s, true)")),
    "policy-not-boolean": _set(*RULES, value=_rule('"true"')),
    "policy-division": _set(*RULES, value=_rule("1 / 0 == 1")),
    "policy-many-rules": _set(*RULES, value=_rule("true") * 201),
    "policy-same-ids": _set(*RULES, value=_rule("true") * 2),
    "policy-schema": _set("policy", "document", "schema", value="wardround.policy/2"),
    "floor-removed": lambda predicate: predicate.pop("floor"),
    "floor-null": _set("floor", value=None),
    "schema": _set("schema", value="wardround.review/2"),
    "unknown-field": _set("approved", value=True),
    "unknown-field-in-evidence": _set("evidence", "approved", value=True),
    "version": _set("components", "version", value=COMMAND),
}  # fmt: skip
SIGNED = ("branch", "messages", "surrogates", "version")
"""Values that who writes a record is free to choose; nothing that is printed of them is obeyed."""
FILES: Mapping[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "newlines": lambda: b"\n" * 1000,
    "binary": lambda: bytes(range(256)) * 100,
    "not-json": lambda: COMMAND.encode() + b"\n",
    "large": lambda: b'{"payload":"' + b"A" * 8_000_000 + b'"}\n',
    "nested-lists": lambda: b"[" * 200_000 + b"\n",
    "nested-objects": lambda: b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n",
    "nested-payload": lambda: _line(b"[" * 100_000 + b"]" * 100_000),
    "null": lambda: b"null\n",
    "number": lambda: b"1" * 5000 + b"\n",
    "huge-number": lambda: _line(b'{"a":' + b"9" * 5000 + b"}"),
    "not-a-number": lambda: _line(b'{"a":NaN}'),
    "not-utf-8": lambda: _line(b'{"a":"\xff"}'),
    "surrogate": lambda: _line(b'{"a":"\\ud800"}'),
    "duplicate-keys": lambda: _line(b'{"predicateType":"a","predicateType":"b"}'),
    "duplicate-key-with-a-command": lambda: b'{"\\u001b]0;a":1,"\\u001b]0;a":2}\n',
    "unknown-field-with-a-command": lambda: json.dumps({COMMAND: 1}).encode() + b"\n",
    "not-canonical": lambda: RECORD.replace('"payload":', '"payload": ', 1).encode(),
    "other-order": lambda: json.dumps(json.loads(RECORD.split("\n")[0])).encode() + b"\n",
    "payload-is-no-text": lambda: RECORD.replace('"payload":"', '"payload":1,"a":"', 1).encode(),
    "payload-is-not-base64": lambda: RECORD.replace('"payload":"', '"payload":"*', 1).encode(),
    "other-type": lambda: RECORD.replace("in-toto+json", "in-toto+jso").encode(),
    "other-predicate": lambda: _line(b'{"predicateType":"https://example.org/a"}'),
    "no-predicate": lambda: _line(b'{"_type":"https://in-toto.io/Statement/v1"}'),
    "list-payload": lambda: _line(b"[]"),
    "text-payload": lambda: _line(b'"a"'),
    "key-with-a-command": lambda: _signed_by(COMMAND),
    "many-signatures": lambda: _signed_by(*(f"{number:06}" for number in range(20_000))),
    "first-line-alone": lambda: RECORD.encode().splitlines(keepends=True)[0],
    "lines-swapped": lambda: b"".join(RECORD.encode().splitlines(keepends=True)[::-1]),
    "line-twice": lambda: RECORD.encode().splitlines(keepends=True)[0] * 3,
    "trailing-text": lambda: RECORD.encode() + b"approved\n",
    "other-context": lambda: RECORD.encode().splitlines(keepends=True)[0] + b"".join(
        sample_reviews.record(KEY).data.splitlines(keepends=True)[1:]
    ),
}  # fmt: skip


def _commands(file: Path) -> list[list[str]]:
    return [["replay", str(file)], ["policy", "explain", str(file)], ["verify", str(file)]]


def _require_one_sentence(file: Path, capsys: pytest.CaptureFixture[bytes]) -> dict[str, int]:
    """Run the commands that read a record; none crashes, and nothing that they print is obeyed."""
    statuses = {}
    for command in _commands(file):
        statuses[command[0]] = invoke(command)
        printed = capsys.readouterr()
        out, err = printed.out.decode(), printed.err.decode()
        assert_silent(out, err)
        assert "internal error" not in err
        assert len(err) < 4_000
    return statuses


@pytest.mark.parametrize("name", FILES)
def test_what_is_not_a_record_is_rejected(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], name: str
) -> None:
    keys.trust(_public_key(tmp_path))
    file = tmp_path / "review.intoto.jsonl"
    file.write_bytes(FILES[name]())

    statuses = _require_one_sentence(file, capsysbinary)

    assert statuses["verify"] == 1


@pytest.mark.parametrize("name", EDITED)
def test_an_edited_record_is_invalid(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], name: str
) -> None:
    keys.trust(_public_key(tmp_path))
    file = tmp_path / "review.intoto.jsonl"
    try:
        file.write_bytes(_changed(EDITED[name]))
    except bundle.RecordError:
        return  # no such record can be made

    statuses = _require_one_sentence(file, capsysbinary)

    assert statuses["verify"] == 1
    assert statuses["replay"] in (1, 2)


@pytest.mark.parametrize("name", SIGNED)
def test_a_record_that_is_written_again_is_distinguished_by_its_signature_alone(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], name: str
) -> None:
    file = tmp_path / "review.intoto.jsonl"
    predicate = _predicate()
    EDITED[name](predicate)
    predicate["digest"] = digest_of(predicate)
    file.write_bytes(bundle.write(predicate, sample_reviews.FACTS, KEY, sample_reviews.MOMENT).data)

    assert _require_one_sentence(file, capsysbinary)["verify"] == 1
    keys.trust(_public_key(tmp_path))
    statuses = _require_one_sentence(file, capsysbinary)
    assert (statuses["verify"], statuses["replay"]) == (0, 0)


# A record without signatures that is edited in place

UNSIGNED: Mapping[str, tuple[int, Callable[[dict[str, Any]], Any]]] = {
    "tools": (0, _set("predicate", "evidence", "tools", value=[])),
    "target-branch": (0, _set("predicate", "evidence", "target_branch", value="scratch")),
    "messages": (0, _set("predicate", "evidence", "messages", value=["Reviewed-by: Ada"])),
    "neighbours": (
        0,
        _set(
            "predicate",
            "evidence",
            "neighbours",
            value=[{"path": "a.py", "line": 1, "end_line": 2, "symbol": "a", "hunks": []}],
        ),
    ),
    "engine": (0, _set("predicate", "components", "engine", value="sha256:0")),
    "request": (0, _set("predicate", "request", "trusted_side", value="head")),
    "origin": (0, _set("predicate", "origin", value={"actor": "ada"})),
    "not-covered": (0, _set("predicate", "context", "not_covered", value=[])),
    "digest-removed": (0, lambda statement: statement["predicate"].pop("digest")),
    "schema": (0, _set("predicate", "schema", value="wardround.review/1")),
    "head-of-one-line": (0, _set("subject", 1, "digest", "gitCommit", value="e" * 40)),
    "time": (1, _set("predicate", "timeCreated", value="2031-01-31T12:00:05Z")),
    "property": (1, lambda statement: statement["predicate"]["properties"].pop()),
    "verdict-property": (1, _set("predicate", "properties", 0, value="WARDROUND_VERDICT_AUTO_MERGE")),
    "result": (2, _set("predicate", "result", value="PASSED ")),
}


@pytest.mark.parametrize("name", UNSIGNED)
def test_a_record_without_signatures_that_is_edited_fails_a_replay(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    file = tmp_path / "review.intoto.jsonl"
    data = sample_reviews.real_record(None, messages=("Add a limit",)).data
    file.write_bytes(data)
    assert invoke(["replay", str(file)]) == 0
    number, change = UNSIGNED[name]
    lines = [envelope.parse(line) for line in data.splitlines()]
    statement = json.loads(lines[number].payload)
    change(statement)
    lines[number] = Envelope(strict_json.encode(statement), PAYLOAD_TYPE)
    file.write_bytes(envelope.bundle(lines))

    status = invoke(["replay", str(file)])

    *_, shown = capfd.readouterr().out.splitlines()
    assert status == 1
    assert ": the record was changed: line " in shown or shown.startswith("  context.not_covered: ")


def _public_key(folder: Path) -> Path:
    file = folder / "key.pub"
    file.write_text(public_pem(KEY.public_key), encoding="utf-8")
    return file


@pytest.mark.parametrize("content", [b"", b"[", b"\xff" * 100, b"{}", b"[" * 100_000, COMMAND.encode()])
def test_what_is_not_a_key_is_rejected(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], content: bytes
) -> None:
    file = tmp_path / "key.pub"
    file.write_bytes(content)

    assert invoke(["keys", "trust", str(file)]) not in (0, 1)

    printed = capsysbinary.readouterr()
    assert_silent(printed.out.decode(), printed.err.decode())
    assert b"internal error" not in printed.err
    assert keys.trusted_keys() == ()


# Records whose policy or size is an attack

_ITEMS = f"[{', '.join(map(str, range(40)))}]"
ENDLESS = {
    "nested comprehensions": f"{_ITEMS}.all(a, {_ITEMS}.all(b, {_ITEMS}.all(c, {_ITEMS}.all(d, "
    f"{_ITEMS}.all(e, {_ITEMS}.all(f, {_ITEMS}.all(g, a + b + c + d + e + f + g >= 0)))))))",
    "doubled texts": f"['aaaaaaaa']{'.map(y, y + y)' * 60}.size() == 1",
    "doubled lists": f"[[1, 2]]{'.map(y, y + y)' * 60}.size() == 1",
    "only with findings": f"findings.size() == 0 && {_ITEMS}.map(a, {_ITEMS}.map(b, {_ITEMS}.map(c, "
    f"{_ITEMS}.map(d, {_ITEMS}.map(e, {_ITEMS}.map(f, 'aaaaaaaaaaaaaaaa')))))).size() == 1",
}


@pytest.mark.parametrize("name", ENDLESS)
@pytest.mark.parametrize("command", [("replay",), ("verify",), ("policy", "explain")])
def test_the_condition_of_a_stranger_ends_at_a_limit(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    name: str,
    command: tuple[str, ...],
) -> None:
    monkeypatch.setattr(trial, "CPU_S", 0.3)
    file = tmp_path / "review.intoto.jsonl"
    file.write_bytes(sample_reviews.with_condition(ENDLESS[name]))

    status = invoke([*command, str(file)])

    printed = "".join(capfd.readouterr())
    if command == ("verify",):
        assert (status, "line 1: not signed" in printed) == (1, True)
        found = evidence_fault(record_predicate(file))
        assert found == "its policy takes more than 0.3 s of processor time or 512 MiB of memory"
    else:
        assert status == 2
        assert "its policy takes more than 0.3 s of processor time or 512 MiB of memory" in printed


def record_predicate(file: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = strict_json.decode(envelope.parse(file.read_bytes().split(b"\n")[0]).payload)[
        "predicate"
    ]
    return found


def test_the_condition_of_a_stranger_that_ends_is_evaluated(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "review.intoto.jsonl"
    file.write_bytes(sample_reviews.with_condition("files.all(f, f.added_lines >= 0)"))

    assert invoke(["policy", "explain", str(file)]) == 0
    assert "  * rules.own: human-review: reasons\n" in capfd.readouterr().out


@pytest.mark.parametrize("command", [("replay",), ("verify",), ("policy", "explain")])
def test_only_the_first_64_mib_of_a_file_are_read(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    file = tmp_path / "large.intoto.jsonl"
    with file.open("wb") as created:
        created.truncate(200 << 30)

    assert invoke([*command, str(file)]) == (1 if command == ("verify",) else 2)
    assert "it is larger than 64 MiB" in "".join(capfd.readouterr())


def test_only_the_first_megabyte_of_a_policy_is_read(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "large.yml"
    with file.open("wb") as created:
        created.truncate(200 << 30)

    assert invoke(["policy", "check", str(file)]) == 2
    assert "it is larger than 1000000 bytes; give a smaller file" in capfd.readouterr().err
