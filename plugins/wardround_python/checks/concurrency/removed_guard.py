"""PY390."""

from __future__ import annotations

from wardround.checks.cases import change
from wardround.semantics.semdiff.guard_checks import GuardGoneCheck
from wardround_python.analysis.guarded_functions import PythonGuards


class RemovedGuard(PythonGuards, GuardGoneCheck):
    """A lock, a transaction, a check of rights or a limit was there before the change, and what it guarded is
    still done.

    Such a guard is easily lost while code is moved or made shorter, and no test fails. Put it back around
    what it protected, or say in the commit why it is not needed. It counts as gone where no line the change
    brought holds a guard of that kind.
    """

    ID = "PY390"
    VALID = [
        change(
            {
                "shop/store.py": (
                    """
                    def move(order, to):
                        with transaction.atomic():
                            order.lines.update(order=to)
                            order.delete()
                    """,
                    """
                    @transaction.atomic
                    def move(order, to):
                        order.lines.update(order=to)
                        order.delete()
                    """,
                ),
            },
        ),
        change(
            {
                "shop/store.py": (
                    """
                    def move(order, to):
                        with transaction.atomic():
                            order.lines.update(order=to)
                            order.delete()
                    """,
                    """
                    def move(order, to):
                        order.delete()
                    """,
                ),
            },
        ),
    ]
    INVALID = [
        change(
            {
                "shop/store.py": (
                    """
                    def move(order, to):
                        with transaction.atomic():
                            order.lines.update(order=to)
                            order.delete()
                    """,
                    """
                    def move(order, to):
                        «order.»lines.update(order=to)
                        order.delete()
                    """,
                ),
            },
        ),
        change(
            {
                "shop/store.py": (
                    """
                    def drop(request, key):
                        require_admin(request.user)
                        shelf.remove(key)
                    """,
                    """
                    def drop(request, key):
                        «shelf.»remove(key)
                    """,
                ),
            },
        ),
    ]
