from __future__ import annotations

from collections.abc import Sequence

from wardround.lazy import LazyPattern
from wardround.rules.cases import change
from wardround.semantics.semdiff.guard_checks import SiblingGuardCheck
from wardround.semantics.semdiff.guards import GuardedFunction
from wardround_python.analysis.guarded_functions import PythonGuards


class MissingSiblingGuard(PythonGuards, SiblingGuardCheck):
    """A new function lacks the guard or the escaping that all similar functions of its file have.

    Each sibling that takes the same key, or serves the same callers, checks the permission, or finds the
    record among those of the caller. Do the same here, or name the function so that its public access is
    clear.
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
        """Return the functions without predicates, which guards consist of."""
        result = super().bodies(path, text)
        return [item for item in result if not _ANSWERS.match(item.name.rpartition(".")[2])]


_ANSWERS = LazyPattern(r"_?(?:is|has|are|was|can|may|should|must)_")
