from __future__ import annotations

import ast

from wardround.findings import Plane
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_PRIVILEGED = LazyPattern(
    r"(^|[a-z._])(User|Account|Profile|Member(ship)?|Customer|Employee|Staff|UserProfile)$"
)
_FORM = LazyPattern(r"(ModelForm|ModelSerializer|UpdateView|CreateView|ModelSchema)$")


class AllFieldsWritable(PythonCheck):
    """Users who edit their own account may write every field of it.

    With ``fields = "__all__"``, or all but some fields, the sender also sets ``is_staff``, ``is_superuser``,
    groups or the balance. List the writable fields.
    """

    ID = "PY335"
    NAME = "all-fields-writable"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "mass-assignment"
    WORDS = ("__all__", "exclude", "ALL_FIELDS")
    VALID = [
        code("""
            class UserForm(ModelForm):
                class Meta:
                    model = User
                    fields = ['name', 'mail']
        """),
        code("""
            class NoteForm(ModelForm):
                class Meta:
                    model = Note
                    fields = '__all__'
        """),
    ]
    INVALID = [
        code("""
            class UserSerializer(serializers.ModelSerializer):
                class Meta:
                    model = User
                    «fields = '__all__'»
        """),
        code("""
            class ProfileForm(forms.ModelForm):
                class Meta:
                    model = models.Profile
                    «exclude = ('password',)»
        """),
    ]

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        if not any(_FORM.search(unparse(base)) for base in node.bases):
            return
        if "admin" in node.name.lower() or "admin" in self.source.path.lower() or "read" in node.name.lower():
            return
        inner = [
            statement
            for statement in node.body
            if isinstance(statement, ast.ClassDef) and statement.name == "Meta"
        ]
        settings = {
            unparse(line.targets[0]): line
            for line in (inner[0] if inner else node).body
            if isinstance(line, ast.Assign)
        }
        model = settings.get("model")
        if model is None or not _PRIVILEGED.search(unparse(model.value)):
            return
        if self._is_guarded(settings):
            return
        for name in ("fields", "exclude"):
            line = settings.get(name)
            if line is not None and self._allows_all_fields(name, line.value):
                self.report(
                    self.module.span(line),
                    "the sender may write every field, including is_staff; list the writable fields",
                )

    def _allows_all_fields(self, name: str, value: ast.expr) -> bool:
        text = unparse(value)
        if name == "fields":
            return "__all__" in text or "ALL_FIELDS" in text
        return "staff" not in text and "superuser" not in text and "role" not in text and "admin" not in text

    def _is_guarded(self, settings: dict[str, ast.Assign]) -> bool:
        """Return True if the fields that grant privileges are read-only."""
        line = settings.get("read_only_fields")
        text = unparse(line.value) if line is not None else ""
        return any(word in text for word in ("staff", "superuser", "role", "admin", "fields"))
