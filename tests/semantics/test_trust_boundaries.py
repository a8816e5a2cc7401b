"""A change on a trust boundary is noted with its lines; a note names the line that shows the boundary."""

from __future__ import annotations

import textwrap

import pytest

from wardround.semantics.boundary_notes import Boundary
from wardround.semantics.trust_boundaries import ChangedLines, trust_boundaries


def kinds(path: str, text: str, removed: str = "") -> list[tuple[str, int, str]]:
    """Kind, line and reason of the notes about a change of the lines that contain ``HERE``."""
    text = textwrap.dedent(text)
    numbers = [number for number, line in enumerate(text.split("\n"), 1) if "HERE" in line]
    before = {numbers[0]: [removed]} if removed else {}
    notes = trust_boundaries([ChangedLines(path, text, numbers, before)])
    return [(note.kind.value, note.line, note.reason) for note in notes]


FLASK = """
@app.post("/orders")
@limited
def create_order():
    data = request.json
    total = HERE(data)
    return total
"""
FASTAPI = """
@router.put(
    "/orders/{id}",
    status_code=201,
)
async def update(
    id: int,
) -> Order:
    if id:
        HERE()
"""
EXPRESS = """
router.post('/orders', async (req, res) => {
  if (req.body) {
    HERE();
  }
});
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("app.py", FLASK, ("route", 6, '@app.post("/orders")')),
        ("app.py", FASTAPI, ("route", 10, "@router.put(")),
        ("api.ts", EXPRESS, ("route", 4, "router.post('/orders', async (req, res) => {")),
        ("src/app/orders/route.ts", "export const x = HERE\n", ("route", 1, "by the path of the file")),
        (
            "views.py",
            "class Orders(APIView):\n    def get(self):\n        HERE()\n",
            ("route", 3, "class Orders(APIView):"),
        ),
        (
            "hooks.py",
            "def stripe_webhook(body):\n    HERE(body)\n",
            ("webhook", 2, "def stripe_webhook(body):"),
        ),
        (
            "io.py",
            "def read(f):\n    return HERE, pickle.load(f)\n",
            ("deserialisation", 2, "return HERE, pickle.load(f)"),
        ),
        (
            "io.py",
            "def read(f):\n    HERE = request.FILES['a']\n",
            ("upload", 2, "HERE = request.FILES['a']"),
        ),
        (
            "acl.ts",
            "function canEdit(user) {\n  return HERE;\n}\n",
            ("access", 2, "function canEdit(user) {"),
        ),
        ("settings.py", "SESSION_COOKIE_SECURE = HERE\n", ("web-policy", 1, "SESSION_COOKIE_SECURE = HERE")),
        (
            ".github/workflows/a.yml",
            "on:\n  pull_request_target:\njobs:\n  a: HERE\n",
            ("privileged-workflow", 4, "pull_request_target:"),
        ),
    ],
)
def test_a_changed_place_on_a_boundary(path: str, text: str, expected: tuple[str, int, str]) -> None:
    assert expected in kinds(path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("app.py", "@app.post('/a')\ndef a():\n    pass\n\n\ndef total():\n    return HERE\n"),
        ("app.py", "@app.post('/a')\ndef a():\n    # HERE\n    pass\n"),
        ("app.py", "from auth import is_admin  # HERE\n"),
        ("notes.md", "pickle.loads HERE\n"),
        (".github/workflows/a.yml", "on: push\njobs:\n  a: HERE\n"),
        (".github/workflows/a.yml", "jobs:\n  a: HERE\n  b: ${{ secrets.GITHUB_TOKEN }}\n"),
    ],
)
def test_a_place_elsewhere(path: str, text: str) -> None:
    assert kinds(path, text) == []


def test_a_removed_guard_is_noted() -> None:
    found = kinds("a.py", "def edit(request):\n    HERE()\n", removed="    @permission_required('edit')")
    assert found == [("access", 2, "removed: @permission_required('edit')")]


def test_the_lines_of_one_handler_are_one_note() -> None:
    text = FLASK.replace("data = request.json", "data = HERE")
    numbers = [number for number, line in enumerate(text.split("\n"), 1) if "HERE" in line]
    (note,) = trust_boundaries([ChangedLines("app.py", text, numbers)])
    assert (note.kind, note.line, note.end_line) == (Boundary.ROUTE, 5, 6)


def test_a_deep_file_is_read_within_its_limits() -> None:
    text = "\n".join(" " * (number % 200) + "x" for number in range(20_000))
    assert trust_boundaries([ChangedLines("a.py", text, range(1, 20_000))]) == ()
