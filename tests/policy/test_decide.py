"""The verdict is the strictest that a line of a policy demands, and each line that decides is named."""

from __future__ import annotations

import random

import pytest

from tests.planes.evidence_factory import document, evidence, random_evidence, random_signals, weaker
from tests.planes.run_factory import ran
from wardround.context.canonical import canonical_json
from wardround.context.document import ContextDocument
from wardround.errors import ConfigError
from wardround.findings import Plane
from wardround.planes.evidence import Evidence
from wardround.planes.signal import PlaneStatus, Signal
from wardround.policy.bundled import BUNDLED
from wardround.policy.decide import decide, lines_of
from wardround.policy.loading import bundled_policy, parse_policy
from wardround.policy.schema import Policy
from wardround.policy.tiers import decide_tier
from wardround.policy.verdict import Tier, Verdict, VerdictName

CLEAN = tuple(Signal(plane, PlaneStatus.REVIEWED, confidence=1.0) for plane in Plane)
PATHS = ("app.py", "migrations/1.sql", ".github/workflows/ci.yml", "pyproject.toml", "Jenkinsfile")
ORDER = ("auto-merge", "auto-approve", "human-review", "escalate", "declined")
MERGING = """
name: merging
version: 1
tiers: {T1: auto-merge, T2: auto-approve, T3: human-review, T4: human-review, T5: escalate}
rules:
  - {id: only-main, when: target_branch != "main", at-least: human-review, because: not the main branch}
  - {id: two, when: touches("migrations/*"), approvals: 2, because: two people for migrations}
"""

WITHOUT_REVIEWERS = "sha256:39f4fceab8056f96b481b0abd34bb7994aaa87ce2791374946e2daf98ff2dbcc"
"""The digest of this policy before rules had reviewers."""


def policy(text: str = MERGING) -> Policy:
    return parse_policy(text.encode(), "policy.yml")


def verdict(
    *policies: Policy, context: ContextDocument | None = None, known: Evidence | None = None
) -> Verdict:
    return decide(CLEAN, context or ran(document()), known or evidence(), policies or (policy(),))


def expected_by_table(signals: tuple[Signal, ...], context: ContextDocument, known: Evidence) -> str:
    """Evaluate the default policy independently: its rules without the expression language and its code."""
    tier = decide_tier(signals, known)[0]
    demands = ["auto-approve" if tier is Tier.T1 else "human-review"]
    paths = [file.path for file in context.files]
    if any(s.plane is Plane.SECURITY and s.severity == "error" for s in signals):
        demands.append("escalate")
    if any(path.startswith(".github/") or path in ("Jenkinsfile", "pyproject.toml") for path in paths):
        demands.append("human-review")
    if known.findings or not known.target_branch:
        demands.append("human-review")
    return max(demands, key=ORDER.index)


def test_two_thousand_random_reviews_have_the_verdict_of_the_table() -> None:
    source = random.Random(5)
    default = bundled_policy("default")
    seen = set()
    for _ in range(2_000):
        signals, known = random_signals(source), random_evidence(source)
        context = document(*source.sample(PATHS, source.randint(1, 3)))
        found = decide(signals, context, known, [default])
        assert found.name == expected_by_table(signals, context, known)
        assert found.reasons
        seen.add(found.name)
    assert seen == {VerdictName.AUTO_APPROVE, VerdictName.HUMAN_REVIEW, VerdictName.ESCALATE} or seen == {
        VerdictName.HUMAN_REVIEW,
        VerdictName.ESCALATE,
    }


@pytest.mark.parametrize("name", BUNDLED)
def test_less_evidence_or_more_severe_findings_never_give_a_milder_verdict(name: str) -> None:
    source = random.Random(6)
    item, context = bundled_policy(name), document()
    for _ in range(1_000):
        signals, known = random_signals(source), random_evidence(source)
        before = decide(signals, context, known, [item])
        after = decide(*_swapped(weaker(signals, known, source), context), [item])
        assert after.name.strictness >= before.name.strictness


def _swapped(
    weak: tuple[tuple[Signal, ...], Evidence], context: ContextDocument
) -> tuple[tuple[Signal, ...], ContextDocument, Evidence]:
    return weak[0], context, weak[1]


def test_a_rule_makes_the_verdict_stricter_and_is_named() -> None:
    assert verdict().name is VerdictName.AUTO_MERGE
    found = verdict(known=evidence(target_branch="next"))
    assert found.name is VerdictName.HUMAN_REVIEW
    assert [(r.policy, r.text) for r in found.reasons if r.policy] == [
        ("merging#rules.only-main", "not the main branch")
    ]


