"""The catalogue in several threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from wardround.findings import Plane, Severity
from wardround.rules.catalogue import Catalogue
from wardround.rules.model import Rule, RuleGroup


def _rule(rule_id: str) -> Rule:
    return Rule(
        id=rule_id,
        name=rule_id.partition("/")[2].lower(),
        plane=Plane.SEMANTIC,
        severity=Severity.WARN,
        defect_class="defect",
        why="Because.",
    )


def test_threads_that_load_a_group_at_once_all_get_its_rules() -> None:
    barrier = threading.Barrier(4)
    names = ("acme/A001", "acme/A002", "other/O001", "other/O002")

    def load(prefix: str) -> Sequence[Rule]:
        time.sleep(0.02)  # other threads see the group while it is loading
        return [_rule(name) for name in names if name.startswith(prefix)]

    groups = [RuleGroup(lambda prefix=prefix: load(prefix), prefix) for prefix in ("acme", "other")]  # type: ignore[misc]
    catalogue = Catalogue(groups, {})

    def request(name: str) -> list[str]:
        barrier.wait()
        return [catalogue.rule(name).id, *(rule.id for rule in catalogue.all_rules())]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(request, names)) == [[name, *names] for name in names]
