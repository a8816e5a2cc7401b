"""Policies under attack: edits of the policy, names that conditions could miss, files that are no policy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.security.verdicts.scene import TESTED, Side, judge, judge_neutral, require, require_silent
from wardround.errors import ConfigError

POLICY = """\
schema: wardround.policy/1
name: house
version: 1
tiers: {T1: auto-merge, T2: human-review, T3: human-review, T4: human-review, T5: human-review}
rules:
"""
PAYMENTS = """\
  - id: payments
    when: >-
      CONDITION
    at-least: escalate
    approvals: 2
    because: two people approve a change of payments
"""
MILD = POLICY.replace("human-review", "auto-merge").replace("rules:\n", "")
HOUSE = {".wardround.toml": 'policy = "ci/policy.yml"\n', "ci/policy.yml": POLICY.replace("rules:\n", "")}

EDITS: Mapping[str, Mapping[str, Any]] = {
    "milder": {"ci/policy.yml": MILD},
    "comment": {"ci/policy.yml": f"# approved\n{HOUSE['ci/policy.yml']}"},
    "deleted": {"ci/policy.yml": None},
    "renamed": {"ci/policy.yml": None, "ci/old.yml": HOUSE["ci/policy.yml"]},
    "empty": {"ci/policy.yml": ""},
    "not-a-policy": {"ci/policy.yml": "[]\n"},
    "link": {"ci/policy.yml": {"link": "../p.yml"}, "p.yml": MILD},
    "link-out-of-the-repository": {"ci/policy.yml": {"link": "/etc/passwd"}},
    "folder-is-a-link": {"ci/policy.yml": None, "ci": {"link": "other"}, "other/policy.yml": MILD},
    "submodule": {"ci/policy.yml": {"submodule": "1" * 40}},
    "folder-is-a-submodule": {"ci/policy.yml": None, "ci": {"submodule": "1" * 40}},
    "executable": {"ci/policy.yml": {"executable": MILD}},
    "other-case": {"ci/Policy.yml": MILD},
    "folder-in-other-case": {"CI/policy.yml": MILD},
    "byte-order-mark": {"ci/policy.yml": f"\ufeff{MILD}"},
    "tag": {"ci/policy.yml": "!!python/object/apply:os.system [touch marker]\n"},
    "aliases": {"ci/policy.yml": f"x: &a [1]\ny: [*a, *a]\n{MILD}"},
    "other-file-by-configuration": {".wardround.toml": 'policy = "p.yml"\n', "p.yml": MILD},
    "bundled-by-configuration": {".wardround.toml": 'policy = "advisory"\n'},
    "second-configuration": {"shop/.wardround.toml": 'policy = "../p.yml"\n', "shop/p.yml": MILD},
    "neighbour": {"ci/policy.yaml": MILD},
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_policy_does_not_decide_and_is_not_merged(tmp_path: Path, name: str) -> None:
    attacked = judge(tmp_path / "attack", Side({**TESTED, **EDITS[name]}, HOUSE))

    require("stricter", attacked, judge_neutral(tmp_path, Side(TESTED, HOUSE)))
    require_silent(attacked)


CONDITIONS = {
    "touches": 'touches("payments")',
    "glob": 'files.exists(f, glob(f.path, "payments/*.py"))',
    "starts-with": 'files.exists(f, f.path.startsWith("payments/"))',
    "ends-with": 'files.exists(f, f.path.contains("payments") && f.path.endsWith(".py"))',
    "matches": 'files.exists(f, f.path.matches("^payments/.*[.]py$"))',
    "contains": 'files.exists(f, f.path.contains("payments/"))',
}
NAMES = {
    "quote": 'a"b', "apostrophe": "a'b", "backslash": "a\\", "newline": "a\nb", "carriage-return": "a\rb",
    "line-separator": "a\u2028b", "next-line": "a\u0085b", "tab": "a\tb", "escape": "a\x1b[2Jb",
    "brackets": "[a]", "star": "*", "question": "?", "braces": "{a,b}", "expression": '") || true || ("',
    "negation": "!a", "dash": "-a", "option": "--force", "dollar": "$(touch marker)", "per-cent": "%s%n",
    "blank": " a ", "not-utf-8": "\udcff\udcfe", "decomposed": "e\u0301", "bidi": "a\u202eb",
    "workflow-command": "::set-output name=verdict::auto-merge", "null-in-words": "\\0", "dots": "...",
    "deep": "/".join("abcdefghij"), "long": "a" * 200,
}  # fmt: skip
CODE = "RATE = 20\n"


@pytest.mark.parametrize("name", NAMES)
def test_no_name_slips_past_a_condition(tmp_path: Path, name: str) -> None:
    complete = " && ".join(f"({condition})" for condition in CONDITIONS.values())
    rules = POLICY + PAYMENTS.replace("CONDITION", complete)
    base = {".wardround.toml": 'policy = "p.yml"\n', "p.yml": rules}

    attacked = judge(tmp_path / "attack", Side({**TESTED, f"payments/{NAMES[name]}.py": CODE}, base))

    neutral = judge_neutral(tmp_path, Side({**TESTED, "payments/a.py": CODE}, base))
    assert (neutral.name, neutral.approvals) == ("escalate", 2)
    assert attacked.rank >= neutral.rank
    require_silent(attacked)


ONLY_MAIN = PAYMENTS.replace("CONDITION", 'target_branch != "main"')
BRANCHES = (
    "",
    "Main",
    "MAIN",
    "main ",
    " main",
    "refs/heads/main",
    "origin/main",
    "main/x",
    "main\n",
    "main\0",
)
BRANCHES += ("main\u200b", "\uff4dain", "m\u0430in", "*", ".*", '" || true || "', "::set-output name=a::main")


@pytest.mark.parametrize("branch", BRANCHES)
def test_only_the_name_itself_is_the_branch(tmp_path: Path, branch: str) -> None:
    base = {".wardround.toml": 'policy = "p.yml"\n', "p.yml": POLICY + ONLY_MAIN}

    attacked = judge(tmp_path / "attack", Side(TESTED, base, request={"target_branch": branch}))

    require("stricter", attacked, judge_neutral(tmp_path, Side(TESTED, base)))
    require_silent(attacked)


LAUGHS = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 7))
HOSTILE: Mapping[str, str | bytes] = {
    "billion-laughs": f"a0: &a0 [x, x]\n{LAUGHS}",
    "itself": f"description: &a [*a]\n{MILD}",
    "merge-key": f"x: &x {{T1: auto-merge}}\ny: {{<<: *x}}\n{MILD}",
    "object": f"description: !!python/object/apply:os.system [touch marker]\n{MILD}",
    "name": f"description: !!python/name:os.system\n{MILD}",
    "unknown-tag": f"description: !include /etc/passwd\n{MILD}",
    "set": f"description: !!set {{a, b}}\n{MILD}",
    "key-that-is-a-list": f"? [a]\n: b\n{MILD}",
    "key-that-is-a-number": f"1: b\n{MILD}",
    "huge-number": MILD.replace("version: 1", "version: 1" + "0" * 40),
    "not-a-number": MILD.replace("version: 1", "version: .nan"),
    "date": MILD.replace("version: 1", "version: 2030-01-01"),
    "second-tiers": f"tiers: {{T1: declined}}\n{MILD}",
    "second-document": f"{MILD}---\n{MILD}",
    "nested-deeply": f"description: {'[' * 5000}\n{MILD}",
    "nested-expression": POLICY + PAYMENTS.replace("CONDITION", "(" * 900 + "true" + ")" * 900),
    "not-utf-8": b"\xff\xfe" + MILD.encode("utf-16-le"),
    "null-byte": f"{MILD}\0",
    "control-characters": MILD.replace("house", "a\x1b[2Jb"),
    "name-with-a-command": MILD.replace("house", '"a\\n::set-output name=a::b"'),
    "unknown-key": f'{MILD}"\\u001b]0;owned\\u0007": 1\n',
    "milder-for-lower-tiers": MILD.replace("T1: auto-merge", "T1: declined"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_not_a_policy_is_rejected_with_one_sentence(tmp_path: Path, name: str) -> None:
    base = {".wardround.toml": 'policy = "p.yml"\n', "p.yml": HOSTILE[name]}

    with pytest.raises(ConfigError) as refused:
        judge(tmp_path / "attack", Side(TESTED, base))

    assert str(refused.value).startswith("p.yml: ")
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 2_000
