"""A CI system whose events are complete in variables: a table of their names is all it takes."""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

import msgspec

from wardround.change.revisions import object_id, require_ref
from wardround.delivery.ci_event import CiEvent, Provider
from wardround.records.record import RecordedOrigin

_BRANCH, _TAG = "refs/heads/", "refs/tags/"
_UNSET = "$("
"""Azure leaves a macro of an unset variable as it is."""


class VariableTable(msgspec.Struct, frozen=True):
    """The names of variables; of several names for one value, the first that is set counts.

    Attributes:
        head: the commit that the run is about.
        ref: the branch, or the tag if it begins with ``refs/tags/``.
        exact_base: a revision that the run compares with.
        base: the commit that a change request is compared with; it may be older than its target.
        previous: the commit that was reviewed last.
        default_branch: its name; without one, the default branch of ``origin``.
        branch: the source of a change request.
        repository, run: addresses, with ``${NAME}`` for variables.
    """

    provider: Provider
    head: tuple[str, ...] = ()
    ref: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    target: tuple[str, ...] = ()
    exact_base: tuple[str, ...] = ()
    base: tuple[str, ...] = ()
    previous: tuple[str, ...] = ()
    default_branch: tuple[str, ...] = ()
    branch: tuple[str, ...] = ()
    title: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    change_request: tuple[str, ...] = ()
    repository: str = ""
    run: str = ""
    actor: tuple[str, ...] = ()

    def event(self, environ: Mapping[str, str]) -> CiEvent:
        """Return the event of a run.

        Raises:
            GitError: the exact base is not a revision.
        """
        exact_base = _value(environ, self.exact_base)
        ref, target = _value(environ, self.ref), _value(environ, self.target)
        is_tag = ref.startswith(_TAG) or bool(_value(environ, self.tag))
        event = CiEvent(
            self.provider,
            "change request" if target else "tag" if is_tag else "branch",
            head=object_id(_value(environ, self.head)),
            exact_base=require_ref(exact_base, self.exact_base[0]) if exact_base else None,
        )
        if target:
            return msgspec.structs.replace(event, **self._change_request(environ, target))
        default = _value(environ, self.default_branch).removeprefix(_BRANCH)
        branch = ref.removeprefix(_BRANCH)
        return msgspec.structs.replace(
            event,
            previous=object_id(_value(environ, self.previous)),
            default_branch=None if default and default == branch else default or "HEAD",
            may_be_default=not (default and branch),
            has_parent_only=is_tag,
        )

    def origin(self, environ: Mapping[str, str]) -> RecordedOrigin:
        """Return the run."""
        repository, run = _address(environ, self.repository), _address(environ, self.run)
        return RecordedOrigin(repository, "", run, _value(environ, self.actor))

    def _change_request(self, environ: Mapping[str, str], target: str) -> dict[str, str | None]:
        return {
            "target": target.removeprefix(_BRANCH),
            "base": object_id(_value(environ, self.base)),
            "branch": _value(environ, self.branch).removeprefix(_BRANCH),
            "title": _value(environ, self.title),
            "body": _value(environ, self.body),
            "change_request": _value(environ, self.change_request),
        }


def _value(environ: Mapping[str, str], names: tuple[str, ...]) -> str:
    found = (environ.get(name, "") for name in names)
    return next((value for value in found if value and not value.startswith(_UNSET)), "")


def _address(environ: Mapping[str, str], template: str) -> str:
    """Return an address; empty if a variable of it is not set."""
    try:
        return Template(template).substitute(environ)
    except KeyError:
        return ""
