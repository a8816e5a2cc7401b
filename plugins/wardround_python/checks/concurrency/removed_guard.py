from __future__ import annotations

from wardround.rules.cases import change
from wardround.semantics.semdiff.guard_checks import GuardGoneCheck
from wardround_python.analysis.guarded_functions import PythonGuards


class RemovedGuard(PythonGuards, GuardGoneCheck):
    """A change removes a lock, transaction, authorization check or limit, and the guarded code still runs.

    Such a guard is easily lost while code is moved or shortened, and no test fails. Restore it around the
    code it protected, or explain in the commit message why it is not needed. It counts as removed if no
    added line contains a guard of that kind. A test for None after which the function returned also counts,
    if the value has the same source as before and is now passed on without any test.
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
