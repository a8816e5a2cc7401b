"""Acting on a change request: the plan, its actions one after the other, and a last look at the head."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from wardround.delivery.acting.action_log import ActionLog
from wardround.delivery.acting.actions import Action
from wardround.delivery.acting.plan import ActSettings, Plan, Situation, make_plan
from wardround.delivery.acting.verified_review import VerifiedReview
from wardround.delivery.code_hosts.code_host import CodeHost
from wardround.delivery.code_hosts.errors import HostError, LostResponse, RefusedByHost

_ATTEMPTS = 3
"""How often an action is begun whose responses are lost."""


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of acting.

    Attributes:
        refusals: sentences about the actions that the host refused.
    """

    plan: Plan
    refusals: tuple[str, ...] = ()


class Acting:
    """Acts on one change request for one review.

    Args:
        show: prints a line for each action that was done.
    """

    def __init__(
        self,
        host: CodeHost,
        review: VerifiedReview,
        settings: ActSettings,
        log: ActionLog,
        show: Callable[[str], None],
    ) -> None:
        self._host = host
        self._review = review
        self._settings = settings
        self._log = log
        self._show = show
        self._refusals: list[str] = []

    def plan(self) -> Plan:
        """Read the change request, and return the plan for it as it is now.

        Raises:
            HostError, RefusedByHost: it cannot be read.
        """
        merging = self._host.merging
        now = Situation(self._host.change_request(), merging.state(), self._host.account())
        return make_plan(self._review, now, self._settings)

    def apply(self) -> Outcome:
        """Do the actions of the plan; a push meanwhile withdraws them again.

        An action that the host refuses does not stop the others.

        Raises:
            HostError: the host cannot be reached or fails; another run continues.
            UsageError: the log cannot be written.
        """
        plan = self.plan()
        self._do_all(plan)
        if plan.is_obsolete or not plan.actions:
            return Outcome(plan, tuple(self._refusals))
        later = self.plan()
        if later.is_obsolete:
            self._do_all(later)
        return Outcome(later if later.is_obsolete else plan, tuple(self._refusals))

    def _do_all(self, plan: Plan) -> None:
        for action in plan.actions:
            self._do(action)

    def _do(self, action: Action) -> None:
        """Do an action; one whose response was lost again, if the change request still lacks it."""
        for _ in range(_ATTEMPTS):
            self._log.add("begin", action)
            try:
                action.perform(self._host)
            except LostResponse as lost:
                self._log.add("lost", action, str(lost))
                if self._is_planned(action):
                    continue
            except RefusedByHost as refusal:
                self._log.add("refused", action, str(refusal))
                self._refusals.append(f"{action.name}: {refusal}")
                return
            except HostError as failure:
                self._log.add("failed", action, str(failure))
                raise
            self._log.add("done", action)
            self._show(f"done: {action.text}")
            return
        raise HostError(f"{action.name}: the responses are lost {_ATTEMPTS} times; run wardround act again")

    def _is_planned(self, action: Action) -> bool:
        return action.key in {planned.key for planned in self.plan().actions}
