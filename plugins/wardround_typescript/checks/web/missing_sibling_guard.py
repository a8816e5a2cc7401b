from __future__ import annotations

from wardround.rules.cases import change
from wardround.semantics.semdiff.guard_checks import SiblingGuardCheck
from wardround_typescript.analysis.guard_check import ScriptGuards


class MissingSiblingGuard(ScriptGuards, SiblingGuardCheck):
    """A new function lacks the check or the escaping that its siblings have.

    Every other function of the file with the same key or the same callers checks permissions, or restricts
    the record to its owner. Add the same guard, or name the function so that its public access is explicit.
    """

    ID = "TS391"
    VALID = [
        change(
            {
                "shop/shelf.ts": (
                    """
                    'use server'

                    export async function rename(name: string) {
                      const user = await getUser()
                      return store.rename(user, name)
                    }

                    export async function close() {
                      const user = await getUser()
                      return store.close(user)
                    }
                    """,
                    """
                    'use server'

                    export async function rename(name: string) {
                      const user = await getUser()
                      return store.rename(user, name)
                    }

                    export async function close() {
                      const user = await getUser()
                      return store.close(user)
                    }

                    function label(name: string) {
                      return store.label(name)
                    }
                    """,
                ),
            },
        ),
        change(
            {
                "shop/shelf.ts": (
                    """
                    'use server'

                    export async function rename(name: string) {
                      const user = await getUser()
                      return store.rename(user, name)
                    }

                    export async function close() {
                      const user = await getUser()
                      return store.close(user)
                    }
                    """,
                    """
                    'use server'

                    export async function rename(name: string) {
                      const user = await getUser()
                      return store.rename(user, name)
                    }

                    export async function close() {
                      const user = await getUser()
                      return store.close(user)
                    }

                    export async function drop(id: string) {
                      await requireOwner(id)
                      store.drop(id)
                    }
                    """,
                ),
            },
        ),
    ]
    INVALID = [
        change(
            {
                "shop/shelf.ts": (
                    """
                    const show = (id) => get(`/posts/${encodeURIComponent(id)}`)
                    const drop = (id) => del(`/posts/${encodeURIComponent(id)}`)
                    const edit = (id) => put(`/posts/${encodeURIComponent(id)}`)
                    """,
                    """
                    const show = (id) => get(`/posts/${encodeURIComponent(id)}`)
                    const drop = (id) => del(`/posts/${encodeURIComponent(id)}`)
                    const edit = (id) => put(`/posts/${encodeURIComponent(id)}`)
                    const like = (id) => post(`/posts/${«id»}/likes`)
                    """,
                ),
            },
        ),
        change(
            {
                "shop/shelf.ts": (
                    """
                    on.rename = async (socket, data) => {
                      await users.isAdminOrSelf(socket.uid, data.uid)
                      await users.rename(data)
                    }
                    on.close = async (socket, data) => {
                      await users.canEdit(socket.uid, data.uid)
                      await users.close(data)
                    }
                    """,
                    """
                    on.rename = async (socket, data) => {
                      await users.isAdminOrSelf(socket.uid, data.uid)
                      await users.rename(data)
                    }
                    on.close = async (socket, data) => {
                      await users.canEdit(socket.uid, data.uid)
                      await users.close(data)
                    }
                    «on.d»rop = async (socket, data) => {
                      await users.drop(data.uid)
                    }
                    """,
                ),
            },
        ),
    ]
