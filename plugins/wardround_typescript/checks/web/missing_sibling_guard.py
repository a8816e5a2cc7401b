"""TS391."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import ChangeCase
from wardround.semantics.semdiff.guard_checks import SiblingGuardCheck
from wardround_typescript.analysis.guard_check import ScriptGuards

_CLASS = (
    "export class Shelf {\n  @Mutation(() => Boolean)\n  @UseGuards(AuthGuard)\n"
    "  async clear(id: string) {\n    return this.shelf.clear(id)\n  }\n\n"
    "  @Mutation(() => Boolean)\n  @UseGuards(AuthGuard)\n"
    "  async close(id: string) {\n    return this.shelf.close(id)\n  }\n"
)
_NEW = "\n  @Mutation(() => Boolean)\n  async drop(id: string) {\n    return this.shelf.drop(id)\n  }\n"
_ACTIONS = (
    "'use server'\n\nexport async function rename(name: string) {\n  const user = await getUser()\n"
    "  return store.rename(user, name)\n}\n\nexport async function close() {\n"
    "  const user = await getUser()\n  return store.close(user)\n}\n"
)


def _case(base: str, after: str, line: int = 0, column: int = 0) -> ChangeCase:
    return ChangeCase({"shop/shelf.ts": (base, after)}, ("shop/shelf.ts", line, column) if line else None)


class MissingSiblingGuard(ScriptGuards, SiblingGuardCheck):
    """A new function lacks the check or the escaping that all others of its file have for the same thing.

    Each of its neighbours that is given the same key, or is open to the same callers, asks whether they may,
    or takes what it names from what belongs to them. Do the same here, or say by the name why everybody may.
    """

    ID = "TS391"
    TRIED_ON = (
        "450 commits of hoppscotch, langfuse and formbricks: two in one commit, wrong (parameters that all "
        "actions have), passed over since; of 2,850 functions of three servers, each taken for new, six, "
        "half of them readers beside writers, which are told apart since"
    )
    VALID: ClassVar[Sequence[ChangeCase]] = [
        _case(_CLASS + "}\n", _CLASS + _NEW.replace("  async", "  @UseGuards(AuthGuard)\n  async") + "}\n"),
        _case(_CLASS + "}\n", _CLASS + _NEW.replace("(id: string)", "(name: string)") + "}\n"),
        _case(_ACTIONS, _ACTIONS + "\nfunction label(name: string) {\n  return store.label(name)\n}\n"),
        _case(
            _ACTIONS,
            _ACTIONS
            + "\nexport async function drop(id: string) {\n  await requireOwner(id)\n  store.drop(id)\n}\n",
        ),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        _case(
            "const show = (id) => get(`/posts/${encodeURIComponent(id)}`)\n"
            "const drop = (id) => del(`/posts/${encodeURIComponent(id)}`)\n"
            "const edit = (id) => put(`/posts/${encodeURIComponent(id)}`)\n",
            "const show = (id) => get(`/posts/${encodeURIComponent(id)}`)\n"
            "const drop = (id) => del(`/posts/${encodeURIComponent(id)}`)\n"
            "const edit = (id) => put(`/posts/${encodeURIComponent(id)}`)\n"
            "const like = (id) => post(`/posts/${id}/likes`)\n",
            4,
            37,
        ),
        _case(_CLASS + "}\n", _CLASS + _NEW + "}\n", 15, 9),
        _case(
            _ACTIONS, _ACTIONS + "\nexport async function drop(id: string) {\n  store.drop(id)\n}\n", 13, 23
        ),
        _case(
            "on.rename = async (socket, data) => {\n  await users.isAdminOrSelf(socket.uid, data.uid)\n"
            "  await users.rename(data)\n}\n"
            "on.close = async (socket, data) => {\n  await users.canEdit(socket.uid, data.uid)\n"
            "  await users.close(data)\n}\n",
            "on.rename = async (socket, data) => {\n  await users.isAdminOrSelf(socket.uid, data.uid)\n"
            "  await users.rename(data)\n}\n"
            "on.close = async (socket, data) => {\n  await users.canEdit(socket.uid, data.uid)\n"
            "  await users.close(data)\n}\n"
            "on.drop = async (socket, data) => {\n  await users.drop(data.uid)\n}\n",
            9,
            1,
        ),
    ]
