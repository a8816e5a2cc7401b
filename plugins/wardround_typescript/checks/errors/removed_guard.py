"""TS390."""

from __future__ import annotations

from wardround.checks.cases import change
from wardround.semantics.semdiff.guard_checks import GuardGoneCheck
from wardround_typescript.analysis.guard_check import ScriptGuards


class RemovedGuard(ScriptGuards, GuardGoneCheck):
    """A check of rights, a limit of time, a transaction or an escape was there before the change, and what it
    guarded is still done.

    Such a guard is easily lost while code is moved or made shorter, and no test fails. Put it back around
    what it protected, or say in the commit why it is not needed. It counts as gone where no line the change
    brought holds a guard of that kind.
    """

    ID = "TS390"
    VALID = [
        change(
            {
                "shop/store.ts": (
                    """
                    export async function drop(req, key) {
                      await requireAdmin(req.user)
                      await shelf.remove(key)
                    }
                    """,
                    """
                    export async function drop(req, key) {
                      await requireAdmin(req.user)
                      await shelf.remove(key, true)
                    }
                    """,
                ),
            },
        ),
        change(
            {
                "shop/store.ts": (
                    """
                    export async function drop(req, key) {
                      await requireAdmin(req.user)
                      await shelf.remove(key)
                    }
                    """,
                    """
                    export async function drop(req, key) {
                      await checkPermission(req.user)
                      await shelf.remove(key)
                    }
                    """,
                ),
            },
        ),
    ]
    INVALID = [
        change(
            {
                "shop/store.ts": (
                    """
                    export async function drop(req, key) {
                      await requireAdmin(req.user)
                      await shelf.remove(key)
                    }
                    """,
                    """
                    export async function drop(req, key) {
                      await «shelf.»remove(key)
                    }
                    """,
                ),
            },
        ),
        change(
            {
                "shop/store.ts": (
                    """
                    export async function load(url: string) {
                      const reply = await fetch(url, { signal: AbortSignal.timeout(5000) })
                      return reply.json()
                    }
                    """,
                    """
                    export async function load(url: string) {
                      const reply = await «fetch»(url)
                      return reply.json()
                    }
                    """,
                ),
            },
        ),
    ]
