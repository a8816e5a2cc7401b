from __future__ import annotations

from wardround.rules.cases import change
from wardround.semantics.semdiff.guard_checks import GuardGoneCheck
from wardround_typescript.analysis.guard_check import ScriptGuards


class RemovedGuard(ScriptGuards, GuardGoneCheck):
    """A permission check, a timeout, a transaction or an escape is removed, but the guarded operation stays.

    Such a guard is easily lost when code is moved or shortened, and no test fails. Restore it around the
    operation, or state in the commit message why it is not needed. It counts as removed if no added line
    holds a guard of that kind. A test for null or undefined after which the function returned also counts, if
    the value has the same source as before and is now passed on without any test.
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
