"""PY391."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import ChangeCase
from wardround.checks.lazy import LazyPattern
from wardround.semantics.semdiff.guard_checks import SiblingGuardCheck
from wardround.semantics.semdiff.guards import GuardedFunction
from wardround_python.analysis.guarded_functions import PythonGuards

_SHOWN = (
    "def show(request, code):\n    shelf = get_shelf_for_user(request, code)\n    return render(shelf)\n\n\n"
)
_EMPTIED = "def empty(request, code):\n    shelf = get_shelf_for_user(request, code)\n    shelf.clear()\n\n\n"
_NEW = "def remove(request, code):\n    shelf = Shelf.objects.get(code=code)\n    shelf.delete()\n"
_ASKING = _NEW.replace("Shelf.objects.get(code=code)", "get_shelf_for_user(request, code)")


def _case(new: str, line: int = 0, base: str = _SHOWN + _EMPTIED) -> ChangeCase:
    return ChangeCase({"shop/views.py": (base, base + new)}, ("shop/views.py", line, 5) if line else None)


class MissingSiblingGuard(PythonGuards, SiblingGuardCheck):
    """A new function lacks the check or the escaping that all others of its file have for the same thing.

    Each of its neighbours that is given the same key, or is open to the same callers, asks whether they may,
    or takes what it names from what belongs to them. Do the same here, or say by the name why everybody may.
    """

    ID = "PY391"
    TRIED_ON = (
        "2,552 commits of healthchecks, redash, linkding, Chainlit, aiohttp, celery and "
        "django-rest-framework: no hit; of 1,413 functions of three web projects, each taken for new, seven, "
        "most of them readers beside writers, which are told apart since; 500 commits of ten others: one, "
        "of a function that only answers yes or no, left out since"
    )
    VALID: ClassVar[Sequence[ChangeCase]] = [
        _case(_ASKING),
        _case(_NEW, base=_SHOWN),
        _case(_NEW, base=_SHOWN + _EMPTIED + "def peek(request, code):\n    return Shelf.find(code)\n\n\n"),
        _case(
            _ASKING.replace("remove", "take")
            + "\n\ndef remove(request, code):\n    return take(request, code)\n"
        ),
        _case("def is_kept(request, code):\n    return code in kept_of(request)\n"),
        _case("def remove(request, place):\n    Shelf.objects.get(place=place).delete()\n"),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        _case(
            "def read(folder, name):\n    place = os.path.join(ROOT, folder, name)\n"
            "    return open(place).read()\n",
            8,
            base="def keep(folder, name, text):\n    place = os.path.join(ROOT, folder, name)\n"
            "    if not is_path_inside(ROOT, place):\n        raise ValueError(name)\n"
            "    write(place, text)\n\n",
        ),
        _case(_NEW, 11),
        _case(
            "def wipe(request, team):\n    team.wipe()\n",
            12,
            base="@admin_required\ndef add(request, team):\n    team.add(1)\n\n\n"
            "@admin_required\n@atomic\ndef cut(request, team):\n    team.cut(1)\n\n\n",
        ),
    ]

    def bodies(self, path: str, text: str) -> Sequence[GuardedFunction]:
        """Without those that only answer a question: a guard is made of them."""
        found = super().bodies(path, text)
        return [one for one in found if not _ANSWERS.match(one.name.rpartition(".")[2])]


_ANSWERS = LazyPattern(r"_?(?:is|has|are|was|can|may|should|must)_")
