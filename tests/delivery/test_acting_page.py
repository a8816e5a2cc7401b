"""The page about acting shows rules, permissions and keys as they are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml

from wardround.delivery.acting.actions import Action
from wardround.delivery.verdict_status import CHECK
from wardround.policy.schema import convert_policy

PAGE = (Path(__file__).parents[2] / "docs" / "acting.md").read_text("utf-8")
RULE, WORKFLOW, SUBMITTED, APPROVALS = (
    yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
)


def test_the_ruleset_requires_the_check_and_approvals_of_the_last_push_and_lets_nobody_bypass_it() -> None:
    block = next(block for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL) if "bypass" in block)
    ruleset = json.loads(block)
    rules = {rule["type"]: rule.get("parameters", {}) for rule in ruleset["rules"]}
    (check,) = rules["required_status_checks"]["required_status_checks"]
    assert (ruleset["enforcement"], ruleset["bypass_actors"], check["context"]) == ("active", [], CHECK)
    reviews = rules["pull_request"]
    assert reviews["dismiss_stale_reviews_on_push"]
    assert reviews["require_last_push_approval"]
    assert reviews["required_approving_review_count"] >= 1


def test_no_job_of_the_workflow_has_both_the_change_and_a_permission_to_write() -> None:
    review, act = WORKFLOW["jobs"]["review"], WORKFLOW["jobs"]["act"]
    (submitted,), (counting,) = SUBMITTED["jobs"].values(), APPROVALS["jobs"].values()
    assert [flow["permissions"] for flow in (WORKFLOW, SUBMITTED, APPROVALS)] == [{}, {}, {}]
    assert (review["permissions"], submitted["steps"]) == ({"contents": "read"}, [{"run": "true"}])
    assert counting["permissions"] == {"actions": "read", **act["permissions"]}
    assert set(act["permissions"]) == {"checks", "contents", "pull-requests"}
    used = [step["uses"] for job in (review, act, counting) for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) for action in used)


def test_the_rule_with_reviewers_is_one_of_a_policy() -> None:
    tiers = dict.fromkeys(("T1", "T2", "T3", "T4", "T5"), "human-review")
    policy = convert_policy({"name": "a", "version": 1, "tiers": tiers, "rules": RULE}, "the page")
    assert policy.rules[0].reviewers == ("ada", "acme/payments")


def test_every_action_is_named() -> None:
    described = {
        "publish-check": "publishes the check",
        "enable-auto-merge": "enables auto-merge",
        "disable-auto-merge": "disables",
        "approve": "approves",
        "request-reviews": "requests the reviews",
        "withdraw-approvals": "withdraws",
        "merge": "--merge",
    }
    assert {action.name for action in Action.__subclasses__()} == set(described)
    assert [text for text in described.values() if text not in PAGE] == []
