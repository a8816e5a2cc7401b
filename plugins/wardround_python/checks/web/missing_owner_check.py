from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.module import last_name, names_in
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.libraries.web_routes import Route, routes_of
from wardround_python.syntax.calls import passed_values

_WHO = (
    r"(current_user|request\.user|request\.ctx\.user|g\.user|\bme\b|\buser\b|\bcaller\b|"
    r"principal|self\.current_user)"
)
_OWNED = LazyPattern(
    r"(?i)(owner|user|author|tenant|account|member|organi[sz]|workspace|team|company|recipient|customer|created_by|"
    r"project)\w*\s*(=|==|!=|in)\s*[^=\n]{0,40}?"
    + _WHO
    + "|"
    + _WHO
    + r"\.\w+\s*(==|!=)|for_user\(|visible_to\(|owned_by\("
)
_ASKS = LazyPattern(
    r"(?i)current_user|request\.user|\bme\b|\buser\b|owner|tenant|principal|caller|permission|can_|has_perm|"
    r"authori[sz]e|check_|ensure|is_staff|is_admin|members?\b|workspace|visible|published|public|is_open|role|"
    r"account|token|signature|secret|session\["
)
_ADMIN = LazyPattern(r"(?i)staff|admin|superuser|permission|role|internal|scope")
_LOOKUPS = frozenset(
    {"get", "get_or_404", "get_object_or_404", "aget_object_or_404", "first_or_404", "aget", "get_one"}
)
_IDS = frozenset({"id", "pk", "uuid", "ident"})


class MissingOwnerCheck(PythonCheck):
    """A record is found only by the id in the URL, next to routes that also filter by its owner.

    A logged-in user can read every user's records by counting through the ids. Search it among the records
    of the current user, as the other routes of the module do.
    """

    ID = "PY342"
    NAME = "missing-owner-check"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "missing-authorisation"
    WORDS = ("current_user", "request.user", "Depends(", "Security(", "g.user")
    VALID = [
        code("""
            @app.get('/a/<int:pk>')
            @login_required
            def a(pk):
                return Note.query.filter_by(id=pk, owner_id=current_user.id).first_or_404().text
            @app.get('/b/<int:pk>')
            @login_required
            def b(pk):
                note = Note.query.get_or_404(pk)
                if note.owner_id != current_user.id:
                    abort(404)
                return note.text
        """),
        code("""
            @app.get('/a/<int:pk>')
            @login_required
            def a(pk):
                return Page.query.get_or_404(pk).text
            @app.get('/b/<int:pk>')
            @login_required
            def b(pk):
                return Page.query.get_or_404(pk).title
        """),
    ]
    INVALID = [
        code("""
            @app.get('/a/<int:pk>')
            @login_required
            def a(pk):
                return Note.query.filter_by(id=pk, owner_id=current_user.id).first_or_404().text
            @app.delete('/a/<int:pk>')
            @login_required
            def b(pk):
                db.session.delete(«Note.query.get_or_404(pk)»)
        """),
        code("""
            def own_note(pk: int, user: User = Depends(current_user)):
                return select(Note).where(Note.id == pk, Note.owner_id == user.id)
            @router.get('/n/{pk}')
            async def show(note: Note = Depends(own_note)):
                return note.text
            @router.get('/n/{pk}/files/{file_id}')
            async def file(file_id: int, db: Db, note: Note = Depends(own_note)):
                return await «db.get(File, file_id)»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and _OWNED.search(source.text) is not None

    def visit_Module(self, node: ast.Module) -> None:
        owned = self._owned_models(node)
        for route in routes_of(self.module) if owned else ():
            if _ASKS.search(route.body) or not route.is_guarded or self._is_for_staff(route):
                continue
            if any(name in _names(route.function.body) for name in route.persons):
                continue
            call = self._lookup(route, owned)
            if call is not None:
                self.report(
                    self.module.span(call), "this record is found by its id alone; filter by its owner too"
                )
        self._check_views(node)

    def _owned_models(self, tree: ast.Module) -> frozenset[str]:
        """Return the models that a function of the module filters by owner."""
        results: set[str] = set()
        for statement in tree.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                text = unparse(statement)
                if _OWNED.search(text):
                    results |= {
                        n.id for n in walk(statement) if isinstance(n, ast.Name) and n.id[:1].isupper()
                    }
        return frozenset(results)

    def _is_for_staff(self, route: Route) -> bool:
        return any(_ADMIN.search(unparse(decorator)) for decorator in route.function.decorator_list)

    def _lookup(self, route: Route, owned: frozenset[str]) -> ast.Call | None:
        """Return the call that finds a record only by an id from the URL."""
        for node in walk(route.function):
            if not isinstance(node, ast.Call) or last_name(node.func) not in _LOOKUPS:
                continue
            models = {name for name in names_in(node) if name[:1].isupper()}
            is_owned = bool(models & owned) or (bool(models) and bool(route.persons))
            if is_owned and self._is_by_number(node, route):
                return node
        return None

    def _is_by_number(self, node: ast.Call, route: Route) -> bool:
        if any(keyword.arg not in _IDS for keyword in node.keywords):
            return False
        arguments = passed_values(node)
        names = [argument for argument in arguments if isinstance(argument, ast.Name)]
        numbers = [name for name in names if name.id in route.arguments]
        return len(numbers) == 1 and all(isinstance(item, (ast.Name, ast.Attribute)) for item in arguments)

    def _check_views(self, tree: ast.Module) -> None:
        """Report view sets without an owner filter, if an adjacent one has it."""
        classes = [statement for statement in tree.body if isinstance(statement, ast.ClassDef)]
        views = [view for view in classes if any("ViewSet" in unparse(base) for base in view.bases)]
        if not any(_OWNED.search(unparse(view)) for view in views):
            return
        for view in views:
            if not _is_limited(view):
                self._check_view(view)

    def _check_view(self, view: ast.ClassDef) -> None:
        for statement in view.body:
            if isinstance(statement, ast.Assign) and unparse(statement.value).endswith(".objects.all()"):
                self.report(
                    self.module.span(statement),
                    "these are the records of all users, unlike in the adjacent views; filter by the owner",
                )


def _names(body: Sequence[ast.stmt]) -> set[str]:
    return {n.id for statement in body for n in walk(statement) if isinstance(n, ast.Name)}


def _is_limited(view: ast.ClassDef) -> bool:
    """Return True if a view set is read-only, for administrators, or selects its records itself."""
    if "ReadOnly" in unparse(view):
        return True
    lines = [unparse(statement) for statement in view.body]
    text = "\n".join(line for line in lines if "IsAuthenticated]" not in line)
    return "get_queryset" in text or bool(_ADMIN.search(text) or _ASKS.search(text))
