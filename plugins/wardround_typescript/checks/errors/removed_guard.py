"""TS390."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import ChangeCase
from wardround.semantics.semdiff.guard_checks import GuardGoneCheck
from wardround_typescript.analysis.guard_check import ScriptGuards

_ASKS = (
    "export async function drop(req, key) {\n  await requireAdmin(req.user)\n  await shelf.remove(key)\n}\n"
)
_TELLS = "function requireAdmin(user) {\n  console.log(user)\n}\n"
_GUARDED = (
    "export class Shelf {\n  @Mutation(() => Boolean)\n  @UseGuards(AuthGuard)\n"
    "  async drop(key: string) {\n    return this.shelf.remove(key)\n  }\n}\n"
)
_WAITS = (
    "export async function load(url: string) {\n"
    "  const reply = await fetch(url, { signal: AbortSignal.timeout(5000) })\n  return reply.json()\n}\n"
)


def _case(before: str, after: str, line: int = 0, column: int = 0) -> ChangeCase:
    place = ("shop/store.ts", line, column) if line else None
    return ChangeCase({"shop/store.ts": (before, after)}, place)


class RemovedGuard(ScriptGuards, GuardGoneCheck):
    """A check of rights, a limit of time, a transaction or an escape was there before the change, and what it
    guarded is still done.

    Such a guard is easily lost while code is moved or made shorter, and no test fails. Put it back around
    what it protected, or say in the commit why it is not needed. It counts as gone where no line the change
    brought holds a guard of that kind.
    """

    ID = "TS390"
    TRIED_ON = (
        "the newest 300 commits with scripts of eight projects (1,943, NodeBB, documenso, formbricks, "
        "hoppscotch and langfuse among them): one left of nine after narrowing, a revert that took a check "
        "of the owner away; people merge few of these by mistake, so a note"
    )
    VALID: ClassVar[Sequence[ChangeCase]] = [
        _case(_ASKS, _ASKS.replace("remove(key)", "remove(key, true)")),
        _case(_ASKS, _ASKS.replace("requireAdmin", "checkPermission")),
        _case(_GUARDED, "export class Shelf {\n  async drop(key: string) {\n    return key\n  }\n}\n"),
        *(
            _case(
                _ASKS.replace("requireAdmin(req.user)", call),
                _ASKS.replace("  await requireAdmin(req.user)\n", ""),
            )
            for call in (
                "cache.invalidateQueries(key)",
                "revalidatePath(key)",
                "Notification.requestPermission()",
                "api.authenticate()",
                "setLimits(9)",
                "delimiters(key)",
                "resetTimeout()",
                "updatePermissions(req)",
            )
        ),
        _case(f"{_ASKS}{_TELLS}", f"{_ASKS.replace('  await requireAdmin(req.user)' + chr(10), '')}{_TELLS}"),
        _case(_WAITS, _WAITS.replace("AbortSignal.timeout(5000)", "deadline(5)")),
        ChangeCase(
            {
                "shop/store.ts": (_ASKS, _ASKS.replace("  await requireAdmin(req.user)\n", "")),
                "shop/routes.ts": ("", "router.delete('/shelf', requireAdmin, drop)\n"),
            }
        ),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        _case(_ASKS, _ASKS.replace("  await requireAdmin(req.user)\n", ""), 2, 9),
        _case(_GUARDED, _GUARDED.replace("  @UseGuards(AuthGuard)\n", ""), 4, 12),
        _case(
            f"{_ASKS}function requireAdmin(user) {{\n  if (!user.admin) throw new Error()\n}}\n",
            _ASKS.replace("  await requireAdmin(req.user)\n", ""),
            2,
            9,
        ),
        _case(_WAITS, _WAITS.replace(", { signal: AbortSignal.timeout(5000) }", ""), 2, 23),
        _case(
            "export const pay = (a, b) =>\n"
            "  db.$transaction(async (tx) => {\n    await tx.createOrder(a)\n"
            "    await tx.deleteCart(b)\n  })\n",
            "export const pay = async (a, b) => {\n  await db.createOrder(a)\n  await db.deleteCart(b)\n}\n",
            2,
            9,
        ),
        _case(
            "export const link = (name: string) => `/find?q=${encodeURIComponent(name)}`\n",
            "export const link = (name: string) => `/find?q=${name}`\n",
            1,
            50,
        ),
    ]