def test_approvals_add_up_to_the_highest_number() -> None:
    found = verdict(context=document("migrations/1.sql"))
    assert (found.name, found.approvals) == (VerdictName.HUMAN_REVIEW, 2)


def test_the_floor_can_only_make_the_verdict_stricter() -> None:
    strict, merging = bundled_policy("strict"), policy()
    for order in ((merging, strict), (strict, merging)):
        found = verdict(*order)
        assert found.name is VerdictName.HUMAN_REVIEW
        assert found.policy == " + ".join(item.identity for item in order)
    assert verdict(merging, policy(MERGING.replace("escalate", "declined"))).name is VerdictName.AUTO_MERGE


def test_a_condition_that_fails_applies() -> None:
    text = MERGING + '  - {id: odd, when: "files[0].path == \\"x\\"", at-least: escalate, because: odd}\n'
    found = decide(CLEAN, ContextDocument("b", "b", "h", ()), evidence(), [policy(text)])
    assert found.name is VerdictName.ESCALATE
    assert found.reasons[0].text.startswith("odd (assumed, since the condition failed: ")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("T5: escalate", "T5: auto-merge", "tiers: T5 has auto-merge, milder than human-review of T4;"),
        (", T5: escalate", "", "tiers: T5 has no verdict; give all of T1 to T5"),
        ("T5: escalate", "T6: escalate", "tiers: invalid enum value 'T6'"),
        ("id: two", "id: only-main", "rules: two rules have the id 'only-main'; rename one"),
        ("name: merging", "", "object missing required field `name`"),
        ("version: 1", "version: 0", "version: expected `int` >= 1"),
        ("approvals: 2", "approval: 2", "rules[1]: object contains unknown field `approval`"),
        ("target_branch", "branch", "rules: only-main: when: 'branch != \"main\"': unknown variable"),
        ('touches("migrations/*")', "touch(1)", "rules: two: when: 'touch(1)': unknown function 'touch'"),
        ('touches("migrations/*")', "size(files)", "rules: two: when: it is 1, not true or false"),
        ('touches("migrations/*")', "files.", "rules: two: when: 'files.' is not a CEL expression: "),
        ('touches("migrations/*")', "signals.sec.level > 1", "rules: two: when: 'sec'"),
        ("name: merging", "name: [", "it is not valid YAML: "),
        ("name: merging", "schema: wardround.policy/2\nname: a", "schema 'wardround.policy/2' is not"),
    ],
)  # fmt: skip
def test_a_policy_with_a_mistake_is_rejected(before: str, after: str, message: str) -> None:
    assert before in MERGING
    with pytest.raises(ConfigError) as caught:
        policy(MERGING.replace(before, after))
    assert str(caught.value).startswith(f"policy.yml: {message}")


def test_comments_and_the_order_of_keys_do_not_change_the_digest() -> None:
    lines = MERGING.strip().splitlines()
    reordered = "\n".join(["# a comment", lines[1], lines[0], *lines[2:]])
    assert policy(reordered).digest == policy().digest
    assert policy(MERGING.replace("approvals: 2", "approvals: 3")).digest != policy().digest


def test_reviewers_of_a_rule_keep_the_digest_of_policies_without_them() -> None:
    rule = "{id: two, when: 'true', approvals: 2, because: always}"
    before = policy(MERGING + f"  - {rule.replace('two', 'three')}\n")
    named = policy(
        MERGING + f"  - {rule.replace('two', 'three').replace('}', ', reviewers: [ben, acme/sec]}')}\n"
    )
    assert (policy().digest, "reviewers" in canonical_json(before).decode()) == (WITHOUT_REVIEWERS, False)
    assert before.digest != named.digest
    assert [line.reviewers for line in lines_of(named, Tier.T1, CLEAN, ran(document()), evidence())][-1] == (
        "ben",
        "acme/sec",
    )


@pytest.mark.parametrize("name", ["'@ben'", "a b", "acme/", "'-x'", "''"])
def test_a_reviewer_is_the_name_of_a_person_or_a_team(name: str) -> None:
    with pytest.raises(ConfigError, match="reviewers"):
        policy(MERGING + f"  - {{id: x, when: 'true', reviewers: [{name}], because: x}}\n")
