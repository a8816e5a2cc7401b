"""PY391."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.checks.cases import change
from wardround.checks.lazy import LazyPattern
from wardround.semantics.semdiff.guard_checks import SiblingGuardCheck
from wardround.semantics.semdiff.guards import GuardedFunction
from wardround_python.analysis.guarded_functions import PythonGuards


class MissingSiblingGuard(PythonGuards, SiblingGuardCheck):
    """A new function lacks the check or the escaping that all others of its file have for the same thing.

    Each of its neighbours that is given the same key, or is open to the same callers, asks whether they may,
    or takes what it names from what belongs to them. Do the same here, or say by the name why everybody may.
    """

    ID = "PY391"
    VALID = [
        change(
            {
                "shop/views.py": (
                    """
                    def show(request, code):
                        shelf = get_shelf_for_user(request, code)
                        return render(shelf)


                    def empty(request, code):
                        shelf = get_shelf_for_user(request, code)
                        shelf.clear()


                    """,
                    """
                    def show(request, code):
                        shelf = get_shelf_for_user(request, code)
                        return render(shelf)


                    def empty(request, code):
                        shelf = get_shelf_for_user(request, code)
                        shelf.clear()


                    def remove(request, code):
                        shelf = get_shelf_for_user(request, code)
                        shelf.delete()
                    """,
                ),
            },
        ),
        change(
            {
                "shop/views.py": (
                    """
                    def show(request, code):
                        shelf = get_shelf_for_user(request, code)
                        return render(shelf)


                    """,
                    """
                    def show(request, code):
                        shelf = get_shelf_for_user(request, code)
                        return render(shelf)


                    def remove(request, code):
                        shelf = Shelf.objects.get(code=code)
                        shelf.delete()
                    """,
                ),
            },
        ),
    ]
    INVALID = [
        change(
            {
                "shop/views.py": (
                    """
                    def keep(folder, name, text):
                        place = os.path.join(ROOT, folder, name)
                        if not is_path_inside(ROOT, place):
                            raise ValueError(name)
                        write(place, text)

                    """,
                    """
                    def keep(folder, name, text):
                        place = os.path.join(ROOT, folder, name)
                        if not is_path_inside(ROOT, place):
                            raise ValueError(name)
                        write(place, text)

                    def read(folder, name):
                        «p»lace = os.path.join(ROOT, folder, name)
                        return open(place).read()
                    """,
                ),
            },
        ),
        change(
            {
                "shop/views.py": (
                    """
                    def show(request, code):
                        shelf = get_shelf_for_user(request, code)
                        return render(shelf)


                    def empty(request, code):
                        shelf = get_shelf_for_user(request, code)
                        shelf.clear()


                    """,
                    """
                    def show(request, code):
                        shelf = get_shelf_for_user(request, code)
                        return render(shelf)


                    def empty(request, code):
                        shelf = get_shelf_for_user(request, code)
                        shelf.clear()


                    def «remove»(request, code):
                        shelf = Shelf.objects.get(code=code)
                        shelf.delete()
                    """,
                ),
            },
        ),
    ]

    def bodies(self, path: str, text: str) -> Sequence[GuardedFunction]:
        """Without those that only answer a question: a guard is made of them."""
        found = super().bodies(path, text)
        return [one for one in found if not _ANSWERS.match(one.name.rpartition(".")[2])]


_ANSWERS = LazyPattern(r"_?(?:is|has|are|was|can|may|should|must)_")
